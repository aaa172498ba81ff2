"""MeSH: descriptors and supplementary concepts, from the official XML or from tables of names.

The hierarchy (`is_a`) is that of the tree numbers, descriptors only. The headings that a
supplementary concept is mapped to are parents of the relation `mapped_to`. The option
`mesh_parents` adds the edges of `mesh_parents.json`, another hierarchy, as relation `mesh_parents`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.syntax import Element, iterate, parse_json
from linkassay.ids import curie
from linkassay.kbs.readers.replaced_ids import REPLACED
from linkassay.kbs.readers.row_helpers import distinct_names, edges, listed
from linkassay.kbs.schema import Batch, Entity, KbSpec, Part
from linkassay.sources import Source

_UI = re.compile(r"[A-Z][0-9]+")
_HEADING = re.compile(r"\*?(D[0-9]+)(?:Q[0-9]+)?")
#: Branches of the tree that are of one of our types; the first that matches counts.
_TREES = (("C", "disease"), ("F03", "disease"), ("D", "chemical"), ("B", "species"))
_SCR_CLASSES = {"1": "chemical", "3": "disease", "4": "species"}
_RELATED = {"NRW": "narrower ", "BRD": "broader ", "REL": "related "}
_NUMBERS = (
    (re.compile(r"([0-9]{2,7}-[0-9]{2}-[0-9])"), "cas"),
    (re.compile(r"EC ([0-9]+(?:\.(?:[0-9n]+|-)){0,3})"), "ec"),
    (re.compile(r"txid([0-9]+)"), "ncbitaxon"),
    (re.compile(r"([A-Z0-9]{10})"), "unii"),
)


class _Trees:
    """Tree numbers of the descriptors read so far, from which the hierarchy follows at the end."""

    def __init__(self) -> None:
        self.owner: dict[str, str] = {}

    def add(self, identifier: str, numbers: Iterable[str]) -> None:
        self.owner.update((number, identifier) for number in numbers)

    def edges(self) -> Batch:
        rows: dict[tuple[str, str, str], None] = {}
        for number, child in self.owner.items():
            parent = self.owner.get(number.rpartition(".")[0])
            if parent and parent != child:
                rows[child, parent, "is_a"] = None
        return edges(rows)


def read_descriptors(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity | Batch]:
    """`desc20xx.xml`, or a table (id, name, synonyms, tree numbers, taxon); parents come last."""
    trees = _Trees()
    yield from _descriptor_rows(file, trees) if file.suffix != ".xml" else _descriptor_records(file, trees)
    yield trees.edges()


def read_supplementary(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity]:
    """`supp20xx.xml`, or a table (id, name, synonyms, mapped headings)."""
    return _supplementary_rows(file) if file.suffix != ".xml" else _supplementary_records(file)


def read_parents(file: RawFile, options: Mapping[str, Any]) -> Iterator[Batch]:
    """`mesh_parents.json`, {child: [parent, …]}; nothing unless the option `mesh_parents` is set."""
    if options.get("mesh_parents"):
        members = parse_json(file.text(), file.name).members()
        yield edges(
            (curie(c, "mesh"), curie(p.string(), "mesh"), "mesh_parents") for c, ps in members for p in ps.items()
        )


def _rows(file: RawFile) -> Iterator[tuple[str, str, list[str], list[str]]]:
    for number, line in file.lines():
        if not line.strip():
            continue
        identifier, *fields = line.split("\t")
        if not fields or not _UI.fullmatch(identifier.strip()) or not fields[0].strip():
            raise DataError("expected: MeSH id, tab, name, …", file=file.name, line=number)
        yield identifier.strip(), fields[0], listed(fields[1], "|") if len(fields) > 1 else [], fields[2:]


def _descriptor_rows(file: RawFile, trees: _Trees) -> Iterator[Entity]:
    for ui, name, synonyms, rest in _rows(file):
        numbers = listed(rest[0], "|") if rest else []
        taxa = listed(rest[1], "|") if len(rest) > 1 else []
        trees.add(f"mesh:{ui}", numbers)
        yield Entity(
            id=f"mesh:{ui}",
            type=_type(numbers),
            names=distinct_names([(name, "heading"), *((s, "entry term") for s in synonyms)]),
            category="descriptor",
            xrefs=tuple(curie(taxon, "ncbitaxon") for taxon in taxa),
        )


def _supplementary_rows(file: RawFile) -> Iterator[Entity]:
    for ui, name, synonyms, rest in _rows(file):
        headings = re.split(r"[|,]", rest[0]) if rest else []
        yield Entity(
            id=f"mesh:{ui}",
            names=distinct_names([(name, "name"), *((s, "entry term") for s in synonyms)]),
            category="supplementary",
            parents=_mapped_to(headings),
        )


def _descriptor_records(file: RawFile, trees: _Trees) -> Iterator[Entity]:
    for record in iterate(file, "DescriptorRecord", ("DescriptorRecordSet",)):
        ui = _ui(record, "DescriptorUI", file)
        numbers = [t.text.strip() for t in _inside(record, "TreeNumberList", "TreeNumber") if t.text.strip()]
        trees.add(f"mesh:{ui}", numbers)
        names, note, xrefs = _concepts(record)
        yield Entity(
            id=f"mesh:{ui}",
            type=_type(numbers),
            names=distinct_names([(_name(record, "DescriptorName", file), "heading"), *names]),
            category="descriptor",
            definition=note,
            xrefs=xrefs,
        )


def _supplementary_records(file: RawFile) -> Iterator[Entity]:
    for record in iterate(file, "SupplementalRecord", ("SupplementalRecordSet",)):
        ui = _ui(record, "SupplementalRecordUI", file)
        names, note, xrefs = _concepts(record)
        headings = [
            _string(referred, "DescriptorUI")
            for mapped in _inside(record, "HeadingMappedToList", "HeadingMappedTo")
            for kind in ("DescriptorReferredTo", "ECIN", "ECOUT")
            for element in mapped.children(kind)
            for referred in ([element] if kind == "DescriptorReferredTo" else element.children("DescriptorReferredTo"))
        ]
        yield Entity(
            id=f"mesh:{ui}",
            type=_SCR_CLASSES.get(record.attributes.get("SCRClass", ""), ""),
            names=distinct_names([(_name(record, "SupplementalRecordName", file), "name"), *names]),
            category="supplementary",
            definition=_string(record, "Note") or note,
            parents=_mapped_to(headings),
            xrefs=xrefs,
        )


def _type(numbers: list[str]) -> str:
    return next((t for tree, t in _TREES if any(number.startswith(tree) for number in numbers)), "")


def _mapped_to(headings: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Headings as written (`*D001561`, `D000117Q000378`) without stars and qualifiers."""
    found = (_HEADING.fullmatch(heading.strip()) for heading in headings)
    return tuple(dict.fromkeys((f"mesh:{match[1]}", "mapped_to") for match in found if match))


