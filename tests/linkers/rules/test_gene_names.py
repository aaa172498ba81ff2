"""The names of genes by form, against dictionaries of all rows; as they were made and as they were stored."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import linkassay
from linkassay.kbs.building.build import build_kb
from linkassay.linkers.house.name_forms import compact, loose
from linkassay.linkers.rules.gene_names import GeneNames
from linkassay.store import MappedFolder
from linkassay.text import name_key
from tests.kbs.building.test_build import entity, spec

NAMES = ["TNF-α", "TNF alpha", "tnfalpha", "alpha TNF", "IL 2", "IL2", "il-2 receptor", "receptor IL-2", "P53", "+"]
KINDS = ["symbol", "synonym", "full name"]
drawn = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(NAMES), st.sampled_from(KINDS), min_size=1, max_size=4),
        st.sampled_from(["ncbitaxon:9606", "ncbitaxon:10090", ""]),
        st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


def entities_of(rows: list[tuple[dict[str, str], str, bool]]) -> list[dict[str, Any]]:
    """As a knowledge base is built from them."""
    found = []
    for n, (names, taxon, gone) in enumerate(rows):
        more = {"foreign": taxon} if taxon else {}
        found.append(
            entity(f"t:{n}", type="gene", obsolete=gone and n > 0, **more) | {"names": [*map(list, names.items())]}
        )
    return found


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn)
def test_names_by_form(home: Path, tmp_path: Path, rows: list[tuple[dict[str, str], str, bool]]) -> None:
    entities = entities_of(rows)
    build_kb(spec(entities))
    present = {each["id"]: each for each in entities if not each["obsolete"]}
    by_form: dict[str, set[tuple[str, str, str, bool, str]]] = defaultdict(set)
    first: dict[str, str] = {}
    for identifier, each in present.items():
        for n, (name, kind) in enumerate(each["names"]):
            key = name_key(name)
            by_form[compact(key)].add((name, key, kind, n == 0, identifier))
            first[compact(key)] = min(key, first.get(compact(key), key))
    by_words: dict[str, set[str]] = defaultdict(set)
    for form, key in first.items():
        if " " in key:
            by_words[loose(key)].add(form)
    symbol = {identifier: compact(name_key(each["names"][0][0])) for identifier, each in present.items()}
    made = GeneNames.of(linkassay.kb("tiny"))
    folder = tmp_path / "files"
    folder.mkdir(exist_ok=True)
    made.store(MappedFolder(folder))
    for found in (made, GeneNames.opened(MappedFolder(folder))):
        assert list(found.ids) == sorted(present)
        assert found.foreigns == sorted({each.get("foreign", "") for each in present.values()})
        for key in {*map(name_key, NAMES), "2 il", "nothing", "no thing", ""}:
            forms = {compact(key)} if compact(key) in by_form else by_words[loose(key)] if " " in key else set()
            assert {
                (found.names[row], found.keys[found.key[row]], found.kinds[found.kind[row]], found.primary[row],
                 found.ids[found.entity[row]])
                for row in found.rows(key)
            } == {row for form in forms for row in by_form[form]}  # fmt: skip
        for number, identifier in enumerate(found.ids):
            taxon = present[identifier].get("foreign", "")
            assert found.foreign(number) == found.foreign_of_id(identifier) == taxon
            assert {found.ids[n] for n in found.alike(number)} == {
                other for other in present if symbol[other] == symbol[identifier]
            }
            keys = {name_key(name) for name, _ in present[identifier]["names"]}
            assert set(found.phrases(number)) == {key for key in keys if " " in key}
        assert found.foreign_of_id("t:x") == found.foreign_of_id("") == ""
