"""Names that documentation once gave still lead to the same things, with a warning that names the new place."""

from __future__ import annotations

import importlib
import subprocess
import sys
import warnings

import pytest

from linkassay.moved import MOVED

OLD = [(module, name, today) for module, names in MOVED.items() for name, today in names.items()]


@pytest.mark.parametrize(("module", "name", "today"), OLD)
def test_an_old_name_is_the_new_thing(module: str, name: str, today: str) -> None:
    room, _, new = today.partition(":")
    with pytest.warns(DeprecationWarning, match=f"{module}.{name} is now {room}.{new}".replace(".", r"\.")):
        found = getattr(importlib.import_module(module), name)
    door = importlib.import_module(room)
    assert found is (getattr(door, new, None) or importlib.import_module(f"{room}.{new}"))
    assert new in door.__all__


def test_the_warning_is_about_the_line_that_asks() -> None:
    code = "from linkassay.kbs.stored import Kb\nprint(Kb.__name__)\n"
    command = [sys.executable, "-W", "always::DeprecationWarning", "-c", code]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == "Kb\n"
    assert "<string>:1: DeprecationWarning: linkassay.kbs.stored.Kb is now linkassay.kbs.Kb" in result.stderr


def test_new_names_do_not_warn_and_unknown_ones_are_unknown() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        from linkassay.kbs import Kb  # noqa: F401
    for module, name in (("linkassay.kbs.stored", "Bk"), ("linkassay.kbs", "Bk")):
        with pytest.raises(AttributeError, match="has no attribute 'Bk'"):
            getattr(importlib.import_module(module), name)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("linkassay.kbs.stord")
    with pytest.raises(ImportError, match="cannot import name"):
        exec("from linkassay.kbs import Bk")