def _concepts(record: Element) -> tuple[list[tuple[str, str]], str, tuple[str, ...]]:
    """Terms with their kinds, the scope note of the preferred concept, and registry numbers."""
    names: list[tuple[str, str]] = []
    note = ""
    numbers: list[str] = []
    relations = {
        _string(relation, "Concept2UI"): relation.attributes.get("RelationName", "")
        for concept in _inside(record, "ConceptList", "Concept")
        for relation in _inside(concept, "ConceptRelationList", "ConceptRelation")
    }
    for concept in _inside(record, "ConceptList", "Concept"):
        preferred = concept.attributes.get("PreferredConceptYN") == "Y"
        relation = "" if preferred else _RELATED.get(relations.get(_string(concept, "ConceptUI"), ""), "")
        for term in _inside(concept, "TermList", "Term"):
            permuted = "permuted " if term.attributes.get("IsPermutedTermYN") == "Y" else ""
            names.append((_string(term, "String"), f"{relation}{permuted}entry term"))
        if preferred:
            note = note or _string(concept, "ScopeNote")
            numbers += [_string(concept, "RegistryNumber")]
            numbers += [n.text for n in _inside(concept, "RegistryNumberList", "RegistryNumber")]
            numbers += [n.text for n in _inside(concept, "RelatedRegistryNumberList", "RelatedRegistryNumber")]
    xrefs = [
        f"{prefix}:{match[1]}"
        for number in numbers
        for pattern, prefix in _NUMBERS
        if (match := pattern.fullmatch(number.partition("(")[0].strip()))
    ]
    return names, note, tuple(dict.fromkeys(xrefs))


def _inside(element: Element, list_: str, tag: str) -> list[Element]:
    return [item for outer in element.children(list_) for item in outer.children(tag)]


def _string(element: Element, tag: str) -> str:
    found = element.first(tag)
    return found.text.strip() if found else ""


def _ui(record: Element, tag: str, file: RawFile) -> str:
    ui = _string(record, tag)
    if not _UI.fullmatch(ui):
        raise DataError(f"<{tag}> is no MeSH id: {ui[:60]!r}", file=file.name, line=record.line)
    return ui


def _name(record: Element, tag: str, file: RawFile) -> str:
    name = _string(record, tag)
    if not name:
        raise DataError(f"<{record.tag}> without <{tag}>", file=file.name, line=record.line)
    return name


_FTP = "https://nlmpubs.nlm.nih.gov/projects/mesh/2024/xmlmesh/"

SPEC = KbSpec(
    name="mesh",
    title="MeSH: Medical Subject Headings",
    prefix="mesh",
    types=("disease", "chemical", "species"),
    licence="free to use with attribution to the National Library of Medicine (MeSH memorandum of understanding)",
    citation="Lipscomb CE. Medical Subject Headings (MeSH). Bulletin of the Medical Library Association 88(3):265–266, "
    "2000.",
    homepage="https://www.nlm.nih.gov/mesh",
    parts=(
        Part("desc[0-9]*.xml|mesh_id_label_mappings.tsv", "linkassay.kbs.catalog.mesh:read_descriptors"),
        Part(
            "supp[0-9]*.xml|mesh_supp_id_label_mappings.tsv",
            "linkassay.kbs.catalog.mesh:read_supplementary",
            optional=True,
        ),
        Part("mesh_parents.json", "linkassay.kbs.catalog.mesh:read_parents", optional=True),
        Part("mesh_history.tsv", "linkassay.kbs.readers.json_lines:read_history", lines=True, optional=True),
        REPLACED,
    ),
    sources=tuple(Source(f"{_FTP}{name}.gz", f"{name}.xml.gz") for name in ("desc2024", "supp2024")),
    options={"mesh_parents": False, "prefix": "mesh"},
    notes=(
        "Types follow the tree numbers (C and F03 disease, D chemical, B species) and the class of a supplementary "
        "record; whatever lies elsewhere, and supplementary concepts from tables, have no type. MeSH publishes no "
        "table of replaced ids; BELB's, `notinkb_identifiers_history.yaml` for each corpus, and one's own, "
        "`mesh_history.tsv` (old, new), are used where they are there."
    ),
)
