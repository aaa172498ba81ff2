"""Presets: the ways of scoring end to end that people know by name (PRESET-3 to PRESET-5)."""

from __future__ import annotations

from dataclasses import dataclass

from linkassay.errors import UsageError
from linkassay.registry import near_miss
from linkassay.scoring.endtoend.alignment import SPAN_POLICIES


@dataclass(frozen=True)
class Preset:
    """`rules`: the decision matrix (`fair`, PRESET-3), ELEVANT's (`elevant`, PRESET-4), one-to-one pairs (`gerbil`)."""

    name: str
    rules: str
    spans: str
    summary: str


PRESETS = {
    p.name: p
    for p in (
        Preset("fair", "fair", "exact", "the decision matrix (MATRIX-1), exact spans, no error without its price"),
        Preset("elevant", "elevant", "words", "as ELEVANT counts, to the last count: spans widened to words"),
        Preset("gerbil/strong", "gerbil", "exact", "GERBIL's strong annotation match: same span, same id"),
        Preset("gerbil/weak", "gerbil", "overlap", "GERBIL's weak annotation match: overlapping spans, same id"),
    )
}


def preset(name: str, spans: str = "") -> Preset:
    """A preset by name; `fair` with another span policy if so wished."""
    if name not in PRESETS:
        raise UsageError(f"unknown preset {name!r}; {near_miss(name, list(PRESETS))}")
    found = PRESETS[name]
    if not spans or spans == found.spans:
        return found
    if spans not in SPAN_POLICIES:
        raise UsageError(f"unknown span policy {spans!r}; {near_miss(spans, list(SPAN_POLICIES))}")
    if found.rules != "fair":
        raise UsageError(f"preset {name!r} fixes how spans are compared ({found.spans}); another is for preset 'fair'")
    return Preset(name, found.rules, spans, found.summary)
