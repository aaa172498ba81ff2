from __future__ import annotations

from pathlib import Path

import pytest

from linkassay.errors import DataError
from linkassay.files import expand_paths
from linkassay.formats.documents import mutation_json
from tests.conftest import ROOT
from tests.helpers import raw, reading

SAMPLES = ROOT / "tests" / "samples" / "mutationjson"


def test_sample() -> None:
    first, second = mutation_json.read(expand_paths([SAMPLES]), reading())
    assert [(m.text, m.type, m.raw, m.gold) for m in first.annotations] == [
        ("L10P", "variant", "1800470", (frozenset({"dbsnp:rs1800470"}),)),
        ("TGFB1", "gene", "7040", (frozenset({"ncbigene:7040"}),)),
        ("-9 T>C", "variant", "", ()),
    ]
    assert (second.id, second.annotations) == ("102", ())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "m.json:1: not valid JSON (Expecting property name enclosed in double quotes)"),
        ("{}", "m.json: value: 'documents' is missing, found {}"),
        ('{"documents": [{}]}', "m.json: documents[0]: 'document' is missing, found {}"),
        (
            '{"documents": [{"document": {"ID": "1", "text": "ab", "entities": [{"begin": 0}]}}]}',
            "m.json: documents[0].document.entities[0]: 'end' is missing, found {\"begin\": 0}",
        ),
        (
            '{"documents": [{"document": {"ID": 1, "text": "ab", "entities": [{"begin": 0, "end": 1, "text": "b"}]}}]}',
            "m.json: the text at the span differs from the annotation's; document 1, span 0-1; found 'a', "
            "expected 'b' (use --skip-bad to leave such annotations out, counted)",
        ),
    ],
)
def test_broken(text: str, message: str) -> None:
    with pytest.raises(DataError) as error:
        list(mutation_json.read([raw("m.json", text)], reading()))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "documents", "annotations", "variants", "with_snp"),
    [
        ("thomas", 296, 527, 527, 527),
        ("osiris", 105, 1220, 531, 242),
        ("tmvarnorm", 158, 672, 672, 672),
        ("mutationCoreference", 343, 2386, 2386, 1814),
    ],
)
def test_real_files(shared: Path, name: str, documents: int, annotations: int, variants: int, with_snp: int) -> None:
    how = reading()
    how.merge = False
    found = list(mutation_json.read(expand_paths([shared / f"corpora/snp_osiris/{name}.json.gz"]), how))
    mentions = [m for d in found for m in d.annotations]
    assert len(found) == documents
    assert len(mentions) == annotations
    assert sum(m.type != "gene" for m in mentions) == variants
    assert sum(any(i.startswith("dbsnp:rs") for i in m.ids) for m in mentions) == with_snp
