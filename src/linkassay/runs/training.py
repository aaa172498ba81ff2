"""What a linker is trained on: corpora and splits, and their documents (LINKER-11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, NoReturn

from linkassay.corpora import Corpus, in_split_order
from linkassay.errors import LinkassayError, UsageError
from linkassay.model import Document

#: In place of corpora to train on: nothing at all.
NO_TRAINING = "none"
#: The split that is trained on where none is named.
_USUAL = "train"


class TrainingPart(NamedTuple):
    """Splits of one corpus that are trained on."""

    corpus: Corpus
    splits: tuple[str, ...]

    def __str__(self) -> str:
        """As `training_parts` reads it."""
        return f"{self.corpus.pinned}:{'+'.join(self.splits)}"


class TrainingDocuments:
    """The documents of some parts, one split after another; iterate as often as you like."""

    def __init__(self, parts: Sequence[TrainingPart]) -> None:
        self._splits = [part.corpus[split] for part in parts for split in part.splits]

    def __len__(self) -> int:
        return sum(map(len, self._splits))

    def __iter__(self) -> Iterator[Document]:
        for split in self._splits:
            yield from split


class Undeclared:
    """What a linker that does not declare to learn gets in place of documents, so that none learns unnoticed."""

    def __init__(self, linker: str) -> None:
        self._linker = linker

    def __iter__(self) -> NoReturn:
        raise LinkassayError(f"linker {self._linker!r} reads training documents and does not declare it; "
                             "add learns=True to its capabilities")  # fmt: skip


def training_parts(train_on: Sequence[str], corpus: Corpus) -> list[TrainingPart]:
    """What `train_on` names; if nothing, the train split of the corpus that is linked, where it has one."""
    if not train_on:
        return [TrainingPart(corpus, (_USUAL,))] if _USUAL in corpus.splits else []
    if NO_TRAINING in train_on:
        if len(train_on) > 1:
            raise UsageError(f"--train-on {NO_TRAINING} stands alone, not with {', '.join(train_on)}")
        return []
    splits: dict[str, list[str]] = {}
    for text in train_on:
        named, wanted = _part(text)
        splits.setdefault(named.pinned, []).extend(wanted)
    return [TrainingPart(Corpus.open(name), tuple(in_split_order(list(set(of))))) for name, of in splits.items()]


def _part(text: str) -> tuple[Corpus, list[str]]:
    name, colon, named = text.partition(":")
    corpus = Corpus.open(name)
    if not colon and _USUAL not in corpus.splits:
        raise UsageError(f"--train-on {name}: it has no split {_USUAL!r}; name splits, e.g. "
                         f"{name}:{'+'.join(corpus.splits)}")  # fmt: skip
    splits = named.split("+") if colon else [_USUAL]
    for split in splits:
        corpus[split]  # refuses an unknown one
    return corpus, splits


def pinned_training(train_on: Sequence[str], corpus: Corpus) -> tuple[str, ...]:
    """The same with revisions and splits; nothing where that is what is trained on anyway."""
    parts, usual = training_parts(train_on, corpus), training_parts((), corpus)
    return () if parts_text(parts) == parts_text(usual) else parts_text(parts)


def parts_text(parts: Iterable[TrainingPart]) -> tuple[str, ...]:
    """Parts as plain data."""
    return tuple(map(str, parts)) or (NO_TRAINING,)
