"""Documents in a browser: whole texts with all marks, by mouse and by keyboard, from answers that are made up."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.browser import click_on, find_all, find_button, find_one, resize, settle
from tests.pages.documents_page import answer, cohort, document, mark, row, write_documents_page
from tests.report_helpers import HOSTILE

#: Places:  0        9   13     20              36
TEXT = "The \U0001f9ec of breast and ovarian cancer, old DM.\nThen type 2 diabetes came."
NAMES = {"t:1": "breast cancer", "t:2": "ovarian cancer", "t:3": HOSTILE, "t:4": "diabetes", "mesh:D1": None}
RIGHT, WRONG, MISSED, SPURIOUS = "right", "wrong", "missed", "spurious"


def _at(text: str, start: int = 0) -> list[int]:
    place = TEXT.index(text, start)
    return [place, place + len(text)]


def _marks() -> list[dict[str, Any]]:
    whole = mark("type 2 diabetes", [_at("type 2 diabetes")], [answer(RIGHT, "t:4"), answer(MISSED), None], [["t:4"]])
    marks = [
        mark("breast cancer", [_at("breast"), _at("cancer")],
             [answer(MISSED, categories=["undetected: other"]), answer(RIGHT, "t:1"), answer(RIGHT, "t:1")], [["t:1"]]),
        mark("ovarian cancer", [_at("ovarian cancer")],
             [answer(RIGHT, "t:2"), answer(WRONG, "mesh:D1", categories=["rare"]), answer(RIGHT, "t:2")], [["t:2"]]),
        mark("DM", [_at("DM")], [answer("partly", "t:3", "t:4"), answer(WRONG, "t:3"), answer("unscored", "t:4")],
             [["t:4"], ["t:3", "t:1"]], type="gene"),
        whole,
        mark("2 diabetes", [_at("2 diabetes")], [None, answer(SPURIOUS, "t:4"), None]),
        mark("diabetes", [_at("diabetes")], [None, None, answer("nil")], [], flags=["nil", "part"], parent=whole["id"]),
        mark("came", [_at("came")], [answer("optional"), answer("optional"), None], [["t:1"]], flags=["optional"]),
    ]  # fmt: skip
    return sorted(marks, key=lambda m: (m["spans"][0][0], -m["spans"][-1][1]))


def _answers() -> dict[str, Any]:
    figures = [{"tp": 2, "fp": 1, "fn": 2}, {"tp": 1, "fp": 3, "fn": 3}, None]
    passages = [["title", 0, TEXT.index("\n") + 1], ["abstract", TEXT.index("\n") + 1, 27]]
    rows = [row("one", *figures, title="The first"), row(HOSTILE, *figures, title=HOSTILE), row("three", *figures)]
    return {
        "cohort": cohort("house", "tfidf", "exact"), "rows": rows,
        "documents": {
            "one": document(TEXT, _marks(), NAMES, passages=passages),
            HOSTILE: document(HOSTILE, [mark(HOSTILE, [[0, len(HOSTILE)]], [answer(WRONG, HOSTILE)] * 3, [[HOSTILE]],
                                             type=HOSTILE)], {HOSTILE: HOSTILE}, passages=[[HOSTILE, 0, 25]]),
            "three": document(TEXT, [], NAMES),
        },
    }  # fmt: skip


@pytest.fixture
def shown(driver: Any, tmp_path: Path) -> Any:
    """Opens a page of documents; at the end there must be no message in the console."""

    def show(address: str = "", answers: dict[str, Any] | None = None, width: int = 1280, height: int = 900) -> Any:
        resize(driver, width, height)
        driver.get("about:blank")
        driver.get(write_documents_page(tmp_path, answers or _answers()).as_uri() + address)
        driver.execute_script("document.documentElement.style.scrollBehavior = 'auto'")
        settle(driver)
        return driver

    yield show
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert driver.get_log("browser") == []


def _press(page: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).send_keys(*keys).perform()
    settle(page)


def _hover(page: Any, element: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).move_to_element(element).pause(0.2).perform()


def _signs(page: Any, column: int = 0) -> list[str]:
    """What the signs of a column say, in the order of the text."""
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.dataset.sign)"
    return list(page.execute_script(script, f".doc-cell.c{column} .sign"))


def _covered(page: Any, column: int, number: int) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map(e => e.firstChild.textContent || e.textContent)"
    return list(page.execute_script(script, f".doc-cell.c{column} .m[data-mark='{number}']"))


def _said(page: Any) -> str:
    return str(page.execute_script("return decodeURIComponent(location.hash)")).replace("&corpus==made-up", "")


def _card(page: Any) -> str:
    card = find_one(page, ".doc-card")
    return str(card.text) if card.is_displayed() else ""


def _choose(page: Any, label: str, value: str) -> None:
    from selenium.webdriver.support.ui import Select

    box = next(
        each for each in find_all(page, ".doc-tools label") if each.get_attribute("textContent").startswith(label)
    )
    Select(box.find_element("css selector", "select")).select_by_visible_text(value)
    settle(page)


def test_the_whole_text_stands_in_every_column(shown: Any) -> None:
    page = shown()
    assert find_one(page, "h1").text == "one"
    for column in (0, 1):
        script = "return [...document.querySelectorAll(arguments[0])].map(e => e.textContent).join('')"
        assert page.execute_script(script, f".doc-cell.c{column}") == TEXT
    assert [each.text for each in find_all(page, ".doc-kind")] == ["TITLE", "ABSTRACT"]
    assert [each.text.splitlines()[:2] for each in find_all(page, ".doc-head")] == [
        ["house", "57.1 % F1"], ["tfidf", "25.0 % F1"],
    ]  # fmt: skip
    assert _said(page) == "#documents&id=one"


def test_marks_say_what_they_are_by_sign_line_and_label(shown: Any) -> None:
    page = shown()
    assert _signs(page) == ["✓", "○", "◐", "–", "✓", "◇"]
    assert _signs(page, 1) == ["✕", "✓", "✕", "–", "+", "○", "◇"]
    labels = [each.get_attribute("aria-label") for each in find_all(page, ".doc-cell.c1 .sign")]
    assert labels[0] == "wrong: “ovarian cancer”. Gold: ovarian cancer (t:2). Answer: mesh:D1."
    assert labels[4] == "spurious: “2 diabetes”. No gold mention. Answer: diabetes (t:4)."
    assert {each.get_attribute("role") for each in find_all(page, ".sign")} == {"button"}
    looks = page.execute_script(
        "return ['right', 'partly', 'wrong', 'missed', 'spurious', 'optional', 'unscored'].map((v) => { const s = "
        "getComputedStyle(document.querySelector(`.doc-cell .m.v-${v}`)); "
        "return s.borderBottomStyle + s.borderBottomWidth; })"
    )
    assert looks == ["solid2px", "dashed2px", "solid3px", "dashed2px", "double4px", "dotted2px", "dotted2px"]


def test_code_points_before_a_mark_are_one_place_each(shown: Any) -> None:
    page = shown()
    assert _covered(page, 0, 1) == ["ovarian ", "cancer"]
    assert _covered(page, 0, 2) == ["DM"]


def test_pieces_of_a_mention_are_tied_and_light_up_together(shown: Any) -> None:
    page = shown()
    assert _covered(page, 0, 0) == ["breast", "cancer"]
    ties = page.execute_script(
        "return [...document.querySelectorAll('.doc-cell.c0 .tie[data-mark=\"0\"]')].map(e => e.textContent).join('')"
    )
    assert ties == " and ovarian "
    _hover(page, find_all(page, ".doc-cell.c0 .m[data-mark='0']")[0])
    lit = page.execute_script("return [...document.querySelectorAll('.m.is-over')].map(e => e.textContent)")
    assert lit == ["breast", "cancer", "breast", "cancer"], "in both columns"
    assert _card(page).splitlines()[0] == "breast cancer"
    _hover(page, find_one(page, "h1"))
    page.execute_async_script("setTimeout(arguments[0], 300)")
    assert _card(page) == ""
    assert find_all(page, ".is-over") == []


def test_marks_that_overlap_have_lines_at_levels_of_their_own(shown: Any) -> None:
    page = shown()
    bottoms = page.execute_script(
        "const cell = document.querySelectorAll('.doc-cell.c1')[1];"
        "return [...cell.querySelectorAll('.m')].filter(e => e.textContent.includes('diabetes'))"
        ".map(e => [e.dataset.mark, Math.round(e.getBoundingClientRect().bottom)])"
    )
    assert len({mark for mark, _ in bottoms}) == len({bottom for _, bottom in bottoms}) == 3


def test_the_card_tells_gold_answers_reasons_and_where_to_read_more(shown: Any) -> None:
    page = shown()
    click_on(page, find_all(page, ".doc-cell.c1 .sign.v-wrong")[1])
    assert _card(page).splitlines() == [
        "DM", "×", "gene", "Gold, any of", "diabetes t:4", f"{HOSTILE} t:3 with breast cancer t:1",
        "house", "◐ partly", f"{HOSTILE} t:3 tied with diabetes t:4", "Why it is partly. The case →",
        "tfidf", "✕ wrong", f"{HOSTILE} t:3", "Why it is wrong. The case →",
    ]  # fmt: skip
    assert find_one(page, ".card-more").get_attribute("hash") == (
        "#cases&corpus=%3Dmade-up&system=%3Done&nil=ignored&at=x%201-2"
    )
    click_on(page, find_one(page, ".doc-cell.c1 .sign.v-wrong"))
    assert _card(page).splitlines()[-6:] == [
        "tfidf", "✕ wrong", "not in the knowledge base mesh:D1", "Why it is wrong. The case →", "rare",
        "Also here: breast cancer",
    ]  # fmt: skip
    link = find_one(page, ".doc-card a.out")
    assert (link.get_attribute("rel"), link.get_attribute("target")) == ("noreferrer", "_blank")
    click_on(page, find_button(page, "breast cancer", ".doc-card"))
    assert _card(page).splitlines()[0] == "breast cancer"
    assert _said(page) == "#documents&id=one&at=9-15,28-34"
    click_on(page, find_button(page, "Close", ".doc-card"))
    click_on(page, find_one(page, ".doc-cell.c1 .sign.v-unscored"))
    assert "Belongs to type 2 diabetes" in _card(page)
    assert "Gold NIL: no entity of the knowledge base" in _card(page)
    assert "It counts for nothing by itself." in _card(page)
    click_on(page, find_button(page, "type 2 diabetes", ".doc-card"))
    assert _card(page).splitlines()[0] == "type 2 diabetes"
    click_on(page, find_one(page, "h1"))
    assert _card(page) == ""
    assert _said(page) == "#documents&id=one"


def test_marks_by_keyboard(shown: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    page = shown()
    stops = page.execute_script("return [...document.querySelectorAll('.sign')].filter(e => e.tabIndex === 0).length")
    assert stops == 1, "one stop for all marks: n and p go on"
    _press(page, "n")
    assert _card(page).splitlines()[0] == "breast cancer"
    assert page.switch_to.active_element.get_attribute("data-mark") == "0"
    _press(page, "n")
    assert _card(page).splitlines()[0] == "ovarian cancer"
    _press(page, Keys.TAB)
    assert page.switch_to.active_element.get_attribute("aria-label") == "Close"
    _press(page, Keys.TAB)
    assert page.switch_to.active_element.tag_name == "a"
    _press(page, Keys.ESCAPE)
    assert _card(page) == ""
    assert page.switch_to.active_element.get_attribute("data-mark") == "1"
    _press(page, Keys.ENTER)
    assert page.switch_to.active_element.get_attribute("aria-label") == "Close"
    _press(page, "p")
    assert _card(page).splitlines()[0] == "breast cancer"
    _press(page, "p")
    assert page.execute_script("return told.said.at(-1)") == "No further mark in this document."


def test_jump_from_error_to_error(shown: Any) -> None:
    page = shown()
    assert find_one(page, ".doc-steps").text.splitlines() == ["↑", "5 errors", "↓"]
    seen = []
    for _ in range(5):
        _press(page, "j")
        seen.append(_card(page).splitlines()[0])
    assert seen == ["breast cancer", "ovarian cancer", "DM", "type 2 diabetes", "2 diabetes"]
    assert find_one(page, ".doc-at").text == "5 of 5 errors"
    _press(page, "j")
    assert page.execute_script("return told.said.at(-1)") == "No further error in this document."
    _press(page, "k")
    assert find_one(page, ".doc-at").text == "4 of 5 errors"
    click_on(page, find_button(page, "Previous error"))
    assert _card(page).splitlines()[0] == "DM"
    _press(page, "j", "j", "j")


def test_documents_by_arrow_keys_and_back(shown: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    page = shown()
    _press(page, "j", Keys.ARROW_RIGHT)
    assert find_one(page, "h1").text == HOSTILE
    assert _said(page) == f"#documents&id={HOSTILE}"
    _press(page, Keys.ARROW_RIGHT)
    assert find_one(page, "h1").text == "three"
    assert find_one(page, ".doc-steps").text.splitlines() == ["↑", "no errors", "↓"]
    _press(page, Keys.ARROW_RIGHT, "j")
    assert page.execute_script("return told.said.slice(-2)") == [
        "This is the last document.", "There is no error in this document.",
    ]  # fmt: skip
    page.back()
    settle(page)
    assert find_one(page, "h1").text == HOSTILE
    assert find_one(page, ".doc-items [aria-current]").get_attribute("data-id") == HOSTILE
    page.back()
    settle(page)
    assert find_one(page, "h1").text == "one"
    assert _card(page).splitlines()[0] == "breast cancer", "the mark that was chosen when the document was left"
    page.forward()
    settle(page)
    assert find_one(page, "h1").text == HOSTILE
    assert _card(page) == ""
    click_on(page, find_button(page, "Previous document"))
    assert find_one(page, "h1").text == "one"


def test_arrow_keys_among_modes_do_not_turn_the_page(shown: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    page = shown()
    page.execute_script("document.querySelector('.doc-modes input:checked').focus()")
    _press(page, Keys.ARROW_RIGHT)
    assert _said(page) == "#documents&id=one&mode=errors"


@pytest.mark.parametrize(
    ("mode", "one", "other"),
    [("Errors", "○◐", "✕✕+○"), ("Avoided errors", "✓✓", "✓"), ("Differences", "✓○◐✓", "✕✓✕+○")],
)
def test_modes(shown: Any, mode: str, one: str, other: str) -> None:
    page = shown()
    click_on(page, next(each for each in find_all(page, ".doc-modes label") if each.text == mode))
    assert ("".join(_signs(page)), "".join(_signs(page, 1))) == (one, other)
    address = page.execute_script("return location.hash")
    page = shown(address)
    assert ("".join(_signs(page)), "".join(_signs(page, 1))) == (one, other)
    assert find_one(page, ".doc-modes input:checked").find_element("xpath", "..").text == mode


def test_the_legend_hides_and_shows(shown: Any) -> None:
    page = shown()
    assert [each.text.splitlines() for each in find_all(page, ".doc-legend button")][:5] == [
        ["✓", "right", ": 3"], ["◐", "partly", ": 1"], ["✕", "wrong", ": 2"], ["○", "missed", ": 2"],
        ["+", "spurious", ": 1"],
    ]  # fmt: skip
    click_on(page, find_button(page, "right", ".doc-legend"))
    click_on(page, find_button(page, "optional", ".doc-legend"))
    assert _signs(page, 1) == ["✕", "✕", "–", "+", "○"]
    assert _said(page) == "#documents&id=one&hide=right,optional"
    assert "right: 2" in find_one(page, ".doc-counts").get_attribute("textContent"), "what is hidden is counted"
    assert page.switch_to.active_element.get_attribute("data-verdict") == "optional"
    click_on(page, find_button(page, "right", ".doc-legend"))
    assert _signs(page, 1)[1] == "✓"


def test_type_category_and_nil(shown: Any) -> None:
    page = shown()
    _choose(page, "Type", "gene")
    assert (_signs(page), _signs(page, 1)) == (["◐"], ["✕"])
    _choose(page, "Type", "all types")
    _choose(page, "Error category", "rare")
    assert (_signs(page), _signs(page, 1)) == ([], ["✕"])
    click_on(page, next(each for each in find_all(page, ".doc-modes label") if each.text == "Avoided errors"))
    assert (_signs(page), _signs(page, 1)) == (["✓"], [])
    _choose(page, "NIL", "NIL required")
    asked = page.execute_script("return told.asked.filter(([name]) => name === 'document').at(-1)[1]")
    assert asked == {"corpus": "=made-up", "id": "one", "nil": "required", "systems": ["house", "tfidf"]}
    assert _said(page) == "#documents&id=one&nil=required&mode=avoided&category=rare"


def test_systems_side_by_side(shown: Any) -> None:
    page = shown()
    click_on(page, find_all(page, ".doc-systems label")[2])
    assert [each.text.splitlines()[0] for each in find_all(page, ".doc-head")] == ["house", "tfidf", "exact"]
    assert page.switch_to.active_element == find_all(page, ".doc-systems input")[2]
    tops = page.execute_script(
        "return [...document.querySelectorAll('.doc-cell')].map(e => e.getBoundingClientRect().top)"
    )
    assert len(set(tops)) == 2, "the passages of all columns begin at the same height"
    assert find_all(page, ".doc-figure")[2].text == "nothing to score"
    for at in (0, 1):
        click_on(page, find_all(page, ".doc-systems label")[at])
    assert _said(page) == "#documents&id=one&systems=exact"
    assert _signs(page) == ["✓", "✓", "–", "∅", "–", "–"]
    assert [each.is_enabled() for each in find_all(page, ".doc-modes input")] == [True, True, False, False]
    assert [each.is_enabled() for each in find_all(page, ".doc-systems input")] == [True, True, False]


def test_many_systems_are_in_a_box_and_odd_labels_are_kept(shown: Any) -> None:
    answers = _answers()
    labels = ["a,b", "100%", "x%2Cy", HOSTILE, "e", "f"]
    answers["cohort"] = cohort(*labels)
    for each in answers["rows"]:
        each["systems"] = [{"right": 1.5, "n": 2}] * 6
    for each in answers["documents"].values():
        for one in each["marks"]:
            one["answers"] = [answer(RIGHT, "t:1")] * 6
    page = shown("", answers)
    click_on(page, find_one(page, ".doc-picks summary"))
    for at in (2, 3):
        click_on(page, find_all(page, ".doc-systems label")[at])
    page = shown(page.execute_script("return location.hash"), answers)
    assert [each.text.splitlines()[:2] for each in find_all(page, ".doc-head")] == [
        [label, "75.0 % right"] for label in labels[:4]
    ]
    assert find_one(page, ".doc-picks summary").text == "Systems: 4 of 6"
    click_on(page, find_one(page, ".doc-picks summary"))
    assert [each.is_enabled() for each in find_all(page, ".doc-systems input")] == [True] * 4 + [False] * 2


def test_given_mentions_have_no_nil_and_nothing_spurious(shown: Any) -> None:
    page = shown("", _answers() | {"cohort": cohort("house", "tfidf", "exact", found=False)})
    assert not any("NIL" in each.text for each in find_all(page, ".doc-tools label"))
    assert "spurious" not in find_one(page, ".doc-legend").text


def test_hostile_text_is_shown_as_text(shown: Any) -> None:
    from selenium.common.exceptions import NoAlertPresentException

    page = shown("#documents&id=" + HOSTILE.replace("/", "%2F"))
    assert find_one(page, "h1").text == HOSTILE
    assert find_one(page, ".doc-cell").get_attribute("textContent") == HOSTILE
    assert find_one(page, ".doc-kind").text == HOSTILE.upper()
    _press(page, "j")
    assert _card(page).count(HOSTILE) >= 6
    with pytest.raises(NoAlertPresentException):
        page.switch_to.alert  # noqa: B018
    assert len(find_all(page, "script")) == 3


def test_an_address_opens_the_same_again(shown: Any) -> None:
    address = "#documents&id=one&systems=tfidf,exact&mode=differ&hide=missed&at=20-34"
    page = shown(address)
    assert _card(page).splitlines()[0] == "ovarian cancer"
    assert [each.text.splitlines()[0] for each in find_all(page, ".doc-head")] == ["tfidf", "exact"]
    assert _signs(page) == ["✕", "✕", "–", "+", "◇"]
    page = shown("#documents&id=one&systems=nobody&mode=odd&nil=odd&hide=odd&at=odd&sort=odd&constructor=1")
    assert find_one(page, "h1").text == "one"
    assert _signs(page) == ["✓", "○", "◐", "–", "✓", "◇"]


def test_what_is_not_there_is_said(shown: Any) -> None:
    page = shown("#documents&id=nowhere")
    assert find_one(page, ".trouble").text.splitlines()[0] == "There is no document nowhere."
    click_on(page, find_all(page, ".doc-items a")[0])
    assert find_one(page, "h1").text == "one"
    assert find_all(page, ".trouble") == []
    page = shown("", _answers() | {"rows": []})
    assert find_one(page, ".doc-message").text == "There is no document."


def test_text_that_is_left_out(shown: Any) -> None:
    answers = _answers()
    whole = answers["documents"]["one"]
    why = "The licence of this corpus does not allow its text in a page."
    answers["documents"]["one"] = whole | {"pieces": [[4, TEXT[4:17]]], "left_out": why}
    page = shown("", answers)
    assert find_one(page, ".doc-left").text == why
    shown_text = page.execute_script(
        "return [...document.querySelectorAll('.doc-cell.c0')].map(cell => [...cell.querySelectorAll('*'), cell]"
        ".flatMap(e => [...e.childNodes]).length && cell.innerText).join('|')"
    )
    assert "breast" in shown_text
    assert "old" not in shown_text
    assert len(find_all(page, ".doc-cell.c0 .cut")) >= 4
    assert _signs(page) == ["✓", "○", "◐", "–", "✓", "◇"]
    answers["documents"]["one"] = whole | {"pieces": [], "marks": [], "left_out": why}
    page = shown("", answers)
    assert find_one(page, ".doc-body").text.splitlines() == [why, "There is no text to show."]


def _many(n: int) -> dict[str, Any]:
    chance = random.Random(4)
    rows = [
        row(f"doc-{number:04}", {"right": number % 7, "n": 7}, {"right": 6, "n": 7}, title=chance.choice("abc") * 30)
        for number in range(n)
    ]
    body = document(TEXT, [], NAMES)
    return {"cohort": cohort("one", "two", found=False), "rows": rows, "documents": {each["id"]: body for each in rows}}


def test_the_list_comes_a_hundred_at_a_time(shown: Any) -> None:
    page = shown("", _many(2500))
    assert len(find_all(page, ".doc-items li")) == 100
    assert find_one(page, ".doc-tally").text.splitlines() == ["2,500 documents", "right, %"]
    first = find_one(page, ".doc-items a").text.splitlines()
    assert first == ["doc-0000", "3 mentions", first[2], "one:", "0.0", "two:", "85.7"]
    page.execute_script("document.querySelector('.doc-scroll').scrollTop = 1e6")
    page.execute_async_script("setTimeout(arguments[0], 200)")
    assert len(find_all(page, ".doc-items li")) == 200
    page.execute_async_script(
        "const [done] = arguments; const box = document.querySelector('.doc-scroll');"
        "const go = () => { box.scrollTop = 1e6; if (document.querySelectorAll('.doc-items li').length >= 2500) "
        "done(); else requestAnimationFrame(go); }; go();"
    )
    assert not find_one(page, ".doc-more").is_displayed()


def test_find_sort_and_walk_through_the_list(shown: Any) -> None:
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select

    page = shown("", _many(300))
    _press(page, "/", "doc-00")
    page.execute_async_script("setTimeout(arguments[0], 300)")
    assert find_one(page, ".doc-tally").text.splitlines()[0] == "100 found"
    assert _said(page) == "#documents&id=doc-0000&find=doc-00"
    Select(find_one(page, ".doc-find select")).select_by_visible_text("most errors first")
    settle(page)
    listed = [each.get_attribute("data-id") for each in find_all(page, ".doc-items a")]
    assert listed[:3] == ["doc-0000", "doc-0007", "doc-0014"]
    page.execute_script("document.activeElement.blur()")
    _press(page, Keys.ARROW_RIGHT)
    assert find_one(page, "h1").text == "doc-0007", "the next one is the next in the list"
    assert _said(page) == "#documents&id=doc-0007&find=doc-00&sort=errors"
    page.execute_script("document.querySelector('.doc-items [aria-current]').focus()")
    _press(page, Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ENTER)
    assert find_one(page, "h1").text == "doc-0014"


def test_the_list_shows_where_the_document_is(shown: Any) -> None:
    page = shown("#documents&id=doc-0090", _many(300))
    box, current = (find_one(page, each).rect for each in (".doc-scroll", ".doc-items [aria-current]"))
    assert box["y"] <= current["y"] < current["y"] + current["height"] <= box["y"] + box["height"]


def test_late_answers_do_not_replace_later_ones(shown: Any) -> None:
    page = shown()
    page.execute_script("window.slow = 300; opened.keys.ArrowRight[1](); window.slow = 0;")
    page.execute_script("app.navigate('documents', { id: 'three' })")
    page.execute_async_script("setTimeout(arguments[0], 500)")
    assert find_one(page, "h1").text == "three"
    assert _said(page) == "#documents&id=three"


@pytest.mark.parametrize("width", [360, 390, 800, 1100, 1280, 1920, 2560])
@pytest.mark.parametrize("systems", ["house", "house,tfidf,exact"])
def test_nothing_overflows(shown: Any, width: int, systems: str) -> None:
    page = shown(f"#documents&id=one&systems={systems}&at=9-15,28-34", width=width)
    assert page.execute_script("return document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    wide = page.execute_script(
        "return [...document.querySelectorAll('main *')].filter(e => !e.closest('.hidden, .doc-side, .doc-bar') && "
        "e.getClientRects().length && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className)"
    )
    assert wide == []


def test_a_phone_shows_one_system_at_a_time(shown: Any) -> None:
    page = shown(width=390, height=844)
    assert [each.is_displayed() for each in find_all(page, ".doc-head")] == [True, False]
    assert not find_one(page, ".doc-legend").is_displayed()
    assert find_one(page, ".doc-at").text == "2 errors", "those of the column that is shown"
    click_on(page, next(each for each in find_all(page, ".doc-tabs label") if each.text == "tfidf"))
    assert [each.is_displayed() for each in find_all(page, ".doc-head")] == [False, True]
    assert find_one(page, ".doc-at").text == "4 errors"
    click_on(page, find_one(page, ".doc-cell.c1 .m.v-wrong"))
    assert find_one(page, ".doc-card").value_of_css_property("position") == "fixed"
    card, sign = (find_one(page, each).rect for each in (".doc-card", ".doc-cell.c1 .sign.v-wrong"))
    assert sign["y"] < card["y"], "the card does not lie over the mark"
    click_on(page, find_button(page, "Close", ".doc-card"))
    click_on(page, find_button(page, "Filters"))
    assert find_one(page, ".doc-legend").is_displayed()
    assert not find_one(page, ".doc-side").is_displayed()
    click_on(page, find_button(page, "Documents"))
    assert find_one(page, ".doc-side").is_displayed()
    click_on(page, find_all(page, ".doc-items a")[2])
    assert find_one(page, "h1").text == "three"
    assert not find_one(page, ".doc-side").is_displayed()


def test_print_has_the_text_and_the_legend_alone(shown: Any) -> None:
    """With every system that is shown, although a page of A4 is as narrow as a small screen."""
    page = shown()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for width in (1280, 718):
        resize(page, width, 1000)
        for hidden in (".doc-side", ".doc-tools", ".doc-picks", ".doc-steps", ".doc-turn"):
            assert not find_one(page, hidden).is_displayed()
        assert find_one(page, ".doc-legend").is_displayed()
        for part in (".doc-head", ".doc-row:last-child .doc-cell"):
            assert [each.is_displayed() for each in find_all(page, part)] == [True, True]
        assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def _worked(page: Any) -> float:
    """For how long the page's thread has been at work, in seconds."""
    metrics = page.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(each["value"] for each in metrics if each["name"] == "ThreadTime"))


