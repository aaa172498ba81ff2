"""Small things that many tests use."""

from __future__ import annotations

from linkassay.files import RawFile, from_bytes
from linkassay.formats.base import Reading
from linkassay.ids import IdRule
from linkassay.problems import Problems


def raw(name: str, text: str | bytes) -> RawFile:
    """A raw file in memory."""
    return from_bytes(name, text.encode("utf-8") if isinstance(text, str) else text)


def reading(*, skip: bool = False, prefix: str = "", composite: str = "", **options: object) -> Reading:
    """A reading with one id rule for all types."""
    rule = IdRule(prefix=prefix, composite=composite)
    return Reading(rules={"": rule}, problems=Problems(skip=skip), **options)  # type: ignore[arg-type]
