"""What the short forms of a document stand for, and mentions with their short forms written out."""

from __future__ import annotations

import re
from collections.abc import Container

from linkassay.text import name_key
from linkassay.text.abbreviations import expansions

#: A first word cut to its letter, as in "E. coli".
_CUT = re.compile(r"([A-Z])(?:\. ?| )([a-z].+)")

#: A mention that may be a short form though the text does not define it, and what a compound is made of.
_CAPITALS = re.compile(r"[A-Z]{2,5}")
_PART = re.compile(r"[^/-]+")


def short_forms(context: str, mentions: list[str], names: Container[str]) -> dict[str, str]:
    """Short forms and what they stand for: those that the text defines, first words cut to a letter, capitals.

    Capitals that the text does not define may stand for a mention: by its initials, or, if they are no name, as if
    the mention stood before them in brackets.
    """
    pairs = expansions(context)
    for mention in mentions:
        initials = "".join(word[0] for word in name_key(mention).split()).upper()
        if len(initials) > 1:
            pairs.setdefault(initials, mention)
        if (cut := _CUT.fullmatch(mention)) and (
            full := re.search(rf"\b{cut[1]}[a-z]+ {re.escape(cut[2])}(?!\w)", context)
        ):
            pairs.setdefault(mention, full[0])
    texts = dict.fromkeys(mentions)
    for short in texts:
        if short not in pairs and _CAPITALS.fullmatch(short) and name_key(short) not in names:
            longs = (text for text in texts if len(text) > 2 * len(short) and text[0].upper() == short[0])
            long = next((text for text in longs if expansions(f"{text} ({short})").get(short) == text), None)
            if long:
                pairs[short] = long
    return pairs


def written_out(text: str, pairs: dict[str, str]) -> str:
    """The mention with abbreviations of its document expanded: as a whole, or word by word, or part of word by part."""
    if text in pairs:
        return pairs[text]
    if text.endswith("s") and text[:-1] in pairs:
        return pairs[text[:-1]]
    return " ".join(
        pairs.get(word) or _PART.sub(lambda part: pairs.get(part[0], part[0]), word) for word in text.split(" ")
    )
