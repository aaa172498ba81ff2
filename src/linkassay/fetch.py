"""Downloads that end in a whole, verified file or in a clear error; never in half a file (SAFE-5).

What was received is kept in hidden files beside the target, so that a broken or killed download
goes on where it stopped. What is downloaded, and what the bytes mean, is decided elsewhere.
"""

from __future__ import annotations

import email.utils
import errno
import hashlib
import http.client
import json
import os
import random
import re
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Protocol

from linkassay.defaults import DOWNLOAD_MIN_RATE, DOWNLOAD_TIMEOUT
from linkassay.errors import FetchError
from linkassay.network import Deadline, opener

if TYPE_CHECKING:
    from linkassay.sources import Source

try:
    import fcntl
except ImportError:  # no such locks on this system: each process then uses a part file of its own
    fcntl = None  # type: ignore[assignment]

__all__ = [
    "MAX_SIZE", "PATIENCE", "Downloaded", "Patience", "Progress", "download", "no_progress", "obtain", "retry_after",
    "stored",
]  # fmt: skip

#: No download is larger than this many bytes.
MAX_SIZE = 200 * 10**9

_CHUNK = 1 << 18
_ENOUGH = 1 << 20  # a try that brought this much more than any before does not count as failed
_LONGEST_WAIT = 120.0  # seconds, whatever Retry-After says
_PAGES = (".html", ".htm", ".xhtml")


class Progress(Protocol):
    """Told of every step; `total` is 0 while it is not known."""

    def __call__(self, description: str, done: int, total: int) -> None:
        """`done` of `total` bytes."""
        ...


def no_progress(description: str, done: int, total: int) -> None:
    """Progress for nobody."""


class Patience(NamedTuple):
    """How long a server is waited for: `timeout` seconds for its answer to begin, and then for each piece of it.

    One that sends fewer than `min_rate` bytes a second, over as many seconds, is given up; 0: however slow it is.
    """

    timeout: float = DOWNLOAD_TIMEOUT
    min_rate: float = DOWNLOAD_MIN_RATE


PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A whole file. `resumed`: in several parts. `reused`: it was there already."""

    path: Path
    sha256: str
    size: int
    url: str
    resumed: bool = False
    reused: bool = False


def obtain(
    sources: Iterable[Source],
    folder: Path,
    *,
    progress: Progress = no_progress,
    retries: int = 4,
    patience: Patience = PATIENCE,
    refresh: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Downloaded]:
    """All `sources` in `folder`, those that are there and whole left as they are."""
    sources = list(sources)
    for source in sources:
        name = PurePosixPath(source.file)
        if not name.name or name.is_absolute() or ".." in name.parts or "\\" in source.file:
            raise FetchError(f"{source.url}: {source.file!r} is no file name inside a folder")
    return [
        download(s.url, folder / s.file, sha256=s.sha256, size=s.size, progress=progress, retries=retries,
                 patience=patience, refresh=refresh, sleep=sleep)
        for s in sources
    ]  # fmt: skip


def download(
    url: str,
    target: Path,
    *,
    sha256: str = "",
    size: int = 0,
    progress: Progress | None = None,
    retries: int = 4,
    patience: Patience = PATIENCE,
    refresh: bool = False,
    sleep: Callable[[float], None] = time.sleep,
) -> Downloaded:
    """Get `url` (http, https or file) as `target`, unless it is there and whole already.

    `sha256` and `size` are checked where they are known; otherwise what was received is recorded
    beside the file, so that `stored` can tell later whether it is whole. With `refresh` the file is
    downloaded even if it is there; an existing file is replaced only by a whole new one.
    """
    if target.is_dir():
        raise FetchError(f"{url}: cannot be stored as {target}, which is a folder")
    job = _Job(url, target, sha256.lower(), size, patience, progress or no_progress)
    try:
        if not refresh and (found := job.found()):
            return found
        with _claim(target, job.progress) as part:
            if not refresh and (found := job.found()):  # another process was faster
                part.clear()
                return found
            digest, resumed = _persist(job, part, retries, sleep)
            return Downloaded(target, digest, part.finish(target, url, digest), url, resumed)
    except _FinalError as failure:
        advice = f"download it yourself as {target.name} and pass its folder with --raw DIR"
        raise FetchError(f"{url}: {failure.what}; {advice}") from failure.__cause__
    except OSError as error:  # of the disk; those of the network are dealt with below
        raise FetchError(f"{url}: cannot store {target} ({error.strerror or error}); "
                         "make room or choose another folder, then run it again to go on") from error  # fmt: skip


def stored(
    target: Path, *, url: str = "", sha256: str = "", size: int = 0, progress: Progress = no_progress
) -> Downloaded | None:
    """`target` if it is there and whole, by its `sha256` or else by what its download recorded.

    A record of another `url` does not count; `size` only saves reading a file that cannot be it.
    """
    if not target.is_file():
        return None
    length = target.stat().st_size
    record = _read_json(_beside(target, "fetched.json"))
    if not sha256:
        if record.get("size") != length or (url and record.get("url") != url):
            return None
        sha256 = str(record.get("sha256", ""))
    if size and length != size:
        return None
    with target.open("rb") as stream:
        digest = _digest(stream, length, f"checking {target.name}", progress)
    if digest != sha256.lower():
        return None
    return Downloaded(target, digest, length, url or str(record.get("url", "")), reused=True)


class _FinalError(Exception):
    """A try that did not end in a whole file; trying again is of no use."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(what)


