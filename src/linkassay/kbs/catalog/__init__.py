"""The knowledge bases that are known by name: one module each, a `KbSpec` and its readers.

A new one is registered in `KBS` of `linkassay.kbs`.
"""

from __future__ import annotations

__all__ = ["wikidata"]
