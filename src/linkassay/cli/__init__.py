"""The command line: arguments in, tables or JSON out; one module per verb. What the verbs do lives in other rooms.

Exit codes: 0 done; 1 the work found a failure (`check`); 2 bad usage or bad input; 130 Ctrl-C, 143 SIGTERM.
"""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
from typing import Annotated, Any, NoReturn, TextIO

import typer

from linkassay.cli import (
    bench,
    check,
    compare,
    demo,
    get,
    ground,
    import_predictions,
    info,
    kb,
    link,
    ls,
    model,
    prepare,
    profile,
    report,
    reproduce,
    scenario,
    score,
    serve,
    train,
    wic,
)
from linkassay.cli.unneeded_imports import NoPandasForArrow
from linkassay.errors import LinkassayError
from linkassay.stopping import heeded

__all__ = ["app", "main"]

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Measure entity linkers: corpora and knowledge bases in one form, every figure open to its mentions.",
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"linkassay {version('linkassay')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and stop.", callback=_version, is_eager=True)
    ] = False,
    max_unpacked: Annotated[
        str, typer.Option(help="Most bytes that compressed files may unpack to, e.g. 2TB; else 250 times their size.")
    ] = "",
) -> None:
    if max_unpacked:
        from linkassay.files import LIMIT_NAME, size_in_bytes

        size_in_bytes(max_unpacked)  # refuses what is none
        os.environ[LIMIT_NAME] = max_unpacked  # for other processes of the same command, too


app.command()(demo.demo)
app.command()(ls.ls)
app.command()(get.get)
app.command()(info.info)
app.command()(check.check)
app.add_typer(kb.app, name="kb")
app.add_typer(model.app, name="model")
app.command()(train.train)
app.command()(prepare.prepare)
app.command()(link.link)
app.command()(ground.ground)
app.command("import")(import_predictions.import_)
app.command()(score.score)
app.command()(compare.compare)
app.add_typer(wic.app, name="wic")
app.command()(reproduce.reproduce)
app.command()(profile.profile)
app.command()(scenario.scenario)
app.command()(report.report)
app.command()(serve.serve)
app.command()(bench.bench)


class _Output:
    """Standard output that goes on into the void when its reader has left, as with `| head`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            return self._leave()
        except OSError as error:
            self._fail(error)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except BrokenPipeError:
            self._leave()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> NoReturn:
        """Said once: what is still to be written would fail again when Python ends."""
        self._leave()
        raise OSError(error.errno, error.strerror, "standard output") from error

    def _leave(self) -> int:
        os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        return 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def main() -> None:
    """Entry point: expected errors become one message and exit code 2; Ctrl-C one line and 130."""
    with heeded():
        _main()


def _main() -> None:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal that lacks a character still shows the rest
    sys.stdout = _Output(sys.stdout)
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")  # gives back what is no longer needed
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # NumPy's threads wait without turning round and round
    gc.set_threshold(20_000, 20, 20)  # what is read comes in great numbers, and has no circles
    atexit.register(_leave_circles)
    NoPandasForArrow.install()
    try:
        try:
            app()
        finally:
            sys.stdout.flush()
    except LinkassayError as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{error.filename or 'the system'}: {error.strerror or error}")
    except UnicodeEncodeError as error:
        odd = error.object[error.start : error.end]
        given = [argument for argument in sys.argv[1:] if odd in argument]
        if not given:
            raise
        _stop(f"{given[0]!r} has bytes that are no text in the encoding of this system")
    except Exception as error:
        library = type(error).__module__.partition(".")[0].lstrip("_")
        if library not in ("duckdb", "pyarrow"):
            raise  # a bug of ours: its traceback is wanted
        _stop(f"{_unreadable()} cannot be read ({library}: {_first_line(error)}); run linkassay check, or remove its "
              "folder and make it again")  # fmt: skip


def _leave_circles() -> None:
    """What is left at the end goes with the process, unsearched; DuckDB alone would complain of what is not freed."""
    if "duckdb" not in sys.modules:
        gc.freeze()


def _unreadable() -> str:
    from linkassay.store import unreadable_file

    return str(unreadable_file() or "stored data")


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def _stop(message: str) -> None:
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)
