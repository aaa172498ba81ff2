"""Measure entity linkers: corpora and knowledge bases in one form, every figure open to its mentions.

The verbs are functions of this module; what they need is imported when they are called, so that
`import linkassay` stays cheap.

>>> evaluate([{"mention": 1, "ids": "x"}], [{"mention": 1, "rank": 1, "id": "x"}], "recall@1").rows()[0]["value"]
1.0
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkassay.defaults import DEFAULT_MEASURES, RESAMPLES, RESAMPLES_COMPARED
from linkassay.moved import OldNames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linkassay.bench_files import BenchOutcome
    from linkassay.corpora import Corpus, GotCorpus
    from linkassay.kbs import BuiltKb, Kb
    from linkassay.runs import Run
    from linkassay.scoring.disambiguation import Comparison, Measure, Score
    from linkassay.scoring.results import Result

__all__ = [
    "bench", "compare", "corpus", "evaluate", "get", "import_predictions", "kb", "link", "linker", "report", "run",
    "score",
]  # fmt: skip

OldNames.install()


def get(name: str, raw: str | Path | None = None, *, skip_bad: bool = False) -> list[GotCorpus | BuiltKb]:
    """Obtain the corpus, the knowledge base, or both of this name into the data home."""
    from linkassay.corpora import CORPORA, canonical_name, get_corpus
    from linkassay.kbs import KBS, build_kb

    folder = Path(raw) if raw is not None else None
    got: list[GotCorpus | BuiltKb] = []
    if canonical_name(name) in CORPORA or name not in KBS:  # the corpora say what comes near an unknown name
        got.append(get_corpus(name, folder, skip_bad=skip_bad))
    if name in KBS:
        got.append(build_kb(KBS.load(name), folder))
    return got


def corpus(name: str) -> Corpus:
    """A corpus of the data home; the embedded `mini` is put there when first asked for."""
    from linkassay.corpora import Corpus, ensure_mini

    ensure_mini(name)
    return Corpus.open(name)


def kb(name: str) -> Kb:
    """A knowledge base of the data home; the embedded `mini` is put there when first asked for."""
    from linkassay.corpora import ensure_mini
    from linkassay.kbs import Kb

    ensure_mini(name)
    return Kb.open(name)


def linker(name: str) -> Any:
    """A new linker of the registry, unprepared."""
    from linkassay.linkers import LINKERS

    return LINKERS.load(name)()


def link(
    name: str,
    on: str,
    *,
    kb: str | None = None,
    split: str = "test",
    top: int = 10,
    abbreviations: str = "none",
    synonyms: Sequence[str] = (),
    give: str = "",
    system: str = "",
    **options: Any,
) -> Run:
    """Run the linker `name` on a corpus; a run that is there already is not repeated.

    `synonyms` names knowledge bases that lend their names for the same entities. `give` is `mentions` or `text`,
    `system` what to call the run, `options` are those of the linker, e.g. `url` and `exchange` of `http`.
    """
    from linkassay.runs import LinkRequest, link

    source = corpus(on)
    knowledge = globals()["kb"](kb or source.manifest["kb"])
    request = LinkRequest(name, source.pinned, knowledge.pinned, split=split, top=top, abbreviations=abbreviations,
                          synonyms=tuple(synonyms), give=give, system=system, options=options)  # fmt: skip
    return link(request)[0]


def import_predictions(
    format: str,
    files: str | Path | Sequence[str | Path],
    *,
    corpus: str,
    system: str,
    split: str = "test",
    kb: str = "",
    **options: Any,
) -> Run:
    """Store predictions made elsewhere as a run, joined with a corpus; the report is in `.about["import"]`.

    `options` are those of `ImportOptions`: `prefix`, `map`, `ids`, `types`, `skip_bad`.
    """
    from linkassay.runs.importing import ImportOptions, import_run

    paths = [Path(each) for each in ([files] if isinstance(files, str | Path) else files)]
    on = globals()["corpus"](corpus)
    return import_run(format, paths, on, system, split=split, kb=kb, options=ImportOptions.of(**options))[0]


def run(name: str) -> Run:
    """A run by its folder or as `corpus/system` (the newest)."""
    from linkassay.runs import Run

    return Run.open(name)


def score(
    of: Run | str,
    measures: str | Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    by: Sequence[str] = (),
    protocol: str = "",
    set: str = "global",
    scope: Sequence[str] = (),
    abbreviations: str = "schwartz-hearst",
    exclude_ids: str | Sequence[str] = (),
    fold: bool = False,
    resamples: int = RESAMPLES,
) -> Score:
    """Judge a run: `.table()` gives the figures, `.by("zero-shot")` those of slices, `.counts()` what they sum up.

    `measures` are written as on the command line. `abbreviations` (`schwartz-hearst`, `ab3p`, a file or `none`)
    and `fold` say how slices compare texts; `exclude_ids` are gold ids that do not count.
    """
    from linkassay.scoring.disambiguation import score_run

    return score_run(run(of) if isinstance(of, str) else of, measures, by=by, protocol=protocol, set=set, scope=scope,
                     abbreviations=abbreviations, exclude_ids=exclude_ids, fold=fold, resamples=resamples)  # fmt: skip


def evaluate(
    gold: Any,
    predictions: Any,
    measures: str | Sequence[str | Measure] = DEFAULT_MEASURES,
    *,
    kb: Kb | str | None = None,
    system: str = "system",
    by: Sequence[str] = (),
    protocol: str = "",
    set: str = "global",
    exclude_ids: str | Sequence[str] = (),
    fold: bool = False,
    resamples: int = RESAMPLES,
) -> Result:
    """Judge predictions that are at hand, without a data home (docs/python.md): `.rows()` gives the figures.

    `gold` has rows `mention`, `ids` (a list of alternatives, an inner list is a composite) and perhaps `document`,
    `text`, `type`; `predictions` rows `mention`, `rank`, `id` and perhaps `score`, equal ranks being ties, or `mention`
    and `candidates`, a list of groups. Both are lists of dictionaries, tables of pandas, polars or Arrow, or paths.
    `kb` is a knowledge base of the data home, for ids that have changed and for slices that ask it.
    """
    from linkassay.in_memory import evaluate

    knowledge = globals()["kb"](kb) if isinstance(kb, str) else kb
    return evaluate(gold, predictions, measures, kb=knowledge, system=system, by=by, protocol=protocol, set=set,
                    exclude_ids=exclude_ids, fold=fold, resamples=resamples)  # fmt: skip


def compare(
    of: Sequence[Run | str], measure: str = "recall@1", *, resamples: int = RESAMPLES_COMPARED, examples: int = 20
) -> Comparison:
    """Compare runs of one corpus: paired tests, what was fixed and broken, correlation, best possible ensemble."""
    from linkassay.scoring.disambiguation import compare_runs as compared

    return compared([score(each, [measure]) for each in of], measure, resamples, examples)


def report(of: Sequence[Run | str], to: str | Path) -> Path:
    """Write the HTML report of some runs, of one corpus or several."""
    from linkassay.pages import write_report

    return write_report([score(each) for each in of], Path(to))


def bench(file: str | Path, *, only: Sequence[str] = (), out: str | Path | None = None) -> BenchOutcome:
    """Run what a TOML file asks for and is missing, score all of it, write the report (docs/bench.md)."""
    from linkassay.bench_files import chosen_cells, read_plan, run_plan

    plan = read_plan(Path(file))
    return run_plan(plan, chosen_cells(plan, only), out=Path(out) if out else None)
