"""Claims held to a corpus: each finds its gold mention, or is a span of its own, or is refused (IMPORT-1, IMPORT-2).

By the name of the mention where corpus and source share names, else by document and spans; never by
the order of rows. Gold is the corpus's. Nothing is stored here.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from linkassay.corpora import Corpus, document_ids
from linkassay.errors import DataError
from linkassay.formats.predictions import OFFSETS_RULE, Claim, misfit
from linkassay.model import Prediction, Span
from linkassay.problems import Problem, Problems
from linkassay.runs.importing.gold_places import GoldDocument, GoldMention, GoldPlaces
from linkassay.runs.importing.prediction_columns import Numbers, PredictionColumns
from linkassay.runs.importing.shifted_places import near

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
    """The predictions, and what became of the claims; coverage is IMPORT-3."""

    columns: PredictionColumns
    counts: Counter[str] = field(default_factory=Counter)
    types: Counter[str] = field(default_factory=Counter)  # of spans that are no gold mention
    gold_mentions: int = 0
    covered: int = 0
    shift: Shift | None = None

    @property
    def predictions(self) -> list[Prediction]:
        """The predictions in the corpus's order."""
        return self.columns.predictions()

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
    work = _Join(corpus, split)
    work.add_all(claims)
    if not work.claims and not problems.counts:
        raise DataError("there is no prediction in the files")
    problems.extend(work.problems)
    shift = work.shift()
    if not work.taken:
        raise DataError(_nothing_joins(work, problems) + (f"\n{shift}" if shift else ""))
    found = work.done()
    found.shift = shift
    return found


def hold_to_corpus(claims: Iterable[Claim], corpus: Corpus, problems: Problems) -> Joined:
    """Hold claims to all splits of a corpus: the same problems, and nothing is refused."""
    work = _Join(corpus, "")
    work.add_all(claims)
    problems.extend(work.problems)
    return work.done()


