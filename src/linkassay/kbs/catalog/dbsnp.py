"""dbSNP: variants with their HGVS forms, genes and merged ids, from the RefSNP JSON files (one record a line).

It reads what names a variant; frequencies, submissions and clinical assertions are passed over.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.kbs.readers.delimited import rows
from linkassay.kbs.schema import Batch, KbSpec, Part
from linkassay.sources import Source

#: Records that are turned into tables at once.
RECORDS = 20_000
#: Sequences that a pipeline predicted, not evidence: models of transcripts and proteins, raw contigs.
_PREDICTED = ("XM_", "XR_", "XP_", "GPC_")
#: The tables of two columns.
_PAIRS = {"history": ("old", "new"), "xrefs": ("id", "other"), "foreign": ("id", "name")}
#: What stands for a form that dbSNP cannot write.
_NO_FORM = "not_yet_implemented"


def read_records(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`refsnp-*.json`: a record is a variant, or says what became of one.

    The primary name is `rs…`; then come the HGVS forms of the alleles other than the reference, on
    all sequences, in the order of the file; their kind is `hgvs` with the letter of the sequence (g, c, n, m, p).
    The foreign id is the first gene, `xrefs` has all of them.
    """
    found = _Found(predicted=bool(options.get("predicted")), bare=bool(options.get("bare")))
    for number, line in file.lines():
        if not line.strip():
            continue
        try:
            found.add(json.loads(line))
        except KeyError as error:
            raise DataError(
                f"not a RefSNP record: {error.args[0]!r} is missing", file=file.name, line=number
            ) from error
        except (AttributeError, TypeError) as error:
            what = "a text, list or object is not where it should be"
            raise DataError(f"not a RefSNP record: {what} ({error})", file=file.name, line=number) from error
        except RecursionError as error:
            raise DataError("not valid JSON (nested too deeply)", file=file.name, line=number) from error
        except ValueError as error:
            what = f"not valid JSON ({error.msg})" if isinstance(error, json.JSONDecodeError) else str(error)
            raise DataError(what, file=file.name, line=number) from error
        if found.records == RECORDS:
            yield found.tables()
    if found.records:
        yield found.tables()


class _Found:
    """Rows gathered from records, column by column."""

    def __init__(self, *, predicted: bool, bare: bool) -> None:
        self._left_out = () if predicted else _PREDICTED
        self._bare = bare
        self._genes_named: set[str] = set()
        self._clear()

    def _clear(self) -> None:
        self.records = 0
        self._entities: tuple[list[str], list[str], list[str]] = [], [], []  # id, category, first gene
        self._names: tuple[list[str], list[str], list[str]] = [], [], []  # id, name, kind
        self._pairs: dict[str, tuple[list[str], list[str]]] = {table: ([], []) for table in _PAIRS}

    def add(self, record: dict[str, Any]) -> None:
        """One record, whatever kind of snapshot it has."""
        self.records += 1
        name = _rs(record["refsnp_id"])
        identifier = "dbsnp:" + name
        for merge in record.get("dbsnp1_merges") or ():
            self._pair("history", "dbsnp:" + _rs(merge["merged_rsid"]), identifier)
        if data := record.get("primary_snapshot_data"):
            self._variant(identifier, name, data)
        elif data := record.get("merged_snapshot_data"):
            into = data["merged_into"]
            if not isinstance(into, list):
                raise TypeError("merged_into is no list")
            for new in ["dbsnp:" + _rs(new) for new in into] or [""]:
                self._pair("history", identifier, new)
        elif "withdrawn_snapshot_data" in record or "unsupported_snapshot_data" in record:
            self._pair("history", identifier, "")
        elif "nosnppos_snapshot_data" in record:  # known, but on no sequence
            self._entity(identifier, "", "", {name: "rs"})
        else:
            raise KeyError("primary_snapshot_data")

    def _entity(self, identifier: str, category: str, gene: str, names: dict[str, str]) -> None:
        for column, value in zip(self._entities, (identifier, category, gene), strict=True):
            column.append(value)
        ids, forms, kinds = self._names
        ids.extend([identifier] * len(names))
        forms.extend(names)
        kinds.extend(names.values())

    def _pair(self, table: str, one: str, other: str) -> None:
        first, second = self._pairs[table]
        first.append(one)
        second.append(other)

    def _variant(self, identifier: str, name: str, data: dict[str, Any]) -> None:
        names = {name: "rs"}
        for placement in data["placements_with_allele"]:
            if placement["seq_id"].startswith(self._left_out):
                continue
            for allele in placement["alleles"]:
                form = allele.get("hgvs")
                spdi = allele["allele"].get("spdi")  # a frameshift has none
                if not form or form == _NO_FORM or form[-1] == "=":
                    continue
                if spdi and spdi["deleted_sequence"] == spdi["inserted_sequence"]:
                    continue
                _, colon, change = form.partition(":")
                if not colon or not form.isascii():
                    raise ValueError(f"not a RefSNP record: hgvs is {form[:60]!r}, expected 'sequence:change'")
                names.setdefault(change if self._bare else form, "hgvs " + change[:1])
        genes: dict[str, None] = {}
        for annotation in data["allele_annotations"]:
            for assembly in annotation["assembly_annotation"]:
                for gene in assembly["genes"]:
                    number = "ncbigene:" + _whole(gene["id"], "the id of a gene")
                    genes[number] = None
                    symbol = gene.get("locus")
                    if symbol and number not in self._genes_named:
                        self._genes_named.add(number)
                        self._pair("foreign", number, _ascii(symbol))
        self._entity(identifier, _ascii(data.get("variant_type") or ""), next(iter(genes), ""), names)
        for number in genes:
            self._pair("xrefs", identifier, number)

    def tables(self) -> dict[str, pa.Table]:
        """What was gathered since the last call."""
        tables = {}
        if self._names[0]:
            ids, categories, genes = map(_array, self._entities)
            tables["entities"] = rows("entities", id=ids, type="variant", category=categories, foreign_id=genes)
            ids, forms, kinds = map(_array, self._names)
            tables["names"] = rows("names", id=ids, name=forms, kind=kinds, primary=pc.equal(kinds, "rs"))
        for table, columns in self._pairs.items():
            if columns[0]:
                tables[table] = rows(table, **dict(zip(_PAIRS[table], map(_array, columns), strict=True)))
        self._clear()
        return tables


