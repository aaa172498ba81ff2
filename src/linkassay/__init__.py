"""Measure entity linkers: corpora and knowledge bases in one form, every figure open to its mentions.

The verbs are functions of this module; what they need is imported when they are called, so that
`import linkassay` stays cheap.

>>> evaluate([{"mention": 1, "ids": "x"}], [{"mention": 1, "rank": 1, "id": "x"}], "recall@1").rows()[0]["value"]
1.0
"""

from __future__ import annotations

from linkassay import starting as starting  # before all others: from here on Ctrl-C is heeded

# isort: split
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from linkassay.defaults import DEFAULT_MEASURES, RESAMPLES_COMPARED
from linkassay.moved import OldNames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linkassay.bench_files import BenchOutcome
    from linkassay.corpora import Corpus, GotCorpus
    from linkassay.kbs import BuiltKb, Kb
    from linkassay.runs import Run
    from linkassay.scoring.disambiguation import Comparison, Measure, Score
    from linkassay.scoring.results import Result
    from linkassay.tables import Rows

    __version__: str

__all__ = [
    "bench", "check", "compare", "corpus", "evaluate", "explain", "get", "ground", "import_predictions", "info", "kb",
    "link", "linker", "prepare", "report", "run", "score", "train",
]  # fmt: skip

OldNames.install()

if not TYPE_CHECKING:  # to a checker it would make every name one of ours

    def __getattr__(name: str) -> str:
        if name != "__version__":
            raise AttributeError(f"module 'linkassay' has no attribute {name!r}")
        from importlib.metadata import version  # when asked for: reading what is installed takes time

        return version("linkassay")


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


def check(
    what: str | Path | Sequence[str | Path],
    *,
    format: str = "",
    corpus: str = "",
    units: str = "codepoint",
    encoding: str = "utf-8",
    join_blocks: bool = False,
) -> dict[str, Any]:
    """Validate a corpus by its name, or files, predictions with the `corpus` that they are for: `["ok"]` or not."""
    from linkassay.checks import check
    from linkassay.formats import Reading

    targets = [what] if isinstance(what, str | Path) else what
    reading = Reading(units=units, encoding=encoding, join_blocks=join_blocks)  # type: ignore[arg-type]
    return check(targets, format, corpus, reading)


def info(name: str, *, kb: str = "", abbreviations: str = "", critique: bool = False) -> dict[str, Any]:
    """Statistics, licence, citation, revision and checksums of a corpus or knowledge base, as `info --json` gives them.

    With `kb` also how many gold ids of the corpus it has, with `abbreviations` (their source) how many mentions are
    such, with `critique` a look at it as an end-to-end benchmark.
    """
    from linkassay import listing

    about = listing.describe(name)
    if kb:
        about["coverage"] = listing.coverage(corpus(name), globals()["kb"](kb))
    if critique or about.get("kb") == "wikidata":
        from linkassay.scoring.endtoend import critique_corpus

        about["critique"] = critique_corpus(corpus(name))
    if abbreviations:
        from linkassay.corpora import count_abbreviations
        from linkassay.text.abbreviations import abbreviation_source

        about["abbreviations"] = count_abbreviations(corpus(name), abbreviation_source(abbreviations))
    return about


def ground(
    text: str, *, kb: Kb | str, linker: str = "tfidf", top: int = 5, type: str = "", context: str = "", **options: Any
) -> Rows:
    """What a linker makes of one text: `id`, `name`, `score` and `rank` of its best candidates, equal ranks being ties.

    `type` is what the text is a mention of, `context` the text that it stands in, `options` are those of the linker. It
    is prepared, without training data, when it is first asked for; its index stays for later calls and runs.
    """
    from linkassay.in_memory import ground

    knowledge = globals()["kb"](kb) if isinstance(kb, str) else kb
    return ground(text, knowledge, linker, top=top, type=type, context=context, options=options)


def explain(
    text: str,
    *,
    kb: Kb | str,
    linker: str = "tfidf",
    first: str = "",
    second: str = "",
    type: str = "",
    context: str = "",
    **options: Any,
) -> Rows:
    """Why a linker ranks the entity `first` before `second` for a text: rows of `what`, `first`, `second` and `gain`.

    The two are ids, by default those of ranks 1 and 2. Of every linker there are rank and score of both, and the name
    of each that matches best; some say more, with how much of the difference of scores is due to it, the `gain`. The
    rest is as in `ground`.
    """
    from linkassay.in_memory import explain

    knowledge = globals()["kb"](kb) if isinstance(kb, str) else kb
    return explain(text, knowledge, linker, first=first, second=second, type=type, context=context, options=options)


def linker(name: str) -> Any:
    """A new linker of the registry, or of a file (`./mylinker.py:MyLinker`), unprepared."""
    from linkassay.linkers import load_linker

    return load_linker(name)()


