"""Raw files: compressed, archived, damaged, hostile (SAFE-6)."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import subprocess
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from linkassay import files
from linkassay.errors import DataError, UsageError
from linkassay.files import RawFile, expand_paths, find, from_bytes, one_file, size_in_bytes, text_encoding
from tests.helpers import raw

TEXT = "one\ntwo β\n".encode()


Members = dict[str, bytes] | list[tuple[str, bytes]]


def zipped(members: Members, kind: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", kind) as archive:
        for name, data in members.items() if isinstance(members, dict) else members:
            archive.writestr(zipfile.ZipInfo(name), data, kind)
    return out.getvalue()


def tarred(members: Members, mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in members.items() if isinstance(members, dict) else members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def put(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.txt", TEXT), ("a.txt.gz", gzip.compress(TEXT, mtime=0)), ("a.txt.bz2", bz2.compress(TEXT)),
     ("a.txt.xz", lzma.compress(TEXT)), ("A.TXT.GZ", gzip.compress(TEXT, mtime=0))],
)  # fmt: skip
def test_one_file_however_compressed(tmp_path: Path, name: str, data: bytes) -> None:
    (file,) = expand_paths([put(tmp_path, name, data)])
    assert (file.name.lower(), file.stem.lower(), file.suffix) == ("a.txt", "a", ".txt")
    assert file.bytes() == TEXT
    assert list(file.lines()) == [(1, "one"), (2, "two β")]


MEMBERS = {
    "x/b.txt.gz": gzip.compress(TEXT, mtime=0),
    "x/a.txt": b"a",
    "__MACOSX/c.txt": b"",
    "x/.hidden": b"",
    "./d.txt": b"d",
}


@pytest.mark.parametrize(
    ("name", "data"),
    [("x.zip", zipped(MEMBERS)), ("x.zip", zipped(MEMBERS, zipfile.ZIP_STORED)), ("x.tar", tarred(MEMBERS)),
     ("x.tar.gz", tarred(MEMBERS, "w:gz")), ("x.tgz", tarred(MEMBERS, "w:gz")),
     ("x.tar.bz2", tarred(MEMBERS, "w:bz2")), ("x.tar.xz", tarred(MEMBERS, "w:xz"))],
)  # fmt: skip
def test_archives_are_looked_into(tmp_path: Path, name: str, data: bytes) -> None:
    found = expand_paths([put(tmp_path, name, data)])
    assert sorted(f.name.removeprefix("./") for f in found) == ["d.txt", "x/a.txt", "x/b.txt"]
    assert {f.stem: f.bytes() for f in found} == {"a": b"a", "b": TEXT, "d": b"d"}
    assert [p.name for p in tmp_path.iterdir()] == [name]


def test_folders_are_searched_through_in_a_stable_order(tmp_path: Path) -> None:
    for name in ("d/z.txt", "d/e/a.txt", "d/.git", "d/b.txt", "c.txt"):
        put(tmp_path, name, name.encode())
    put(tmp_path, "d/in.zip", zipped({"k.txt": b"k"}))
    assert [f.name for f in expand_paths([tmp_path / "d", tmp_path / "c.txt"])] == [
        "d/b.txt", "d/e/a.txt", "k.txt", "d/z.txt", "c.txt"
    ]  # fmt: skip


def test_hidden_folders_are_passed_over_but_not_the_one_that_was_given(tmp_path: Path) -> None:
    for name in (".raw/a.txt", ".raw/.ipynb_checkpoints/a.txt", ".raw/b/.git/c/a.txt", ".raw/__MACOSX/a.txt"):
        put(tmp_path, name, b"")
    assert [f.name for f in expand_paths([tmp_path / ".raw"])] == [".raw/a.txt"]


def test_missing_path() -> None:
    with pytest.raises(UsageError, match=r"^no such file or folder: nowhere/at\.all$"):
        expand_paths(["nowhere/at.all"])


@pytest.mark.parametrize("make", [zipped, tarred])
def test_members_never_leave_their_folder(tmp_path: Path, make: object) -> None:
    names = ["../up.txt", "/etc/abs.txt", "a/../../b.txt", "ok.txt"]
    data = make(dict.fromkeys(names, b"x"))  # type: ignore[operator]
    path = put(tmp_path, "in/x.zip" if make is zipped else "in/x.tar", data)
    for file in expand_paths([path]):
        assert file.bytes() == b"x"
    assert [p.relative_to(tmp_path).as_posix() for p in tmp_path.rglob("*") if p.is_file()] == [f"in/{path.name}"]


def test_links_in_archives_are_not_followed(tmp_path: Path) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        link = tarfile.TarInfo("link.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    assert expand_paths([put(tmp_path, "x.tar", out.getvalue())]) == []


def whole(path: Path) -> list[bytes]:
    return [f.bytes() for f in expand_paths([path])]


LONG = bytes(range(256)) * 40


@pytest.mark.parametrize(
    ("name", "data"),
    [("a.gz", gzip.compress(LONG, mtime=0)), ("a.bz2", bz2.compress(LONG)), ("a.xz", lzma.compress(LONG)),
     ("a.zip", zipped({"a": LONG, "b": LONG})), ("a.tar", tarred({"a": LONG, "b": LONG})),
     ("a.tar.gz", tarred({"a": LONG, "b": LONG}, "w:gz")), ("a.tar.xz", tarred({"a": LONG}, "w:xz"))],
)  # fmt: skip
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_truncated_files(tmp_path: Path, name: str, data: bytes, share: float) -> None:
    cut = int(len(data.rstrip(b"\0")) * share)
    with pytest.raises(DataError, match=r"^a(\.zip|\.tar(\.gz|\.xz)?)?: truncated or damaged file \(.+\)$"):
        whole(put(tmp_path, name, data[:cut]))


def test_tar_cut_between_its_members(tmp_path: Path) -> None:
    data = tarred({"a": b"a" * 512, "b": b"b" * 512})
    with pytest.raises(DataError, match=r"^a\.tar: truncated or damaged file \(it ends without its end mark\)$"):
        whole(put(tmp_path, "a.tar", data[:1024]))


@pytest.mark.parametrize("name", ["a.gz", "a.bz2", "a.xz", "a.zip", "a.tar", "a.tar.gz"])
def test_what_only_has_the_name_of_a_packed_file(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=r"^a(\.zip|\.tar(\.gz)?)?: "):
        whole(put(tmp_path, name, b"<html>Not found</html>" * 100))


def test_encrypted_member(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": b"secret"}, zipfile.ZIP_STORED))
    data[6] |= 1  # local header
    data[data.index(b"PK\x01\x02") + 8] |= 1  # central directory
    with pytest.raises(DataError, match=r"^a\.txt: truncated or damaged file \(File 'a\.txt' is encrypted"):
        whole(put(tmp_path, "a.zip", bytes(data)))


def test_unreadable_file(tmp_path: Path) -> None:
    path = put(tmp_path, "a.txt", b"")
    (file,) = expand_paths([path])
    path.unlink()
    with pytest.raises(DataError, match=r"^a\.txt: cannot be read \(No such file or directory\)$"):
        file.bytes()


PACKED = {
    "a.zip": zipped({"a": LONG[:300], "b/c": b"x"}), "a.tar": tarred({"a": b"x", "b/c": b"y"}),
    "a.tar.gz": tarred({"a": LONG[:300]}, "w:gz"), "a.gz": gzip.compress(LONG[:300], mtime=0),
    "a.bz2": bz2.compress(LONG[:300]), "a.xz": lzma.compress(LONG[:300]),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(PACKED))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damage_is_a_data_error(tmp_path: Path, name: str, data: st.DataObject) -> None:
    good = PACKED[name]
    at = data.draw(st.integers(0, len(good)))
    bad = good[:at] + data.draw(st.binary(max_size=6)) + good[at + data.draw(st.integers(0, 6)) :]
    with contextlib.suppress(DataError):
        whole(put(tmp_path, name, bad))


@pytest.mark.parametrize(
    ("data", "encoding", "message"),
    [
        (b"a\nb\nc\xff\n", "utf-8", "x.txt:3: not utf-8 text (byte 0xff); re-encode it, or try --encoding latin-1"),
        (b"caf\xe9\n", "utf-8", "x.txt:1: not utf-8 text (byte 0xe9); re-encode it, or try --encoding latin-1"),
        (b"a\r\n\x80", "ascii", "x.txt:2: not ascii text (byte 0x80); re-encode it, or try --encoding cp1252"),
        ("a\ncafé".encode(), "ascii", "x.txt:2: not ascii text (byte 0xc3); re-encode it, or try --encoding utf-8"),
    ],
)
def test_wrong_encoding(data: bytes, encoding: str, message: str) -> None:
    for act in (lambda f: f.text(encoding), lambda f: list(f.lines(encoding))):
        with pytest.raises(DataError) as error:
            act(raw("x.txt", data))
        assert str(error.value) == message


def test_declared_encoding() -> None:
    assert raw("x", b"caf\xe9").text("latin-1") == "café"
    assert list(raw("x", b"caf\xe9").lines("latin-1")) == [(1, "café")]


def test_line_ends_and_byte_order_mark() -> None:
    file = raw("x", b"\xef\xbb\xbfa\r\nb\n\r\nc\rd\xe2\x80\xa8e")
    assert list(file.lines()) == [(1, "a"), (2, "b"), (3, ""), (4, "c\rd\u2028e")]
    assert file.text() == "a\r\nb\n\r\nc\rd\u2028e"
    assert list(raw("x", b"").lines()) == []


def test_long_lines_and_large_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 10)
    assert list(raw("x", b"123456789\n").lines()) == [(1, "123456789")]
    with pytest.raises(DataError, match=r"^x:2: line longer than 10 bytes$"):
        list(raw("x", b"1\n1234567890\n").lines())
    assert raw("x", b"12345").bytes(5) == b"12345"
    with pytest.raises(DataError, match=r"^x: larger than 5 bytes$"):
        raw("x", b"123456").bytes(5)


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path: Path) -> None:
    (file,) = expand_paths([put(tmp_path, "a.gz", gzip.compress(bytes(10_000_000), mtime=0))])
    with pytest.raises(DataError, match=r"^a: larger than 1,000 bytes$"):
        file.bytes(1000)


@pytest.mark.parametrize("mode", ["w", "w:gz"])
def test_large_tars_are_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    path = put(tmp_path, "a.tar.gz" if mode == "w:gz" else "a.tar", tarred([("b", LONG), ("a", TEXT)], mode))
    monkeypatch.setattr(files, "MAX_WHOLE", 10)
    monkeypatch.setattr(files, "_tar_contents", None)
    for file, data in zip(expand_paths([path]), [TEXT, LONG], strict=True):
        with file.open() as stream:
            assert stream.read() == data


@pytest.mark.parametrize("limit", [files.MAX_WHOLE, 0])
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_of_members_with_the_same_name_the_last_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    monkeypatch.setattr(files, "MAX_WHOLE", limit)
    members = [("a", b"1"), ("b", b"2"), ("a", b"3"), ("c", b"4")]
    for name, make in (("x.zip", zipped), ("x.tar", tarred)):
        found = expand_paths([put(tmp_path, name, make(members))])
        assert [(f.name, f.bytes(9)) for f in found] == [("a", b"3"), ("b", b"2"), ("c", b"4")]


def test_zip_of_many_members_is_read_in_linear_time(tmp_path: Path) -> None:
    found = expand_paths(
        [put(tmp_path, "x.zip", zipped([(f"{n}.txt", b"x") for n in range(4000)], zipfile.ZIP_STORED))]
    )
    began = time.process_time()
    assert all(f.bytes() == b"x" for f in found)
    assert time.process_time() - began < 5  # with the directory read for each member it is 70 s


def test_few_of_many_zips_stay_open(tmp_path: Path) -> None:
    for n in range(40):
        put(tmp_path, f"{n}.zip", zipped({f"{n}.txt": b"x"}))
    assert [f.bytes() for f in expand_paths([tmp_path])] == [b"x"] * 40
    assert files._opened.cache_info().currsize <= 8


def test_a_zip_that_was_replaced_is_read_anew(tmp_path: Path) -> None:
    for data in (b"1", b"2"):
        assert whole(put(tmp_path, "x.zip", zipped({"a": data}))) == [data]


def test_members_of_a_zip_can_be_read_side_by_side(tmp_path: Path) -> None:
    first, second = expand_paths([put(tmp_path, "x.zip", zipped({"a": TEXT, "b": TEXT}))])
    pairs = list(zip(first.lines(), second.lines(), strict=True))
    assert pairs == [((1, "one"), (1, "one")), ((2, "two β"), (2, "two β"))]


def test_find_by_pattern() -> None:
    have: list[RawFile] = [from_bytes(name, b"") for name in ("a/Test.TXT", "test.txt", "a/b/train.txt")]
    assert [f.name for f in find(have, "test.txt")] == ["a/Test.TXT", "test.txt"]
    assert [f.name for f in find(have, "B/*.txt")] == ["a/b/train.txt"]
    assert find(have, "est.txt") == []


@pytest.mark.parametrize(
    "name",
    ["punycode", "idna", "unicode_escape", "raw_unicode_escape", "base64", "hex", "zlib", "bz2", "rot13", "uu",
     "quopri", "undefined", "utf-7", "hz", "cp037", "charmap", "none", "", "a\0b", "\udcff", "x" * 5000, "../utf-8"],
)  # fmt: skip
def test_what_is_no_encoding_of_texts_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="no encoding of texts is called"):
        text_encoding(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [("utf8", "é"), ("UTF-16", "é"), ("u16", "é"), ("utf-32-be", "é"), ("latin1", "é"), ("ascii", "e"), ("cp1252", "€"),
     ("mac-roman", "é"), ("koi8_r", "ж"), ("shift_jis", "語"), ("gb18030", "語"), ("euc_kr", "한"),
     ("iso2022_jp", "語")],
)  # fmt: skip
def test_lines_of_every_encoding(name: str, text: str) -> None:
    file = from_bytes("x", f"{text}1\n{text}2\n".encode(name))
    assert list(file.lines(name)) == [(1, f"{text}1"), (2, f"{text}2")]


@pytest.mark.parametrize("open_", [lambda path: expand_paths([path]), lambda path: one_file(path, "it")])
def test_a_name_that_no_file_can_have(open_: Callable[[str], object]) -> None:
    with pytest.raises(UsageError, match="no file can be called"):
        open_("a\0b")


# ---- how much may be unpacked (SAFE-6)


def _bomb(kind: str, size: int) -> bytes:
    zeros, out = bytes(size), io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.txt", zeros)
    elif kind == "zip of gz":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.txt.gz", gzip.compress(zeros))
    elif kind.startswith("tar"):
        with tarfile.open(fileobj=out, mode=f"w:{kind[4:]}") as archive:
            about = tarfile.TarInfo("a.txt")
            about.size = size
            archive.addfile(about, io.BytesIO(zeros))
    else:
        return {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[kind](zeros)
    return out.getvalue()


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Little is free, and nothing was unpacked before."""
    monkeypatch.setattr(files, "FREE", 1 << 20)
    monkeypatch.setattr(files, "_unpacked", files._Unpacked())
    monkeypatch.delenv(files.LIMIT_NAME, raising=False)


