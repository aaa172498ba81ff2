"""What may import what, as docs/architecture.md draws it: from its left, and only what a front door offers."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import linkassay
from linkassay.registry import for_checkers, is_for_checkers

PACKAGE = Path(linkassay.__file__).parent
#: Rooms from left to right. `linkassay` itself is the verbs, which lead everywhere: only the command line uses them.
ORDER = [
    "errors", "starting", "stopping", "moved", "defaults", "model", "prefixes", "ids", "problems", "files", "registry",
    "decoding", "store", "machine_code", "network", "fetch", "sources", "engine", "text", "tables", "charts", "formats",
    "kbs", "corpora", "linkers", "runs", "cautions", "scoring", "in_memory", "wic", "published", "explorer", "pages",
    "checks", "listing", "progress", "bench_files", "serving", "linkassay", "cli",
]  # fmt: skip
#: A front door that offers more is a corridor.
MOST_NAMES = 44


def modules() -> dict[str, Path]:
    """Every module by its name without `linkassay.`; the package itself is `linkassay`."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").removesuffix(".")
        found[name or "linkassay"] = path
    return found


MODULES = modules()
DOORS = {name: path for name, path in MODULES.items() if path.name == "__init__.py" and name != "linkassay"}


def room(module: str) -> str:
    return module.partition(".")[0]


