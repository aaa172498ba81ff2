"""End-to-end scoring: the matrix, trees, presets (MATRIX-1, TREE-1, PRESET-3 to PRESET-5); by hand and reference."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.corpora.stored_corpus import Corpus, SplitWriter
from linkassay.errors import DataError, UsageError
from linkassay.model import STRAY, Document, Mention, Prediction
from linkassay.scoring.endtoend import Counts, KbFacts, evaluate
from linkassay.scoring.endtoend.decision_matrix import MATRIX
from tests import reference_endtoend as reference
from tests.endtoend_helpers import excerpt, linked, mention, says, write_predictions

TEXT = 'In Chatham, New Jersey, the "old_mayor" met Ada\'s aunt IT 3 times. They left'


def document(*labels: Mention, **more: object) -> Document:
    return Document("d", TEXT, annotations=labels, **more)  # type: ignore[arg-type]


def outcome(counts: Counts, what: str = "all", nil: str = "ignored") -> tuple[int, int, int]:
    return tuple(counts.total(f"{what}_{x}", nil) for x in ("tp", "fp", "fn"))  # type: ignore[return-value]


# --- alternatives (issue: the "Chatham, New Jersey" cases) --------------------------------------

WHOLE, TOWN, STATE = "Chatham, New Jersey", "Chatham", "New Jersey"
ROOT = mention(WHOLE, TEXT, "q:town")
TREE = (ROOT, mention(TOWN, TEXT, "q:town", ROOT.id), mention(STATE, TEXT, "q:state", ROOT.id))
CHATHAM = [
    ("whole right", {WHOLE: "q:town"}, (1, 0, 0), (1, 0, 0)),
    ("both parts right", {TOWN: "q:town", STATE: "q:state"}, (1, 0, 0), (1, 0, 0)),
    ("one part only", {TOWN: "q:town"}, (0, 0, 1), (0, 0, 1)),
    ("one right, one wrong", {TOWN: "q:town", STATE: "q:x"}, (0, 1, 1), (0, 1, 1)),
    ("both wrong", {TOWN: "q:x", STATE: "q:y"}, (0, 2, 1), (0, 2, 1)),
    ("whole wrong, parts right", {WHOLE: "q:x", TOWN: "q:town", STATE: "q:state"}, (1, 1, 0), (1, 0, 0)),
    ("nothing", {}, (0, 0, 1), (0, 0, 1)),
    ("whole wrong", {WHOLE: "q:x"}, (0, 1, 1), (0, 1, 1)),
]


@pytest.mark.parametrize(("said", "fair", "elevant"), [c[1:] for c in CHATHAM], ids=[c[0] for c in CHATHAM])
@pytest.mark.parametrize("nil", ["ignored", "required"])
def test_chatham_new_jersey(said: dict[str, str], fair: tuple[int, ...], elevant: tuple[int, ...], nil: str) -> None:
    predictions = [says(text, TEXT, entity) for text, entity in said.items()]
    assert outcome(evaluate([document(*TREE)], predictions), nil=nil) == fair
    assert outcome(evaluate([document(*TREE)], predictions, preset="elevant"), nil=nil) == elevant


def test_alternatives_on_one_span_give_at_most_one_false_positive() -> None:
    ada = mention("Ada", TEXT, "q:a")
    labels = (ada, mention("Ada", TEXT, "q:b", ada.id))
    assert outcome(evaluate([document(*labels)], [says("Ada", TEXT, "q:b")])) == (1, 0, 0)
    assert outcome(evaluate([document(*labels)], [says("Ada", TEXT, "q:x")])) == (0, 1, 1)


def test_optional_root_with_a_part_that_must_be_found() -> None:
    aunt = mention("Ada's aunt", TEXT, "q:aunt", optional=True)
    labels = (aunt, mention("Ada", TEXT, "q:ada", aunt.id))
    for preset in ("fair", "elevant"):
        assert outcome(evaluate([document(*labels)], [], preset=preset)) == (0, 0, 1)
        assert outcome(evaluate([document(*labels)], [says("Ada", TEXT, "q:ada")], preset=preset)) == (1, 0, 0)
        assert outcome(evaluate([document(*labels)], [says("Ada's aunt", TEXT, "q:aunt")], preset=preset)) == (0, 0, 0)


def test_part_that_two_labels_list() -> None:
    """As in Wiki-Fair: the second label's part is its own sibling's, so that being right there excuses it."""
    root, town = ROOT, replace(TREE[1], gold=(frozenset({"q:x"}),), id="x")
    state = TREE[2]
    other = mention(TOWN, TEXT, "q:town", town.id, further_parents=(state.id,))
    predictions = [says(TOWN, TEXT, "q:town")]
    assert outcome(evaluate([document(root, town, state, other)], predictions, preset="elevant")) == (1, 0, 0)
    alone = replace(other, further_parents=())
    assert outcome(evaluate([document(root, town, state, alone)], predictions, preset="elevant")) == (0, 0, 1)


# --- the matrix ---------------------------------------------------------------------------------


def test_matrix_says_what_the_specification_says() -> None:
    """Every cell, as (linking, NER) in both ways of handling NIL, through whole evaluations."""
    kb = KbFacts(quantities=frozenset({"q:3"}))
    gold = {
        "–": (), "entity": (mention("Ada", TEXT, "q:a"),), "NIL": (mention("Ada", TEXT),),
        "optional": (mention("Ada", TEXT, "q:a", optional=True),),
        "optional NIL": (mention("Ada", TEXT, optional=True),), "quantity": (mention("Ada", TEXT, kind="quantity"),),
    }  # fmt: skip
    answers = {"–": [], "a": [says("Ada", TEXT, "q:a")], "b": [says("Ada", TEXT, "q:b")],
               "3": [says("Ada", TEXT, "q:3")], "NIL": [says("Ada", TEXT)]}  # fmt: skip
    fp, fn, tp, both, no = (0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 1), (0, 0, 0)
    expected = {
        ("–", "a"): (fp, fp, fp, fp), ("–", "NIL"): (no, no, fp, fp), ("entity", "–"): (fn, fn, fn, fn),
        ("NIL", "–"): (no, no, fn, fn), ("entity", "a"): (tp, tp, tp, tp), ("entity", "b"): (both, tp, both, tp),
        ("entity", "NIL"): (fn, fn, both, tp), ("NIL", "a"): (fp, fp, both, tp), ("NIL", "NIL"): (no, no, tp, tp),
        ("optional", "–"): (no, no, no, no), ("quantity", "–"): (no, no, no, no),
        ("optional NIL", "–"): (no, no, no, no),
        ("optional", "a"): (no, no, no, no), ("quantity", "3"): (no, no, no, no), ("optional", "b"): (fp, no, fp, no),
        ("quantity", "b"): (fp, no, fp, no), ("optional NIL", "a"): (fp, fp, fp, no),
        ("optional", "NIL"): (no, no, fp, no), ("quantity", "NIL"): (no, no, fp, no),
        ("optional NIL", "NIL"): (no, no, no, no),
    }  # fmt: skip
    for preset in ("fair", "elevant"):
        for (label, answer), cells in expected.items():
            counts = evaluate([document(*gold[label])], answers[answer], preset=preset, facts=kb)
            found = tuple(outcome(counts, w, n) for n in ("ignored", "required") for w in ("all", "ner"))
            assert found == cells, (preset, label, answer)
    assert not MATRIX.flags.writeable


# --- spans --------------------------------------------------------------------------------------


def test_span_policies() -> None:
    labels = (mention("Ada", TEXT, "q:a"),)
    for said, exact, words, overlap in [
        ("Ada", 1, 1, 1),
        ("Ada's", 0, 1, 1),
        ("Ada's aunt", 0, 0, 1),
        ("aunt", 0, 0, 0),
    ]:
        for policy, right in (("exact", exact), ("words", words), ("overlap", overlap)):
            found = outcome(evaluate([document(*labels)], [says(said, TEXT, "q:a")], spans=policy))
            assert found == (right, 1 - right, 1 - right), (said, policy)


def test_two_predictions_on_one_span() -> None:
    labels = (mention("Ada", TEXT, "q:a"),)
    for order in (["q:a", "q:b"], ["q:b", "q:a"]):
        assert outcome(evaluate([document(*labels)], [says("Ada", TEXT, q) for q in order])) == (1, 1, 0)


def test_only_what_lies_inside_the_evaluation_spans_is_scored() -> None:
    labels = (mention("Ada", TEXT, "q:a"), mention("Chatham", TEXT, "q:c"))
    inside = document(*labels, evaluation_spans=((0, 10),))
    found = evaluate([inside], [says("Chatham", TEXT, "q:c"), says("aunt", TEXT, "q:x"), says("In", TEXT, "q:x")])
    assert outcome(found) == (1, 1, 0)


def test_discontinuous_spans_are_told_apart() -> None:
    pieces = ((0, 2), (5, 7))
    label = Mention("m", "d", pieces, "In at", "", (frozenset({"q:a"}),))
    right = Prediction("d", pieces, (("q:a",),))
    assert outcome(evaluate([document(label)], [right])) == (1, 0, 0)
    assert outcome(evaluate([document(label)], [replace(right, spans=((0, 7),))])) == (0, 1, 1)


def test_answer_of_several_ids_is_right_if_one_is() -> None:
    label = replace(mention("Ada", TEXT), gold=(frozenset({"q:a", "q:b"}),))
    said = replace(says("Ada", TEXT, "q:a"), groups=(("q:b", "q:x"),))
    assert outcome(evaluate([document(label)], [said])) == (1, 0, 0)
    assert outcome(evaluate([document(label)], [replace(said, groups=(("q:x", "q:y"),))])) == (0, 1, 1)


def test_prediction_without_an_answer() -> None:
    labels = (mention("Ada", TEXT, "q:a"),)
    silent = Prediction("d", labels[0].spans)
    assert outcome(evaluate([document(*labels)], [silent])) == (0, 0, 1)
    assert outcome(evaluate([document(*labels)], [replace(silent, groups=((), ()))])) == (0, 0, 1)
    assert outcome(evaluate([document(*labels)], [replace(silent, groups=((), ("q:a",)))])) == (1, 0, 0)
    assert outcome(evaluate([document(*labels)], [silent], preset="elevant")) == (0, 1, 1)
    assert outcome(evaluate([document()], [silent], preset="elevant")) == (0, 0, 0)


# --- bad input ----------------------------------------------------------------------------------


def test_bad_input() -> None:
    with pytest.raises(DataError, match="does not lie inside its text of"):
        evaluate([document()], [Prediction("d", ((0, len(TEXT) + 1),), (("q:a",),))])
    with pytest.raises(DataError, match="unknown document 'x'"):
        evaluate([document()], [Prediction("x", ((0, 1),), (("q:a",),))])
    with pytest.raises(DataError, match="document d occurs twice"):
        evaluate([document(), document()], [])
    with pytest.raises(UsageError, match="unknown preset 'fare'; did you mean 'fair'"):
        evaluate([document()], [], preset="fare")
    with pytest.raises(UsageError, match="unknown span policy"):
        evaluate([document()], [], spans="near")
    with pytest.raises(UsageError, match="fixes how spans are compared"):
        evaluate([document()], [], preset="elevant", spans="exact")


def test_bad_spans_in_a_stored_run(tmp_path: Path) -> None:
    path = tmp_path / "predictions.parquet"
    for spans in ((), ((3, 3),), ((0, 1), (4, 2)), ((-1, 2),)):
        write_predictions(path, [Prediction("d", ((0, 1),)), Prediction("d", spans, (("q:a",),))])
        with pytest.raises(DataError, match="document d: a prediction has the spans"):
            evaluate([document()], path)
    write_predictions(path, [])
    assert outcome(evaluate([document()], path)) == (0, 0, 0)


def test_nothing_at_all() -> None:
    counts = evaluate([], [])
    assert (counts.micro("all", "ignored"), counts.macro("all", "ignored")) == ((0, 0, 0), (0, 0, 0))


# --- GERBIL -------------------------------------------------------------------------------------


def test_gerbil_by_hand() -> None:
    labels = (mention("Chatham", TEXT, "q:c"), mention("Ada", TEXT, "q:a"), mention("IT", TEXT))
    said = [says("Chatham, New Jersey", TEXT, "q:c"), says("Ada", TEXT, "q:a"), says("Ada", TEXT, "q:a")]
    strong = evaluate([document(*labels)], said, preset="gerbil/strong")
    weak = evaluate([document(*labels)], said, preset="gerbil/weak")
    assert (outcome(strong), outcome(strong, nil="required")) == ((1, 2, 1), (1, 2, 2))
    assert (outcome(weak), outcome(weak, nil="required")) == ((2, 1, 0), (2, 1, 1))
    assert strong.micro("all", "ignored") == (1 / 3, 1 / 2, 0.4)


def test_gerbil_takes_an_empty_document_without_predictions_as_right() -> None:
    empty = Document("e", "nothing here")
    labels = (mention("Chatham", TEXT, "q:c"),)
    for preset in ("gerbil/strong", "gerbil/weak"):
        counts = evaluate([document(*labels), empty], [], preset=preset)
        assert counts.macro("all", "ignored") == (0.5, 0.5, 0.5)
        spurious = evaluate([empty], [Prediction("e", ((0, 7),), (("q:x",),))], preset=preset)
        assert spurious.macro("all", "ignored") == (0, 0, 0)


# --- against the reference ----------------------------------------------------------------------

WORD = st.sampled_from(
    ["Ada", "ada", "the", "She", '"', "New", "York", "'s", "_x", "2", "US", " ", ", ", " ", "Unknown"]
)
UNKNOWN = ["", "<NIL>", "<NO_MAPPING>", '""']  # ways to write NIL
IDS = ["wikidata:Q1", "wikidata:Q2", "wikidata:Q3"]
KB = KbFacts(
    names={"wikidata:Q1": "New York Ada", "wikidata:Q2": "ada", "wikidata:Q3": "Q"},
    types={"wikidata:Q1": frozenset({"wikidata:Q27096213"}), "wikidata:Q2": frozenset({"wikidata:Q43229"})},
    quantities=frozenset({"wikidata:Q3"}), demonyms=frozenset({"Ada", "New"}),
    popular={"Ada": frozenset({"wikidata:Q1"}), "York": frozenset({"wikidata:Q2"}), "New": frozenset({"wikidata:Q3"})},
)  # fmt: skip


@st.composite
def articles(draw: st.DrawFn, *, trees: bool = True) -> tuple[list[Document], list[Prediction]]:
    documents, predictions = [], []
    for number in range(draw(st.integers(1, 2))):
        name = f"d{number}"
        text = "".join(draw(st.lists(WORD, min_size=1, max_size=12)))
        cut = st.integers(0, len(text) - 1)
        ends = sorted({0, *draw(st.lists(cut, max_size=8)), len(text)})

        def span(ends: list[int] = ends) -> tuple[int, int]:
            first = draw(st.integers(0, len(ends) - 2))
            return ends[first], ends[draw(st.integers(first + 1, len(ends) - 1))]

        labels: list[Mention] = []
        for at in range(draw(st.integers(0, 7))):
            s, e = span()
            gold, kind, raw = draw(st.sampled_from([*IDS, ""])), draw(st.sampled_from(["", "", "", "quantity"])), ""
            if kind:
                gold, raw = "", draw(st.sampled_from(["QUANTITY", "Q3"]))
            elif not gold:
                raw = draw(st.sampled_from(UNKNOWN))
            parent = draw(st.sampled_from(["", *(m.id for m in labels)])) if trees else ""
            role, further = "alternative" if parent else "", ()
            if trees and (parent in {m.id for m in labels if m.role == STRAY} or draw(st.integers(0, 9)) == 0):
                parent, role = parent or "gone", STRAY
            elif parent and draw(st.booleans()):
                further = _another_parent(labels, parent)
            labels.append(
                Mention(
                    f"{name}:{at}",
                    name,
                    ((s, e),),
                    text[s:e],
                    "",
                    (frozenset({gold}),) if gold else (),
                    raw,
                    "QUANTITY" if kind else "",
                    draw(st.booleans()) and draw(st.booleans()),
                    parent,
                    role,
                    draw(st.sampled_from([None, None, None, True, False])),
                    kind,
                    further,
                )
            )
        scored = None
        if draw(st.booleans()):
            scored = tuple(span() for _ in range(draw(st.integers(1, 2)))) if not trees else (span(),)
        documents.append(Document(name, text, annotations=tuple(labels), evaluation_spans=scored))
        for _ in range(draw(st.integers(0, 7))):
            answer = draw(st.sampled_from([*IDS, "NIL", "none"]))
            groups = ((answer,),) if answer in IDS else ()
            written = draw(st.sampled_from(UNKNOWN)) if answer == "NIL" else ""
            predictions.append(Prediction(name, (span(),), groups, nil=answer == "NIL", nil_as=written))
    return documents, predictions


def _another_parent(labels: list[Mention], parent: str) -> tuple[str, ...]:
    """A sibling of the parent, as published files have it; no label lists a sibling of its own."""
    above = {m.id: m for m in labels}[parent].parent
    return tuple(m.id for m in labels if above and m.parent == above and m.id != parent)[:1]


@pytest.mark.parametrize("preset", ["fair", "elevant"])
@given(given_=articles())
def test_reference(preset: str, given_: tuple[list[Document], list[Prediction]]) -> None:
    documents, predictions = given_
    counts = evaluate(documents, predictions, preset=preset, facts=KB)
    for nil in ("ignored", "required"):
        expected = reference.count(documents, predictions, preset, nil, KB)
        found = {n: counts.total(n, nil) for n in counts.values if counts.total(n, nil) and "candidates" not in n}
        assert found == dict(expected)


@given(given_=articles())
def test_gerbil_reference(given_: tuple[list[Document], list[Prediction]]) -> None:
    documents, predictions = given_
    for preset, weak in (("gerbil/strong", False), ("gerbil/weak", True)):
        counts = evaluate(documents, predictions, preset=preset)
        for nil in ("ignored", "required"):
            for number, document_ in enumerate(documents):
                own = [p for p in predictions if p.document == document_.id]
                expected = reference.gerbil(document_, own, weak, nil)
                for name, values in counts.values.items():
                    if name.startswith(("all_", "ner_")):
                        assert values[["ignored", "required"].index(nil), number] == expected[name], (preset, nil, name)


@settings(max_examples=40)
@given(given_=articles(), strange=st.booleans())
def test_stored_corpus_and_run(given_: tuple[list[Document], list[Prediction]], strange: bool) -> None:
    """Read in whole columns they are what they are one by one: tied ids, pieces of spans and types included."""
    documents, predictions = given_
    if strange:
        pieces = tuple((s, s + 1) for s in range(0, min(3, len(documents[0].text)), 2))
        tied = Prediction(documents[0].id, pieces, (("wikidata:Q1", "wikidata:Q2"), ("wikidata:Q3",)), type="t")
        predictions = [*predictions, tied, replace(tied, nil=True), replace(tied, groups=tied.groups[1:] * 2),
                       replace(tied, groups=((), *tied.groups, ())), replace(tied, groups=((),))]  # fmt: skip
        golds = (frozenset({"wikidata:Q1", "wikidata:Q3"}), frozenset({"wikidata:Q2"}))
        label = Mention("strange", documents[0].id, pieces, "x", "a|b", golds)
        documents = [replace(documents[0], annotations=(*documents[0].annotations, label)), *documents[1:]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        write_predictions(path, predictions)
        with SplitWriter(Path(folder), "test") as writer:
            for document_ in documents:
                writer.add(document_)
        manifest = {"revision": "r", "types": [], "splits": {"test": {"documents": len(documents)}}}
        (Path(folder) / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        split = Corpus("c", Path(folder))["test"]
        for preset in ("elevant", "fair", "gerbil/weak"):
            by = ("type", "mention-kind") if preset != "gerbil/weak" else ()
            one_by_one = evaluate(documents, predictions, preset=preset, facts=KB, by=by)
            whole = evaluate(split, path, preset=preset, facts=KB, by=by)
            assert whole.documents == one_by_one.documents
            assert whole.values.keys() == one_by_one.values.keys()
            assert all((whole.values[name] == values).all() for name, values in one_by_one.values.items())


@given(given_=articles())
def test_counts_add_up(given_: tuple[list[Document], list[Prediction]]) -> None:
    """All but two sorts of spurious mentions, which depend on whether the benchmark has NIL labels at all."""
    documents, predictions = given_
    for preset in ("fair", "elevant", "gerbil/weak"):
        whole = evaluate(documents, predictions, preset=preset, facts=KB)
        apart = [evaluate([d], [p for p in predictions if p.document == d.id], preset=preset, facts=KB)
                 for d in documents]  # fmt: skip
        added = apart[0] if len(apart) == 1 else apart[0] + apart[1]
        assert added.documents == whole.documents
        for name, values in whole.values.items():
            if not name.startswith(("ner_fp_groundtruth_unknown", "ner_fp_other")):
                assert (added.values[name] == values).all(), (preset, name)


@pytest.mark.parametrize("preset", ["fair", "elevant"])
def test_reference_on_real_files(shared: Path, preset: str) -> None:
    kb = excerpt(shared)
    for system, benchmark in (("refined__aida_", "news-fair"), ("baseline", "kore50")):
        documents, predictions = linked(shared, system, benchmark)
        counts = evaluate(documents, predictions, preset=preset, facts=kb)
        for nil in ("ignored", "required"):
            expected = reference.count(documents, predictions, preset, nil, kb)
            found = {n: counts.total(n, nil) for n in counts.values if counts.total(n, nil) and "candidates" not in n}
            assert found == dict(expected)