@pytest.mark.usefixtures("little")
@pytest.mark.parametrize("kind", ["gz", "bz2", "xz", "zip", "zip of gz", "tar.gz", "tar.bz2", "tar.xz"])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    path = tmp_path / f"a.{'zip' if kind.startswith('zip') else kind}"
    path.write_bytes(_bomb(kind, 64 << 20))
    begun = time.process_time()
    with pytest.raises(DataError, match=r"unpack to more than [0-9,]+ bytes, 250 times their size.*--max-unpacked"):
        [file.bytes() for file in expand_paths([path])]
    assert time.process_time() - begun < 2
    monkeypatch.setattr(files, "_unpacked", files._Unpacked())
    monkeypatch.setenv(files.LIMIT_NAME, "200MB")
    assert [len(file.bytes()) for file in expand_paths([path])] == [64 << 20]


@pytest.mark.usefixtures("little")
def test_what_is_unpacked_is_summed_up_over_files(tmp_path: Path) -> None:
    """Each is small enough by itself; reading one again is no more."""
    for n in range(20):
        (tmp_path / f"{n:02d}.gz").write_bytes(_bomb("gz", 200_000))
    found = expand_paths([tmp_path])
    for _ in range(100):
        assert len(found[0].bytes()) == 200_000
    with pytest.raises(DataError, match="with it the files unpack to more than"):
        [file.bytes() for file in found]


