"""Does what a plan asks for: obtains data, runs the cells that are missing, scores all, writes the report.

A cell that fails does not stop the others. Each linker runs in a process of its own, so that its peak memory is its
own and its death is only its own. Runs are found by their fingerprints: what is there is not repeated.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from linkassay import engine
from linkassay.bench_files.plan import CorpusEntry, ImportEntry, KbEntry, LinkerEntry, Plan, PlannedRun
from linkassay.bench_files.trust import report_place
from linkassay.corpora import (
    Corpus,
    OwnCorpus,
    Preparation,
    canonical_name,
    corpus_names,
    ensure_mini,
    get_corpus,
    get_own_corpus,
    in_split_order,
)
from linkassay.errors import LinkassayError
from linkassay.kbs import KBS, Kb, build_kb, find_built, kb_names, spec_from_toml
from linkassay.pages import write_report
from linkassay.progress import bars
from linkassay.runs import LinkRequest, Run, all_failed, find_run, link
from linkassay.runs.importing import ImportOptions, find_import, import_run
from linkassay.scoring import Figure
from linkassay.scoring.disambiguation import Score, score_run
from linkassay.scoring.results import Result, with_figures
from linkassay.tables import Rows, fixed

#: What became of a cell.
DONE, THERE, FAILED, MISSING = "done", "there already", "failed", "missing"


@dataclass
class BenchOutcome:
    """What a bench ended with; all figures are in `result`."""

    cells: list[dict[str, Any]] = field(default_factory=list)
    result: Result = field(default_factory=Result)
    report: Path | None = None  # none before it is written

    @property
    def scores(self) -> list[Score]:
        """The scores of all runs."""
        return self.result.scores

    @property
    def scored(self) -> list[tuple[Score, list[Figure]]]:
        """Each run's score, and its figures."""
        return [(score, self.result.of(score)) for score in self.scores]

    @property
    def failed(self) -> list[dict[str, str]]:
        """The cells that could not be run, as the report takes them."""
        return [
            {"corpus": f"{c['corpus']} {c['split']}", "linker": c["system"], "error": c["error"]}
            for c in self.cells
            if c["state"] == FAILED
        ]

    def rows(self) -> Rows:
        """Every figure with its denominator and interval, means over corpora last; tests corrected over all rows."""
        splits = {score.run.key: score.run.split for score in self.scores}
        return Rows({"split": splits[f.about["run"].partition(" ")[0]]} | f.row() for f in self.result.asked())

    def table(self, sliced: bool = True) -> Rows:
        """A row for each run, its figures with their intervals side by side; those of slices too, if so wished."""
        table = Rows()
        for score, figures in self.scored:
            run, told = score.run, remarks(score.run)
            system = f"{run.system} ({told})" if told else run.system
            cells: dict[str, Any] = {"corpus": run.corpus, "split": run.split, "system": system}
            for found in figures:
                measure, slice_ = found.about["measure"], found.about["slice"]
                whole = slice_ == "all"
                cells.setdefault("n", found.n)
                if whole or sliced:
                    name = measure if whole else f"{measure}, {slice_}"
                    cells[name] = figure(found) + ("" if whole else f" of {found.n}")
            table.append(cells)
        return table


def figure(found: Figure) -> str:
    """A value with its interval, as tables have it."""
    if found.value is None:
        return "–"
    if found.low is None or found.high is None:
        return fixed(found.value, 3)
    return f"{fixed(found.value, 3)} ({fixed(found.low, 3)}–{fixed(found.high, 3)})"


def failures(run: Run) -> str:
    """How many documents of a run failed, in words; "" if none did."""
    number = len(run.about.get("failures", []))
    return f"{number} document{'s' * (number > 1)} failed" if number else ""


def remarks(run: Run) -> str:
    """What must be known of a run wherever its figures stand: failures, and whether it had seen what it linked."""
    return "; ".join(filter(None, (failures(run), run.leak)))


class _MissingError(LinkassayError):
    """What the data home lacks, in a dry run."""


