"""A headless Chromium for the tests of pages (without one those tests skip and say why), and hands to use it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

#: Chromium needs `--no-sandbox` as root; the rest keeps it from touching the network by itself, and from drawing
#: sixty pictures a second, without a graphics card, of something that moves to and fro while a job is done.
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-prefers-reduced-motion",
)


def missing() -> str:
    """What is lacking to drive a browser, "" if nothing."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed"
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        return "chromium and chromedriver are not on the path"
    return ""


@contextmanager
def chromium(width: int = 1280, height: int = 900) -> Iterator[Any]:
    """A WebDriver with a profile of its own that keeps console and network records."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or ""
        for flag in (*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
            options.add_argument(flag)
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        try:
            yield driver
        finally:
            driver.quit()


def renew(driver: Any) -> None:
    """One new window in place of all others: settings of a window end with it, what pages have kept is forgotten."""
    windows = driver.window_handles
    driver.switch_to.new_window("window")
    new = driver.current_window_handle
    for window in windows:
        driver.switch_to.window(window)
        driver.close()
    driver.switch_to.window(new)
    driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "file://", "storageTypes": "all"})
    for kind in ("browser", "performance"):
        driver.get_log(kind)


def resize(driver: Any, width: int, height: int) -> None:
    """Give the page exactly this size, also below the smallest window."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )


def find_all(page: Any, selector: str) -> list[Any]:
    """The elements that a selector picks."""
    return page.find_elements("css selector", selector)


def find_one(page: Any, selector: str) -> Any:
    """The first of them."""
    return page.find_element("css selector", selector)


def texts(page: Any, selector: str) -> list[str]:
    """What a reader sees of each element that a selector picks, asked for at once; `.text` asks for one."""
    script = (
        "return [...document.querySelectorAll(arguments[0])].map(e => e.checkVisibility() ? e.innerText.trim() : '')"
    )
    return list(page.execute_script(script, selector))


def find_button(page: Any, label: str, within: str = "") -> Any:
    """A button or a link by its name."""
    found = page.execute_script(
        "return [...document.querySelectorAll(arguments[0])].find(b => "
        "(b.getAttribute('aria-label') || b.textContent).includes(arguments[1]))",
        f"{within} button, {within} a", label,
    )  # fmt: skip
    assert found is not None, f"no button {label!r}"
    return found


def click_on(page: Any, element: Any) -> None:
    """Bring it into view, click, and wait for what follows."""
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
    element.click()
    settle(page)


def settle(page: Any) -> None:
    """A change of the address is told to the page a moment later; then it may have to be asked for what is shown."""
    page.execute_async_script(
        "const done = arguments[0]; const wait = () => document.querySelector('[aria-busy=true], .view.loading')"
        " ? setTimeout(wait, 20) : done(); setTimeout(wait, 60);"
    )


def draw_charts(page: Any) -> int:
    """Bring every chart that can be seen near the screen, and wait until it is drawn; how many there are."""
    return int(page.execute_async_script(
        "const done = arguments[0]; (async () => { let seen = 0;"
        "for (const canvas of document.querySelectorAll('.canvas')) {"
        "  if (!canvas.clientWidth) continue;"
        "  canvas.scrollIntoView({ block: 'center', behavior: 'instant' });"
        "  while (!canvas.querySelector('svg.chart')) await new Promise((go) => setTimeout(go, 20));"
        "  seen += 1;"
        "} scrollTo({ top: 0, behavior: 'instant' }); done(seen); })()"
    ))  # fmt: skip


def choose(page: Any, label: str, value: str) -> None:
    """A value of the filter with this label."""
    from selenium.webdriver.support.ui import Select

    box = next(each for each in find_all(page, ".filters label") if each.text.startswith(label))
    Select(box.find_element("css selector", "select")).select_by_visible_text(value)


def open_report(driver: Any, data: dict[str, Any], folder: Path, held: Any = None) -> None:
    """Write a report and open it from disk; what is copied and saved is kept in `copied` and `saved` of the window.

    Without what it is to hold of mentions, cases and documents it holds none.
    """
    from linkassay.explorer.embedded import FORMAT
    from linkassay.pages.report_page import render_report

    path = folder / "report.html"
    path.write_text(render_report(data, held or {"format": FORMAT, "cohorts": []}), encoding="utf-8")
    resize(driver, 1280, 900)
    driver.get("about:blank")
    driver.get_log("performance")  # what the browser itself did before
    driver.get(path.as_uri())
    driver.execute_script(
        "document.documentElement.style.scrollBehavior = 'auto'; window.copied = []; window.saved = [];"
        "navigator.clipboard.writeText = (text) => { window.copied.push(text); return Promise.resolve(); };"
        "URL.createObjectURL = (blob) => { window.saved.push(blob); return 'blob:'; };"
        "HTMLAnchorElement.prototype.click = () => {};"
    )
    settle(driver)
