"""From documents to terms in sentences: one mention of each sentence, by chance, with its one entity (WIC-1, WIC-3)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from linkassay.model import Document, Mention, Span
from linkassay.text import split_sentences
from linkassay.wic.settings import draw


@dataclass(frozen=True, slots=True)
class Context:
    """A term at its place in a sentence, and the entity that it means there."""

    sentence: str
    start: int
    end: int
    entity: str
    document: str
    corpus: str
    mention: str
    type: str

    @property
    def term(self) -> str:
        """The term as it is written."""
        return self.sentence[self.start : self.end]


@dataclass(frozen=True)
class Found:
    """Contexts of all usable mentions with the ids of the corpus, and why other mentions are not used."""

    contexts: list[Context]
    counts: Counter[str]


def find(corpus: str, documents: Iterable[Document]) -> Found:
    """Every mention that stands within a sentence and has exactly one gold id.

    Passages are segmented one by one: a title without a full stop is a sentence of its own.
    """
    contexts: list[Context] = []
    counts: Counter[str] = Counter()
    for document in documents:
        counts["documents"] += 1
        spans = sorted(_sentences(document))
        counts["sentences"] += len(spans)
        starts = [start for start, _ in spans]
        for mention in document.mentions:
            counts["mentions"] += 1
            reason = _unusable(mention)
            at = bisect_right(starts, mention.start) - 1
            if not reason and (at < 0 or mention.end > spans[at][1]):
                reason = _ACROSS
            if reason:
                counts[reason] += 1
                continue
            start, end = spans[at]
            [entity] = mention.gold[0]
            contexts.append(Context(document.text[start:end], mention.start - start, mention.end - start, entity,
                                    document.id, corpus, mention.id, mention.type))  # fmt: skip
    return Found(contexts, counts)


def choose(
    contexts: Iterable[Context], unified: Mapping[str, tuple[str, ...]], seed: int, counts: Counter[str]
) -> list[Context]:
    """One context of each sentence, by chance; in the order of sentences, whatever the order given.

    A sentence that several documents have is one sentence. Mentions whose id has no entity or several are left out and
    counted before anything is drawn.
    """
    chosen: dict[str, tuple[int, Context]] = {}
    for context in contexts:
        entities = unified[context.entity]
        if len(entities) != 1:
            counts[_SEVERAL if entities else _UNKNOWN] += 1
            continue
        rank = draw(seed, "mention", context.corpus, context.document, context.mention)
        best = chosen.get(context.sentence)
        if best is None or (rank, _key(context)) < (best[0], _key(best[1])):
            chosen[context.sentence] = rank, _with_entity(context, entities[0])
        counts["usable mentions"] += 1
    return [chosen[sentence][1] for sentence in sorted(chosen)]


def _unusable(mention: Mention) -> str:
    for reason, met in _REASONS.items():
        if met(mention):
            return reason
    return ""


#: Why a mention cannot be a term of a pair, in this order.
_REASONS: dict[str, Callable[[Mention], bool]] = {
    "mention in pieces": lambda m: len(m.spans) > 1,
    "empty mention": lambda m: not m.text.strip() or m.start >= m.end,
    "no entity": lambda m: not m.gold,
    "composite mention": lambda m: any(len(ids) > 1 for ids in m.gold),
    "several alternative entities": lambda m: len(m.gold) > 1,
}


_ACROSS, _UNKNOWN = "mention across sentences", "id unknown to the knowledge base"
_SEVERAL = "id with several unified targets"
#: Everything that is counted on the way to contexts, in its order.
COUNTED = ("documents", "sentences", "mentions", *_REASONS, _ACROSS, _UNKNOWN, _SEVERAL, "usable mentions")


def _sentences(document: Document) -> Iterator[Span]:
    if not document.passages:
        yield from split_sentences(document.text)
    for passage in document.passages:
        for start, end in split_sentences(passage.text):
            yield passage.offset + start, passage.offset + end


def _with_entity(context: Context, entity: str) -> Context:
    return Context(context.sentence, context.start, context.end, entity, context.document, context.corpus,
                   context.mention, context.type)  # fmt: skip


def _key(context: Context) -> tuple[str, str, str]:
    return context.corpus, context.document, context.mention
