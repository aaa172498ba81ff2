"""Dense alias (LINKER-16): by the nearest name, with training mentions as names if that is asked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkassay
from linkassay import store
from linkassay.cli import app
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers import Query
from linkassay.linkers.neural import Encoder, dense_alias
from linkassay.linkers.neural.dense_alias import DenseAlias
from linkassay.model import Document, Mention
from linkassay.runs import LinkRequest, Run
from tests.linkers.stored import opened
from tests.scoring_helpers import knowledge

KB = {
    "t:1": ["Breast Cancer", "cancer of the breast"], "t:2": ["skin disease"], "t:3": ["breast cancer", "mellitus"],
    "t:4": ["Diabetes mellitus", "diabetes"], "t:5": ["wrinkly skin syndrome"],
}  # fmt: skip


def query(text: str, type_: str = "") -> Query:
    return Query(text, type_, ((0, len(text)),), "d", text)


def document(name: str, *mentions: tuple[str, tuple[frozenset[str], ...]]) -> Document:
    found = tuple(
        Mention(f"{name}:{n}", name, ((n, n + len(text)),), text, "", gold) for n, (text, gold) in enumerate(mentions)
    )
    return Document(name, " ".join(text for text, _ in mentions), (), found)


def one(*ids: str) -> tuple[frozenset[str], ...]:
    """Alternatives of one id each."""
    return tuple(frozenset([each]) for each in ids)


def slow(kb: Any, encoder: Encoder, text: str) -> list[tuple[set[str], float]]:
    """Ranks by looking at every name of every entity; in four digits."""
    vector = encoder.encode_each([text.lower()])[0]
    best: dict[str, float] = {}
    for name, each in kb.sql("select name, id from names"):
        best[each] = max(best.get(each, -1.0), float(encoder.encode_each([name.lower()])[0] @ vector))
    groups: dict[float, set[str]] = {}
    for each, score in sorted(best.items(), key=lambda item: -item[1]):
        groups.setdefault(round(score, 4), set()).add(each)
    return [(ids, score) for score, ids in groups.items()]


@pytest.mark.parametrize("part", [2, 4096])
def test_entities_by_their_nearest_name(home: Path, tiny: Path, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case makes no difference; entities of one name are tied, in the order of their ids; each comes once."""
    monkeypatch.setattr(dense_alias, "PART", part)
    kb = knowledge(KB)
    linker = DenseAlias(str(tiny))
    linker.prepare(kb, ())
    texts = ["BREAST  cancer", "diabetes", "skin", "", "syndrome of the type"]
    for text, answer in zip(texts, linker.link([query(text) for text in texts], 10), strict=True):
        expected = slow(kb, Encoder(tiny), " ".join(text.split()))
        assert [(set(ids), round(score, 4)) for ids, score in answer] == expected
        assert all(list(ids) == sorted(ids) for ids, _ in answer)
    [cancer] = linker.link([query("breast cancer")], 1)
    assert cancer[0][0] == ("t:1", "t:3")
    assert cancer[0][1] == pytest.approx(1)


def test_only_entities_of_the_type_or_of_none(home: Path, tiny: Path) -> None:
    kb = knowledge(
        KB, t1={"type": ""}, t2={"type": "skin"}, t3={"type": "gene"}, t4={"type": "gene"}, t5={"type": "skin"}
    )
    linker = DenseAlias(str(tiny))
    linker.prepare(kb, ())
    found = [
        {i for ids, _ in answer for i in ids} for answer in linker.link([query("skin", t) for t in ("skin", "x")], 9)
    ]
    assert found == [{"t:1", "t:2", "t:5"}, set(KB)]