class Work:
    """A plan at work: obtains what is asked for once, and keeps what went wrong with it. A dry one obtains nothing."""

    def __init__(self, plan: Plan, *, quiet: bool = True, dry: bool = False) -> None:
        self.plan, self._quiet, self._dry = plan, quiet, dry
        self._obtained: dict[tuple[str, int], Any] = {}

    # ---- data

    def kb(self, name: str) -> Kb:
        """A knowledge base; one that the plan describes is built if it is not there in just that form."""
        found: Kb = self._once(("kb " + name, 0), lambda: self._kb(name))
        return found

    def _kb(self, name: str) -> Kb:
        entry = self.plan.kbs.get(name, KbEntry(name))
        local = entry.raw or entry.description
        if not local and not entry.options and (self.at_hand(name) or name not in self.plan.kbs):
            if self._dry and not self.at_hand(name):
                raise _MissingError(f"kb {name}")
            ensure_mini(name)
            return Kb.open(name)
        spec = spec_from_toml(entry.description) if entry.description else KBS.load(name)
        raw = None if entry.description else entry.raw or None
        if self._dry:
            found = find_built(spec, raw, options=entry.options) if local else None
            if found is None:
                raise _MissingError(f"kb {name}")
            return Kb(found.path)
        with bars(self._quiet) as progress:
            return Kb(build_kb(spec, raw, options=entry.options, progress=progress).path)

    def at_hand(self, name: str) -> bool:
        """Whether the data home has the knowledge base."""
        return name.partition("@")[0] in kb_names()

    def corpus(self, entry: CorpusEntry) -> Corpus:
        """A corpus in the form that its entry describes."""
        found: Corpus = self._once((entry.name, id(entry)), lambda: self._corpus(entry))
        return found

    def _corpus(self, entry: CorpusEntry) -> Corpus:
        bare, _, type_ = entry.name.partition("/")
        if entry.format and entry.kb in self.plan.kbs:
            self.kb(entry.kb)  # it says how ids without a prefix are meant
        sync = self._sync(entry)

        def prepare() -> Preparation:  # one for each split, since it counts
            return Preparation(entry.composites, entry.deduplicate, entry.sentences, sync)

        if entry.format:
            for split in in_split_order(list(entry.files)):
                own = OwnCorpus(
                    bare,
                    entry.format,
                    entry.files[split],
                    split,
                    entry.types,
                    entry.kb,
                    entry.composite,
                    entry.alternative,
                    entry.units,
                    entry.encoding,
                )
                got = get_own_corpus(own, skip_bad=entry.skip_bad, prepare=prepare(), dry=self._dry)
        elif not entry.raw and not prepare().options() and not entry.skip_bad and self._has(bare):
            ensure_mini(entry.name)
            return Corpus.open(entry.name)
        elif self._dry and not entry.raw and bare != "mini":
            raise _MissingError(f"corpus {bare}")  # from the network, whatever that gives
        else:
            with bars(self._quiet) as progress:
                got = get_corpus(bare, entry.raw or None, skip_bad=entry.skip_bad, prepare=prepare(), progress=progress,
                          dry=self._dry)  # fmt: skip
        if self._dry and got.fresh:
            raise _MissingError(f"corpus {bare}")
        return Corpus.open(f"{got.name}@{got.revision}" + (f"/{type_}" if type_ else ""))

    def _has(self, name: str) -> bool:
        return canonical_name(name) in corpus_names()

    def _sync(self, entry: CorpusEntry) -> str:
        if not entry.sync:
            return ""
        return self.kb(entry.sync).pinned

    def _once(self, key: tuple[str, int], make: Callable[[], Any]) -> Any:
        """What `make` gives, or the error it ended with, the same each time."""
        if key not in self._obtained:
            try:
                self._obtained[key] = make()
            except Exception as error:
                self._obtained[key] = error
        found = self._obtained[key]
        if isinstance(found, Exception):
            raise found
        return found

    # ---- cells

    def stored(self, cell: PlannedRun) -> Run | None:
        """The cell's run, if it is there; its corpus and knowledge base are obtained."""
        corpus = self.corpus(cell.corpus)
        if isinstance(cell.source, ImportEntry):
            return find_import(*self._given(cell.source, corpus), **self._how(cell.source, cell.corpus, corpus))
        return find_run(self._request(cell, cell.source))

    def run(self, cell: PlannedRun) -> tuple[Run, bool]:
        """The cell's run, and whether it had to be done."""
        if found := self.stored(cell):
            return found, False
        corpus = self.corpus(cell.corpus)
        if isinstance(cell.source, ImportEntry):
            given, how = self._given(cell.source, corpus), self._how(cell.source, cell.corpus, corpus)
            return with_figures(import_run(*given, **how))
        engine.call_in_process("linkassay.bench_files.runner:link_cell", {
            "request": self._request(cell, cell.source).as_data(), "workers": cell.source.workers, "quiet": self._quiet,
        })  # fmt: skip
        if found := self.stored(cell):
            return found, True
        raise LinkassayError("the run was not stored")

    def _request(self, cell: PlannedRun, source: LinkerEntry) -> LinkRequest:
        """What is asked of the linker in this cell; all that it needs is obtained."""
        corpus = self.corpus(cell.corpus)
        lenders = tuple(self.kb(name).pinned for name in source.request.synonyms)
        return replace(source.request, corpus=corpus.pinned, kb=self._kb_of(cell.corpus, corpus).pinned,
                       split=cell.split, synonyms=lenders)  # fmt: skip

    def _kb_of(self, entry: CorpusEntry, corpus: Corpus) -> Kb:
        return self.kb(entry.kb or corpus.manifest["kb"])

    def _given(self, source: ImportEntry, corpus: Corpus) -> tuple[str, Sequence[Path], Corpus, str]:
        return source.format, source.files, corpus, source.system

    def _how(self, source: ImportEntry, entry: CorpusEntry, corpus: Corpus) -> dict[str, Any]:
        """How predictions are imported; unless named by the import itself, a knowledge base may be absent."""
        usual = [name for name in (entry.kb, corpus.manifest["kb"]) if name in self.plan.kbs or self.at_hand(name)]
        name = source.kb or next(iter(usual), "")
        kb = self.kb(name) if name else None
        options = ImportOptions(source.prefix, source.map, source.ids, source.types, source.skip_bad)
        return {"split": source.split, "kb": kb.pinned if kb else "", "options": options}


