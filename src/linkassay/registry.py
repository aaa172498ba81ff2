"""Names to things, loaded only when asked for; plug-ins by entry point; "did you mean …?".

A built-in is `"module"` or `"module:attribute"`, or, in a `ValueRegistry`, a plain value. Another package adds to the
registry of kind `corpus` with an entry point in the group `linkassay.corpus`, likewise for the other kinds.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from linkassay import moved
from linkassay.errors import UsageError

__all__ = ["Registry", "ValueRegistry", "for_checkers", "front_door", "is_for_checkers", "near_miss"]

Value = TypeVar("Value")


class Registry:
    """Lazy mapping of names to objects.

    >>> registry = Registry("format", {"json": "json", "dumps": "json:dumps"})
    >>> registry.load("dumps")([1])
    '[1]'
    >>> registry.load("jsn")
    Traceback (most recent call last):
    linkassay.errors.UsageError: unknown format 'jsn'; did you mean 'json'?
    """

    def __init__(self, kind: str, builtin: Mapping[str, Any]) -> None:
        self.kind = kind
        self._builtin = dict(builtin)

    @cached_property
    def _plugins(self) -> dict[str, EntryPoint]:
        group = f"linkassay.{self.kind.replace(' ', '_')}"
        return {point.name: point for point in entry_points(group=group) if point.name not in self._builtin}

    def __contains__(self, name: object) -> bool:
        return name in self._builtin or name in self._plugins

    def __iter__(self) -> Iterator[str]:
        return iter(sorted({*self._builtin, *self._plugins}))

    def load(self, name: str) -> Any:
        """The object behind `name`; imports its module on first use."""
        if name in self._builtin:
            return self._built_in(name)
        if name in self._plugins:
            return self._plugged_in(name)
        raise UsageError(f"unknown {self.kind} {name!r}; {near_miss(name, list(self))}")

    def _built_in(self, name: str) -> Any:
        module, _, attribute = self._builtin[name].partition(":")
        found = importlib.import_module(module)
        return getattr(found, attribute) if attribute else found

    def _plugged_in(self, name: str) -> Any:
        try:
            return self._plugins[name].load()
        except Exception as error:
            raise UsageError(f"{self._plugin(name)} cannot be loaded: {error!r}") from error

    def _plugin(self, name: str) -> str:
        return f"the plug-in {self.kind} {name!r} ({self._plugins[name].value})"


class ValueRegistry(Registry, Mapping[str, Value]):
    """Names to frozen values of one type: built-ins in the order of their table, then plug-ins by name.

    A value that bears a `name` has that of its entry point. What is not built in is asked of other packages.

    >>> sizes = ValueRegistry("size", {"small": 1, "large": 2}, int)
    >>> sizes["large"], list(sizes), "huge" in sizes
    (2, ['small', 'large'], False)
    """

    def __init__(self, kind: str, builtin: Mapping[str, Value], type_: type[Value]) -> None:
        super().__init__(kind, builtin)
        self._type = type_

    def __getitem__(self, name: str) -> Value:
        if name not in self:
            raise KeyError(name)
        found: Value = self.load(name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter([*self._builtin, *sorted(self._plugins)])

    def __len__(self) -> int:
        return len(self._builtin) + len(self._plugins)

    def is_built_in(self, name: str) -> bool:
        """Whether it is here without any plug-in; other packages are not asked."""
        return name in self._builtin

    def _built_in(self, name: str) -> Any:
        return self._builtin[name]

    def _plugged_in(self, name: str) -> Any:
        found = super()._plugged_in(name)
        if not isinstance(found, self._type):
            raise UsageError(f"{self._plugin(name)} should be of type {self._type.__name__}, "
                             f"and is of type {type(found).__name__}")  # fmt: skip
        return replace(found, name=name) if hasattr(found, "name") else found  # type: ignore[type-var]


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
            return moved.find_moved(room, name)
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
