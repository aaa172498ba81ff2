"""One text to the entities that it may mean: a linker, prepared once for a knowledge base and kept, answers it."""

from __future__ import annotations

import inspect
import json
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from linkassay.errors import LinkassayError, UnwritableError, UsageError
from linkassay.kbs import Kb
from linkassay.linkers import Capabilities, MentionLinker, Query, capable_with, first_ranks, load_linker
from linkassay.runs import LinkRequest, ReadyLinker, prepare
from linkassay.tables import Rows

Result = TypeVar("Result")

#: Prepared linkers that a process keeps, those used last: each may hold an index of millions of names.
KEPT = 4


class PreparedLinker(NamedTuple):
    """A linker that can be asked, and what it can do; `name` is what errors call it."""

    name: str
    linker: MentionLinker
    capabilities: Capabilities

    def ranks(self, query: Query, top: int) -> Iterator[tuple[int, float, tuple[str, ...]]]:
        """Rank, score and tied ids of the first `top` ranks of its answer."""
        answers = said_by(self.name, lambda: self.linker.link([query], top))
        if answers is None or len(answers) != 1:
            raise LinkassayError(
                f"linker {self.name!r} gave no answer; it must give one for each text, an empty list for none"
            )
        groups, scores = first_ranks(answers[0], top, repr(query.text))
        yield from zip(range(1, len(groups) + 1), scores, groups, strict=True)


class _Place:
    """Where a linker is kept, and the lock of whoever uses it: linkers are not for several threads at once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.prepared: PreparedLinker | None = None


_kept: OrderedDict[tuple[Any, ...], _Place] = OrderedDict()
_keeping = threading.Lock()


def ground(
    text: str,
    kb: Kb,
    linker: str = "tfidf",
    *,
    top: int = 5,
    type: str = "",
    context: str = "",
    options: Mapping[str, Any] | None = None,
) -> Rows:
    """A row for each candidate of the first `top` ranks, best first; those of one rank are tied."""
    if isinstance(top, bool) or not isinstance(top, int) or top < 1:
        raise UsageError(f"top is how many ranks to keep, a whole number from 1 on, not {top!r}")
    query = asked(text, type, context)
    with prepared_linker(linker, kb, options or {}) as prepared:
        ranks = list(prepared.ranks(query, top))
    names = kb.primary_names(each for _, _, group in ranks for each in group)
    return Rows(
        {"rank": rank, "id": each, "name": names.get(each, ""), "score": score}
        for rank, score, group in ranks
        for each in group
    )


def asked(text: str, type_: str, context: str) -> Query:
    """A text as a linker is asked about it, where it first stands in its context."""
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"a text to ground is needed, not {text!r:.60}")
    context = context or text
    start = context.find(text)
    if start < 0:
        raise UsageError(f"the context does not have {text!r:.60} in it")
    return Query(text, type_, ((start, start + len(text)),), "", context)


@contextmanager
def prepared_linker(name: str, kb: Kb, options: Mapping[str, Any]) -> Iterator[PreparedLinker]:
    """A linker, prepared when it is first asked for; one thread has it at a time."""
    place = _place(name, kb, options)
    with place.lock:
        if place.prepared is None:  # here, so that one call waits for the other and both do not prepare it
            place.prepared = _made(name, kb, options)
        yield place.prepared


def said_by(name: str, work: Callable[[], Result]) -> Result:
    """What `work` gives; an error of a linker's own says whose it is."""
    try:
        return work()
    except LinkassayError:
        raise
    except (Exception, SystemExit) as error:
        raise LinkassayError(f"linker {name!r} failed: {error.__class__.__name__}: {error}") from error


def _not_kept(name: str, kb: Kb, error: UnwritableError | PermissionError) -> str:
    why = str(error).partition(";")[0] if isinstance(error, UnwritableError) else f"{error.filename}: {error.strerror}"
    return (f"the index of {name} for {kb.name} could not be kept, and is made each time ({why}); where the data home "
            f"can be written `linkassay prepare {name} --kb {kb.name}` keeps it")  # fmt: skip


def _place(name: str, kb: Kb, options: Mapping[str, Any]) -> _Place:
    try:
        said = json.dumps(options, sort_keys=True)
    except (TypeError, ValueError) as error:
        raise UsageError(f"options of linker {name!r} are texts, numbers, lists and tables: {error}") from error
    key = (name, load_linker(name), str(kb.path.resolve()), said)  # a file that has changed gives another class
    with _keeping:
        found = _kept.setdefault(key, _Place())
        _kept.move_to_end(key)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def _made(name: str, kb: Kb, options: Mapping[str, Any]) -> PreparedLinker:
    linker_class = load_linker(name)
    capabilities = capable_with(linker_class, name, options)
    if not capabilities.links or capabilities.wants_corpus or capabilities.wants_folder:
        raise UsageError(f"linker {name!r} reads whole documents of a corpus; one text is grounded by those that link "
                         "mentions by themselves, such as 'tfidf'")  # fmt: skip
    try:
        inspect.signature(linker_class).bind(**options)
    except TypeError as error:
        raise UsageError(f"linker {name!r} cannot be made with the options {options}: {error}") from error

    def prepare_here() -> Any:
        if (capabilities.stores or capabilities.composed) and Kb.open(
            kb.pinned
        ).path == kb.path:  # one index for all, kept in the data home
            request = LinkRequest(name, kb=kb.pinned, options=options, train_on=("none",)).ready_for_any()
            ready = ReadyLinker.made(request)
            try:
                stored = [each.name for each in prepare(request)]
            except (UnwritableError, PermissionError) as error:
                warnings.warn(_not_kept(name, kb, error), stacklevel=2)
            else:
                ready.prepare(stored)
                return ready.linker
        made = linker_class(**options)
        made.prepare(kb, ())
        if capabilities.trains:
            made.train(())
        return made

    return PreparedLinker(name, said_by(name, prepare_here), capabilities)
