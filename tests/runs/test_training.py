"""What a linker is trained on (LINKER-11): by default, by name, or nothing; what a run is then, and what it records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import linkassay
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers import LINKERS, Capabilities
from linkassay.runs import LinkRequest, execute
from linkassay.runs.identity import RunIdentity
from linkassay.runs.training import TrainingDocuments, pinned_training, training_parts

pytestmark = pytest.mark.usefixtures("home_with_mini")


class Learner:
    """Notes what it is given."""

    summary = "for tests, learns nothing of use"
    capabilities = Capabilities(links=True, learns=True)
    given: tuple[str, ...] = ()

    def prepare(self, kb: Any, train: Any) -> None:
        type(self).given = tuple(document.id for document in train)

    def link(self, queries: Any, top: int) -> list[Any]:
        return [[] for _ in queries]


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> type[Learner]:
    load = LINKERS.load
    monkeypatch.setattr(LINKERS, "load", lambda name: Learner if name == "learner" else load(name))
    return Learner


def ids(*splits: str) -> tuple[str, ...]:
    return tuple(document.id for split in splits for document in linkassay.corpus("mini")[split])


@pytest.mark.parametrize(
    ("train_on", "splits"),
    [
        ((), ["train"]),
        ("mini", ["train"]),
        (["mini:dev"], ["dev"]),
        (["mini:dev+train"], ["train", "dev"]),
        (["mini:dev", "mini:train", "mini:dev"], ["train", "dev"]),
        ("none", []),
    ],
)
def test_documents_are_those_that_are_named(learner: type[Learner], train_on: Any, splits: list[str]) -> None:
    run = linkassay.link("learner", "mini", train_on=train_on)
    assert learner.given == ids(*splits)
    revision = linkassay.corpus("mini").revision
    part = {"corpus": "mini", "revision": revision, "splits": splits, "documents": len(learner.given)}
    assert run.about["trained_on"] == ([part] if splits else [])
    assert "leak" not in run.about


def test_only_what_is_unusual_is_part_of_what_a_run_is() -> None:
    def parameters(*train_on: str) -> Any:
        return RunIdentity.of(LinkRequest("house", "mini", train_on=train_on).pinned()).parameters

    pinned = linkassay.corpus("mini").pinned
    assert parameters() == parameters("mini") == parameters("mini:train") == {"top": 10}
    assert parameters("none") == {"top": 10, "train_on": ["none"]}
    assert parameters("mini:dev+train") == parameters("mini:train", "mini:dev")
    assert parameters("mini:dev+train") == {"top": 10, "train_on": [f"{pinned}:train+dev"]}
    request = LinkRequest("house", "mini", train_on=("mini:dev",)).pinned()
    assert request.pinned() == request


def test_a_type_has_its_own_training() -> None:
    corpus = linkassay.corpus("mini/disease")
    assert pinned_training(["mini/disease"], corpus) == ()
    assert pinned_training(["mini"], corpus) == (f"{linkassay.corpus('mini').pinned}:train",)
    documents = TrainingDocuments(training_parts((), corpus))
    assert {m.type for d in documents for m in d.mentions} == {"disease"}
    assert len(list(documents)) == len(documents) == len(ids("train"))  # as often as one likes


def test_what_cannot_be_trained_on_is_refused() -> None:
    for train_on, message in (
        (["mini:tests"], "no split 'tests'; did you mean 'test'?"),
        (["minni"], "unknown corpus 'minni'; did you mean 'mini'?"),
        (["none", "mini"], "--train-on none stands alone"),
        (["mini:"], "no split ''"),
    ):
        with pytest.raises(UsageError, match=message.replace("?", r"\?")):
            linkassay.link("house", "mini", train_on=train_on)
    with pytest.raises(UsageError, match="--train-on is for linkers that learn; 'exact' does not"):
        linkassay.link("exact", "mini", train_on="mini:dev")
    plain, none = (linkassay.link("exact", "mini", **given) for given in ({}, {"train_on": "none"}))
    assert plain.path == none.path
    assert "trained_on" not in plain.about


def test_a_linker_that_does_not_declare_to_learn_cannot_do_so(
    learner: type[Learner], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(learner, "capabilities", Capabilities(links=True))
    with pytest.raises(LinkassayError, match="'learner' reads training documents and does not declare it; add learns="):
        execute.link(LinkRequest("learner", "mini"))


def test_house_without_training_data_is_house_untrained(home_with_mini: Path) -> None:
    said = [(linkassay.link(name, "mini", **given).path / "predictions.parquet").read_bytes()
            for name, given in (("house", {"train_on": "none"}), ("house-untrained", {}))]  # fmt: skip
    assert said[0] == said[1]
