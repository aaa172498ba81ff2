"""UMLS Metathesaurus: concepts with their names, semantic types, definitions, parents, links and retired ids, from RRF.

The rows of a concept are neighbours in each file, so all that concerns one concept is settled here,
except where a large file was cut into pieces within a concept: then a name may come out twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.files import RawFile
from linkassay.kbs.readers.delimited import Form, distinct, listed, prefixed, read, rows, together
from linkassay.kbs.schema import Batch, KbSpec, Part

_MRCONSO = ("CUI", "LAT", "TS", "LUI", "STT", "SUI", "ISPREF", "AUI", "SAUI", "SCUI", "SDUI", "SAB", "TTY", "CODE",
            "STR", "SRL", "SUPPRESS", "CVF")  # fmt: skip
_MRSTY = ("CUI", "TUI", "STN", "STY", "ATUI", "CVF")
_MRDEF = ("CUI", "AUI", "ATUI", "SATUI", "SAB", "DEF", "SUPPRESS", "CVF")
_MRREL = ("CUI1", "AUI1", "STYPE1", "REL", "CUI2", "AUI2", "STYPE2", "RELA", "RUI", "SRUI", "SAB", "SL", "RG", "DIR",
          "SUPPRESS", "CVF")  # fmt: skip
_MRCUI = ("CUI1", "VER", "REL", "RELA", "MAPREASON", "CUI2", "MAPIN")

_CUI = Form("[A-Z]+[0-9]+", "a concept such as C0004057")

#: Source vocabulary → prefix of its codes. Codes may repeat the prefix (`HP:0001250`).
_PREFIXES = {
    "ATC": "atc", "CVX": "cvx", "DRUGBANK": "drugbank", "FMA": "fma", "GO": "go", "HCPCS": "hcpcs", "HGNC": "hgnc",
    "HPO": "hp", "ICD10": "icd10", "ICD10CM": "icd10cm", "ICD10PCS": "icd10pcs", "ICD9CM": "icd9cm", "LNC": "loinc",
    "MDR": "meddra", "MSH": "mesh", "NCBI": "ncbitaxon", "NCI": "ncit", "OMIM": "omim", "ORPHANET": "orphanet",
    "RXNORM": "rxnorm", "SNOMEDCT_US": "snomedct",
}  # fmt: skip
#: Codes that the UMLS made up for lack of one in the source.
_NO_CODE = "^(MTHU|NOCODE)"
#: Vocabularies that translate another one, in whose definitions we would not find English.
_TRANSLATION = "^(MSH|MDR|SCT)[A-Z]{3}$|^LNC-"


def read_concepts(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`MRCONSO`: atoms of the language and sources asked for, as names of kind `source/term type`.

    A string that several atoms of a concept share comes once, with the kind of the best of them.
    Primary is the atom that the UMLS prefers (TS=P, STT=PF, ISPREF=Y); where the option `sources`
    leaves that one out, the nearest to it.
    """
    used = ("CUI", "LAT", "TS", "STT", "ISPREF", "SAB", "TTY", "CODE", "STR", "SUPPRESS")
    sources = listed(options.get("sources"))
    languages = listed(options.get("language", "ENG"))
    for batch in together(read(file, _MRCONSO, used, delimiter="|", forms={"CUI": _CUI}), "CUI"):
        wanted = pc.and_(_current(batch, options), _among(batch["LAT"], languages))
        wanted = pc.and_(wanted, pc.not_equal(pc.utf8_trim_whitespace(batch["STR"]), ""))
        if sources:
            wanted = pc.and_(wanted, _among(batch["SAB"], sources))
        atoms = batch.filter(wanted)
        # How far an atom is from the preferred one: each of the three marks outweighs those after it.
        marks = [("TS", "P"), ("STT", "PF"), ("ISPREF", "Y")]
        distance = sum(
            (pc.not_equal(atoms[column], mark).to_numpy(zero_copy_only=False) * weight)
            for (column, mark), weight in zip(marks, (4, 2, 1), strict=True)
        )
        concept = _runs(atoms["CUI"])
        order = np.lexsort((distance, concept))
        table = pa.table({
            "CUI": atoms["CUI"].take(pa.array(order)),
            "STR": atoms["STR"].take(pa.array(order)),
            "kind": pc.binary_join_element_wise(atoms["SAB"], atoms["TTY"], "/").take(pa.array(order)),
            "distance": distance[order],
        })  # fmt: skip
        table = distinct(table, ["CUI", "STR"]).combine_chunks()
        first = np.diff(_runs(table["CUI"]), prepend=-1) > 0
        primary = first if sources else first & (table["distance"].to_numpy() == 0)
        concepts = prefixed("umls", table["CUI"])
        yield {
            "entities": rows("entities", id=concepts.filter(pa.array(first)), type="umls"),
            "names": rows("names", id=concepts, name=table["STR"], kind=table["kind"], primary=pa.array(primary)),
            "xrefs": _xrefs(atoms),
        }


