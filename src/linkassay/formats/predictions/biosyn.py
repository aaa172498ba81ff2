"""BioSyn's result files: queries with their mentions, gold ids, and the candidates of each mention.

The file names neither documents nor places. A query becomes a document named by its number, its
mentions are `12#1`, `12#2`…: a composite query has several, and is right when all of them are, so
that the figure for queries is one over documents. Read as predictions, and as a corpus without texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.predictions.claims import Claim, counted
from linkassay.formats.reading import Annotation, Reading
from linkassay.formats.syntax.json_value import JsonValue, parse_json
from linkassay.ids import IdRule, curie
from linkassay.model import Document, Gold, Prediction

#: `read` takes its gold from the predictions of a system, as the manifest of such a corpus says.
OF_PREDICTIONS = "all"

_SEPARATORS = re.compile(r"[|+]")


def read(files: Iterable[RawFile], reading: Reading) -> Iterator[Document]:
    """Yield each query as a document without text; ids joined by `|` or `+` are alternatives, as BioSyn counts."""
    for query, mentions in _queries(files, reading):
        annotations = [
            Annotation((), m["mention"].string(), "", raw := m["golden_cui"].string(), _gold(raw, reading.rule("")),
                       id=name, line=m.line)
            for name, m in mentions.items()
        ]  # fmt: skip
        yield reading.document(query.path, [], annotations, file=query.file, line=query.line, textless=True)


def read_claims(files: Iterable[RawFile], reading: Reading) -> Iterator[Claim]:
    """The candidates of each mention; the ids of one candidate are tied."""
    rule = reading.rule("")
    for query, mentions in _queries(files, reading):
        for name, mention in mentions.items():
            with counted(reading.problems):
                groups = (_ids(c["cui"].string(), rule) for c in mention["candidates"].items())
                kept = tuple(group for group in groups if group)
                yield Claim(query.file, mention.line, Prediction(query.path, (), kept, mention=name),
                            mention["mention"].string())  # fmt: skip


def _queries(files: Iterable[RawFile], reading: Reading) -> Iterator[tuple[JsonValue, dict[str, JsonValue]]]:
    """Each query, its path being its name, with its mentions by name."""
    number = 0
    for file in files:
        for query in parse_json(file.text(reading.encoding), file.name)["queries"].items():
            number += 1
            mentions = {
                f"{number}#{part}": JsonValue(mention.data, file.name, number, mention.path)
                for part, mention in enumerate(query["mentions"].items(), start=1)
            }
            if not mentions:
                raise DataError("a query without mentions", file=file.name, line=number)
            yield JsonValue(query.data, file.name, number, str(number)), mentions


def _gold(raw: str, rule: IdRule) -> Gold:
    return tuple(frozenset({identifier}) for identifier in _ids(raw, rule))


def _ids(raw: str, rule: IdRule) -> tuple[str, ...]:
    """MEDIC has ids of MeSH and OMIM, which BioSyn writes without prefix: OMIM's are numbers."""
    prefix = rule.prefix or "mesh"
    tokens = [t.strip() for t in _SEPARATORS.split(raw) if not rule.is_none(t)]
    return tuple(dict.fromkeys(curie(t, "omim" if t.isdecimal() and prefix == "mesh" else prefix) for t in tokens))
