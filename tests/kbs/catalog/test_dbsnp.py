from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from unittest import mock

import pyarrow as pa
import pytest

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths
from linkassay.kbs.catalog import dbsnp
from linkassay.kbs.catalog.dbsnp import SPEC, read_records
from linkassay.sources import matching_files
from tests.conftest import ROOT
from tests.helpers import raw

SAMPLES = ROOT / "tests" / "samples" / "kbs" / "dbsnp"


def read(file: str | RawFile, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The rows of each table as tuples."""
    found: dict[str, list[tuple[object, ...]]] = {}
    for batch in read_records(expand_paths([SAMPLES / file])[0] if isinstance(file, str) else file, options or {}):
        for name, table in batch.items():
            assert isinstance(table, pa.Table)
            found.setdefault(name, []).extend(tuple(row.values()) for row in table.to_pylist())
    return found


def test_names_are_the_number_and_the_forms_of_other_alleles() -> None:
    assert read("refsnp-chr8.json")["names"] == [
        ("dbsnp:rs328", "rs328", "rs", True),
        ("dbsnp:rs328", "NC_000008.11:g.19962213C>G", "hgvs g", False),
        ("dbsnp:rs328", "NC_000008.10:g.19819724C>G", "hgvs g", False),
        ("dbsnp:rs328", "NM_000237.2:c.1421C>G", "hgvs c", False),
        ("dbsnp:rs328", "NP_000228.1:p.Ser474Ter", "hgvs p", False),
        ("dbsnp:rs900100", "rs900100", "rs", True),
        ("dbsnp:rs900100", "NP_077734.2:p.Ser398fs", "hgvs p", False),
    ]


def test_variant_type_and_genes() -> None:
    found = read("refsnp-chr8.json")
    assert found["entities"] == [
        ("dbsnp:rs328", "variant", "snv", "", "ncbigene:4023", False),
        ("dbsnp:rs900100", "variant", "delins", "", "", False),
    ]
    assert found["xrefs"] == [("dbsnp:rs328", "ncbigene:4023"), ("dbsnp:rs328", "ncbigene:900007")]
    assert found["foreign"] == [("ncbigene:4023", "LPL"), ("ncbigene:900007", "LPL-AS")]


def test_options_for_predicted_and_bare_forms() -> None:
    predicted = [n[1] for n in read("refsnp-chr8.json", {"predicted": True})["names"]]
    assert "XM_005273583.1:c.1421C>G" in predicted
    bare = [n[1] for n in read("refsnp-chr8.json", {"bare": True, "predicted": True})["names"] if n[0] == "dbsnp:rs328"]
    assert bare == ["rs328", "g.19962213C>G", "g.19819724C>G", "c.1421C>G", "p.Ser474Ter"]


def test_history() -> None:
    assert read("refsnp-chr8.json")["history"] == [
        ("dbsnp:rs1803924", "dbsnp:rs328"),
        ("dbsnp:rs3735961", "dbsnp:rs328"),
    ]
    assert read("refsnp-merged.json") == {
        "history": [
            ("dbsnp:rs77", "dbsnp:rs1569035306"),
            ("dbsnp:rs1569035306", "dbsnp:rs28735595"),
            ("dbsnp:rs1569035306", "dbsnp:rs202238012"),
            ("dbsnp:rs900101", ""),
        ]
    }
    assert read("refsnp-withdrawn.json") == {"history": [("dbsnp:rs900102", "")]}
    assert read("refsnp-unsupported.json") == {"history": [("dbsnp:rs900103", "")]}


def test_variant_on_no_sequence_has_its_number_only() -> None:
    found = read("refsnp-nosnppos.json")
    assert found["names"] == [("dbsnp:rs900104", "rs900104", "rs", True)]
    assert found["entities"] == [("dbsnp:rs900104", "variant", "", "", "", False)]


def test_every_file_has_a_part() -> None:
    files = expand_paths([SAMPLES])
    assert sorted(f.name for part in SPEC.parts for f in matching_files(files, part.files)) == sorted(
        f.name for f in files
    )


def test_batches_of_any_size_give_the_same_rows() -> None:
    whole = read("refsnp-chr8.json")
    with mock.patch.object(dbsnp, "RECORDS", 1):
        assert read("refsnp-chr8.json") == whole
    assert read(raw("refsnp-chr8.json", "\n")) == {}


def record(**changes: Any) -> str:
    text = (SAMPLES / "refsnp-chr8.json").read_text(encoding="utf-8").splitlines()[0]
    data = json.loads(text)
    for path, value in changes.items():
        *way, last = path.split("__")
        at = data
        for step in way:
            at = at[int(step)] if step.isdigit() else at[step]
        if value is None:
            del at[last]
        else:
            at[last] = value
    return json.dumps(data) + "\n"


ALLELE = "primary_snapshot_data__placements_with_allele__0__alleles__1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{\n", "r:1: not valid JSON (Expecting property name enclosed in double quotes)"),
        ("[" * 100_000, "r:1: not valid JSON (nested too deeply)"),
        (record() + "\n\n[]\n", "r:4: not a RefSNP record: a text, list or object is not where it should be "
                                "(list indices must be integers or slices, not str)"),
        (record(refsnp_id=None), "r:1: not a RefSNP record: 'refsnp_id' is missing"),
        (record(refsnp_id="rs1"),
         "r:1: not a RefSNP record: the number of a RefSNP is 'rs1', expected a whole number"),
        (record(primary_snapshot_data=None), "r:1: not a RefSNP record: 'primary_snapshot_data' is missing"),
        (record(primary_snapshot_data__allele_annotations=None),
         "r:1: not a RefSNP record: 'allele_annotations' is missing"),
        (record(primary_snapshot_data__variant_type="snv\ud800"),
         "r:1: not a RefSNP record: 'snv\\ud800' is not ASCII"),
        (record(**{ALLELE + "__hgvs": "C>G"}),
         "r:1: not a RefSNP record: hgvs is 'C>G', expected 'sequence:change'"),
        (record(**{ALLELE + "__hgvs": 5}),
         "r:1: not a RefSNP record: a text, list or object is not where it should be "
         "('int' object is not subscriptable)"),
        (record(dbsnp1_merges=[{"merged_rsid": True}]),
         "r:1: not a RefSNP record: the number of a RefSNP is 'True', expected a whole number"),
        ('{"refsnp_id":"5","merged_snapshot_data":{"merged_into":"12"}}',
         "r:1: not a RefSNP record: a text, list or object is not where it should be (merged_into is no list)"),
    ],
)  # fmt: skip
def test_broken_files(text: str, message: str) -> None:
    with pytest.raises(DataError) as caught:
        read(raw("r", text))
    assert str(caught.value) == message
