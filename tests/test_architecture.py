"""What may import what, as docs/architecture.md draws it: a room never imports from one to its right."""

from __future__ import annotations

import ast
from pathlib import Path

import linkassay

ORDER = [
    "errors", "model", "ids", "problems", "files", "registry", "store", "fetch", "sources", "engine", "text", "tables",
    "formats", "kbs", "corpora", "linkers", "runs", "scoring", "wic", "published", "pages", "checks", "listing",
    "progress", "bench_files", "cli",
]  # fmt: skip
#: (module, room it may look at although that is to its right), each with its reason in docs/architecture.md
ALLOWED = {("kbs.revision_changes", "corpora")}


def imports(path: Path) -> set[str]:
    """Rooms of linkassay that a module imports, also inside functions; not those for type checkers only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    rooms = set()
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "linkassay":
            parts = node.module.split(".")
            rooms |= {parts[1]} if len(parts) > 1 else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            rooms |= {a.name.split(".")[1] for a in node.names if a.name.startswith("linkassay.")}
    return rooms & set(ORDER)


def test_no_room_imports_from_its_right() -> None:
    root = Path(linkassay.__file__).parent
    wrong = []
    for path in sorted(root.rglob("*.py")):
        module = ".".join(path.relative_to(root).with_suffix("").parts).removesuffix(".__init__")
        room = module.split(".")[0]
        if room not in ORDER:
            continue  # the verbs, which import everything when called
        later = {other for other in imports(path) if ORDER.index(other) > ORDER.index(room)}
        wrong += [f"{module} imports {other}" for other in sorted(later) if (module, other) not in ALLOWED]
    assert wrong == []


def test_every_room_is_named_in_the_architecture() -> None:
    root = Path(linkassay.__file__).parent
    text = (root.parent.parent / "docs" / "architecture.md").read_text(encoding="utf-8")
    rooms = {p.stem for p in root.iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    assert {room for room in rooms if f"`{room}" not in text} <= {"__init__", "__main__"}
