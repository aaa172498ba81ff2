"""Claims held to a corpus: each finds its gold mention, or is a span of its own, or is refused (IMPORT-1, IMPORT-2).

By the name of the mention where corpus and source share names, else by document and spans; never by
the order of rows. Gold is the corpus's. Nothing is stored here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from linkassay.corpora import Corpus, document_ids
from linkassay.errors import DataError
from linkassay.formats.predictions import OFFSETS_RULE, Claim, mentions_at, misfit
from linkassay.model import Document, Mention, Prediction
from linkassay.problems import Problem, Problems

#: A shift of all offsets is looked for up to so many characters either way, and proposed from so many joins on.
_FURTHEST_SHIFT, _FEWEST = 10, 3


class Shift(NamedTuple):
    """How far all offsets would have to move for many more predictions to join (IMPORT-6), and how many then would."""

    by: int
    would_join: int

    def __str__(self) -> str:
        return f"{self.would_join:,} would join if all offsets moved by {self.by}: add --shift {self.by}"


@dataclass
class Joined:
    """The predictions in the corpus's order, and what became of the claims; coverage is IMPORT-3."""

    predictions: list[Prediction] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)  # of spans that are no gold mention
    gold_mentions: int = 0
    covered: int = 0
    shift: Shift | None = None

    def as_dict(self) -> dict[str, Any]:
        """The report, JSON-ready.

        `claims` = `joined` (`by_mention` + `by_span`) + `not_joined` + `outside` + problems left out. `named` claims
        are those that their source says are of a gold mention.
        """
        names = (
            "claims",
            "joined",
            "by_mention",
            "by_span",
            "not_joined",
            "outside",
            "unknown_mentions",
            "other_spans",
            "named",
            "named_joined",
        )
        return {name: self.counts[name] for name in names} | {
            "not_joined_types": dict(sorted(self.types.items())),
            "gold_mentions": self.gold_mentions, "covered": self.covered,
            "coverage": self.covered / self.gold_mentions if self.gold_mentions else 0.0,
            "shift": None if self.shift is None else self.shift._asdict(),
        }  # fmt: skip


def join(claims: Iterable[Claim], corpus: Corpus, split: str, problems: Problems) -> Joined:
    """Join claims with one split. `problems` must count (`skip`): the caller says what follows from them.

    A corpus of the mentions that some system recognised leaves out all others: claims of these are
    counted as `outside` and left out too.
    """
    given = list(claims)
    if not given and not problems.counts:
        raise DataError("there is no prediction in the files")
    work = _Join(corpus, split, problems, given)
    shift = work.shift(given)
    if not work.by_place:
        raise DataError(_nothing_joins(given, work) + (f"\n{shift}" if shift else ""))
    found = work.done(len(given))
    found.shift = shift
    return found


def hold_to_corpus(claims: Sequence[Claim], corpus: Corpus, problems: Problems) -> Joined:
    """Hold claims to all splits of a corpus: the same problems, and nothing is refused."""
    return _Join(corpus, "", problems, claims).done(len(claims))


