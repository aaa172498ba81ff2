"""Formats of annotated documents: one module each, with `read` and, where tools need it, `write`."""

from __future__ import annotations

__all__ = [
    "bioc",
    "brat",
    "elevant",
    "inline_xml",
    "iob",
    "jsonl",
    "mention_table",
    "mutation_json",
    "nif",
    "pubtator",
    "standoff",
]
