"""Sentence encoders with the term marked: frozen with a cut from dev, with logistic regression, or fine-tuned as twins.

Needs the extra `neural`. Models are folders, or names that sentence-transformers finds on this machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from linkassay.errors import UsageError
from linkassay.linkers.neural import PACKAGED, packaged_folder
from linkassay.model import Span
from linkassay.wic.baselines.network import Logistic
from linkassay.wic.baselines.protocol import Floats, needs, threshold
from linkassay.wic.pair_files import TermPair
from linkassay.wic.settings import draw

#: How a term is marked: what stands before and after it. Quotes are the paper's, markers ours (CORPUS-5).
MARKS = {"quotes": ('"', '"'), "markers": ("[START] ", " [END]"), "none": ("", "")}
METHODS = ("cosine", "logistic", "finetune")


class Encoder:
    """Two sentences, each encoded with its term marked; the cosine of the two vectors, or a classifier on them."""

    def __init__(
        self, model: str = PACKAGED, method: str = "cosine", mark: str = "quotes", epochs: int = 1, rate: float = 2e-5,
        margin: float = 0.5, batch: int = 32, seed: int = 42, report: Callable[[str, int, int], None] | None = None,
    ) -> None:  # fmt: skip
        if method not in METHODS or mark not in MARKS:
            raise UsageError(f"--method is one of {', '.join(METHODS)}; --mark is one of {', '.join(MARKS)}")
        self._method, self._mark, self._epochs, self._rate = method, mark, epochs, rate
        self._margin, self._batch, self._seed = margin, batch, seed
        self._report = report or (lambda what, done, total: None)
        self._model = _load(model)
        self._known: dict[str, Floats] = {}
        self.cut = 0.5

    def fit(self, train: Sequence[TermPair], dev: Sequence[TermPair]) -> None:
        """Fine-tune or fit on train, if that is the method; the cut, and the best epoch, come from dev."""
        needs(dev, "dev", "the cut comes from there")
        labels = np.array([pair.label for pair in dev], dtype=bool)
        if self._method == "finetune":
            self._finetune(train, dev, labels)
        elif self._method == "logistic":
            needs(train, "train", "the regression is fitted there")
            given = np.array([pair.label for pair in train], dtype=bool)
            self._regression = Logistic().fit(self._features(train), given)
        self.cut = threshold(self.scores(dev), labels)

    def scores(self, pairs: Sequence[TermPair]) -> Floats:
        """Cosines from -1 to 1, or chances from 0 to 1."""
        if self._method == "logistic":
            return self._regression.scores(self._features(pairs))
        one, two = self._vectors(pairs)
        cosines: Floats = np.einsum("ij,ij->i", one, two)
        return cosines

    def _texts(self, pairs: Sequence[TermPair]) -> tuple[list[str], list[str]]:
        return ([marked(p.sentence1, p.span1, self._mark) for p in pairs],
                [marked(p.sentence2, p.span2, self._mark) for p in pairs])  # fmt: skip

    def _vectors(self, pairs: Sequence[TermPair]) -> tuple[Floats, Floats]:
        """Vectors of length 1 of both sides; each text is encoded once."""
        one, two = self._texts(pairs)
        fresh = sorted({*one, *two} - self._known.keys(), key=lambda text: (-len(text), text))
        for at in range(0, len(fresh), 64 * self._batch):
            self._report("encode", at, len(fresh))
            part = fresh[at : at + 64 * self._batch]
            rows = self._model.encode(part, batch_size=self._batch, normalize_embeddings=True, show_progress_bar=False)
            self._known |= zip(part, np.asarray(rows, dtype=np.float64), strict=True)
        width = len(next(iter(self._known.values()), ()))
        rows_one, rows_two = (
            np.array([self._known[text] for text in texts]).reshape(len(texts), width) for texts in (one, two)
        )
        return rows_one, rows_two

    def _features(self, pairs: Sequence[TermPair]) -> Floats:
        one, two = self._vectors(pairs)
        return np.column_stack([np.abs(one - two), one * two, np.einsum("ij,ij->i", one, two)])

    def _finetune(self, train: Sequence[TermPair], dev: Sequence[TermPair], labels: Any) -> None:
        """Twins with shared weights and contrastive loss (Sentence-BERT), keeping the best epoch on dev."""
        import torch

        needs(train, "train", "the encoder is fine-tuned there")
        torch.manual_seed(self._seed)
        one, two = self._texts(train)
        optimiser = torch.optim.AdamW(self._model.parameters(), lr=self._rate)
        best, kept = -1.0, None
        for epoch in range(self._epochs):
            self._model.train()
            order = sorted(range(len(train)), key=lambda n: draw(self._seed, "epoch", str(epoch), str(n)))
            for at in range(0, len(order), self._batch):
                self._report(f"epoch {epoch + 1}", at, len(order))
                part = order[at : at + self._batch]
                first, second = (self._embed([texts[n] for n in part]) for texts in (one, two))
                distance = 1 - torch.nn.functional.cosine_similarity(first, second)
                same = torch.tensor([float(train[n].label) for n in part])
                apart = torch.clamp(self._margin - distance, min=0)
                loss = 0.5 * (same * distance**2 + (1 - same) * apart**2).mean()
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
            self._model.eval()
            self._known.clear()
            scores = self.scores(dev)
            accuracy = float(((scores >= threshold(scores, labels)) == labels).mean())
            if accuracy > best:
                best, kept = accuracy, {k: v.detach().clone() for k, v in self._model.state_dict().items()}
        if kept is not None:
            self._model.load_state_dict(kept)
            self._known.clear()

    def _embed(self, texts: list[str]) -> Any:
        features = self._model.preprocess(texts) if hasattr(self._model, "preprocess") else self._model.tokenize(texts)
        return self._model(features)["sentence_embedding"]


def marked(sentence: str, span: Span, mark: str) -> str:
    """The sentence with its term marked.

    >>> marked("A cold.", (2, 6), "quotes"), marked("A cold.", (2, 6), "markers")
    ('A "cold".', 'A [START] cold [END].')
    """
    before, after = MARKS[mark]
    return f"{sentence[: span[0]]}{before}{sentence[slice(*span)]}{after}{sentence[span[1] :]}"


def _load(model: str) -> Any:
    path = packaged_folder() if model == PACKAGED else Path(model)
    if path.is_dir():
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # a folder needs no network, and must not wait for one
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise UsageError("the encoder needs an extra: pip install 'linkassay[neural]'") from None
    try:  # weights as safetensors only: other files may hold code
        return SentenceTransformer(str(path) if path.is_dir() else model, device="cpu",
                                   model_kwargs={"use_safetensors": True})  # fmt: skip
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise UsageError(f"model {model!r} cannot be loaded: {reason}; give a folder with --model") from error
