"""The modules of the front end join into one script."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import linkassay
from linkassay.pages import front_end

FOLDER = Path(linkassay.__file__).parent / "pages" / "script"
IMPORTED = re.compile(r'^import \{([^}]*)\} from "\./(\w+\.js)";$', re.MULTILINE)
EXPORTED = re.compile(r"^export (?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)
NAMED = re.compile(r"^(?:export )?(?:async )?(?:function|const|let|class) (\w+)", re.MULTILINE)


def test_every_module_is_reached_and_stands_behind_what_it_imports_if_it_can() -> None:
    assert sorted(front_end.modules()) == sorted(path.name for path in FOLDER.glob("*.js"))
    assert front_end.modules()[-1] == front_end.ENTRY


def test_names_at_the_top_are_unique() -> None:
    """In one block a second one would be an error."""
    names = Counter(name for module in front_end.modules() for name in NAMED.findall(front_end.module(module)))
    assert [name for name, n in names.items() if n > 1] == []


def test_what_is_imported_is_exported() -> None:
    for module in front_end.modules():
        for names, other in IMPORTED.findall(front_end.module(module)):
            asked = {name.strip() for name in names.split(",") if name.strip()}
            assert asked <= set(EXPORTED.findall(front_end.module(other))), (module, other)


def test_joined_script_has_no_module_syntax() -> None:
    assert not re.search(r"^\s*(?:import|export)\b", front_end.script(), re.MULTILINE)