def test_training_mentions_are_names_of_what_they_mean(home: Path, tiny: Path, tmp_path: Path) -> None:
    """Of each, alternatives and parts of a composite alike; ids that the knowledge base lacks are none."""
    kb = knowledge(KB)
    train = [
        document("a", ("the type", one("t:5")), ("Type b12", one("t:2", "t:4")), ("type x", one("other:1"))),
        document("b", ("skin and breast", (frozenset(["t:1", "t:2"]),)), ("the  Type", one("t:5"))),
        document("c", ("diabetes", one("t:5")), ("breast cancer", one("t:3")), ("skin disease", one("t:1", "t:5"))),
        document("d", ("skin disease", one("t:5", "t:2"))),
    ]
    linker = DenseAlias(str(tiny), training_names=True)
    linker.prepare(kb, ())
    linker.train(train)
    asked = [query("the type"), query("type b12"), query("diabetes"), query("skin and breast")]
    answers = linker.link(asked, 3)
    assert [answer[0][0] for answer in answers] == [("t:5",), ("t:2",), ("t:5",), ("t:2",)]
    assert [answer[0][1] for answer in answers] == pytest.approx([1] * 4)
    assert linker._learned["rows"].shape == (6, 16)
    # Of entities with equally near names first comes what training means by them most often, or else at all.
    tied = linker.link([query("breast cancer"), query("skin disease"), query("diabetes")], 3)
    assert [[ids for ids, score in answer if score > 0.9999] for answer in tied] == [
        [("t:3",), ("t:1",)], [("t:5",), ("t:2",), ("t:1",)], [("t:5",), ("t:4",)],
    ]  # fmt: skip
    again = opened(linker, DenseAlias(str(tiny), training_names=True), kb, tmp_path)
    assert again.link(asked, 3) == answers


def test_species_tell_apart_what_has_the_same_primary_name(home: Path, tiny: Path) -> None:
    """Only primary names that several entities have, and only where there is a species."""
    kb = knowledge(
        {"t:1": ["TYPE", "skin"], "t:2": ["Type", "skin"], "t:3": ["breast", "type"], "t:4": ["type"]},
        t1={"foreign": "ncbitaxon:9606"}, t2={"foreign": "ncbitaxon:10090"}, t3={"foreign": "ncbitaxon:9606"},
    )  # fmt: skip
    linker = DenseAlias(str(tiny), species=True)
    linker.prepare(kb, ())
    found = {text: sorted(map(linker._entities.id, linker._entities.members(n)))
             for n, text in enumerate(linker._entities.texts)}  # fmt: skip
    assert found == {
        "type ncbitaxon:9606": ["t:1"], "type ncbitaxon:10090": ["t:2"], "type": ["t:3", "t:4"],
        "skin": ["t:1", "t:2"], "breast": ["t:3"],
    }  # fmt: skip
    assert linker.link([query("type ncbitaxon:10090")], 1)[0][0][0] == ("t:2",)
    with pytest.raises(UsageError, match="species is true or false, not 'human'"):
        DenseAlias(str(tiny), species="human")  # type: ignore[arg-type]


def test_nothing_to_learn_and_nothing_to_know(home: Path, tiny: Path) -> None:
    linker = DenseAlias(str(tiny), training_names=True)
    linker.prepare(knowledge(KB), ())
    linker.train([])
    assert linker.link([query("diabetes")], 1)[0][0][0] == ("t:4",)
    linker.prepare(knowledge({"t:1": ["gone"]}, t1={"obsolete": True}), ())
    assert linker.link([query("diabetes")], 1) == [[]]
    assert linker.link([], 1) == []


# ---- runs

KEY = ("recall@1", "all")
OPTIONS = ["--kb", "mini", "--device", "cpu", "--json"]


def link(*arguments: str) -> Any:
    result = CliRunner().invoke(app, ["link", "sapbert", "mini", *OPTIONS, *arguments])
    return json.loads(result.stdout) if not result.exit_code else result.exception or result.output


