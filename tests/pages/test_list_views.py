"""The views of mentions and cases in a browser, over a feed that is set up: paging, keys, addresses, late answers."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from tests.browser import choose, click_on, find_all, find_button, find_one, resize, settle
from tests.pages.list_views import CASE, COHORT, ENTRY, NAMES, SYSTEMS, asked, open_list
from tests.report_helpers import HOSTILE


@pytest.fixture
def page(driver: Any) -> Any:
    """A browser in whose console there is no message at the end."""
    yield driver
    assert driver.get_log("browser") == []


def _press(page: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(page).send_keys(*keys).perform()
    settle(page)


def _click(page: Any, label: str) -> None:
    click_on(page, find_button(page, label))


def _pick(page: Any, label: str, value: str) -> None:
    choose(page, label, value)
    settle(page)


def _go(page: Any, address: str) -> None:
    page.execute_script("location.hash = arguments[0]", address)
    settle(page)


def _listed(page: Any) -> list[str]:
    return list(
        page.execute_script("return [...document.querySelectorAll('.list .mention-text')].map(e => e.textContent)")
    )


def _where(page: Any) -> str:
    return str(find_one(page, ".where").text)


def _shown(page: Any) -> str:
    return str(find_one(page, ".context mark").text)


# ---- the list


def test_rows_are_asked_for_a_page_at_a_time(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any")
    assert find_one(page, ".tally").text == "250 mentions of 250 scored."
    assert len(_listed(page)) == 100
    assert find_one(page, ".pager span").text == "1–100 of 250"
    assert not find_button(page, "Previous page").is_enabled()
    _click(page, "Next page")
    assert (_where(page), _shown(page)) == ("101 of 250", "text 100")
    assert _listed(page) == [f"text {n}" for n in range(100, 200)]
    _click(page, "Last page")
    assert (_where(page), len(_listed(page))) == ("201 of 250", 50)
    assert not find_button(page, "Next page").is_enabled()
    assert page.switch_to.active_element.get_attribute("aria-label") == "First page"  # that pressed can do no more
    _press(page, "k")
    assert (_where(page), _shown(page)) == ("200 of 250", "text 199")
    _press(page, "j")
    assert (_where(page), _shown(page)) == ("201 of 250", "text 200")
    assert [(each["offset"], each["limit"]) for each in asked(page, "mentions")] == [
        ("0", "100"), ("100", "100"), ("200", "100"), ("100", "100"), ("200", "100"),
    ]  # fmt: skip


def test_a_million_mentions_are_looked_through(page: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    open_list(page, tmp_path, "mentions", "#mentions&outcome=any", size=1_000_000)
    assert find_one(page, ".tally").text == "1,000,000 mentions of 1,000,000 scored."
    find_one(page, ".list [aria-current]").send_keys(Keys.END)
    settle(page)
    assert (_where(page), _shown(page)) == ("1,000,000 of 1,000,000", "text 999999")
    assert page.switch_to.active_element.get_attribute("aria-current") == "true"
    _press(page, Keys.ARROW_UP, Keys.ARROW_UP)
    assert _where(page) == "999,998 of 1,000,000"
    address = page.current_url
    page.get("about:blank")
    page.get(address)
    settle(page)
    assert (_where(page), _shown(page)) == ("999,998 of 1,000,000", "text 999997")
    assert find_one(page, ".list li").get_attribute("aria-posinset") == "999901"
    find_one(page, ".list [aria-current]").send_keys(Keys.HOME)
    settle(page)
    assert (_where(page), _shown(page)) == ("1 of 1,000,000", "text 0")
    assert page.execute_script("return document.querySelectorAll('.list li').length") == 100


def test_headings_say_which_column_is_which_system(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any")
    heads = find_all(page, ".head-marks li")
    assert [head.get_attribute("textContent") for head in heads] == SYSTEMS
    assert all(head.find_elements("css selector", ".glyph") for head in heads)
    marks = find_all(page, ".list li:first-child .mark")
    assert [mark.get_attribute("aria-label") for mark in marks] == ["exact: right", "tfidf: wrong", "house: no answer"]
    for head, mark in zip(heads, marks, strict=True):
        assert abs((head.rect["x"] + head.rect["width"] / 2) - (mark.rect["x"] + mark.rect["width"] / 2)) < 1
    page.execute_script("document.querySelector('.list-scroll').scrollTop = 2000")
    assert abs(find_one(page, ".list-head").rect["y"] - find_one(page, ".list-scroll").rect["y"]) <= 1


def test_of_many_systems_those_asked_for_have_columns(page: Any, tmp_path: Path) -> None:
    systems = [f"system {n}" for n in range(9)]
    entry = ENTRY | {"answers": [ENTRY["answers"][0]] * 9, "tree": None}
    address = "#mentions&system=%3Dsystem%203&outcome=differ&against=%3Dsystem%207"
    open_list(page, tmp_path, "mentions", address, cohort=COHORT | {"systems": systems}, entry=entry)
    assert [head.get_attribute("textContent") for head in find_all(page, ".head-marks li")] == [
        "right for", "system 3", "system 7",
    ]  # fmt: skip
    assert find_one(page, ".list .wide").text == "3/9"
    assert len(find_all(page, ".list li:first-child .mark")) == 2
    assert find_one(page, ".answer .system").text == "system 3"


def test_filters_combine_and_are_in_the_address(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions")
    assert asked(page, "mentions")[-1] == {"run": ["mini/one"], "outcome": "missed", "offset": "0", "limit": "100"}
    _pick(page, "Type", "gene")
    _pick(page, "Order", "text, Z–A")
    find_one(page, ".filters input").send_keys("text 1")
    settle(page)
    page.execute_async_script("setTimeout(arguments[0], 250)")  # what is typed is looked for after a pause
    settle(page)
    last = asked(page, "mentions")[-1]
    assert {k: last[k] for k in ("outcome", "type", "sort", "find")} == {
        "outcome": "missed", "type": "=gene", "sort": "-text", "find": "text 1",
    }  # fmt: skip
    assert page.current_url.endswith("#mentions&type=%3Dgene&find=text%201&sort=-text&run=mini/one")
    assert len([each for each in asked(page, "mentions") if "find" in each]) == 1  # not at every key
    listed = _listed(page)
    assert listed[0] == "text 199"
    _click(page, "only this document")
    assert find_one(page, ".chip").text == "document doc-19 ✕"
    assert _listed(page) == [f"text {n}" for n in (199, 197, 195, 193, 191)]
    _click(page, "Only document")
    assert _listed(page) == listed
    _click(page, "Reset")
    assert page.current_url.endswith("#mentions&run=mini/one")
    assert find_one(page, ".filters input").get_attribute("value") == ""


def test_what_asks_for_two_systems_names_both(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions")
    _pick(page, "Other system", "tfidf")
    last = asked(page, "mentions")[-1]
    assert (last["system"], last["outcome"], last["against"]) == ("=exact", "ahead", "=tfidf")
    _pick(page, "Outcome", "wrong")
    assert "against" not in asked(page, "mentions")[-1]
    labels = [label.text.split("\n")[0] for label in find_all(page, ".filters label") if label.is_displayed()]
    assert labels == ["System", "Outcome", "Other system", "Type", "Slice", "Order", "Find"]
    _pick(page, "Outcome", "orthogonal")
    _pick(page, "Distance", "2")
    assert asked(page, "mentions")[-1]["distance"] == "2"
    _pick(page, "Outcome", "wrong")
    assert "distance" not in page.current_url


def test_an_address_opens_what_it_names_wherever_it_is(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any&at=m234")
    assert (_where(page), _shown(page)) == ("235 of 250", "text 234")
    _go(page, "#mentions&outcome=any&at=m7")
    assert (_where(page), _shown(page)) == ("8 of 250", "text 7")
    _go(page, "#mentions&outcome=any&at=m9")
    assert _shown(page) == "text 9"
    assert len(asked(page, "mentions")) == 2  # the rows are there
    page.back()
    settle(page)
    assert _shown(page) == "text 7"
    page.back()
    settle(page)
    assert (_where(page), _shown(page)) == ("235 of 250", "text 234")
    page.forward()
    settle(page)
    assert _shown(page) == "text 7"
    _go(page, "#mentions&system=%E0%A4%A&type=none&nonsense&at=<b>&outcome=toString&sort=constructor")
    assert _where(page) == "1 of 250"
    assert asked(page, "mentions")[-1]["outcome"] == "missed"


def test_keys_and_focus(page: Any, tmp_path: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    open_list(page, tmp_path, "mentions", "#mentions&outcome=any")
    _press(page, "j", "j", "k")
    assert (_where(page), _shown(page)) == ("2 of 250", "text 1")
    assert find_one(page, "#status").text == "2 of 250: text 1"
    click_on(page, find_all(page, ".list button")[4])
    assert _where(page) == "5 of 250"
    assert page.switch_to.active_element.get_attribute("aria-current") == "true"
    _press(page, "j")
    assert page.switch_to.active_element.text.startswith("text 5")
    _press(page, Keys.PAGE_DOWN)
    assert (_where(page), page.switch_to.active_element.text[:7]) == ("16 of 250", "text 15")
    assert [e.get_attribute("tabindex") for e in find_all(page, ".list button")].count("0") == 1
    _press(page, "/")
    assert page.switch_to.active_element == find_one(page, ".filters input")
    _press(page, "jk", Keys.ENTER)
    assert find_one(page, ".empty").text == "No mention passes these filters."
    assert find_all(page, ".list li") == []
    assert find_one(page, ".tally").text == "0 mentions of 250 scored."
    assert find_one(page, ".tally").get_attribute("aria-live") == "polite"


# ---- waiting


def test_late_answers_are_not_shown(page: Any, tmp_path: Path) -> None:
    """Even of a feed that goes on after it was told to stop."""
    control = {"deaf": True, "wait": {"text 1": 600, "m1": 600}}
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any", control=control)
    _go(page, "#mentions&outcome=any&find=text%202")
    page.execute_script("location.hash = '#mentions&outcome=any&find=text%201'")
    page.execute_async_script("setTimeout(arguments[0], 100)")
    assert find_one(page, ".list-pane").get_attribute("aria-busy") == "true"
    _go(page, "#mentions&outcome=any&find=text%203")
    page.execute_async_script("setTimeout(arguments[0], 800)")
    assert _listed(page)[:2] == ["text 3", "text 30"]
    _go(page, "#mentions&outcome=any")
    assert _shown(page) == "text 0"
    page.execute_script("control.asked.length = 0")
    _press(page, "j", "j")
    page.execute_async_script("setTimeout(arguments[0], 800)")
    assert [each["id"] for each in asked(page, "mention")] == ["m1", "m2"]
    assert _shown(page) == "text 2"


def test_waiting_shows_only_where_it_lasts(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any")
    opacity = "return Number(getComputedStyle(document.querySelector('.list-scroll')).opacity)"
    page.execute_script("control.wait.mentions = 1200; location.hash = '#mentions&outcome=any&sort=text'")
    page.execute_async_script("setTimeout(arguments[0], 100)")
    assert page.execute_script(opacity) == 1
    page.execute_async_script("setTimeout(arguments[0], 700)")
    assert page.execute_script(opacity) < 0.6
    settle(page)
    assert page.execute_script(opacity) == 1


def test_an_error_is_said_and_can_be_tried_again(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any", control={"fail": f"The disk {HOSTILE} is full."})
    assert f"The disk {HOSTILE} is full." in find_one(page, ".trouble").text
    assert not find_one(page, ".steps").is_displayed()
    page.execute_script("control.fail = ''")
    _click(page, "Try again")
    assert (_where(page), _shown(page)) == ("1 of 250", "text 0")
    page.execute_script("control.fail = 'Gone.'")
    _press(page, "j")
    assert find_one(page, ".detail .trouble p").text == "Gone."
    assert len(_listed(page)) == 100
    page.execute_script("control.fail = ''")
    _click(page, "Try again")
    assert _shown(page) == "text 1"


# ---- cards


def test_a_card_says_what_there_is(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any&system=%3Dtfidf")
    assert find_one(page, ".gold").text.splitlines() == ["Gold", "type 2 diabetes t:3", "The corpus says t:9, now t:3."]
    assert [e.text for e in find_all(page, ".answer .system")] == ["tfidf", "exact", "house"]  # the one asked for first
    first = find_one(page, ".answer").text.splitlines()
    assert first[:3] == ["tfidf", "✕ wrong", "Because. In the hierarchy: overspecific, distance 1."]
    assert first[-1] == "6 further candidates are not shown."
    right = find_all(page, ".answer")[1]
    assert [e.text for e in right.find_elements("css selector", ".has-gold .entity")] == ["type 2 diabetes t:3"]
    assert "not in the knowledge base t:5" in right.text
    assert [e.text for e in right.find_elements("css selector", ".rank")] == ["1", "2"]
    assert [tag.text for tag in find_all(page, ".meta .tag")] == ["disease", "zero-shot"]
    link = find_button(page, "open the document")
    assert link.get_attribute("hash") == "#documents&id=doc-0&at=m0&systems=tfidf&run=mini/one"


def test_a_tree_has_the_common_ancestor_on_top(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any")
    rows = [row.text.split("\n") for row in find_all(page, ".tree-lines li")]
    assert rows == [
        ["disease t:1"], ["diabetes mellitus t:2", "tfidf"], ["type 2 diabetes t:3", "gold", "exact"],
        ["infection t:4", "house"],
    ]  # fmt: skip
    assert [line.text for line in find_all(page, ".tree figcaption li")] == [
        "tfidf: diabetes mellitus lies 1 step above gold: less specific.",
        "house: infection is 2 up from gold and 1 down again; they meet in disease.",
    ]
    left = [row.rect["x"] for row in find_all(page, ".tree-entity")]
    assert left[0] < left[1] == left[3] < left[2]
    for knot, label in zip(find_all(page, ".knot"), find_all(page, ".tree-entity"), strict=True):
        middle = knot.rect["y"] + knot.rect["height"] / 2
        assert abs(middle - label.rect["y"] - label.rect["height"] / 2) < 3
        assert knot.rect["x"] + knot.rect["width"] < label.rect["x"]
    apart = [{"id": "t:3", "depth_from_top": 0, "gold": True, "said": []},
             {"id": "t:4", "depth_from_top": 0, "gold": False, "said": [2]}]  # fmt: skip
    entry = ENTRY | {"tree": {"nodes": apart, "edges": []}}
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any", entry=entry)
    assert find_one(page, ".tree figcaption").text == "house: infection has no ancestor in common with gold."
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any", entry=ENTRY | {"tree": None})
    assert find_all(page, ".tree") == []


@pytest.mark.parametrize("seed", range(4))
def test_any_tree_is_drawn_whole(page: Any, tmp_path: Path, seed: int) -> None:
    """Each entity once and below one of its parents, each edge once; deep ones fit a phone."""
    chance = random.Random(seed)
    n = 24
    ids = [f"x:{at}" for at in range(n)]
    above = {at: sorted(chance.sample(range(at), min(at, chance.randint(1, 2)))) for at in range(n)}
    if seed == 3:  # a single line, as deep as it can be
        above = {at: [at - 1] if at else [] for at in range(n)}
    depth: dict[int, int] = {}
    for at in range(n):
        depth[at] = 1 + max((depth[p] for p in above[at]), default=-1)
    nodes = [{"id": ids[at], "depth_from_top": depth[at], "gold": at == n - 1, "said": [1] if at == n - 2 else []}
             for at in sorted(range(n), key=lambda at: (depth[at], at))]  # fmt: skip
    tree = {"nodes": nodes, "edges": [[ids[at], ids[p]] for at in range(n) for p in above[at]]}
    entry = ENTRY | {"tree": tree, "names": NAMES | {i: f"a rather long name of the entity {i}" for i in ids}}
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any", entry=entry)
    order = [row.text for row in find_all(page, ".tree-lines .entity-id")]
    assert sorted(order) == sorted(ids)
    for at in range(n):
        if above[at]:
            assert min(order.index(ids[p]) for p in above[at]) < order.index(ids[at])
    assert len(find_all(page, ".branch")) == len(tree["edges"])
    left = {row.text: row.rect["x"] for row in find_all(page, ".tree-entity")}
    by_depth = {(depth[int(name.rpartition(":")[2])], round(x)) for name, x in left.items()}
    assert len(by_depth) == len({each for each, _ in by_depth})
    resize(page, 360, 800)
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert min(row.rect["width"] for row in find_all(page, ".tree-entity")) > 40
    inside = find_all(page, ".tree-entity, .tree-said, .tree-gold")
    assert all(each.rect["x"] + each.rect["width"] < 360 for each in inside)


def test_hostile_text_is_text(page: Any, tmp_path: Path) -> None:
    systems = [HOSTILE, "__proto__", "‮abc"]
    names = {"t:1": HOSTILE, "t:2": HOSTILE, "t:3": "<img src=x onerror=alert(1)>", "t:4": "", "t:5": None}
    cohort = COHORT | {
        "systems": systems, "types": [HOSTILE, "constructor"], "slices": [HOSTILE], "slice_names": {HOSTILE: HOSTILE},
    }  # fmt: skip
    answers = [each | {"why": HOSTILE} for each in ENTRY["answers"]]
    entry = ENTRY | {"names": names, "changed": [[HOSTILE, [HOSTILE]]], "answers": answers}
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any", cohort=cohort, entry=entry, texts={"0": HOSTILE})
    assert _listed(page)[0] == HOSTILE
    assert _shown(page) == HOSTILE
    assert HOSTILE in find_one(page, ".tree").text
    assert [head.get_attribute("textContent") for head in find_all(page, ".head-marks li")] == systems
    _pick(page, "System", HOSTILE)
    _pick(page, "Type", "constructor")
    assert asked(page, "mentions")[-1]["type"] == "=constructor"
    assert asked(page, "mentions")[-1]["system"] == f"={HOSTILE}"
    assert page.execute_script("return document.querySelectorAll('img, .browser script').length") == 0
    assert find_one(page, ".answer .system").text == HOSTILE


@pytest.mark.parametrize("view", ["mentions", "cases"])
@pytest.mark.parametrize("width", [360, 390, 800, 1280, 2560])
def test_nothing_overflows(page: Any, tmp_path: Path, view: str, width: int) -> None:
    texts = {"0": "a very long mention " * 20, "1": "x" * 300}
    open_list(page, tmp_path, view, texts=texts)
    resize(page, width, 900)
    if width < 760:
        assert not find_one(page, ".filters label:not([hidden]) select").is_displayed()
        _click(page, "Filters")
        assert find_one(page, ".filters label:not([hidden]) select").is_displayed()
        assert find_one(page, ".more-filters").get_attribute("aria-expanded") == "true"
    wide = page.execute_script(
        "return [...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1"
        " && !e.closest('.mention-text, .mention-whence')).map(e => e.tagName + '.' + e.getAttribute('class'))"
    )
    assert wide == []
    assert page.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_lists_and_controls_have_names(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any")
    nameless = page.execute_script(
        "return [...document.querySelectorAll('button, a, input, select, [role=img], nav, figure, article, form')]"
        ".filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length))"
        ".map(e => e.outerHTML)"
    )
    assert nameless == []
    assert len(find_all(page, "h1")) == 1
    assert find_one(page, ".list").aria_role == "list"
    item = find_all(page, ".list li")[3]
    assert (item.aria_role, item.get_attribute("aria-setsize"), item.get_attribute("aria-posinset")) == (
        "listitem", "250", "4",
    )  # fmt: skip
    assert len(find_all(page, ".list [aria-current]")) == 1


# ---- cases


def test_cases_by_system_nil_and_what_they_count_as(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "cases", "#cases&system=%3Dtfidf&counted=all_fp")
    assert asked(page, "cases")[-1] == {
        "run": ["mini/one"], "system": "=tfidf", "nil": "ignored", "counted": "all_fp", "offset": "0", "limit": "100",
    }  # fmt: skip
    assert asked(page, "case")[-1] == {"run": ["mini/one"], "system": "=tfidf", "nil": "ignored", "id": "c0"}
    assert find_one(page, ".tally").text == "250 cases of 250."
    assert [head.get_attribute("textContent") for head in find_all(page, ".head-marks li")] == [
        "linking",
        "recognition",
    ]
    assert [mark.get_attribute("aria-label") for mark in find_all(page, ".list li:first-child .mark")] == [
        "linking: false negative and false positive", "recognition: true positive",
    ]  # fmt: skip
    assert find_one(page, ".gold").text.splitlines() == ["Gold", "type 2 diabetes t:3"]
    assert find_one(page, ".answer").text.splitlines() == [
        "tfidf", "diabetes mellitus t:2 tied with not in the knowledge base t:5", "The span is right.",
        "linking", "✕ false negative and false positive", "recognition", "✓ true positive",
    ]  # fmt: skip
    assert "Errors avoided: mention missed: lower-cased." in find_one(page, ".detail").text
    assert find_all(page, ".meta .tag") == []
    _press(page, "j", "j")
    assert [tag.text for tag in find_all(page, ".meta .tag")] == ["mention missed: lower-cased"]
    assert "Errors avoided" not in find_one(page, ".detail").text
    _pick(page, "NIL", "required")
    _pick(page, "System", "exact")
    _pick(page, "Counted as", "mention missed: lower-cased, avoided")
    last = asked(page, "cases")[-1]
    assert (last["system"], last["nil"], last["counted"]) == ("=exact", "required", "ner_lower_avoided")
    assert page.current_url.endswith("#cases&nil=required&counted=ner_lower_avoided&run=mini/one")
    address = page.current_url
    page.get("about:blank")
    page.get(address)
    settle(page)
    assert asked(page, "cases")[-1]["counted"] == "ner_lower_avoided"


@pytest.mark.parametrize(
    ("gold", "said", "shown"),
    [(None, ["t:2"], "no mention here"), (["t:2"], None, "nothing predicted here"), ([], [], "NIL: not in the")],
)
def test_a_case_without_gold_or_answer(page: Any, tmp_path: Path, gold: Any, said: Any, shown: str) -> None:
    open_list(page, tmp_path, "cases", entry=CASE | {"gold": gold, "said": said})
    assert shown in find_one(page, ".detail").text


def test_text_that_is_not_held_is_said_to_be_missing(page: Any, tmp_path: Path) -> None:
    open_list(page, tmp_path, "mentions", "#mentions&outcome=any", control={"blank": True})
    assert find_one(page, ".detail").text.splitlines()[-1] != ""
    assert "The text of this corpus is not shown here." in find_one(page, ".detail").text
