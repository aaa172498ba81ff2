"""Mentions by a token classifier of Hugging Face (COMP-2): where they are and of what type, not what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.linkers.neural.encoder import load_model
from linkassay.linkers.neural.model_files import EXTRA, model_checksum, model_folder
from linkassay.linkers.neural.precision import device_of
from linkassay.linkers.protocol import Capabilities, FoundMention
from linkassay.model import Document, Span
from linkassay.text import split_sentences

#: What stands for no mention.
_OUTSIDE = "O"


class Token(NamedTuple):
    """A piece of a word, where it stands, and its label."""

    start: int
    end: int
    label: str
    begins_word: bool


class TokenClassifier:
    """Labels as `B-…`, `I-…` and `O`, or types without these; the first piece of a word decides for all of it."""

    summary = "the mentions that a token classifier finds"
    capabilities = Capabilities(annotates=True)

    def __init__(self, model: str, sha256: str = "", device: str = "auto") -> None:
        self._name, self._sha256, self._device_name = model, sha256, device

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Nothing: the model is loaded when it is first asked."""

    def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention]]:
        """The mentions of each document, sentence by sentence."""
        return [list(self._marks(document.text)) for document in documents]

    def _marks(self, text: str) -> Iterator[FoundMention]:
        for start, end in split_sentences(text):
            for span, type_ in mentions_of(self._labelled(text[start:end]), text[start:end]):
                yield FoundMention(((span[0] + start, span[1] + start),), type=type_)

    def _labelled(self, sentence: str) -> list[Token]:
        """The tokens of a sentence, of a long one part by part."""
        import torch

        model, tokenizer, limit = self._loaded
        given = tokenizer(
            sentence, truncation=True, max_length=limit, return_overflowing_tokens=True, return_offsets_mapping=True
        )
        found = []
        for n, ids in enumerate(given["input_ids"]):
            with torch.inference_mode():
                scores = model(input_ids=torch.tensor([ids], device=model.device)).logits[0]
            if not bool(torch.isfinite(scores).all()):
                raise LinkassayError(f"the model {self._name} gives numbers that are not finite, e.g. for "
                                     f"{sentence!r:.80}: its weights are damaged")  # fmt: skip
            words = given.word_ids(n)
            labels = [model.config.id2label[label] for label in scores.argmax(-1).tolist()]
            before = [None, *words]
            found += [
                Token(span[0], span[1], label, word != last)
                for span, label, word, last in zip(given["offset_mapping"][n], labels, words, before)
                if word is not None and span[0] < span[1]
            ]
        return found

    @cached_property
    def _loaded(self) -> tuple[Any, Any, int]:
        """Model, tokenizer, and how many tokens it takes at once."""
        try:
            import transformers
        except ImportError:
            raise UsageError(EXTRA) from None
        folder = model_folder(self._name)
        if self._sha256 and model_checksum(folder) != self._sha256:
            raise LinkassayError(f"the model {self._name} has been changed since the run was begun")
        model, tokenizer = load_model(folder, transformers.AutoModelForTokenClassification)
        self._check(folder, model, tokenizer)
        limit = min(tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None) or 512)
        return model.eval().to(device_of(self._device_name)), tokenizer, limit

    def _check(self, folder: Path, model: Any, tokenizer: Any) -> None:
        if _OUTSIDE not in model.config.id2label.values():
            said = ", ".join(sorted(map(str, model.config.id2label.values()))[:5])
            raise UsageError(
                f"{folder} is no token classifier for mentions: none of its labels is {_OUTSIDE!r} ({said})"
            )
        if not tokenizer.is_fast:
            raise UsageError(f"the tokenizer of {folder} does not tell where tokens stand: a tokenizer.json is needed")


def mentions_of(tokens: Sequence[Token], text: str) -> list[tuple[Span, str]]:
    """Where mentions are, and their types in lower case; a mention goes on over words with the same type.

    >>> found = mentions_of([Token(0, 4, "B-Disease", True), Token(5, 8, "I-Disease", True), Token(8, 9, "O", True)], "skin rash.")
    >>> found
    [((0, 8), 'disease')]
    """  # noqa: E501
    words: list[tuple[Span, str]] = []
    for token in tokens:
        if token.begins_word or not words:
            words.append(((token.start, token.end), token.label))
        else:
            words[-1] = (words[-1][0][0], token.end), words[-1][1]
    found: list[tuple[Span, str]] = []
    last = _OUTSIDE
    for (start, end), label in words:
        type_ = label.removeprefix("B-").removeprefix("I-").lower()
        if label != _OUTSIDE and last != _OUTSIDE and not label.startswith("B-") and found[-1][1] == type_:
            found[-1] = (found[-1][0][0], end), type_
        elif label != _OUTSIDE:
            found.append(((start, end), type_))
        last = label
    return found
