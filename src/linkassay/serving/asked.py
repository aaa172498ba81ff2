"""What a request says behind its address: only what that request knows, of a bounded size, each of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from linkassay.serving.refusals import bad_request

#: Characters of one value, runs of one request, values in all.
LONGEST, MOST_RUNS, MOST_VALUES = 2_000, 60, 200
#: Numbers, and the most that each may be.
_NUMBERS = {"offset": 1_000_000_000, "limit": 1_000, "failures": 1_000}


@dataclass(frozen=True)
class Form:
    """What a request knows: values that are given once, and those that may come again."""

    once: Sequence[str] = ()
    repeated: Sequence[str] = ()
    needed: Sequence[str] = ()
    runs: int = MOST_RUNS  # how many at most; 0: none is named


@dataclass(frozen=True)
class Asked:
    """What one request says; a value that is empty was not said."""

    runs: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, int] = field(default_factory=dict)
    lists: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_query(query: bytes, form: Form) -> Asked:
    """What is said, or an error that says what is wrong with it."""
    try:
        pairs = parse_qsl(query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_VALUES)
    except ValueError:
        raise bad_request(f"the address is no list of at most {MOST_VALUES} names and values") from None
    texts: dict[str, str] = {}
    lists: dict[str, list[str]] = {name: [] for name in (*form.repeated, *(("run",) if form.runs else ()))}
    for name, value in pairs:
        if len(value) > LONGEST:
            raise bad_request(f"{name[:40]!r} is longer than {LONGEST} characters")
        if "\0" in value:
            raise bad_request(f"{name[:40]!r} has a character that no text has")
        if name in lists:
            lists[name] += [value] if value and value not in lists[name] else []
        elif name not in form.once:
            raise bad_request(f"{name[:40]!r} is not known here; there are {', '.join(sorted([*form.once, *lists]))}")
        elif name in texts:
            raise bad_request(f"{name!r} is given twice")
        else:
            texts[name] = value
    texts = {name: value for name, value in texts.items() if value}
    for name in form.needed:
        if name not in texts:
            raise bad_request(f"{name!r} is missing")
    runs = tuple(lists.pop("run", ()))
    if form.runs and not runs:
        raise bad_request("no run is named: run=CORPUS/KEY")
    if len(runs) > form.runs:
        raise bad_request(f"at most {form.runs} runs can be looked at together")
    numbers = {name: _number(name, texts.pop(name)) for name in list(texts) if name in _NUMBERS}
    return Asked(runs, texts, numbers, {name: tuple(values) for name, values in lists.items()})


def _number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 12 or int(text) > _NUMBERS[name]:
        raise bad_request(f"{name!r} is a number from 0 to {_NUMBERS[name]}")
    return int(text)