class _RangeError(Exception):
    """The server cannot go on at the place asked for."""


class _PassingError(_FinalError):
    """A failure that may pass; `after` is how many seconds the server wants us to wait."""

    def __init__(self, what: str, after: float = 0) -> None:
        self.after = after
        super().__init__(what)


@dataclass(frozen=True)
class _Job:
    url: str
    target: Path
    sha256: str
    size: int
    patience: Patience
    progress: Progress

    def found(self) -> Downloaded | None:
        return stored(self.target, url=self.url, sha256=self.sha256, size=self.size, progress=self.progress)


@dataclass
class _Answer:
    """What a server sends: bytes from `start` on, of `total` in all (None: it does not say)."""

    stream: Any
    start: int
    total: int | None
    validator: str = ""
    content_type: str = ""
    encoding: str = ""
    framed: bool = True  # its end can be told from a broken connection
    deadline: Deadline = field(default_factory=lambda: Deadline(None))


def _persist(job: _Job, part: _Part, retries: int, sleep: Callable[[float], None]) -> tuple[str, bool]:
    """Try until `part` is whole; its checksum, and whether it came in several pieces."""
    failures, best = 0, part.size
    while True:
        try:
            resumed = _transfer(job, part)
            return _verified(job, part, resumed), resumed
        except _PassingError as failure:
            if part.size >= best + _ENOUGH:
                failures, best = 0, part.size
            failures += 1
            if failures > retries:
                times = f" (tried {failures} times)" if failures > 1 else ""
                raise _FinalError(failure.what + times) from failure.__cause__
            pause = min(2.0 ** (failures - 1), 60) * random.uniform(0.75, 1.25)  # noqa: S311
            sleep(min(max(pause, failure.after), _LONGEST_WAIT))


def _transfer(job: _Job, part: _Part) -> bool:
    """Bring `part` to its full size; whether some of it was there before."""
    state = part.state if part.state.get("url") == job.url else {}
    have, validator = part.size, str(state.get("validator", ""))
    if have and have == state.get("total"):
        return True  # killed between the last byte and the renaming
    # Without a validator only the checksum can tell that both pieces belong to the same file.
    answer = _request(job, have if state and (validator or job.sha256) else 0, validator)
    with closing(answer.stream):
        if answer.start and (
            (validator and answer.validator and answer.validator != validator)
            or answer.total != (state.get("total") or answer.total)
        ):
            part.clear()
            raise _PassingError("the file changed on the server during the download")
        total = _acceptable(job, answer)
        if not answer.start:
            part.clear()
            part.note({"url": job.url, "validator": answer.validator, "total": answer.total})
        _receive(job, part, answer, total)
    return answer.start > 0


