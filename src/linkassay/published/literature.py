"""The figures that the literature has for a corpus, for a report to show beside ours. Nothing is computed here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from linkassay.corpora import CORPORA, Corpus, canonical_name, corpus_names, spec_of
from linkassay.published.published_table import PublishedFigure, PublishedTable, Work, load_work

#: Work → its tables with figures of single systems on single corpora that our measures can stand beside.
TABLES = {"belb": (4, 5, 14, 15), "bioel": (4, 7, 11), "hierarchy": (1,)}

#: Kind of entity → how corpora call types of it, in small letters and without punctuation: those of our corpora, and
#: usual ones of own files (BioRED, PubTator, NCBI Disease, tmVar, CRAFT).
ENTITY_KINDS = {
    "disease": ("disease", "diseases", "disorder", "diseaseorphenotypicfeature", "specificdisease", "diseaseclass",
                "compositemention"),
    "chemical": ("chemical", "chemicals", "chemicalentity", "drug", "drugs", "compound"),
    "gene": ("gene", "genes", "geneorgeneproduct", "geneproduct", "protein", "geneprotein"),
    "species": ("species", "organism", "organisms", "organismtaxon", "taxon"),
    "cell line": ("cellline", "celllines"),
    "variant": ("variant", "variants", "sequencevariant", "mutation", "snp", "dnamutation", "proteinmutation",
                "dbsnp"),
    "UMLS concept": ("umls", "umlsconcept"),
}  # fmt: skip


def kind_of(type_: str) -> str:
    """The kind of entity that a corpus's type is of; "" if it is none of `ENTITY_KINDS`.

    >>> kind_of("Cell_Line"), kind_of("OrganismTaxon"), kind_of("person")
    ('cell line', 'species', '')
    """
    plain = _plain(type_).replace("_", "")
    return next((kind for kind, types in ENTITY_KINDS.items() if plain in types), "")


def published_rows_of_kind(kind: str, measure: str = "recall@1", protocols: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Rows as in `published_rows` of all corpora of nothing but this kind of entity, each with its `corpus` in words.

    They are for orientation on another corpus, so none is comparable. What a later table repeats is left out.

    >>> sorted({r["corpus"] for r in published_rows_of_kind("species")})
    ['Linnaeus', 'S800 (Species-800)']
    """
    found: dict[tuple[Any, ...], dict[str, Any]] = {}
    for name in _published():
        bare, _, part = name.partition("/")
        types = (part,) if part else spec_of(bare).types
        if {kind_of(type_) for type_ in types} == {kind}:
            title = spec_of(bare).title + (f" ({part})" if part else "")
            for row in published_rows(name):
                if row["measure"] == measure and (not protocols or row["protocol"] in protocols):
                    same = name, *(row[key] for key in ("work", "system", "protocol", "scope", "value"))
                    found.setdefault(same, row | {"corpus": title, "comparable": False, "note": "another corpus"})
    return list(found.values())


def _published() -> list[str]:
    """Our names of all corpora that `TABLES` has figures of."""
    works = [load_work(name) for name in TABLES]
    named = (n for of in works for n in (*of.corpora.values(), *(table.corpus for table in of.tables.values())))
    return list(dict.fromkeys(filter(None, named)))


def published_rows(corpus: str) -> list[dict[str, Any]]:
    """A row for each published figure on a corpus: shares of 1, measures as on our command line.

    `scope` is "all", or which mentions count. `comparable` says whether our figure on all mentions that the corpus has,
    under `protocol`, is of the same kind; `note` says what stands against it or must be kept in mind. A corpus made
    from a file of predictions goes by the corpus that its name begins with; it may hold just what was recognised.

    >>> found = [r for r in published_rows("linnaeus") if (r["work"], r["table"]) == ("belb", 4)]
    >>> [(r["system"], r["value"], r["scope"]) for r in found]
    ... # doctest: +NORMALIZE_WHITESPACE
    [('SR4GN', 0.99, 'recognised(SR4GN)'), ('BioSyn', 0.93, 'recognised(SR4GN)'),
     ('GenBioEL', 0.81, 'recognised(SR4GN)'), ('arboEL', 0.74, 'recognised(SR4GN)')]
    >>> sorted({r["protocol"] for r in published_rows("gnormplus-belb") if r["work"] == "bioel"})
    ['bioel/basic', 'bioel/relaxed']
    >>> published_rows("mine")
    []
    """
    found = []
    made = _made(corpus)
    only, other = made.get("of_predictions") == "recognised", _annotated_again(made)
    for name, numbers in TABLES.items():
        of = load_work(name)
        mine = corpus_of(corpus, of)
        for table in (of.tables[n] for n in numbers):
            found += [row for f in table.figures() if mine and (row := _row(of, table, f, mine, only, other))]
    return found


