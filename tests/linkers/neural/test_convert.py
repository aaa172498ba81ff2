"""Pickled weights become safetensors; what is no table of weights is not run, and not read without end (NEURAL-3)."""

from __future__ import annotations

import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from linkassay.cli import app
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural import Encoder, convert_model
from linkassay.linkers.neural.convert import weights_of
from tests.linkers.neural.models import tiny_model


@pytest.fixture
def pickled(tmp_path: Path) -> Path:
    """A model whose weights are as PyTorch writes them, two names of them for one tensor."""
    import torch
    from safetensors.torch import load_file

    folder = tiny_model(tmp_path / "own")
    weights = load_file(folder / "model.safetensors")
    weights["embeddings.again"] = weights["embeddings.word_embeddings.weight"]
    torch.save(weights, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    return folder


def test_the_model_is_the_same_afterwards(pickled: Path, tiny: Path) -> None:
    result = CliRunner().invoke(app, ["model", "convert", str(pickled)], catch_exceptions=False)
    assert result.output.startswith(f"wrote {pickled / 'model.safetensors'}, 0.")
    assert (Encoder(pickled).encode(["skin disease"]) == Encoder(tiny).encode(["skin disease"])).all()
    assert (pickled / "pytorch_model.bin").exists()
    with pytest.raises(UsageError, match="is there already"):
        convert_model(pickled)


class Hostile:
    """Runs a command when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return os.system, (f"touch {self.mark}",)


@pytest.mark.parametrize("zipped", [False, True])
def test_code_is_not_run(pickled: Path, tmp_path: Path, zipped: bool) -> None:
    mark, file = tmp_path / "ran", pickled / "pytorch_model.bin"
    content = pickle.dumps({"weight": Hostile(mark)}, protocol=2)
    pickle.loads(content)
    mark.unlink()  # so it would do it
    file.write_bytes(content)
    if zipped:
        with zipfile.ZipFile(file, "w") as out:
            out.writestr("archive/data.pkl", content)
            out.writestr("archive/version", "3\n")
    with pytest.raises(UsageError, match=r"was not converted: .*bin (holds more than a table of weights|cannot be)"):
        convert_model(pickled)
    assert not mark.exists()
    assert sorted(path.suffix for path in pickled.iterdir()) == [".bin", ".json", ".json", ".json", ".txt"]


def test_memory_is_bounded(pickled: Path) -> None:
    """A zip of a few hundred kilobytes holds 160 MB of zeros."""
    import torch

    file = pickled / "pytorch_model.bin"
    torch.save({"weight": torch.zeros(40_000_000)}, file)
    with zipfile.ZipFile(file) as made, zipfile.ZipFile(pickled / "small", "w", zipfile.ZIP_DEFLATED) as out:
        for name in made.namelist():
            out.writestr(name, made.read(name))
    (pickled / "small").replace(file)
    with pytest.raises(UsageError, match=r"asks for more memory than its size warrants"):
        convert_model(pickled, spare=80 << 20)
    assert not (pickled / "model.safetensors").exists()


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", pickle.dumps([1, 2], 2), pickle.dumps({"a": 1}, 2)])
def test_what_is_no_table_of_weights(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(content)
    with pytest.raises(LinkassayError, match=r"pytorch_model\.bin (cannot be read: .+|holds more than .+)"):
        weights_of([str(tmp_path / "pytorch_model.bin")])


def test_several_files_become_one(pickled: Path) -> None:
    import torch

    whole = torch.load(pickled / "pytorch_model.bin", weights_only=True)
    names = sorted(whole)
    files = [str(pickled / f"pytorch_model-0000{n}-of-00002.bin") for n in (1, 2)]
    for file, part in zip(files, (names[:9], names[9:]), strict=True):
        torch.save({name: whole[name] for name in part}, file)
    found = weights_of(files)
    assert found.keys() == whole.keys()
    assert all(torch.equal(found[name], whole[name]) for name in names)


def test_a_folder_without_such_a_file(tiny: Path, tmp_path: Path) -> None:
    for folder in (tiny, tmp_path):
        with pytest.raises(UsageError, match=r"has no pytorch_model\.bin to convert"):
            convert_model(folder)
