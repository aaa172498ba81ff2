"""How long a person waits before anything happens, for the demo, and for the smallest score."""

from __future__ import annotations

import sys

from bench.measure import Row, Taken, alternate, command, loop, row, run, scratch, wall

_NOTHING = [sys.executable, "-c", "pass"]


def rows() -> list[Row]:
    """Start-up, demo, `score mini/exact` (SPEED-9, SPEED-14)."""
    with scratch() as folder:
        home = folder / "home"
        demo = alternate("start", 1, {"demo": lambda: command("demo", "-o", folder / "page.html", home=home)})["demo"]
        command("link", "exact", "mini", home=home)
        turns = alternate("start", 7, {
            "bare Python": lambda: run(_NOTHING),
            "import": lambda: run([sys.executable, "-c", "import linkassay"]),
            "--help": lambda: command("--help", home=home),
            "score": lambda: command("score", "mini/exact", home=home),
        })  # fmt: skip
    bare = min(turns["bare Python"], key=lambda taken: taken.wall)
    beyond = [Taken(t.cpu - bare.cpu, t.wall - bare.wall, t.memory) for t in turns["import"]]
    return [
        row("import linkassay, beyond bare Python", beyond, wall(0.3)),
        row("linkassay --help", turns["--help"], wall(0.6)),
        row("linkassay score mini/exact, not for the first time", turns["score"], wall(0.5)),
        row("linkassay demo, from nothing", demo, wall(60)),
    ]


def quick_rows() -> list[Row]:
    """For the guard: against the calibration loop."""
    with scratch() as home:
        command("get", "mini", home=home)
        command("link", "exact", "mini", home=home)
        turns = alternate("start", 5, {"ours": lambda: command("score", "mini/exact", home=home), "loop": loop})
    return [row("linkassay score mini/exact", turns["ours"], peer=turns["loop"], against="calibration loop")]