@pytest.mark.usefixtures("home_with_mini")
def test_the_command(tiny: Path, tmp_path: Path) -> None:
    """A run says which model by its contents; where it lies and where it ran make no other run of it."""
    about = link("--model", str(tiny))
    checksum = about["parameters"]["model_sha256"]
    assert len(checksum) == 64
    assert about["parameters"].keys() == {"top", "model_sha256"}
    assert about["model"] == str(tiny)
    assert Run(Path(about["path"])).command == f"linkassay link sapbert mini --model {tiny} --again"
    assert "trained_on" not in about
    assert [name.partition("-")[0] for name in about["prepared"]] == ["sapbert"]
    copy = shutil.copytree(tiny, tmp_path / "elsewhere")
    assert not link("--model", str(copy))["fresh"]
    assert list((store.home() / "work").iterdir()) == []
    grounded = CliRunner().invoke(
        app, ["ground", "dm", "--kb", "mini", "--linker", "sapbert", "--model", str(tiny), "--json"]
    )
    assert json.loads(grounded.stdout)["rows"][0]["score"] == pytest.approx(1, abs=1e-5)
    assert len(list((store.home() / "linkers").iterdir())) == 1


@pytest.mark.usefixtures("home_with_mini")
def test_training_names_are_recorded_and_change_no_index(tiny: Path) -> None:
    without, names = link("--model", str(tiny)), link("--model", str(tiny), "--option", "training_names=true")
    assert names["parameters"]["training_names"] is True
    assert [part["splits"] for part in names["trained_on"]] == [["train"]]
    assert names["prepared"][0] == without["prepared"][0]  # names are embedded once
    scores = [linkassay.score(Run(Path(each["path"]))).rows() for each in (without, names)]
    before, after = (row["value"] for rows in scores for row in rows if (row["measure"], row["slice"]) == KEY)
    assert before < after < 1
    refused = link("--model", str(tiny), "--train-on", "mini")
    assert str(refused).startswith(
        "--train-on is for linkers that learn; 'sapbert' does not, but with --option training_"
    )


@pytest.mark.usefixtures("home_with_mini")
def test_what_cannot_be_is_said_before_anything_is_written(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub: list[str] = []

    def none(name: str, **_: Any) -> Path:
        hub.append(name)
        raise OSError("no network")

    monkeypatch.setattr("huggingface_hub.snapshot_download", none)
    for arguments, message in {
        (): "model 'cambridgeltl/SapBERT-from-PubMedBERT-fulltext' is no folder, is not on this machine, and",
        ("--model", str(tiny.parent)): "has no config.json: it is not the folder of a model",
        ("--model", str(tiny), "--option", "pooling"): "--option is NAME=VALUE, not 'pooling'",
        ("--model", str(tiny), "--option", "pool=cls"): "cannot be made with the options",
        ("--model", str(tiny), "--option", "training_names=yes"): "training_names is true or false, not 'yes'",
    }.items():
        said = link(*arguments)
        assert isinstance(said, LinkassayError)
        assert message in str(said)
    assert hub == [dense_alias.SAPBERT] * 2
    assert not (store.home() / "linkers").exists()
    with pytest.raises(UsageError, match="--model is of the linkers biosyn and sapbert, not of 'exact'"):
        LinkRequest("exact", "mini", options={"model": "x"}).pinned()


@pytest.mark.usefixtures("home_with_mini")
def test_a_model_that_gives_no_numbers_leaves_nothing(tiny: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    own = shutil.copytree(tiny, tmp_path / "own")
    weights = load_file(own / "model.safetensors")
    weights["embeddings.LayerNorm.bias"][0] = np.nan
    save_file(weights, own / "model.safetensors", metadata={"format": "pt"})
    assert "gives numbers that are not finite" in str(link("--model", str(own)))
    assert not list((store.home() / "linkers").glob("*"))
    assert not list((store.home() / "runs").glob("*/*"))


@pytest.mark.usefixtures("home_with_mini")
def test_a_model_that_is_changed_meanwhile(tiny: Path, tmp_path: Path) -> None:
    own = shutil.copytree(tiny, tmp_path / "own")
    linker = DenseAlias(str(own), model_sha256="0" * 64)
    with pytest.raises(LinkassayError, match="has been changed since the run was begun"):
        linker.prepare(linkassay.kb("mini"), ())
