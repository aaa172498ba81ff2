"""Names to things: lazy, with plug-ins, and with a helping hand for typing errors."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint, EntryPoints

import pytest

from linkassay import registry
from linkassay.errors import UsageError
from linkassay.formats import DOCUMENT_FORMATS
from linkassay.registry import Registry, near_miss


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two plug-ins of kind `format`: one that works, one that does not, and one of another kind."""
    points = [
        EntryPoint("their-json", "json:loads", "linkassay.format"),
        EntryPoint("broken", "no_such_module:thing", "linkassay.format"),
        EntryPoint("json", "base64", "linkassay.format"),
        EntryPoint("elsewhere", "json", "linkassay.corpus"),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda **how: EntryPoints(points).select(**how))


def test_modules_and_attributes_are_loaded_when_asked_for() -> None:
    sys.modules.pop("colorsys", None)
    names = Registry("format", {"colours": "colorsys", "dumps": "json:dumps"})
    assert "colours" in names
    assert "colorsys" not in sys.modules
    assert names.load("colours").__name__ == "colorsys"
    assert names.load("dumps")([1]) == "[1]"


@pytest.mark.usefixtures("plugins")
def test_plugins_are_found_by_their_group() -> None:
    names = Registry("format", {"json": "json"})
    assert list(names) == ["broken", "json", "their-json"]
    assert "their-json" in names
    assert "elsewhere" not in names
    assert names.load("their-json")("[1]") == [1]


@pytest.mark.usefixtures("plugins")
def test_a_plugin_cannot_take_the_place_of_a_built_in() -> None:
    assert Registry("format", {"json": "json"}).load("json").__name__ == "json"


@pytest.mark.usefixtures("plugins")
def test_broken_plugin_is_named() -> None:
    with pytest.raises(UsageError) as error:
        Registry("format", {}).load("broken")
    assert str(error.value) == ("the plug-in format 'broken' (no_such_module:thing) cannot be loaded: "
                                "ModuleNotFoundError(\"No module named 'no_such_module'\")")  # fmt: skip


@pytest.mark.parametrize(
    ("name", "known", "help"),
    [
        ("pubtater", ["pubtator", "bioc", "brat"], "did you mean 'pubtator'?"),
        ("brt", ["bart", "brat"], "did you mean 'brat' or 'bart'?"),
        ("xyz", ["bioc", "brat"], "known are: bioc, brat"),
        ("xyz", [], "known are: none"),
    ],
)
def test_near_misses(name: str, known: list[str], help: str) -> None:
    assert near_miss(name, known) == help


def test_unknown_name() -> None:
    with pytest.raises(UsageError) as error:
        DOCUMENT_FORMATS.load("pubtater")
    assert str(error.value) == "unknown format 'pubtater'; did you mean 'pubtator'?"


@pytest.mark.parametrize("name", list(DOCUMENT_FORMATS))
def test_every_format_can_be_loaded_and_reads(name: str) -> None:
    assert callable(DOCUMENT_FORMATS.load(name).read)
