"""Syntaxes that several formats share: JSON, XML, Turtle, OBO. What is said in them is not known here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.formats.syntax.json_objects import json_items
    from linkassay.formats.syntax.json_value import JsonValue, parse_json
    from linkassay.formats.syntax.obo import Stanza, quoted, stanzas, token, unescape
    from linkassay.formats.syntax.xml import Element, iterate

__all__ = [
    "Element",
    "JsonValue",
    "Stanza",
    "iterate",
    "json_items",
    "parse_json",
    "quoted",
    "stanzas",
    "token",
    "unescape",
]

__getattr__, __dir__ = front_door(__name__)
