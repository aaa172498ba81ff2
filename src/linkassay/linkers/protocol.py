"""The linker protocol: a linker declares its `capabilities`, is prepared once, then links or annotates (LINKER-1).

It never sees gold ids of what it links: the runner hands it `Query` objects, or documents without gold.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import takewhile
from typing import Any, NamedTuple, Protocol, TypeAlias

from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.model import Document, Span
from linkassay.store import MappedFolder

#: Ranked groups of tied ids, each with its score; empty: no answer.
Answer: TypeAlias = list[tuple[tuple[str, ...], float]]


@dataclass(frozen=True, slots=True)
class Query:
    """A mention as a linker sees it: in its text, with its type, without gold."""

    text: str
    type: str
    spans: tuple[Span, ...]
    document: str
    context: str


class FoundMention(NamedTuple):
    """A mention that a linker found by itself. `nil`: it is one, but of nothing that the knowledge base has."""

    spans: tuple[Span, ...]
    answer: Answer = []  # noqa: RUF012 (a tuple's default, never changed)
    type: str = ""
    nil: bool = False


class Candidate(NamedTuple):
    """An entity as a linker is asked about it: its names, the primary one first, and how it was ranked, if it was."""

    id: str
    names: tuple[str, ...] = ()
    rank: int | None = None
    score: float | None = None


class Reason(NamedTuple):
    """A reason for an order of two candidates: what it is of, what it is for each of them, what it adds to the scores.

    `gain` is the part of the difference of scores, first minus second, that is due to it; None if that cannot be said.
    """

    what: str
    first: str | float | None = None
    second: str | float | None = None
    gain: float | None = None


class OutOfOrderError(LinkassayError):
    """Raised by a linker that cannot go on at all, e.g. as its server is gone: the run stops, what is done stays."""


#: Half of a character, which no file can hold.
_SURROGATE = re.compile("[\ud800-\udfff]")

#: The methods that each capability promises, and the capabilities that promise none.
_METHODS = {
    "links": ("link",),
    "annotates": ("annotate",),
    "trains": ("train",),
    "stores": ("store_index", "open_index"),
    "prepares_in_parts": ("parts", "make_part", "join_parts"),
    "wants_corpus": ("about",),
    "wants_folder": ("work_in",),
    "explains": ("explain",),
    "reranks": ("rerank",),
    "pools": ("pooled",),
    "composed": ("compose",),
}
#: What one that trains and stores promises besides.
_STORED_TRAINING = ("store_training", "open_training")
_FLAGS = ("learns", "keeps_time", "outside")


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a linker can do and what it wants, as its class declares; a linker `links`, `annotates`, or does both.

    - `links`: `link(queries, top)` links mentions that are given.
    - `annotates`: `annotate(documents, top)` finds mentions itself. Where such a linker does not link and mentions are
      given (`--give mentions`), the documents hold these, without gold.
    - `trains`: `prepare` is given no documents, `train(documents)` is called after it and its costs are noted apart.
    - `stores`: what it prepared is written to plain files once, and opened by every process that links (LINKER-14). It
      `trains` or learns nothing: what `prepare` makes is of the knowledge base alone.
    - `prepares_in_parts`: it stores, and its index is made in parts that survive a kill and may be made by several
      processes: `parts(kb)` says how many there are, `make_part(number, files)` writes one, `join_parts(parts)` takes
      what was written in place of `prepare`.
    - `wants_corpus`: `about(corpus)` is called before `prepare` and tells how ids and types are spelled; an index that
      is stored must not depend on it.
    - `wants_folder`: `work_in(folder)` is called before each shard and tells where temporary files belong: in a folder
      that all workers of the run share and that ends with it.
    - `explains`: `explain(query, first, second)` says why one candidate comes before another (LINKER-15).
    - `reranks`: `rerank(queries, pools)` orders candidates that others found, given as their answers.
    - `pools`: `pooled(queries, top)` answers as `link` does, each answer with the candidates that it was chosen from,
      which the run records (STAGE-5).
    - `composed`: it is made of other `linkers`, of which `components` tells names and options. These are
      prepared by themselves; then `compose(kb, anew)` is called, where `anew(number)` makes a part again that is
      prepared and not trained. What is learned beyond them is learned by `train_fusion`.
    - `learns`: `prepare` is given training documents; whoever declares neither this nor `trains` gets none (LINKER-11).
    - `keeps_time`: it sees to `--timeout` itself, and is made with `timeout` if it has such a parameter.
    - `outside`: it is an outside system with names of its own, to which a knowledge base can lend none.
    - `wants_model`: it is made with a neural `model`, by folder or name, of which `model_sha256` tells what it is, and
      with a `device`; of these the checksum alone is part of what a run is.
    - `trains_with`: the option without which it does not train after all.

    A class may say by `capable_with(options)` what one can do that is made with these.
    """

    links: bool = False
    annotates: bool = False
    trains: bool = False
    stores: bool = False
    prepares_in_parts: bool = False
    wants_corpus: bool = False
    wants_folder: bool = False
    explains: bool = False
    reranks: bool = False
    pools: bool = False
    composed: bool = False
    learns: bool = False
    keeps_time: bool = False
    outside: bool = False
    wants_model: bool = False
    trains_with: str = ""

    @property
    def uses_training(self) -> bool:
        """Whether training documents can change what it answers."""
        return self.learns or self.trains

    def made_with(self, options: Mapping[str, Any]) -> Capabilities:
        """What one can do that is made with these options."""
        return replace(self, trains=False) if self.trains_with and not options.get(self.trains_with) else self

    def __str__(self) -> str:
        """As it is written in a class."""
        declared = {each.name: getattr(self, each.name) for each in fields(self)}
        return f"Capabilities({', '.join(f'{name}={value!r}' for name, value in declared.items() if value)})"


