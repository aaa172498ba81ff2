"""The score of a run: measures × slices, each with its denominator and interval over documents.

Every figure is a sum over documents of two columns, a numerator and a denominator (`counts`), so that slices,
intervals, averages and pooling are sums.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.defaults import DEFAULT_MEASURES
from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.model import types_of
from linkassay.runs import Run
from linkassay.scoring.disambiguation.document_sums import Asked, Sums, about, estimated
from linkassay.scoring.disambiguation.evaluation_sets import Sets, recognised
from linkassay.scoring.disambiguation.gold_ranks import GoldRanks, rank_gold
from linkassay.scoring.disambiguation.measures import MEASURES, Measure, parse_measures
from linkassay.scoring.disambiguation.protocols import Protocol
from linkassay.scoring.disambiguation.rankings import most_ids
from linkassay.scoring.disambiguation.scored_mentions import ScoredMentions, ScoringOptions, load_mentions
from linkassay.scoring.disambiguation.slices import Slices, compares_texts
from linkassay.scoring.disambiguation.support import slice_note
from linkassay.scoring.disambiguation.tie_policies import Chosen, Outcome
from linkassay.scoring.figure import Figure
from linkassay.scoring.figure_plot import plot_figures
from linkassay.tables import Rows, Tabular, html_block

if TYPE_CHECKING:
    from linkassay.charts import Drawing

_BATCH = 50_000  # predictions read at once
_MENTION_AND_NIL = pa.schema([store.PREDICTIONS.field("mention"), store.PREDICTIONS.field("nil")])

COUNTS = pa.schema(
    [
        ("corpus", pa.string()),
        ("split", pa.string()),
        ("system", pa.string()),
        ("run", pa.string()),
        ("measure", pa.string()),
        ("slice", pa.string()),
        ("document", pa.string()),
        ("unit", pa.string()),  # over what the mean is taken: "" for micro averages
        ("total", pa.float64()),
        ("n", pa.float64()),
    ]
)


class _Together(Outcome):
    """Some items that count only together: the chance that all of a group are hits. A group has no rank."""

    def __init__(self, each: Outcome, keep: Any, group: Any, groups: int) -> None:
        self._each, self._keep, self._group, self._groups = each, keep, group, groups

    def at(self, k: int) -> Any:
        found = np.ones(self._groups)
        np.multiply.at(found, self._group, self._each.at(k)[self._keep])
        return found

    def reciprocal(self, k: int | None) -> Any:
        raise UsageError("per=document has no rank: use recall, coverage or failures")


class Score(Tabular):
    """The mentions of a run, judged; `rows()` gives figures, `mention_outcomes_of` the mentions behind them."""

    def __init__(
        self,
        run: Run,
        measures: str | Sequence[str | Measure] = DEFAULT_MEASURES,
        by: Sequence[str] = (),
        *,
        protocol: str = "",
        set: str = "global",
        scope: Sequence[str] = (),
        options: ScoringOptions | None = None,
        resamples: int | None = None,
    ) -> None:
        if resamples is not None:
            warnings.warn("intervals are no longer drawn: resamples has no effect", DeprecationWarning, stacklevel=2)
        self.run, self.slice_names = run, tuple(by)
        standard = Protocol.parse(protocol) if protocol else None
        self.measures = _measures(measures, standard, set)
        self._standard, self._set = standard, set
        self.kb: Kb | None = run.open_kb() if run.about["kb_revision"] else None
        self.items: ScoredMentions = load_mentions(run, run.open_corpus(), self.kb, options or ScoringOptions())
        self.scope = tuple(scope)
        self.sets = Sets(self.items)
        self._slices = Slices(self.items, self.kb, self.sets)
        self.without_interval = "no interval: fewer than two documents"  # STAT-2, in a phrase
        self._most_candidates: int | None = None
        self._gold_ranks: dict[tuple[bool, int | None], GoldRanks] = {}
        self._outcomes: dict[Protocol, Outcome] = {}
        self._candidate_outcomes: dict[Protocol, Outcome] = {}

    def __repr__(self) -> str:
        return f"<score of {self.run.name}: {len(self.items)} mentions>"

    def _repr_html_(self) -> str:
        return html_block(repr(self)[1:-1], self.rows(), notes=self.notes)

    def plot(self, measure: str = "") -> Drawing:
        """The figures as a chart, of all measures or of one; `.save("x.svg")` writes it."""
        return plot_figures(self.own, [self.run], measure)

    @property
    def notes(self) -> list[str]:
        """What a reader must know: how many mentions are scored, how many are not and why, and what the run says."""
        left_out = ", ".join(f"{n} {why}" for why, n in self.items.left_out.items())
        inside = int(self.in_scope.sum())
        scope = f" ({inside} of them in {' and '.join(self.scope)})" if self.scope else ""
        scored = f"{self.run.name} {self.run.split}: {len(self.items)} mentions scored{scope}"
        absent = self.run.absence("their mentions count as missed")
        said = [scored + (f"; not scored: {left_out}" if left_out else ""), *self.run.about.get("notes", ()),
                *([absent] if absent else [])]  # fmt: skip
        return said + [self.comparing] * any(compares_texts(name) for name in self.slice_names)

    @property
    def comparing(self) -> str:
        """How slices compare texts (SLICE-1)."""
        if self.items.options.fold is False:
            return "slices compare texts with names and training data letter for letter"
        return "slices compare texts with names and training data without regard to case (as written: --exact-case)"

    # ---- figures

    def rows(self, measures: str | Sequence[str | Measure] | None = None, by: Sequence[str] | None = None) -> Rows:
        """A row for each slice and measure; slices with their difference to all mentions."""
        return Rows(figure.row() for figure in self.figures(measures, by))

    def figures(
        self, measures: str | Sequence[str | Measure] | None = None, by: Sequence[str] | None = None
    ) -> list[Figure]:
        """The figures of `rows`."""
        return estimated(self.asked(measures, by)) + list(self._left_out(measures, by))

    def _left_out(self, measures: str | Sequence[str | Measure] | None, by: Sequence[str] | None) -> Iterator[Figure]:
        """Slices that hold no mention because something is missing: no figures, but the reason."""
        for name in self.slice_names if by is None else by:
            if (why := slice_note(self, name)) and not any(n != "all" for n, _ in self.slices([name])):
                yield from (Figure(about(self, str(m), name), None, 0, note=why) for m in self._wanted(measures))

    @property
    def most_candidates(self) -> int:
        """The largest number of ids that the run ranks for a mention, repeats included."""
        if self._most_candidates is None:
            for _ in self.rankings():
                pass
        assert self._most_candidates is not None  # all rankings were read
        return self._most_candidates

    @cached_property
    def most_looked_at(self) -> int:
        """The largest number of ids that an answer was chosen from."""
        return max((most_ids(groups) for _, groups in self.candidates()), default=0)

    def _wanted(self, measures: str | Sequence[str | Measure] | None) -> list[Measure]:
        return self.measures if measures is None else _measures(measures, self._standard, self._set)

    @cached_property
    def own(self) -> list[Figure]:
        """The figures that the score was asked for."""
        return estimated(self._own_sums) + list(self._left_out(None, None))

    @cached_property
    def _own_sums(self) -> list[Asked]:
        return self.asked()

    def asked(
        self, measures: str | Sequence[str | Measure] | None = None, by: Sequence[str] | None = None
    ) -> list[Asked]:
        """The sums behind measures and slices, those that the score is of if none are given."""
        slices = list(self.slices(self.slice_names if by is None else by))
        return [Asked(self, m, name, self.sums(m, mask)) for name, mask in slices for m in self._wanted(measures)]

    def table(self) -> Rows:
        """The figures over all mentions, then by the slices that were asked for."""
        return self.rows()

    def by(self, *slices: str) -> Rows:
        """The figures over all mentions and by these slices."""
        return self.rows(by=slices)

    def slices(self, by: Sequence[str]) -> Iterator[tuple[str, Any]]:
        """Name → which mentions; all of them first. Slices that hold none are left out."""
        yield "all", self.in_scope
        taken = {"all"}
        for each in dict.fromkeys(by):
            for name, mask in self._slices.masks(each):
                if name in taken:
                    raise UsageError(f"two slices are called {name!r}; give {each!r} another name")
                taken.add(name)
                if (mask & self.in_scope).any():
                    yield name, mask & self.in_scope

    def share_slices(self, other: Score) -> None:
        """Take the slices of a score of the same mentions, gold and knowledge base, which need not be made again."""
        mine, theirs = self.items, other.items
        same = self.run.kb == other.run.kb and mine.options.alike(theirs.options)
        same = same and mine.table["id"].equals(theirs.table["id"]) and mine.gold.ids.equals(theirs.gold.ids)
        if same and np.array_equal(mine.gold.item, theirs.gold.item):
            self._slices = other._slices

    def counts(self) -> pa.Table:
        """What the figures are sums of (MEASURE-9): numerator and denominator by measure, slice, document and unit."""
        parts = []
        documents = pa.array(self.items.documents, pa.string())
        for each in self._own_sums:
            sums, units = each.sums, pa.array(self._unit_names(each.measure) or [""], pa.string())
            unit = np.zeros(len(sums.document), dtype=np.int64) if sums.unit is None else sums.unit
            keys, which = np.unique(sums.document * len(units) + unit, return_inverse=True)
            total, n = (np.bincount(which, weights=w, minlength=len(keys)) for w in (sums.total, sums.n))
            document, unit = np.divmod(keys, len(units))
            of = [self.run.corpus, self.run.split, self.run.system, self.run.key, str(each.measure), each.slice]
            data = [pa.repeat(value, len(keys)) for value in of]
            data += [documents.take(pa.array(document)), units.take(pa.array(unit)), pa.array(total), pa.array(n)]
            parts.append(pa.Table.from_arrays(data, schema=COUNTS))
        return pa.concat_tables(parts)

    def hits(self, measure: str | Measure = "recall@1") -> Any:
        """What each mention in scope is worth, in the order of `items` (for `gold=pairs`, each pair)."""
        (parsed,) = _measures([measure], self._standard, self._set)
        answered = self.gold_ranks(parsed.protocol).answered
        if parsed.protocol.gold == "pairs":
            answered = answered[self.items.gold.item]
        total, _ = parsed.parts(self.outcome(parsed.protocol), answered)
        return total

    # ---- judging

    @cached_property
    def in_scope(self) -> Any:
        """Mentions inside of every scope that was asked for."""
        keep = np.ones(len(self.items), dtype=bool)
        for scope in self.scope:
            inner = scope.removeprefix("recognised(").removesuffix(")")
            if scope != f"recognised({inner})":
                raise UsageError(f"unknown scope {scope!r}; a scope is written recognised(RUN)")
            keep &= recognised(self.items, [Run.open(inner)])
        if not keep.any():
            raise UsageError(f"no mention is inside of {' and '.join(self.scope)}: nothing to score")
        return keep

    def outcome(self, protocol: Protocol) -> Outcome:
        """What each mention (or gold pair) is worth under a protocol."""
        if protocol not in self._outcomes:
            names = self.run.about.get("ranks") == "names"
            outcome = self.gold_ranks(protocol).outcome(protocol, names)
            if self.run.keeps_candidates:
                outcome = Chosen(outcome, lambda k: self._candidates(protocol).at(k))
            self._outcomes[protocol] = outcome
        return self._outcomes[protocol]

    def _candidates(self, protocol: Protocol) -> Outcome:
        """What each mention's candidates are worth under a protocol, as they were before they were reranked."""
        if protocol not in self._candidate_outcomes:
            self._candidate_outcomes[protocol] = self._rank(self.candidates(), protocol).outcome(protocol)
        return self._candidate_outcomes[protocol]

    def candidates(self, only: Any = None) -> Iterator[tuple[Any, Any]]:
        """Batches of item numbers and the groups that their answers were chosen from: the ranking, if nothing else."""
        if not self.run.keeps_candidates:
            yield from ((mine, batch["groups"]) for mine, batch in self.rankings(only))
            return
        item, begin = self._items_and_nil[0], 0
        for batch in self.run.candidates(_BATCH):
            mine = item[begin : begin + len(batch)]
            begin += len(batch)
            keep = (mine >= 0) & batch["candidates"].is_valid().to_numpy(zero_copy_only=False)
            keep &= True if only is None else only[mine]
            yield mine[keep], batch["candidates"].filter(pa.array(keep))

    def placed(self, protocol: Protocol) -> GoldRanks:
        """The old name of `gold_ranks`; it ends with the next release."""
        warnings.warn("Score.placed is now Score.gold_ranks", DeprecationWarning, stacklevel=2)
        return self.gold_ranks(protocol)

    def gold_ranks(self, protocol: Protocol) -> GoldRanks:
        """Where gold stands in the rankings."""
        key = self._excludes(protocol), protocol.seed if protocol.ties == "sample" else None
        if key not in self._gold_ranks:
            batches = ((items, batch["groups"]) for items, batch in self.rankings())
            self._gold_ranks[key] = self._rank(batches, protocol)
        return self._gold_ranks[key]

    def _excludes(self, protocol: Protocol) -> bool:
        return protocol.obsolete == "exclude" and bool(self.items.moved)

    def _rank(self, batches: Iterable[tuple[Any, Any]], protocol: Protocol) -> GoldRanks:
        seeds = (protocol.seed,) if protocol.ties == "sample" else ()
        names = self.items.table["id"].combine_chunks()
        exclude = self._excludes(protocol)
        return rank_gold(batches, self.items.gold, self.items.moved, exclude=exclude, seeds=seeds, names=names)

    def rankings(self, only: Any = None, *, scores: bool = False) -> Iterator[tuple[Any, pa.RecordBatch]]:
        """Batches of item numbers, each once, and their `groups` (and `scores`) as given; `Rankings` prepares them.

        An explicit NIL ranks nothing and is left out. `only` says of each item whether it is wanted.
        """
        item, begin = self._items_and_nil[0], 0
        columns, most = ["groups", "scores"] if scores else ["groups"], 0
        for batch in self.run.batches(columns, _BATCH, encoded=True):
            mine = item[begin : begin + len(batch)]
            begin += len(batch)
            most = max(most, most_ids(batch["groups"]))
            keep = mine >= 0 if only is None else (mine >= 0) & only[mine]
            yield mine[keep], batch if keep.all() else batch.filter(pa.array(keep))
        self._most_candidates = most

    @property
    def nil(self) -> Any:
        """Mentions that the run says are not in the knowledge base."""
        return self._items_and_nil[1]

    @property
    def prediction_rows(self) -> Any:
        """Of each item the row of the prediction that ranks something for it; -1: an explicit NIL, -2: none."""
        item, nil = self._items_and_nil
        found = np.where(nil, -1, -2)
        rows = np.flatnonzero(item >= 0)
        found[item[rows]] = rows
        return found

    @cached_property
    def _items_and_nil(self) -> tuple[Any, Any]:
        """Of each prediction the item that it ranks something for, or -1; and the items with an explicit NIL."""
        # Mentions are looked up all at once: the table of ids is made one time, not for each batch.
        predicted = pa.Table.from_batches(self.run.batches(["mention", "nil"]), schema=_MENTION_AND_NIL)
        ids, nil = self.items.table["id"], predicted["nil"].to_numpy()
        if predicted["mention"].equals(ids):  # as they are where documents lie by id, and all mentions are scored
            item = np.arange(len(ids))
        else:
            found = pc.index_in(predicted["mention"], value_set=ids.combine_chunks())
            item = found.fill_null(-1).to_numpy().astype(np.int64)
        unknown = np.zeros(len(self.items), dtype=bool)
        unknown[item[nil & (item >= 0)]] = True
        item = np.where(nil, -1, item)
        if (np.bincount(item + 1, minlength=2)[1:] > 1).any():
            path = self.run.path / "predictions.parquet"
            raise LinkassayError(f"{path}: a mention was answered twice; import the predictions again")
        return item, unknown

    # ---- sums

    def sums(self, measure: Measure, mask: Any) -> Sums:
        """The rows behind one figure."""
        ranks, outcome = self.gold_ranks(measure.protocol), self.outcome(measure.protocol)
        pairs = measure.protocol.gold == "pairs"
        item = self.items.gold.item if pairs else slice(None)
        document, answered, keep = self.items.document[item], ranks.answered[item], mask[item]
        if measure.per == "document":
            which, group = np.unique(document[keep], return_inverse=True)
            together = _Together(outcome, keep, group, len(which))
            every = np.ones(len(which), dtype=bool)
            np.logical_and.at(every, group, answered[keep])
            total, n = measure.parts(together, every)
            return Sums(which, None, total, n, 0.0)
        total, n = measure.parts(outcome, answered)
        weight = self.sets.weights(measure.set, keep, pairs=pairs)
        # Mentions are drawn independently of each other; the gold ids of one mention are not (TIE-9).
        drawn = MEASURES[measure.name].drawn and not pairs
        open_ = total * (1 - total) * weight**2 if drawn else 0.0
        rows = np.flatnonzero(weight)
        some = slice(None) if len(rows) == len(weight) else rows  # all of them need no copy
        sums = Sums(document[some], None, (total * weight)[some], (n * weight)[some], float(np.sum(open_)))
        return self._units(measure, sums, self.items.gold.item[rows] if pairs else rows, rows, pairs)

    def _units(self, measure: Measure, sums: Sums, item: Any, rows: Any, pairs: bool) -> Sums:
        if measure.average in ("micro", "corpora"):  # one row a document, so that many figures stay small
            total, n = sums.columns(len(self.items.documents))
            which = np.flatnonzero(np.bincount(sums.document, minlength=len(n)))
            return Sums(which, None, total[which], n[which], sums.variance)
        if measure.average == "documents":
            total, n = sums.columns(len(self.items.documents))
            which = np.flatnonzero(n)
            return Sums(which, None, total[which] / n[which], np.ones(len(which)), 0.0)
        if measure.average == "types":  # a mention of several types counts for each of them (DATA-13)
            _, codes, begin = self._types
            size = np.diff(begin)[item]
            at = np.repeat(np.arange(len(item)), size)
            place = np.arange(len(at)) - np.repeat(np.cumsum(size) - size, size) + np.repeat(begin[:-1][item], size)
            return Sums(sums.document[at], codes[place], sums.total[at], sums.n[at], 0.0)
        if pairs:
            return Sums(sums.document, self._entity_codes[rows], sums.total, sums.n, 0.0)
        # A mention of several gold ids counts for each of them.
        position = np.full(len(self.items), -1)
        position[item] = np.arange(len(item))
        at = position[self.items.gold.item]
        entity, at = self._entity_codes[at >= 0], at[at >= 0]
        return Sums(sums.document[at], entity, sums.total[at], sums.n[at], 0.0)

    @cached_property
    def _types(self) -> tuple[list[str], Any, Any]:
        """All types, the numbers of those of each mention one after another, and where each mention's begin."""
        numbers: dict[str, int] = {}
        each = [
            [numbers.setdefault(part, len(numbers)) for part in types_of(type_ or "")]
            for type_ in self.items.table["type"].to_pylist()
        ]
        begin = np.cumsum([0, *map(len, each)])
        return list(numbers), np.array([code for codes in each for code in codes], dtype=np.int64), begin

    @cached_property
    def _entities(self) -> Any:
        return self.items.gold.ids.dictionary_encode()

    @property
    def _entity_codes(self) -> Any:
        return self._entities.indices.to_numpy(zero_copy_only=False)

    def _unit_names(self, measure: Measure) -> list[str]:
        if measure.average == "types":
            return self._types[0]
        return self._entities.dictionary.to_pylist() if measure.average == "entities" else []


def score_run(
    run: Run,
    measures: str | Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    by: Sequence[str] = (),
    protocol: str = "",
    set: str = "global",
    scope: Sequence[str] = (),
    abbreviations: str = "schwartz-hearst",
    exclude_ids: str | Sequence[str] = (),
    fold: bool | None = None,
    resamples: int | None = None,
) -> Score:
    """Judge every mention of the run's split that has a gold id, with choices as texts; no prediction is a miss."""
    options = ScoringOptions.of(abbreviations, exclude_ids, fold)
    return Score(run, measures, by, protocol=protocol, set=set, scope=scope, options=options, resamples=resamples)


def _measures(given: str | Iterable[str | Measure], protocol: Protocol | None, set: str) -> list[Measure]:
    texts = [given] if isinstance(given, str) else list(given)
    found: list[Measure] = []
    for each in texts:
        found += [each] if isinstance(each, Measure) else parse_measures(each, protocol, set)
    return list(dict.fromkeys(found))
