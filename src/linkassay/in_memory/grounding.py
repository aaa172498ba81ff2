"""One text to the entities that it may mean: a linker, prepared once for a knowledge base and kept, answers it."""

from __future__ import annotations

import inspect
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.linkers import LINKERS, MentionLinker, Query, capabilities_of, first_ranks
from linkassay.runs import LinkRequest, ReadyLinker, prepare
from linkassay.tables import Rows

#: Prepared linkers that a process keeps, those used last: each may hold an index of millions of names.
KEPT = 4


class _Prepared:
    """A linker and the lock of whoever uses it: neither linkers nor connections are for several threads at once."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.linker: MentionLinker | None = None


_kept: OrderedDict[tuple[str, ...], _Prepared] = OrderedDict()
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
    if not isinstance(text, str) or not text.strip():
        raise UsageError(f"a text to ground is needed, not {text!r:.60}")
    context = context or text
    start = context.find(text)
    if start < 0:
        raise UsageError(f"the context does not have {text!r:.60} in it")
    query = Query(text, type, ((start, start + len(text)),), "", context)
    prepared = _prepared(linker, kb, dict(options or {}))
    with prepared.lock:
        if prepared.linker is None:  # here, so that one call waits for the other and both do not prepare it
            prepared.linker = _made(linker, kb, dict(options or {}))
        answers = _told(linker, lambda: prepared.linker.link([query], top))
    if answers is None or len(answers) != 1:
        raise LinkassayError(
            f"linker {linker!r} gave no answer; it must give one for each text, an empty list for none"
        )
    groups, scores = first_ranks(answers[0], top, repr(text))
    names = kb.primary_names(each for group in groups for each in group)
    return Rows(
        {"rank": rank, "id": each, "name": names.get(each, ""), "score": score}
        for rank, (group, score) in enumerate(zip(groups, scores, strict=True), start=1)
        for each in group
    )


def _prepared(linker: str, kb: Kb, options: dict[str, Any]) -> _Prepared:
    try:
        key = (linker, str(kb.path.resolve()), json.dumps(options, sort_keys=True))
    except (TypeError, ValueError) as error:
        raise UsageError(f"options of linker {linker!r} are texts, numbers, lists and tables: {error}") from error
    with _keeping:
        found = _kept.setdefault(key, _Prepared())
        _kept.move_to_end(key)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)
    return found


def _made(name: str, kb: Kb, options: dict[str, Any]) -> MentionLinker:
    linker_class = LINKERS.load(name)
    capabilities = capabilities_of(linker_class, name)
    if not capabilities.links or capabilities.wants_corpus or capabilities.wants_folder:
        raise UsageError(f"linker {name!r} reads whole documents of a corpus; one text is grounded by those that link "
                         "mentions by themselves, such as 'tfidf'")  # fmt: skip
    try:
        inspect.signature(linker_class).bind(**options)
    except TypeError as error:
        raise UsageError(f"linker {name!r} cannot be made with the options {options}: {error}") from error
    if capabilities.stores and Kb.open(kb.pinned).path == kb.path:  # one index for all who ask, kept in the data home
        request = LinkRequest(name, kb=kb.pinned, options=options, train_on=("none",)).ready_for_any()
        ready = ReadyLinker.made(request)
        ready.prepare([each.name for each in prepare(request)])
        return ready.linker  # type: ignore[no-any-return]
    made: Any = linker_class(**options)

    def prepare_here() -> None:
        made.prepare(kb, ())
        if capabilities.trains:
            made.train(())

    _told(name, prepare_here)
    return made  # type: ignore[no-any-return]


def _told(name: str, work: Any) -> Any:
    """What `work` gives; an error of a linker's own says whose it is."""
    try:
        return work()
    except LinkassayError:
        raise
    except (Exception, SystemExit) as error:
        raise LinkassayError(f"linker {name!r} failed: {error.__class__.__name__}: {error}") from error
