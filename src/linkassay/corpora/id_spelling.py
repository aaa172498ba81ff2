"""How ids and types of a corpus are spelled in what systems say of it. For imports and for outside linkers."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from linkassay.corpora import CORPORA, canonical_name, spec_of
from linkassay.corpora.stored_corpus import Corpus
from linkassay.errors import DataError
from linkassay.files import MAX_LINE, RawFile, one_file
from linkassay.formats.predictions import Claim
from linkassay.formats.syntax import parse_json
from linkassay.ids import IdRule, curie, from_iri
from linkassay.kbs import id_prefix


def id_rules(corpus: Corpus, prefix: str = "") -> dict[str, IdRule]:
    """How predicted ids are written: as in the corpus, but several at one place are tied whatever joins them.

    `prefix` is that of ids without one, where it is not the corpus's.
    """
    bare = canonical_name(corpus.name.partition("/")[0])
    known = spec_of(bare).rules if bare in CORPORA else {"": IdRule(id_prefix(corpus.manifest["kb"]))}
    found = {
        type_: replace(rule, prefix=prefix or rule.prefix, composite="", alternative="|;,")
        for type_, rule in known.items()
    }
    if "" not in found and len({rule.prefix for rule in found.values()}) == 1:
        found[""] = next(iter(found.values()))
    if corpus.type in found:  # a format that says no types is about the one that was asked for
        found[""] = found[corpus.type]
    return found


def with_corpus_types(claims: Iterable[Claim], corpus: Corpus) -> Iterable[Claim]:
    """Claims with their types spelled as the corpus's where that is known."""
    bare = canonical_name(corpus.name.partition("/")[0])
    spelled = (spec_of(bare).source_types if bare in CORPORA else None) or {}
    lower = {type_.lower(): type_ for type_ in corpus.types}
    for claim in claims:
        type_ = claim.prediction.type
        ours = spelled.get(type_) or lower.get(type_.lower(), type_) if type_ else ""
        yield claim if ours == type_ else claim._replace(prediction=replace(claim.prediction, type=ours))


def id_file(path: Path, option: str = "--ids") -> RawFile:
    """The one file that an option names."""
    return one_file(path, option)


def read_same_as(path: Path, prefix: str) -> dict[str, tuple[str, ...]]:
    """Pairs of ids that mean the same, two columns of a table: what the files say, and what it is called here.

    Both may be IRIs, also in angle brackets; ids without a prefix get `prefix` in the second column. Ids that occur
    again stand for several.
    """
    file = id_file(path, "--same-as")
    csv.field_size_limit(MAX_LINE)
    table: dict[str, dict[str, None]] = {}
    for number, line in file.lines():
        if not line.strip() or line.startswith("#"):
            continue
        try:
            cells = next(csv.reader([line], delimiter=next((sign for sign in "\t;" if sign in line), ",")))
        except csv.Error as error:
            raise DataError(f"not a row of a table ({error})", file=file.name, line=number) from error
        pair = [cell.strip().removeprefix("<").removesuffix(">") for cell in cells]
        if len(pair) != 2 or not all(pair):
            raise DataError("expected two columns, with a tab, a comma or a semicolon between: an id of the files, and "
                            "what it is called here", file=file.name, line=number)  # fmt: skip
        here = curie(from_iri(pair[1]), prefix)
        for there in {pair[0], from_iri(pair[0]), curie(pair[0], prefix)}:
            table.setdefault(there, {})[here] = None
    return {there: tuple(here) for there, here in table.items()}


def read_id_file(path: Path, format: str, prefix: str) -> dict[str, tuple[str, ...]]:
    """A JSON object from the source's ids to an id or a list of ids.

    Keys without a prefix get `format`, ids without one `prefix`.
    """
    file = id_file(path)
    table: dict[str, tuple[str, ...]] = {}
    for key, value in parse_json(file.text(), file.name).members():
        found = list(value.items()) if isinstance(value.data, list) else [value]
        ids = (curie(v.identifier(), prefix) for v in found)
        table[curie(key, format)] = tuple(dict.fromkeys(i for i in ids if i))
    return table
