"""Takes a picture of a report: `python docs/screenshot.py report.html out.png [--dark] [--width N] [--height N]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.browser import chromium, missing, resize


def main() -> None:
    """Open the page in a headless browser and save what it shows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--dark", action="store_true", help="in dark colours")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=1400)
    given = parser.parse_args()
    if not given.page.is_file():
        sys.exit(f"no file {given.page}; write one with: linkassay report RUN… -o {given.page}")
    if reason := missing():
        sys.exit(f"a picture needs a browser: {reason}")
    with chromium() as driver:
        resize(driver, given.width, given.height)
        driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        driver.get(given.page.resolve().as_uri())
        driver.execute_script(
            "document.documentElement.dataset.theme = arguments[0]", "dark" if given.dark else "light"
        )
        driver.save_screenshot(str(given.picture))


if __name__ == "__main__":
    main()