class _Join:
    """The gold of a split ("": of all), and the claims that are joined with it, one after another."""

    def __init__(self, corpus: Corpus, split: str) -> None:
        self.corpus, self.split = corpus, split
        self.problems = Problems(skip=True)
        self.partial = corpus.manifest.get("of_predictions") == "recognised"
        self.gold = GoldPlaces(corpus, [split] if split else corpus.splits)
        self.result = Joined(PredictionColumns(self.gold))
        self.claims = 0
        self.documents = Numbers()  # that claims are of
        self.taken: set[int] = set()  # rows of the gold mentions that are joined
        self._others: set[object] = set()  # places that are no gold mention
        self._shared: bool | None = None  # whether the source calls mentions as the corpus does; None: not known yet
        self._elsewhere: dict[str, str] | None = None
        self._places = array("q")  # document, start and end of claims of one piece
        self._discontinuous: Counter[tuple[str, tuple[Span, ...]]] = Counter()

    def add_all(self, claims: Iterable[Claim]) -> None:
        """Join all claims; those that come after the first name wait until it is known whether names are shared."""
        waiting: list[Claim] = []
        for claim in claims:
            self.claims += 1
            name = claim.prediction.mention
            if name and not self._shared and self.gold.named(name) is not None:
                self._shared = True
                for each in waiting:
                    self._add(each)
                waiting = []
            if waiting or (name and not self._shared):
                waiting.append(claim)
            else:
                self._add(claim)
        for each in waiting:
            self._add(each)
        self._others.clear()  # all are known now

    def _add(self, claim: Claim) -> None:
        prediction, counts = claim.prediction, self.result.counts
        self.documents[prediction.document]
        document = self.gold.document(prediction.document)
        if document is None:
            if self.partial:
                counts["outside"] += 1
            else:
                self._bad(claim, "document", self._unknown(prediction.document))
            return
        self._remember(prediction, document)
        if problem := misfit(claim, document.text):
            self.problems.add(problem)
            return
        if not prediction.mention:
            if prediction.spans:
                self._placed(claim, document)
            else:
                self._bad(claim, "mention", "no mention '' in the corpus, and no span")
            return
        counts["named"] += 1
        named = self.gold.named(prediction.mention)
        if named is not None:
            self._named(claim, named, document)
        elif self._shared:
            counts["unknown_mentions"] += 1
            if self.partial:
                counts["outside"] += 1
            elif prediction.spans:
                self._other(claim, document)
            else:
                self._bad(claim, "mention", f"no mention {prediction.mention!r} in the corpus, and no span")
        elif not prediction.spans:
            self._bad(claim, "mention", f"no mention {prediction.mention!r} in the corpus, and no span")
        else:
            self._placed(claim, document)

    def _remember(self, prediction: Prediction, document: GoldDocument) -> None:
        """Keep the place of a claim for `shift`."""
        if len(prediction.spans) == 1:
            [(start, end)] = prediction.spans
            self._places.extend((document.place, start, end))
        elif prediction.spans:
            self._discontinuous[prediction.document, prediction.spans] += 1

    def _named(self, claim: Claim, mention: GoldMention, document: GoldDocument) -> None:
        prediction = claim.prediction
        if mention.document != document.place:
            name = list(self.gold.documents)[mention.document]
            self._bad(claim, "mention", f"mention {mention.id!r} is of document {name}")
        elif prediction.spans and prediction.spans != mention.spans and document.text:
            at = " ".join(f"{start}-{end}" for start, end in mention.spans)
            self._bad(claim, "span", f"mention {mention.id!r} stands at {at}")
        elif not document.text and claim.text and mention.text and claim.text != mention.text:
            self._bad(claim, "text", f"mention {mention.id!r} has another text", claim.text, mention.text)
        elif self._joined(claim, mention.row, mention.spans, document):
            self.result.counts["by_mention"] += 1
            # Without a text nothing tells which of two offsets is right; the name decides.
            self.result.counts["other_spans"] += bool(prediction.spans) and prediction.spans != mention.spans

    def _placed(self, claim: Claim, document: GoldDocument) -> None:
        prediction = claim.prediction
        found = document.find(prediction.spans, prediction.type) if prediction.spans in document.at else []
        if not found:
            if self.partial:
                self.result.counts["outside"] += 1
            else:
                self._other(claim, document)
        elif len(found) > 1:
            self._bad(claim, "ambiguous", f"the corpus has {len(found)} mentions there; say which with its id or type")
        elif self._joined(claim, found[0], prediction.spans, document):
            self.result.counts["by_span"] += 1

    def _joined(self, claim: Claim, row: int, spans: tuple[Span, ...], document: GoldDocument) -> bool:
        if row in self.taken:  # DATA-10
            self._bad(claim, "duplicate", f"mention {self.gold.mention(row).id!r} was predicted before")
            return False
        # The type stays the source's: gold says nothing of what was predicted.
        self.taken.add(row)
        self.result.columns.add(claim.prediction, document.place, spans, row)
        self.result.counts["named_joined"] += bool(claim.prediction.mention)
        return True

    def _other(self, claim: Claim, document: GoldDocument) -> None:
        prediction = claim.prediction
        place = _packed(document.place, prediction.spans, prediction.type)
        if place in self._others:
            self._bad(claim, "duplicate", "the same span was predicted before")
            return
        self._others.add(place)
        self.result.columns.add(prediction, document.place, prediction.spans)
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

    def shift(self) -> Shift | None:
        """A constant shift of all offsets by which at least twice as many claims would join, if there is one."""
        counts = self._would_join()
        by = max(sorted(counts, key=abs), key=lambda each: counts[each])
        return Shift(by, counts[by]) if by and counts[by] >= max(_FEWEST, 2 * len(self.taken)) else None

    def _would_join(self) -> Counter[int]:
        """For each shift how many claims would stand on a gold mention."""
        shifts = range(-_FURTHEST_SHIFT, _FURTHEST_SHIFT + 1)
        counts: Counter[int] = Counter(dict.fromkeys(shifts, 0))
        claimed = np.array(self._places, dtype=np.int64).reshape(-1, 3)
        for by, n in enumerate(near(claimed.T, self.gold.single_spans, _FURTHEST_SHIFT), start=shifts[0]):
            counts[by] += n
        for (name, spans), n in self._discontinuous.items():
            document = self.gold.document(name)
            for by in shifts:
                moved = tuple((start + by, end + by) for start, end in spans)
                counts[by] += n * (document is not None and moved in document.at)
        return counts

    def done(self) -> Joined:
        result = self.result
        result.counts.update(claims=self.claims, joined=len(self.taken))
        result.gold_mentions = int(np.count_nonzero(self.gold.root))
        result.covered = int(np.count_nonzero(self.gold.root[list(self.taken)]))
        return result


def _packed(document: int, spans: tuple[Span, ...], type_: str) -> object:
    """A place as what needs little memory; different ones differ."""
    if len(spans) == 1 and not type_:
        [(start, end)] = spans
        return (document << 108) | (start << 54) | end
    return document, spans, type_


def _nothing_joins(work: _Join, problems: Problems) -> str:
    """Why not one claim met a gold mention, as far as one can tell."""
    if not work.claims:
        return f"every prediction is bad, nothing was stored; {summary(problems)}"
    documents = list(work.documents)
    common = sum(d in work.gold.documents for d in documents)
    head = f"none of the {work.claims:,} predictions joins a gold mention of {work.corpus.name} {work.split}: "
    if not common:
        examples = ", ".join(repr(d) for d in sorted(documents)[:3])
        head += f"not one of their {len(documents):,} documents ({examples} …) is in it; is it the right corpus?"
    elif not work.result.counts["not_joined"]:
        head += "all are bad"
    else:
        head += (
            f"{common:,} of {len(documents):,} documents are in it, but no span is that of a mention; {OFFSETS_RULE}"
        )
    return head + ("\n" + summary(problems) if problems.counts else "")


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
