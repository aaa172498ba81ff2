"""A benchmark looked at as the Fair EL paper does (its tables 2 and 3): its mentions, and whether it is consistent.

Judges annotations, not systems (E2E-16 to E2E-18).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from linkassay.corpora import Corpus
from linkassay.errors import UsageError
from linkassay.kbs import Kb
from linkassay.model import STRAY, Document, Mention
from linkassay.scoring.endtoend.categories import DISAMBIGUATION, disambiguation_category
from linkassay.scoring.endtoend.kb_facts import LOCATION, ORGANISATION, PERSON, KbFacts, kb_facts_of
from linkassay.scoring.endtoend.mention_kinds import is_coreference, is_lower_cased

_WORD = re.compile(r"\w+")
_LONGEST = 8  # words of a mention that is looked for elsewhere


def critique_corpus(corpus: Corpus, split: str = "test") -> dict[str, Any]:
    """The critique of a stored corpus, with what its knowledge base knows if that is at hand."""
    documents = list(corpus[split])
    train = list(corpus["train"]) if "train" in corpus.splits and split != "train" else []
    mentions = [m for d in documents for m in d.annotations]
    try:
        kb = Kb.open(corpus.manifest["kb"])
    except UsageError:
        return critique(documents, KbFacts(), train)
    ids = {i for m in mentions for i in m.ids}
    return critique(documents, kb_facts_of(kb, ids, {m.text for m in mentions}, train), train)


def critique(documents: Iterable[Document], facts: KbFacts, train: Iterable[Document] = ()) -> dict[str, Any]:
    """All of it. `properties` counts roots; shares are of those that must be found and are no coreference."""
    documents, train = list(documents), list(train)
    found = {"properties": properties(documents, facts), "consistency": consistency(documents)}
    return found | ({"overlap": _overlap(documents, train)} if train else {})


def properties(documents: Iterable[Document], facts: KbFacts) -> dict[str, Any]:
    """Counts of roots (table 2), and shares of what is scored (table 3)."""
    counts: Counter[str] = Counter()
    scored: list[Mention] = []
    for document in documents:
        parents = {m.parent for m in document.annotations if m.role != STRAY}
        for m in document.mentions:
            optional = m.optional or m.kind != ""
            reference = is_coreference(m.text) if m.coreference is None else m.coreference
            counts.update({
                "mentions": 1, "coreference": reference, "nil": not m.gold and not m.kind, "optional": optional,
                "with_alternatives": m.id in parents,
            })  # fmt: skip
            if not optional and not reference:
                scored.append(m)
    shares: Counter[str] = Counter()
    types: Counter[str] = Counter()
    for m in scored:
        shares["lower_cased"] += is_lower_cased(m.text)
        shares["multiword"] += " " in m.text
        shares["nil"] += not m.gold
        if m.gold:
            shares[disambiguation_category(facts, m.text, m.ids, known=True)] += 1
        for name, type_ in (("person", PERSON), ("location", LOCATION), ("organisation", ORGANISATION)):
            shares[name] += type_.removeprefix("wikidata:") in m.type.split("|")
        types.update(facts.type_names.get(f"wikidata:{t}", t) for t in m.type.split("|") if m.gold and t)
    names = ("lower_cased", "multiword", "nil", *DISAMBIGUATION[:-1], "person", "location", "organisation")
    size = max(1, len(scored))
    return {
        **{name: counts[name] for name in ("mentions", "coreference", "nil", "optional", "with_alternatives")},
        "scored": len(scored),
        "shares": {name: shares[name] / size for name in names},
        "types": dict(types.most_common()),
    }


def consistency(documents: Iterable[Document]) -> dict[str, Any]:
    """Same text, different decisions (E2E-17): texts with several entities, and places where a text is not annotated.

    Only texts of mentions that must be found are looked for, as whole words inside the evaluation spans.
    """
    documents = list(documents)
    golds: dict[str, Counter[str]] = defaultdict(Counter)
    for document in documents:
        for m in document.mentions:
            reference = is_coreference(m.text) if m.coreference is None else m.coreference
            if not m.optional and not m.kind and not reference:
                golds[m.text]["|".join(sorted(m.ids)) or "NIL"] += 1
    left_out: Counter[str] = Counter()
    for document in documents:
        covered = [s for m in document.annotations for s in m.spans]
        taken = _Taken(covered)
        for start, end in _occurrences(document, golds):
            if not taken.touches(start, end):
                left_out[document.text[start:end]] += 1
    repeated = {text: found for text, found in golds.items() if sum(found.values()) > 1}
    several = {text: found for text, found in repeated.items() if len(found) > 1}
    return {
        "texts_repeated": len(repeated),
        "texts_with_several_entities": len(several),
        "texts_left_out_elsewhere": len(left_out),
        "places_left_out": sum(left_out.values()),
        "examples_several_entities": {text: dict(several[text]) for text in sorted(several)[:10]},
        "examples_left_out": dict(left_out.most_common(10)),
    }


def _occurrences(document: Document, texts: Iterable[str]) -> Iterator[tuple[int, int]]:
    """Where one of the texts stands as whole words inside the evaluation spans, the longest at each place."""
    wanted = set(texts)
    for start, end in document.evaluation_spans or ((0, len(document.text)),):
        words = [(w.start(), w.end()) for w in _WORD.finditer(document.text, start, end)]
        for at, (begin, _) in enumerate(words):
            for _, stop in reversed(words[at : at + _LONGEST]):
                if document.text[begin:stop] in wanted:
                    yield begin, stop
                    break


class _Taken:
    """Characters that lie in an annotation."""

    def __init__(self, spans: Iterable[tuple[int, int]]) -> None:
        self._places = {place for start, end in spans for place in range(start, end)}

    def touches(self, start: int, end: int) -> bool:
        return any(place in self._places for place in range(start, end))


def _overlap(documents: list[Document], train: list[Document]) -> dict[str, float]:
    """Shares of mentions whose text, one of whose ids, or whose pair of both occurs in training."""
    texts = {m.text for d in train for m in d.mentions}
    ids = {i for d in train for m in d.mentions for i in m.ids}
    pairs = {(m.text, i) for d in train for m in d.mentions for i in m.ids}
    mentions = [m for d in documents for m in d.mentions]
    size = max(1, len(mentions))
    return {
        "texts_in_training": sum(m.text in texts for m in mentions) / size,
        "entities_in_training": sum(not m.ids.isdisjoint(ids) for m in mentions) / size,
        "pairs_in_training": sum(any((m.text, i) in pairs for i in m.ids) for m in mentions) / size,
    }
