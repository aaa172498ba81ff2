"""One key for the spellings of a name that differ in nothing but typography.

For exact look-up of names. It is no stemmer and knows no synonyms: words, their order, accents,
Greek letters, digits and signs stay, since two names that differ in these may well differ in meaning.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Letters and digits are `[^\W_]`: `\w` would take in the underscore, which separates words.
_SEPARATORS = re.compile(
    r"""[_,;:/\\\[\]{}!?"]
    | (?<![0-9])\. | \.(?![0-9])            # but "2.5"
    | (?<![^\W_])(?<!')'+                   # a quotation begins; but "5'", "crohn's"
    | \((?!-\)) | (?<!\(-)\)                # but "(-)"
    | -(?=[\w-]) | (?<![^\W_])(?<!\()- | (?<=\()-(?!\))  # a hyphen; but the signs of "cl-" and "(-)"
    """,
    re.VERBOSE,
)
_ODD = re.compile(r"[^\w\s\x00-\x7f]")
_INVISIBLE = re.compile(r"[^\w\s\x21-\x7e]")
# What NFKC would take apart into something else than it means in a name.
_BEFORE = {ord("™"): " ", ord("℠"): " ", ord("´"): "'"}
_QUOTES = dict.fromkeys(map(ord, "`‘’‚‛′‵ʹʻʼʽ"), "'")
_KEPT = "‰‱"
#: Characters of a text that is put into NFKC at once, whatever they are.
_LONG = 500
_DROPPED = "®©"


def name_key(name: str) -> str:
    """The normalised form of a name, for the `key` column of the names of a knowledge base (KB-3).

    In this order: characters without width are dropped; compatibility forms become plain ones
    (NFKC: ligatures, full width, super- and subscripts); case is folded; all dashes become "-" and
    all single quotes and primes "'"; ™ ® © go. Then punctuation becomes a space, white space is
    collapsed and stripped. What looks like punctuation but stays: + % ‰ & * # @ and all other
    symbols; "." between digits; "'" after a letter or digit; "-" as a sign, that is in "(-)" or
    after a letter or digit with none following.

    >>> name_key("Non–small-cell  lung cancer"), name_key("non small cell LUNG cancer")
    ('non small cell lung cancer', 'non small cell lung cancer')
    >>> name_key("Crohn’s disease"), name_key("1,3-Butadiene"), name_key("5′-nucleotidase"), name_key("(IL-2)")
    ("crohn's disease", '1 3 butadiene', "5' nucleotidase", 'il 2')
    >>> name_key("Ca²⁺"), name_key("Cl−"), name_key("(−)-Menthol"), name_key("(+)-menthol"), name_key("0.9% NaCl")
    ('ca2+', 'cl-', '(-) menthol', '+ menthol', '0.9% nacl')
    >>> name_key("HLA-A*02:01"), name_key("c.76A>T"), name_key("TNF-α"), name_key("Sjögren"), name_key("Tylenol®")
    ('hla a*02 01', 'c 76a>t', 'tnf α', 'sjögren', 'tylenol')

    A name of nothing but punctuation keeps it, so that only an empty name has an empty key:

    >>> name_key(" -- "), name_key("?"), name_key("§"), name_key("  ")
    ('--', '?', '§', '')
    """
    text = name.lower().replace("`", "'") if name.isascii() else _folded(name)
    return " ".join(_SEPARATORS.sub(" ", text).split()) or " ".join(text.split()) or " ".join(name.split())


def _folded(name: str) -> str:
    """Case, width and typography gone; repeated, as each step may make work for another."""
    for _ in range(4):
        text = _INVISIBLE.sub(_without_width, name).translate(_BEFORE)
        text = compatible(compatible(text).casefold())
        text = _ODD.sub(_plain, text.translate(_QUOTES))
        if text == name:
            break
        name = text
    return name


def compatible(text: str) -> str:
    """The text in NFKC: compatibility forms become plain ones, marks are put in order and join their letters.

    Python puts marks in order one by one, each past all those it belongs before; of a long text they are sorted here
    first, so that a long run of them takes no longer than other text.

    >>> compatible("ﬁ²"), compatible("a" + 1000 * "\u0301\u0323") == "ạ" + 999 * "\u0323" + 1000 * "\u0301"
    ('fi2', True)
    """
    if len(text) > _LONG and not text.isascii():
        apart = {character: unicodedata.normalize("NFKD", character) for character in set(text)}
        text = "".join(map(apart.__getitem__, text))
        if marks := "".join(sorted(filter(unicodedata.combining, set(text)))):
            text = re.sub(f"[{marks}]{{2,}}", lambda run: "".join(sorted(run[0], key=unicodedata.combining)), text)
    return unicodedata.normalize("NFKC", text)


def _without_width(match: re.Match[str]) -> str:
    return "" if unicodedata.category(match[0]) == "Cf" else match[0]


def _plain(match: re.Match[str]) -> str:
    return _plain_character(match[0])


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    category = unicodedata.category(character)
    if category == "Pd" or character in "−⁃":
        return "-"
    separates = (category[0] == "P" and character not in _KEPT) or character in _DROPPED
    return " " if separates else character
