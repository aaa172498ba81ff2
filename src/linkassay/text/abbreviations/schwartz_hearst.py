"""Abbreviations that a text defines itself, "long form (SF)" and "SF (long form)", with their places (ABBR-2).

After Schwartz & Hearst, "A simple algorithm for identifying abbreviation definitions in biomedical text"
(PSB 2003): what may be a short form, how far its long form may reach, and that every character of the one
occurs in order in the other, the first at the beginning of a word. Where several long forms do, theirs is
the shortest; ours is the one whose words the characters account for best. Not for abbreviations that the
text does not define: nothing is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from linkassay.model import Span
from linkassay.text.sentences import split_sentences


class AbbreviationPair(NamedTuple):
    """A definition: both forms as they stand in the text at their spans."""

    short: str
    long: str
    short_span: Span
    long_span: Span


def abbreviation_pairs(text: str) -> list[AbbreviationPair]:
    """The definitions in `text`, by the place of the short form.

    >>> for pair in abbreviation_pairs("Patients with multiple sclerosis (MS) had MRI [magnetic resonance imaging]."):
    ...     print(*pair)
    MS multiple sclerosis (34, 36) (14, 32)
    MRI magnetic resonance imaging (42, 45) (47, 73)
    """
    found: dict[Span, AbbreviationPair] = {}
    for sentence in split_sentences(text):
        for bracket in _brackets(text, sentence):
            for short, long in _inside(text, bracket) or _before(text, bracket):
                found.setdefault(short, AbbreviationPair(text[slice(*short)], text[slice(*long)], short, long))
    return [found[span] for span in sorted(found)]


def expansions(text: str) -> dict[str, str]:
    """Short form to long form, case-sensitive; a form that is defined twice has its first definition.

    White space inside a form, a line break for instance, becomes one space.

    >>> expansions("Cystic fibrosis (CF) is not the carbon fibre (CF) of engineers.")
    {'CF': 'Cystic fibrosis'}
    """
    found: dict[str, str] = {}
    for pair in abbreviation_pairs(text):
        found.setdefault(" ".join(pair.short.split()), " ".join(pair.long.split()))
    return found


# --- where definitions may stand -------------------------------------------------------------------------------

#: Characters looked at on either side of an opening bracket, so that work grows with the text only.
_WINDOW = 240
_MOST_PIECES = 4  # forms looked at in one bracket
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_BRACKET = re.compile(r"[()\[\]{}]")
#: A short form that clings to its long form: "clozapine(CLP)". Other brackets without a space are part of a word.
_CLINGING = re.compile(r"(?<=[a-z]{4})\([A-Z]{2,6}s?\)")
#: No long form reaches over these; over a comma it may.
_BREAK = re.compile(r"[;:?!]\s|\.\s(?=[A-Z])|--|[\"“”«»]|\s(?:is|are|was|were|been|has|have|had|which|that)\s")
#: Between the forms of one bracket, or a form and what is said of it: "(AB; also CD)", "(AB or CD)", "(AB = 7)".
_BETWEEN_SHORT = re.compile(r"\s*[;,:=]\s+|\s+(?:or|and|=)\s+")
_BETWEEN_LONG = (re.compile(r"\s*[;:=]\s+"), re.compile(r"\s*[;:=,]\s+"))
#: What introduces a form and is no part of it.
_INTRODUCTION = re.compile(
    r"\s*+(?:(?:the|an?|or|and|i\.e\.,?|e\.g\.,?|also|so-called|hereafter|hereinafter|henceforth|now|here|known|called"
    r"|termed|named|designated|denoted|abbreviated|referred|to|as|by|formerly|previously)\s++)*+[\"'“”‘’]?"
)
_AROUND = " \t\r\n\"'“”‘’,"


class _Bracket(NamedTuple):
    """A pair of brackets; `left` is how far to the left of it a form may reach."""

    left: int
    opened: int
    closed: int


def _brackets(text: str, sentence: Span) -> Iterator[_Bracket]:
    """The brackets of a sentence that are no part of a word, inner ones first.

    A form reaches neither into the bracket before nor out of the one around it.
    """
    left = sentence[0]
    stack: list[tuple[str, int, int]] = []
    for match in _BRACKET.finditer(text, *sentence):
        at = match.start()
        if match[0] in _CLOSING:
            stack.append((_CLOSING[match[0]], at, left))
            if _stands_apart(text, at):
                left = at + 1
        elif stack and stack[-1][0] == match[0]:
            _, opened, reach = stack.pop()
            if match[0] == "]" and text[at + 1 : at + 2].isalnum():
                left = reach  # an isotope: "[3H]nicotine"
            elif _stands_apart(text, opened) or _CLINGING.fullmatch(text, opened, at + 1):
                left = opened if _goes_on(text, at + 1) else at + 1
                yield _Bracket(max(reach, opened - _WINDOW), opened, at)


def _stands_apart(text: str, at: int) -> bool:
    return at == 0 or text[at - 1].isspace() or text[at - 1] in "([{"


def _goes_on(text: str, at: int) -> bool:
    """Whether the word goes on after a bracket: "(AIDS)-related complex (ARC)"."""
    return text[at : at + 1].isalnum() or (text[at : at + 1] in ("-", "–") and text[at + 1 : at + 2].isalnum())


def _inside(text: str, bracket: _Bracket) -> list[tuple[Span, Span]]:
    """Short and long forms where the short one is in the bracket."""
    if bracket.closed - bracket.opened > _WINDOW:
        return []
    left, right = bracket.left, bracket.left + len(text[bracket.left : bracket.opened].rstrip(_AROUND))
    for match in _BREAK.finditer(text, left, right):
        left = match.end()
    found = []
    for number, short in enumerate(_pieces(text, bracket.opened + 1, bracket.closed, _BETWEEN_SHORT)):
        alone = text[short[1]] in ",;)]}"
        if _is_short(text[slice(*short)], alone=alone):
            long = _long_form(text, short, (left, right), doubtful=number > 0)
            if long:
                found.append((short, long))
    return found


def _before(text: str, bracket: _Bracket) -> list[tuple[Span, Span]]:
    """Short and long form where the long one is in the bracket and the short one is the word before it."""
    before = text[bracket.left : bracket.opened].rstrip()
    end = bracket.left + len(before)
    short = (end - len(re.split(r"[\s\"“”‘’]", before)[-1]), end)
    if not _is_short(text[slice(*short)], alone=False):
        return []
    for between in _BETWEEN_LONG:
        for piece in _pieces(text, bracket.opened + 1, min(bracket.closed, bracket.opened + _WINDOW), between)[:1]:
            long = _long_form(text, short, piece)
            if long and long[0] == piece[0]:
                return [(short, long)]
    return []


def _pieces(text: str, start: int, end: int, between: re.Pattern[str]) -> list[Span]:
    """The first forms in a bracket, without white space, quotes and words that introduce them."""
    cuts = [(start, start), *(m.span() for m in between.finditer(text, start, end)), (end, end)]
    found = []
    for (_, left), (right, _) in zip(cuts, cuts[1:][:_MOST_PIECES]):
        introduction = _INTRODUCTION.match(text, left, right)
        left = introduction.end() if introduction else left
        right = left + len(text[left:right].rstrip(_AROUND))
        if left < right:
            found.append((left, right))
    return found


# --- what may be a short form ----------------------------------------------------------------------------------

_LONGEST_SHORT = 12
_SHORT = re.compile(r"(?=.*[^\W\d_])[\w\[][^=<>≤≥±%\"]*", re.DOTALL)
#: Words, numbering, amounts and references; a plain word of up to four letters may be a form ("aa", "mbp").
_NO_SHORT = re.compile(
    r"[a-z]|[ivx]+|[a-z]{5,}\W*|[A-Z]?[a-z]+\.|[a-z]+\s[a-z]+|(?:i\.e|e\.g|a\.m|p\.m|s\.d|s\.e)\."
    r"|[\d.,+/x×–-]+(?:\s*[a-zµμ]{1,5}|\s[A-Z])(?:/\w+)?|\d+\s.*|[Ff]igs?\b.*|[Tt]ables?\b.*"
    r"|and|are|but|for|had|has|not|see|the|was|who|with|both|only|mean|data|that|then|this|were"
)


def _is_short(form: str, *, alone: bool) -> bool:
    """Whether `form` may be a short form: up to 12 characters and two words, a letter in it, no plain word.

    A single capital letter may be one if it stands `alone`: "nitrogen (N)", not "(P = 0.01)".
    """
    return (
        (alone or len(form) > 1)
        and len(form) <= _LONGEST_SHORT
        and len(form.split()) <= 2
        and _SHORT.fullmatch(form) is not None
        and _NO_SHORT.fullmatch(form) is None
    )


# --- which long form -------------------------------------------------------------------------------------------

#: Digits that are words in the long form: "2D" two-dimensional.
_NUMBERS = {
    "1": ("one", "first", "mono", "uni"),
    "2": ("two", "second", "di", "bi"),
    "3": ("three", "third", "tri"),
    "4": ("four", "tetra"),
    "5": ("five", "fifth", "penta"),
    "6": ("six", "hexa"),
    "7": ("seven", "hepta"),
    "8": ("eight", "octa"),
    "9": ("nine", "ninth", "nona"),
}
#: Words that a short form often leaves out, and no long form begins or ends with.
_SMALL = frozenset(
    ("a", "an", "and", "are", "as", "at", "by", "de", "for", "from", "in", "into", "is", "of", "on", "or", "the", "to",
     "via", "with", "within", "without")
)  # fmt: skip
#: What a character of the short form is worth: at the beginning of a word, right after the last one, elsewhere.
_FIRST, _NEXT, _LATER = 3.0, 2.0, 1.0
#: What a word costs that no character stands for.
_SKIPPED, _SKIPPED_SMALL = 3.0, 0.5
#: The least worth per character, and where the forms themselves give reason to doubt.
_ENOUGH, _ENOUGH_IN_DOUBT = 1.0, 2.0
_NOTHING = (float("-inf"), 0)

_WORD = re.compile(r"\S+")
_DOTTED = re.compile(r"(?:[A-Za-z]\.)+")
#: A short form that ends as its long form does, or is none: "Ang II", but not "group II".
_NUMBERED = re.compile(r"\S+\s(\d+|[IVX]+[a-d]?|[a-zA-Z])")
#: What may precede a long form in its first word; all else belongs to it ("alpha-amino…", "4,4'-di…").
_PREFIX = re.compile(r"(?:(?:non|anti)-|[^\s/]*/|[\"'“”‘’])?")


def _long_form(text: str, short: Span, window: Span, *, doubtful: bool = False) -> Span | None:
    """The best long form that ends where `window` does; None if none is good enough."""
    form = text[slice(*short)]
    marks = [c for c in _folded(form) if c.isalnum()]
    most = 1 if len(marks) == 1 else min(len(marks) + 5, 2 * len(marks))  # Schwartz & Hearst
    words = [m.span() for m in _WORD.finditer(text, *window)][-most:]
    if not words or text[slice(*words[-1])] in _SMALL:  # as written: "protein kinase A" ends well
        return None
    offset = words[0][0]
    worth, at = _align(marks, _folded(text[offset : window[1]]), [(a - offset, b - offset) for a, b in words])
    if worth < _ENOUGH * len(marks):
        return None
    start = max(a for a, _ in words if a <= offset + at)
    prefix = _PREFIX.match(text, start, offset + at)
    start = prefix.end() if prefix else start
    long = text[start : window[1]]
    doubtful = doubtful or form.islower() or ", " in long or _DOTTED.fullmatch(form) is not None
    if doubtful and worth < _ENOUGH_IN_DOUBT * len(marks):
        return None
    numbered = _NUMBERED.fullmatch(form)
    if numbered and long.split()[-1] != numbered[1]:
        return None
    balanced = all(long.count(opening) == long.count(closing) for opening, closing in _CLOSING.items())
    return (start, window[1]) if balanced and len(long) > len(form) and form not in long.split() else None


def _align(marks: list[str], long: str, words: list[Span]) -> tuple[float, int]:
    """Worth and beginning of the best alignment of `marks`, in order, with characters of `long`.

    Among equals the one that begins last. Takes one pass over `long` for each mark: `last` holds the best
    alignments of the marks before by the place of their last one.
    """
    cost = [0.0]  # of skipping all words before
    for a, b in words:
        cost.append(cost[-1] + (_SKIPPED_SMALL if long[a:b] in _SMALL else _SKIPPED))
    last: dict[int, tuple[float, int]] = {}
    for index, mark in enumerate(marks):
        here: dict[int, tuple[float, int]] = {}
        earlier = _NOTHING  # best of `last` in the words before, as if nothing were skipped after the first word
        for number, (a, b) in enumerate(words):
            same = _NOTHING  # best of `last` in this word
            for at in range(a, b):
                if _stands_for(mark, long, at):
                    first = at == a or not long[at - 1].isalnum()
                    if index == 0:
                        if first and long[a:b] not in _SMALL:
                            here[at] = (_FIRST, at)
                    else:
                        worth, start = max(same, (earlier[0] - cost[number], earlier[1]))
                        best = (worth + (_FIRST if first else _LATER), start)
                        if not first and at - 1 in last:
                            best = max(best, (last[at - 1][0] + _NEXT, last[at - 1][1]))
                        if best > _NOTHING:
                            here[at] = best
                if at in last:
                    same = max(same, last[at])
            earlier = max(earlier, (same[0] + cost[number + 1], same[1]))
        last = here
    ends = ((last[at], number) for number, (a, b) in enumerate(words) for at in range(a, b) if at in last)
    return max(((worth - cost[-1] + cost[number + 1], start) for (worth, start), number in ends), default=_NOTHING)


def _stands_for(mark: str, long: str, at: int) -> bool:
    return long[at] == mark or (mark in _NUMBERS and long.startswith(_NUMBERS[mark], at))


def _folded(text: str) -> str:
    """Lower case, character by character, so that places stay ("İ" has a lower case of two)."""
    return "".join(c if len(c.lower()) > 1 else c.lower() for c in text)
