"""The explorer's server: HTTP over a data home. Other rooms answer what is asked, other processes do long work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.serving.server import DEFAULT_HOST, DEFAULT_PORT, serve

__all__ = ["DEFAULT_HOST", "DEFAULT_PORT", "serve"]

__getattr__, __dir__ = front_door(__name__)
