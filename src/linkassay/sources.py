"""Where raw files come from: the network, a folder of the user's, or the package itself.

The same for corpora and knowledge bases. Says how to obtain what cannot simply be downloaded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from linkassay import store
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile, expand_paths, find

__all__ = ["RawPaths", "Source", "Sourced", "checksum", "matching_files", "only_file", "raw_files"]

#: Where raw files lie: a file or folder, several of them, or None for the network.
RawPaths: TypeAlias = Path | Sequence[Path] | None


@dataclass(frozen=True)
class Source:
    """One file to obtain. Without `sha256` the checksum is not known in advance, only recorded."""

    url: str
    file: str
    sha256: str = ""
    size: int = 0


class Sourced(Protocol):
    """What the description of a corpus or knowledge base says of its raw files."""

    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def title(self) -> str: ...  # noqa: D102
    @property
    def homepage(self) -> str: ...  # noqa: D102
    @property
    def how_to_obtain(self) -> str: ...  # noqa: D102
    @property
    def sources(self) -> tuple[Source, ...]: ...  # noqa: D102
    @property
    def packaged(self) -> Callable[[], list[RawFile]] | None: ...  # noqa: D102
    @property
    def needs(self) -> tuple[tuple[str, bool], ...]:
        """Globs of the files to read, each with whether it must be there."""
        ...


def raw_files(spec: Sourced, raw: RawPaths, progress: Any, patience: Any = None) -> list[RawFile]:
    """All raw files at hand, once everything that must be there is; else an error that says how to get it.

    `patience` is that with the servers of those that are not (`fetch.Patience`).
    """
    if raw is not None:
        files = expand_paths([raw] if isinstance(raw, Path) else raw)
    elif spec.packaged is not None:
        files = spec.packaged()
    elif spec.sources:
        from linkassay import fetch

        folder = store.home() / "raw" / spec.name
        fetch.obtain(spec.sources, folder, progress=progress, patience=patience or fetch.PATIENCE)
        files = expand_paths([folder])
    else:
        raise UsageError(_how_to_obtain(spec, f"{spec.title} cannot be downloaded automatically."))
    if missing := [need for need, must in spec.needs if must and not matching_files(files, need)]:
        found = ", ".join(sorted(f.name for f in files)[:8]) or "nothing"
        first = f"{spec.name}: missing from the raw files: {', '.join(missing)} (found: {found})."
        raise UsageError(_how_to_obtain(spec, first))
    return files


def matching_files(files: list[RawFile], need: str) -> list[RawFile]:
    """Files that match `need`, a glob or several separated by `|`: the first that matches any."""
    for glob in need.split("|"):
        if found := find(files, glob):
            return found
    return []


def only_file(files: list[RawFile], need: str) -> RawFile:
    """The one file that matches `need`."""
    found = matching_files(files, need)
    if not found:
        raise DataError(f"no file named {need!r} among the raw files")
    if len(found) > 1:
        names = ", ".join(f.name for f in found[:4])
        raise DataError(f"several files match {need!r}: {names}; keep one of them in the raw folder")
    return found[0]


def checksum(file: RawFile) -> dict[str, Any]:
    """Name, SHA-256 and size of a raw file's contents, the same however it was compressed."""
    with file.open() as stream:
        return {"file": file.name.rsplit("/", 1)[-1], **store.digest_and_size(stream)}


def _how_to_obtain(spec: Sourced, first: str) -> str:
    needs = "\n".join(f"  {need.replace('|', ' or ')}" + ("" if must else " (optional)") for need, must in spec.needs)
    return (
        f"{first}\n{spec.how_to_obtain or f'See {spec.homepage}.'}\nFiles expected (plain or compressed, also "
        f"inside an archive):\n{needs}\nThen run: linkassay get {spec.name} --raw DIR"
    )