def imported(path: Path, *, typed: bool) -> Iterator[tuple[str, str]]:
    """(module without `linkassay.`, name) of every import of ours, also inside functions; `typed`: for checkers too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if not typed and isinstance(node, ast.If) and is_for_checkers(node.test)
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "linkassay":
            _, _, module = node.module.partition(".")
            yield from ((module or "linkassay", alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                top, _, module = alias.name.partition(".")
                if top == "linkassay":
                    yield module or "linkassay", ""


def rooms_of(imports: Iterator[tuple[str, str]]) -> set[str]:
    return {name if module == "linkassay" and name in ORDER else room(module) for module, name in imports}


def test_no_room_imports_from_its_right() -> None:
    assert {room(module) for module in MODULES} - {"__main__"} == set(ORDER)
    wrong = []
    for module, path in MODULES.items():
        if module in ("linkassay", "__main__"):
            continue
        place = ORDER.index(room(module))
        later = {other for other in rooms_of(imported(path, typed=False)) if ORDER.index(other) > place}
        wrong += [f"{module} imports {other}" for other in sorted(later)]
    assert wrong == []


def test_other_rooms_are_entered_by_the_front_door() -> None:
    """Of another room a module imports what the `__init__` of a package offers, never a module behind it."""
    wrong = []
    for module, path in MODULES.items():
        for other, name in imported(path, typed=True):
            if room(other) == room(module) or other == "linkassay":
                continue
            if other in DOORS:
                if name not in offered(other):
                    wrong.append(f"{module} imports {name} of {other}, which does not offer it")
            elif "." in other:
                wrong.append(f"{module} imports {name or 'all'} of {other}, which is no door")
    assert wrong == []


def test_a_lazy_door_is_not_imported_whole() -> None:
    """Names are imported of it, one by one: so the identity of a run can follow them (`runs/dependencies.py`)."""
    lazy = {door for door, path in DOORS.items() if "front_door(__name__)" in path.read_text(encoding="utf-8")}
    assert "kbs" in lazy
    whole = [
        f"{module} imports {found}"
        for module, path in MODULES.items()
        for other, name in imported(path, typed=False)
        if (found := other if not name else name if other == "linkassay" else f"{other}.{name}") in lazy
    ]
    assert whole == []


def offered(door: str) -> list[str]:
    return list(getattr(importlib.import_module(f"linkassay.{door}"), "__all__", ()))


@pytest.mark.parametrize("door", sorted(DOORS))
def test_a_front_door_says_what_it_offers(door: str) -> None:
    """Its `__all__` is short and true: each name can be loaded, none hides a module, all that checkers see is in it."""
    room = importlib.import_module(f"linkassay.{door}")
    names = offered(door)
    assert (room.__doc__ or "").strip()
    assert len(names) == len(set(names)) <= MOST_NAMES
    inside = {path.stem for path in Path(room.__file__ or "").parent.iterdir()}
    for name in names:
        found = getattr(room, name) if name not in inside else importlib.import_module(f"linkassay.{door}.{name}")
        assert found is not None
        assert name in dir(room)
    typed = for_checkers(ast.parse(DOORS[door].read_text(encoding="utf-8")))
    own = {name for name, module in typed.items() if module.startswith(f"linkassay.{door}")}
    assert own <= set(names)
    assert not {name for name in own if name in inside and typed[name] != f"linkassay.{door}"}


def test_only_front_doors_and_single_rooms_have_public_names() -> None:
    behind = [name for name, path in MODULES.items() if "." in name and name not in DOORS
              and any(getattr(t, "id", "") == "__all__" for node in ast.parse(path.read_text(encoding="utf-8")).body
                      if isinstance(node, ast.Assign) for t in node.targets)]  # fmt: skip
    assert behind == []


PAGE = (PACKAGE.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_the_architecture_draws_the_order() -> None:
    [picture] = re.findall(r"## What may import what\n\n```\n(.*?)```", PAGE, re.S)
    assert re.findall(r"\w+", picture) == ORDER


def test_the_architecture_has_a_line_for_every_room() -> None:
    """Each with what it is for and some of what its front door offers."""
    table = PAGE.partition("\n## The rooms\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `([\w/]+)(?:/|\.py)` \| (.+?) \| (.*?) ?\|$", table, re.M)
    rooms = [name.replace("/", ".") for name, _, _ in rows]
    assert sorted(rooms) == sorted({*DOORS, *ORDER} - {"linkassay"})
    assert [room(name) for name in rooms] == sorted(map(room, rooms), key=ORDER.index)
    for name, (_, _, offers) in zip(rooms, rows, strict=True):
        assert {each for each in re.findall(r"`(\w+)`", offers) if each not in offered(name)} == set(), name
        assert offers or not offered(name), f"{name} offers something"


#: Tests that are named after no module of the room that their folder mirrors: what they are about is no one module's.
TOPICS = {
    "": {
        "architecture",
        "definitions",
        "docs",
        "kill",
        "old_homes",
        "ray",
        "snapshots",
        "start_up",
        "unwritable",
        "verbs",
        "walk",
    },
    "corpora/catalog": {"readers", "real", "real_cli", "specs"},
    "formats": {"files_people_have"},
    "formats/predictions": {"readers"},
    "kbs/catalog": {"real"},
    "linkers": {"repeatable"},
    "linkers/external": {"command_and_http"},
    "linkers/house": {"stored"},
    "explorer": {"pages_by_id"},
    "pages": {
        "accessibility", "browser", "browser_charts", "browser_mentions", "browser_mini", "browser_runs",
        "browser_shell", "documents_of_both_feeds", "list_views", "mentions_of_both_feeds", "vendor",
    },
    "published": {"reproduce"},
    "runs/importing": {"real"},
    "scoring": {"registries"},
    "scoring/disambiguation": {"real", "slices_real"},
    "scoring/endtoend": {"biomedical", "elevant", "elevant_files"},
    "scoring/hierarchy": {"real"},
    "serving": {"browser_hostile", "browser_server"},
}  # fmt: skip
TESTS = Path(__file__).parent
#: Folders that mirror no room: of other packages, and what tests use.
ELSEWHERE = {name: TESTS.parent / name for name in ("bench", "endure")}
NO_TESTS = ("samples", "snapshots", "standins")


def mirrored(folder: Path) -> Path:
    """The room whose tests are in a folder."""
    return ELSEWHERE.get(folder.as_posix(), PACKAGE / folder)


def test_folders_of_tests_mirror_rooms() -> None:
    folders = {path.parent.relative_to(TESTS) for path in TESTS.rglob("*.py")}
    mine = {folder for folder in folders if not folder.parts or folder.parts[0] not in NO_TESTS}
    assert [folder.as_posix() for folder in sorted(mine) if not mirrored(folder).is_dir()] == []


def test_tests_are_where_their_modules_are() -> None:
    """`test_X.py` is beside the module or room X that it is named after, inside a room X, or one of `TOPICS`.

    Modules of the script are in a folder of their own.
    """
    astray: list[str] = []
    topics: dict[str, set[str]] = {folder: set() for folder in TOPICS}
    for path in sorted(TESTS.rglob("test_*.py")):
        folder, name = path.parent.relative_to(TESTS), path.stem.removeprefix("test_")
        place, at = mirrored(folder), "" if folder == Path() else folder.as_posix()
        named = (place / f"{name}.py", place / name / "__init__.py", place / "script" / f"{name}.js")
        if any(map(Path.is_file, named)) or name == folder.name:
            continue
        if name in TOPICS.get(at, ()):
            topics[at].add(name)
        else:
            there = [of.parent.relative_to(PACKAGE).as_posix() for of in PACKAGE.rglob(f"{name}.py")]
            astray.append(f"{path.relative_to(TESTS)}: " + (f"belongs to {', '.join(there)}" if there else "no module"))
    assert astray == []
    assert topics == TOPICS, "a topic has no test any more, or a module has come to be called so"
