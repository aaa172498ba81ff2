"""Ontologies: HPO, MONDO, DOID, ChEBI, GO, CL, and any other as OBO or JSON.

Reads OBO flat files (syntax: `formats.syntax.obo`), obographs JSON and plain JSON lists of terms. Options:
`prefix` (that of bare ids; terms of any other ontology are imports and left out; "" keeps all),
`type` (our entity type; "" takes each term's namespace) and `structures` (keep SMILES and InChI
strings among the names).

`alt_id` and `replaced_by` become history. The kind of a name is `label` or the scope of the synonym
with its type, if any: `exact`, `related BRAND_NAME`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from linkassay.errors import DataError
from linkassay.files import RawFile
from linkassay.formats.syntax import JsonValue, Stanza, parse_json, quoted, stanzas, token, unescape
from linkassay.ids import curie, from_iri
from linkassay.kbs.readers.row_helpers import distinct_names, xref
from linkassay.kbs.schema import Entity, History, KbSpec, Part
from linkassay.sources import Source

_SCOPES = ("EXACT", "BROAD", "NARROW", "RELATED")
#: Synonyms that are notations of a structure, as ChEBI had them before 2014; later they are properties.
_STRUCTURES = {"SMILES", "InChI", "InChIKey"}
_NO_FORMULA = ("FORMULA", ".")  # what ChEBI writes where a class has none
#: What ChEBI says of an xref beside naming the place where it found it → prefix.
_DESCRIBED = {
    "CAS Registry Number": "cas", "KEGG COMPOUND": "kegg.compound", "KEGG DRUG": "kegg.drug",
    "KEGG GLYCAN": "kegg.glycan", "ChEMBL COMPOUND": "chembl.compound", "DrugBank": "drugbank", "HMDB": "hmdb",
    "LIPID MAPS instance": "lipidmaps", "Wikipedia": "wikipedia.en", "MetaCyc": "metacyc.compound",
    "PDBeChem": "pdb.ligand", "UM-BBD compID": "umbbd.compound", "Beilstein Registry Number": "beilstein",
    "Gmelin Registry Number": "gmelin", "Reaxys Registry Number": "reaxys", "Chemspider": "chemspider",
}  # fmt: skip
_XREF = re.compile(r'((?:[^\s:!{"\\]|\\.| (?![!{"]))+):((?:[^\s!{"\\]|\\.)+)(?:\s+"((?:[^"\\]|\\.)*)")?')
_REPLACED_BY = ("IAO_0100001", "#replaced_by", "#replacedBy")
_ALTERNATIVE = ("#hasAlternativeId",)
_NAMESPACE = ("#hasOBONamespace",)


class _Ontology:
    """What the options say, and the terms made accordingly."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.prefix = str(options.get("prefix", ""))
        self.type = str(options.get("type", ""))
        self.left_out = set() if options.get("structures") else _STRUCTURES

    def id(self, text: str) -> str:
        return curie(text, self.prefix)

    def owns(self, identifier: str) -> bool:
        return not self.prefix or identifier.startswith(self.prefix + ":")

    def term(
        self,
        identifier: str,
        names: Iterable[tuple[str, str, str]],  # name, scope, synonym type
        *,
        namespace: str = "",
        definition: str = "",
        obsolete: bool = False,
        parents: Iterable[tuple[str, str]] = (),
        xrefs: Iterable[str] = (),
        alternatives: Iterable[str] = (),
        replaced_by: Iterable[str] = (),
    ) -> Iterator[Entity | History]:
        if not self.owns(identifier):
            return
        known = distinct_names(
            (name, f"{kind} {type_}".rstrip())
            for name, kind, type_ in names
            if type_ not in self.left_out and (type_, name) != _NO_FORMULA
        )
        if known or not obsolete:  # an obsolete id without a name is but a trace of a merge
            yield Entity(
                id=identifier,
                type=self.type or namespace,
                names=known,
                category=namespace,
                definition=definition,
                obsolete=obsolete,
                parents=tuple(dict.fromkeys(p for p in parents if p[0] and self.owns(p[0]))),
                xrefs=tuple(dict.fromkeys(x for x in xrefs if x and x != identifier)),
            )
        yield from (History(old, identifier) for old in dict.fromkeys(alternatives) if old != identifier)
        yield from (History(identifier, new) for new in dict.fromkeys(replaced_by) if new != identifier)


def read(file: RawFile, options: Mapping[str, Any]) -> Iterator[Entity | History]:
    """Terms in file order; files named `.json` are obographs or a list of terms, all others OBO."""
    ontology = _Ontology(options)
    if file.suffix != ".json":
        return _read_obo(file, ontology)
    value = parse_json(file.text(), file.name)
    return _read_graphs(value, ontology) if isinstance(value.data, dict) else _read_list(value, ontology)


def _read_obo(file: RawFile, ontology: _Ontology) -> Iterator[Entity | History]:
    namespace, terms = "", 0
    for stanza in stanzas(file):
        if not stanza.kind:
            namespace = stanza.plain("default-namespace")
        elif stanza.kind == "Term":
            terms += 1
            yield from _obo_term(stanza, namespace, ontology)
    if not terms:
        raise DataError("no [Term] in it; is it an OBO file?", file=file.name)


