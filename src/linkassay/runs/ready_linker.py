"""A linker that is ready to be asked: made with its options, and prepared here or opened from files (LINKER-14)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.errors import LinkassayError
from linkassay.kbs import Kb, with_synonyms
from linkassay.linkers import Abbreviated, Capabilities, capabilities_of, load_linker
from linkassay.runs.costs import Clock
from linkassay.runs.request import LinkRequest
from linkassay.runs.training import TrainingDocuments, Undeclared, training_parts
from linkassay.text.abbreviations import abbreviation_source as source_of

#: The two things that are prepared: of a knowledge base, and of training documents.
INDEX, TRAINING = "index", "training"


def prepared_folder(name: str) -> Path:
    """Where a prepared index or training of this name lies."""
    return store.home() / "linkers" / name


class ReadyLinker:
    """A linker and what it can do, for one request."""

    def __init__(self, linker: Any, capabilities: Capabilities, request: LinkRequest) -> None:
        self.linker, self.capabilities, self._request = linker, capabilities, request

    @classmethod
    def made(cls, request: LinkRequest) -> ReadyLinker:
        """One that is not prepared yet; it was told of its corpus, if it wants that."""
        linker: Any = load_linker(request.linker)(**request.made_with)
        capabilities = capabilities_of(linker, request.linker).made_with(request.options)
        if request.abbreviations != "none":
            linker = Abbreviated(linker, capabilities, source_of(request.abbreviations))
            capabilities = linker.capabilities
        if capabilities.wants_corpus and request.corpus:
            linker.about(Corpus.open(request.corpus))
        return cls(linker, capabilities, request)

    def knowledge(self) -> Kb:
        """The knowledge base with all names that the linker may see."""
        return with_synonyms(Kb.open(self._request.kb), self._request.synonyms)

    def prepare(self, stored: Sequence[str]) -> dict[str, float]:
        """By what is `stored`, index before training, or here; returns what took how long."""
        clock = Clock()
        try:
            if stored:
                self._open(stored, clock)
            else:
                self._prepare_here(clock)
        except LinkassayError:
            raise
        except (Exception, SystemExit) as error:
            raise self.error(error) from error
        return clock.laps

    def open_index(self, name: str) -> None:
        """Be as after `prepare`."""
        self.linker.open_index(self.knowledge(), store.MappedFolder(prepared_folder(name)))

    def _open(self, stored: Sequence[str], clock: Clock) -> None:
        self.open_index(stored[0])
        if len(stored) > 1:
            self.linker.open_training(store.MappedFolder(prepared_folder(stored[1])))
        elif self.capabilities.trains:
            self.linker.train(())
        clock.lap("open")

    def _prepare_here(self, clock: Clock) -> None:
        knowledge, able = self.knowledge(), self.capabilities
        train = TrainingDocuments(training_parts(self._request.train_on, Corpus.open(self._request.corpus)))
        if able.uses_training:
            self.linker.prepare(knowledge, () if able.trains else train)
        else:
            self.linker.prepare(knowledge, Undeclared(self._request.linker))
        clock.lap("index")
        if able.trains:
            self.linker.train(train)
            clock.lap("train")

    def error(self, error: BaseException) -> LinkassayError:
        """That of a linker which could not be prepared."""
        return LinkassayError(f"linker {self._request.linker!r} could not be prepared: {error_text(error)}")


def error_text(error: BaseException) -> str:
    """What an error says, ours or a linker's own."""
    return str(error) if isinstance(error, LinkassayError) else f"{type(error).__name__}: {error}"[:1000]
