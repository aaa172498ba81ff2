"""Knowledge bases: one schema for all. `stored` reads them, `build` writes them, one module per source."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["KBS"]

#: Each is a function without arguments that returns the KB's `KbSource`.
KBS = Registry("kb", {"mini": "linkassay.kbs.mini:source"})