def plan_states(plan: Plan, cells: Sequence[PlannedRun]) -> list[dict[str, Any]]:
    """What each cell would find now: its run, or what is missing. Nothing is obtained or run."""
    work, states = Work(plan, dry=True), []
    for cell in cells:
        about = _about(cell)
        try:
            run = work.stored(cell)
            about |= {"state": THERE, "run": run.path.name} if run else {"state": MISSING}
        except _MissingError as error:
            about |= {"state": MISSING, "needs": str(error)}
        except LinkassayError as error:
            about |= {"state": FAILED, "error": str(error)}
        states.append(about)
    return states


def _about(cell: PlannedRun) -> dict[str, Any]:
    return {"corpus": cell.corpus.name, "split": cell.split, "system": cell.system}


def link_cell(request: dict[str, Any], workers: int, quiet: bool) -> None:
    """Run one linker, in the process that was made for it; whatever it dies of is said in a line."""
    asked = LinkRequest.of_data(request)
    with bars(quiet) as progress:
        try:
            with_figures(link(asked, engine=engine.Engine(workers=workers),
                              progress=lambda done, total: progress(f"link {asked.linker}", done, total)))  # fmt: skip
        except LinkassayError:
            raise
        except Exception as error:
            raise LinkassayError(f"{type(error).__name__}: {error}") from error


def run_plan(
    plan: Plan,
    cells: Sequence[PlannedRun],
    *,
    out: Path | None = None,
    say: Callable[[str], None] | None = None,
) -> BenchOutcome:
    """Run the cells that are missing, score all, and write the report; failures are part of the outcome.

    `say` is told what became of each cell; without it no progress is shown.
    """
    target = report_place(plan, out)
    work, outcome = Work(plan, quiet=say is None), BenchOutcome()
    for number, cell in enumerate(cells, start=1):
        about, begin = _about(cell), time.perf_counter()
        try:
            run, fresh = work.run(cell)
            if why := all_failed(run.about):
                raise LinkassayError(f"every document failed, the first with: {why}")
            about |= {"run": run.path.name, "state": DONE if fresh else THERE, "mentions": run.about["mentions"],
                      "failed_documents": len(run.about.get("failures", [])),
                      **({"leak": run.about["leak"]} if run.leak else {})}  # fmt: skip
            outcome.result.add(_scored(plan, run))  # a slice that cannot be made is a failure of this cell
        except Exception as error:  # whatever it is, the other cells go on
            about |= {"state": FAILED, "error": _error_text(error)}
        outcome.cells.append(about)
        if say:
            say(f"[{number}/{len(cells)}] {cell}: {_state_text(about)} ({time.perf_counter() - begin:.1f} s)")
    asked = {"title": plan.title, "file": plan.file.name, "measures": [str(m) for m in plan.score.parsed()],
             "slices": list(plan.score.by)}  # fmt: skip
    outcome.report = write_report(outcome.result, target, failed=outcome.failed, about=asked, mentions=plan.mentions,
                                  text=plan.text)  # fmt: skip
    return outcome


def _scored(plan: Plan, run: Run) -> Score:
    """The run judged as the plan says."""
    asked = plan.score
    return score_run(run, asked.parsed(), by=asked.by, abbreviations=asked.abbreviations,
                           exclude_ids=asked.exclude_ids, fold=asked.fold_case)  # fmt: skip


def _error_text(error: Exception) -> str:
    return str(error) if isinstance(error, LinkassayError) else f"{type(error).__name__}: {error}"


def _state_text(about: Mapping[str, Any]) -> str:
    if about["state"] == FAILED:
        return f"FAILED: {about['error']}"
    failed = about["failed_documents"]
    said = f"{about['state']}, {about['mentions']:,} mentions" + (f", {failed} documents FAILED" if failed else "")
    return said + (f", {about['leak']['documents']} documents were trained on" if "leak" in about else "")
