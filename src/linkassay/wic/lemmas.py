"""Lemmas by a few rules: forms of one English word get one key, which need not be a word.

For telling whether two terms are the same but for inflection (WIC-5); no dictionary, no part of speech.
"""

from __future__ import annotations

import re
from functools import lru_cache

#: Forms that no rule leads to their word.
_IRREGULAR = {
    "mice": "mouse", "men": "man", "women": "woman", "children": "child", "feet": "foot", "teeth": "tooth",
    "media": "medium", "data": "datum", "bacteria": "bacterium", "criteria": "criterion", "phenomena": "phenomenon",
    "indices": "index", "vertices": "vertex", "matrices": "matrix", "leaves": "leave", "left": "leave",
    "aging": "age", "ageing": "age", "aged": "age", "used": "use", "using": "use",
    "found": "find", "sat": "sit", "died": "die", "dying": "die", "lay": "lie", "lying": "lie", "ate": "eat",
    "fed": "feed", "bled": "bleed", "bore": "bear", "born": "bear", "gave": "give", "given": "give",
    "grew": "grow", "grown": "grow", "fell": "fall", "fallen": "fall", "felt": "feel", "kept": "keep", "led": "lead",
    "lost": "lose", "made": "make", "meant": "mean", "met": "meet", "ran": "run", "seen": "see", "saw": "see",
    "sought": "seek", "shown": "show", "slept": "sleep", "thought": "think", "took": "take", "taken": "take",
    "taught": "teach", "understood": "understand", "wrote": "write", "written": "write",
}  # fmt: skip
#: Short words whose last letter is no ending.
_WHOLE = frozenset({"bus", "gas", "has", "his", "its", "pus", "this", "was", "yes"})
_VOWEL = re.compile(r"[aeiouy]")
_SIS = re.compile(r"(?<=....)sis\Z")
_DOUBLED = re.compile(r"([bdfgmnprt])\1\Z")


def lemma(term: str) -> str:
    """The term lower-cased, each word between white space without its ending.

    >>> lemma("Mice models") == lemma("mouse model"), lemma("imaging") == lemma("Images")
    (True, True)
    >>> lemma("metastases") == lemma("metastasis"), lemma("virus") == lemma("viruses"), lemma("studied"), lemma("ACS")
    (True, True, 'study', 'ac')
    """
    return " ".join(map(_word, term.lower().split()))


@lru_cache(1 << 16)
def _word(word: str) -> str:
    return _without_e(_without_ending(_IRREGULAR.get(word, word)))


def _without_ending(word: str) -> str:
    if word in _WHOLE:
        return word
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    if _SIS.search(word):
        return word[:-2]  # "metastasis", whose plural loses "es"
    if word.endswith("s") and not word.endswith("ss") and (len(word) == 3 or not word.endswith(("us", "is"))):
        return word[:-1]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 1 and _VOWEL.search(stem) and not word.endswith("eed"):
            return _DOUBLED.sub(r"\1", stem)  # "sitting"
    return word


def _without_e(word: str) -> str:
    """Without a last "e", which endings swallow: "image", "imag-ing"; short words keep it."""
    return word[:-1] if word.endswith("e") and len(word) > 3 and _VOWEL.search(word[:-1]) else word
