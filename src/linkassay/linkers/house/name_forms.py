"""Forms under which two names may be the same although their normalised keys differ. For linkers; never for scoring."""

from __future__ import annotations

import re
from functools import lru_cache

_GREEK = dict(zip(
    map(ord, "αβγδεζηθικλμνξπρστυφχψως"),
    ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
     "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "sigma"],
    strict=True,
))  # fmt: skip
_WORDS = re.compile(r"[^\W\d_]+|\d+")
_OTHER = re.compile(r"[\W_]+")
_STOP = frozenset("a an and as at by due for from in of on or the to with".split())  # noqa: SIM905
_ROMAN = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8", "ix": "9"}
_SPELLED = (("aemi", "emi"), ("haem", "hem"), ("oedem", "edem"), ("oes", "es"), ("paed", "ped"), ("tumour", "tumor"),
            ("leuk", "leuc"), ("ph", "f"), ("isation", "ization"))  # fmt: skip


def compact(key: str) -> str:
    """Letters and digits of a key, Greek letters by name.

    >>> compact("tnf α"), compact("hela s3"), compact("il 2")
    ('tnfalpha', 'helas3', 'il2')
    """
    return _OTHER.sub("", key if key.isascii() else key.translate(_GREEK)) or key


def loose(key: str) -> str:
    """The words of a key without order, number and spelling variants.

    >>> loose("tumours of the breast"), loose("breast tumor")
    ('breast tumor', 'breast tumor')
    >>> loose("glycogen storage disease type ii") == loose("type 2 glycogen storage diseases")
    True
    """
    return " ".join(sorted(plain_words(key))) or key


def initial(key: str) -> str:
    """A key with its first word cut to a letter, as in "E. coli" or "J. Smith"; empty if it has one word only.

    >>> initial("escherichia coli"), initial("e coli"), initial("mouse")
    ('e coli', 'e coli', '')
    """
    first, space, rest = key.partition(" ")
    return f"{first[:1]} {rest}" if space else ""


@lru_cache(maxsize=1 << 18)
def plain_word(word: str) -> str:
    """One word in one spelling, of one number, Greek letters by name; Roman numbers stay.

    >>> plain_word("Tumours"), plain_word("β"), plain_word("II")
    ('tumor', 'beta', 'ii')
    """
    lower = word.casefold()
    return lower if lower in _ROMAN else _stem(lower if lower.isascii() else lower.translate(_GREEK))


def plain_words(key: str) -> frozenset[str]:
    """The words and numbers of a key, each in one spelling, without those that carry no meaning."""
    text = key if key.isascii() else key.translate(_GREEK)
    found = frozenset(map(_stem, _WORDS.findall(text.replace("'s", "").replace("'", ""))))
    return found - _STOP or found


def loose_words(form: str) -> frozenset[str]:
    """The `plain_words` of the keys with this loose form.

    >>> loose_words(loose("tumours of the breast")) == plain_words("tumours of the breast")
    True
    """
    return frozenset(form.split(" ")) if _WORDS.search(form) else frozenset()


@lru_cache(maxsize=1 << 18)
def _stem(word: str) -> str:
    if word in _ROMAN:
        return _ROMAN[word]
    for old, new in _SPELLED:
        word = word.replace(old, new)
    if len(word) > 4:
        if word.endswith("ies"):
            return word[:-3] + "y"
        if word.endswith(("sses", "xes", "ches", "shes")):
            return word[:-2]
        if word.endswith("s") and not word.endswith(("ss", "us", "is")):
            return word[:-1]
    elif len(word) == 4 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word
