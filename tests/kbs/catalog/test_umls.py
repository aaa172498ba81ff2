from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths, from_bytes
from linkassay.kbs.catalog.umls import SPEC, read_concepts, read_definitions, read_relations, read_retired, read_types
from linkassay.kbs.readers import delimited
from linkassay.kbs.schema import KbReader
from linkassay.kbs.semantic_groups import GROUPS, RETIRED, group_of, semantic_groups_of
from linkassay.sources import matching_files
from tests.conftest import ROOT
from tests.helpers import raw

SAMPLES = ROOT / "tests" / "samples" / "kbs" / "umls"


def read(reader: KbReader, file: str | RawFile, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The rows of each table as tuples."""
    found: dict[str, list[tuple[object, ...]]] = {}
    for batch in reader(expand_paths([SAMPLES / file])[0] if isinstance(file, str) else file, options or {}):
        assert isinstance(batch, dict)
        for name, table in batch.items():
            assert isinstance(table, pa.Table)
            found.setdefault(name, []).extend(tuple(row.values()) for row in table.to_pylist())
    return found


def test_english_names_each_once_the_preferred_one_primary() -> None:
    found = read(read_concepts, "MRCONSO.RRF")
    assert found["names"] == [
        ("umls:C0004057", "Aspirin", "MSH/MH", True),
        ("umls:C0004057", "aspirin", "MSH/ET", False),
        ("umls:C0004057", "ASA - made-up label", "MTH/PN", False),
        ("umls:C0036572", "Seizure", "HPO/PT", True),
        ("umls:C0036572", 'Seizures "fits"', "OMIM/PTCS", False),
        ("umls:C0036572", "Fits, in text", "OMIM/ETAL", False),
    ]
    assert [e[:2] for e in found["entities"]] == [("umls:C0004057", "umls"), ("umls:C0036572", "umls")]


def test_codes_of_known_sources_are_links() -> None:
    assert read(read_concepts, "MRCONSO.RRF")["xrefs"] == [
        ("umls:C0004057", "rxnorm:1191"),
        ("umls:C0004057", "mesh:D001241"),
        ("umls:C0004057", "ncit:C287"),
        ("umls:C0036572", "hp:0001250"),
        ("umls:C0036572", "omim:121200"),
    ]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({"language": "SPA"}, [("aspirina", True)]),
        ({"language": "SPA,FRE"}, [("aspirina", True), ("Tumeurs", True)]),
        ({"sources": "NCI"}, [("Aspirin", True)]),
        ({"sources": ("NCI",), "suppressible": True}, [("Aspirin", True), ("old aspirin name", False)]),
        ({"sources": ["RXNORM", "OMIM"]}, [("aspirin", True), ('Seizures "fits"', True), ("Fits, in text", False)]),
        ({"sources": "NONE"}, []),
    ],
)
def test_options_choose_names(options: dict[str, Any], names: list[tuple[str, bool]]) -> None:
    found = read(read_concepts, "MRCONSO.RRF", dict(SPEC.options) | options)
    assert [(n[1], n[3]) for n in found["names"]] == names
    assert {e[0] for e in found["entities"]} == {n[0] for n in found["names"]}


ATOMS = st.tuples(
    st.integers(0, 4), st.sampled_from(["P", "S"]), st.sampled_from(["PF", "VO"]), st.sampled_from("YN"),
    st.sampled_from(["MSH", "NCI"]), st.sampled_from(["a", "A", "b c", "ß"]), st.sampled_from("NOY"),
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(atoms=st.lists(ATOMS, max_size=40).map(lambda atoms: sorted(atoms, key=lambda a: a[0])))
def test_names_as_a_plain_loop_finds_them(atoms: list[tuple[Any, ...]]) -> None:
    expected = []
    for concept in range(5):
        own = [a for a in atoms if a[0] == concept and a[6] == "N"]
        own.sort(key=lambda a: (a[1] != "P", a[2] != "PF", a[3] != "Y"))
        seen: set[str] = set()
        for at, (_, ts, stt, preferred, source, string, _) in enumerate(own):
            if string not in seen:
                primary = at == 0 and (ts, stt, preferred) == ("P", "PF", "Y")
                expected.append((f"umls:C{concept}", string, f"{source}/PT", primary))
            seen.add(string)
    lines = "".join(
        f"C{concept}|ENG|{ts}|L|{stt}|S|{preferred}|A||||{source}|PT|x|{string}|0|{suppress}||\n"
        for concept, ts, stt, preferred, source, string, suppress in atoms
    )
    with mock.patch.object(delimited, "BLOCK", 100):
        assert read(read_concepts, raw("MRCONSO.RRF", lines)).get("names", []) == expected


def test_semantic_types_are_categories_and_have_groups() -> None:
    found = read(read_types, "MRSTY.RRF")["entities"]
    assert [(e[0], e[1], e[2]) for e in found] == [
        ("umls:C0004057", "", "T109"),
        ("umls:C0004057", "", "T121"),
        ("umls:C0036572", "", "T184"),
    ]
    assert semantic_groups_of(["T109", "T121"]) == ("CHEM",)
    assert semantic_groups_of(["T184", "T109", "T999"]) == ("CHEM", "DISO")


def test_every_semantic_type_is_in_one_group() -> None:
    current = [type_ for types in GROUPS.values() for type_ in types]
    assert (len(GROUPS), len(current), len(set(current)), len(RETIRED)) == (15, 127, 127, 9)
    assert not RETIRED.keys() & set(current)
    assert set(RETIRED.values()) <= set(GROUPS)
    assert len(group_of) == 136


@pytest.mark.parametrize(
    ("options", "definitions"),
    [
        ({}, ["A drug, in our words.", "A fit, in our words."]),
        ({"definitions": "NCI, MSH"}, ["An own note on a drug.", "A fit, in our words."]),
        ({"definitions": (), "suppressible": True}, ["An own note on a drug.", "Suppressed words."]),
        ({"definitions": ("MSHCZE",), "language": "CZE"}, ["Vlastni popis leku.", "A fit, in our words."]),
    ],
)
def test_one_definition_a_concept(options: dict[str, Any], definitions: list[str]) -> None:
    found = read(read_definitions, "MRDEF.RRF", dict(SPEC.options) | options)["entities"]
    assert [(e[0], e[3]) for e in found] == list(zip(["umls:C0004057", "umls:C0036572"], definitions, strict=True))


def test_parents_in_both_directions_without_loops() -> None:
    assert read(read_relations, "MRREL.RRF")["parents"] == [
        ("umls:C0004057", "umls:C0036077", "PAR"),
        ("umls:C0036572", "umls:C0027763", "PAR"),
    ]
    broader = read(read_relations, "MRREL.RRF", {"broader": True})["parents"]
    assert [p for p in broader if p[2] == "RB"] == [("umls:C0004057", "umls:C0013227", "RB")]


def test_only_a_synonym_succeeds_a_retired_concept() -> None:
    assert set(read(read_retired, "MRCUI.RRF")["history"]) == {
        ("umls:C0000002", "umls:C0007404"),
        ("umls:C0000003", ""),
        ("umls:C0000013", ""),
        ("umls:C0000019", ""),
    }


def test_files_in_parts_are_found() -> None:
    files = [from_bytes(f"META/{name}", b"") for name in ("MRCONSO.RRF.aa", "MRCONSO.RRF.ab", "MRSTY.RRF")]
    assert [[f.name for f in matching_files(files, part.files)] for part in SPEC.parts[:3]] == [
        ["META/MRCONSO.RRF.aa", "META/MRCONSO.RRF.ab"],
        ["META/MRSTY.RRF"],
        [],
    ]


@pytest.mark.parametrize(
    ("reader", "text", "message"),
    [
        (read_types, "C0004057|T109\n",
         "M.RRF:1: expected CUI, TUI, STN, STY, ATUI, CVF with a bar between them, found 'C0004057|T109'"),
        (read_types, "C0004057|T109|A|B|AT1||\nC0004057|T1\n",
         "M.RRF:2: 2 columns where other lines have 7: 'C0004057|T1'"),
        (read_types, "|T109|A|B|AT1||\n", "M.RRF:1: CUI is '', expected a concept such as C0004057"),
        (read_retired, "C0000002|2000AC|SY|||C0007404|Y|\nx|2000AC|SY|||C0007404|Y|\n",
         "M.RRF:2: CUI1 is 'x', expected a concept such as C0004057"),
    ],
)  # fmt: skip
def test_broken_files(reader: KbReader, text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        list(reader(raw("M.RRF", text), {}))
    assert str(caught.value) == message
