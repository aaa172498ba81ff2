"""Identifiers: every spelling the sources use becomes one CURIE, here and nowhere else (ID-1).

Prefixes follow Bioregistry (`mesh:D003924`, `ncbigene:2`). An `IdRule` says how one source writes
the ids of a mention: what joins composites, what separates alternatives, what means "none".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote, unquote

from linkassay.model import Gold
from linkassay.prefixes import SPELLINGS

__all__ = ["PREFIXES", "IdRule", "curie", "from_iri", "is_formed", "to_iri"]

#: Spellings of prefixes, lower-cased → the prefix (ID-2): Bioregistry's, and those that only our sources have.
PREFIXES: dict[str, str] = SPELLINGS | {
    "mesh_supplementary": "mesh", "phenotypicseries": "omim.ps", "rs": "dbsnp", "rs#": "dbsnp", "cui": "umls",
    "gene": "ncbigene", "ncbi gene": "ncbigene", "ncbi_gene": "ncbigene", "ncbi": "ncbigene",
    "ncbi_taxonomy": "ncbitaxon", "species": "ncbitaxon", "ordo": "orphanet", "icd-9": "icd9",
}  # fmt: skip

#: A taxon, even behind a prefix that genes have too: `NCBI:txid9606`.
_TAXON = re.compile(r"(?i)txid:?\s*([0-9]+)")
_TIDY = {
    "cellosaurus": lambda local: re.sub(r"(?i)^(cvcl[_:]?)+", "", local).upper(),
    "dbsnp": lambda local: re.sub(r"(?i)^(?:rs#?:?\s*)?(\d+)$", r"rs\1", local),
    "mesh": lambda local: local[:1].upper() + local[1:],
    "umls": str.upper,
    "wikidata": str.upper,
}


@lru_cache(maxsize=1 << 16)
def curie(token: str, prefix: str = "") -> str:
    """One id in its canonical form; `prefix` is that of bare ids, "" keeps them as they are.

    >>> curie("MESH:D003924"), curie("D003924", "mesh"), curie("OMIM:215600", "mesh")
    ('mesh:D003924', 'mesh:D003924', 'omim:215600')
    >>> curie("CVCL_0481"), curie("rs756250449"), curie("RS#:756250449")
    ('cellosaurus:0481', 'dbsnp:rs756250449', 'dbsnp:rs756250449')
    >>> curie(" Q30 ", "wikidata"), curie("NCBI Gene:2"), curie("NCBI:txid9606"), curie("mine:a:b")
    ('wikidata:Q30', 'ncbigene:2', 'ncbitaxon:9606', 'mine:a:b')
    >>> curie("http://www.wikidata.org/entity/Q30"), curie("http://example.org/a")
    ('wikidata:Q30', 'http://example.org/a')
    """
    token = token.strip()
    head, colon, local = token.partition(":")
    known = PREFIXES.get(head.strip().lower()) if colon else None
    if known is None and not colon:
        if re.fullmatch(r"(?i)cvcl_\w{4}", token):
            known, local = "cellosaurus", token
        elif re.fullmatch(r"(?i)rs\d+", token):
            known, local = "dbsnp", token
        elif prefix and token:
            known, local = prefix, token
    if known is None:
        return from_iri(token) if head in ("http", "https") else token
    local = local.strip()
    if known in ("ncbigene", "ncbitaxon") and (taxon := _TAXON.fullmatch(local)):
        return f"ncbitaxon:{taxon[1]}"
    return f"{known}:{_TIDY[known](local) if known in _TIDY else local}"


#: The form of local ids where a knowledge base has one (ID-6).
_FORMS = {
    "wikidata": r"[QPL]\d+", "mesh": r"[A-Z]\d+", "umls": r"C\d{7}", "dbsnp": r"rs\d+", "cellosaurus": r"\w{4}",
    **dict.fromkeys(("ncbigene", "ncbitaxon", "omim", "chebi", "doid", "mondo", "hp", "go", "cl", "uberon"), r"\d+"),
}  # fmt: skip


def is_formed(identifier: str) -> bool:
    """Whether an id has the form of its knowledge base (ID-6); where none is known any is as good as another.

    >>> is_formed("wikidata:Q30"), is_formed("wikidata:Cummings"), is_formed("mine:anything")
    (True, False, True)
    """
    prefix, _, local = identifier.partition(":")
    return prefix not in _FORMS or re.fullmatch(_FORMS[prefix], local, re.ASCII) is not None


#: Where IRIs of identifiers come from (ID-4): a pattern and the prefix, or "" if the first group has it.
_IRIS = [
    (re.compile(r"https?://(?:www\.)?wikidata\.org/(?:entity|wiki)/()(.+)"), "wikidata"),
    (re.compile(r"https?://(?:www\.)?dbpedia\.org/(?:resource|page)/()(.+)"), "dbpedia"),
    (re.compile(r"https?://purl\.obolibrary\.org/obo/([A-Za-z]+)_(.+)"), ""),
    (re.compile(r"https?://(?:www\.)?identifiers\.org/([A-Za-z][\w.]*)[/:](.+)"), ""),
    (re.compile(r"https?://id\.nlm\.nih\.gov/mesh/()(.+)"), "mesh"),
]
_OBO = {"doid": "DOID", "mondo": "MONDO", "hp": "HP", "chebi": "CHEBI", "go": "GO", "cl": "CL",
        "uberon": "UBERON", "ncbitaxon": "NCBITaxon", "bao": "BAO"}  # fmt: skip
_OWN = "urn:linkassay:id:"


def from_iri(iri: str) -> str:
    """The CURIE that an IRI of a known place stands for; any other IRI as it is.

    >>> from_iri("http://www.wikidata.org/entity/Q30"), from_iri("http://identifiers.org/mesh/D001")
    ('wikidata:Q30', 'mesh:D001')
    >>> from_iri("http://purl.obolibrary.org/obo/DOID_123"), from_iri("http://example.org/a")
    ('doid:123', 'http://example.org/a')
    """
    if iri.startswith(_OWN):
        return unquote(iri.removeprefix(_OWN))
    for pattern, prefix in _IRIS:
        if match := pattern.fullmatch(iri):
            prefix, local = prefix or match[1], unquote(match[2])
            if local.lower().startswith(prefix.lower() + ":"):  # …/doid/DOID:123
                local = local[len(prefix) + 1 :]
            return curie(f"{prefix}:{local}")
    return iri


def to_iri(identifier: str) -> str:
    """An IRI from which `from_iri` gives `identifier` back, whatever it is.

    >>> to_iri("wikidata:Q30"), to_iri("doid:123"), to_iri("mesh:D001")
    ('http://www.wikidata.org/entity/Q30', 'http://purl.obolibrary.org/obo/DOID_123', 'http://identifiers.org/mesh/D001')
    >>> to_iri("what is this")
    'urn:linkassay:id:what%20is%20this'
    """
    prefix, _, local = identifier.partition(":")
    local = quote(local)
    places = {
        "wikidata": f"http://www.wikidata.org/entity/{local}",
        "dbpedia": f"http://dbpedia.org/resource/{local}",
        "http": identifier,
        "https": identifier,
    }
    iri = places.get(prefix) or (
        f"http://purl.obolibrary.org/obo/{_OBO[prefix]}_{local}" if prefix in _OBO
        else f"http://identifiers.org/{prefix}/{local}"
    )  # fmt: skip
    sound = not re.search(r"[\x00-\x20<>\"{}|^`\\]", iri) and from_iri(iri) == identifier
    return iri if sound else _OWN + quote(identifier, safe="")


#: What says "no id" in every source (ID-3).
_NONE = ("", "-", "-1", "NIL", "None", "null")


@dataclass(frozen=True, slots=True)
class IdRule:
    """How one source writes the ids of a mention (ID-3).

    `composite` and `alternative` are sets of single characters; `none` are further spellings of "no
    id" (see `is_none`); `strip` is a regular expression removed from each id.

    >>> rule = IdRule(prefix="mesh", composite="|+")
    >>> [sorted(ids) for ids in rule.gold("D003110|OMIM:114500")]
    [['mesh:D003110', 'omim:114500']]
    >>> rule.gold("-1")
    ()
    >>> IdRule(prefix="ncbigene", alternative=";", strip=r"\\(Tax:\\d+\\)").gold("2(Tax:9606);3")
    (frozenset({'ncbigene:2'}), frozenset({'ncbigene:3'}))
    """

    prefix: str = ""
    composite: str = ""
    alternative: str = ""
    none: tuple[str, ...] = ()
    strip: str = ""

    def gold(self, raw: str) -> Gold:
        """The alternatives that `raw` stands for; () is NIL."""
        alternatives: dict[frozenset[str], None] = {}
        for part in _split(raw, self.alternative):
            ids = (re.sub(self.strip, "", t) if self.strip else t for t in _split(part, self.composite))
            kept = frozenset(curie(t, self.prefix) for t in ids if not self.is_none(t))
            if kept:
                alternatives[kept] = None
        return tuple(alternatives)

    def is_none(self, token: str) -> bool:
        """Whether `token` says "no id", with or without a known prefix; nothing at all always does.

        >>> rule = IdRule(prefix="mesh", none=("No",))
        >>> [rule.is_none(token) for token in (" -1 ", "MESH:-1", "MESH:", "", "NIL", "No", "D003110", "mine:-1")]
        [True, True, True, True, True, True, False, False]
        """
        head, colon, local = token.partition(":")
        if colon and (head.strip().lower() in PREFIXES or head.strip() == self.prefix):
            token = local
        return token.strip() in _NONE or token.strip() in self.none

    def spelled(self, gold: Gold) -> str | None:
        """The inverse of `gold`: a text that this rule reads as `gold`; None where there is none.

        >>> rule = IdRule(prefix="mesh", composite="|", alternative=";")
        >>> rule.spelled((frozenset({"mesh:D003110", "omim:114500"}), frozenset({"mesh:D009369"})))
        'mesh:D003110|omim:114500;mesh:D009369'
        >>> IdRule().spelled((frozenset({"mesh:D003110"}), frozenset({"mesh:D009369"}))) is None
        True
        """
        text = self.alternative[:1].join(self.composite[:1].join(sorted(ids)) for ids in gold)
        return text if self.gold(text) == gold else None


def _split(text: str, characters: str) -> list[str]:
    return re.split(f"[{re.escape(characters)}]", text) if characters else [text]
