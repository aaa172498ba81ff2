"""Mentions as the house linker looks at them: in the forms that are looked up, those of a document together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from linkassay.linkers.house.name_forms import compact, loose
from linkassay.text import name_key


class Variant(NamedTuple):
    """A mention's text in the forms that are looked up."""

    text: str
    key: str
    compact: str
    loose: str


def variant(text: str) -> Variant:
    """A text in its forms."""
    key = name_key(text)
    return Variant(text, key, compact(key), loose(key))


@dataclass
class AskedMention:
    """A mention with what is known of it before ranking."""

    text: str
    type: str
    start: int
    end: int
    plain: Variant  # as it is written
    long: Variant  # with short forms written out
    marks: list[int]  # the foreign ids that a letter of the text itself speaks of
    gold: frozenset[int] = frozenset()

    @property
    def key(self) -> str:
        """Mentions of one document that share it are held to be the same."""
        return self.long.key


class AskedDocument(NamedTuple):
    """A document with its mentions."""

    id: str
    text: str
    mentions: list[AskedMention]
