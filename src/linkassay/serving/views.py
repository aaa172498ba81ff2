"""Open views, asked through one DuckDB that they share; a question has cursors of its own, and so much time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from linkassay import store
from linkassay.errors import UsageError
from linkassay.serving.asked import Asked, Form
from linkassay.serving.refusals import RefusedError, bad_request

if TYPE_CHECKING:
    from linkassay.explorer import View

#: Views that are open at once; the one that was asked longest ago is closed.
_OPEN = 8
#: Seconds that a question may take, memory of all questions together, threads of each.
_SECONDS, _MEMORY, _THREADS = 20.0, "320MB", 2
#: Nothing is written, fetched or changed by a question.
_CLOSED: dict[str, Any] = {
    "temp_directory": "",
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
}

_LIST = ("find", "sort", "offset", "limit")
#: A list that can be opened where it has an id.
_OPENED = (*_LIST, "document", "at")
#: Question → what it knows.
QUESTIONS = {
    "cohort": Form(),
    "mentions": Form(("system", "outcome", "against", "type", "slice", "distance", "location", "set", *_OPENED)),
    "mention": Form(("id",), needed=("id",)),
    "cases": Form(("system", "nil", "counted", "group", *_OPENED)),
    "case": Form(("id", "system", "nil"), needed=("id",)),
    "documents": Form(("section", "nil", *_LIST)),
    "document": Form(("id", "nil"), ("systems",), needed=("id",)),
}
#: Systems that are shown side by side.
_SIDE_BY_SIDE = 4

T = TypeVar("T")


class _Cursors:
    """Hands out cursors of one connection, and knows those of the question that a thread is at."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._mine = threading.local()
        self._all: set[_Question] = set()

    def cursor(self) -> Any:
        found = self._connection.cursor()
        question: _Question | None = getattr(self._mine, "question", None)
        if question is not None:
            question.add(found)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """Within the block the cursors of this thread have so long; an error says that it was not enough."""
        question = self._mine.question = _Question()
        self._all.add(question)
        timer = threading.Timer(seconds, question.interrupt)
        timer.daemon = True
        timer.start()
        try:
            yield
        except Exception as error:
            if question.interrupted:
                raise RefusedError(503, f"this took longer than {seconds:.0f} seconds: ask for less, or for something "
                                   "narrower") from error  # fmt: skip
            raise
        finally:
            timer.cancel()
            self._mine.question = None
            self._all.discard(question)
            question.close()

    def interrupt(self) -> None:
        """End all questions."""
        for question in list(self._all):
            question.interrupt()


class _Question:
    """The cursors of one question."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cursors: list[Any] = []
        self.interrupted = False

    def add(self, cursor: Any) -> None:
        with self._lock:
            self._cursors.append(cursor)
            if self.interrupted:
                raise RefusedError(503, "this took too long")

    def interrupt(self) -> None:
        with self._lock:
            self.interrupted = True
            for cursor in self._cursors:
                with suppress(Exception):
                    cursor.interrupt()

    def close(self) -> None:
        with self._lock:
            for cursor in self._cursors:
                with suppress(Exception):
                    cursor.close()
            self._cursors = []


class Views:
    """The views of a server, by what stands for them."""

    def __init__(self, seconds: float = _SECONDS, memory: str = _MEMORY) -> None:
        self._seconds, self._memory = seconds, memory
        self._lock = threading.Lock()
        self._open: OrderedDict[str, View] = OrderedDict()
        self._shared: _Cursors | None = None

    @property
    def _cursors(self) -> _Cursors:
        with self._lock:
            if self._shared is None:
                config = {"memory_limit": self._memory, "threads": _THREADS, **_CLOSED}
                connection = store.connect(config=config)
                connection.execute("set lock_configuration = true")
                self._shared = _Cursors(connection)
            return self._shared

    def find(self, key: str, runs: Sequence[Path], folders: Sequence[Path]) -> View | None:
        """The view of these runs; None if it has not been built in any of the folders."""
        with self._lock:
            found = self._open.get(key)
            if found is not None and Path(found.folder).exists():
                self._open.move_to_end(key)
                return found
            self._open.pop(key, None)
        from linkassay.explorer import open_view
        from linkassay.runs import Run

        opened = [Run(path) for path in runs]
        cursors = self._cursors
        for folder in folders:
            with cursors.limited(self._seconds):
                view = open_view(opened, cursors, folder=folder)
            if view is not None:
                with self._lock:
                    self._open[key] = view
                    while len(self._open) > _OPEN:
                        self._open.popitem(last=False)
                return view
        return None

    def ask(self, view: View, name: str, asked: Asked) -> dict[str, Any]:
        """The answer of a view to a question."""
        given: dict[str, Any] = {**asked.texts, **asked.numbers}
        if name == "document":
            systems = asked.lists["systems"]
            if max(len(systems), 0 if systems else len(asked.runs)) > _SIDE_BY_SIDE:
                raise bad_request(f"at most {_SIDE_BY_SIDE} systems can be shown side by side: name some of them")
            given["systems"] = systems
        return self._limited(lambda: getattr(view, name)(**given))

    def _limited(self, question: Callable[[], T]) -> T:
        import duckdb

        try:
            with self._cursors.limited(self._seconds):
                return question()
        except duckdb.OutOfMemoryException as error:
            raise RefusedError(503, "this needs more memory than a question may take: ask for less") from error
        except UsageError as error:
            raise bad_request(str(error)) from error
        except duckdb.IOException as error:  # the folder was removed
            raise RefusedError(503, "the view was removed while it was asked: ask again") from error

    def forget(self, folder: Path) -> None:
        """A view that is about to be removed."""
        with self._lock:
            for key in [key for key, view in self._open.items() if Path(view.folder) == folder]:
                del self._open[key]

    def end(self) -> None:
        """End all questions."""
        if self._shared is not None:
            self._shared.interrupt()
