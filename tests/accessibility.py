"""What axe-core finds in the page that a browser shows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

AXE = Path(__file__).parent / "vendor" / "axe.min.js"


def violations(driver: Any) -> list[str]:
    """Rules that the page breaks, each with the first elements that do and why; what cannot be decided is none."""
    if not driver.execute_script("return 'axe' in window"):
        driver.execute_script(AXE.read_text(encoding="utf-8"))
    found = driver.execute_async_script(
        "const done = arguments[0]; axe.run(document, { resultTypes: ['violations'] }).then("
        "({ violations }) => done(violations.map(({ id, impact, nodes }) => [id, impact, nodes.length,"
        "nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 200) + ' ' + failureSummary)])),"
        "(error) => done([['axe', 'failed', 0, [String(error)]]]))"
    )
    return [f"{rule} ({impact}, {count} elements): {' | '.join(nodes)}" for rule, impact, count, nodes in found]