def _obo_term(stanza: Stanza, namespace: str, ontology: _Ontology) -> Iterator[Entity | History]:
    ids = stanza.tokens("id")
    if len(ids) != 1:
        raise DataError(f"a [Term] needs one id, found {len(ids)}", file=stanza.file, line=stanza.line)
    parents = [(ontology.id(parent), "is_a") for parent in stanza.tokens("is_a")]
    for line, value in stanza.all("relationship"):
        relation, _, rest = value.partition(" ")
        if not token(rest):
            raise DataError(f"relationship: expected a relation and an id, found {value[:60]!r}",
                            file=stanza.file, line=line)  # fmt: skip
        parents.append((ontology.id(token(rest)), relation))
    definitions = stanza.all("def")
    yield from ontology.term(
        ontology.id(ids[0]),
        [(stanza.plain("name"), "label", ""), *_obo_synonyms(stanza)],
        namespace=stanza.plain("namespace") or namespace,
        definition=quoted(definitions[0][1], stanza.file, definitions[0][0])[0].strip() if definitions else "",
        obsolete=stanza.plain("is_obsolete").lower() == "true",
        parents=parents,
        xrefs=[_obo_xref(value) for _, value in stanza.all("xref")],
        alternatives=[ontology.id(old) for old in stanza.tokens("alt_id")],
        replaced_by=[ontology.id(new) for new in stanza.tokens("replaced_by")],
    )


def _obo_synonyms(stanza: Stanza) -> Iterator[tuple[str, str, str]]:
    for line, value in stanza.all("synonym"):
        text, rest = quoted(value, stanza.file, line)
        words = rest.partition("[")[0].split()
        scope = words.pop(0) if words and words[0] in _SCOPES else "RELATED"  # the default of the format
        yield text, scope.lower(), unescape(words[0]) if words else ""
    for scope in _SCOPES:  # as in OBO 1.0
        for line, value in stanza.all(f"{scope.lower()}_synonym"):
            yield quoted(value, stanza.file, line)[0], scope.lower(), ""


def _obo_xref(value: str) -> str:
    """One xref as a CURIE; "" if it is a web address or no id at all."""
    match = _XREF.match(value)
    if not match or match[1].lower() in ("http", "https", "ftp"):
        known = from_iri(token(value))
        return known if "://" not in known and ":" in known else ""
    prefix, local, description = (unescape(part or "") for part in match.groups())
    if description.endswith("citation"):  # literature is no entity of another knowledge base
        return ""
    return xref(_DESCRIBED.get(description, prefix), local)


def _read_list(value: JsonValue, ontology: _Ontology) -> Iterator[Entity | History]:
    """`[{"id", "name", "namespace"?, "definition"?, "synonyms"?, "xrefs"?, "alt_ids"?, "relations"?}, …]`.

    Bare ids are of the ontology itself, except those of relations other than `is_a`: these may have
    lost the prefix of any ontology and are left out.
    """
    for term in value.items():
        relations = [
            (ontology.id(parent.string()), relation)
            for relation, parents in term.get("relations").members()
            for parent in parents.items()
            if relation == "is_a" or ":" in parent.string()
        ]
        synonyms = [(s.string(), "synonym", "") for s in term.get("synonyms").items()]
        yield from ontology.term(
            ontology.id(term["id"].string()),
            [(term.get("name").string(""), "label", ""), *synonyms],
            namespace=term.get("namespace").string(""),
            definition=term.get("definition").string(""),
            obsolete=term.get("obsolete").boolean(False),
            parents=relations,
            xrefs=[xref(x.get("namespace").string(""), x["id"].string()) for x in term.get("xrefs").items()],
            alternatives=[ontology.id(a.string()) for a in term.get("alt_ids").items()],
            replaced_by=[ontology.id(r.string()) for r in term.get("replaced_by").items()],
        )


def _read_graphs(value: JsonValue, ontology: _Ontology) -> Iterator[Entity | History]:
    for graph in value["graphs"].items():
        relations: dict[str, str] = {}
        for node in graph.get("nodes").items():
            if node.get("type").string("") == "PROPERTY":
                identifier = node["id"].string()
                label = node.get("lbl").string("") or re.split(r"[#/]", identifier)[-1]
                relations[identifier] = label.replace(" ", "_")
        parents: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for edge in graph.get("edges").items():
            relation = edge["pred"].string()
            target = ontology.id(from_iri(edge["obj"].string()))
            parents[edge["sub"].string()].append((target, relations.get(relation, relation)))
        for node in graph.get("nodes").items():
            if node.get("type").string("CLASS") == "CLASS":
                yield from _graph_term(node, parents.get(node["id"].string(), []), ontology)