def read_types(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`MRSTY`: semantic types (TUI) as categories; `semantic_groups` has their groups."""
    for batch in read(file, _MRSTY, ("CUI", "TUI"), delimiter="|", forms={"CUI": _CUI}):
        yield {"entities": rows("entities", id=prefixed("umls", batch["CUI"]), category=batch["TUI"])}


def read_definitions(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`MRDEF`: one definition a concept, from the first of the sources in the option `definitions` that has one.

    Other sources follow in the order of the file. Translated vocabularies are left out for English.
    """
    preferred = listed(options.get("definitions", SPEC.options["definitions"]))
    for batch in together(
        read(file, _MRDEF, ("CUI", "SAB", "DEF", "SUPPRESS"), delimiter="|", forms={"CUI": _CUI}), "CUI"
    ):
        wanted = _current(batch, options)
        if options.get("language", "ENG") == "ENG":
            wanted = pc.and_(wanted, pc.invert(pc.match_substring_regex(batch["SAB"], _TRANSLATION)))
        found = batch.filter(wanted)
        rank = pc.fill_null(pc.index_in(found["SAB"], pa.array(preferred, pa.string())), len(preferred)).to_numpy()
        order = np.lexsort((rank, _runs(found["CUI"])))
        table = distinct(pa.Table.from_batches([found]).take(pa.array(order)), ["CUI"]).combine_chunks()
        yield {"entities": rows("entities", id=prefixed("umls", table["CUI"]), definition=table["DEF"])}


def read_relations(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`MRREL`: parents, and with the option `broader` also broader concepts.

    A row reads "CUI2 is REL of CUI1": CUI2 is parent (PAR), child (CHD), broader (RB) or narrower (RN).
    """
    upward = {"PAR": "CHD"} | ({"RB": "RN"} if options.get("broader") else {})
    for batch in read(file, _MRREL, ("CUI1", "REL", "CUI2", "SUPPRESS"), delimiter="|", forms={"CUI1": _CUI}):
        wanted = pc.and_(_current(batch, options), pc.not_equal(batch["CUI1"], batch["CUI2"]))
        batch = batch.filter(wanted)
        one, other = prefixed("umls", batch["CUI1"]), prefixed("umls", batch["CUI2"])
        found = []
        for up, down in upward.items():
            for relation, child, parent in ((up, one, other), (down, other, one)):
                here = pc.equal(batch["REL"], relation)
                found.append(rows("parents", child=child.filter(here), parent=parent.filter(here), relation=up))
        yield {"parents": distinct(pa.concat_tables(found), ["child", "parent", "relation"])}


def read_retired(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`MRCUI`: concepts that are gone. Only a synonym (SY) is a successor.

    Deleted ones have none, and those mapped to a broader, narrower or otherwise related concept
    have none either: that concept means something else.
    """
    for batch in read(file, _MRCUI, ("CUI1", "REL", "CUI2"), delimiter="|", forms={"CUI1": _CUI}):
        same = pc.and_(pc.equal(batch["REL"], "SY"), pc.not_equal(batch["CUI2"], ""))
        new = pc.if_else(same, prefixed("umls", batch["CUI2"]), "")
        yield {"history": rows("history", old=prefixed("umls", batch["CUI1"]), new=new)}


def _xrefs(atoms: pa.RecordBatch) -> pa.Table:
    sources = list(_PREFIXES)
    known = pc.and_(_among(atoms["SAB"], sources), pc.not_equal(atoms["CODE"], ""))
    atoms = atoms.filter(pc.and_(known, pc.invert(pc.match_substring_regex(atoms["CODE"], _NO_CODE))))
    prefix = pa.array(list(_PREFIXES.values())).take(pc.index_in(atoms["SAB"], pa.array(sources)))
    local = pc.replace_substring_regex(atoms["CODE"], "^[A-Za-z]+:", "")
    other = pc.binary_join_element_wise(prefix, local, ":")
    return distinct(rows("xrefs", id=prefixed("umls", atoms["CUI"]), other=other), ["id", "other"])


def _current(batch: pa.RecordBatch, options: Mapping[str, Any]) -> pa.Array:
    """What is not suppressible (obsolete, or marked so by an editor or the edition), unless all is asked for."""
    if options.get("suppressible"):
        return pa.repeat(True, len(batch))
    return _among(batch["SUPPRESS"], ["N", ""])


def _among(column: pa.Array, values: Sequence[str]) -> pa.Array:
    return pc.is_in(column, pa.array(values, pa.string()))


def _runs(column: pa.Array | pa.ChunkedArray) -> np.ndarray[Any, Any]:
    """For each row the number of its run of equal values."""
    if len(column) == 0:
        return np.zeros(0, np.int64)
    changes = pc.not_equal(column.slice(1), column.slice(0, len(column) - 1)).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.cumsum(changes)])