def _acceptable(job: _Job, answer: _Answer) -> int:
    """How many bytes the whole file has (0: unknown); an answer that cannot be it is refused."""
    if not job.sha256:
        if answer.content_type == "text/html" and job.target.suffix.lower() not in _PAGES:
            raise _FinalError("the server sent a web page (text/html) instead of the file")
        packed = job.target.suffix.lower() in (".gz", ".tgz")
        if answer.encoding not in ("", "identity") and not packed:
            raise _FinalError(f"the server sent the file in the unwanted encoding {answer.encoding!r}")
        if answer.total is None and not answer.framed and not job.size:
            raise _FinalError("the server does not say how long the file is, so it cannot be told whole")
    if job.size and answer.total is not None and answer.total != job.size:
        raise _FinalError(f"the file has {answer.total:,} bytes, expected {job.size:,}")
    total = job.size or answer.total or 0
    if total > MAX_SIZE:
        raise _FinalError(f"the file has {total:,} bytes, more than the limit of {MAX_SIZE:,}")
    return total


def _receive(job: _Job, part: _Part, answer: _Answer, total: int) -> None:
    """Append what `answer` brings to `part`, never more than `total` or the limit."""
    limit = total or MAX_SIZE
    timeout, min_rate = job.patience
    begin, received = time.monotonic(), 0
    job.progress(job.target.name, part.size, total)
    while True:
        # At the announced length the answer is over. Where nothing was announced, one byte more
        # than expected is asked for, which must not come.
        want = min(_CHUNK, limit - part.size + (answer.total is None))
        answer.deadline.renew(timeout)
        with _network(f"no data for {timeout:g} s (--timeout)"):
            chunk = answer.stream.read1(want) if want else b""
        if not chunk:
            break
        if part.size + len(chunk) > limit:
            part.clear()
            raise _FinalError(f"the server sends more than the {limit:,} bytes expected")
        part.write(chunk)
        job.progress(job.target.name, part.size, total)
        received += len(chunk)
        if (seconds := time.monotonic() - begin) > timeout > 0:
            if received < min_rate * seconds:
                raise _PassingError(f"{received / seconds:,.0f} bytes a second are too slow (--min-rate {min_rate:g})")
            begin, received = time.monotonic(), 0
    if part.size < total:
        raise _PassingError(f"the connection ended after {part.size:,} of {total:,} bytes")


def _verified(job: _Job, part: _Part, resumed: bool) -> str:
    """The checksum of `part`, if it is the right one."""
    size = part.size
    if job.size and size != job.size:  # a complete part of an earlier try, before `size` was known
        part.clear()
        raise _PassingError(f"the file has {size:,} bytes, expected {job.size:,}")
    part.stream.seek(0)
    head = part.stream.read(1024)
    part.stream.seek(0)
    digest = _digest(part.stream, size, f"checking {job.target.name}", job.progress)
    page = _is_page(head) and job.target.suffix.lower() not in _PAGES
    if digest == job.sha256 if job.sha256 else size and not page:
        return digest
    part.clear()
    if page:
        raise _FinalError("the server sent a web page instead of the file")
    if not job.sha256:
        raise _FinalError("the server sent an empty file")
    what = f"the file has sha256 {digest}, expected {job.sha256}"
    # Pieces may be of different files: once more, from the start.
    raise _PassingError(what) if resumed else _FinalError(what)


@contextmanager
def _network(late: str) -> Iterator[None]:
    """Failures of the network become ours; `late` says that time was up."""
    try:
        yield
    except urllib.error.HTTPError as error:
        error.close()
        if error.code == 416:
            raise _RangeError from error
        what = f"the server answers {error.code} {error.reason}".rstrip()
        if error.code in (408, 425, 429) or error.code >= 500:
            raise _PassingError(what, retry_after(error.headers.get("Retry-After", ""))) from error
        raise _FinalError(what) from error
    except http.client.InvalidURL:
        raise
    except http.client.IncompleteRead as error:
        raise _PassingError("the connection ended before the file did") from error
    except http.client.HTTPException as error:
        raise _PassingError(f"the server's answer makes no sense ({error!r})") from error
    except OSError as error:
        cause = getattr(error, "reason", error)
        if isinstance(cause, ssl.SSLCertVerificationError):
            raise _FinalError(f"the server's certificate is not valid ({cause.verify_message})") from error
        if isinstance(cause, TimeoutError):
            raise _PassingError(late) from error
        raise _PassingError(f"the connection failed ({getattr(cause, 'strerror', None) or cause})") from error


