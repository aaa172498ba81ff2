"""Type and distance of pairs on a large hierarchy: a made-up taxonomy in which some entities have a second parent."""

from __future__ import annotations

from bench.measure import (
    Row,
    Taken,
    Target,
    alternate,
    inside,
    memory,
    missing,
    not_measured,
    peer,
    progress,
    row,
    scratch,
    wall,
)  # fmt: skip

PAIRS, FEW = 400_000, 2_000

#: Entity n has a parent between 0.3 n and 0.95 n, so that the hierarchy is about 40 deep; one in twenty has two.
_MAKE = """
import numpy as np
size, random = 2_500_000, np.random.default_rng(1)
child = np.arange(1, size)
edges = []
for share in (1, 0.05):
    some = child[random.random(size - 1) < share]
    edges.append((np.minimum(some - 1, (some * random.uniform(0.3, 0.95, len(some))).astype(int)), some))
keys = np.unique(np.concatenate([parent * size + below for parent, below in edges]))
left, right = (random.integers(0, size, int(sys.argv[2])) for _ in range(2))
np.savez(sys.argv[1], size=size, child=(keys % size).astype(np.int32), parent=(keys // size).astype(np.int32),
         left=left, right=right)
"""
_BUILD = """
import numpy as np, pyarrow as pa
from linkassay.kbs.hierarchy import Hierarchy
from linkassay.scoring.hierarchy.relations import Relations
made = np.load(sys.argv[1])
size = int(made["size"])
ids = pa.array(np.arange(10_000_000, 10_000_000 + size)).cast(pa.string())
child, parent, pairs = made["child"], made["parent"], [ids.take(pa.array(made[side])) for side in ("left", "right")]
begin()
relations = Relations(Hierarchy(ids, child, parent))
relations.of(pairs[0][:1], pairs[1][:1])
"""
_PAIRS = """
few = int(sys.argv[2])
said = int(relations.of(pairs[0][:few], pairs[1][:few]).distance.sum())
begin()
relations.of(*pairs)
"""


def rows() -> list[Row]:
    """The hierarchy (SPEED-5)."""
    with scratch() as folder:
        progress("hierarchy: making 2.5 M entities")
        file = folder / "edges.npz"
        inside(_MAKE, file, str(PAIRS))
        sides = {
            "build": lambda: inside(_BUILD, file, str(FEW)),
            "pairs": lambda: inside(_BUILD + _PAIRS, file, str(FEW)),
        }
        if not (lacking := missing("rustworkx")):
            sides["rustworkx"] = lambda: peer("rustworkx", file, str(FEW))
        turns = alternate("hierarchy", 2, sides)
    rate = Target("pairs a CPU second", 200_000, True, value=PAIRS / min(t.cpu for t in turns["pairs"]))
    work = ("Relations: build of 2.5 M entities (inner function)",
            "Relations: type and distance of 400 k pairs of 2.5 M entities (inner function)")  # fmt: skip
    if lacking:
        return [row(work[0], turns["build"], wall(10)), row(work[1], turns["pairs"], rate, memory(2000)),
                not_measured("Relations, against rustworkx", lacking)]  # fmt: skip
    builds = [Taken(t.said["build_cpu"], 0, 0) for t in turns["rustworkx"]]
    pairs = [Taken(t.said["pairs_cpu"] * PAIRS / FEW, 0, 0) for t in turns["rustworkx"]]
    off = Target("sum of distances off", 0, value=abs(turns["pairs"][0].said - turns["rustworkx"][0].said["total"]))
    return [
        row(work[0], turns["build"], wall(10), peer=builds, against="rustworkx"),
        row(work[1], turns["pairs"], rate, memory(2000), off, peer=pairs, against=f"rustworkx on {FEW:,}, scaled"),
    ]
