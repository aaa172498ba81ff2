"""`wic`: words in context: build a dataset, check one, run baselines, score predictions, label by hand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkassay.cli import terminal
from linkassay.cli.options import Form, Json, OldResamples, between_commas
from linkassay.errors import UsageError
from linkassay.tables import fixed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from linkassay.corpora import Corpus
    from linkassay.kbs import Kb
    from linkassay.tables import Rows
    from linkassay.wic import SystemLabels, TermPair

app = typer.Typer(no_args_is_help=True, help="Words in context: do two terms mean the same where they stand?")

Predictions = Annotated[
    list[Path],
    typer.Argument(metavar="PREDICTIONS…", help='JSON lines {"item": 0, "label": 1}; FILE names the system.'),
]
Data = Annotated[Path, typer.Option("--data", help="The pairs that were predicted, with their labels (JSON).")]
Train = Annotated[Path | None, typer.Option(help="Training pairs: tells seen from unseen terms.")]


@app.command()
def build(
    corpora: Annotated[str, typer.Option(help="Corpora of the data home, with commas between.")],
    kb: Annotated[str, typer.Option(help="Knowledge bases, with commas between; ids lead to the first.")],
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Folder for train.json, dev.json, test.json and the report.")
    ],
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 42,
    similarity: Annotated[float, typer.Option(help="Group D: the indel ratio must be over this.")] = 0.75,
    test_size: Annotated[int, typer.Option(help="At most so many pairs in test.")] = 2_000,
    dev_size: Annotated[int, typer.Option(help="At most so many pairs in dev.")] = 1_000,
    train_size: Annotated[int, typer.Option(help="At most so many pairs in train; 0: as many as there are.")] = 0,
    sentence_cap: Annotated[int, typer.Option(help="Pairs of train that a sentence may be in.")] = 100,
    pair_cap: Annotated[int, typer.Option(help="Pairs of dev and train with the same terms and entities.")] = 20,
    test_share: Annotated[float, typer.Option(help="Share of a group's pairs of terms that test may take.")] = 0.4,
    dev_share: Annotated[float, typer.Option(help="Share of the rest (or of documents) that dev may take.")] = 0.2,
    document_disjoint: Annotated[
        bool, typer.Option("--document-disjoint", help="No document in two splits, which BioWiC does not promise.")
    ] = False,
    workers: Annotated[int, typer.Option(help="Threads; the result does not depend on them.", min=1)] = 1,
    as_json: Json = False,
) -> None:
    """Build pairs of terms in context from corpora, as BioWiC was, in four groups and three splits."""
    from linkassay.wic import Settings
    from linkassay.wic import build_dataset as built_from

    settings = Settings(seed, similarity, test_size, dev_size, train_size, sentence_cap, pair_cap, test_share,
                        dev_share, document_disjoint)  # fmt: skip
    sources, kbs = _corpora(corpora), _kbs(kb)
    with terminal.progress(as_json) as progress:
        built = built_from(sources, kbs, out, settings, workers=workers, progress=progress)
    if as_json:
        terminal.print_json(
            {"path": str(out), "fresh": built.fresh, "report": built.report, "manifest": built.manifest}
        )
        return
    report = built.report
    if not built.fresh:
        print(f"{out} is there already; nothing to do")
    sizes = [{"split": split} | own | {"all": sum(own.values())} for split, own in report["splits"].items()]
    terminal.table(f"{out}: pairs, half of each true", sizes)
    print()
    steps = {"pairs of terms": report["pairs_of_terms"]}
    steps |= {f"possible, {label}": own for label, own in report["possible"].items()}
    steps |= {f"pruned: {rule}": own for rule, own in report["pruned"].items()}
    terminal.table("how they came about (pairs of contexts)", [{"step": step} | own for step, own in steps.items()])
    print()
    terminal.facts({"collected": report["collected"], "left_out": report["left_out"], "contexts": report["contexts"],
                "terms": report["terms"], "entities": report["entities"]})  # fmt: skip


@app.command()
def check(
    path: Annotated[Path, typer.Argument(help="Folder with train.json, dev.json, test.json, or one file; .gz too.")],
    kb: Annotated[str, typer.Option(help="Knowledge bases for names and relations; those it was built with.")] = "",
    corpora: Annotated[
        str, typer.Option(help="Where to find the documents of sentences; BioWiC's sources at hand; 'none': nowhere.")
    ] = "",
    similarity: Annotated[
        float | None, typer.Option(help="Hold group D to this threshold, whatever the data promise.")
    ] = None,
    document_disjoint: Annotated[
        bool, typer.Option("--document-disjoint", help="Fail where two splits share a document.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Verify every promise of a dataset; exit code 1 if one that was made is broken."""
    from linkassay.wic import check_dataset

    found = check_dataset(path, kbs=_kbs(kb) if kb else _built_with(path, as_json), corpora=_sources(corpora),
                           similarity=similarity, document_disjoint=document_disjoint or None)  # fmt: skip
    if as_json:
        terminal.print_json(found)
    else:
        rows = [
            {"promise": row["promise"], "verdict": row["verdict"],
             "held": "–" if row["of"] is None else f"{row['held']}/{row['of']}", "statement": row["statement"],
             "note": row["note"]}
            for row in found["promises"]
        ]  # fmt: skip
        terminal.table(f"{path}: promises", rows)
        for row in found["promises"]:
            if row["examples"]:
                print(f"{row['verdict']}: {row['promise']}: " + "; ".join(str(e)[:120] for e in row["examples"]))
        if found["documents_from"]:
            print(f"documents: where the sentences are found in {', '.join(found['documents_from'])}")
        titles = {
            "sizes": "sizes (table 3)",
            "groups": "groups, by their rules",
            "lengths": "words per term (table 4)",
            "seen": "test, seen (table 5)",
        }
        for name, title in titles.items():
            print()
            terminal.table(title, found["statistics"][name])
        if not found["statistics"]["seen"]:
            print("without train it cannot be said which terms of test were seen")
    if not found["ok"]:
        raise typer.Exit(1)


