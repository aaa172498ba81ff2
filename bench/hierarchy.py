"""Type and distance of pairs on a large hierarchy: a made-up taxonomy in which some entities have a second parent."""

from __future__ import annotations

from bench.table import Row, measured, row

PAIRS = 400_000

#: Entity n has a parent between 0.3 n and 0.95 n, so that the hierarchy is about 40 deep; one in twenty has two.
_DAG = """
import numpy as np, pyarrow as pa
from linkassay.kbs.hierarchy import Hierarchy
from linkassay.scoring.hierarchy.relations import Relations
size, random = 2_500_000, np.random.default_rng(1)
child = np.arange(1, size)
edges = []
for share in (1, 0.05):
    some = child[random.random(size - 1) < share]
    edges.append((np.minimum(some - 1, (some * random.uniform(0.3, 0.95, len(some))).astype(int)), some))
keys = np.unique(np.concatenate([parent * size + below for parent, below in edges]))
ids = pa.array(np.arange(10_000_000, 10_000_000 + size)).cast(pa.string())
child, parent = (keys % size).astype(np.int32), (keys // size).astype(np.int32)
pairs = [ids.take(pa.array(random.integers(0, size, int(sys.argv[1])))) for _ in range(2)]
begin = time.perf_counter()
relations = Relations(Hierarchy(ids, child, parent))
relations.of(pairs[0][:1], pairs[1][:1])
"""
_PAIRS = """
nodes = [relations.hierarchy.numbers(side) for side in pairs]
taken = []
for _ in range(3):
    begin = time.perf_counter()
    relations._meetings.of(*nodes)
    taken.append(time.perf_counter() - begin)
begin = time.perf_counter() - sorted(taken)[1]
"""


def rows() -> list[Row]:
    """The hierarchy (SPEED-5)."""
    build, _ = measured(_DAG, str(PAIRS))
    seconds, memory = measured(_DAG + _PAIRS, str(PAIRS))
    return [
        row("hierarchy, 2.5 M entities: type and distance", PAIRS / seconds / 1000, "k pairs/s", 200, True),
        row("hierarchy, 2.5 M entities: build", build, "s", 10),
        row("hierarchy, 2.5 M entities: peak memory", memory, "MB", 2000),
    ]  # fmt: skip
