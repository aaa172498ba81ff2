"""Models trained by the command (NEURAL-6): what is asked for and refused, the card, and what runs say of a model."""
# ruff: noqa: F811 (fixtures are imported)

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import linkassay
from linkassay import store
from linkassay.cli import app
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural import model_checksum
from linkassay.runs import Run
from tests.linkers.neural.conftest import _one_thread, tiny  # noqa: F401 (fixtures)
from tests.linkers.neural.models import tiny_model

pytestmark = pytest.mark.usefixtures("home_with_mini")

QUICK = ["--option", "rounds=2", "--option", "rate=0.001", "--option", "candidates=6"]


def command(*arguments: object) -> Any:
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    return json.loads(result.stdout) if not result.exit_code else result.exception or result.output


def biosyn(tiny: Path, out: Path, *arguments: object) -> Any:
    return command("train", "biosyn", "mini/disease", "--model", tiny, "-o", out, *QUICK, *arguments)


def test_a_model_is_trained_and_linked_with(tiny: Path, tmp_path: Path) -> None:
    """The card says all that it depends on; a run names it, and refuses documents that it has seen."""
    out = tmp_path / "mine"
    card = biosyn(tiny, out)
    assert card["fresh"]
    assert [each["number"] for each in card["rounds"]] == [0, 1, 2]
    assert card["chosen_round"] == max((0, 1, 2), key=lambda n: (card["rounds"][n]["figure"], -n))
    assert card["start_sha256"] == model_checksum(tiny)
    assert card["model_sha256"] == model_checksum(out)
    assert [name.partition(":")[2] for name in card["trained_on"] + card["chosen_on"]] == ["train", "dev"]
    assert card["documents"]["train"] > card["documents"]["dev"] > 0
    assert card["options"]["rounds"] == 2
    assert card["costs"]["train_cpu_seconds"] > 0
    assert "| 2" in (out / "README.md").read_text()
    assert not list((store.home() / "work").glob("train-*"))
    assert not biosyn(tiny, out)["fresh"]
    assert linkassay.train("biosyn", "mini/disease", model=str(tiny), to=out, rounds=2, rate=0.001, candidates=6) == {
        name: value for name, value in card.items() if name not in ("path", "fresh")
    }
    refused = biosyn(tiny, out, "--seed", 1)
    assert isinstance(refused, UsageError)
    assert "is there already, and is not what is asked for" in str(refused)

    run = Run(Path(command("link", "biosyn", "mini/disease", "--model", out)["path"]))
    assert run.about["parameters"]["model_sha256"] == card["model_sha256"]
    told = run.about["model_training"]
    assert told["trained_on"] == card["trained_on"]
    assert [each["splits"] for each in told["found"]] == [["train"], ["dev"]]
    assert run.leak == ""
    for linker, split in (("biosyn", "train"), ("sapbert", "dev")):
        said = str(command("link", linker, "mini", "--model", out, "--split", split))
        assert f"linker '{linker} with this model' is trained on" in said
    leaking = command("link", "biosyn", "mini/disease", "--model", out, "--split", "dev", "--allow-leak")
    assert leaking["leak"]["documents"] == card["documents"]["dev"]
    assert str(out) in leaking["model"]


def test_no_other_split_is_opened(tiny: Path, tmp_path: Path) -> None:
    """Whatever lies in its place."""
    for file in (store.home() / "corpora" / "mini").rglob("*.test.parquet"):
        file.write_bytes(b"nothing")
    card = biosyn(tiny, tmp_path / "mine", "--option", "rounds=1")
    assert card["fresh"]


def test_sapbert_learns_from_names_alone(tiny: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    card = command("train", "sapbert", "--kb", "mini", "--model", tiny, "-o", out, "--option", "rate=0.001",
                   "--option", "round_batches=2", "--option", "batch=32", "--option", "most_pairs=200")  # fmt: skip
    assert card["trained_on"] == card["chosen_on"] == []
    assert card["chosen_round"] == len(card["rounds"]) - 1 == 4
    assert card["rounds"][-1]["loss"] < card["rounds"][1]["loss"]
    assert card["model_sha256"] != card["start_sha256"]
    assert command("link", "sapbert", "mini", "--model", out)["model_training"]["kb"] == card["kb"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "sapbrt"], "unknown trainable linker 'sapbrt'; did you mean 'sapbert'?"),
        (["train", "sapbert"], "sapbert is trained on a knowledge base: say which"),
        (["train", "sapbert", "mini", "--kb", "mini"], "on a knowledge base alone: leave out corpus"),
        (["train", "biosyn"], "biosyn is trained on a corpus"),
        (["train", "biosyn", "mini", "--option", "round=3"], "biosyn trains with no option 'round'; it has batch, c"),
        (["train", "biosyn", "mini", "--option", "rounds=few"], "rounds is a whole number, not 'few'"),
        (["train", "biosyn", "mini", "--option", "pooling=3"], "pooling is a text, not 3"),
        (["train", "biosyn", "mini", "--option", "species=1"], "species is true or false, not 1"),
        (["train", "biosyn", "mini", "--option", "rate=0"], "rate must be more than 0"),
        (["train", "biosyn", "mini", "--option", "decay=-1"], "decay cannot be negative"),
        (["train", "biosyn", "mini", "--option", "dense_share=2"], "dense_share is a part of the candidates"),
        (["train", "biosyn", "mini", "--train-on", "mini:dev"], "is trained on 14 of the 14 documents of mini dev"),
        (["train", "biosyn", "mini", "--dev", "devel"], "devel"),
        (["train", "biosyn", "mini", "--option", "rate=1e30"], "take a smaller rate"),
        (["train", "biosyn", "mini", "--kb", "nowhere"], "nowhere"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_and_nothing_is_written(
    tiny: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    said = command(*arguments, "--model", tiny, "-o", tmp_path / "mine")
    assert isinstance(said, LinkassayError), said
    assert message in str(said)
    assert not (tmp_path / "mine").exists()


def test_a_damaged_card_is_an_error(tiny: Path, tmp_path: Path) -> None:
    out = tiny_model(tmp_path / "own")
    (out / "training.json").write_text('{"trained_on": 3}')
    assert "is not as linkassay train writes it" in str(command("link", "sapbert", "mini", "--model", out))


def test_killed_and_run_again(tiny: Path, tmp_path: Path) -> None:
    """Killed in a later round, by the system: the same weights as without, and nothing is left."""
    more = ["--option", "rounds=3", "--option", "patience=0"]
    whole = biosyn(tiny, tmp_path / "whole", *more)["model_sha256"]
    out = tmp_path / "killed"
    arguments = ["train", "biosyn", "mini/disease", "--model", str(tiny), "-o", str(out), *QUICK, *more]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([sys.executable, "-m", "linkassay", *arguments], env=environment, start_new_session=True)
    deadline = time.monotonic() + 200
    while not list((store.home() / "work").glob("train-*/after-0001")) and time.monotonic() < deadline:
        assert process.poll() is None, "it was over too soon"
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert not out.exists()
    assert biosyn(tiny, out, *more)["model_sha256"] == whole
    assert not list((store.home() / "work").glob("train-*"))
