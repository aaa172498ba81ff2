"""The answers of the server, each a status and the bytes of a JSON object; made in threads, never on the event loop.

What is there is read, what is not becomes a job (202). ETags follow from what an answer depends on: revisions of runs,
of their data, and of this package.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from linkassay import store
from linkassay.errors import LinkassayError, UsageError
from linkassay.pages import page_words
from linkassay.serving.asked import Form, read_query
from linkassay.serving.choices import choices
from linkassay.serving.figures import FORM as FIGURES_FORM
from linkassay.serving.figures import command_line, figures_key, keep_answer
from linkassay.serving.jobs import Job, Jobs, Limits
from linkassay.serving.refusals import RefusedError, bad_request, not_found
from linkassay.serving.result_cache import ResultCache
from linkassay.serving.run_index import Home, KnownRun, RunIndex
from linkassay.serving.views import QUESTIONS, Views

#: Default figures that wait in line at once; further ones follow when these are done.
_AHEAD = 3
#: Requests that are answered from what is at hand; the others ask a database.
QUICK = ("about", "runs", "choices", "figures", "report")
_BROKEN = "this failed for a reason that should not be; where the server was started more is said"
_UNREADABLE = "stored data cannot be read: run linkassay check, or make the runs again"


class Answer(NamedTuple):
    """`etag` is "" where the answer may be another the next time."""

    status: int
    body: bytes
    etag: str = ""


class Explorer:
    """Answers from one data home."""

    def __init__(self, home: Path, limits: Limits | None = None, views: Views | None = None) -> None:
        self._home = home.absolute()
        self.cache = ResultCache(self._home)
        self.jobs = Jobs(self._home, self.cache.folder / "work", limits)
        self.index = RunIndex(
            self._home,
            kept=lambda name: self.cache.find("figures", f"{name}.json", used=False),
            failed=lambda name: self.jobs.why_failed(f"default {name}"),
        )
        self.views = views or Views()
        self._software = software()
        self._chosen: bytes | None = None

    def answer(self, name: str, query: bytes, known: str = "") -> Answer:
        """The answer to a request; 304 if who asks has it, by the ETag that was `known`."""
        try:
            found = self._answer(name, query, known)
        except RefusedError as refused:
            return error_answer(refused.status, str(refused))
        except UsageError as error:
            return error_answer(400, str(error))
        except LinkassayError as error:
            return error_answer(500, str(error))
        except OSError as error:
            return error_answer(500, f"{_UNREADABLE} ({error.strerror or type(error).__name__})")
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            library = type(error).__module__.partition(".")[0].lstrip("_")
            return error_answer(500, _UNREADABLE if library in ("duckdb", "pyarrow") else _BROKEN)
        return found

    def job(self, identifier: str) -> Answer:
        """How far a job is."""
        return _encoded(self._found(identifier).as_dict())

    def cancel(self, identifier: str) -> Answer:
        """End a job."""
        job = self._found(identifier)
        if job.state not in ("waiting", "running"):
            raise RefusedError(409, f"it is over already: {job.state}")
        self.jobs.cancel(job)
        return _encoded(job.as_dict())

    def end(self) -> None:
        """End all that is under way, and what is temporary."""
        self.views.end()
        self.jobs.end()
        self.cache.end()

    def _found(self, identifier: str) -> Job:
        job = self.jobs.find(identifier)
        if job is None:
            raise not_found("there is no such job, or it was over long ago")
        return job

    def _answer(self, name: str, query: bytes, known: str) -> Answer:
        if name in QUESTIONS:
            return self._question(name, query, known)
        if name in ("about", "runs", "choices"):
            read_query(query, Form(runs=0))
            return getattr(self, f"_{name}")(known)  # type: ignore[no-any-return]
        if name in ("figures", "report"):
            return getattr(self, f"_{name}")(query, known)  # type: ignore[no-any-return]
        raise not_found(f"no request {name[:40]!r}; there are {', '.join(sorted([*QUICK, *QUESTIONS]))}")

    def _about(self, known: str) -> Answer:
        about = {"version": version("linkassay"), "feed": "server", "title": "linkassay", "can": {"compute": True},
                 "text": "full", "note": "", "words": page_words()}  # fmt: skip
        if self.cache.temporary is not None:
            about["note"] = "The data home cannot be written: what is computed is kept for as long as the server runs."
        return _unless_known(lambda: msgspec.json.encode(about), store.fingerprint([about, self._software]), known)

    def _runs(self, known: str) -> Answer:
        home = self.index.now()
        self._fill(home)
        return _unless_known(lambda: home.answer, home.etag, known)

    def _choices(self, known: str) -> Answer:
        if self._chosen is None:
            self._chosen = msgspec.json.encode(choices())
        chosen = self._chosen
        return _unless_known(lambda: chosen, store.fingerprint(["choices", self._software]), known)

    def _figures(self, query: bytes, known: str) -> Answer:
        asked, home = read_query(query, FIGURES_FORM), self.index.now()
        line = command_line(asked, home)
        key = figures_key(line, asked, home, self._software)
        target = self.cache.target("figures", f"{key}.json")

        def finish(folder: Path) -> None:
            keep_answer(line.command, folder / "out", target)
            self.cache.trim("figures")

        return self._kept(key, known, f"score {len(asked.runs)} runs", line.arguments, finish)

    def _report(self, query: bytes, known: str) -> Answer:
        asked, home = read_query(query, Form()), self.index.now()
        runs = sorted((home.run(name) for name in asked.runs), key=lambda run: run.name)
        key = store.fingerprint(["report", [run.digest for run in runs], self._software])
        target = self.cache.target("figures", f"{key}.json")
        arguments = _call("make_report", runs=[str(run.path) for run in runs], target=str(target))
        return self._kept(key, known, "the report", arguments, lambda _: self.cache.trim("figures"))

    def _kept(
        self, key: str, known: str, what: str, arguments: Sequence[str], finish: Callable[[Path], None]
    ) -> Answer:
        """An answer that is a file, or the job that makes it."""
        found = self.cache.find("figures", f"{key}.json")
        if found is not None:
            with suppress(FileNotFoundError):  # removed just now
                return _unless_known(found.read_bytes, key, known)
        return _waiting(self.jobs.ask(Job(f"answer {key}", what, arguments, finish)))

    def _question(self, name: str, query: bytes, known: str) -> Answer:
        asked, home = read_query(query, QUESTIONS[name]), self.index.now()
        runs = sorted((home.run(each) for each in asked.runs), key=lambda run: run.name)
        if len({(run.corpus, run.split, run.revisions[:1]) for run in runs}) > 1:
            raise bad_request("runs that are looked at together are of one corpus, in one revision and split")
        key = store.fingerprint([[(run.name, run.digest) for run in runs], self._software])
        view = self.views.find(key, [run.path for run in runs], self.cache.folders("views"))
        if view is None:
            return _waiting(self._view_job(key, runs))
        with suppress(OSError):
            os.utime(view.folder)
        etag = store.fingerprint([key, name, asked.texts, asked.numbers, sorted(asked.lists.items())])
        return _unless_known(lambda: msgspec.json.encode(self.views.ask(view, name, asked)), etag, known)

    def _view_job(self, key: str, runs: Sequence[KnownRun]) -> Job:
        folder = self.cache.folder / "views"
        arguments = _call("make_view", runs=[str(run.path) for run in runs], folder=str(folder))
        what = f"all mentions of {len(runs)} runs" if len(runs) > 1 else f"all mentions of {runs[0].name}"
        return self.jobs.ask(Job(f"view {key}", what, arguments, lambda _: self.cache.trim("views", self.views.forget)))

    def _fill(self, home: Home) -> None:
        """Have figures computed of the first runs that wait for them; each that is done calls for the next."""
        for run in home.waiting[:_AHEAD]:
            target = self.cache.target("figures", f"{run.figures_name}.json")
            arguments = _call("make_default_figures", run=str(run.path), target=str(target))

            def finish(_: Path) -> None:
                self.cache.trim("figures")
                self._fill(self.index.now())

            with suppress(RefusedError):  # the line is full: the next request comes back to it
                self.jobs.ask(Job(f"default {run.figures_name}", f"figures of {run.name}", arguments, finish, True))


def software() -> str:
    """What stands for this package as it is installed: what it computed before may be another now."""
    root = Path(__file__).parent.parent
    files = ((path.relative_to(root).as_posix(), path.stat()) for path in sorted(root.rglob("*.py")))
    return store.fingerprint([version("linkassay"), [(name, at.st_size, at.st_mtime_ns) for name, at in files]])


def error_answer(status: int, message: str) -> Answer:
    """One sentence."""
    return Answer(status, msgspec.json.encode({"error": message}))


def _call(function: str, **arguments: Any) -> list[str]:
    return [f"linkassay.serving.work:{function}", json.dumps(arguments)]


def _waiting(job: Job) -> Answer:
    return Answer(202, msgspec.json.encode(job.as_dict()))


def _encoded(value: Any) -> Answer:
    return Answer(200, msgspec.json.encode(value))


def _unless_known(body: Callable[[], bytes], etag: str, known: str) -> Answer:
    if known and f'"{etag}"' in known:
        return Answer(304, b"", etag)
    return Answer(200, body(), etag)
