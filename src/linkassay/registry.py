"""Names to things, loaded only when asked for; plug-ins by entry point; "did you mean …?".

A built-in is `"module"` or `"module:attribute"`. Another package adds to the registry of kind
`corpus` with an entry point in the group `linkassay.corpus`, likewise for the other kinds.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from linkassay import moved
from linkassay.errors import UsageError

__all__ = ["Registry", "for_checkers", "front_door", "is_for_checkers", "near_miss"]


class Registry:
    """Lazy mapping of names to objects.

    >>> registry = Registry("format", {"json": "json", "dumps": "json:dumps"})
    >>> registry.load("dumps")([1])
    '[1]'
    >>> registry.load("jsn")
    Traceback (most recent call last):
    linkassay.errors.UsageError: unknown format 'jsn'; did you mean 'json'?
    """

    def __init__(self, kind: str, builtin: Mapping[str, str]) -> None:
        self.kind = kind
        self._builtin = dict(builtin)

    @cached_property
    def _plugins(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=f"linkassay.{self.kind}")}

    def __contains__(self, name: object) -> bool:
        return name in self._builtin or name in self._plugins

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._builtin, *self._plugins}))

    def load(self, name: str) -> Any:
        """The object behind `name`; imports its module on first use."""
        if name in self._builtin:
            module, _, attribute = self._builtin[name].partition(":")
            found = importlib.import_module(module)
            return getattr(found, attribute) if attribute else found
        if name in self._plugins:
            try:
                return self._plugins[name].load()
            except Exception as error:
                point = self._plugins[name].value
                raise UsageError(f"the plug-in {self.kind} {name!r} ({point}) cannot be loaded: {error!r}") from error
        raise UsageError(f"unknown {self.kind} {name!r}; {near_miss(name, list(self))}")


def near_miss(name: str, known: list[str]) -> str:
    """A helping end for an error message about an unknown name."""
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.6)
    if close:
        return "did you mean " + " or ".join(repr(c) for c in close) + "?"
    return "known are: " + (", ".join(known) or "none")


def front_door(room: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package whose names are in its modules, each module loaded when asked for.

    What the package offers it imports under `TYPE_CHECKING`: type checkers and this read the same lines.

    >>> load, names = front_door("linkassay.tables")
    >>> load("percent")(0.5), "percent" in names()
    ('50.0', True)
    """

    @cache
    def inside() -> dict[str, str]:
        loader: Any = importlib.util.find_spec(room).loader  # type: ignore[union-attr]
        return for_checkers(ast.parse(loader.get_source(room)))

    def load(name: str) -> Any:
        if name.startswith("__") or name not in inside():
            return moved.find(room, name)
        module = inside()[name]
        if module == room:  # a module of the package itself
            return importlib.import_module(f"{room}.{name}")
        return getattr(importlib.import_module(module), name)

    return load, lambda: sorted({*vars(sys.modules[room]), *inside()})


def for_checkers(module: ast.Module) -> dict[str, str]:
    """The names that a module imports for type checkers only, and from where."""
    blocks = [node for node in module.body if isinstance(node, ast.If) and is_for_checkers(node.test)]
    imports = [node for block in blocks for node in block.body if isinstance(node, ast.ImportFrom)]
    return {alias.asname or alias.name: node.module or "" for node in imports for alias in node.names}


def is_for_checkers(test: ast.expr) -> bool:
    """Whether a condition is `TYPE_CHECKING`."""
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))