@pytest.mark.parametrize("columns", [1, 2, 4])
def test_a_full_text_opens_quickly(shown: Any, columns: int) -> None:
    """100 000 characters with 2 000 marks in each column: in 300 ms of the page's own time."""
    chance = random.Random(11)
    words = " ".join(chance.choice(["breast", "cancer", "of", "the", "\U0001f9ec", "diabetes"]) for _ in range(17_000))
    text = "".join(letter if at % 1500 else "\n" for at, letter in enumerate(words))[:100_000]
    marks = []
    for _ in range(2000):
        start = chance.randrange(len(text) - 40)
        end = start + chance.randrange(3, 40)
        verdicts = [answer(chance.choice([RIGHT, WRONG, MISSED, "optional"]), "t:1") for _ in range(4)]
        marks.append(mark(text[start:end], [[start, end]], verdicts, [["t:2"]], id=str(len(marks))))
    marks.sort(key=lambda m: (m["spans"][0][0], -m["spans"][-1][1]))
    passages = [["paragraph", at, 1500] for at in range(0, len(text), 1500)]
    labels = ("house", "tfidf", "exact", "fuzzy")
    rows = [row(each, None, None, None, None) for each in ("one", "three")]
    full = document(text, marks, NAMES, passages=passages)
    answers = {"cohort": cohort(*labels), "rows": rows, "documents": {"one": full, "three": document(TEXT, [], NAMES)}}
    systems = ",".join(labels[:columns])
    page = shown(f"#documents&id=three&systems={systems}", answers)
    page.execute_cdp_cmd("Performance.enable", {"timeDomain": "threadTicks"})
    spent = []
    for _ in range(3):
        begun = _worked(page)
        page.execute_async_script(
            "const [systems, done] = arguments; opened.restore({ systems, id: 'one' })"
            ".then(() => requestAnimationFrame(() => setTimeout(done)))", systems,
        )  # fmt: skip
        spent.append(_worked(page) - begun)
        page.execute_async_script("opened.restore({ systems: arguments[0], id: 'three' }).then(arguments[1])", systems)
    print(f"\n{columns}: {[round(1000 * each) for each in spent]} ms")
    assert min(spent) < 0.3
    page.execute_async_script("opened.restore({ systems: arguments[0], id: 'one' }).then(arguments[1])", systems)
    errors = int(find_one(page, ".doc-at").text.split()[0].replace(",", ""))
    _press(page, "k")
    assert find_one(page, ".doc-at").text == f"{errors:,} of {errors:,} errors", "the end is drawn when it is asked for"
    assert find_one(page, ".sign.v-wrong:focus, .sign.v-missed:focus").is_displayed()
    page.execute_async_script("setTimeout(arguments[0], 1500)")
    assert len(find_all(page, ".doc-cell.c0 .sign")) == 2000
    script = "return [...document.querySelectorAll('.doc-cell.c0')].map(e => e.textContent).join('')"
    assert page.execute_script(script) == text
