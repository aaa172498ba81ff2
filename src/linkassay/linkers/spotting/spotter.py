"""Dictionary spotting, end to end: names of the knowledge base where they occur, ranked by what training says of them.

The strings decide where mentions are; how often a string was annotated in training decides whether it is one at all
(LINKER-6: spotting and prior). No model of context is learned.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from linkassay.corpora import Corpus
from linkassay.kbs import Kb
from linkassay.linkers.protocol import Answer, Capabilities, FoundMention, Query
from linkassay.linkers.spotting.kb_names import Names, strict
from linkassay.linkers.spotting.phrases import Phrases, Spot
from linkassay.linkers.spotting.training_shares import PatternCounts, Sort, TrainingShares
from linkassay.linkers.spotting.word_tokens import Token, tokens
from linkassay.model import Document, Span
from linkassay.store import MappedFolder
from linkassay.text.abbreviations import abbreviation_pairs

#: Words that are names of something in every large knowledge base and hardly ever meant as such.
_STOP = (
    "a all also am an and any are as at be both but by can did do does each for from had has have he her him his how i "
    "if in into is it its large like make may me more most my new no none nor not of on one or other our out own same "
    "she small so some such than that the their them then there these they this those to two under up use very was we "
    "well were what when where which who will with would you your"
)
STOP = frozenset(_STOP.split())
#: An occurrence is taken for a mention if at least this share of the like was: with p the chance that it is right, F1
#: gains from all with p above half of the F1 that can be had (Lipton et al. 2014), here about .8.
_LEAST_SHARE = 0.4
#: How many occurrences the share of names of the same sort counts for.
_SMOOTHING = 2.0
_BINOMIAL = re.compile(r"([A-Z])[a-z]+ ([a-z]+)")


def ranked(weights: dict[str, float], top: int) -> Answer:
    """Ids by their share of all weight, those of equal weight tied."""
    total = sum(weights.values())
    groups: dict[float, list[str]] = {}
    for identifier, weight in weights.items():
        groups.setdefault(weight, []).append(identifier)
    return [(tuple(sorted(groups[weight])), weight / total) for weight in sorted(groups, reverse=True)[:top]]


def longest(spans: Iterable[Span]) -> list[Span]:
    """Of overlapping spans the longest (the first of equally long ones), in the order of the text.

    >>> longest([(0, 4), (2, 9), (8, 12), (12, 14)])
    [(2, 9), (12, 14)]
    """
    kept: list[Span] = []
    for start, end in sorted(spans, key=lambda s: (s[0] - s[1], s)):
        at = bisect_right(kept, (start, end))
        if (at == 0 or kept[at - 1][1] <= start) and (at == len(kept) or kept[at][0] >= end):
            kept.insert(at, (start, end))
    return kept


def occurrences(word: str, text: str) -> Iterator[Span]:
    """Where a word stands by itself in a text, letter for letter."""
    for match in re.finditer(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text):
        yield match.span()


def _inside(span: Span, spans: list[Span]) -> bool:
    """Whether one of the sorted spans, which hardly overlap, covers or touches a span."""
    at = bisect_right(spans, (span[1], 0))
    return any(start < span[1] and span[0] < end for start, end in spans[max(0, at - 3) : at])


class Spotter:
    """Names of the knowledge base and texts of training, wherever they occur; the longest where several do."""

    summary = "end to end: names of the KB where they occur, with shares and priors from training"
    capabilities = Capabilities(links=True, annotates=True, trains=True, stores=True, wants_corpus=True)

    def __init__(self) -> None:
        self._wanted: frozenset[str] = frozenset()

    def about(self, corpus: Corpus) -> None:
        """The types that are looked for, where the knowledge base knows any of them; any if some have none."""
        self._wanted = frozenset([corpus.type] if corpus.type else corpus.types)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the names."""
        self._begin(kb, Names.of(kb))

    def store_index(self, files: MappedFolder) -> None:
        """Write the names."""
        self._names.store(files)

    def open_index(self, kb: Kb, files: MappedFolder) -> None:
        """Take them as they lie."""
        self._begin(kb, Names.opened(files))

    def _begin(self, kb: Kb, names: Names) -> None:
        self._kb, self._names = kb, names
        self._known = (self._wanted & names.types) - {""}
        self._types = frozenset() if "" in self._wanted else self._known
        self._further, _ = Phrases.of(())
        self._shares = TrainingShares.of({}, {})

    def train(self, documents: Iterable[Document]) -> None:
        """Look for what was annotated, too; count how often each text was, and with what."""
        train = list(documents)
        texts = sorted({m.text for d in train for m in d.mentions if len(m.spans) == 1})
        self._further, _ = Phrases.of(text for text in texts if not self._names.phrases.pattern(text))
        self._shares = self._learned(train)

    def store_training(self, files: MappedFolder) -> None:
        """Write what was annotated and counted."""
        self._further.store(files.part("further"))
        self._shares.store(files)

    def open_training(self, files: MappedFolder) -> None:
        """Take it as it lies."""
        self._further = Phrases.opened(files.part("further"))
        self._shares = TrainingShares.opened(files)

    def spots(self, words: Sequence[Token]) -> list[Spot]:
        """All names and texts of training among words, by their ends, the longest first.

        What only training knows has numbers beyond those of names.
        """
        found, beyond = self._names.phrases.find(words), self._names.phrases.size
        if further := self._further.find(words):
            found += [spot._replace(pattern=beyond + spot.pattern) for spot in further]
            found.sort(key=lambda spot: (spot.last, spot.first))
        return found

    def _learned(self, documents: list[Document]) -> TrainingShares:
        counted: dict[int, PatternCounts] = defaultdict(PatternCounts)
        sorts: dict[int, Sort] = {}
        for document in documents:
            gold = {m.spans[0]: m for m in document.mentions if len(m.spans) == 1}
            ends = sorted(gold)
            for spot in self.spots(list(tokens(document.text))):
                text = document.text[slice(*spot.span)]
                mention = gold.get(spot.span)
                if not mention and (not self._names.meant(spot.pattern, text, self._types) or _inside(spot.span, ends)):
                    continue  # not what would be said, or part of what was annotated: says nothing
                counts = counted[spot.pattern]
                counts.met += 1
                if mention:
                    counts.mentions += 1
                    counts.types[mention.type] += 1
                    counts.ids.update({now for i in mention.ids for now in self._kb.current(i) if now in self._names})
                sorts[spot.pattern] = self._sort(spot.pattern, text)
        shares: dict[Sort, list[float]] = defaultdict(list)
        for pattern, counts in counted.items():
            if self._names.rows(pattern):
                shares[sorts[pattern]].append(counts.mentions / counts.met)
        return TrainingShares.of(
            counted, {sort: (sum(found) + 0.5) / (len(found) + 1) for sort, found in shares.items()}
        )

    def _sort(self, pattern: int, text: str) -> Sort:
        """What names are alike in their chance to be a mention: type and category, one word or more, case."""
        rows = self._names.rows(pattern)
        return (*(self._names.sort(rows[0]) if rows else ("", "")), " " not in text, strict(text))

    def _share(self, pattern: int, text: str) -> float:
        """How often an occurrence is a mention, as far as training says; without training, always."""
        mentions, met = self._shares.counts(pattern)
        sorts = self._shares.sorts
        like = sorts.get(self._sort(pattern, text), 0.5 if sorts else 1.0)
        return (mentions + _SMOOTHING * like) / (met + _SMOOTHING)

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """What the whole text of a mention names; case does not matter where it is known to be a mention."""
        answers = []
        for query in queries:
            pattern = self._pattern(query.text)
            types = frozenset([query.type]) & self._known  # a mention without a type may be of any
            answers.append(self._answer(pattern, query.text, types, top, fold=True) if pattern else [])
        return answers

    def _pattern(self, text: str) -> int:
        """The pattern that a whole text is; 0 if it is none."""
        words = list(tokens(text))
        return next((s.pattern for s in self.spots(words) if (s.first, s.last) == (0, len(words))), 0)

    def _answer(self, pattern: int, text: str, types: frozenset[str], top: int, *, fold: bool = False) -> Answer:
        """Entities by training and name: an annotation counts as much as a primary name in its own letters."""
        weights = self._names.meant(pattern, text, types, fold=fold)
        for identifier, times in self._shares.meant(pattern):
            weights[identifier] = weights.get(identifier, 0.0) + 4.0 * times
        return ranked(weights, top)

    def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention]]:
        """The mentions of each document, in the order of the text."""
        return [self._annotated(document.text, top) for document in documents]

    def _annotated(self, text: str, top: int) -> list[FoundMention]:
        defined = {pair.short: pair.long_span for pair in abbreviation_pairs(text)}
        words = list(tokens(text))
        found: dict[Span, FoundMention] = {}
        for spot in self.spots(words):
            surface = text[slice(*spot.span)]
            word = surface.lower() in STOP and not surface.isupper()
            if word or self._share(spot.pattern, surface) < _LEAST_SHARE:
                continue
            if answer := self._answer(spot.pattern, surface, self._types, top):
                found[spot.span] = FoundMention((spot.span,), answer, self._type_of(spot.pattern))
        for short, long in defined.items():  # a short form means what its long form does, and nothing else
            meant = found.get(long)
            for first, last in occurrences(short, text):
                if meant:
                    found[first, last] = FoundMention(((first, last),), meant.answer, meant.type)
                else:
                    found.pop((first, last), None)
        for mark in list(found.values()):  # "E. coli", where the document has it in full
            if cut := _BINOMIAL.fullmatch(text[slice(*mark.spans[0])]):
                for first, last in occurrences(f"{cut[1]}. {cut[2]}", text):
                    found[first, last] = FoundMention(((first, last),), mark.answer, mark.type)
        return [found[span] for span in longest(found)]

    def _type_of(self, pattern: int) -> str:
        trained = self._shares.type_of(pattern)
        if trained is not None:
            return trained
        types = (self._names.sort(row)[0] for row in self._names.rows(pattern))
        return next((type_ for type_ in types if not self._types or type_ in self._types), "")
