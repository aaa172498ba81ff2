"""Loops compiled by Numba, and where what it compiled is kept. Import it late: Numba takes a second to load.

It is never kept beside the installed sources, which may be read-only, nor in a data home that `LINKASSAY_HOME` names:
others may have filled that one, and what was compiled is run as it is (SAFE-8). So it is in the user's own data home,
whichever is in use, or where `NUMBA_CACHE_DIR` says.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pickle import UnpicklingError
from typing import Any, TypeVar, cast

import numba

from linkassay.store import user_home

__all__ = ["compiled", "inner"]

Function = TypeVar("Function", bound=Callable[..., Any])

_njit: Any = numba.njit  # neither its options for wrappers nor the settings are declared
_settings: Any = numba.config


def compiled(function: Function) -> Function:
    """To machine code when first called, kept on disk for the next process; other threads may run meanwhile."""
    return cast(Function, _kept(_njit(nogil=True, no_cfunc_wrapper=True)(function)))


def inner(function: Function) -> Function:
    """The same for what only compiled functions call, which is compiled sooner."""
    return cast(Function, _kept(_njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(function)))


def _kept(made: Any) -> Any:
    """With a place on disk, if there is one: by itself Numba would fall back on the folder of the sources."""
    given = _settings.CACHE_DIR
    if hasattr(made, "enable_caching") and (folder := _folder(given)):  # it has not with NUMBA_DISABLE_JIT
        _settings.CACHE_DIR = folder  # looked at now and never again
        try:
            made.enable_caching()
        finally:
            _settings.CACHE_DIR = given
        _forgive(made._cache)
    return made


@cache
def _folder(given: str) -> str:
    """Where compiled code is kept, by version; "" if nothing can be written there."""
    own = user_home() / "compiled" / f"{version('linkassay')}-numba-{numba.__version__}"
    folder = given or str(own)
    try:
        os.makedirs(folder, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return ""
    return folder


def _forgive(kept: Any) -> None:
    """What is damaged or gone, or cannot be written as the disk is full, is compiled all the same."""
    load, save = kept.load_overload, kept.save_overload

    def loaded(*asked: Any) -> Any:
        try:
            return load(*asked)
        except (OSError, EOFError, UnpicklingError):
            with suppress(OSError):
                kept.flush()
            return None

    def saved(*found: Any) -> None:
        with suppress(OSError):
            save(*found)

    kept.load_overload, kept.save_overload = loaded, saved
