"""The automaton against a plain search, as it was made and as it was stored."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from linkassay.linkers.spotting.aho_corasick import Automaton
from linkassay.store import MappedFolder

patterns = st.lists(st.lists(st.integers(0, 3), max_size=5), max_size=12)
texts = st.lists(st.integers(-1, 4), max_size=40)


def automaton_of(names: list[list[int]]) -> tuple[Automaton, dict[tuple[int, ...], int]]:
    """The automaton, and the node of each pattern."""
    lengths = np.array([len(name) for name in names], dtype=np.int64)
    automaton, ends = Automaton.of(lengths, np.array([n for name in names for n in name], dtype=np.int64), 5)
    return automaton, dict(zip(map(tuple, names), ends.tolist(), strict=True))


@given(patterns, texts)
def test_the_automaton_finds_what_a_plain_search_finds(names: list[list[int]], text: list[int]) -> None:
    automaton, node = automaton_of(names)
    expected = [
        (start, start + len(name), end)
        for name, end in node.items()
        for start in range(len(text) - len(name) + 1)
        if name and tuple(text[start : start + len(name)]) == name
    ]
    by_end = sorted(expected, key=lambda found: (found[1], found[0]))  # the longest of those that end together first
    assert automaton.find(text) == by_end
    with TemporaryDirectory() as folder:
        automaton.store(MappedFolder(Path(folder)))
        opened = Automaton.opened(MappedFolder(Path(folder)))
        assert opened.find(text) == by_end
        assert opened.size == automaton.size


@given(patterns, st.lists(st.integers(-1, 4), max_size=5))
def test_the_node_of_a_whole_pattern(names: list[list[int]], text: list[int]) -> None:
    automaton, node = automaton_of(names)
    assert automaton.node(text) == node.get(tuple(text), 0)
    for name, end in node.items():
        assert automaton.node(name) == end
    assert len(set(node.values())) == len(node)
    assert all(0 <= end < automaton.size for end in node.values())