SPEC = KbSpec(
    name="umls",
    title="UMLS Metathesaurus",
    prefix="umls",
    types=("umls",),
    licence="UMLS Metathesaurus License (free registration; some sources have terms of their own)",
    citation=(
        "Bodenreider O. The Unified Medical Language System (UMLS): integrating biomedical terminology. "
        "Nucleic Acids Research 32(suppl 1):D267–D270, 2004. doi:10.1093/nar/gkh061"
    ),
    homepage="https://www.nlm.nih.gov/research/umls/",
    parts=(
        Part("MRCONSO.RRF|MRCONSO.RRF.??", "linkassay.kbs.catalog.umls:read_concepts", lines=True),
        Part("MRSTY.RRF|MRSTY.RRF.??", "linkassay.kbs.catalog.umls:read_types", lines=True, optional=True),
        Part("MRDEF.RRF|MRDEF.RRF.??", "linkassay.kbs.catalog.umls:read_definitions", lines=True, optional=True),
        Part("MRREL.RRF|MRREL.RRF.??", "linkassay.kbs.catalog.umls:read_relations", lines=True, optional=True),
        Part("MRCUI.RRF|MRCUI.RRF.??", "linkassay.kbs.catalog.umls:read_retired", lines=True, optional=True),
    ),
    how_to_obtain=(
        "The UMLS is licensed: register (free) at https://uts.nlm.nih.gov/uts/ and download a release from "
        "https://www.nlm.nih.gov/research/umls/licensedcontent/umlsknowledgesources.html: the Metathesaurus Full "
        "Subset (umls-<release>-metathesaurus-full.zip), or a Full Release run through MetamorphoSys. Needed is "
        "META/MRCONSO.RRF; used if there: META/MRSTY.RRF (semantic types), META/MRDEF.RRF (definitions), "
        "META/MRREL.RRF (parents), META/MRCUI.RRF (retired concepts). Put them in one folder and give it "
        "with --raw. Files in several parts (MRCONSO.RRF.aa.gz, MRCONSO.RRF.ab.gz, …) are read as they are if each "
        "part ends with a whole line; otherwise join them: zcat MRCONSO.RRF.*.gz > MRCONSO.RRF."
    ),
    options={
        "language": "ENG",
        "sources": (),
        "suppressible": False,
        "broader": False,
        "definitions": ("MSH", "NCI", "SNOMEDCT_US", "HPO", "GO"),
    },
    notes=(
        "language: of the names (LAT). sources: keep only names of these vocabularies (SAB). suppressible: keep also "
        "what the UMLS suppresses. broader: count broader concepts (RB) among the parents. definitions: vocabularies "
        "in order of preference. Only concepts with a name of the language and sources asked for have a type."
    ),
)
