"""Cases that are tried within the tests' own process."""

from __future__ import annotations

import pytest

from endure import commands, servers


@pytest.fixture(autouse=True)
def _memory_of_the_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fork has the memory of whoever forks, and tests before may have left much of it."""
    for module in (commands, servers):
        monkeypatch.setattr(module, "MOST_MEMORY", module.MOST_MEMORY + (8 << 30))