def _graph_term(node: JsonValue, parents: list[tuple[str, str]], ontology: _Ontology) -> Iterator[Entity | History]:
    meta = node.get("meta")
    if meta.missing:
        meta = JsonValue({}, node.file, node.line, meta.path)
    names = [(node.get("lbl").string(""), "label", "")]
    for synonym in meta.get("synonyms").items():
        scope = synonym.get("pred").string("hasRelatedSynonym").removeprefix("has").removesuffix("Synonym").lower()
        type_ = re.split(r"[#/]", synonym.get("synonymType").string(""))[-1]
        names.append((synonym["val"].string(), scope, type_))
    properties = [(p["pred"].string(), p["val"]) for p in meta.get("basicPropertyValues").items()]

    def values(endings: tuple[str, ...]) -> list[str]:
        return [value.string() for name, value in properties if name.endswith(endings)]

    definition = meta.get("definition")
    yield from ontology.term(
        ontology.id(from_iri(node["id"].string())),
        names,
        namespace=next(iter(values(_NAMESPACE)), ""),
        definition="" if definition.missing else definition.get("val").string(""),
        obsolete=meta.get("deprecated").boolean(False),
        parents=parents,
        xrefs=[_obo_xref(x["val"].string()) for x in meta.get("xrefs").items()],
        alternatives=[ontology.id(from_iri(old)) for old in values(_ALTERNATIVE)],
        replaced_by=[ontology.id(from_iri(new)) for new in values(_REPLACED_BY)],
    )


def _spec(
    name: str,
    title: str,
    types: tuple[str, ...],
    licence: str,
    citation: str,
    homepage: str,
    *,
    file: str = "",
    url: str = "",
    files: str = "",
    options: Mapping[str, Any] | None = None,
    notes: str = "",
) -> KbSpec:
    file = file or f"{name}.obo"
    return KbSpec(
        name=name,
        title=title,
        prefix=name,
        types=types,
        licence=licence,
        citation=citation,
        homepage=homepage,
        parts=(
            Part(files or f"{name}.obo|{name}.json|{name}[_-]*.obo|{name}[_-]*.json", "linkassay.kbs.catalog.obo:read"),
        ),
        sources=(Source(url or f"http://purl.obolibrary.org/obo/{file}", file),),
        options={"prefix": name, "type": types[0] if len(types) == 1 else "", **(options or {})},
        notes=notes,
    )


HP = _spec(
    "hp", "Human Phenotype Ontology", ("phenotype",),
    "HPO licence: free to use and share with attribution, unaltered, version stated",
    "Gargano MA et al. The Human Phenotype Ontology in 2024: phenotypes around the world. Nucleic Acids Research "
    "52(D1):D1333–D1346, 2024. doi:10.1093/nar/gkad1005",
    "https://hpo.jax.org",
)  # fmt: skip
MONDO = _spec(
    "mondo", "Mondo Disease Ontology", ("disease",), "CC BY 4.0",
    "Vasilevsky NA et al. Mondo: unifying diseases for the world, by the world. medRxiv, 2022. "
    "doi:10.1101/2022.04.13.22273750",
    "https://mondo.monarchinitiative.org",
)  # fmt: skip
DOID = _spec(
    "doid", "Human Disease Ontology", ("disease",), "CC0 1.0",
    "Baron JA et al. The DO-KB Knowledgebase: a 20-year journey developing the disease open science ecosystem. "
    "Nucleic Acids Research 52(D1):D1305–D1314, 2024. doi:10.1093/nar/gkad1051",
    "https://disease-ontology.org",
)  # fmt: skip
CHEBI = _spec(
    "chebi", "ChEBI: Chemical Entities of Biological Interest", ("chemical",), "CC BY 4.0",
    "Hastings J et al. ChEBI in 2016: improved services and an expanding collection of metabolites. Nucleic Acids "
    "Research 44(D1):D1214–D1219, 2016. doi:10.1093/nar/gkv1031",
    "https://www.ebi.ac.uk/chebi",
    options={"structures": False},
    notes="SMILES, InChI and InChIKey are no names; releases that list them as synonyms are read without them "
          "unless the option `structures` is set.",
)  # fmt: skip
GO = _spec(
    "go", "Gene Ontology", ("biological_process", "cellular_component", "molecular_function"), "CC BY 4.0",
    "The Gene Ontology Consortium. The Gene Ontology knowledgebase in 2023. Genetics 224(1):iyad031, 2023. "
    "doi:10.1093/genetics/iyad031",
    "https://geneontology.org",
    files="go.obo|go.json|go-basic.obo|go-basic.json",
)  # fmt: skip
CL = _spec(
    "cl", "Cell Ontology", ("cell_type",), "CC BY 4.0",
    "Diehl AD et al. The Cell Ontology 2016: enhanced content, modularization, and ontology interoperability. "
    "Journal of Biomedical Semantics 7:44, 2016. doi:10.1186/s13326-016-0088-7",
    "https://obophenotype.github.io/cell-ontology",
    files="cl.obo|cl.json|cl-basic.obo|cl-basic.json",
    notes="Terms that the file imports from other ontologies (UBERON, GO, PR …) are left out.",
)  # fmt: skip
