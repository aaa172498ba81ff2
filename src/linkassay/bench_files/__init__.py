"""`bench`: one TOML file (docs/bench.md). `plan` reads it, `perform` does it, `summary` makes a table of it."""

from __future__ import annotations
