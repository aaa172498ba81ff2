"""Trees of alternatives: which of the labels of a tree count, and what the tree as a whole counts for.

`weigh_as_elevant` is ELEVANT's way (ELEVANT-3, ELEVANT-4), `settle_as_fair` that of `fair` (TREE-1 to TREE-4, TREE-7).
Both take outcomes that the decision matrix gave label by label and change those of trees only; a label without parent
and children is no tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from linkassay.scoring.endtoend.decision_matrix import (  # fmt: skip
    ENTITY,
    FN,
    FP,
    LINKING,
    MATRIX,
    MODES,
    NER,
    NIL,
    NOTHING,
    OPTIONAL,
    OPTIONAL_NIL,
    PREDICTED_NIL,
    REQUIRED,
    SAME,
    TP,
)


class Tree:
    """The rows of one tree, what hangs below each, and an order in which what a label depends on comes before it.

    A label has one parent; `children` also has those that its source lists for a second label.
    """

    __slots__ = ("children", "parent", "root", "rows")

    def __init__(self, root: int, parent: Mapping[int, int], children: Mapping[int, list[int]]) -> None:
        self.root, self.parent, self.children = root, parent, children
        self.rows: list[int] = []
        below = children[root]
        if not any(child in children or parent[child] != root for child in below):  # as most are
            self.rows = [*dict.fromkeys(below), root]
            return
        seen = {root}
        waiting = [(root, iter(self._before(root)))]
        while waiting:
            row, ahead = waiting[-1]
            child = next((c for c in ahead if c not in seen), None)
            if child is None:
                self.rows.append(row)
                waiting.pop()
            else:
                seen.add(child)
                waiting.append((child, iter(self._before(child))))

    def below(self, row: int) -> list[int]:
        """The children of a row."""
        return self.children.get(row, [])

    def _before(self, row: int) -> list[int]:
        """The children, and the siblings that they look at."""
        found = self.below(row)
        strange = {self.parent[child] for child in found} - {row}
        return found + [other for above in strange for other in self.children[above]] if strange else found


def find_trees(parent: np.ndarray, further: Mapping[int, Sequence[int]]) -> list[Tree]:
    """All trees of more than one label, in the order of their roots; `further` parents of some rows."""
    children: dict[int, list[int]] = {}
    above: dict[int, int] = {}
    for row in np.flatnonzero(parent >= 0).tolist():  # neither roots nor what belongs to no tree
        above[row] = int(parent[row])
        for other in (above[row], *further.get(row, ())):
            children.setdefault(other, []).append(row)
    return [Tree(row, above, children) for row in sorted(children) if row not in above]


def weigh_as_elevant(
    trees: list[Tree], right: np.ndarray, answered: np.ndarray, present: np.ndarray, wide: np.ndarray,
    optional: np.ndarray, known: np.ndarray, outcomes: np.ndarray,
) -> np.ndarray:  # fmt: skip
    """Factors 0 or 1 of all labels as ELEVANT gives them; `outcomes` of roots are made those of their trees.

    `right` is where the prediction is the label's, `answered` where there is one with an id, `present` where there is
    one at all, `wide` the widened span as a number, `known` where the gold is an entity of the KB; `outcomes` has the
    axes NIL handling, task, label.
    """
    factor = [1] * outcomes.shape[-1]
    # Label by label on plain numbers: arrays are slow to ask for one element.
    rights, answers, spans, optionals = right.tolist(), answered.tolist(), wide.tolist(), optional.tolist()
    packed: list[int] = _pack(outcomes).tolist()
    changed: set[int] = set()
    for tree in trees:
        root, below = tree.root, tree.rows[:-1]
        for row, value in _factors(tree, rights, answers, spans).items():
            factor[row] = value
        without = [row for row in below if not factor[row]]
        if not factor[root]:
            packed[root] = _whole(packed[row] for row in below if factor[row])
        elif optionals[root] and not present[root] and not all(optionals[row] for row in below):
            packed[root] = int(_pack(MATRIX[:, :, ENTITY if known[root] else NIL, NOTHING]))
        for row in without:
            packed[row] = 0
        changed.update((root, *without))
    rows = sorted(changed)
    outcomes[:, :, rows] = _unpack(np.array([packed[row] for row in rows], dtype=np.int64))
    return np.array(factor, dtype=np.int64)


#: Where the outcomes of NIL handling and task stand in one number for all four.
_PLACES = np.array([[0, 4], [8, 12]])
_ALL_FN, _ALL_TP = (int((bit << _PLACES).sum()) for bit in (FN, TP))


def _pack(outcomes: np.ndarray) -> np.ndarray:
    places = _PLACES.reshape(2, 2, *[1] * (outcomes.ndim - 2))
    found: np.ndarray = (outcomes.astype(np.int64) << places).sum(axis=(0, 1))
    return found


def _unpack(packed: np.ndarray) -> np.ndarray:
    found: np.ndarray = (packed >> _PLACES[:, :, None]) & (TP | FP | FN)
    return found


def _whole(packed: Iterable[int]) -> int:
    """Of several outcomes: FN if any has it; TP if it is the only one; else nothing."""
    together = 0
    for outcome in packed:
        together |= outcome
    missed = together & _ALL_FN
    other = missed // FN | (together // FP & _ALL_TP)  # where there is more than TP, as the bit of TP
    return missed | (together & _ALL_TP & ~other)


def _factors(tree: Tree, right: list[bool], answered: list[bool], wide: list[int]) -> dict[int, int]:
    """ELEVANT-3; from below, since a label's value does not depend on what asks for it."""
    best: dict[int, int] = {}  # the largest value that children return
    own: dict[int, int] = {}  # the factor without asking siblings
    beside: dict[int, bool] = {}  # whether a child has a value by itself

    def factor(row: int) -> int:
        if own[row] or right[row] or answered[row] or best[row]:
            return own[row]
        above = tree.parent[row]
        if above not in beside:
            beside[above] = any(max(best.get(c, 0), own.get(c, 0)) for c in tree.below(above))
        return int(beside[above])

    for row in tree.rows:
        best[row] = 0 if right[row] else max((max(best[c], factor(c)) for c in tree.below(row)), default=0)
        if row == tree.root:
            own[row] = int(right[row] or not best[row])
        else:
            fails = answered[row] and not best[row] and wide[row] != wide[tree.parent[row]]
            own[row] = int(right[row] or fails)
    visited = {tree.root: own[tree.root]}
    waiting = [tree.root]
    while waiting:
        row = waiting.pop()
        if not right[row]:
            for child in tree.below(row):
                if child not in visited:
                    visited[child] = factor(child)
                    waiting.append(child)
    return {row: visited.get(row, 0) for row in tree.rows}


