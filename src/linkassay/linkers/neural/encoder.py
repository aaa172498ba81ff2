"""An encoder: texts in, vectors of length 1 out (NEURAL-2). Needs the extra `neural`, and loads it when one is made.

Texts of as many tokens are encoded together, so that nothing is padded: no work is lost to it, and no text's vector
depends on the lengths of others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural.model_files import EXTRA, POOLING
from linkassay.linkers.neural.precision import device_of, require_precision
from linkassay.store import read_json

Floats = NDArray[np.float32]

POOLINGS = ("auto", "cls", "mean")
#: Tokens of a batch: enough to keep a core busy, few enough for its cache; many more for what has its own memory.
_TOKENS = {"cpu": 1024, "cuda": 1 << 16}
#: Texts that are made tokens at once.
_TEXTS = 1 << 14


class Encoder:
    """One model. `pooling`: what stands for a text, the vector of its first token (`cls`) or the mean of all.

    `auto` is as the folder says in the form of sentence-transformers, else `cls`. Of a text the first `tokens` tokens
    count, those that begin and end it among them.
    """

    def __init__(
        self, folder: Path, device: str = "auto", precision: str = "float32", pooling: str = "auto", tokens: int = 25
    ) -> None:
        try:
            import torch
            import transformers
        except ImportError:
            raise UsageError(EXTRA) from None
        self._folder, self._precision = folder, precision
        self._device = device_of(device)
        require_precision(precision, self._device)
        self._mean = _pooling(folder, pooling) == "mean"
        self._model, self._tokenizer = load_model(folder, transformers.AutoModel)
        self._limit = self._checked_limit(tokens)
        self._model.eval().to(self._device, getattr(torch, precision))

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self._model.config.hidden_size)

    def encode(self, texts: Sequence[str]) -> Floats:
        """A row for each text; the same for those of the same tokens."""
        found = np.empty((len(texts), self.width), dtype=np.float32)
        for at in range(0, len(texts), _TEXTS):
            part = list(texts[at : at + _TEXTS])
            tokens = [tuple(each) for each in self._tokens(part)]
            distinct = sorted(set(tokens), key=lambda each: (len(each), each))
            place = {each: n for n, each in enumerate(distinct)}
            rows = np.concatenate([np.empty((0, self.width), dtype=np.float32), *self._batches(distinct)])
            found[at : at + len(part)] = rows[[place[each] for each in tokens]]
        wrong = np.flatnonzero(~np.isfinite(found).all(axis=1))
        if len(wrong):
            raise LinkassayError(f"the model {self._folder} gives numbers that are not finite, e.g. for "
                                 f"{texts[wrong[0]]!r:.80}: its weights are damaged, or too large for "
                                 f"{self._precision}")  # fmt: skip
        return found

    def encode_each(self, texts: Sequence[str]) -> Floats:
        """The same, each text by itself: its vector is the same to the last bit, whatever else is asked."""
        return np.concatenate([np.empty((0, self.width), dtype=np.float32), *(self.encode([text]) for text in texts)])

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        found = self._tokenizer(texts, truncation=True, max_length=self._limit, padding=False)
        return list(found["input_ids"])

    def trained(self, texts: Sequence[str]) -> Any:
        """The same rows as a tensor that weights learn through (NEURAL-6); each distinct text goes in once."""
        import torch

        tokens = [tuple(each) for each in self._tokens(list(texts))]
        distinct = sorted(set(tokens), key=lambda each: (len(each), each))
        place = {each: n for n, each in enumerate(distinct)}
        rows = torch.cat([self._pooled(list(same)) for _, same in groupby(distinct, key=len)])
        return rows[torch.tensor([place[each] for each in tokens], device=self._device)]

    @property
    def model(self) -> Any:
        """The model itself, for those who train it."""
        return self._model

    def save(self, folder: Path) -> None:
        """Write it as it is now: weights as safetensors, tokenizer, and how its vectors are made."""
        with _quiet():
            self._model.save_pretrained(folder)
            self._tokenizer.save_pretrained(folder)
        (folder / POOLING).parent.mkdir(exist_ok=True)
        kind = "sentence_transformers.models"
        modules = [(name, f"{kind}.{name}", place) for name, place in (("Transformer", ""), ("Pooling", "1_Pooling"))]
        told = [{"idx": n, "name": str(n), "path": place, "type": type_} for n, (_, type_, place) in enumerate(modules)]
        (folder / "modules.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        pooling = {"word_embedding_dimension": self.width, "pooling_mode_cls_token": not self._mean,
                   "pooling_mode_mean_tokens": self._mean}  # fmt: skip
        (folder / POOLING).write_text(json.dumps(pooling, indent=2) + "\n", encoding="utf-8")

    def _batches(self, distinct: Sequence[tuple[int, ...]]) -> Iterator[Floats]:
        """The vectors of sequences that are ordered by length."""
        import torch

        for length, group in groupby(distinct, key=len):
            same = list(group)
            step = max(1, _TOKENS[self._device] // length)
            for at in range(0, len(same), step):
                with torch.inference_mode():
                    yield self._pooled(same[at : at + step]).cpu().numpy()

    def _pooled(self, same: Sequence[tuple[int, ...]]) -> Any:
        """Vectors of length 1 of sequences that are equally long."""
        import torch

        given = torch.tensor(same, device=self._device)
        states = self._model(input_ids=given, attention_mask=torch.ones_like(given)).last_hidden_state
        pooled = states.float().mean(1) if self._mean else states[:, 0].float()
        return pooled / pooled.norm(dim=1, keepdim=True)

    def _checked_limit(self, tokens: int) -> int:
        room = getattr(self._model.config, "max_position_embeddings", None) or 1 << 30
        most = min(self._tokenizer.model_max_length, room)
        if isinstance(tokens, bool) or not isinstance(tokens, int) or not 3 <= tokens <= most:
            raise UsageError(f"tokens is how many of a text count, a whole number from 3 to {most}, not {tokens!r}")
        return tokens


def _pooling(folder: Path, wanted: str) -> str:
    """How the vectors of tokens become one; what a folder says that is none of these is no matter of choice."""
    if wanted not in POOLINGS:
        raise UsageError(f"pooling is {', '.join(POOLINGS[:-1])} or {POOLINGS[-1]}, not {wanted!r}")
    if wanted != "auto":
        return wanted
    modules = read_json(folder / "modules.json") if (folder / "modules.json").is_file() else []
    kinds = [str(module.get("type", "")).rpartition(".")[2] for module in modules]
    if others := sorted({*kinds} - {"Transformer", "Pooling", "Normalize"}):
        raise UsageError(f"{folder} has modules after its encoder that are not known here: {', '.join(others)}; to go "
                         "by the encoder alone, say which pooling: cls or mean")  # fmt: skip
    if not (folder / POOLING).is_file():
        return "cls"
    said = read_json(folder / POOLING)
    modes = [said["pooling_mode"]] if "pooling_mode" in said else [
        name.removeprefix("pooling_mode_").removesuffix("_token").removesuffix("_tokens")
        for name, value in said.items() if name.startswith("pooling_mode_") and value is True
    ]  # fmt: skip
    if len(modes) != 1 or modes[0] not in POOLINGS[1:]:
        raise UsageError(f"{folder / POOLING} asks for pooling {json.dumps(modes)}; expected is cls or mean")
    return str(modes[0])


def load_model(folder: Path, head: Any) -> tuple[Any, Any]:
    """Model and tokenizer, of plain files alone: neither from the network, nor by code that lies in the folder.

    `head`: the class of transformers that makes the model, e.g. `AutoModel`.
    """
    with _quiet():
        return _loaded(folder, head)


def _loaded(folder: Path, head: Any) -> tuple[Any, Any]:
    from safetensors import SafetensorError
    from transformers import AutoConfig, AutoTokenizer
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES as ENCODERS

    here = {"local_files_only": True, "trust_remote_code": False}
    try:
        config = AutoConfig.from_pretrained(folder, **here)
        if config.model_type not in ENCODERS or getattr(config, "is_encoder_decoder", False):
            raise UsageError(f"{folder} is a model of type {config.model_type!r}; expected is an encoder such as bert")
        model, said = head.from_pretrained(
            folder, config=config, use_safetensors=True, output_loading_info=True, **here
        )
        tokenizer = AutoTokenizer.from_pretrained(folder, **here)
    except (OSError, ValueError, RuntimeError, KeyError, TypeError, ImportError, SafetensorError) as error:
        reason = str(error).strip().partition("\n")[0] or type(error).__name__
        raise UsageError(f"the model {folder} cannot be loaded: {reason}") from error
    if lacking := sorted(name for name in said["missing_keys"] if "pooler." not in name):
        raise UsageError(
            f"{folder} lacks {len(lacking)} of the weights that its config.json speaks of, e.g. {lacking[0]}"
        )
    if len(tokenizer) > config.vocab_size:
        raise UsageError(f"{folder}: the tokenizer has {len(tokenizer)} tokens, the model {config.vocab_size}: they "
                         "do not belong together")  # fmt: skip
    return model, tokenizer


@contextmanager
def _quiet() -> Iterator[None]:
    """Let loading say nothing: what is wrong is an error, and the rest is of no use to a person."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
