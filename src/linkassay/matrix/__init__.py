"""`bench`: one TOML file describes corpora × linkers × measures (docs/bench.md). `plan` reads it, `perform` does it."""

from __future__ import annotations
