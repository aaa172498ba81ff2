"""A figure: one number of a result with all that is known of it, under a key of its own.

Command line, page, bench and docs show fields of figures and nothing that they have computed themselves. The key says
what a figure is of, so that a number can be followed from any output to the result that it stands in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from linkassay.runs import Run
    from linkassay.scoring.statistics.intervals import Difference, Estimate

#: What the key begins with, and names that follow from it; the rest of a figure's `about` (set, preset …) is in the key
#: by name.
_USUAL = ("corpus", "run", "system", "measure", "slice", "first", "second", "without", "with", "leak")


@dataclass(frozen=True)
class Figure:
    """A value with its denominator, interval and tests; what is not known is None.

    >>> about = {"corpus": "mini", "run": "exact-0a", "system": "exact", "measure": "recall@1", "slice": "all"}
    >>> Figure(about, 0.5, 4).key
    'mini/exact-0a|recall@1|all'
    >>> Figure(about | {"set": "novel", "slice": "type=Q5|Q6"}, 0.5, 4).row()["key"]
    'mini/exact-0a|recall@1|type=Q5%7CQ6|set=novel'
    """

    about: Mapping[str, Any]  # corpus, run, system, measure, slice, and what else sets it apart
    value: float | None
    n: float | None = None  # what it is a share of
    low: float | None = None
    high: float | None = None
    tie_sd: float | None = None  # what ties leave open
    difference: Difference | None = None  # of a slice to all mentions, of a run to another
    p: float | None = None
    p_holm: float | None = None
    more: Mapping[str, Any] = field(default_factory=dict)  # further numbers of the same comparison, by name
    note: str = ""  # what a reader must know, such as why there is no test; see `remark`

    @property
    def key(self) -> str:
        """What the figure is of, as one text."""
        about = self.about
        further = [f"{name}={value}" for name, value in sorted(about.items()) if name not in _USUAL]
        parts = [f"{about['corpus']}/{about['run']}", about["measure"], about["slice"], *further]
        return "|".join(part.replace("|", "%7C").replace("#", "%23") for part in parts)

    @property
    def remark(self) -> str:
        """All that a reader must know: `note`, and whether a run was trained on what it linked (LINKER-12)."""
        return "; ".join(filter(None, (self.about.get("leak", ""), self.note)))

    @property
    def remarked(self) -> dict[str, str]:
        """The remark as part of a row, if there is one."""
        return {"note": self.remark} if self.remark else {}

    @classmethod
    def of(cls, about: Mapping[str, Any], estimate: Estimate, n: float | None = None, **more: Any) -> Figure:
        """A figure that was estimated."""
        return cls(about, estimate.value, n, estimate.low, estimate.high, **more)

    def __getitem__(self, name: str) -> Any:
        """A number of the figure by its name in `row`."""
        if name.startswith("difference_"):
            return None if self.difference is None else getattr(self.difference, name.removeprefix("difference_"))
        if name == "difference":
            return None if self.difference is None else self.difference.value
        return self.more[name] if name in self.more else getattr(self, name)

    def row(self) -> dict[str, Any]:
        """JSON-ready: what it is of, and every number that it has."""
        row = {name: value for name, value in self.about.items() if name != "leak"}
        row |= {"value": self.value, "n": self.n, "low": self.low, "high": self.high}
        if self.tie_sd is not None:
            row["tie_sd"] = self.tie_sd
        if self.difference is not None:
            names = ("difference", "difference_low", "difference_high", "p")
            row |= {name: self[name] for name in names}
        if self.p_holm is not None:
            row["p_holm"] = self.p_holm
        return row | dict(self.more) | self.remarked | {"key": self.key}


def leak_of(runs: Iterable[Run]) -> dict[str, str]:
    """What figures of some runs are `about` beside, if one of them was trained on what it linked (LINKER-12)."""
    found = {run.system: run.leak for run in runs if run.leak}
    return {"leak": "; ".join(f"{system} was {leak}" for system, leak in found.items())} if found else {}


def leak_of_all(subjects: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The same of what several figures are about."""
    found = dict.fromkeys(each["leak"] for each in subjects if "leak" in each)
    return {"leak": "; ".join(found)} if found else {}


#: Hands a figure on to whoever keeps figures, who may answer with another one: every figure before it is shown.
Keep: TypeAlias = Callable[[Figure], Figure]


def same_figures(figure: Figure) -> Figure:
    """Keeps nothing."""
    return figure


class Figures(Mapping[str, Figure]):
    """Figures by key, in the order in which they were kept.

    `changes` are fields that differ from what was computed, by key: how tests see that an output shows what is kept
    here. Whoever computes a figure hands it to `keep` and goes on with what that returns.
    """

    def __init__(self, changes: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self._kept: dict[str, Figure] = {}
        self._changes = dict(changes or {})

    def keep(self, figure: Figure) -> Figure:
        """Remember a figure; the same key twice is the same figure."""
        key = figure.key
        if key in self._changes:
            figure = replace(figure, **self._changes[key])
        self._kept[key] = figure
        return figure

    def keep_all(self, figures: Iterable[Figure]) -> list[Figure]:
        """Remember some figures."""
        return [self.keep(figure) for figure in figures]

    def __getitem__(self, key: str) -> Figure:
        return self._kept[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def __len__(self) -> int:
        return len(self._kept)