def out_of_memory(corpus: str, name: str, number: int) -> list[str]:
    """The systems that have no figure on a corpus in a table of a work since they ran out of memory ("OOM").

    >>> out_of_memory("gnormplus", "belb", 15)
    ['BioSyn']
    """
    of = load_work(name)
    mine = corpus_of(corpus, of)
    return [
        of.system(labels["system"], labels["corpus"])
        for labels, word in of.tables[number].words()
        if word == "OOM" and mine and of.corpora.get(labels.get("corpus", "")) == mine
    ]


def _made(name: str) -> dict[str, Any]:
    """What the data home knows of how a corpus was made, e.g. from what a rule-based system recognised."""
    here = name.partition("/")[0].partition("@")[0] in corpus_names()
    return Corpus.open(name).manifest if here else {}


def _annotated_again(made: dict[str, Any]) -> bool:
    """Whether a corpus is of the re-release with GNorm2, whose mentions are others; its files are `….PubTator`."""
    inputs = made.get("inputs", {}).values()
    return any(source["file"].endswith(".PubTator") for each in inputs for source in each["sources"])


def corpus_of(name: str, of: Work) -> str:
    """Our name of the corpus of a work that `name` is, or is made from; "" if it is none of them.

    >>> belb = load_work("belb")
    >>> corpus_of("bc5cdr/disease", belb), corpus_of("bc5cdr_disease-belb", belb), corpus_of("bc5cdr", belb)
    ('bc5cdr/disease', 'bc5cdr/disease', '')
    """
    known = {*of.corpora.values(), *filter(None, (t.corpus for t in of.tables.values()))}
    bare, slash, type_ = name.partition("/")
    bare = canonical_name(bare.partition("@")[0])
    if bare in CORPORA:
        return bare + slash + type_ if bare + slash + type_ in known else ""
    begins = [k for k in known if f"{_plain(bare)}_".startswith(f"{_plain(k)}_")]
    return max(begins, key=len, default="")


def scope_of(of: Work, table: PublishedTable, printed: str) -> str:
    """Which mentions of a corpus of the paper count: "all", or what its rule-based system recognised."""
    if table.scope != "recognised":
        return table.scope
    system = of.system("RBES", printed)
    return f"recognised({system})" if system in of.joint else "all"


def _row(
    of: Work, table: PublishedTable, figure: PublishedFigure, corpus: str, recognised: bool, again: bool
) -> dict[str, Any] | None:
    printed = figure.labels.get("corpus", "")
    variant = figure.labels.get("variant")
    # What has no variant stands in another table; 0 is printed where there was no figure (BioEL table 11).
    if variant == "" or figure.value == 0 or figure.measure.endswith("%"):
        return None
    if of.corpora.get(printed, table.corpus) != corpus:
        return None
    scope = scope_of(of, table, printed)
    same = scope == (f"recognised({of.system('RBES', printed)})" if recognised else "all")
    protocol = "belb/lenient" if variant == "lenient" else table.protocol
    set_ = figure.labels.get("set", "global")
    resolved = ", abbreviations resolved" if variant == "abbreviations resolved" else ""
    return {
        "work": of.name,
        "table": table.number,
        "system": of.system(figure.labels["system"], printed) + resolved,
        "measure": figure.measure if set_ == "global" else f"{figure.measure}(set={set_})",
        "value": round(figure.value / 100, figure.digits + 2) if table.unit == "percent" else figure.value,
        "protocol": protocol,
        "scope": scope,
        "citation": of.citation,
        "comparable": same and not again,
        "note": f"of other mentions: {scope}"
        if not same
        else "of other mentions: ours were annotated again"
        if again
        else "the knowledge base may be of another edition",
    }


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower())
