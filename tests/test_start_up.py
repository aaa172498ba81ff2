"""`import linkassay` is cheap: nothing heavy, and little time beyond bare Python."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

HEAVY = {
    "torch", "transformers", "safetensors", "faiss", "pandas", "sklearn", "duckdb", "numpy", "pyarrow", "scipy",
    "numba", "altair", "typer", "rich",
}  # fmt: skip


def _run(code: str) -> tuple[str, float]:
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout, time.perf_counter() - begin


def test_import_loads_nothing_heavy() -> None:
    out, _ = _run("import sys, linkassay; print(*sorted({m.partition('.')[0] for m in sys.modules}))")
    assert "linkassay" in out.split()
    assert not HEAVY & set(out.split())


def test_help_loads_no_data_library() -> None:
    out, _ = _run(
        "import sys, runpy; sys.argv = ['linkassay', '--help']\n"
        "try:\n import linkassay.cli as c; c.main()\nexcept SystemExit: pass\n"
        "print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    assert not (HEAVY - {"typer", "rich"}) & set(out.splitlines()[-1].split())


def test_numba_is_loaded_by_linkers_that_need_it_only(home_with_mini: Path, tmp_path: Path) -> None:
    """Nor is what parses Turtle, unless there is some."""
    commands = [
        ["get", "mini"], ["link", "exact", "mini"], ["link", "normalised", "mini"], ["score", "mini/exact"],
        ["compare", "mini/exact", "mini/normalised"], ["report", "mini/exact", "-o", str(tmp_path / "report.html")],
    ]  # fmt: skip
    out, _ = _run(
        "import sys, linkassay.cli as c\n"
        f"for command in {commands!r}:\n"
        " sys.argv = ['linkassay', *command]\n"
        " try:\n  c.main()\n except SystemExit as end: assert not end.code, command\n"
        "print(*sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    assert not {"numba", "llvmlite", "pyoxigraph"} & set(out.splitlines()[-1].split())


def test_import_takes_at_most_three_tenths_of_a_second() -> None:
    bare = statistics.median(_run("pass")[1] for _ in range(5))
    ours = statistics.median(_run("import linkassay")[1] for _ in range(5))
    assert ours - bare <= 0.3


def test_no_verb_has_the_name_of_a_module() -> None:
    """Importing a submodule would put it in the verb's place."""
    from pathlib import Path

    import linkassay

    modules = {path.stem for path in Path(linkassay.__file__).parent.iterdir()}
    assert not modules & set(linkassay.__all__)