@app.command()
def baseline(
    name: Annotated[str, typer.Argument(help="random, term, static or encoder.")],
    test: Annotated[Path, typer.Option(help="Pairs to predict; their labels are only used to score.")],
    dev: Annotated[Path | None, typer.Option(help="Pairs that the cut comes from.")] = None,
    train: Annotated[Path | None, typer.Option(help="Pairs to learn from.")] = None,
    extra: Annotated[
        list[Path] | None, typer.Option(help="Further training pairs, e.g. WiC (its data and gold, or SuperGLUE's).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Where to write the predictions (JSON lines).")
    ] = None,
    system: Annotated[str, typer.Option("--name", help="Name of the system; that of the baseline if not given.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of everything that is by chance.")] = 42,
    vectors: Annotated[str, typer.Option(help="static: a file of word vectors, or wordllama.")] = "wordllama",
    model: Annotated[str, typer.Option(help="encoder: a folder, or a name known to sentence-transformers.")] = "",
    method: Annotated[str, typer.Option(help="encoder: cosine, logistic or finetune.")] = "cosine",
    mark: Annotated[str, typer.Option(help="encoder: how the term is marked: quotes, markers or none.")] = "quotes",
    epochs: Annotated[int, typer.Option(help="static, encoder: rounds of training; 0: as is usual.", min=0)] = 0,
    rate: Annotated[float, typer.Option(help="encoder: learning rate of fine-tuning.", min=0)] = 2e-5,
    batch: Annotated[int, typer.Option(help="encoder: texts at once.", min=1)] = 32,
    resamples: OldResamples = None,
    form: Form = "",
    as_json: Json = False,
) -> None:
    """Run a baseline: fitted on train, its cut from dev, never from test; then scored on test."""
    from linkassay import store
    from linkassay.wic import keep_figures, predictions_text, wic_figures
    from linkassay.wic.baselines import BASELINES, run_baseline

    pairs = {what: _pairs([path] if path else []) for what, path in (("train", train), ("dev", dev), ("test", test))}
    training = [*pairs["train"], *_pairs(extra or [])]
    if not pairs["test"]:
        raise UsageError(f"{test} has no pairs")
    known: dict[str, dict[str, Any]] = {
        "random": {"seed": seed},
        "static": {"vectors": vectors, "seed": seed} | ({"epochs": epochs} if epochs else {}),
        "encoder": {"method": method, "mark": mark, "rate": rate, "batch": batch, "seed": seed}
        | ({"model": model} if model else {}) | ({"epochs": epochs} if epochs else {}),
    }  # fmt: skip
    options, make = known.get(name, {}), BASELINES.load(name)
    with terminal.progress(as_json) as progress:
        made = make(**options, **({"report": progress} if name == "encoder" else {}))
        predicted = run_baseline(made, training, pairs["dev"], pairs["test"])
    label = store.valid_name(system or name, "system")
    if out is not None:
        store.write_text(out, predictions_text(pairs["test"], predicted.labels, predicted.scores))
    rows = wic_figures({label: predicted.labels}, pairs["test"], training)
    about = {"baseline": name, "options": options, "cut": predicted.cut,
             "train": len(training), "dev": len(pairs["dev"]), "test": len(pairs["test"])}  # fmt: skip
    keep_figures(label, pairs["test"], rows, about)
    _show_scores(rows, [], form, as_json, about | {"system": label, "predictions": str(out) if out else None})
    if not as_json and not form:
        print(f"cut {fixed(predicted.cut, 4)} " + ("from dev" if pairs["dev"] else "by definition"))


