"""A linker that is ready to be asked: made with its options, and prepared here or opened from files (LINKER-14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.errors import LinkassayError
from linkassay.kbs import Kb, with_synonyms
from linkassay.linkers import Abbreviated, Capabilities, capable_with, load_linker
from linkassay.runs.costs import Clock
from linkassay.runs.request import LinkRequest
from linkassay.runs.training import TrainingDocuments, TrainingPart, Undeclared, training_parts
from linkassay.text.abbreviations import abbreviation_source as source_of

#: The two things that are prepared: of a knowledge base, and of training documents.
INDEX, TRAINING = "index", "training"


def prepared_folder(name: str) -> Path:
    """Where a prepared index or training of this name lies."""
    return store.home() / "linkers" / name


def stages(request: LinkRequest) -> list[str]:
    """What is stored for a pinned request, in its order; of a linker that is composed first what is for its parts."""
    able, learns = request.capabilities, bool(trained_parts(request))
    if able.composed:
        own = [TRAINING] if request.options.get("fusion") == "learned" and learns else []
        return [each for part in request.parts() for each in stages(part)] + own
    return [INDEX, *[TRAINING] * (able.trains and learns)] if able.stores else []


def trained_parts(request: LinkRequest) -> list[TrainingPart]:
    """What a pinned request trains on."""
    return training_parts(request.train_on, Corpus.open(request.corpus)) if request.corpus else []


class ReadyLinker:
    """A linker and what it can do, for one request."""

    def __init__(
        self, linker: Any, capabilities: Capabilities, request: LinkRequest, parts: Sequence[ReadyLinker] = ()
    ) -> None:
        self.linker, self.capabilities, self._request, self._parts = linker, capabilities, request, parts

    @classmethod
    def made(cls, request: LinkRequest) -> ReadyLinker:
        """One that is not prepared yet; it was told of its corpus, if it wants that."""
        return cls._around(load_linker(request.linker)(**request.made_with), request)

    @classmethod
    def _around(cls, linker: Any, request: LinkRequest) -> ReadyLinker:
        capabilities = capable_with(linker, request.linker, request.options)
        parts = [cls._around(*each) for each in zip(linker.linkers, request.parts())] if capabilities.composed else []
        if request.abbreviations != "none":
            linker = Abbreviated(linker, capabilities, source_of(request.abbreviations))
            capabilities = linker.capabilities
        if capabilities.wants_corpus and request.corpus:
            linker.about(Corpus.open(request.corpus))
        return cls(linker, capabilities, request, parts)

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

    def open_parts(self, stored: Sequence[str]) -> list[str]:
        """Prepare each part of a composed linker by what is stored for it; what is left is the linker's own."""
        left, indexes = list(stored), []
        for part in self._parts:
            number = len(stages(part._request)) if stored else 0
            part.prepare(left[:number])
            indexes.append(left[:1] if number else [])
            del left[:number]

        def anew(number: int) -> Any:
            part = ReadyLinker.made(replace(self._parts[number]._request, abbreviations="none"))
            if indexes[number]:
                part.open_index(indexes[number][0])
            else:
                part.linker.prepare(part.knowledge(), ())
            return part.linker

        self.linker.compose(self.knowledge(), anew)
        return left

    def _open(self, stored: Sequence[str], clock: Clock) -> None:
        if self.capabilities.composed:
            for name in self.open_parts(stored):
                self.linker.open_training(store.MappedFolder(prepared_folder(name)))
            clock.lap("open")
            return
        self.open_index(stored[0])
        if len(stored) > 1:
            self.linker.open_training(store.MappedFolder(prepared_folder(stored[1])))
        elif self.capabilities.trains:
            self.linker.train(())
        clock.lap("open")

    def _prepare_here(self, clock: Clock) -> None:
        knowledge, able = self.knowledge(), self.capabilities
        train = TrainingDocuments(trained_parts(self._request))
        if able.composed:
            self.open_parts(())
            clock.lap("index")
            self.linker.train_fusion(train)
            clock.lap("train")
            return
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
