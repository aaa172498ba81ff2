"""The feed of a page in a browser, without the page around it: requests go in, answers come out as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linkassay.explorer import Embedded
from linkassay.pages import front_end
from linkassay.pages.report_page import embed, packed

#: A name of a request, and its parameters.
Question = tuple[str, dict[str, Any]]

_ASK = """
const [questions, done] = arguments;
const answer = ([name, params]) => window.feed.request(name, params).catch((error) => ({ error: error.message }));
Promise.all(questions.map(answer)).then((answers) => done(JSON.stringify(answers)));
"""


def write_feed(data: dict[str, Any], held: Embedded, path: Path) -> None:
    """Write a page that is nothing but its feed."""
    begin = "window.feed = embeddedFeed(document.getElementById('columns').textContent);"
    script = front_end.script("embedded_feed.js").removesuffix("}\n") + begin + "}\n"
    path.write_text(
        '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'
        f'<script type="application/json" id="data">{embed(data)}</script>'
        f'<script type="application/octet-stream" id="columns">{packed(held)}</script><script>{script}</script>',
        encoding="utf-8",
    )


def asked(driver: Any, page: Path, questions: Sequence[Question]) -> list[Any]:
    """The answers of a page."""
    if driver.current_url != page.as_uri():
        driver.get(page.as_uri())
    found: list[Any] = json.loads(driver.execute_async_script(_ASK, list(questions)))
    return found
