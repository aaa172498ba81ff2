"""Takes a picture of a page, or of a served address, as a reader sees it.

`python docs/screenshot.py report.html report.png`
`python docs/screenshot.py report.html documents.png --view "#documents&systems=house,spotter" --press jj --dark`
`python docs/screenshot.py http://127.0.0.1:8700/ runs.png --width 1920`
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.browser import chromium, missing, resize

PATIENCE = 120  # seconds until what takes long is there
STILL = 0.4  # seconds without a change of the page
WATCH = """
window.changed = performance.now();
const note = () => { window.changed = performance.now(); };
new MutationObserver(note).observe(document, { subtree: true, childList: true, attributes: true });
"""


def main() -> None:
    """Open the page in a headless browser, wait until it stands still, and save what it shows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("page", help="a file, or the address of a server")
    parser.add_argument("picture", type=Path)
    parser.add_argument("--view", default="", help="what stands behind the page in the address: #documents&id=…")
    parser.add_argument("--press", default="", help="keys to press, one after another: jj")
    parser.add_argument("--dark", action="store_true", help="in dark colours")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--height", type=int, default=1400)
    given = parser.parse_args()
    served = given.page.startswith(("http://", "https://"))
    if not served and not Path(given.page).is_file():
        sys.exit(f"no file {given.page}; write one with: linkassay report RUN… -o {given.page}")
    if reason := missing():
        sys.exit(f"a picture needs a browser: {reason}")
    address = given.page if served else Path(given.page).resolve().as_uri()
    with chromium() as driver:
        resize(driver, given.width, given.height)
        driver.execute_cdp_cmd("Emulation.setScrollbarsHidden", {"hidden": True})
        driver.get(address + given.view)
        driver.execute_script(WATCH)
        theme = "dark" if given.dark else "light"
        button = driver.find_element("id", "theme")
        if (button.get_attribute("aria-pressed") == "true") != given.dark:
            driver.execute_script("arguments[0].click()", button)
        driver.execute_script("document.documentElement.dataset.theme = arguments[0]", theme)
        stand_still(driver)
        for key in given.press:
            driver.switch_to.active_element.send_keys(key)
            stand_still(driver)
        driver.save_screenshot(str(given.picture))


def stand_still(driver: Any) -> None:
    """Wait until nothing is under way and nothing has changed for a moment."""
    end = time.monotonic() + PATIENCE
    still = (
        "return !document.querySelector('[aria-busy=true], .job') && performance.now() - changed > 1000 * arguments[0]"
    )
    while not driver.execute_script(still, STILL):
        if time.monotonic() > end:
            sys.exit(f"the page is still busy after {PATIENCE} seconds; look at it in a browser")
        time.sleep(0.05)


if __name__ == "__main__":
    main()
