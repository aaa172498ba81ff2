"""Weights as PyTorch pickles them, made safetensors (NEURAL-3): read where neither code nor size can harm."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.engine import call_in_process
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural.model_files import EXTRA

#: What reading may take beside the weights themselves, which are held twice.
_SPARE = 1 << 30


def convert_model(folder: Path, spare: int = _SPARE) -> Path:
    """Write `model.safetensors` beside the `pytorch_model.bin` of a folder, which stays."""
    target = folder / "model.safetensors"
    files = sorted(folder.glob("pytorch_model*.bin"))
    if not files:
        raise UsageError(f"{folder} has no pytorch_model.bin to convert")
    if target.exists():
        raise UsageError(f"{target} is there already")
    try:
        call_in_process(
            f"{__name__}:convert_here", {"files": list(map(str, files)), "target": str(target), "spare": spare}
        )
    except UsageError:
        raise
    except LinkassayError as error:
        raise UsageError(f"{folder} was not converted: {error}") from error
    return target


def convert_here(files: list[str], target: str, spare: int) -> None:
    """Do so in this process, which may need no more memory than what the files hold."""
    try:
        import torch  # noqa: F401 (before the limit: it needs much by itself)
        from safetensors.torch import save_file
    except ImportError:
        raise LinkassayError(EXTRA) from None
    _limit_memory(2 * sum(Path(file).stat().st_size for file in files) + spare)
    tensors = weights_of(files)
    with store.scratch_folder(Path(target).parent) as scratch:
        save_file(tensors, scratch / "whole", metadata={"format": "pt"})  # which puts a file of its own in place
        (scratch / "whole").replace(target)


def weights_of(files: Iterable[str]) -> dict[str, Any]:
    """All weights of some files, each with memory of its own; an error if there is anything else in them."""
    import torch

    tensors: dict[str, Any] = {}
    for file in files:
        try:
            found = torch.load(file, map_location="cpu", weights_only=True)
            tensors |= {name: tensor.detach().clone().contiguous() for name, tensor in found.items()}
        except MemoryError:
            raise LinkassayError(f"{file} asks for more memory than its size warrants") from None
        except (pickle.UnpicklingError, AttributeError) as error:
            raise LinkassayError(f"{file} holds more than a table of weights, and may hold code") from error
        except (RuntimeError, ValueError, OSError, EOFError, KeyError, TypeError) as error:
            reason = str(error).strip().partition("\n")[0] or type(error).__name__
            if "allocate memory" in reason or "not enough memory" in reason:
                raise LinkassayError(f"{file} asks for more memory than its size warrants") from None
            raise LinkassayError(f"{file} cannot be read: {reason}") from error
    return tensors


def _limit_memory(further: int) -> None:
    """Let this process have so many bytes beside what it has; where the system cannot say that, nothing is limited."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
        most = pages * resource.getpagesize() + further
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
