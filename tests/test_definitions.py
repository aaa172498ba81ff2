"""Rules and their citations: every rule that is cited is in docs/definitions, and every rule there is cited by code."""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest
from typer.testing import CliRunner

from linkassay.cli import app
from tests.conftest import ROOT

FOLDER = ROOT / "docs" / "definitions"
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
README = (FOLDER / "README.md").read_text(encoding="utf-8")
HEADING = re.compile(r"^### ([A-Z][A-Z0-9]*-[0-9]+) (\S.*)$", re.M)
#: The documents that rules were cited from before; written in pieces, so that this file does not name them.
GONE = re.compile("SPEC" + r"(\.md\b|[ _]?§)|" + r"\bELEVANT" + r"\.md\b|§[0-9]")


@cache
def defined() -> dict[str, Path]:
    """Rule → its page."""
    return {rule: page for page in PAGES for rule, _ in HEADING.findall(page.read_text(encoding="utf-8"))}


@cache
def tracked() -> list[Path]:
    """All files of the project that are text."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True)  # fmt: skip
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.is_file() and path.suffix not in (".gz", ".parquet", ".png", ".zip")]


@cache
def patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """One citation, and a range of them; of the areas that have rules."""
    areas = "|".join(sorted({rule.rpartition("-")[0] for rule in defined()}))
    return (
        re.compile(rf"(?<![\w-])({areas})-([0-9]+)(?![\w-])"),
        re.compile(rf"(?<![\w-])({areas})-([0-9]+)(?:`|\))? +to +(?:`|\()?({areas})-([0-9]+)(?![\w-])"),
    )


def written(text: str) -> Iterator[tuple[int, str]]:
    """Line and rule of each id that stands there: what a search finds."""
    one, _ = patterns()
    for found in one.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[0]


def citations(text: str) -> Iterator[tuple[int, str]]:
    """Line and rule of each citation; a range cites what lies in it, too, and may go over the end of a line."""
    yield from written(text)
    _, several = patterns()
    for found in several.finditer(re.sub(r"\n(?:[ #:|*>]*)", lambda gap: " " * len(gap[0]), text)):
        if found[1] == found[3]:
            line = text.count("\n", 0, found.start()) + 1
            yield from ((line, f"{found[1]}-{n}") for n in range(int(found[2]) + 1, int(found[4])))


def cited(how: Callable[[str], Iterable[tuple[int, str]]]) -> dict[str, list[str]]:
    """Rule → where it is cited, as `file:line`, in code, tests, benchmarks and docs."""
    found: dict[str, list[str]] = {}
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(("src/", "tests/", "bench/", "docs/")) or "/" not in name:
            for line, rule in how(path.read_text(encoding="utf-8", errors="replace")):
                found.setdefault(rule, []).append(f"{name}:{line}")
    return found


def test_a_rule_has_one_id_and_an_area_one_run_of_numbers() -> None:
    rules = Counter(rule for page in PAGES for rule, _ in HEADING.findall(page.read_text(encoding="utf-8")))
    assert [rule for rule, times in rules.items() if times > 1] == []
    assert len(rules) > 200
    for page in PAGES:  # every heading of that level is a rule
        text = page.read_text(encoding="utf-8")
        assert re.findall(r"^###+ .*$", text, re.M) == [f"### {rule} {title}" for rule, title in HEADING.findall(text)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_index_has_every_page_with_its_areas(page: Path) -> None:
    [row] = re.findall(rf"^\| \[{page.stem}\]\({page.name}\) \| (.*?) \|", README, re.M)
    areas = dict.fromkeys(rule.rpartition("-")[0] for rule, at in defined().items() if at == page)
    assert sorted(re.findall(r"`(\w+)`", row)) == sorted(areas)


def test_what_is_cited_is_defined() -> None:
    unknown = {rule: places for rule, places in cited(citations).items() if rule not in defined()}
    assert unknown == {}, "\n".join(f"{place}: no rule {rule}" for rule, places in unknown.items() for place in places)


def test_what_is_defined_is_cited_by_code() -> None:
    """By its own id: who searches for it finds no range."""
    found = cited(written)
    for rule, page in defined().items():
        home = "bench/" if rule.startswith("SPEED-") else "src/"
        assert any(place.startswith(home) for place in found.get(rule, ())), f"{page.name}: {home} does not cite {rule}"


def test_a_range_cites_what_lies_in_it() -> None:
    text = "as TIE-1 to\n#: TIE-3 say (GOLD-2), not MESH-1, UTF-8 or XTIE-2"
    assert sorted(citations(text)) == [(1, "TIE-1"), (1, "TIE-2"), (2, "GOLD-2"), (2, "TIE-3")]
    assert sorted(written(text)) == [(1, "TIE-1"), (2, "GOLD-2"), (2, "TIE-3")]


def test_nothing_cites_what_is_not_in_the_project() -> None:
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{number}: {line.strip()}"
        for path in tracked()
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
        if GONE.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("what", ["protocols", "measures", "sets", "slices"])
def test_whatever_can_be_asked_for_is_defined(home: Path, what: str) -> None:
    result = CliRunner().invoke(app, ["ls", what, "--json"], catch_exceptions=False)
    names = [row["name"] for row in json.loads(result.stdout)[what]]
    said = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert len(names) > 6
    assert [name for name in names if not re.search(rf"(?<![\w/-]){re.escape(name)}(?![\w/-])", said)] == []
