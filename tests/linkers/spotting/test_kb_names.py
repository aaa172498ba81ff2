"""The names of a knowledge base by pattern, against its rows looked through one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.kbs.building.build import build_kb
from linkassay.linkers.spotting.kb_names import Names, strict
from linkassay.linkers.spotting.word_tokens import tokens, word_forms
from linkassay.store import MappedFolder
from tests.kbs.building.test_build import entity, spec

NAMES = ["gout", "Gout", "GOUT", "gouts", "gouty arthritis", "Gouty-arthritis", "α", "alpha", "12", "WAS", "was", "Ü 2"]
drawn = st.lists(
    st.tuples(
        st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
        st.sampled_from(["disease", "chemical", ""]),
        st.sampled_from(["", "drug"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


def kb_of(rows: list[tuple[list[str], str, str, bool]]) -> list[dict[str, Any]]:
    return [
        entity(f"t:{n}", *names, type=type_, category=category, obsolete=gone and n > 0)
        for n, (names, type_, category, gone) in enumerate(rows)
    ]


def letters(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def expected(entities: list[dict[str, Any]], text: str, types: frozenset[str], fold: bool) -> dict[str, float]:
    """Looked through one by one."""
    found: dict[str, float] = {}
    for each in entities:
        for n, (name, _) in enumerate(each["names"]):
            same = letters(name) == letters(text)
            exact = same or letters(name) == letters(text).removesuffix("s")
            fits = len(name) > 1 and not name.isdigit() and word_forms(name) == word_forms(text)
            wanted = not each["obsolete"] and (not types or each["type"] in types)
            if fits and wanted and (exact or fold or not strict(name)):
                weight = (2.0 if n == 0 else 1.0) * (2.0 if same else 1.0)
                found[each["id"]] = max(weight, found.get(each["id"], 0.0))
    return found


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn, st.sampled_from([frozenset[str](), frozenset(["disease"]), frozenset(["disease", ""])]))
def test_what_names_mean(
    home: Path, tmp_path: Path, rows: list[tuple[list[str], str, str, bool]], types: frozenset[str]
) -> None:
    entities = kb_of(rows)
    build_kb(spec(entities))
    made = Names.of(linkassay.kb("tiny"))
    folder = tmp_path / "files"
    folder.mkdir(exist_ok=True)
    made.store(MappedFolder(folder))
    present = [each for each in entities if not each["obsolete"]]
    by_id = {each["id"]: each for each in present}
    for names in (made, Names.opened(MappedFolder(folder))):
        assert names.types == {each["type"] for each in present}
        assert [each["id"] in names for each in entities] == [each["id"] in by_id for each in entities]
        assert "t:x" not in names
        for text in NAMES:
            pattern = max((spot.pattern for spot in names.phrases.find(list(tokens(text)))), default=0)
            for fold in (True, False):
                assert names.meant(pattern, text, types, fold=fold) == expected(entities, text, types, fold)
            sorts = {names.sort(row) for row in names.rows(pattern)} if pattern else set()
            meant = expected(entities, text, frozenset(), True)
            assert sorts == {(by_id[each]["type"], by_id[each]["category"]) for each in meant}
        for further in (0, 7):  # beyond its patterns
            assert not names.rows(names.phrases.size + further)