def prepare(
    name: str,
    *,
    kb: str,
    train_on: str | Sequence[str] = (),
    abbreviations: str = "none",
    synonyms: Sequence[str] = (),
    **options: Any,
) -> Rows:
    """Index a knowledge base for the linker `name` and, with `train_on`, let it learn: once, for all runs to come.

    `link` and `ground` do so themselves where it was not done. The rows tell the folders of the data home.
    """
    from linkassay.runs import prepare_linker, prepared_rows
    from linkassay.tables import Rows

    learned = (train_on,) if isinstance(train_on, str) else tuple(train_on)
    made = prepare_linker(
        name, globals()["kb"](kb).pinned, learned, abbreviations=abbreviations, synonyms=tuple(synonyms),
        options=options,
    )  # fmt: skip
    return Rows(prepared_rows(made))


def train(
    family: str,
    on: str = "",
    *,
    model: str,
    to: str | Path,
    kb: str = "",
    train_on: str | Sequence[str] = (),
    dev: str = "dev",
    abbreviations: str = "none",
    seed: int = 0,
    device: str = "auto",
    **options: Any,
) -> dict[str, Any]:
    """Teach the encoder `model` as `biosyn` (on the corpus `on`) or `sapbert` (on a knowledge base) does; its card.

    The folder `to` is what `link(family, …, model=to)` takes. What is there already is not trained again; a training
    that was killed goes on. `dev` is the split of the corpus by which the best round is chosen; `options` are those of
    docs/neural.md.
    """
    from linkassay.runs import TrainRequest, train_model

    learned = (train_on,) if isinstance(train_on, str) else tuple(train_on)
    return train_model(
        TrainRequest(family, model, kb, on, learned, dev, abbreviations, device, seed, options), Path(to)
    )[0]


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
    from linkassay.cautions import kb_of_corpus
    from linkassay.runs import LinkRequest, link
    from linkassay.scoring.results import with_figures

    source = corpus(on)
    knowledge = kb_of_corpus(source, kb or "")
    request = LinkRequest(name, source.pinned, knowledge.pinned, split=split, top=top, abbreviations=abbreviations,
                          synonyms=tuple(synonyms), give=give, system=system, options=options,
                          train_on=tuple([train_on] if isinstance(train_on, str) else train_on),
                          allow_leak=allow_leak)  # fmt: skip
    return with_figures(link(request))[0]


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
    from linkassay.scoring.results import with_figures

    paths = [Path(each) for each in ([files] if isinstance(files, str | Path) else files)]
    on = globals()["corpus"](corpus)
    made = import_run(format, paths, on, system, split=split, kb=kb, options=ImportOptions.of(**options))
    return with_figures(made)[0]


def run(name: str) -> Run:
    """A run by its folder or as `corpus/system` (the newest)."""
    from linkassay.runs import Run

    return Run.open(name)


@overload
def score(  # type: ignore[overload-overlap]  # a text is one run, not a sequence of letters
    of: Run | str,
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
) -> Score: ...


@overload
def score(
    of: Sequence[Run | str],
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
) -> Result: ...


def score(
    of: Run | str | Sequence[Run | str],
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
) -> Score | Result:
    """Judge a run: `.table()` gives the figures, `.by("zero-shot")` those of slices, `.counts()` what they sum up.

    A list of runs gives a `Result`: the figures of all of them, tests corrected together. `measures` are written as on
    the command line. `abbreviations` (`schwartz-hearst`, `ab3p`, a file or `none`) and `fold` say how slices compare
    texts (lower-cased, unless `fold=False`; with `fold=True` sets do so too); `exclude_ids` are gold ids that do not
    count.
    """
    from linkassay.runs import Run
    from linkassay.scoring.disambiguation import score_run

    def judged(each: Run | str) -> Score:
        return score_run(run(each) if isinstance(each, str) else each, measures, by=by, protocol=protocol, set=set,
                         scope=scope, abbreviations=abbreviations, exclude_ids=exclude_ids, fold=fold,
                         resamples=resamples)  # fmt: skip

    if isinstance(of, str | Run):
        return judged(of)
    from linkassay.scoring.results import Result

    return Result(map(judged, of))


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
    fold: bool | None = None,
    resamples: int | None = None,
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


def report(
    of: Sequence[Run | str], to: str | Path, *, mentions: str | int = "", text: str = "", title: str = ""
) -> Path:
    """Write the HTML report of some runs, of one corpus or several.

    `mentions`: what the page holds of them, `all`, `errors` or how many; else all up to 50 000, and a sample of more.
    `text`: `full`, `snippet` or `none`; else as the licence of each corpus allows.
    """
    from linkassay.pages import write_report

    return write_report([score(each) for each in of], Path(to), mentions=mentions, text=text, title=title)


def bench(
    file: str | Path, *, only: Sequence[str] = (), out: str | Path | None = None, trust: bool = False
) -> BenchOutcome:
    """Run what a TOML file asks for and is missing, score all of it, write the report (docs/bench.md).

    A file that runs commands, asks services or loads code of other files needs `trust` the first time.
    """
    from linkassay.bench_files import chosen_cells, read_plan, require_trust, run_plan

    plan = read_plan(Path(file))
    require_trust(plan, trust)
    return run_plan(plan, chosen_cells(plan, only), out=Path(out) if out else None)
