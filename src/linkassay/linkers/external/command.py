"""A linker that is a command: documents into a file, the command over it, its answer back. No shell is involved."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import IO, Any

from linkassay import store
from linkassay.errors import DataError, LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.linkers.external.exchange import Outside
from linkassay.linkers.protocol import FoundMention
from linkassay.model import Document

_PLACES = ("{input}", "{output}", "{input_dir}", "{output_dir}")
#: What may be meant for one of them, whole or not; and how near to one it must be ("{inptu}" is, awk's "{print}" not).
_PLACE = re.compile(r"\{\w+\}?")
_NEAR = 0.75
_TAIL = 1_000
_TICK = 0.05
#: A variable of the environment of a command and of all that it starts: so those are found that have left its group.
_MARK = "LINKASSAY_COMMAND"
#: The first process of the group that a command runs in: it waits at a pipe that only we hold open, and so ends the
#: group, and on Linux all with its mark, when we end, even by SIGKILL.
_WATCH = (
    "/bin/sh",
    "-c",
    'read _; for p in /proc/[0-9]*; do grep -qs "$0" "$p/environ" && kill -9 "${p#/proc/}"; done; kill -9 0',
)


class Command(Outside):
    """`cmd` is run once for some documents, in a folder of its own that is removed afterwards.

    In its words `{input}` and `{output}` stand for files, `{input_dir}` and `{output_dir}` for folders with these in
    them. Without a place for its input the command reads it, without one for its output it writes its answer.
    """

    summary = "an outside command: files in and out (--cmd, --exchange)"

    def __init__(self, cmd: str = "", exchange: str = "", timeout: float = 600.0, **spelling: Any) -> None:
        if not cmd.strip() or not exchange:
            raise UsageError("the linker `command` needs --cmd and --exchange, e.g. "
                             "--cmd 'mytool {input} {output}' --exchange pubtator")  # fmt: skip
        super().__init__(exchange, **spelling)
        if self.exchange.alone:
            raise UsageError(f"--exchange {exchange} is spoken over HTTP: use `link http`")
        try:
            self._words = shlex.split(cmd)
        except ValueError as error:
            raise UsageError(f"--cmd {cmd!r} cannot be split into words ({error})") from error
        for place in _PLACE.findall(cmd):
            if place not in _PLACES and get_close_matches(place, _PLACES, 1, _NEAR):
                raise UsageError(f"--cmd has {place!r}, which stands for nothing; there are {', '.join(_PLACES)}")
        self._timeout = timeout

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """See that there is such a command before anything is done."""
        program = self._words[0]
        if shutil.which(program) is None:
            raise UsageError(f"there is no command {program!r}; give its full path or add it to PATH")
        # The command runs in a folder of its own: words that are files of this one must be found from there.
        found = [str(Path.cwd() / word) if os.path.exists(word) else word for word in self._words]
        self._words = [program if os.sep not in program else found[0], *found[1:]]

    def annotate(self, documents: Sequence[Document], top: int) -> list[list[FoundMention] | LinkassayError]:
        """One call for all documents; those that it answers badly are given to it once more, one by one."""
        shown = [self.shown(document) for document in documents]
        asked = [document for document in shown if isinstance(document, Document)]
        said = iter(self._said(asked) if asked else ())
        return [next(said) if isinstance(document, Document) else document for document in shown]

    def _said(self, documents: Sequence[Document]) -> Iterator[list[FoundMention] | LinkassayError]:
        for document, said in zip(
            documents, self.understood(self._called(documents), documents, "answer"), strict=True
        ):
            if isinstance(said, LinkassayError) and len(documents) > 1:
                try:
                    yield from self._said([document])
                except LinkassayError as error:
                    yield error
            else:
                yield said

    def _called(self, documents: Sequence[Document]) -> bytes:
        with store.scratch_folder(self.folder or Path(tempfile.gettempdir())) as name:
            folder = name.resolve()
            paths = {place: folder / place.strip("{}").split("_")[0] for place in _PLACES}
            for place in ("{input_dir}", "{output_dir}"):
                paths[place].mkdir()
            file = f"documents{self.exchange.suffix}"
            paths["{input}"] = paths["{input_dir}"] / file
            paths["{output}"] = paths["{output_dir}"] / file
            paths["{input}"].write_text(self.exchange.write(documents), encoding="utf-8")
            words = [_filled(word, paths) for word in self._words]
            with (paths["{input}"].open("rb") as stdin, (folder / "said").open("w+b") as said,
                  (folder / "errors").open("w+b") as errors):  # fmt: skip
                self._run(words, folder, None if self._names("{input") else stdin, said, errors)
                if not self._names("{output"):
                    said.seek(0)
                    return said.read(self.max_output)
            return _gathered(paths["{output_dir}"], self.max_output)

    def _names(self, place: str) -> bool:
        return any(place in word for word in self._words)

    def _run(self, words: list[str], folder: Path, stdin: IO[bytes] | None, said: IO[bytes], errors: IO[bytes]) -> None:
        """Run to its end, or to the end of its time; what it has started then ends with it (SAFE-12)."""
        begin = time.monotonic()
        none = subprocess.DEVNULL
        mark = f"{_MARK}={uuid.uuid4().hex}"
        environment = os.environ | dict([mark.split("=")])
        with (
            subprocess.Popen(  # noqa: S603
                (*_WATCH, mark), stdin=subprocess.PIPE, stdout=none, stderr=none, process_group=0
            ) as watch,
            subprocess.Popen(  # noqa: S603 (what the user asked for)
                words,
                cwd=folder,
                stdin=stdin or none,
                stdout=said,
                stderr=errors,
                process_group=watch.pid,
                env=environment,
            ) as process,  # fmt: skip
        ):
            try:
                running = True
                while running:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_TICK)
                    running = process.poll() is None
                    if running and self._timeout and time.monotonic() - begin > self._timeout:
                        raise LinkassayError(f"the command did not end within {self._timeout:g} s (--timeout)"
                                             + _tail(errors))  # fmt: skip
                    if _written(folder) > self.max_output:
                        raise LinkassayError(f"the command wrote more than {self.max_output:,} bytes, answer and "
                                             "messages together (--max-output)")  # fmt: skip
            finally:
                with suppress(ProcessLookupError, PermissionError):  # it has ended its group itself
                    os.killpg(watch.pid, signal.SIGKILL)
                _end_all_with(mark.encode())
        if process.returncode:
            code = process.returncode
            how = f"exit status {code}" if code > 0 else f"signal {-code} ({signal.strsignal(-code)})"
            raise LinkassayError(f"the command ended with {how}" + _tail(errors))


def _filled(word: str, paths: dict[str, Path]) -> str:
    for place, path in paths.items():
        word = word.replace(place, str(path))
    return word


def _written(folder: Path) -> int:
    """How much has been written so far: answer and messages."""
    found = 0
    for path in (folder / "said", folder / "errors", *folder.glob("output/**/*")):
        with suppress(OSError):  # who is at work may remove what it wrote
            found += path.lstat().st_size if not path.is_dir() else 0
    return found


def _end_all_with(mark: bytes) -> None:
    """End the processes that bear a mark, and those that they have started meanwhile; only Linux shows marks."""
    for _ in range(10):
        found = [path for path in Path("/proc").glob("[0-9]*") if _bears(path, mark)]
        for path in found:
            with suppress(OSError):
                os.kill(int(path.name), signal.SIGKILL)
        if not found:
            return


def _bears(process: Path, mark: bytes) -> bool:
    try:
        return mark in (process / "environ").read_bytes().split(b"\0")
    except OSError:  # it has ended, or is not ours
        return False


def _tail(errors: IO[bytes]) -> str:
    """The end of what the command said on its standard error."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _TAIL))
    text = errors.read().decode("utf-8", "replace").strip()
    return f"; it said: {text}" if text else ""


def _gathered(folder: Path, most: int) -> bytes:
    """The one file of the output folder, whatever it is called."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    if len(files) != 1:
        names = ", ".join(path.name for path in files[:5])
        raise DataError(f"the command wrote {len(files)} files ({names}); expected is one" if files
                        else "the command wrote nothing")  # fmt: skip
    with files[0].open("rb") as file:
        return file.read(most)