def _request(job: _Job, resume: int, validator: str) -> _Answer:
    """The answer for the bytes from `resume` on; the server may send all of them instead."""
    try:
        parts = urllib.parse.urlsplit(job.url)
        scheme = parts.scheme.lower()
        if scheme == "file":
            return _local(job.url)
        if scheme not in ("http", "https"):
            raise _FinalError(f"{scheme or 'a URL without scheme'} is not supported, only http, https and file")
        if not parts.hostname:
            raise _FinalError("not a valid URL (no host given)")
        headers = {"User-Agent": "linkassay", "Accept": "*/*", "Accept-Encoding": "identity"}
        if resume:
            headers["Range"] = f"bytes={resume}-"
            if validator:
                headers["If-Range"] = validator
        timeout = job.patience.timeout
        deadline = Deadline(timeout)
        request = urllib.request.Request(job.url, headers=headers)  # noqa: S310 - the scheme was checked
        with _network(f"no answer within {timeout:g} s (--timeout)"):
            opened = opener(deadline, _Redirects(downgrade=bool(job.sha256))).open(request)
            answer = replace(_answer(opened, resume), deadline=deadline)
    except _RangeError as error:
        if not resume:
            raise _FinalError("the server answers 416 to a request for the whole file") from error
        return _request(job, 0, "")
    except (http.client.InvalidURL, ValueError) as error:
        raise _FinalError(f"not a valid URL ({error})") from error
    return answer


