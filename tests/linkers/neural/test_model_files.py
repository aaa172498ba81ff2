"""Where models are found and what stands for them (NEURAL-1)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from linkassay.errors import UsageError
from linkassay.linkers.neural import PACKAGED, model_checksum, model_folder, packaged_folder

HUB = "cambridgeltl/SapBERT-from-PubMedBERT-fulltext"


def asked_offline(name: str, hub: Path) -> str:
    """What `model_folder` gives in a process that has this folder as its copy of the hub, and no network."""
    code = (
        "import sys\nfrom linkassay.linkers.neural import model_folder\nfrom linkassay.errors import UsageError\n"
        "try:\n print(model_folder(sys.argv[1]))\nexcept UsageError as error:\n print(error)\n"
        "assert 'torch' not in sys.modules\n"
    )
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(hub)}
    done = subprocess.run(
        [sys.executable, "-c", code, name], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_folder_or_a_package_that_brings_one(tiny: Path) -> None:
    assert model_folder(str(tiny)) == tiny.resolve()
    assert model_folder(PACKAGED) == packaged_folder()
    assert (packaged_folder() / "model.safetensors").is_file()


def test_a_name_of_the_hub_is_taken_from_this_machine(tiny: Path, tmp_path: Path) -> None:
    at = tmp_path / "hub" / f"models--{HUB.replace('/', '--')}"
    commit = "0" * 40
    shutil.copytree(tiny, at / "snapshots" / commit)
    (at / "refs").mkdir()
    (at / "refs" / "main").write_text(commit)
    assert asked_offline(HUB, tmp_path) == str(at / "snapshots" / commit)


def test_a_name_of_the_hub_without_a_network(tmp_path: Path) -> None:
    said = asked_offline(HUB, tmp_path)
    assert said.startswith(f"model '{HUB}' is no folder, is not on this machine, and does not come from")
    assert said.endswith(f"hf download {HUB} --local-dir FOLDER, then give that folder with --model")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("name", ["./nothing", "a/b/c", "", "no name", "~/none such"])
def test_what_is_neither_a_folder_nor_a_name(name: str) -> None:
    with pytest.raises(UsageError, match="is no folder, nor a name such as models have"):
        model_folder(name)


def test_folders_that_hold_no_model(tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"has no config\.json: it is not the folder of a model"):
        model_folder(str(tmp_path))
    shutil.copytree(tiny, tmp_path / "own")
    (tmp_path / "own" / "model.safetensors").unlink()
    with pytest.raises(UsageError, match=r"has no weights: expected is a model\.safetensors"):
        model_folder(str(tmp_path / "own"))
    (tmp_path / "own" / "pytorch_model.bin").touch()
    with pytest.raises(UsageError, match=r"may hold code .*: linkassay model convert .*/own"):
        model_folder(str(tmp_path / "own"))


def test_a_checksum_is_of_what_the_model_says(tiny: Path, tmp_path: Path) -> None:
    shutil.copytree(tiny, tmp_path / "copy")
    (tmp_path / "copy" / "README.md").write_text("another")
    assert model_checksum(tmp_path / "copy") == model_checksum(tiny)
    for name in ("tokenizer.json", "config.json", "model.safetensors"):
        before, content = model_checksum(tmp_path / "copy"), (tmp_path / "copy" / name).read_bytes()
        (tmp_path / "copy" / name).write_bytes(content[:-1] + b" ")
        assert model_checksum(tmp_path / "copy") != before