def settle_as_fair(trees: list[Tree], relation: np.ndarray, state: np.ndarray, outcomes: np.ndarray) -> None:
    """Make the outcomes of roots those of their trees and leave the labels below only their false positives (TREE-1).

    A tree is right if its root is, or if all its parts are; a part likewise. What need not be found (optional, or NIL
    where NIL is ignored) need not be right either. A tree with an optional root must be found if one of its parts must.
    Parts are those that name their parent, whoever else lists them (TREE-7).
    """
    for tree in trees:
        for mode in range(len(MODES)):
            needed = _needed(tree, state, mode)
            for task in (LINKING, NER):
                found = outcomes[mode, task]
                right = _right(tree, relation, state, needed, found, task)
                found[tree.rows] &= FP
                if needed[tree.root] and not _ignored(relation[tree.root], state[tree.root]):
                    found[tree.root] |= TP if right else FN


def _ignored(relation: int, state: int) -> bool:
    """Whether an optional label is answered as it is: such an answer is neither found nor wrong (TREE-4)."""
    return (state == OPTIONAL and relation == SAME) or (state == OPTIONAL_NIL and relation == PREDICTED_NIL)


def _needed(tree: Tree, state: np.ndarray, mode: int) -> dict[int, bool]:
    """Which labels of a tree must be found (TREE-3)."""
    needed: dict[int, bool] = {}
    for row in tree.rows:
        needed[row] = state[row] == ENTITY or (state[row] == NIL and mode == REQUIRED)
        if not needed[row] and state[row] != NIL:
            needed[row] = any(needed[child] for child in tree.below(row))
    return needed


def _right(
    tree: Tree, relation: np.ndarray, state: np.ndarray, needed: dict[int, bool], found: np.ndarray, task: int
) -> bool:
    """Whether the tree is right (TREE-2): its root, or all parts that are needed and at least one."""
    right: dict[int, bool] = {}
    for row in tree.rows:
        if task == NER:
            right[row] = relation[row] != NOTHING and not found[row] & (FN | FP)
        else:
            nil = state[row] in (NIL, OPTIONAL_NIL) and relation[row] == PREDICTED_NIL
            right[row] = relation[row] == SAME or nil
        below = tree.below(row)
        if below and not right[row]:
            right[row] = all(right[c] or not needed[c] for c in below) and any(right[c] for c in below)
    return right[tree.root]