class _Join:
    """The gold of a split ("": of all), and the claims that are joined with it."""

    def __init__(self, corpus: Corpus, split: str, problems: Problems, claims: Sequence[Claim]) -> None:
        self.corpus, self.split, self.problems = corpus, split, problems
        self.partial = corpus.manifest.get("of_predictions") == "recognised"
        documents: Iterable[Document] = corpus[split] if split else corpus
        self.documents = {document.id: document for document in documents}
        self.gold = {m.id: m for d in self.documents.values() for m in d.annotations}
        self.order = {name: at for at, name in enumerate(self.gold)}
        self.at = {name: mentions_at(document.annotations) for name, document in self.documents.items()}
        # whether the source calls mentions as the corpus does
        self.shared = any(claim.prediction.mention in self.gold for claim in claims)
        self.by_place: dict[str, Prediction] = {}  # joined, by mention
        self.others: dict[object, Prediction] = {}  # spans that are no gold mention
        self.result = Joined()
        self._elsewhere: dict[str, str] | None = None
        for claim in claims:
            self._add(claim)

    def _add(self, claim: Claim) -> None:
        prediction, counts = claim.prediction, self.result.counts
        document = self.documents.get(prediction.document)
        if document is None:
            if self.partial:
                counts["outside"] += 1
            else:
                self._bad(claim, "document", self._unknown(prediction.document))
            return
        if problem := misfit(claim, document.text):
            self.problems.add(problem)
            return
        counts["named"] += bool(prediction.mention)
        named = self.gold.get(prediction.mention) if prediction.mention else None
        if named is not None:
            self._named(claim, named, document)
        elif prediction.mention and self.shared:
            counts["unknown_mentions"] += 1
            if self.partial:
                counts["outside"] += 1
            elif prediction.spans:
                self._other(claim)
            else:
                self._bad(claim, "mention", f"no mention {prediction.mention!r} in the corpus, and no span")
        elif not prediction.spans:
            self._bad(claim, "mention", f"no mention {prediction.mention!r} in the corpus, and no span")
        else:
            self._placed(claim)

    def _named(self, claim: Claim, mention: Mention, document: Document) -> None:
        prediction = claim.prediction
        if mention.document != document.id:
            self._bad(claim, "mention", f"mention {mention.id!r} is of document {mention.document}")
        elif prediction.spans and prediction.spans != mention.spans and document.text:
            at = " ".join(f"{start}-{end}" for start, end in mention.spans)
            self._bad(claim, "span", f"mention {mention.id!r} stands at {at}")
        elif not document.text and claim.text and mention.text and claim.text != mention.text:
            self._bad(claim, "text", f"mention {mention.id!r} has another text", claim.text, mention.text)
        elif self._joined(claim, mention):
            self.result.counts["by_mention"] += 1
            # Without a text nothing tells which of two offsets is right; the name decides.
            self.result.counts["other_spans"] += bool(prediction.spans) and prediction.spans != mention.spans

    def _placed(self, claim: Claim) -> None:
        prediction = claim.prediction
        found = self.at[prediction.document](prediction.spans, prediction.type)
        if not found:
            if self.partial:
                self.result.counts["outside"] += 1
            else:
                self._other(claim)
        elif len(found) > 1:
            self._bad(claim, "ambiguous", f"the corpus has {len(found)} mentions there; say which with its id or type")
        elif self._joined(claim, found[0]):
            self.result.counts["by_span"] += 1

    def _joined(self, claim: Claim, mention: Mention) -> bool:
        if mention.id in self.by_place:  # DATA-10
            self._bad(claim, "duplicate", f"mention {mention.id!r} was predicted before")
            return False
        # The type stays the source's: gold says nothing of what was predicted.
        self.by_place[mention.id] = replace(claim.prediction, mention=mention.id, spans=mention.spans)
        self.result.counts["named_joined"] += bool(claim.prediction.mention)
        return True

    def _other(self, claim: Claim) -> None:
        prediction = replace(claim.prediction, mention="")
        place = (prediction.document, prediction.spans, prediction.type)
        if place in self.others:
            self._bad(claim, "duplicate", "the same span was predicted before")
            return
        self.others[place] = prediction
        self.result.counts["not_joined"] += 1
        self.result.types[prediction.type] += 1

    def _bad(self, claim: Claim, kind: str, message: str, found: str = "", expected: str = "") -> None:
        prediction = claim.prediction
        self.problems.add(Problem(kind, message, claim.file, claim.line, prediction.document, prediction.spans,
                                  found, expected, prediction.type))  # fmt: skip

    def _unknown(self, document: str) -> str:
        if self._elsewhere is None:
            others = (s for s in self.corpus.splits if s != self.split)
            self._elsewhere = {d: s for s in others for d in document_ids(self.corpus.path, s)}
        if document in self._elsewhere:
            return f"the document is of the split {self._elsewhere[document]}, not {self.split}"
        return "the corpus has no such document"

    def shift(self, claims: Sequence[Claim]) -> Shift | None:
        """A constant shift of all offsets by which at least twice as many claims would join, if there is one."""
        places = {
            name: {m.spans for m in document.annotations if not m.parent} for name, document in self.documents.items()
        }
        counts: Counter[int] = Counter()
        for claim in claims:
            here = places.get(claim.prediction.document, ())
            for by in range(-_FURTHEST_SHIFT, _FURTHEST_SHIFT + 1) if here and claim.prediction.spans else ():
                counts[by] += tuple((start + by, end + by) for start, end in claim.prediction.spans) in here
        if not counts:
            return None
        by = max(sorted(counts, key=abs), key=lambda each: counts[each])
        return Shift(by, counts[by]) if by and counts[by] >= max(_FEWEST, 2 * len(self.by_place)) else None

    def done(self, claims: int) -> Joined:
        result = self.result
        places = {name: at for at, name in enumerate(self.documents)}
        joined = sorted(self.by_place.values(), key=lambda p: self.order[p.mention])
        others = sorted(self.others.values(), key=lambda p: (p.spans, p.type))
        result.predictions = sorted([*joined, *others], key=lambda p: places[p.document])  # stable
        result.counts.update(claims=claims, joined=len(joined))
        scored = [m.id for m in self.gold.values() if not m.parent]
        result.gold_mentions, result.covered = len(scored), sum(name in self.by_place for name in scored)
        return result


def _nothing_joins(claims: list[Claim], work: _Join) -> str:
    """Why not one claim met a gold mention, as far as one can tell."""
    if not claims:
        return f"every prediction is bad, nothing was stored; {summary(work.problems)}"
    documents = {c.prediction.document for c in claims}
    common = sum(d in work.documents for d in documents)
    head = f"none of the {len(claims):,} predictions joins a gold mention of {work.corpus.name} {work.split}: "
    if not common:
        examples = ", ".join(repr(d) for d in sorted(documents)[:3])
        head += f"not one of their {len(documents):,} documents ({examples} …) is in it; is it the right corpus?"
    elif not work.result.counts["not_joined"]:
        head += "all are bad"
    else:
        head += (
            f"{common:,} of {len(documents):,} documents are in it, but no span is that of a mention; {OFFSETS_RULE}"
        )
    return head + ("\n" + summary(work.problems) if work.problems.counts else "")


def summary(problems: Problems, most: int = 20) -> str:
    """How many of each kind, and the first examples, about as many of each kind."""
    each = max(1, most // max(1, len(problems.counts)))
    lines = ["; ".join(f"{kind}: {n:,}" for kind, n in sorted(problems.counts.items()))]
    shown: Counter[str] = Counter()
    for example in problems.examples:
        shown[example.kind] += 1
        if shown[example.kind] <= each:
            lines.append(f"  {example.kind}: {example}")
    more = problems.counts.total() - len(lines) + 1
    return "\n".join([*lines, f"  and {more:,} more"] if more else lines)