def _array(column: list[str]) -> pa.Array:
    return pa.array(column, pa.string())


def _rs(value: Any) -> str:
    return "rs" + _whole(value, "the number of a RefSNP")


def _whole(value: Any, what: str) -> str:
    text = str(value) if isinstance(value, int) else value
    if not isinstance(text, str) or not (text.isascii() and text.isdecimal()):
        raise ValueError(f"not a RefSNP record: {what} is {str(text)[:60]!r}, expected a whole number")
    return text


def _ascii(text: str) -> str:
    if not text.isascii():
        raise ValueError(f"not a RefSNP record: {text[:60]!r} is not ASCII")
    return text


_FOLDER = "https://ftp.ncbi.nlm.nih.gov/snp/latest_release/JSON"
_FILES = [*(f"chr{c}" for c in (*range(1, 23), "X", "Y", "MT")), "merged", "nosnppos", "unsupported", "withdrawn"]

SPEC = KbSpec(
    name="dbsnp",
    title="dbSNP",
    prefix="dbsnp",
    types=("variant",),
    licence="public domain (work of the United States government, NCBI/NLM)",
    citation=(
        "Sherry ST, Ward M-H, Kholodov M, et al. dbSNP: the NCBI database of genetic variation. Nucleic Acids Research "
        "29(1):308–311, 2001. doi:10.1093/nar/29.1.308"
    ),
    homepage="https://www.ncbi.nlm.nih.gov/snp/",
    parts=(
        Part("refsnp-chr*.json", "linkassay.kbs.catalog.dbsnp:read_records"),
        *(Part(f"refsnp-{kind}.json", "linkassay.kbs.catalog.dbsnp:read_records", optional=True)
          for kind in ("merged", "nosnppos", "unsupported", "withdrawn")),
    ),
    sources=tuple(Source(f"{_FOLDER}/refsnp-{name}.json.bz2", f"refsnp-{name}.json.bz2") for name in _FILES),
    how_to_obtain=(
        f"Some hundreds of gigabytes: refsnp-chr1.json.bz2 … refsnp-chrMT.json.bz2 of {_FOLDER}/, of which a part may "
        "do, and refsnp-merged.json.bz2, refsnp-withdrawn.json.bz2, refsnp-unsupported.json.bz2 for the history, "
        "refsnp-nosnppos.json.bz2 for variants on no sequence."
    ),
    options={"predicted": False, "bare": False},
    notes=(
        "predicted: keep also forms on sequences that a pipeline predicted (XM_, XR_, XP_, GPC_). bare: forms without "
        "their sequence (c.76A>T for NM_000237.3:c.76A>T), as texts often have them."
    ),
)  # fmt: skip
