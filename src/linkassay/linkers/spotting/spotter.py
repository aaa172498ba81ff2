"""Dictionary spotting, end to end: names of the knowledge base where they occur, ranked by what training says of them.

The strings decide where mentions are; how often a string was annotated in training decides whether it is one at all
(LINKER-6: spotting and prior). No model of context is learned.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from linkassay.corpora import Corpus
from linkassay.kbs import Kb
from linkassay.linkers.entity_types import TYPED
from linkassay.linkers.protocol import Answer, Capabilities, FoundMention, Query
from linkassay.linkers.spotting.word_tokens import Token, tokens, word_forms
from linkassay.model import Document, Span
from linkassay.text.abbreviations import abbreviation_pairs

Integers = NDArray[np.integer[Any]]

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
_MOST_WORDS = 16
_BINOMIAL = re.compile(r"([A-Z])[a-z]+ ([a-z]+)")

_NAMES = f"""
    select n.name, id, max(n."primary"::int) as p, any_value(typed.type) as type, any_value(e.category) as category
    from names n join entities e using (id) join {TYPED} typed using (id) group by n.name, id order by name, p desc, id
"""


def strict(name: str) -> bool:
    """Whether the case of a name matters: it is short, or a code in capitals.

    >>> [strict(n) for n in ("Was", "AIDS", "BRCA1", "aspirin", "DIABETES MELLITUS", "HeLa", "p53")]
    [True, True, True, False, False, False, True]
    """
    letters = [c for c in name if c.isalpha()]
    return len(letters) <= 3 or (len(letters) <= 8 and not any(c.islower() for c in letters) and " " not in name)


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


class Spot(NamedTuple):
    """A name found in a text: its words (from, to), its place, and its number among the patterns."""

    first: int
    last: int
    span: Span
    pattern: int


class Names:
    """The names of a knowledge base as patterns of words, and which entities each may mean."""

    def __init__(self, kb: Kb, further: Iterable[str] = ()) -> None:
        """`further`: texts that are looked for beside the names."""
        from linkassay.linkers.spotting.aho_corasick import Automaton  # heavy: numba

        table = kb.connect().sql(_NAMES).to_arrow_table()
        names = table.column("name").combine_chunks().dictionary_encode()
        self.names: pa.Array = names.dictionary
        known: dict[str, int] = {}
        lengths: list[int] = []
        symbols: list[int] = []
        more = sorted(set(further))
        for name in (*self.names.to_pylist(), *more):
            words = word_forms(name)
            fit = len(words) <= _MOST_WORDS and len(name) > 1 and not all(map(str.isdigit, words))
            lengths.append(len(words) if fit else 0)
            if fit:
                symbols += [known.setdefault(word, len(known)) for word in words]
        self._known = known
        sizes = np.array(lengths, dtype=np.int64)
        self._automaton = Automaton(sizes, np.array(symbols, dtype=np.int64), len(known))
        ends = self._automaton.ends[: len(self.names)]
        #: Name rows (name, id) in the order of patterns; `_starts` where those of each pattern begin.
        pattern = ends[np.asarray(names.indices)]
        pattern[sizes[np.asarray(names.indices)] == 0] = 0
        order = np.argsort(pattern, kind="stable")
        self._patterns, self._rows = pattern[order], order
        self._name_of = np.asarray(names.indices)
        self._ids = table.column("id").combine_chunks()
        self._primary = np.asarray(table.column("p"))
        self.types = table.column("type").combine_chunks().dictionary_encode()
        self.categories = table.column("category").combine_chunks().dictionary_encode()

    def rows(self, pattern: int) -> Integers:
        """The numbers of the name rows of a pattern."""
        first, last = np.searchsorted(self._patterns, [pattern, pattern + 1])
        return self._rows[first:last]

    def sort(self, row: int) -> tuple[str, str]:
        """Type and category of the entity of a name row."""
        return (self.types.dictionary[self.types.indices[row].as_py()].as_py(),
                self.categories.dictionary[self.categories.indices[row].as_py()].as_py() or "")  # fmt: skip

    def meant(self, pattern: int, text: str, types: frozenset[str], *, fold: bool = False) -> dict[str, float]:
        """Entities that have this text as a name, with a weight: more for the primary name and for the same letters.

        A name whose case matters counts only in its own (or with a plural's s), unless all are folded.
        """
        found: dict[str, float] = {}
        plain = _letters(text)
        for row in self.rows(pattern).tolist():
            name = self.names[self._name_of[row]].as_py()
            same = _letters(name) == plain
            if not same and not fold and strict(name) and plain.removesuffix("s") != _letters(name):
                continue
            if types and self.sort(row)[0] not in types:
                continue
            weight = (2.0 if self._primary[row] else 1.0) * (2.0 if same else 1.0)
            identifier = self._ids[row].as_py()
            found[identifier] = max(weight, found.get(identifier, 0.0))
        return found

    def pattern(self, text: str) -> int:
        """The pattern that a whole text is; 0 if it is none."""
        words = list(tokens(text))
        return next((s.pattern for s in self.find(words) if (s.first, s.last) == (0, len(words))), 0)

    def find(self, words: Sequence[Token]) -> Iterator[Spot]:
        """All names among the words of a text that begin and end where words do."""
        symbols: list[int] = []
        number: list[int] = []
        for n, word in enumerate(words):
            if word.begins and n:
                symbols.append(-1)
                number.append(n)
            symbols.append(self._known.get(word.form, -1))
            number.append(n)
        number.append(len(words))
        for start, end, pattern in zip(*(column.tolist() for column in self._automaton.find(symbols)), strict=True):
            first, last = number[start], number[end - 1] + 1
            if not words[first].joined and (last == len(words) or not words[last].joined):
                yield Spot(first, last, (words[first].start, words[last - 1].end), pattern)


def _letters(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


class Spotter:
    """Names of the knowledge base and texts of training, wherever they occur; the longest where several do."""

    summary = "end to end: names of the KB where they occur, with shares and priors from training"
    capabilities = Capabilities(links=True, annotates=True, wants_corpus=True, learns=True)

    def __init__(self) -> None:
        self._wanted: frozenset[str] = frozenset()

    def about(self, corpus: Corpus) -> None:
        """The types that are looked for, where the knowledge base knows any of them."""
        self._wanted = frozenset([corpus.type] if corpus.type else corpus.types)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index names and training texts; count how often each text was annotated, and with what."""
        documents = list(train)
        self._names = Names(kb, (m.text for d in documents for m in d.mentions if len(m.spans) == 1))
        known = {value.as_py() for value in self._names.types.dictionary}
        self._types = self._wanted & known
        self._prior: dict[int, Counter[str]] = defaultdict(Counter)
        self._type: dict[int, Counter[str]] = defaultdict(Counter)
        self._seen: dict[int, tuple[int, int]] = {}
        self._sorts: dict[tuple[Any, ...], float] = {}
        self._learn(documents, kb)

    def _learn(self, documents: list[Document], kb: Kb) -> None:
        ids = frozenset(row[0] for row in kb.sql("select id from entities where not obsolete"))
        said: dict[int, list[int]] = defaultdict(lambda: [0, 0])
        sorts: dict[int, tuple[Any, ...]] = {}
        for document in documents:
            gold = {m.spans[0]: m for m in document.mentions if len(m.spans) == 1}
            ends = sorted(gold)
            for spot in self._names.find(list(tokens(document.text))):
                text = document.text[slice(*spot.span)]
                mention = gold.get(spot.span)
                if mention:
                    self._prior[spot.pattern].update({now for i in mention.ids for now in kb.current(i)} & ids)
                    self._type[spot.pattern][mention.type] += 1
                elif not self._names.meant(spot.pattern, text, self._types) or _inside(spot.span, ends):
                    continue  # not what would be said, or part of what was annotated: says nothing
                said[spot.pattern][0] += mention is not None
                said[spot.pattern][1] += 1
                sorts[spot.pattern] = self._sort(spot.pattern, text)
        self._seen = {pattern: (hits, all_) for pattern, (hits, all_) in said.items()}
        shares: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        for pattern, (hits, all_) in self._seen.items():
            if self._names.rows(pattern).size:
                shares[sorts[pattern]].append(hits / all_)
        self._sorts = {sort: (sum(found) + 0.5) / (len(found) + 1) for sort, found in shares.items()}

    def _sort(self, pattern: int, text: str) -> tuple[Any, ...]:
        """What names are alike in their chance to be a mention: type and category, one word or more, case."""
        rows = self._names.rows(pattern)
        one = " " not in text
        return (*(self._names.sort(int(rows[0])) if rows.size else ("", "")), one, strict(text))

    def _share(self, pattern: int, text: str) -> float:
        """How often an occurrence is a mention, as far as training says; without training, always."""
        hits, all_ = self._seen.get(pattern, (0, 0))
        like = self._sorts.get(self._sort(pattern, text), 0.5 if self._sorts else 1.0)
        return (hits + _SMOOTHING * like) / (all_ + _SMOOTHING)

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """What the whole text of a mention names; case does not matter where it is known to be a mention."""
        answers = []
        for query in queries:
            pattern = self._names.pattern(query.text)
            types = frozenset([query.type]) & self._types
            answers.append(self._answer(pattern, query.text, types, top, fold=True) if pattern else [])
        return answers

    def _answer(self, pattern: int, text: str, types: frozenset[str], top: int, *, fold: bool = False) -> Answer:
        """Entities by training and name: an annotation counts as much as a primary name in its own letters."""
        weights = self._names.meant(pattern, text, types, fold=fold)
        for identifier, times in self._prior.get(pattern, {}).items():
            weights[identifier] = weights.get(identifier, 0.0) + 4.0 * times
        return ranked(weights, top)

    def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention]]:
        """The mentions of each document, in the order of the text."""
        return [self._annotated(document.text, top) for document in documents]

    def _annotated(self, text: str, top: int) -> list[FoundMention]:
        defined = {pair.short: pair.long_span for pair in abbreviation_pairs(text)}
        words = list(tokens(text))
        found: dict[Span, FoundMention] = {}
        for spot in self._names.find(words):
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
        if trained := self._type.get(pattern):
            return max(sorted(trained), key=lambda type_: trained[type_])
        rows = self._names.rows(pattern).tolist()
        types = (self._names.sort(row)[0] for row in rows)
        return next((type_ for type_ in types if not self._types or type_ in self._types), "")
