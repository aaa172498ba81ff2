"""The knowledge bases that are known by name: one module each, a `KbSpec` and its readers."""

from __future__ import annotations

__all__ = ["wikidata"]
