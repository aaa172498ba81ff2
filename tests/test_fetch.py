"""Every way a server can behave ends in a whole, verified file or in one clear error (SAFE-5)."""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import json
import os
import random
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from endure.httpserver import (
    NO_BEGINNING,
    NO_END,
    Behaviour,
    Site,
    chunked,
    dripping,
    etag,
    ranged,
    running,
    status,
    turns,
    whole,
)

from linkassay import fetch
from linkassay.errors import FetchError
from linkassay.fetch import Downloaded, Patience, download, obtain, stored
from linkassay.files import expand_paths
from linkassay.sources import Source
from tests.helpers import delay

BODY = random.Random(7).randbytes(50_000)
SHA = hashlib.sha256(BODY).hexdigest()
OTHER = random.Random(8).randbytes(50_000)
PAGE = b"\n<!DOCTYPE HTML><html><body>Please log in</body></html>"
ADVICE = "; download it yourself as data.bin and pass its folder with --raw DIR"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setenv("no_proxy", "*")
    with running() as site:
        yield site


class Sleeper:
    """Sleeps never, remembers always."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.pauses.append(seconds)


@pytest.fixture
def sleeper() -> Sleeper:
    return Sleeper()


def get(url: str, target: Path, sleeper: Sleeper, **options: Any) -> Downloaded:
    patience = Patience(options.pop("timeout", 5), options.pop("min_rate", 0))
    return download(url, target, patience=patience, sleep=sleeper, **options)


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


GOOD: dict[str, tuple[Behaviour, dict[str, Any], list[str], bool]] = {
    # name: behaviour, options, ranges asked for, resumed
    "with ranges": (ranged(BODY), {}, [""], False),
    "without ranges": (whole(BODY), {}, [""], False),
    "all that is known": (ranged(BODY), {"sha256": SHA, "size": 50_000}, [""], False),
    "checksum in capitals": (ranged(BODY), {"sha256": SHA.upper()}, [""], False),
    "dropped three times": (
        ranged(BODY, cuts=(10_000, 5_000, 20_000)), {}, ["", "bytes=10000-", "bytes=15000-", "bytes=35000-"], True),
    "dropped, dated only": (ranged(BODY, cuts=(9,), validator="Last-Modified"), {}, ["", "bytes=9-"], True),
    "dropped, undated, checksum": (ranged(BODY, cuts=(9,), validator=""), {"sha256": SHA}, ["", "bytes=9-"], True),
    "dropped, undated": (ranged(BODY, cuts=(9,), validator=""), {"size": 50_000}, ["", ""], False),
    "dropped before the answer": (turns(lambda exchange: None, ranged(BODY)), {}, ["", ""], False),
    "dropped, weak ETag": (
        turns(whole(BODY[:9], Content_Length="50000", ETag='W/"a"'), whole(BODY)), {}, ["", ""], False),
    "dropped, then no ranges": (turns(ranged(BODY, cuts=(9_000,)), whole(BODY)), {}, ["", "bytes=9000-"], False),
    "stalled": (ranged(BODY, cuts=(10_000,), stalls=1), {"timeout": 0.2}, ["", "bytes=10000-"], True),
    "503 twice": (turns(status(503), status(503), ranged(BODY)), {}, ["", "", ""], False),
    "dropped, then 500": (
        turns(ranged(BODY, cuts=(9,)), status(500), ranged(BODY)), {}, ["", "bytes=9-", "bytes=9-"], True),
    "changed between tries": (
        turns(ranged(OTHER, cuts=(9_000,)), ranged(BODY)), {}, ["", "bytes=9000-"], False),
    "changed, If-Range not understood": (
        turns(ranged(OTHER, cuts=(9,)),
              lambda x: x.answer(206, BODY[9:], ETag=etag(BODY), Content_Range="bytes 9-49999/50000"),
              ranged(BODY)),
        {}, ["", "bytes=9-", ""], False),
    "became longer, no validator": (
        turns(ranged(OTHER[:40_000], cuts=(9,), validator=""),
              lambda x: x.answer(206, BODY[9:], Content_Range="bytes 9-49999/50000"), ranged(BODY)),
        {"sha256": SHA}, ["", "bytes=9-", ""], False),
    "became shorter": (
        turns(ranged(OTHER + OTHER, cuts=(60_000,)), status(416), ranged(BODY)), {}, ["", "bytes=60000-", ""], False),
    "mixed up, found by checksum": (
        turns(ranged(OTHER, cuts=(9,), validator=""), ranged(BODY)), {"sha256": SHA}, ["", "bytes=9-", ""], False),
    "another range than asked for": (
        turns(ranged(BODY, cuts=(9,)), lambda x: x.answer(206, BODY[5:], Content_Range="bytes 5-49999/50000"),
              ranged(BODY)), {}, ["", "bytes=9-", ""], False),
    "range of unknown total": (
        turns(ranged(BODY, cuts=(9,)), lambda x: x.answer(206, BODY[9:], Content_Range="bytes 9-49999/*")),
        {}, ["", "bytes=9-"], True),
    "in chunks": (chunked(BODY), {}, [""], False),
    "in chunks, broken once": (turns(chunked(BODY, broken=True), chunked(BODY)), {}, ["", ""], False),
    "no length, known size": (whole(BODY, Content_Length=""), {"size": 50_000}, [""], False),
    "no length, known checksum": (whole(BODY, Content_Length=""), {"sha256": SHA}, [""], False),
    "more than announced": (whole(BODY + b"more", Content_Length="50000"), {}, [""], False),
    "called a page, checksum known": (whole(BODY, Content_Type="text/html"), {"sha256": SHA}, [""], False),
    "redirected": (status(302, Location="/elsewhere"), {}, ["", ""], False),
}  # fmt: skip


@pytest.mark.parametrize("name", GOOD)
def test_ends_in_the_whole_file(name: str, site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    behaviour, options, ranges, resumed = GOOD[name]
    url = site.serve("/data", behaviour)
    site.serve("/elsewhere", ranged(BODY))
    target = tmp_path / "new" / "data.bin"
    got = get(url, target, sleeper, **options)
    assert got == Downloaded(target, SHA, 50_000, url, resumed)
    assert target.read_bytes() == BODY
    assert site.ranges() == ranges
    assert left(target.parent) == {"data.bin", ".data.bin.fetched.json"}
    asked = len(site.requests)
    assert get(url, target, sleeper, **options) == Downloaded(target, SHA, 50_000, url, reused=True)
    assert len(site.requests) == asked


BAD: dict[str, tuple[Behaviour, dict[str, Any], str, int]] = {
    # name: behaviour, options, what the error says, requests made
    "404": (status(404), {}, "the server answers 404 Not Found", 1),
    "401": (status(401), {}, "the server answers 401 Unauthorized", 1),
    "403": (status(403), {}, "the server answers 403 Forbidden", 1),
    "410": (status(410), {}, "the server answers 410 Gone", 1),
    "204": (status(204), {}, "the server answers 204 No Content", 1),
    "206 unasked": (status(206), {}, "the server answers 206 Partial Content", 1),
    "416 unasked": (status(416), {}, "the server answers 416 to a request for the whole file", 1),
    "503 for ever": (status(503), {}, "the server answers 503 Service Unavailable (tried 3 times)", 3),
    "no retries": (status(503), {"retries": 0}, "the server answers 503 Service Unavailable", 1),
    "truncated for ever": (
        whole(BODY, Content_Length="60000"), {},
        "the connection ended after 50,000 of 60,000 bytes (tried 3 times)", 3),
    "chunks without end": (
        chunked(BODY, broken=True), {}, "the connection ended before the file did (tried 3 times)", 3),
    "stalled for ever": (
        lambda exchange: time.sleep(0.5), {"timeout": 0.1}, "no answer within 0.1 s (--timeout) (tried 3 times)", 3),
    "not HTTP": (
        lambda exchange: exchange.wfile.write(b"SSH-2.0\r\n"), {},
        "the server's answer makes no sense (BadStatusLine('SSH-2.0\\r\\n')) (tried 3 times)", 3),
    "no length": (
        whole(BODY, Content_Length=""), {},
        "the server does not say how long the file is, so it cannot be told whole", 1),
    "no length, too short": (
        whole(BODY, Content_Length=""), {"size": 50_001},
        "the connection ended after 50,000 of 50,001 bytes (tried 3 times)", 3),
    "no length, too long": (
        whole(BODY, Content_Length=""), {"size": 49_999}, "the server sends more than the 49,999 bytes expected", 1),
    "another size": (whole(BODY), {"size": 50_001}, "the file has 50,000 bytes, expected 50,001", 1),
    "beyond all bounds": (
        whole(BODY, Content_Length="300000000000"), {},
        "the file has 300,000,000,000 bytes, more than the limit of 200,000,000,000", 1),
    "another checksum": (
        whole(BODY), {"sha256": "0" * 64}, f"the file has sha256 {SHA}, expected {'0' * 64}", 1),
    "another checksum, in pieces": (
        ranged(BODY, cuts=(9, 9)), {"sha256": "0" * 64}, f"the file has sha256 {SHA}, expected {'0' * 64}", 4),
    "empty": (whole(b""), {}, "the server sent an empty file", 1),
    "page by its type": (
        whole(BODY, Content_Type="text/html; charset=utf-8"), {},
        "the server sent a web page (text/html) instead of the file", 1),
    "page by its beginning": (whole(PAGE), {}, "the server sent a web page instead of the file", 1),
    "page, checksum known": (
        whole(PAGE, Content_Type="text/html"), {"sha256": SHA}, "the server sent a web page instead of the file", 1),
    "packed unasked": (
        whole(gzip.compress(BODY), Content_Encoding="gzip"), {},
        "the server sent the file in the unwanted encoding 'gzip'", 1),
    "to another scheme": (
        status(302, Location="ftp://127.0.0.1/x"), {},
        "the server redirects from http to ftp://127.0.0.1/x, which is not followed", 1),
    "to the disk": (
        status(302, Location="file:///etc/hostname"), {},
        "the server answers 302 Found - Redirection to url 'file:///etc/hostname' is not allowed", 1),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_ends_in_a_clear_error(name: str, site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    behaviour, options, what, requests = BAD[name]
    url = site.serve("/data", behaviour)
    target = tmp_path / "data.bin"
    target.write_bytes(b"older")
    with pytest.raises(FetchError) as caught:
        get(url, target, sleeper, **{"retries": 2 if "pieces" not in name else 3, **options})
    assert str(caught.value) == f"{url}: {what}{ADVICE}"
    assert len(site.requests) == requests
    assert target.read_bytes() == b"older"
    assert left(tmp_path) <= {"data.bin", ".data.bin.part", ".data.bin.part.json"}


@pytest.mark.parametrize("name", [*NO_BEGINNING, *NO_END])
def test_no_server_holds_a_download_up(name: str, site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    url = site.serve("/data", (NO_BEGINNING | NO_END)[name])
    begin = time.monotonic()
    with pytest.raises(FetchError) as caught:
        get(url, tmp_path / "data.bin", sleeper, timeout=0.4, min_rate=1_000, retries=0)
    assert time.monotonic() - begin < 2 * delay()
    late = "no answer within 0.4 s (--timeout)" if name in NO_BEGINNING else "no data for 0.4 s (--timeout)"
    assert any(what in str(caught.value) for what in (late, "a second are too slow (--min-rate 1000)"))


def test_a_slow_download_goes_on_where_it_was(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    """4 KiB each 0.2 s, then at full speed."""
    url = site.serve("/data", turns(ranged(BODY, pace=0.2), ranged(BODY)))
    got = get(url, tmp_path / "data.bin", sleeper, timeout=0.5, min_rate=30_000)
    assert (got.sha256, got.resumed) == (SHA, True)
    assert len(site.ranges()) == 2
    slow = site.serve("/slow", ranged(BODY, pace=0.1))
    assert get(slow, tmp_path / "slow.bin", sleeper, timeout=0.5, min_rate=10_000).sha256 == SHA  # slow enough for none


def test_what_comes_with_a_redirection_is_not_read(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    endless = dripping(b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\n\r\n", b"x" * 4096, pause=0, seconds=2)
    url = site.serve("/data", endless)
    site.serve("/elsewhere", ranged(BODY))
    assert get(url, tmp_path / "data.bin", sleeper, timeout=0.5).sha256 == SHA


def test_endless_redirects(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    url = site.serve("/data", status(302, Location="/data"))
    with pytest.raises(FetchError, match="302 The HTTP server returned a redirect error"):
        get(url, tmp_path / "data.bin", sleeper)
    assert len(site.requests) < 12


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("ftp://127.0.0.1/x", "ftp is not supported, only http, https and file"),
        ("data.txt", "a URL without scheme is not supported, only http, https and file"),
        ("http://", "not a valid URL (no host given)"),
        ("http://[::1/x", "not a valid URL (Invalid IPv6 URL)"),
        ("http://127.0.0.1:x/", "not a valid URL (nonnumeric port: 'x')"),
        ("http://127.0.0.1/a b", "not a valid URL (URL can't contain control characters. '/a b' (found at least ' '))"),
        ("file:///no/such/thing", "no such file"),
        ("file://elsewhere/thing", "no such file"),
    ],
)
def test_bad_urls(url: str, what: str, tmp_path: Path, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with pytest.raises(FetchError) as caught:
        get(url, tmp_path / "data.bin", sleeper)
    assert str(caught.value) == f"{url}: {what}{ADVICE}"
    assert sleeper.pauses == []
    assert left(tmp_path) == set()


def test_nobody_listens(tmp_path: Path, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/x"
        with pytest.raises(FetchError) as caught:
            get(url, tmp_path / "data.bin", sleeper, retries=1)
    assert str(caught.value) == f"{url}: the connection failed (Connection refused) (tried 2 times){ADVICE}"


def test_a_certificate_that_is_not_valid(tmp_path: Path, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        error = ssl.SSLCertVerificationError()
        error.verify_message = "self-signed certificate"
        raise urllib.error.URLError(error)

    monkeypatch.setattr("urllib.request.OpenerDirector.open", refuse)
    with pytest.raises(FetchError) as caught:
        get("https://127.0.0.1/x", tmp_path / "data.bin", sleeper)
    what = "the server's certificate is not valid (self-signed certificate)"
    assert (str(caught.value), sleeper.pauses) == (f"https://127.0.0.1/x: {what}{ADVICE}", [])


def test_https_is_left_only_under_a_checksum() -> None:
    for downgrade in (True, False):
        handler = fetch._Redirects(downgrade)
        request = fetch.urllib.request.Request("https://127.0.0.1/a")
        arguments = (request, io.BytesIO(), 302, "Found", {}, "http://127.0.0.1/b")
        if downgrade:
            assert handler.redirect_request(*arguments).full_url == "http://127.0.0.1/b"
        else:
            with pytest.raises(fetch._FinalError, match=r"from https to http://127\.0\.0\.1/b, which is not followed"):
                handler.redirect_request(*arguments)


def test_local_file(tmp_path: Path, sleeper: Sleeper) -> None:
    source = tmp_path / "with space.bin"
    source.write_bytes(BODY)
    target = tmp_path / "out" / "data.bin"
    got = get(source.as_uri(), target, sleeper, size=50_000)
    assert (got.sha256, target.read_bytes()) == (SHA, BODY)


def test_page_where_a_page_is_wanted(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    get(site.serve("/a", whole(PAGE, Content_Type="text/html")), tmp_path / "a.html", sleeper)
    assert (tmp_path / "a.html").read_bytes() == PAGE


def test_packed_files_stay_packed(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    packed = gzip.compress(BODY)
    url = site.serve("/a.gz", whole(packed, Content_Type="text/plain", Content_Encoding="x-gzip"))
    get(url, tmp_path / "a.gz", sleeper)
    assert (tmp_path / "a.gz").read_bytes() == packed


def test_waits_grow_and_heed_the_server(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    later = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 60))
    url = site.serve("/data", turns(
        status(503), status(503), status(429, Retry_After="17"), status(503, Retry_After=later),
        status(503, Retry_After="86400"), status(503, Retry_After="soon"), whole(BODY),
    ))  # fmt: skip
    get(url, tmp_path / "data.bin", sleeper, retries=6)
    expected = [(0.75, 1.25), (1.5, 2.5), (17, 17), (55, 60), (120, 120), (24, 40)]
    assert len(sleeper.pauses) == len(expected)
    for pause, (low, high) in zip(sleeper.pauses, expected, strict=True):
        assert low <= pause <= high


def test_progress_made_is_no_failure(
    site: Site, tmp_path: Path, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "_ENOUGH", 5_000)
    url = site.serve("/data", ranged(BODY, cuts=(5_000,) * 9))
    assert get(url, tmp_path / "data.bin", sleeper, retries=1).resumed
    assert len(site.requests) == 10
    # Without ranges nothing is gained by the next try, so that it must end.
    url = site.serve("/whole", whole(BODY, Content_Length="60000"))
    with pytest.raises(FetchError, match=r"after 50,000 of 60,000 bytes \(tried 2 times\)"):
        get(url, tmp_path / "whole.bin", sleeper, retries=1)


def test_progress_is_told(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    told: list[tuple[str, int, int]] = []
    get(site.serve("/data", ranged(BODY)), tmp_path / "data.bin", sleeper, progress=lambda *step: told.append(step))
    assert told[0] == ("data.bin", 0, 50_000)
    assert told[-2:] == [("data.bin", 50_000, 50_000), ("checking data.bin", 50_000, 50_000)]


def test_a_failed_download_goes_on_in_the_next_run(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    url = site.serve("/data", turns(ranged(BODY, cuts=(30_000,)), status(404), ranged(BODY)))
    target = tmp_path / "data.bin"
    with pytest.raises(FetchError, match="404"):
        get(url, target, sleeper)
    assert left(tmp_path) == {".data.bin.part", ".data.bin.part.json"}
    assert get(url, target, sleeper).resumed
    assert (target.read_bytes(), site.ranges()[-1]) == (BODY, "bytes=30000-")


@pytest.mark.parametrize("notes", [None, b"", b"{", b"[]", b"[" * 100_000, b'{"url": "http://127.0.0.1/other"}'])
def test_a_part_of_unknown_origin_is_not_used(
    notes: bytes | None, site: Site, tmp_path: Path, sleeper: Sleeper
) -> None:
    (tmp_path / ".data.bin.part").write_bytes(OTHER[:100])
    if notes is not None:
        (tmp_path / ".data.bin.part.json").write_bytes(notes)
    got = get(site.serve("/data", ranged(BODY)), tmp_path / "data.bin", sleeper, sha256=SHA)
    assert (got.resumed, site.ranges()) == (False, [""])


def test_a_complete_part_needs_no_network(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    url = site.url + "/data"
    (tmp_path / ".data.bin.part").write_bytes(BODY)
    (tmp_path / ".data.bin.part.json").write_text(json.dumps({"url": url, "validator": "", "total": 50_000}))
    assert get(url, tmp_path / "data.bin", sleeper).resumed
    assert (site.requests, (tmp_path / "data.bin").read_bytes()) == ([], BODY)


def test_a_complete_part_of_another_size(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    url = site.serve("/data", ranged(BODY))
    (tmp_path / ".data.bin.part").write_bytes(OTHER[:100])
    (tmp_path / ".data.bin.part.json").write_text(json.dumps({"url": url, "validator": "", "total": 100}))
    assert not get(url, tmp_path / "data.bin", sleeper, size=50_000).resumed
    assert (tmp_path / "data.bin").read_bytes() == BODY


def test_what_is_stored_is_checked(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    url = site.serve("/data", ranged(BODY))
    target = tmp_path / "data.bin"
    assert stored(target) is None
    get(url, target, sleeper)
    whole_file = Downloaded(target, SHA, 50_000, url, reused=True)
    assert stored(target) == stored(target, url=url) == stored(target, sha256=SHA, size=50_000) == whole_file
    assert stored(target, url=url + "2") is None
    assert stored(target, sha256="0" * 64) is None
    assert stored(target, sha256=SHA, size=1) is None
    damaged = bytearray(BODY)
    damaged[100] ^= 1
    target.write_bytes(damaged)
    assert stored(target) is None
    get(url, target, sleeper)
    assert target.read_bytes() == BODY
    (tmp_path / ".data.bin.fetched.json").unlink()
    assert stored(target) is None
    assert stored(target, sha256=SHA) == Downloaded(target, SHA, 50_000, "", reused=True)


def test_readers_see_the_file_alone(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    get(site.serve("/data", ranged(BODY)), tmp_path / "data.bin", sleeper)
    with pytest.raises(FetchError):
        get(site.serve("/part", turns(ranged(BODY, cuts=(9,)), status(404))), tmp_path / "part.bin", sleeper)
    assert len(left(tmp_path)) == 4
    assert [Path(file.name).name for file in expand_paths([tmp_path])] == ["data.bin"]


def test_refresh(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    url = site.serve("/data", turns(ranged(BODY), ranged(OTHER), status(404)))
    target = tmp_path / "data.bin"
    get(url, target, sleeper)
    assert not get(url, target, sleeper, refresh=True).reused
    assert target.read_bytes() == OTHER
    with pytest.raises(FetchError):
        get(url, target, sleeper, refresh=True)
    assert stored(target, url=url) is not None


def test_obtain(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    sources = (
        Source(site.serve("/a", ranged(BODY)), "a.bin", SHA, 50_000),
        Source(site.serve("/b", turns(ranged(OTHER))), "folder/b.bin"),
    )
    first = obtain(sources, tmp_path, sleep=sleeper)
    assert [(d.path, d.reused) for d in first] == [
        (tmp_path / "a.bin", False),
        (tmp_path / "folder" / "b.bin", False),
    ]
    assert [d.reused for d in obtain(sources, tmp_path, sleep=sleeper)] == [True, True]
    assert len(site.requests) == 2


@pytest.mark.parametrize("file", ["", "/a", "../a", "a/../../b", "..\\a", "."])
def test_obtain_stays_in_its_folder(file: str, site: Site, tmp_path: Path) -> None:
    with pytest.raises(FetchError) as caught:
        obtain([Source(site.url, file)], tmp_path)
    assert str(caught.value) == f"{site.url}: {file!r} is no file name inside a folder"
    assert site.requests == []


def test_a_folder_in_the_way(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    with pytest.raises(FetchError) as caught:
        get(site.url, tmp_path, sleeper)
    assert str(caught.value) == f"{site.url}: cannot be stored as {tmp_path}, which is a folder"


def test_a_file_in_place_of_the_folder(site: Site, tmp_path: Path, sleeper: Sleeper) -> None:
    (tmp_path / "file").write_bytes(b"")
    target = tmp_path / "file" / "data.bin"
    with pytest.raises(FetchError) as caught:
        get(site.url, target, sleeper)
    assert str(caught.value) == (
        f"{site.url}: cannot store {target} (File exists); "
        "make room or choose another folder, then run it again to go on"
    )


def test_a_full_disk_keeps_what_was_received(
    site: Site, tmp_path: Path, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = site.serve("/data", ranged(BODY))
    target = tmp_path / "data.bin"
    write = fetch._Part.write

    def full(part: fetch._Part, chunk: bytes) -> None:
        write(part, chunk[:100])
        raise OSError(28, os.strerror(28))

    with monkeypatch.context() as patch:
        patch.setattr(fetch._Part, "write", full)
        with pytest.raises(FetchError) as caught:
            get(url, target, sleeper)
    assert str(caught.value) == (
        f"{url}: cannot store {target} (No space left on device); "
        "make room or choose another folder, then run it again to go on"
    )
    assert get(url, target, sleeper).resumed
    assert (target.read_bytes(), site.ranges()) == (BODY, ["", "bytes=100-"])


def no_locks(*arguments: object) -> None:
    raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))


@pytest.mark.parametrize("locks", ["", "none on this system", "none on this file system"])
def test_several_at_once(
    locks: str, site: Site, tmp_path: Path, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    if locks == "none on this system":
        monkeypatch.setattr(fetch, "fcntl", None)
    elif locks:
        monkeypatch.setattr("fcntl.flock", no_locks)
    url = site.serve("/data", ranged(BODY, pace=0.01, cuts=(20_000,)))
    target = tmp_path / "data.bin"
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: get(url, target, sleeper), range(6)))
    assert {r.sha256 for r in results} == {SHA}
    assert sum(not r.reused for r in results) == 1 or locks
    assert target.read_bytes() == BODY
    assert left(tmp_path) == {"data.bin", ".data.bin.fetched.json"}


def test_a_private_part_is_not_left_behind(
    site: Site, tmp_path: Path, sleeper: Sleeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetch, "fcntl", None)
    url = site.serve("/data", turns(ranged(BODY, cuts=(9,)), status(404)))
    with pytest.raises(FetchError, match="404"):
        get(url, tmp_path / "data.bin", sleeper)
    assert left(tmp_path) == set()


CHILD = """
import sys
from pathlib import Path
from linkassay.fetch import download
got = download(sys.argv[1], Path(sys.argv[2]))
print(got.sha256, got.resumed, got.reused)
"""


def child(url: str, target: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, url, str(target)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "no_proxy": "*"})


def test_killed_and_run_again(site: Site, tmp_path: Path) -> None:
    url = site.serve("/data", ranged(BODY, pace=0.05))
    target, part = tmp_path / "data.bin", tmp_path / ".data.bin.part"
    sizes = []
    for enough in (5_000, 20_000):
        process = child(url, target)
        deadline = time.monotonic() + 60
        while not part.exists() or part.stat().st_size < enough:
            assert time.monotonic() < deadline
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        sizes.append(part.stat().st_size)
        assert not target.exists()
    output, _ = child(url, target).communicate(timeout=60)
    assert output.split() == [SHA, "True", "False"]
    assert target.read_bytes() == BODY
    assert site.ranges() == ["", *(f"bytes={size}-" for size in sizes)]
    assert left(tmp_path) == {"data.bin", ".data.bin.fetched.json"}


def test_two_processes_one_file(site: Site, tmp_path: Path) -> None:
    url = site.serve("/data", ranged(BODY, pace=0.03))
    target = tmp_path / "data.bin"
    outputs = [p.communicate(timeout=60)[0].split() for p in [child(url, target), child(url, target)]]
    assert sorted(outputs) == [[SHA, "False", "False"], [SHA, "False", "True"]]
    assert len(site.requests) == 1
