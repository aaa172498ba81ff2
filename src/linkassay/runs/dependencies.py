"""What code depends on: the modules of its own package and the libraries it imports, read from the sources.

Nothing is imported for it. An import inside of a function counts as any other, one for type checkers only does not.
What is imported by a name that is made up at run time is not seen.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import NamedTuple

from linkassay.registry import for_checkers, is_for_checkers


class _Source(NamedTuple):
    """What a source file says, as far as it matters here."""

    digest: str
    imports: tuple[tuple[int, str, tuple[str, ...]], ...]  # level, module, names; as they are written
    offers: Mapping[str, str]  # of a package with a front door: name → the module that has it


class Graph:
    """The modules of some packages and what each of them imports. `roots`: package → its folder, or its only file."""

    def __init__(self, roots: Mapping[str, Path]) -> None:
        self._roots = dict(roots)
        self._files: dict[str, Path | None] = {}  # of modules that were looked for: most are, many times

    def file(self, module: str) -> Path | None:
        """Where the source of a module is; None if it is none of these packages'."""
        if module not in self._files:
            self._files[module] = self._found(module)
        return self._files[module]

    def _found(self, module: str) -> Path | None:
        top, *rest = module.split(".")
        if top not in self._roots:
            return None
        path = self._roots[top].joinpath(*rest)
        found = (path, path / "__init__.py", path.with_name(path.name + ".py"))
        return next((each for each in found if each.suffix == ".py" and each.is_file()), None)

    def reach(self, start: Iterable[str], without: Iterable[str] = ()) -> frozenset[str]:
        """The modules that `start` leads to, `start` among them; those `without` are neither taken nor followed.

        The `__init__` of a package counts where something of its own is imported from it, not where it only lies on the
        way or hands on what a module has (`registry.front_door`).
        """
        seen, left = set(without), [module for module in start if self.file(module)]
        found: set[str] = set()
        while left:
            module = left.pop()
            if module not in seen:
                seen.add(module)
                found.add(module)
                left += [other for other in self._imported(module) if self.file(other)]
        return frozenset(found)

    def libraries(self, modules: Iterable[str]) -> frozenset[str]:
        """The packages of others, by their top-level names, that these modules import."""
        tops = {other.partition(".")[0] for module in modules for other in self._imported(module)}
        return frozenset(tops - {*self._roots, *sys.stdlib_module_names, ""})

    def digest(self, modules: Iterable[str]) -> str:
        """Stands for what these modules say."""
        said = [f"{module} {self._source(module).digest}\n" for module in sorted(modules)]
        return hashlib.sha256("".join(said).encode()).hexdigest()[:12]

    def _source(self, module: str) -> _Source:
        path = self.file(module)
        assert path is not None
        about = path.stat()
        return _read(str(path), about.st_mtime_ns, about.st_size)

    def _imported(self, module: str) -> Iterator[str]:
        path = self.file(module)
        package = module if path is None or path.name == "__init__.py" else module.rpartition(".")[0]
        for level, name, names in self._source(module).imports:
            if level:
                above = package.split(".")[: len(package.split(".")) - level + 1]
                name = ".".join([*above, name] if name else above)
            offers = self._source(name).offers if names and self.file(name) else {}
            modules = [(f"{name}.{each}", offers.get(each, name)) for each in names]
            yield from (each if self.file(each) else offered for each, offered in modules)
            if not names:
                yield name


@lru_cache(maxsize=4096)
def _read(path: str, _modified: int, _size: int) -> _Source:
    """A source file; read once for as long as it stays as it is."""
    said = Path(path).read_bytes()
    try:
        tree = ast.parse(said)
    except (SyntaxError, ValueError):  # whoever imports it will hear of it
        return _Source(hashlib.sha256(said).hexdigest(), (), {})
    offers = for_checkers(tree) if any(_is_call(node, "front_door") for node in tree.body) else {}
    lines = said.split(b"\n")
    for node in reversed(tree.body):
        if _says_names_only(node, bool(offers)):
            del lines[node.lineno - 1 : node.end_lineno]
    return _Source(hashlib.sha256(b"\n".join(lines)).hexdigest(), tuple(_imports(tree.body)), offers)


def _says_names_only(node: ast.stmt, door: bool) -> bool:
    """A registry, or what a package offers: which names there are, not what those do that bear them."""
    if _is_call(node, "Registry"):
        return True
    exported = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    return door and (exported or (isinstance(node, ast.If) and is_for_checkers(node.test)))


def _is_call(node: ast.stmt, function: str) -> bool:
    value = getattr(node, "value", None)
    return isinstance(node, ast.Assign) and isinstance(value, ast.Call) and getattr(value.func, "id", "") == function


def _imports(body: Iterable[ast.stmt]) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """The imports of some statements and of those inside of them."""
    for node in body:
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, ()) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or "", tuple(alias.name for alias in node.names)
        else:
            inside = {"orelse"} if isinstance(node, ast.If) and is_for_checkers(node.test) else set(node._fields)
            for part in inside & {"body", "orelse", "finalbody"}:
                yield from _imports(getattr(node, part))
            for each in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                yield from _imports(each.body)


#: Bytes up to which a file is known by its contents; a larger one by its size and when it was modified.
_READ_UP_TO = 4 << 20


def digest_of_files(root: Path) -> str:
    """Stands for a file, or for all files below a folder but those that are hidden or compiled from others.

    Links to folders are not followed. Files are read up to a size, so that a large model costs nothing.
    """
    found = hashlib.sha256()
    for file in sorted(_files(root)) if root.is_dir() else [root]:
        about = file.stat()
        told = _contents(str(file), about.st_mtime_ns, about.st_size)
        found.update(f"{file.relative_to(root.parent).as_posix()} {told}\n".encode())
    return found.hexdigest()[:12]


def _files(root: Path) -> Iterator[Path]:
    for folder, inside, names in os.walk(root):
        inside[:] = [name for name in inside if name != "__pycache__" and not name.startswith(".")]
        files = [Path(folder, name) for name in names if not name.startswith(".") and not name.endswith(".pyc")]
        yield from (file for file in files if file.is_file())


@lru_cache(maxsize=4096)
def _contents(path: str, modified: int, size: int) -> str:
    if size > _READ_UP_TO:
        return f"{size} {modified}"
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def versions(packages: Iterable[str]) -> dict[str, str]:
    """The distributions that packages (by their top-level names) come from, each with its version, if it is there."""
    found: dict[str, str] = {}
    for package in sorted(packages):
        try:
            found[package] = version(package)  # most are called as what they install
        except PackageNotFoundError:
            if importlib.util.find_spec(package) is not None:
                found |= {name: version(name) for name in _distributions().get(package, ())}
    return found


@cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()
