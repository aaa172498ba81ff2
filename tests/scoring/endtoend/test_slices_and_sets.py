"""Slices and sets where spans are predicted too (E2E-7 to E2E-9), held to the slow reference."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import linkassay
from linkassay.corpora.stored_corpus import Corpus, SplitWriter
from linkassay.errors import UsageError
from linkassay.model import Document, Mention, Prediction
from linkassay.runs.stored_run import Run
from linkassay.scoring.disambiguation import Score, ScoringOptions
from linkassay.scoring.endtoend import evaluate, recognised
from linkassay.scoring.endtoend.case_ledger import COUNTED, read_ledger
from linkassay.scoring.endtoend.figures import endtoend_figures, rows_of
from linkassay.scoring.endtoend.run_score import score_run_end_to_end
from linkassay.scoring.endtoend.slices_and_sets import CountedSlice, SlicesAndSets
from tests import reference_endtoend as reference
from tests.endtoend_helpers import stored_run
from tests.scoring.endtoend.test_evaluation import KB, articles

SETS = ("global", "global-unique", "novel", "novel-unique")
Article = tuple[list[Document], list[Prediction]]


@contextmanager
def cuts_of(
    documents: Sequence[Document], training: Sequence[Document], predictions: list[Prediction]
) -> Iterator[SlicesAndSets]:
    """The cuts of these predictions, in a data home of their own."""
    with tempfile.TemporaryDirectory() as home, pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", home)
        folder = Path(home) / "corpora" / "c" / "r"
        folder.mkdir(parents=True)
        for split, of in (("train", training), ("test", documents)):
            with SplitWriter(folder, split) as writer:
                for document in of:
                    writer.add(document)
        splits = {split: {"documents": 1} for split in ("train", "test")}
        manifest = {"revision": "r", "types": [], "splits": splits, "kb": ""}
        (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        run = stored_run(Corpus("c", folder), "s", predictions)
        ledger = read_ledger(documents, predictions, facts=KB, by=["type", "mention-kind"])
        yield SlicesAndSets(ledger, run)


def trained(article: Article) -> list[Document]:
    """The documents of an article as training data of others."""
    return [
        replace(d, id=f"t{d.id}", annotations=tuple(
            replace(m, id=f"t{m.id}", document=f"t{d.id}", parent=f"t{m.parent}" if m.parent else "",
                    further_parents=tuple(f"t{p}" for p in m.further_parents))
            for m in d.annotations))
        for d in article[0]
    ]  # fmt: skip


def scorable(documents: Sequence[Document]) -> bool:
    return any(m.gold and not m.parent and reference.inside(m.spans[0], d) for d in documents for m in d.annotations)


def found_of(cut: CountedSlice, nil: str) -> dict[str, Any]:
    totals = {name: cut.counts.total(name, nil) for name in COUNTED}
    return {name: total for name, total in totals.items() if total}


@settings(max_examples=25)
@given(article=articles(), before=articles())
def test_slices_and_sets_are_those_of_the_reference(article: Article, before: Article) -> None:
    documents, predictions = article
    training = trained(before)
    if not (scorable(documents) and scorable(training)):
        return
    old = [m for d in training for m in d.annotations if not m.parent and reference.inside(m.spans[0], d)]
    seen = {i for m in old for i in m.ids}
    slices = {
        "all": None, "short": lambda m: len(m.text) <= 3, "zero-shot": lambda m: not m.ids & seen,
    }  # fmt: skip
    with cuts_of(documents, training, predictions) as cuts:
        found = {(cut.set, cut.slice): cut for cut in cuts.cuts(SETS, ["short: length <= 3", "zero-shot"])}
    for set_ in SETS:
        for name, holds in slices.items():
            for nil in ("ignored", "required"):
                expected = reference.cut(documents, predictions, old, nil, KB, set_, holds)
                counted = found_of(found[set_, name], nil) if (set_, name) in found else {}
                assert counted == pytest.approx({k: float(v) for k, v in expected.items() if v}), (set_, name, nil)


@settings(max_examples=15)
@given(article=articles(), before=articles())
def test_laws_of_slices(article: Article, before: Article) -> None:
    """Groups are those of `evaluate`; a slice of everything is all but what has no gold id; documents add up."""
    documents, predictions = article
    training = trained(before)
    if not all(scorable([document]) for document in documents):
        return
    by = ["type", "mention-kind", "each: true"]
    with cuts_of(documents, training, predictions) as cuts:
        found = {(cut.set, cut.slice): cut for cut in cuts.cuts(("global", "novel"), by)}
        item = cuts.item
        ledger = read_ledger(documents, predictions, facts=KB)
    plain = evaluate(documents, predictions, facts=KB, by=["type", "mention-kind"])
    for (set_, name), cut in found.items():
        if set_ == "global":
            what = "all" if name == "all" else name
            for end in ("tp", "fp", "fn") if name != "each" else ():
                assert (cut.counts.values[f"all_{end}"] == plain.values[f"{what}_{end}"]).all()
    with_id = (item >= 0).astype(float)
    every = ledger.counts(with_id, with_id)
    assert all((found["global", "each"].counts.values[n] == values).all() for n, values in every.values.items())
    parts = []
    for document in documents:
        own = [p for p in predictions if p.document == document.id]
        with cuts_of([document], training, own) as cuts:
            parts.append({(cut.set, cut.slice): cut.counts for cut in cuts.cuts(("global", "novel"), by)})
    for key, cut in found.items():
        nothing = {name: np.zeros((2, 1)) for name in COUNTED}
        for name in COUNTED:
            columns = [part[key].values[name] if key in part else nothing[name] for part in parts]
            assert (np.concatenate(columns, axis=1) == cut.counts.values[name]).all(), (key, name)


# --- stored runs


@pytest.fixture(scope="module")
def spotter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))
        linkassay.get("mini")
        linkassay.link("exact", "mini")
        yield linkassay.link("spotter", "mini", give="text")


def test_true_positives_of_a_slice_are_its_mentions_that_are_linked(spotter: Run) -> None:
    """As scoring of given mentions has them, but for mentions that need not be found or have alternatives."""
    by, sets = ["zero-shot", "abbreviation", "species"], ["global", "novel"]
    scored = score_run_end_to_end(
        spotter, by=by, sets=sets, cases=True, options=ScoringOptions.of("schwartz-hearst", fold=False)
    )
    rows = rows_of(endtoend_figures([scored], ["ignored"]))
    given_, ledger = linkassay.score(spotter), scored.ledger
    assert ledger is not None
    linked = {ledger.mention[case] for case in np.flatnonzero(ledger.counts_for("all_tp", "ignored")).tolist()}
    labels = [m for d in spotter.open_corpus()["test"] for m in d.annotations]
    plain = {m.id for m in labels} - {m.parent for m in labels}
    optional = {m.id for m in labels if m.optional}
    ids = given_.items.table["id"].to_pylist()
    for name, hit in zip(ids, given_.hits("recall(protocol=belb/lenient)@1"), strict=True):
        assert name not in plain or name in optional or (name in linked) == bool(hit)
    needed, right = (np.array([name in of for name in ids]) for of in ({m.id for m in labels} - optional, linked))
    for set_ in sets:
        for name, mask in given_.slices(by):
            weight = given_.sets.weights(set_, mask, pairs=False) * needed
            if weight.any():
                found = rows["mini", spotter.path.name, set_, name, "ignored"]["all_r"]
                assert (found.n, found.value) == (weight.sum(), pytest.approx((weight * right).sum() / weight.sum()))


def test_notes_and_tests_of_slices(spotter: Run) -> None:
    found = rows_of(endtoend_figures([score_run_end_to_end(spotter, by=["type", "zero-shot"])], ["ignored"]))
    slices = {key[3]: row for key, row in found.items()}
    assert "predictions on no gold mention" in slices["zero-shot"]["all_p"].note
    assert not slices["zero-shot"]["all_r"].note
    assert not slices["type=gene"]["all_p"].note
    tested = [figure for row in slices.values() for figure in row.values() if figure.p is not None]
    assert {figure.about["measure"] for figure in tested} == {"all_f1", "all_p", "all_r"}
    assert all(figure.p <= figure.p_holm for figure in tested)  # type: ignore[operator]
    apart = slices["zero-shot"]["all_f1"].difference
    assert apart is not None
    assert apart.value == pytest.approx(slices["zero-shot"]["all_f1"].value - slices["all"]["all_f1"].value)  # type: ignore[operator]


def test_scope(spotter: Run) -> None:
    """Only gold mentions that another run recognised: all of them, as it was given them; and no spurious ones."""
    scoped = score_run_end_to_end(spotter, scope=["recognised(mini/exact)"])
    (cut,) = scoped.cuts
    assert cut.counts.total("all_tp", "ignored") == scoped.counts.total("all_tp", "ignored")
    assert cut.counts.total("all_fp", "ignored") < scoped.counts.total("all_fp", "ignored")
    (row,) = rows_of(endtoend_figures([scoped], ["ignored"])).values()
    assert row["all_f1"].key.endswith("|under=recognised(mini/exact)")
    assert "document_f1" not in row


def test_recognised_means_the_same_in_python_and_as_a_scope(spotter: Run) -> None:
    """Of the stored run, and of its predictions without the names of mentions, which spans find again (SPAN-6)."""
    documents, predictions = list(spotter.open_corpus()[spotter.split]), list(spotter.predictions())
    score = Score(spotter, scope=[f"recognised({spotter.path})"])
    scope = set(score.items.table["id"].filter(pa.array(score.in_scope)).to_pylist())
    assert 0 < len(scope) < len(score.items)
    for said in (predictions, [replace(p, mention="") for p in predictions]):
        assert recognised(documents, said) & set(score.items.table["id"].to_pylist()) == scope
    silent = [replace(p, groups=(), nil=False) for p in predictions]
    assert recognised(documents, [replace(p, mention="") for p in silent]) == recognised(documents, predictions)


def mention(name: str, text: str, start: int, entity: str) -> Mention:
    gold = (frozenset({entity}),) if entity else ()
    return Mention(name, name[0], ((start, start + len(text)),), text, "t", gold)


def test_sets_by_hand() -> None:
    """Repeats weigh one together, as gold and as spurious; NIL has pairs of its own."""
    gold = [mention("a1", "Ada", 0, "q:1"), mention("a2", "Ada", 4, "q:1"), mention("a3", "Bob", 8, "")]
    train = Document("t", "Bob Eve", annotations=(mention("t1", "Bob", 0, ""), mention("t2", "Eve", 4, "q:3")))
    test = Document("a", "Ada Ada Bob Eve Eve Eve", annotations=tuple(gold))

    def says(start: int, entity: str) -> Prediction:
        return Prediction("a", ((start, start + 3),), ((entity,),) if entity else (), nil=not entity)

    said = [says(0, "q:1"), says(4, "q:2"), says(8, "q:1"), says(12, "q:3"), says(16, "q:4"), says(20, "q:4")]
    with cuts_of([test], [train], said) as cuts:
        found = {cut.set: found_of(cut, "ignored") for cut in cuts.cuts(SETS, [])}
    outcomes = {set_: tuple(of.get(f"all_{x}", 0) for x in ("tp", "fp", "fn")) for set_, of in found.items()}
    assert outcomes == {
        "global": (1, 5, 1), "global-unique": (0.5, 0.5 + 1 + 1 + 1, 0.5), "novel": (1, 3, 1),
        "novel-unique": (0.5, 1.5, 0.5),
    }  # fmt: skip


def test_sets_of_nothing_are_refused(home: Path) -> None:
    """A corpus without gold and a run without answers: all of it has figures, a set of mentions has nothing to hold."""
    folder = home / "corpora" / "c" / "r"
    folder.mkdir(parents=True)
    with SplitWriter(folder, "test") as writer:
        writer.add(Document("d", "Nothing here."))
    manifest = {"revision": "r", "types": [], "splits": {"test": {"documents": 1}}, "kb": ""}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    run = stored_run(Corpus("c", folder), "s", [])
    (row,) = rows_of(endtoend_figures([score_run_end_to_end(run, by=["type"])], ["ignored"])).values()
    assert (row["all_f1"].value, row["all_f1"].n, row["all_f1"].low) == (0, 0, None)
    with pytest.raises(UsageError, match="nothing to score"):
        score_run_end_to_end(run, sets=["novel"])
