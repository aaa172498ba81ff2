"""Results of the literature as data, and our own beside them."""

from __future__ import annotations

from linkassay.registry import Registry

__all__ = ["PUBLISHED"]

#: Work → a function that gives {"note", "rows": [{"system", "published_as", "ours", "paper", "difference"}]}.
PUBLISHED = Registry("published work", {"fair": "linkassay.published.fair:reproduce"})