def _answer(response: Any, resume: int) -> _Answer:
    headers = response.headers
    length = headers.get("Content-Length", "")
    total = int(length) if re.fullmatch(r"[0-9]{1,18}", length) else None
    etag = headers.get("ETag", "")
    answer = _Answer(
        response, 0, total,
        # A weak ETag does not promise the same bytes.
        etag if etag.startswith('"') else headers.get("Last-Modified", ""),
        headers.get_content_type() if "Content-Type" in headers else "",
        headers.get("Content-Encoding", "").strip().lower(),
        total is not None or "chunked" in headers.get("Transfer-Encoding", "").lower(),
    )  # fmt: skip
    if response.status == 200:
        return answer
    if response.status != 206 or not resume:
        response.close()
        raise _FinalError(f"the server answers {response.status} {response.reason}".rstrip())
    sent = re.fullmatch(r"bytes ([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)", headers.get("Content-Range", ""))
    if sent is None or int(sent[1]) != resume:
        response.close()
        raise _RangeError
    # "*" does not say how long the file is, but the range goes to its end, as was asked for.
    return replace(answer, start=resume, total=int(sent[2]) + 1 if sent[3] == "*" else int(sent[3]))


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to http and https only, and leaves https only where a checksum guards the bytes."""

    def __init__(self, downgrade: bool) -> None:
        self.downgrade = downgrade

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        fp.close()  # else all of it would be read, however long
        before, after = (urllib.parse.urlsplit(u).scheme.lower() for u in (req.full_url, newurl))
        if after not in ("http", "https") or (before == "https" and after == "http" and not self.downgrade):
            raise _FinalError(f"the server redirects from {before} to {newurl}, which is not followed")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _local(url: str) -> _Answer:
    parts = urllib.parse.urlsplit(url)
    path = Path(urllib.request.url2pathname(parts.path))
    if parts.netloc not in ("", "localhost") or not path.is_file():
        raise _FinalError("no such file")
    try:
        stream = path.open("rb")
    except OSError as error:
        raise _FinalError(f"cannot be read ({error.strerror or error})") from error
    return _Answer(stream, 0, os.fstat(stream.fileno()).st_size)


def retry_after(value: str) -> float:
    """Seconds, given as such or as a date; 0 where it says nothing."""
    if re.fullmatch(r"[0-9]{1,9}", value.strip()):
        return float(value)
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    return 0.0


def _is_page(head: bytes) -> bool:
    start = head[:1024].removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html"))


class _Part:
    """The bytes received so far, in an open file, and a note of where they come from."""

    def __init__(self, path: Path, stream: IO[bytes], private: bool) -> None:
        self.path, self.stream, self.private = path, stream, private
        self.notes = path.with_name(path.name + ".json")
        self.size = stream.seek(0, os.SEEK_END)
        self.state: dict[str, Any] = _read_json(self.notes)

    def note(self, state: dict[str, Any]) -> None:
        self.state = state
        _write_json(self.notes, state)

    def write(self, chunk: bytes) -> None:
        self.stream.seek(self.size)
        self.stream.write(chunk)
        self.stream.flush()  # what was received outlives a kill
        self.size += len(chunk)

    def clear(self) -> None:
        self.stream.truncate(0)
        self.notes.unlink(missing_ok=True)
        self.size, self.state = 0, {}

    def finish(self, target: Path, url: str, digest: str) -> int:
        """Give the file its name. The record comes first: at no moment is a file without one."""
        os.fsync(self.stream.fileno())
        _write_json(_beside(target, "fetched.json"), {"url": url, "sha256": digest, "size": self.size})
        if self.private:
            self.stream.close()  # systems without locks do not rename an open file
        os.replace(self.path, target)
        self.notes.unlink(missing_ok=True)
        if os.name == "posix":
            folder = os.open(target.parent, os.O_RDONLY)
            try:
                os.fsync(folder)
            finally:
                os.close(folder)
        return self.size


@contextmanager
def _claim(target: Path, progress: Progress) -> Iterator[_Part]:
    """The part file of `target`, for this process alone; waits while another one has it.

    The lock is on the part file itself and ends with the process, however it ends.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    path = _beside(target, "part")
    stream = _locked(path, lambda: progress(f"waiting for another download of {target.name}", 0, 0))
    private = stream is None
    if stream is None:
        path = _beside(target, f"{uuid.uuid4().hex}.part")
        stream = path.open("x+b")
    try:
        part = _Part(path, stream, private)
        try:
            yield part
        finally:
            # An empty or private part is of no use to a later run. After `finish` the name is gone,
            # or belongs already to another process, and must be left alone.
            if not stream.closed and (private or not part.size) and _same(stream, path):
                part.clear()
                path.unlink(missing_ok=True)
    finally:
        stream.close()


def _locked(path: Path, waiting: Callable[[], None]) -> IO[bytes] | None:
    """`path`, opened and locked; None where the system or file system has no locks."""
    while fcntl is not None:
        # Neither truncates nor fails if it exists: another process may be writing to it.
        stream = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            waiting()
            fcntl.flock(stream, fcntl.LOCK_EX)
        except OSError as error:
            empty = not os.fstat(stream.fileno()).st_size
            stream.close()
            if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EINVAL):
                raise
            if empty:
                path.unlink(missing_ok=True)
            return None
        if _same(stream, path):
            return stream
        stream.close()  # while we waited it was finished and renamed, or removed
    return None


def _same(stream: IO[bytes], path: Path) -> bool:
    """Whether `path` still names the open file."""
    try:
        return os.path.samestat(os.fstat(stream.fileno()), os.stat(path))
    except FileNotFoundError:
        return False


def _beside(target: Path, suffix: str) -> Path:
    """A hidden file, so that readers of a folder of raw files do not take it for one."""
    return target.with_name(f".{target.name}.{suffix}")


def _digest(stream: IO[bytes], size: int, description: str, progress: Progress) -> str:
    digest, done = hashlib.sha256(), 0
    while chunk := stream.read(1 << 20):
        digest.update(chunk)
        done += len(chunk)
        progress(description, done, size)
    return digest.hexdigest()


def _read_json(path: Path) -> dict[str, Any]:
    """What a note says; nothing where it is absent or damaged."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _write_json(path: Path, value: dict[str, Any]) -> None:
    new = path.with_name(f"{path.name}.{uuid.uuid4().hex}")  # without locks others may write it too
    try:
        new.write_text(json.dumps(value), encoding="utf-8")
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)
