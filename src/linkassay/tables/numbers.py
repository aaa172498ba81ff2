"""Numbers as text: one rule of rounding, and how the values of each kind of column are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

MINUS = "\u2212"
#: What stands where there is no value.
NOTHING = "–"


def fixed(value: float, digits: int, *, sign: bool = False, shift: int = 0) -> str:
    """A number with so many digits after the point, halves rounded away from zero; `shift=2` writes it in percent.

    The one rule of the command line, of text tables and of the page. It looks at twelve decimal digits of the number,
    not at its binary form: a ratio of counts that lies half-way in decimals is seen as such, although the nearest
    double lies a little beside it, and so is a sum of parts of mentions.

    >>> fixed(71 / 80, 3), fixed(71 / 80, 1, shift=2), fixed(-0.00004, 4, sign=True), fixed(1 / 32, 4, sign=True)
    ('0.888', '88.8', '+0.0000', '+0.0313')
    """
    if not math.isfinite(value):
        return str(value)
    exact = Decimal(f"{value:.11e}").scaleb(shift).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    return f"{exact or abs(exact):{'+' if sign else ''}f}"


def rounded(value: float, digits: int) -> float:
    """The number that `fixed` writes; a whole one stays whole."""
    return value if isinstance(value, int) else float(fixed(value, digits))


def percent(share: float) -> str:
    """A share as the page writes it: in percent with one digit.

    >>> percent(71 / 80)
    '88.8'
    """
    return fixed(share, 1, shift=2)


def points(difference: float) -> str:
    """A difference of shares as the page writes it: in points with one digit and its sign.

    >>> points(-0.0125), points(0.0)
    ('\u22121.3', '±0.0')
    """
    text = fixed(difference, 1, sign=True, shift=2)
    return "±0.0" if text == "+0.0" else text.replace("-", MINUS)


def said(value: Any) -> str:
    """A value that is no figure."""
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _count(value: float) -> str:
    return f"{Decimal(fixed(value, 0)):,}"


def _tenths(value: float) -> str:
    return f"{Decimal(fixed(value, 1)):,}"


def _seconds(value: float) -> str:
    if value == 0:
        return "0 s"
    if value < 1:
        return f"{fixed(value, 1 if value < 0.01 else 0, shift=3)} ms"
    if value < 120:
        return f"{fixed(value, 1)} s"
    return f"{fixed(value / 60, 1)} min" if value < 7200 else f"{fixed(value / 3600, 1)} h"


def _bytes(value: float) -> str:
    return f"{fixed(value, 0, shift=-6)} MB" if value < 1e9 else f"{fixed(value, 1, shift=-9)} GB"


def _rate(value: float) -> str:
    return _count(value) if value >= 10 else fixed(value, 1)


def _chance(p: float) -> str:
    return "< 0.001" if p < 0.001 else fixed(p, 3)


def _decimal(value: float) -> str:
    return fixed(value, 2).replace("-", MINUS)


#: Kind of column → how its values are written; a `weight` is a count in which ties may count in parts.
NUMBER_FORMS: dict[str, Callable[[Any], str]] = {
    "text": said, "percent": percent, "points": points, "count": _count, "weight": _tenths, "seconds": _seconds,
    "bytes": _bytes, "rate": _rate, "chance": _chance, "decimal": _decimal,
}  # fmt: skip


def writer(form: str, values: Iterable[Any]) -> Callable[[Any], str]:
    """How these values of one column are written; weights have a digit after the point only where one needs it.

    >>> [writer("weight", column)(3) for column in ([3, None], [3, 0.5])], writer("seconds", ())(None)
    (['3', '3.0'], '–')
    """
    whole = form == "weight" and all(value is None or value == int(value) for value in values)
    write = NUMBER_FORMS["count" if whole else form]
    return lambda value: NOTHING if value is None else write(value)
