"""Half precision is tried in a process of its own before it is used (NEURAL-2)."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.neural import Encoder, precision


def die(**_: str) -> None:
    """As a processor does that lacks an instruction."""
    os.kill(os.getpid(), signal.SIGILL)


@pytest.fixture(autouse=True)
def _nothing_known() -> None:
    precision.require_precision.cache_clear()


def test_a_machine_on_which_a_process_dies_of_it(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = precision.call_in_process
    monkeypatch.setattr(precision, "call_in_process", lambda _, given: call(f"{__name__}:die", given))
    with pytest.raises(UsageError, match="cannot compute with precision bfloat16 on cpu: its process died"):
        Encoder(tiny, "cpu", "bfloat16")
    assert Encoder(tiny, "cpu").width == 16  # what is not asked for is not tried


def test_what_this_machine_can_do_is_what_it_gives(tiny: Path) -> None:
    try:
        precision.require_precision("bfloat16", "cpu")
    except UsageError:
        pytest.skip("this machine cannot")
    exact, half = (Encoder(tiny, "cpu", each).encode(["breast cancer"]) for each in ("float32", "bfloat16"))
    assert (exact != half).any()
    assert (exact * half).sum() > 0.98


def test_numbers_that_are_wrong_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "_NEAR", 0.0)
    with pytest.raises(LinkassayError, match=r"its numbers are .* off"):
        precision.try_precision("float32", "cpu")


def test_what_there_is_not(tiny: Path) -> None:
    import torch

    with pytest.raises(UsageError, match="precision is float32, bfloat16 or float16, not 'int8'"):
        Encoder(tiny, "cpu", "int8")
    with pytest.raises(UsageError, match="--device is auto, cpu or cuda, not 'tpu'"):
        Encoder(tiny, "tpu")
    if not torch.cuda.is_available():
        assert precision.device_of("auto") == "cpu"
        with pytest.raises(UsageError, match="--device cuda: torch finds no such device here"):
            Encoder(tiny, "cuda")
