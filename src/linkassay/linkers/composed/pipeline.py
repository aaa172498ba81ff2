"""A linker put together: mentions are spotted, candidates found, fused and reranked (COMP-1 to COMP-5).

Its parts are linkers of their own, prepared as if they stood alone: a knowledge base is embedded once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from linkassay.corpora import Corpus
from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.linkers.composed.components import FUSIONS, OF_RUN, POOL, USUAL, read_components, spot_of
from linkassay.linkers.composed.fusion import LearnedFusion, by_reciprocal_ranks
from linkassay.linkers.from_file import load_linker
from linkassay.linkers.protocol import Annotator, Answer, Capabilities, FoundMention, Query
from linkassay.model import Document, join_text
from linkassay.store import MappedFolder

#: Makes a part again by its number: prepared, and not trained.
Anew = Callable[[int], Any]


class Pipeline:
    """Spot, candidates, order: each by a linker that can do that part."""

    summary = "put together of parts: who finds mentions, who finds candidates, who ranks them"
    capabilities = Capabilities(links=True, annotates=True, trains=True, composed=True, pools=True, wants_corpus=True)

    def __init__(
        self, candidates: str = USUAL, rerank: str = "", spot: str = "", fusion: str = FUSIONS[0], pool: int = POOL,
        spot_sha256: str = "", spot_place: str = "", **options: Any,
    ) -> None:  # fmt: skip
        """`options` are the parts'; `spot_place`: where the run or model lies that mentions come from."""
        if fusion not in FUSIONS:
            raise UsageError(f"fusion is {' or '.join(FUSIONS)}, not {fusion!r}")
        if isinstance(pool, bool) or not isinstance(pool, int) or pool < 1:
            raise UsageError(f"pool is how many candidates are looked at, a whole number from 1 on, not {pool!r}")
        self.components = read_components({"candidates": candidates, "rerank": rerank, "spot": spot, **options})
        #: The linkers of `components`, in their order.
        self.linkers: list[Any] = [load_linker(each.linker)(**each.options) for each in self.components]
        self._pool = pool
        self._corpus: Corpus | None = None
        self._fusion = LearnedFusion(len(self._of("candidates"))) if fusion == "learned" else None
        self._spot = self._spotting(spot, spot_sha256, spot_place)

    @classmethod
    def capable_with(cls, options: Mapping[str, Any]) -> Capabilities:
        """What one made with these options can do and wants."""
        able = [each.capabilities for each in read_components(options)]
        learned = options.get("fusion") == "learned"
        return replace(
            cls.capabilities, annotates=bool(options.get("spot")), pools=bool(_reranker(options)),
            trains=learned or any(each.uses_training for each in able),
            wants_corpus=any(each.wants_corpus for each in able), wants_model=any(each.wants_model for each in able),
        )  # fmt: skip

    def compose(self, kb: Kb, anew: Anew) -> None:
        """Go by this knowledge base, and by parts that have been prepared."""
        self._kb, self._anew = kb, anew

    def about(self, corpus: Corpus) -> None:
        """Hand on what parts want to know."""
        self._corpus = corpus
        for number, part in enumerate(self.linkers):
            self._tell(number, part)

    def _tell(self, number: int, part: Any) -> None:
        if self.components[number].capabilities.wants_corpus and self._corpus is not None:
            part.about(self._corpus)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Prepare the parts here."""
        for part, each in zip(self.linkers, self.components, strict=True):
            part.prepare(kb, train if each.capabilities.learns else ())

        def again(number: int) -> Any:
            each = self.components[number]
            part = load_linker(each.linker)(**each.options)
            self._tell(number, part)
            part.prepare(kb, ())
            return part

        self.compose(kb, again)

    def train(self, documents: Iterable[Document]) -> None:
        """Train the parts here, and learn what each generator's word is worth."""
        documents = list(documents)
        for part, each in zip(self.linkers, self.components, strict=True):
            if each.capabilities.trains:
                part.train(documents)
        self.train_fusion(documents)

    def train_fusion(self, documents: Iterable[Document]) -> None:
        """Learn what each generator's word is worth: on one half of the documents of parts trained on the other one."""
        if self._fusion is None:
            return
        documents = list(documents)
        halves = documents[::2], documents[1::2]
        self._fusion.learn(
            (self._gold(document), found)
            for half, other in (halves, reversed(halves))
            for document, found in self._found_by(self._trained_on(other), half)
        )

    def store_training(self, files: MappedFolder) -> None:
        """Write what was learned of the generators."""
        assert self._fusion
        self._fusion.store(files)

    def open_training(self, files: MappedFolder) -> None:
        """Be as after `train_fusion`, by what was written then."""
        assert self._fusion
        self._fusion.open(files)

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """The candidates of each mention, fused, in the order of the reranker if there is one."""
        return [answer for answer, _ in self.pooled(queries, top)]

    def pooled(self, queries: Sequence[Query], top: int) -> list[tuple[Answer, Answer]]:
        """The same, each with the candidates as they were before they were reranked."""
        most = max(self._pool, top)
        generators = self._of("candidates")
        found = zip(*(generator.link(queries, most) for generator in generators), strict=True)
        pools = [self._fused(list(answers))[:most] for answers in found]
        (reranker,) = self._of("rerank") or [None]
        ranked = reranker.rerank(queries, pools) if reranker else pools
        return [(answer[:top], pool) for answer, pool in zip(ranked, pools, strict=True)]

    def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention] | LinkassayError]:
        """The mentions that were spotted, linked as those that are given."""
        assert self._spot, "capabilities say that only those that spot annotate"
        spotted = list(self._spot.annotate(documents, top))
        queries = [
            Query(join_text(document.text, mark.spans), mark.type, mark.spans, document.id, document.text)
            for document, marks in zip(documents, spotted, strict=True)
            if not isinstance(marks, LinkassayError)
            for mark in marks
        ]
        answers = iter(self.link(queries, top))
        return [
            marks if isinstance(marks, LinkassayError) else [_linked(mark, next(answers)) for mark in marks]
            for marks in spotted
        ]

    def _of(self, role: str) -> list[Any]:
        return [part for part, each in zip(self.linkers, self.components, strict=True) if each.role == role]

    def _fused(self, answers: list[Answer]) -> Answer:
        if self._fusion is not None:
            return self._fusion.fused(answers)
        return answers[0] if len(answers) == 1 else by_reciprocal_ranks(answers)

    def _spotting(self, spot: str, sha256: str, place: str) -> Annotator | None:
        """Who finds mentions, if anybody does."""
        kind, name = spot_of(spot)
        if kind == OF_RUN:
            from linkassay.linkers.composed.spans_of_run import SpansOfRun

            return SpansOfRun(place, sha256)
        if kind:
            from linkassay.linkers.neural.token_classifier import TokenClassifier

            return TokenClassifier(place or name, sha256)
        return next(iter(self._of("spot")), None)

    def _trained_on(self, documents: Sequence[Document]) -> list[Any]:
        """The generators, those that learn trained on these documents."""
        found = []
        for number, (part, each) in enumerate(zip(self.linkers, self.components, strict=True)):
            if each.role == "candidates":
                found.append(self._taught(number, documents) if each.capabilities.uses_training else part)
        return found

    def _taught(self, number: int, documents: Sequence[Document]) -> Any:
        each = self.components[number]
        if not each.capabilities.trains:
            raise UsageError(
                f"linker {each.linker!r} learns while it is prepared: it cannot be fused with fusion=learned"
            )
        part = self._anew(number)
        part.train(documents)
        return part

    def _found_by(self, generators: list[Any], documents: Sequence[Document]) -> Iterator[tuple[Document, list[Any]]]:
        for document in documents:
            queries = [Query(m.text, m.type, m.spans, document.id, document.text) for m in document.mentions]
            if queries:
                yield document, list(zip(*(each.link(queries, self._pool) for each in generators), strict=True))

    def _gold(self, document: Document) -> list[set[str]]:
        """The ids of today that each mention means."""
        return [{new for each in m.ids for new in self._kb.current(each)} for m in document.mentions]


def _reranker(options: Mapping[str, Any]) -> str:
    return str(options.get("rerank") or "").replace("none", "")


def _linked(mark: FoundMention, answer: Answer) -> FoundMention:
    return mark._replace(answer=answer, nil=not answer)
