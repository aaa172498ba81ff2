"""Small damage to bytes, drawn from a source of randomness; what formats are made of is put in most often."""

from __future__ import annotations

from random import Random

#: What formats are made of, so that mutations often stay close to sense.
PIECES = [
    b"\t", b"\n", b"\r\n", b"\r", b" ", b"|", b";", b",", b".", b":", b'"', b"'", b"<", b">", b"&", b"&#0;", b"/>",
    b"]]>", b"[", b"]", b"{", b"}", b"(", b"\\", b"\\ud800", b"\\u0000", b"\x00", b"\xff", b"\xef\xbb\xbf",
    b"0", b"-1", b"99999999999999999999", b"999999999999999", b"1e999", b"NaN", b"null", b"true", b"T1", b"#",
    b"@prefix ", b"B-", b"I-", "🙂".encode(), "\u2028".encode(), "e\u0301".encode(), b"[" * 3000, b"<a>" * 3000,
    b"<!DOCTYPE a [<!ENTITY b 'c'>]>", b"\x1c", b"\x1f", b"\x85", "\u3000".encode(), "\u0663".encode(), "²".encode(),
    b"9" * 5000, b"-0", b"0x1f", b"1_0", b"\xed\xa0\x80", b"\x1b[2J", b"x" * 140_000,
]  # fmt: skip
_KINDS = ("delete", "insert", "replace", "truncate", "repeat lines", "swap", "noise")


def mutate(data: bytes, random: Random) -> bytes:
    """One to four changes, each of a few bytes or lines."""
    for _ in range(random.randint(1, 4)):
        at = random.randint(0, len(data))
        to = min(len(data), at + random.randint(0, 12))
        kind = random.choice(_KINDS)
        if kind == "delete":
            data = data[:at] + data[to:]
        elif kind == "insert":
            data = data[:at] + random.choice(PIECES) + data[at:]
        elif kind == "replace":
            data = data[:at] + _noise(random, 12) + data[to:]
        elif kind == "truncate":
            data = data[:at]
        elif kind == "repeat lines":
            lines = data.splitlines(keepends=True)
            first = random.randint(0, len(lines))
            data = b"".join(lines[:first] + lines[max(0, first - 3) :])
        elif kind == "swap":
            data = data[at:to] + data[:at] + data[to:]
        else:
            data = _noise(random, 60)
    return data


def _noise(random: Random, most: int) -> bytes:
    return bytes(random.randint(0, 255) for _ in range(random.randint(0, most)))
