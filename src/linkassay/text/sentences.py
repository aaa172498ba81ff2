"""Sentences by rules, with their places in the text; made for biomedical abstracts and full texts.

Not for telling titles or tables from prose: run it on each passage where passages are known, since a
title without a full stop cannot be told from the sentence that follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from linkassay.model import Span


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: A full stop after these never ends a sentence.
_NEVER_LAST = _words(
    "e.g E.g eg i.e I.e ie cf Cf ca viz vs Vs fig figs Fig Figs FIG FIGS Tab eq Eq eqs Eqs Eqn ref Ref refs Refs "
    "approx Approx resp incl excl esp Dr Drs Prof Mr Mrs Ms Mt St subsp ssp"
)
#: After these a sentence ends only if a capital letter follows; a number or bracket belongs to them.
_RARELY_LAST = _words(
    "etc al sp spp var nov inc ltd co corp jr sr dept univ min max sec hr hrs wk wks mo yr yrs wt mol temp "
    "no nos vol vols p pp chap ed eds suppl jan feb mar apr jun jul aug sept sep oct nov dec"
)
#: After these a code names a strain ("Stachyamoeba sp. ATCC50324").
_BEFORE_CODE = _words("sp spp nov var subsp ssp")
#: Words before an initial, of a person or of a genus with a capitalised serovar ("in S. Typhi").
_BEFORE_NAME = _words(
    "the and from for with than via per between among against both using under into over after before versus "
    "like mutant strain serovar"
)
#: Words that begin a sentence far more often than they are a name.
_OPENING = _words(
    "the this these those that there their they we our in it its he she his her however moreover furthermore "
    "here when while although all both to for from as at by on after thus therefore"
)

# Possessive quantifiers and the look-behind keep long runs of stops or spaces linear.
_CANDIDATE = re.compile(
    r"""(?<![.!?])(?P<stop>[.!?]++)[\"'”’»)\]]*+(?=\s)
    | (?P<glued>(?<=[a-z]{3})\.(?:[0-9]{1,3}(?:[,–-][0-9]{1,3})*+(?=\s++[A-Z])|(?=[A-Z][a-z]++\s)))
    | (?P<cjk>[。！？]++[」』”’）]*+)
    | (?P<line>[\n\r\u2028\u2029])\s*+
    """,
    re.VERBOSE,
)
_SPACE = re.compile(r"\s*+")
_BEFORE = re.compile(r"[^\s()\[\]{}\"“”‘’,;:/<>=]*\Z")
_AFTER = re.compile(r"[^\s()\[\]{}\"“”‘’,;:/<>=.!?]*")
_BRACKET = re.compile(r"[()\[\]]|\n[^\S\n]*+\n")
_NUMBERING = re.compile(r"[(\[]?(?:[0-9]{1,3}(?:\.[0-9]{1,3})*|[A-Za-z]|[ivxIVX]{1,5})\.")
_DOTTED = re.compile(r"(?:[A-Za-z]{1,2}\.)+[A-Za-z]")
_ITEM = re.compile(r"[a-z]\)\s|(?:[a-z]|[ivx]{2,4})\.\s++[A-Z]")  # "c) Rats. d) Mice."
_CODE = re.compile(r"(?=.*[0-9])[A-Z0-9-]++|[A-Z]{2,}+")

_WINDOW = 40  # characters looked at on either side of a full stop
_LONGEST_ASIDE = 500  # a bracket that closes later than this is taken for a stray one


def split_sentences(text: str) -> list[Span]:
    """The sentences of `text` in order, without white space around them.

    Every character other than white space lies in exactly one sentence. Nothing is cut inside
    brackets. A line break ends a sentence unless the line ends in a comma or the next one goes on
    in lower case; an empty line always does.

    >>> text = "E. coli grew (Fig. 2, P < 0.05). p53 did not, cf. Lane et al. (1979)."
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['E. coli grew (Fig. 2, P < 0.05).', 'p53 did not, cf. Lane et al. (1979).']
    """
    spans: list[Span] = []
    start = _skip(text, 0)
    for cut in _cuts(text):
        if cut > start and not _NUMBERING.fullmatch(text, start, cut):
            spans.append((start, start + len(text[start:cut].rstrip())))
            start = _skip(text, cut)
    if start < len(text):
        spans.append((start, start + len(text[start:].rstrip())))
    return spans


def _cuts(text: str) -> Iterator[int]:
    """Where sentences end, in order."""
    asides = _asides(text)
    following = next(asides, None)
    inside = 0  # end of the brackets that the current place is in
    for match in _CANDIDATE.finditer(text):
        last = match.end() - 1 if match["line"] is None else match.start()
        while following is not None and following[0] < last:
            inside = max(inside, following[1])
            following = next(asides, None)
        if last < inside:
            continue
        if match["line"] is not None:
            if _ends_line(text, match):
                yield match.start()
        elif match["glued"] is not None:
            word = _word_before(text, match.start())
            if word not in _NEVER_LAST and not _is_short(word):
                yield match.end()
        elif match["cjk"] is not None or _ends_sentence(text, match):
            yield match.end()


def _asides(text: str) -> Iterator[Span]:
    """Brackets that close within reach, by their beginning; an empty line leaves them all."""
    pairs: list[Span] = []
    stack: list[tuple[str, int]] = []
    for match in _BRACKET.finditer(text):
        bracket, at = match[0], match.start()
        if bracket in "([":
            stack.append((")" if bracket == "(" else "]", at))
        elif bracket not in ")]":
            stack.clear()
        elif stack and stack[-1][0] == bracket:
            opened = stack.pop()[1]
            if at - opened <= _LONGEST_ASIDE:
                pairs.append((opened, at))
    pairs.sort()
    return iter(pairs)


def _ends_line(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence ends with the line, rather than being wrapped."""
    breaks = match[0].replace("\r\n", "\n")
    if sum(breaks.count(b) for b in "\n\r\u2028\u2029") > 1:
        return True
    line = text[max(0, match.start() - _WINDOW) : match.start()].rstrip()
    following = text[match.end() : match.end() + 1]
    return not (following.islower() or line.endswith(","))


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    """Whether a sentence ends with these full stops, question or exclamation marks."""
    here = _skip(text, match.end())
    if here == len(text):
        return True
    if text[here] in ".,;:)]}%=<>±×+/":
        return False
    ahead = text[here : here + _WINDOW]
    stripped = ahead.lstrip("([{\"'“‘«")
    first, after = stripped[:1], _AFTER.match(stripped)
    assert after is not None  # matches the empty word
    if match["stop"].strip("."):  # a question or exclamation mark among them
        return not first.islower()
    at = match.start()
    word = _word_before(text, at)
    if not word and text[at - 1 : at].isspace():  # a stop that stands alone: of tokenised text, or ". 05"
        return not (first.islower() or first.isdigit())
    if word in _NEVER_LAST:
        return False
    short = _is_short(word)
    if first.islower():
        # Sentences may begin with a name like "p53", "mRNA" or "α-synuclein", but with no other word.
        named = not first.isascii() or any(c.isupper() or c.isdigit() for c in after[0])
        return (named and not short and len(word) != 1) or _ITEM.match(stripped) is not None
    if short and (first.isdigit() or ahead[0] in "(["):
        return False
    if word in _BEFORE_CODE and _CODE.fullmatch(after[0]):
        return False
    if len(word) == 1 and word.isalpha():
        return _ends_after_letter(text[max(0, at - _WINDOW) : at - 1], word, first, stripped, after[0].lower())
    if short and word[0].isupper() and "." in word:  # "U.S. Food …", but "… in the U.S. The …"
        return after[0].lower() in _OPENING
    return True


def _is_short(word: str) -> bool:
    """Whether `word` may be an abbreviation, its full stop not the end of a sentence."""
    return word.lower() in _RARELY_LAST or _DOTTED.fullmatch(word) is not None


def _word_before(text: str, at: int) -> str:
    match = _BEFORE.search(text, max(0, at - _WINDOW), at)
    assert match is not None  # matches the empty word
    return match[0]


def _ends_after_letter(before: str, word: str, first: str, ahead: str, after: str) -> bool:
    """Whether a sentence ends with a single letter: "hepatitis B. Rats …", but not "J. Smith"."""
    if word.islower():
        return not first.isdigit()
    if len(after) == 1 and ahead[1:2] == ".":  # another initial
        return False
    if after in _OPENING:
        return True
    last = before.split()[-1:] if before[-1:].isspace() else []
    return bool(last) and len(last[0]) > 2 and last[0].isalpha() and last[0].islower() and last[0] not in _BEFORE_NAME


def _skip(text: str, at: int) -> int:
    """The first place from `at` on that is not white space."""
    match = _SPACE.match(text, at)
    assert match is not None  # matches no space, too
    return match.end()
