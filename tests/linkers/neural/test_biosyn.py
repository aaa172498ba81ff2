"""BioSyn's linker (LINKER-18): by the sum of two cosines, held to looking at every name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from linkassay.cli import app
from linkassay.errors import UsageError
from linkassay.linkers.neural import Encoder, dense_alias
from linkassay.linkers.neural.biosyn import BioSyn
from linkassay.linkers.neural.sparse_names import SparseNames
from linkassay.store import Texts
from tests.linkers.neural.test_dense_alias import KB, document, one, query
from tests.linkers.stored import opened
from tests.scoring_helpers import knowledge


def slow(kb: Any, encoder: Encoder, text: str, weight: float) -> list[tuple[set[str], float]]:
    """Ranks by looking at every name of every entity; in four digits."""
    rows = [(name.lower(), each) for name, each in kb.sql("select name, id from names")]
    letters = SparseNames.of(Texts.of(sorted({name for name, _ in rows})))
    [own], [vector] = letters.vectors([text]), encoder.encode_each([text])
    best: dict[str, float] = {}
    for name, each in rows:
        score = float(encoder.encode_each([name])[0] @ vector) + weight * float(letters.vectors([name])[0] @ own)
        best[each] = max(best.get(each, -9.0), score)
    groups: dict[float, set[str]] = {}
    for each, score in sorted(best.items(), key=lambda item: -item[1]):
        groups.setdefault(round(score, 4), set()).add(each)
    return [(ids, score) for score, ids in groups.items()]


@pytest.mark.parametrize("weight", [0.0, 0.4, 7.0])
@pytest.mark.parametrize("part", [2, 4096])
def test_by_both_cosines(home: Path, tiny: Path, weight: float, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense_alias, "PART", part)
    kb = knowledge(KB)
    linker = BioSyn(str(tiny), sparse_weight=weight)
    linker.prepare(kb, ())
    texts = ["breast cancer", "diabetis", "skin", "zzz"]
    for text, answer in zip(texts, linker.link([query(text) for text in texts], 10), strict=True):
        assert [(set(ids), round(score, 4)) for ids, score in answer] == slow(kb, Encoder(tiny), text, weight)


def test_training_mentions_are_names_and_all_of_it_is_stored(home: Path, tiny: Path, tmp_path: Path) -> None:
    kb = knowledge(KB)
    linker = BioSyn(str(tiny), training_names=True)
    linker.prepare(kb, ())
    linker.train([document("a", ("the xyz-type", one("t:5")))])
    asked = [query("the xyz-type"), query("diabetes")]
    answers = linker.link(asked, 2)
    assert [answer[0][0] for answer in answers] == [("t:5",), ("t:4",)]
    assert answers[0][0][1] == pytest.approx(2)  # both cosines are 1
    again = opened(linker, BioSyn(str(tiny), training_names=True), kb, tmp_path)
    assert again.link(asked, 2) == answers


def test_what_letters_count_for(home: Path, tiny: Path, tmp_path: Path) -> None:
    """As the user says, else as the model does, else as much as vectors."""
    kb = knowledge(KB)
    own = shutil.copytree(tiny, tmp_path / "own")
    (own / "biosyn.json").write_text('{"sparse_weight": 3}')
    scores = []
    for model, given in ((tiny, None), (own, None), (own, 0.5)):
        linker = BioSyn(str(model), sparse_weight=given)
        linker.prepare(kb, ())
        scores.append(linker.link([query("diabetes")], 1)[0][0][1])
    assert scores == pytest.approx([2, 4, 1.5])
    (own / "biosyn.json").write_text('{"sparse_weight": NaN}')
    with pytest.raises(UsageError, match="sparse_weight is a number, not nan"):
        BioSyn(str(own)).prepare(kb, ())
    with pytest.raises(UsageError, match="sparse_weight is a number, not 'much'"):
        BioSyn(str(own), sparse_weight="much")  # type: ignore[arg-type]


@pytest.mark.usefixtures("home_with_mini")
def test_the_command(tiny: Path, tmp_path: Path) -> None:
    """What a model says of letters is a part of what it is."""
    own = shutil.copytree(tiny, tmp_path / "own")
    (own / "biosyn.json").write_text('{"sparse_weight": 3}')
    found = []
    for model in (tiny, own):
        result = CliRunner().invoke(app, ["link", "biosyn", "mini", "--model", str(model), "--json"])
        assert result.exit_code == 0, result.output
        found.append(json.loads(result.stdout))
    assert found[0]["parameters"]["model_sha256"] != found[1]["parameters"]["model_sha256"]
    assert [each["fresh"] for each in found] == [True, True]
