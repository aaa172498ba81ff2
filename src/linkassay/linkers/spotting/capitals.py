"""Capitalised spans and a prior, end to end: the baseline for text about named entities (Bast et al. 2023; LINKER-6).

A mention is a run of capitalised words; what it means is the most popular entity of that name. No model of context;
`spotter` is for knowledge bases whose names are written small.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from linkassay.kbs import Kb
from linkassay.kbs.catalog import wikidata
from linkassay.linkers.protocol import Answer, Capabilities, FoundMention, Query
from linkassay.linkers.spotting.spotter import STOP, ranked
from linkassay.model import Document, Span

_WORD = re.compile(r"[^\W_]+(?:[.'’&-][^\W_]+)*")
#: Small words inside of names, and what may stand between the words of one.
_PARTICLES = frozenset(
    ["of", "the", "de", "del", "della", "la", "le", "van", "von", "der", "den", "and", "for", "in", "du", "di"]
)
_BETWEEN = re.compile(r"(?:\.? |-|–)")
_SENTENCE_END = re.compile(r"[.!?:]['\"”’)]*\s+\Z|\n\s*\Z|\A\W*\Z")
#: Words with a capital letter that are no names.
_OTHER = frozenset(
    ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
     "December", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday", "Mr", "Mrs", "Ms", "Dr"]
)  # fmt: skip


def capitalised(text: str) -> Iterator[list[Span]]:
    """The words of each run of capitalised words, with small words between them; not those that only begin a sentence.

    >>> text = "Then the Bank of England spoke. It stands in London."
    >>> [text[words[0][0] : words[-1][1]] for words in capitalised(text)]
    ['Bank of England', 'London']
    """
    small = {match[0] for match in _WORD.finditer(text) if match[0][0].islower()}
    run: list[Span] = []
    name = 0  # words up to the last capitalised one
    for match in _WORD.finditer(text):
        start, end = match.span()
        word = match[0]
        begins = _SENTENCE_END.search(text[max(0, start - 8) : start]) is not None
        upper = word[0].isupper() and word not in _OTHER
        if begins and upper and (word.lower() in STOP or word.lower() in small):
            upper = False
        if run and (begins or not _BETWEEN.fullmatch(text[run[-1][1] : start])):
            yield run[:name]
            run, name = [], 0
        if upper or (run and (word in _PARTICLES or word.isdigit())):
            run.append((start, end))
            name = len(run) if upper or word.isdigit() else name
        elif run:
            yield run[:name]
            run, name = [], 0
    if run:
        yield run[:name]


class Capitals:
    """Runs of capitalised words, cut to the longest part that is a name; what part of an earlier name means that."""

    summary = "end to end: capitalised spans, each the most popular entity of that name"
    capabilities = Capabilities(links=True, annotates=True, learns=True)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Weigh what each name may mean: popular senses, primary names, entities of many names, annotations."""
        self._weights: dict[str, dict[str, float]] = defaultdict(dict)
        rows = kb.sql(
            "with sizes as (select id, ln(1 + count(*)) as names from names group by id) "
            "select n.name, n.id, max(case when n.kind = ? then 4 when n.\"primary\" then 2 else 1 end + names / 100) "
            "from names n join entities e using (id) join sizes using (id) where not e.obsolete "
            "and n.kind not in (?, ?) group by all order by all",
            [wikidata.POPULAR, wikidata.DEMONYM, wikidata.VALUE])  # fmt: skip
        for name, identifier, weight in rows:
            self._weights[name][identifier] = weight
        ids = {row[1] for row in rows}
        for text, counts in _annotated(train, kb).items():
            for identifier in sorted(counts.keys() & ids):  # sums of weights are in this order
                self._weights[text][identifier] = self._weights[text].get(identifier, 0.0) + 4.0 * counts[identifier]

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """The entities of the mention's name, by weight."""
        return [ranked(self._weights.get(query.text, {}), top) for query in queries]

    def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention]]:
        """The capitalised spans of each document."""
        return [list(self._marks(document.text, top)) for document in documents]

    def _marks(self, text: str, top: int) -> Iterator[FoundMention]:
        said: dict[str, Answer] = {}  # names of this document, and the words at their ends
        for words in capitalised(text):
            for span in self._parts(words, text, said):
                name = text[slice(*span)]
                answer = said.get(name) or ranked(self._weights.get(name, {}), top)
                yield FoundMention((span,), answer, nil=not answer)
                if answer and " " in name:
                    for part in (name, name.split()[0], name.split()[-1]):
                        said.setdefault(part, answer)

    def _parts(self, words: list[Span], text: str, said: dict[str, Answer]) -> Iterator[Span]:
        """The longest known parts of a run of words, from left to right; all of it where no part is known."""
        found = False
        at = 0
        while at < len(words):
            for last in range(len(words), at, -1):
                span = (words[at][0], words[last - 1][1])
                name = text[slice(*span)]
                if name[0].isupper() and (name in said or name in self._weights):
                    yield span
                    found, at = True, last - 1
                    break
            at += 1
        if not found and words:
            yield (words[0][0], words[-1][1])


def _annotated(train: Iterable[Document], kb: Kb) -> dict[str, Counter[str]]:
    """How often each text was annotated with each entity, under its present id."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for document in train:
        for mention in document.mentions:
            counts[mention.text].update(now for i in mention.ids for now in kb.current(i))
    return counts
