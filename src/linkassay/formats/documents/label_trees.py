"""Trees of ELEVANT's labels: which labels a root leads to, and who else lists a label as its child (DATA-7, DATA-12).

A label says who its parent is, and a parent lists its children. Where the two do not agree nothing is refused: a label
that no root leads to is *stray*, an entry that leads nowhere is left out, and both are noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Listed(NamedTuple):
    """What a label says of its tree; `children` is None where it lists none."""

    parent: str | None
    children: frozenset[str] | None


@dataclass(frozen=True)
class LabelTrees:
    """`stray`: labels that belong to no tree, each with why; `further`: who else lists a label; `entries` left out."""

    stray: Mapping[str, str]
    further: Mapping[str, tuple[str, ...]]
    entries: tuple[tuple[str, str], ...]  # the label with the entry, and what is wrong with it


def label_trees(labels: Mapping[str, Listed]) -> LabelTrees:
    """The trees of one article's labels, by their ids.

    >>> found = label_trees({"0": Listed(None, frozenset({"1"})), "1": Listed("0", None), "2": Listed("9", None)})
    >>> found.stray
    {'2': 'has the parent 9, which does not exist'}
    """
    stray = _stray(labels)
    roots = _roots(labels, stray)
    further: dict[str, tuple[str, ...]] = {}
    entries = []
    for key, (_, children) in labels.items():
        for child in sorted(children or ()):
            if child in labels and labels[child].parent == key:
                continue
            if wrong := _wrong_entry(key, child, labels, roots, further):
                entries.append((key, f"lists the child {child}, {wrong}"))
            else:
                further[child] = (*further.get(child, ()), key)
    return LabelTrees(stray, further, tuple(entries))


def _stray(labels: Mapping[str, Listed]) -> dict[str, str]:
    """Labels that have a parent and that no root leads to, each with why."""
    lists = any(label.children is not None for label in labels.values())
    reasons: dict[str, str] = {}  # "" for those that a root leads to
    for key in labels:
        path: list[str] = []
        here = key
        while here not in reasons and here not in path:
            path.append(here)
            parent = labels[here].parent
            if parent is None:
                reasons[here] = ""
            elif parent not in labels:
                reasons[here] = f"has the parent {parent}, which does not exist"
            elif lists and here not in (labels[parent].children or ()):
                reasons[here] = f"has the parent {parent}, which does not list it among its children"
            else:
                here = parent
        if here not in reasons:  # met twice
            reasons |= dict.fromkeys(path[path.index(here) :], "has parents that form a circle")
        for below in reversed(path):
            if below not in reasons:
                above = labels[below].parent or ""
                reasons[below] = reasons[above] and f"is below label {above}, which belongs to no tree"
    return {key: reasons[key] for key in labels if reasons[key]}


def _roots(labels: Mapping[str, Listed], stray: Mapping[str, str]) -> dict[str, str]:
    """The root of each label that has one."""
    roots: dict[str, str] = {}
    for key in labels.keys() - stray.keys():
        path = []
        here = key
        while here not in roots:
            path.append(here)
            parent = labels[here].parent
            if parent is None:
                roots[here] = here
            else:
                here = parent
        roots |= dict.fromkeys(path, roots[here])
    return roots


def _wrong_entry(
    key: str, child: str, labels: Mapping[str, Listed], roots: Mapping[str, str],
    further: Mapping[str, tuple[str, ...]],
) -> str:  # fmt: skip
    """What is wrong with a child that names another parent; "" if both are of one tree and make no circle."""
    if child not in labels:
        return "which does not exist"
    if labels[child].parent is None:
        return "which has no parent"
    if key not in roots or roots.get(child) != roots[key]:
        return "which is of another tree"
    if _is_above(child, [key], labels, further):
        return "which is above it"
    return ""


def _is_above(
    key: str, start: Iterable[str], labels: Mapping[str, Listed], further: Mapping[str, tuple[str, ...]]
) -> bool:
    """Whether `key` is reached from `start` by going up, over the parents that labels have and those that list them."""
    waiting, seen = list(start), set()
    while waiting:
        here = waiting.pop()
        if here == key:
            return True
        if here not in seen:
            seen.add(here)
            parent = labels[here].parent
            waiting += [*([parent] if parent is not None else []), *further.get(here, ())]
    return False
