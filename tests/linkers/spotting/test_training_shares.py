"""What was counted in training is what is said of it, as it was made and as it was stored."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from linkassay.linkers.spotting.training_shares import PatternCounts, TrainingShares
from linkassay.store import MappedFolder

counters = st.dictionaries(st.sampled_from(["a:1", "b:β", "", "c"]), st.integers(1, 9), max_size=3).map(Counter)
counts = st.builds(PatternCounts, st.integers(0, 9), st.integers(0, 9), counters, counters)
sorts = st.dictionaries(
    st.tuples(st.sampled_from(["", "gene"]), st.sampled_from(["", "x"]), st.booleans(), st.booleans()),
    st.floats(0, 1),
    max_size=5,
)


@given(st.dictionaries(st.integers(1, 40), counts, max_size=8), sorts)
def test_counts_are_kept(counted: dict[int, PatternCounts], shares: dict[tuple[str, str, bool, bool], float]) -> None:
    with TemporaryDirectory() as folder:
        made = TrainingShares.of(counted, shares)
        made.store(MappedFolder(Path(folder)))
        for found in (made, TrainingShares.opened(MappedFolder(Path(folder)))):
            assert found.sorts == shares
            for pattern in range(42):
                one = counted.get(pattern, PatternCounts())
                assert found.counts(pattern) == (one.mentions, one.met)
                assert dict(found.meant(pattern)) == dict(one.ids)
                most = max(one.types.values(), default=0)
                assert found.type_of(pattern) == min((t for t, n in one.types.items() if n == most), default=None)
