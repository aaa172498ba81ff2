"""What a mention's text says about it: lower-cased, pronoun, nominal (ELEVANT-6, ELEVANT-7)."""

from __future__ import annotations

from functools import lru_cache

_PRONOUNS = frozenset({
    "i", "my", "me", "myself", "mine", "you", "your", "yourself", "yours", "yourselves", "he", "his", "him", "himself",
    "she", "her", "herself", "hers", "it", "its", "itself", "we", "us", "our", "ourselves", "ours", "they", "their",
    "them", "themselves", "theirs",
})  # fmt: skip
_DETERMINERS = (
    "the ", "that ", "this ", "these ", "those ", "my ", "your ", "his ", "her ", "its ", "our ", "their ",
)  # fmt: skip


def is_pronoun(text: str) -> bool:
    """A pronoun, but neither US nor IT.

    >>> [is_pronoun(text) for text in ("I", "It", "IT", "them", "He ")]
    [True, True, False, True, False]
    """
    return text.lower() in _PRONOUNS and (not text.isupper() or text.lower() == "i")


def is_nominal(text: str) -> bool:
    """A noun phrase that points back: a determiner and something that is not upper case.

    >>> [is_nominal(text) for text in ("the city", "The 2 cities", "The Hague", "the ", "their son")]
    [True, True, False, False, True]
    """
    lower = text.lower()
    return lower.startswith(_DETERMINERS) and any(
        lower.startswith(word) and len(text) > len(word) and not text[len(word)].isupper() for word in _DETERMINERS
    )


@lru_cache(maxsize=1 << 16)
def is_coreference(text: str) -> bool:
    """A pronoun or a nominal."""
    return is_pronoun(text) or is_nominal(text)


@lru_cache(maxsize=1 << 16)
def is_lower_cased(text: str) -> bool:
    """The first letter is not upper case, or there is none; `Unknown` is neither lower-cased nor not.

    >>> [is_lower_cased(text) for text in ("athlete", "Ada", "1996", "2nd Army", "'Allo", "Unknown")]
    [True, False, True, True, False, False]
    """
    return text != "Unknown" and not next((c for c in text if c.isalpha()), "a").isupper()
