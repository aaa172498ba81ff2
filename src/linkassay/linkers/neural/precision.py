"""What numbers an encoder computes with, and where (NEURAL-2): what the machine can do is tried, not assumed."""

from __future__ import annotations

from functools import cache
from typing import Any

from linkassay.engine import call_in_process
from linkassay.errors import LinkassayError, UsageError

DEVICES = ("auto", "cpu", "cuda")
PRECISIONS = ("float32", "bfloat16", "float16")
#: How far from the exact ones the numbers of half precision may be; right ones are within a fifth of it.
_NEAR = 0.1


def device_of(wanted: str) -> str:
    """`cpu` or `cuda`: as wanted, or whichever is there."""
    import torch

    if wanted not in DEVICES:
        raise UsageError(f"--device is {', '.join(DEVICES[:-1])} or {DEVICES[-1]}, not {wanted!r}")
    there = torch.cuda.is_available()
    if wanted == "cuda" and not there:
        raise UsageError("--device cuda: torch finds no such device here; leave it out, or say --device cpu")
    return "cuda" if there and wanted != "cpu" else "cpu"


@cache
def require_precision(precision: str, device: str) -> None:
    """Refuse what this machine cannot do: on some a process dies of it, on others its numbers are wrong."""
    if precision not in PRECISIONS:
        raise UsageError(f"precision is {', '.join(PRECISIONS[:-1])} or {PRECISIONS[-1]}, not {precision!r}")
    if precision == PRECISIONS[0]:
        return
    try:
        call_in_process(f"{__name__}:try_precision", {"precision": precision, "device": device})
    except LinkassayError as error:
        raise UsageError(f"this machine cannot compute with precision {precision} on {device}: {error}") from error


def try_precision(precision: str, device: str) -> None:
    """Do here what an encoder does, in sizes at which libraries take fast ways; an error if it comes out wrong."""
    import torch

    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(384, 12, 1536, batch_first=True).eval().to(device)
    texts: Any = torch.randn(32, 16, 384, device=device)
    try:
        with torch.inference_mode():
            exact = layer(texts)
            half = getattr(torch, precision)
            apart = (layer.to(half)(texts.to(half)).float() - exact).abs().max().item()
    except (RuntimeError, NotImplementedError) as error:
        raise LinkassayError(str(error).strip().partition("\n")[0]) from error
    if not apart < _NEAR:
        raise LinkassayError(f"its numbers are {apart:.2g} off")
