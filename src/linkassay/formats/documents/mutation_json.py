"""The JSON that variant corpora are re-released in: one object with documents and their entities.

{"documents": [{"document": {"ID", "text", "entities": [{"begin", "end", "text", "type",
"dbSNP"? | "entrez"?}]}}]}; relations, equivalences and metadata are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from linkassay.files import RawFile
from linkassay.formats.reading import Annotation, Reading
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.ids import IdRule
from linkassay.model import Document

#: Member that holds an entity's id, and what the id is one of.
_IDS = {"dbSNP": IdRule(prefix="dbsnp"), "entrez": IdRule(prefix="ncbigene")}


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield the documents of such JSON files."""
    for file in files:
        for item in parse_json(file.text(reading.encoding), file.name)["documents"].items():
            document = item["document"]
            yield reading.document(
                document["ID"].identifier(),
                [("", 0, document["text"].string())],
                [_annotation(entity) for entity in document.get("entities").items()],
                file=file.name,
            )


def _annotation(entity: JsonValue) -> Annotation:
    raw, rule = "", IdRule()
    for member, its_rule in _IDS.items():
        if member in entity:
            raw, rule = entity[member].identifier(), its_rule
    return Annotation(
        spans=((entity["begin"].integer(), entity["end"].integer()),),
        text=entity["text"].string(),
        type=entity.get("type").string(""),
        raw=raw,
        gold=rule.gold(raw),
    )
