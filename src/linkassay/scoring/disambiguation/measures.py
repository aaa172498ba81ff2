"""Measures as values: what `recall(protocol=belb/strict)@5` means, the same in Python and on the command line.

A measure turns the outcome of each item into a numerator and a denominator; everything else (sets, slices,
averages, intervals) is sums of these (MEASURE-1 to MEASURE-8).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkassay.errors import UsageError
from linkassay.registry import ValueRegistry, near_miss
from linkassay.scoring.disambiguation.protocols import POLICIES, STANDARD, Protocol
from linkassay.scoring.disambiguation.tie_policies import Outcome

#: Numerators and denominators of the items, from their outcome, k, and whether each was answered.
Parts = Callable[[Outcome, int, Any], tuple[Any, Any]]


@dataclass(frozen=True)
class MeasureKind:
    """A family of measures: what it is, its cut-off when none is written, and its arithmetic.

    `k` is None where none is taken, 0 where it may be left out. `parts` makes numerators and denominators of the items
    from their outcome, k, and which of them were answered. `additive`: every denominator is 1. `drawn`: a numerator is
    the chance of a hit, so that ties leave open how far the figure is from it (TIE-9).
    """

    summary: str
    k: int | None
    parts: Parts
    additive: bool = True
    drawn: bool = False


def _share(values: Any) -> tuple[Any, Any]:
    """Each item counts one."""
    return values, np.ones(len(values))


#: Name → measure. Where a ratio is over chances (ties), both sides are expected numbers of mentions
#: (MEASURE-2 to MEASURE-5, STAGE-1).
MEASURES: ValueRegistry[MeasureKind] = ValueRegistry(
    "measure",
    {
        "recall": MeasureKind("share of mentions with a hit within the first k", 1,
                              lambda o, k, _: _share(o.at(k)), drawn=True),  # MEASURE-2
        "accuracy": MeasureKind("recall@1", None, lambda o, _k, _: _share(o.at(1)), drawn=True),  # MEASURE-2
        "candidate-recall": MeasureKind("share of mentions whose gold is among the first K candidates: recall@K", 10,
                                        lambda o, k, _: _share(o.at(k)), drawn=True),  # MEASURE-2
        "mrr": MeasureKind("mean of 1/rank of the first hit, 0 beyond k if a k is given", 0,
                           lambda o, k, _: _share(o.reciprocal(k or None))),  # MEASURE-3
        "coverage": MeasureKind("share of mentions with an answer", None,
                                lambda _o, _k, answered: _share(answered.astype(float))),  # MEASURE-5
        "normalised-accuracy": MeasureKind("accuracy among the mentions whose gold is among the first K candidates", 10,
                                           lambda o, k, _: (o.at(1), o.at(k)), additive=False),  # MEASURE-4
        "generation-failure": MeasureKind("of the mentions wrong at rank 1, those whose gold is not among the first K",
                                          10, lambda o, k, _: (o.lost(k), 1 - o.at(1)), additive=False),
        "disambiguation-failure": MeasureKind("of the mentions wrong at rank 1, those whose gold is among the first K",
                                              10, lambda o, k, _: (o.late(k), 1 - o.at(1)), additive=False),
    },
    MeasureKind,
)  # fmt: skip

#: Those that say at which stage a mention fails.
STAGES = ("generation-failure", "disambiguation-failure")

#: Average → over what the mean is taken (MEASURE-7).
AVERAGES = {
    "micro": "mentions",
    "entities": "gold entities, each weighing the same",
    "documents": "documents, each weighing the same",
    "types": "entity types, each weighing the same",
    "corpora": "corpora, each weighing the same",
}

#: What one item is (MEASURE-6).
PER = {
    "mention": "a mention",
    "document": "a document, right when all its mentions are (BioSyn's files: a document is a query, a mention a part)",
}

_OPTIONS = ("protocol", *POLICIES, "set", "average", "per")
_FORM = re.compile(r"\s*([A-Za-z][A-Za-z-]*)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\d{1,6}))?\s*")


@dataclass(frozen=True)
class Measure:
    """A measure with all its choices; its text form is its identity.

    >>> Measure.parse("recall(protocol=belb/strict)@5")
    Measure(name='recall', k=5, protocol=Protocol(ties='single', gold='any', obsolete='wrong', repeats='as-run', seed=0, name='belb/strict'), set='global', average='micro', per='mention')
    >>> str(Measure.parse(" recall( average=entities , set=novel ) @ 1"))
    'recall(set=novel,average=entities)@1'
    >>> str(Measure.parse("mrr")), str(Measure.parse("accuracy(protocol=any)"))
    ('mrr', 'accuracy(ties=any)')
    """  # noqa: E501

    name: str
    k: int = 0
    protocol: Protocol = STANDARD
    set: str = "global"
    average: str = "micro"
    per: str = "mention"

    @classmethod
    def parse(cls, text: str, protocol: Protocol | None = None, set: str = "global") -> Measure:
        """A measure from its text; `protocol` and `set` hold where the text names none."""
        form = _FORM.fullmatch(text)
        if form is None:
            raise UsageError(f"{text!r} is no measure; write it as recall@1, recall(protocol=belb/strict)@5 or mrr")
        name, inner, k = form[1], form[2], form[3]
        if name not in MEASURES:
            raise UsageError(f"unknown measure {name!r} in {text!r}; {near_miss(name, list(MEASURES))}")
        kind = MEASURES[name]
        if kind.k is None and k is not None:
            raise UsageError(f"{text!r}: {name} takes no cut-off; write {name} without @{k}")
        if k is not None and int(k) == 0:
            raise UsageError(f"{text!r}: a cut-off is 1 or more")
        options = _options(text, inner)
        chosen = Protocol.parse(options.pop("protocol")) if "protocol" in options else protocol or STANDARD
        policies = {key: options.pop(key) for key in POLICIES if key in options}
        for key, allowed in (("average", AVERAGES), ("per", PER)):
            if key in options and options[key] not in allowed:
                raise UsageError(f"{text!r}: {key}={options[key]!r}; {near_miss(options[key], list(allowed))}")
        measure = cls(name, int(k) if k is not None else kind.k or 0, chosen.with_options(**policies),
                      **({"set": set} | options))  # fmt: skip
        if measure.per == "document" and (measure.average != "micro" or measure.set != "global" or name == "mrr"):
            raise UsageError(f"{text!r}: per=document has no rank, no set and no average of its own; leave these out")
        return measure

    def parts(self, outcome: Outcome, answered: Any) -> tuple[Any, Any]:
        """Numerator and denominator of each item."""
        return MEASURES[self.name].parts(outcome, self.k, answered)

    def at(self, k: int) -> Measure:
        """The same at another cut-off."""
        return replace(self, k=k)

    def __str__(self) -> str:
        protocol = str(self.protocol)
        inner = [protocol] if protocol else []
        inner += [f"set={self.set}"] if self.set != "global" else []
        inner += [f"average={self.average}"] if self.average != "micro" else []
        inner += [f"per={self.per}"] if self.per != "mention" else []
        cut = f"@{self.k}" if self.k else ""
        return self.name + (f"({','.join(inner)})" if inner else "") + cut


def _options(text: str, inner: str | None) -> dict[str, str]:
    options: dict[str, str] = {}
    for part in (inner or "").split(","):
        if not part.strip():
            continue
        key, equals, value = (each.strip() for each in part.partition("="))
        if not equals or not value:
            raise UsageError(f"{text!r}: expected option=value, found {part.strip()!r}")
        if key not in _OPTIONS:
            raise UsageError(f"{text!r}: unknown option {key!r}; {near_miss(key, list(_OPTIONS))}")
        if key in options:
            raise UsageError(f"{text!r}: {key} is given twice")
        options[key] = value
    return options


def parse_measures(text: str, protocol: Protocol | None = None, set: str = "global") -> list[Measure]:
    """Measures with commas between them; `recall@1..10` stands for ten.

    >>> [str(m) for m in parse_measures("recall@1..3, mrr(ties=any,seed=0)")]
    ['recall@1', 'recall@2', 'recall@3', 'mrr(ties=any)']
    """
    found: list[Measure] = []
    for part in re.split(r",(?![^()]*\))", text):
        if not part.strip():
            continue
        if span := re.fullmatch(r"(.*@)\s*(\d{1,3})\s*\.\.\s*(\d{1,3})\s*", part):
            first, last = int(span[2]), int(span[3])
            if first > last:
                raise UsageError(f"{part.strip()!r}: {first} is more than {last}; write {last}..{first}")
            texts = [f"{span[1]}{k}" for k in range(first, last + 1)]
        else:
            texts = [part]
        found += [Measure.parse(each, protocol, set) for each in texts]
    if not found:
        raise UsageError("no measure given; e.g. recall@1,recall@5,mrr")
    return list(dict.fromkeys(found))
