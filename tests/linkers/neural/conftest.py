"""A tiny model, and one thread for torch: several would wait for each other where other tests run beside these."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.linkers.neural.models import tiny_model


@pytest.fixture(autouse=True, scope="session")
def _one_thread() -> Iterator[None]:
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model(tmp_path_factory.mktemp("models") / "tiny")