@app.command()
def score(
    predictions: Predictions,
    data: Data,
    train: Train = None,
    resamples: OldResamples = None,
    form: Form = "",
    as_json: Json = False,
) -> None:
    """Score predictions: accuracy by group and for seen and unseen terms; several systems are compared."""
    from linkassay.wic import compare_systems, keep_figures, wic_figures

    pairs = _pairs([data])
    beside = data.with_name(data.name.replace("test", "train"))
    train = train or (beside if beside != data and beside.is_file() else None)
    systems = _systems(predictions, pairs)
    training = _pairs([train] if train else [])
    rows = wic_figures(systems, pairs, training)
    for system in systems:
        own = [row for row in rows if row["system"] == system]
        keep_figures(system, pairs, own, {"train": len(training), "test": len(pairs)})
    _show_scores(rows, compare_systems(systems, pairs), form, as_json, {})


@app.command()
def sheet(
    data: Annotated[Path, typer.Argument(help="The pairs (JSON).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="A new folder for the sheets and a guide.")],
    size: Annotated[int, typer.Option(help="Pairs for each annotator.", min=1)] = 100,
    shared: Annotated[int, typer.Option(help="Pairs that all annotators get.", min=0)] = 50,
    annotators: Annotated[int, typer.Option(help="How many sheets.", min=1, max=50)] = 2,
    seed: Annotated[int, typer.Option(help="Which pairs are drawn.")] = 42,
    as_json: Json = False,
) -> None:
    """Write sheets for people to label: random pairs without their labels, some of them in common."""
    from linkassay.wic import export_sheets

    written = export_sheets(_pairs([data]), out, size=size, shared=shared, annotators=annotators, seed=seed)
    if as_json:
        terminal.print_json({"sheets": [str(path) for path in written], "size": size, "shared": shared})
    else:
        print(f"{len(written)} sheets of {size} pairs, {shared} in common: " + ", ".join(map(str, written)))


@app.command()
def agreement(
    sheets: Annotated[list[Path], typer.Argument(metavar="SHEET…", help="Sheets with labels filled in.")],
    data: Data,
    predictions: Annotated[
        list[Path] | None, typer.Option(help="Predictions whose kappa with the annotators is wanted.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Read labelled sheets back: accuracy of each annotator, kappa between them, and with systems."""
    from linkassay.files import one_file
    from linkassay.wic import annotator_agreement as agreed
    from linkassay.wic import read_sheet

    pairs = _pairs([data])
    people = {path.stem: read_sheet(one_file(path, "a sheet"), pairs) for path in sheets}
    if len(people) < len(sheets):
        raise UsageError("two sheets have the same name: an annotator is known by it")
    found = agreed(people, pairs, _systems(predictions or [], pairs))
    if as_json:
        terminal.print_json(found)
        return
    terminal.table("annotators against the labels of the data", found["annotators"])
    if found["between"]:
        print()
        terminal.table("annotators with each other, on the pairs in common", found["between"])
    print(f"\nhuman ceiling: {fixed(found['human_ceiling'], 3)} (mean accuracy of the annotators)")


def _show_scores(rows: Rows, tests: Rows | list[Any], form: str, as_json: bool, about: dict[str, Any]) -> None:
    from linkassay.wic import HUMAN_ACCURACY

    if as_json:
        terminal.print_json(about | {"rows": list(rows), "tests": list(tests), "human": HUMAN_ACCURACY})
        return
    if form:
        print(rows.text(form))
        return
    shown = [
        {"system": row["system"], "slice": row["slice"], "accuracy": row["accuracy"], "95 %": terminal.interval(row, 3),
         "right": row["right"], "n": row["n"], "kappa": row["kappa"],
         f"to human {HUMAN_ACCURACY:.2f}": terminal.difference(row["to_human"], 3)}
        for row in rows
    ]  # fmt: skip
    terminal.table("accuracy (95 % intervals over pairs)", shown)
    if tests:
        print()
        terminal.table("second against first", [
            {"pair": f"{row['first']} → {row['second']}", "difference": fixed(row["difference"], 4, sign=True),
             "95 %": terminal.interval(row, 4), "only first": row["only_first"], "only second": row["only_second"],
             "McNemar p": terminal.chance(row["mcnemar_p"]), "Holm": terminal.chance(row["mcnemar_p_holm"]),
             "bootstrap p": terminal.chance(row["bootstrap_p"]), "kappa": row["kappa"]}
            for row in tests
        ])  # fmt: skip
    print(f"human ceiling {HUMAN_ACCURACY:.2f}: mean accuracy of two experts (BioWiC)")


def _pairs(paths: Sequence[Path]) -> list[TermPair]:
    from linkassay.files import expand_paths
    from linkassay.wic import read_pairs

    return read_pairs(expand_paths(paths)) if paths else []


def _systems(paths: Sequence[Path], pairs: Sequence[TermPair]) -> dict[str, SystemLabels]:
    from linkassay.files import one_file
    from linkassay.store import valid_name
    from linkassay.wic import read_predictions

    systems = {}
    for path in paths:
        file = one_file(path, "predictions")
        name = valid_name(file.stem, "system")
        if name in systems:
            raise UsageError(f"two files of predictions are called {name!r}: a system is known by its file")
        systems[name] = read_predictions(file, pairs)
    return systems


def _corpora(names: str) -> list[Corpus]:
    import linkassay

    return [linkassay.corpus(name) for name in between_commas(names)]


def _kbs(names: str) -> list[Kb]:
    import linkassay

    return [linkassay.kb(name) for name in between_commas(names)]


def _built_with(path: Path, quiet: bool) -> list[Kb]:
    """The knowledge bases that a dataset of ours was built with, in their revisions; none if one is gone."""
    from linkassay.kbs import Kb
    from linkassay.wic import dataset_manifest

    try:
        return [Kb.open(f"{name}@{revision}") for name, revision in dataset_manifest(path).get("kbs", [])]
    except UsageError as error:
        terminal.say(f"note: names and relations are not checked: {error}", quiet)
        return []


def _sources(names: str) -> list[Corpus]:
    """Corpora asked for; if none are, those of BioWiC's sources that are in the data home."""
    from linkassay.corpora import Corpus, corpus_names
    from linkassay.wic import USUAL_SOURCES

    if names == "none":
        return []
    if names:
        return _corpora(names)
    there = set(corpus_names())
    return [Corpus.open(name) for name in USUAL_SOURCES if name in there]