class Linker(Protocol):
    """What every linker offers. Its class attribute `summary` is one line for `linkassay ls linkers`."""

    summary: str
    capabilities: Capabilities

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Build indexes, learn from training documents."""
        ...


class MentionLinker(Linker, Protocol):
    """A linker that `links`."""

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """One answer per query, at most `top` groups each."""
        ...


class Explainer(MentionLinker, Protocol):
    """A linker that `explains`."""

    def explain(self, query: Query, first: Candidate, second: Candidate) -> Sequence[Reason]:
        """Why the first is ranked before the second, what weighs most first; beside names and scores."""
        ...


class Reranker(Linker, Protocol):
    """A linker that `reranks`."""

    def rerank(self, queries: Sequence[Query], pools: Sequence[Answer]) -> list[Answer]:
        """The candidates of each query, and no others, in another order."""
        ...


class Annotator(Linker, Protocol):
    """A linker that `annotates`: end to end; one that `links` besides can be given mentions, too."""

    def annotate(self, documents: Sequence[Document], top: int) -> Sequence[list[FoundMention] | LinkassayError]:
        """The mentions of each document with at most `top` groups each; an error: this document failed."""
        ...


class StoredLinker(Linker, Protocol):
    """A linker that `stores`; one that `trains` besides has `store_training(files)` and `open_training(files)`, too."""

    def store_index(self, files: MappedFolder) -> None:
        """Write what `prepare` made; a record `about`, if there is one, is small facts that are shown with it."""
        ...

    def open_index(self, kb: Kb, files: MappedFolder) -> None:
        """Be as after `prepare`, by what was written then."""
        ...


def capabilities_of(linker: Any, name: str) -> Capabilities:
    """What the linker `name` can do; an error if it declares what it does not have.

    Whoever wants to know asks here, with the linker, its class, or whatever else makes it.
    """
    declared = getattr(linker, "capabilities", None)
    if declared is None:
        return _inferred(linker, name, None)
    if not isinstance(declared, Capabilities):
        raise UsageError(f"`capabilities` of linker {name!r} is {declared!r:.100}; expected is e.g. "
                         "Capabilities(links=True) (linkassay.linkers)")  # fmt: skip
    if not (declared.links or declared.annotates):
        raise UsageError(f"linker {name!r} declares {declared}: it must link, annotate, or do both")
    if declared.stores and declared.learns:
        raise UsageError(f"linker {name!r} declares {declared}: what it stores of a knowledge base must not depend on "
                         "training; let it learn in `train`, with trains=True in place of learns=True")  # fmt: skip
    if isinstance(linker, type) or _has(linker, "prepare"):  # a function that makes linkers has no methods of theirs
        promised = [
            "prepare",
            *(each for able, methods in _METHODS.items() if getattr(declared, able) for each in methods),
        ]
        promised += _STORED_TRAINING if declared.stores and declared.trains else ()
        if missing := [method for method in promised if not _has(linker, method)]:
            raise UsageError(f"linker {name!r} declares {declared}, but has no `{'` and no `'.join(missing)}`")
    return _inferred(linker, name, declared)


def capable_with(linker: Any, name: str, options: Mapping[str, Any]) -> Capabilities:
    """What the linker `name` can do that is made with these options."""
    declared = capabilities_of(linker, name)
    own = getattr(linker, "capable_with", None)
    found: Capabilities = own(options) if own else declared.made_with(options)
    return found


def first_ranks(answer: Answer, top: int, at: str) -> tuple[tuple[tuple[str, ...], ...], tuple[float, ...]]:
    """Groups and scores of the first `top` ranks; an error if the answer, to the mention `at`, is not what it must be.

    >>> first_ranks([(("t:1", "t:2"), 1), (("t:3",), 0.5)], 1, "m")
    ((('t:1', 't:2'),), (1.0,))
    """
    try:
        groups = tuple(() if isinstance(ids, str) else tuple(ids) for ids, _ in answer)[:top]
        scores = tuple(float(score) for _, score in answer)[:top]
    except (TypeError, ValueError):
        groups, scores = ((),), ()
    if not all(ids and all(map(_is_id, ids)) for ids in groups) or not all(map(math.isfinite, scores)):
        raise LinkassayError(f"it answered mention {at} with {answer!r:.200}; expected is a list of "
                             "(tied ids, finite score), e.g. [(('mesh:D006073',), 0.9)]")  # fmt: skip
    return groups, scores


def checked_reasons(given: Any) -> list[Reason]:
    """Reasons as a linker gives them; an error if they are not what they must be.

    >>> checked_reasons([("length", 3, 5)])
    [Reason(what='length', first=3, second=5, gain=None)]
    """
    try:
        reasons = [Reason("") if isinstance(each, str) else Reason(*each) for each in given]
    except TypeError:
        reasons = [Reason("")]
    if not all(map(_is_reason, reasons)):
        raise LinkassayError(f"it explained with {given!r:.200}; expected is a list of Reason(what, first, second, "
                             "gain) of texts and finite numbers, e.g. [Reason('length', 3, 5)]")  # fmt: skip
    return reasons


def _is_reason(reason: Reason) -> bool:
    named = isinstance(reason.what, str) and reason.what.strip() and not isinstance(reason.gain, str)
    return bool(named) and all(map(_is_value, reason))


def _is_value(value: object) -> bool:
    if isinstance(value, str):
        return not _SURROGATE.search(value)
    return value is None or (isinstance(value, int | float) and math.isfinite(value))


def _is_id(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip()) and not _SURROGATE.search(value)


def _inferred(linker: Any, name: str, declared: Capabilities | None) -> Capabilities:
    """What is declared, and what the methods and attributes of a linker say beyond that; for one release more.

    A declaration covers all that its class has; beyond it counts only what an heir of that class adds without declaring
    anew. Where nothing is declared every method counts, and `prepare`, which was always given documents, may learn.
    """
    new = _added(linker) if declared else {*(each for methods in _METHODS.values() for each in methods), *_FLAGS}
    further: dict[str, Any] = {
        able: True for able, methods in _METHODS.items() if new.intersection(methods) and _all(linker, methods)
    }
    further |= {flag: bool(getattr(linker, flag)) for flag in _FLAGS if flag in new and hasattr(linker, flag)}
    found = replace(declared or Capabilities(), **further)
    if declared is None and not found.trains and not found.outside:
        found = replace(found, learns=True)
    if found != declared:
        advised = found if found.links or found.annotates else replace(found, links=True)
        warnings.warn(
            f"linker {name!r} does not declare what it can do; write in its class: capabilities = {advised} "
            "(from linkassay.linkers import Capabilities). The next release asks for it",
            DeprecationWarning,
            stacklevel=3,
        )
    return found


def _added(linker: Any) -> set[str]:
    """The names that a linker, or its class, has nearer than the `capabilities` that it inherits."""
    classes = linker.__mro__ if isinstance(linker, type) else (linker, *type(linker).__mro__)
    nearer = takewhile(lambda each: "capabilities" not in each, (getattr(each, "__dict__", {}) for each in classes))
    return {name for members in nearer for name in members}


def _has(linker: Any, method: str) -> bool:
    return callable(getattr(linker, method, None))


def _all(linker: Any, methods: Iterable[str]) -> bool:
    return all(_has(linker, method) for method in methods)
