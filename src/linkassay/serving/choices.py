"""The request `choices`: what `figures` can be asked for, by name and in a sentence."""

from __future__ import annotations

from typing import Any

from linkassay.listing import LISTINGS
from linkassay.scoring import AVERAGES
from linkassay.scoring.endtoend import MODES, PRESETS, SPAN_POLICIES

_MODES = {
    "ignored": "predictions and gold labels without an entity do not count",
    "required": "what has no entity in the knowledge base has to be told so",
}
_SPANS = {
    "exact": "the same characters",
    "words": "the same words",
    "overlap": "some characters in common",
}


_ABBREVIATIONS = {
    "schwartz-hearst": "by the rule of Schwartz and Hearst",
    "ab3p": "by Ab3P, where it is installed",
    "none": "no text is an abbreviation",
}
_CASES = {"fold": "without regard to case", "exact": "as they are written"}


def choices() -> dict[str, list[dict[str, str]]]:
    """What there is of each kind."""
    return {
        "measures": _rows("measures"),
        "protocols": _rows("protocols"),
        "sets": _rows("sets"),
        "slices": [
            {"name": row["name"], "summary": str(row["sql"] or row["kind"])}
            for row in LISTINGS["slices"]()
            if not str(row["kind"]).startswith("column")
        ],
        "averages": [{"name": name, "summary": f"over {of}"} for name, of in AVERAGES.items()],
        "presets": [{"name": "bioel", "summary": "given mentions: slices tested as in that paper"}]
        + [{"name": name, "summary": f"end to end: {preset.summary}"} for name, preset in PRESETS.items()],
        "nil": [{"name": name, "summary": _MODES.get(name, "")} for name in MODES],
        "spans": [{"name": name, "summary": _SPANS.get(name, "")} for name in SPAN_POLICIES],
        "abbreviations": _named(_ABBREVIATIONS),
        "cases": _named(_CASES),
    }


def _named(summaries: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "summary": summary} for name, summary in summaries.items()]


def _rows(listing: str) -> list[dict[str, Any]]:
    return [{"name": row["name"], "summary": str(row["summary"])} for row in LISTINGS[listing]()]
