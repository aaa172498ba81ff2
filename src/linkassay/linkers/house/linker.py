"""The house linker: one linker for every kind of entity, on a CPU (LINKER-9).

Candidates come from the names of the knowledge base (several forms, character 3-grams) and from the training
mentions; boosted trees rank them by features that every knowledge base has. Nothing here knows a corpus or a
knowledge base by name. Without training data a fixed weighting of the same features ranks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from linkassay.kbs import Kb
from linkassay.linkers.house.asked_mentions import AskedDocument, AskedMention, variant
from linkassay.linkers.house.candidates import NO_OPINIONS, CandidateFinder, Candidates, Floats
from linkassay.linkers.house.feature_gains import feature_gains
from linkassay.linkers.house.name_index import NameIndex
from linkassay.linkers.house.ranking import (
    FIXED_WEIGHTS,
    agreed,
    first_opinions,
    learned_ranker,
    opened_rankers,
    store_rankers,
)
from linkassay.linkers.house.short_forms import short_forms, written_out
from linkassay.linkers.protocol import Answer, Candidate, Capabilities, Query, Reason
from linkassay.linkers.rules.species_words import SpeciesWords
from linkassay.model import Document, Span
from linkassay.store import MappedFolder
from linkassay.text import name_key

if TYPE_CHECKING:
    from linkassay.linkers.house.boosted_trees import Ranker


class Untrained:
    """Names, abbreviations, 3-grams, and fixed weights: what `House` is without training data, to show their worth."""

    summary = "house without training data: its candidates ranked by fixed weights"
    capabilities = Capabilities(links=True, stores=True, explains=True, reranks=True)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the knowledge base."""
        self._begin(kb, NameIndex.of(kb))

    def store_index(self, files: MappedFolder) -> None:
        """Write names and entities."""
        self._index.store(files)

    def open_index(self, kb: Kb, files: MappedFolder) -> None:
        """Take them as they lie."""
        self._begin(kb, NameIndex.opened(files))

    def _begin(self, kb: Kb, index: NameIndex) -> None:
        self._index, self._entities = index, index.entities
        self._finder = CandidateFinder(index, SpeciesWords(self._entities.foreigns, kb))
        self._current = kb.current
        self._ranker: Ranker | None = None
        #: Those that say what mentions are at first sight.
        self._first: list[Ranker] = []
        #: Whether the same text means one or another by where it stands, e.g. genes by the species of their sentence.
        self._place_decides = len(self._entities.foreigns) > 1

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Ranked entities, one a rank; documents are looked at as a whole."""
        answers: list[Answer] = []
        for _, group in groupby(queries, key=lambda q: (q.document, q.context)):
            mentions, found = self._found(list(group))
            ranked = [self._ranked(each, top) for each in found]
            answers += ranked if self._place_decides else agreed(mentions, ranked)
        return answers

    def explain(self, query: Query, first: Candidate, second: Candidate) -> list[Reason]:
        """The features that tell the two apart; nothing if one of them is no candidate."""
        [(candidates, features)] = self._found([query])[1]
        ids = [self._entities.ids[number] for number in candidates]
        if first.id not in ids or second.id not in ids:
            return []
        return feature_gains(self._scores, *(features[ids.index(each.id)] for each in (first, second)))

    def rerank(self, queries: Sequence[Query], pools: Sequence[Answer]) -> list[Answer]:
        """The candidates of others by the features and the ranking of this one; what it lacks comes last (COMP-5)."""
        answers: list[Answer] = []
        for _, group in groupby(zip(queries, pools, strict=True), key=lambda pair: (pair[0].document, pair[0].context)):
            asked, given = zip(*group, strict=True)
            pooled = [[each for ids, _ in answer for each in ids] for answer in given]
            known = [{self._entities.number[each] for each in ids if each in self._entities.number} for ids in pooled]
            for ids, wanted, (candidates, features) in zip(pooled, known, self._found(asked, known)[1], strict=True):
                kept = np.isin(candidates, list(wanted))
                answer = self._ranked((candidates[kept], features[kept]), len(ids))
                last = answer[-1][1] if answer else 0.0
                unknown = [each for each in ids if each not in self._entities.number]
                answers.append([*answer, *(((each,), last - n) for n, each in enumerate(unknown, start=1))])
        return answers

    def _found(
        self, asked: Sequence[Query], further: Sequence[set[int]] = ()
    ) -> tuple[list[AskedMention], Iterator[Candidates]]:
        """The mentions of one document, and their candidates, `further` ones of each mention among them."""
        document, context = asked[0].document, asked[0].context
        pairs = short_forms(context, [q.text for q in asked], self._index.key)
        mentions = [self._asked(q.text, q.type, (q.spans[0][0], q.spans[-1][1]), pairs) for q in asked]
        look = self._finder.look(AskedDocument(document, context, mentions), further=further)
        opinions = first_opinions(mentions, look.candidates(), self._first) if self._first else NO_OPINIONS
        return mentions, look.candidates(opinions=opinions)

    def _scores(self, features: Floats) -> Floats:
        return self._ranker.scores(features) if self._ranker else features @ FIXED_WEIGHTS

    def _ranked(self, found: Candidates, top: int) -> Answer:
        candidates, features = found
        scores = self._scores(features)
        order = np.lexsort((candidates, -scores.round(9)))[:top]
        return [((self._entities.ids[candidates[n]],), float(scores[n])) for n in order]

    def _asked(
        self, text: str, type_: str, span: Span, pairs: dict[str, str], gold: frozenset[int] = frozenset()
    ) -> AskedMention:
        long = written_out(text, pairs)
        marks = [] if name_key(long) in self._index.key else self._finder.species.marks(long)
        if marks and name_key(long[1:]) in self._index.key:
            long = long[1:]
        return AskedMention(text, type_, *span, variant(text), variant(long), marks, gold)


class House(Untrained):
    """Names, abbreviations, 3-grams, training mentions, and a learned ranking."""

    summary = "names in several forms, abbreviations, 3-grams, training mentions; candidates ranked by boosted trees"
    capabilities = Capabilities(links=True, trains=True, stores=True, explains=True, reranks=True)

    def __init__(self, unlisted: bool = False) -> None:
        """`unlisted`: ids of training mentions that the knowledge base lacks are answered, too."""
        self._unlisted = unlisted

    def train(self, documents: Iterable[Document]) -> None:
        """Learn what texts mean, and how to rank; each mention as if its own document had not been seen."""
        documents = list(documents)
        if self._unlisted:
            self._entities.add(
                new for document in documents for m in document.mentions for i in m.ids for new in self._current(i)
            )
        asked = [self._with_gold(document) for document in documents]
        if not any(mention.gold for document in asked for mention in document.mentions):
            return
        self._finder.learn(asked)
        opinions = [NO_OPINIONS] * len(asked) if self._place_decides else self._learn_first_opinions(asked)
        self._ranker = learned_ranker(self._examples(asked, opinions))

    def store_training(self, files: MappedFolder) -> None:
        """Write what was learned, and the trees."""
        self._finder.store_training(files)
        store_rankers({"ranker": self._ranker, **{f"first{n}": each for n, each in enumerate(self._first)}}, files)

    def open_training(self, files: MappedFolder) -> None:
        """Be as after `train`, by what was written then."""
        self._finder.open_training(files)
        rankers = opened_rankers(files)
        self._ranker = rankers.pop("ranker", None)
        self._first = list(rankers.values())

    def _learn_first_opinions(self, asked: list[AskedDocument]) -> list[Mapping[str, set[int]]]:
        """Two rankers, of one half of the documents each; those of a document are of the other half's ranker."""
        found = [list(self._finder.look(document, learning=True).candidates()) for document in asked]
        mentions = [document.mentions for document in asked]
        halves = [learned_ranker(zip(mentions[n::2], found[n::2], strict=True), forests=1) for n in (0, 1)]
        self._first = [ranker for ranker in halves if ranker]
        others = [[ranker] if ranker else [] for ranker in reversed(halves)]
        return [first_opinions(mentions[n], found[n], others[n % 2]) for n in range(len(asked))]

    def _examples(
        self, asked: list[AskedDocument], opinions: list[Mapping[str, set[int]]]
    ) -> Iterator[tuple[list[AskedMention], Iterator[Candidates]]]:
        """What to learn from: each document, and once more as if its names were not in the knowledge base."""
        for document, opinion in zip(asked, opinions, strict=True):
            look = self._finder.look(document, learning=True)
            for hiding in (False, True):
                yield document.mentions, look.candidates(hiding=hiding, opinions=opinion)

    def _with_gold(self, document: Document) -> AskedDocument:
        pairs = short_forms(document.text, [mention.text for mention in document.mentions], self._index.key)
        numbers, found = self._entities.number, []
        for mention in document.mentions:
            current = (new for identifier in mention.ids for new in self._current(identifier))
            gold = frozenset(numbers[identifier] for identifier in current if identifier in numbers)
            found.append(self._asked(mention.text, mention.type, (mention.start, mention.end), pairs, gold))
        return AskedDocument(document.id, document.text, found)
