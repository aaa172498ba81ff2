"""Measure entity linkers: corpora and knowledge bases in one form, every figure open to its mentions.

The verbs are functions of this module; what they need is imported when they are called, so that
`import linkassay` stays cheap.

>>> sorted(__all__)
['bench', 'compare', 'corpus', 'get', 'kb', 'link', 'linker', 'report', 'run', 'score']
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

__all__ = ["bench", "compare", "corpus", "get", "kb", "link", "linker", "report", "run", "score"]

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
    """A new linker of the registry, or of a file (`./mylinker.py:MyLinker`), unprepared."""
    from linkassay.linkers import load_linker

    return load_linker(name)()


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
    train_on: str | Sequence[str] = (),
    allow_leak: bool = False,
    **options: Any,
) -> Run:
    """Run the linker `name` on a corpus; a run that is there already is not repeated.

    It is one of the registry, or a class of a file (`./mylinker.py:MyLinker`).

    `synonyms` names knowledge bases that lend their names for the same entities. `give` is `mentions` or `text`,
    `system` what to call the run, `train_on` what a linker learns from (`mini:train+dev`, `none`) in place of the
    corpus's train split; documents that it has learned from are linked with `allow_leak` only. `options` are those of
    the linker, e.g. `url` and `exchange` of `http`.
    """
    from linkassay.runs import LinkRequest, link

    source = corpus(on)
    knowledge = globals()["kb"](kb or source.manifest["kb"])
    request = LinkRequest(name, source.pinned, knowledge.pinned, split=split, top=top, abbreviations=abbreviations,
                          synonyms=tuple(synonyms), give=give, system=system, options=options,
                          train_on=tuple([train_on] if isinstance(train_on, str) else train_on),
                          allow_leak=allow_leak)  # fmt: skip
    return link(request)[0]


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