@pytest.mark.usefixtures("little")
def test_members_that_share_their_bytes_are_counted_each(tmp_path: Path) -> None:
    """As in archives whose directory names one place many times."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("0.txt", bytes(500_000))
        [first] = archive.infolist()
        for n in range(1, 60):
            member = zipfile.ZipInfo(f"{n}.txt")
            for name in ("header_offset", "CRC", "compress_size", "file_size", "compress_type", "flag_bits"):
                setattr(member, name, getattr(first, name))
            archive.filelist.append(member)
            archive.NameToInfo[member.filename] = member
    refused = 0
    for file in expand_paths([tmp_path / "a.zip"]):
        try:
            file.bytes()
        except DataError:
            refused += 1
    assert refused > 50


@pytest.mark.usefixtures("little")
def test_usual_files_are_not_refused(tmp_path: Path) -> None:
    text = "".join(f"{n}\tname {n}\n" for n in range(300_000)).encode()
    for suffix, pack in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        (tmp_path / f"a.{suffix}").write_bytes(pack(text))
    assert [file.bytes() == text for file in expand_paths([tmp_path])] == [True] * 3
    assert [sum(1 for _ in file.lines()) for file in expand_paths([tmp_path])] == [300_000] * 3


@pytest.mark.parametrize("text", ["", "much", "-1", "1XB", "9" * 5000, "1e3", "٣GB"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="is no size"):
        size_in_bytes(text)


ALL_OF_IT = """
import resource, sys
from linkassay.files import expand_paths
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (200 << 20), resource.RLIM_INFINITY))
[file] = expand_paths([sys.argv[1]])
print(len(file.bytes()))
"""


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz"])
def test_a_small_file_takes_little_memory(suffix: str, tmp_path: Path) -> None:
    """Room is made for what a file holds, not for what it might."""
    pack = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}[suffix]
    path = tmp_path / f"a.txt{suffix}"
    path.write_bytes(pack(b"abc\n" * 1000))
    command = [sys.executable, "-c", ALL_OF_IT, str(path)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.stdout, done.stderr) == ("4000\n", "")
