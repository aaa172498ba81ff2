"""Measure entity linkers: corpora and knowledge bases in one form, every figure open to its mentions.

The verbs are functions of this module; what they need is imported when they are called, so that
`import linkassay` stays cheap.

>>> sorted(__all__)
['bench', 'compare', 'corpus', 'get', 'kb', 'link', 'linker', 'report', 'run', 'score']
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from linkassay.scoring.defaults import DEFAULT_MEASURES, RESAMPLES, RESAMPLES_COMPARED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linkassay.bench_files.runner import BenchOutcome
    from linkassay.corpora.obtain import GotCorpus
    from linkassay.corpora.stored_corpus import Corpus
    from linkassay.kbs.building.build import BuiltKb
    from linkassay.kbs.stored_kb import Kb
    from linkassay.runs.stored_run import Run
    from linkassay.scoring.disambiguation.comparison import Comparison
    from linkassay.scoring.disambiguation.measures import Measure
    from linkassay.scoring.disambiguation.run_score import Score

__all__ = ["bench", "compare", "corpus", "get", "kb", "link", "linker", "report", "run", "score"]


def get(name: str, raw: str | Path | None = None, *, skip_bad: bool = False) -> list[GotCorpus | BuiltKb]:
    """Obtain the corpus, the knowledge base, or both of this name into the data home."""
    from linkassay.corpora import CORPORA, canonical_name
    from linkassay.corpora.obtain import get_corpus
    from linkassay.kbs import KBS
    from linkassay.kbs.building.build import build_kb

    folder = Path(raw) if raw is not None else None
    got: list[GotCorpus | BuiltKb] = []
    if canonical_name(name) in CORPORA or name not in KBS:  # the corpora say what comes near an unknown name
        got.append(get_corpus(name, folder, skip_bad=skip_bad))
    if name in KBS:
        got.append(build_kb(KBS.load(name), folder))
    return got


def corpus(name: str) -> Corpus:
    """A corpus of the data home; the embedded `mini` is put there when first asked for."""
    from linkassay.corpora.stored_corpus import Corpus

    _ensure_mini(name)
    return Corpus.open(name)


def kb(name: str) -> Kb:
    """A knowledge base of the data home; the embedded `mini` is put there when first asked for."""
    from linkassay.kbs.stored_kb import Kb

    _ensure_mini(name)
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
    from linkassay.runs import execute
    from linkassay.runs.request import LinkRequest

    source = corpus(on)
    knowledge = globals()["kb"](kb or source.manifest["kb"])
    request = LinkRequest(name, source.pinned, knowledge.pinned, split=split, top=top, abbreviations=abbreviations,
                          synonyms=tuple(synonyms), give=give, system=system, options=options)  # fmt: skip
    return execute.link(request)[0]


def run(name: str) -> Run:
    """A run by its folder or as `corpus/system` (the newest)."""
    from linkassay.runs.stored_run import Run

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
    from linkassay.scoring.disambiguation.run_score import Score
    from linkassay.scoring.disambiguation.scored_mentions import ScoringOptions, id_list
    from linkassay.text.abbreviations import abbreviation_source as source

    options = ScoringOptions(
        id_list(exclude_ids), fold, None if abbreviations in ("", "none") else source(abbreviations)
    )
    return Score(run(of) if isinstance(of, str) else of, measures, by, protocol=protocol, set=set, scope=scope,
                 options=options, resamples=resamples)  # fmt: skip


def compare(
    of: Sequence[Run | str], measure: str = "recall@1", *, resamples: int = RESAMPLES_COMPARED, examples: int = 20
) -> Comparison:
    """Compare runs of one corpus: paired tests, what was fixed and broken, correlation, best possible ensemble."""
    from linkassay.scoring.disambiguation.comparison import compare_runs as compared

    return compared([score(each, [measure]) for each in of], measure, resamples, examples)


def report(of: Sequence[Run | str], to: str | Path) -> Path:
    """Write the HTML report of some runs, of one corpus or several."""
    from linkassay.pages.report_page import write_report

    return write_report([score(each) for each in of], Path(to))


def bench(file: str | Path, *, only: Sequence[str] = (), out: str | Path | None = None) -> BenchOutcome:
    """Run what a TOML file asks for and is missing, score all of it, write the report (docs/bench.md)."""
    from linkassay.bench_files.plan import chosen_cells, read_plan
    from linkassay.bench_files.runner import run_plan

    plan = read_plan(Path(file))
    return run_plan(plan, chosen_cells(plan, only), out=Path(out) if out else None)


def _ensure_mini(name: str) -> None:
    """Obtain the embedded benchmark when it is asked for and not there yet."""
    if name.partition("/")[0].lower() == "mini":
        from linkassay.corpora import stored_corpus as corpora
        from linkassay.kbs import stored_kb as kbs

        if "mini" not in corpora.corpus_names() or "mini" not in kbs.kb_names():
            get("mini")
