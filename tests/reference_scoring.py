"""A slow and obvious implementation of RANK-1 to RANK-4 and TIE-1 to TIE-7, to hold the fast one to.

A ranking is a list of groups, each a list of ids; gold is a list of alternatives, each a set of ids.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import chain, permutations, product

Groups = list[list[str]]


#: What stands in a group all of whose ids came before, where it keeps its rank.
HOLE = ""


def prepare(
    groups: Groups, moved: dict[str, tuple[str, ...]] | None = None, exclude: bool = False, keep: bool = False
) -> Groups:
    """Current ids; a removed id keeps its rank unless excluded; each id at its first rank; no empty group.

    With `keep` a group all of whose ids came before is left as a hole.
    """
    seen: set[str] = set()
    prepared = []
    for group in groups:
        kept, repeated = [], False
        for identifier in group:
            now = (moved or {}).get(identifier, (identifier,))
            if not now and not exclude:
                now = (identifier,)
            for each in now:
                repeated |= each in seen
                if each not in seen:
                    seen.add(each)
                    kept.append(each)
        if kept:
            prepared.append(kept)
        elif repeated and keep:
            prepared.append([HOLE])
    return prepared


def whole(groups: Groups) -> Groups:
    """The groups without holes: for policies that count ids."""
    return [group for group in groups if group != [HOLE]]


def current_gold(gold: list[frozenset[str]], moved: dict[str, tuple[str, ...]] | None = None) -> list[frozenset[str]]:
    """Gold in current ids: what was removed drops out, what was split becomes alternatives."""
    found: list[frozenset[str]] = []
    for alternative in gold:
        ways: list[frozenset[str]] = [frozenset()]
        for identifier in alternative:
            now = (moved or {}).get(identifier, (identifier,))
            if now:
                ways = [way | {each} for way in ways for each in now]
        found += [way for way in ways if way]
    return found


def orders(groups: Groups) -> list[tuple[str, ...]]:
    """Every order consistent with the groups."""
    return _orders(tuple(map(tuple, groups)))


@lru_cache(maxsize=64)  # a ranking is asked for again at each cut-off
def _orders(groups: tuple[tuple[str, ...], ...]) -> list[tuple[str, ...]]:
    return [tuple(chain.from_iterable(order)) for order in product(*map(permutations, groups))]


def expected(groups: Groups, gold: frozenset[str], k: int) -> float:
    """The share of all orders with gold among the first k ids."""
    found = orders(whole(groups))
    return sum(bool(gold & set(order[:k])) for order in found) / len(found)


def expected_reciprocal(groups: Groups, gold: frozenset[str], k: int | None = None) -> float:
    """The mean over all orders of 1/rank of the first gold id within k."""
    found = orders(whole(groups))
    worth = 0.0
    for order in found:
        for rank, identifier in enumerate(order if k is None else order[:k], start=1):
            if identifier in gold:
                worth += 1 / rank
                break
    return worth / len(found)


def one_per_group(groups: Groups, gold: frozenset[str], k: int) -> float:
    """The share of all ways to draw one id from each group with gold among the first k."""
    draws = list(product(*groups))
    return sum(bool(gold & set(draw[:k])) for draw in draws) / len(draws)


def file_order(groups: Groups, gold: frozenset[str], k: int) -> float:
    """Gold is among the first k ids as written."""
    return float(bool(gold & set(sum(whole(groups), [])[:k])))


def any_(groups: Groups, gold: frozenset[str], k: int) -> float:
    """One of the first k groups contains gold."""
    return float(any(gold & set(group) for group in groups[:k]))


def all_(groups: Groups, gold: frozenset[str], k: int) -> float:
    """One of the first k groups has gold ids only."""
    return float(any(set(group) <= gold for group in groups[:k]))


def single(groups: Groups, gold: frozenset[str], k: int) -> float:
    """One of the first k groups is one gold id."""
    return float(any(len(group) == 1 and group[0] in gold for group in groups[:k]))


POLICIES: dict[str, Callable[[Groups, frozenset[str], int], float]] = {
    "expected": expected,
    "one-per-group": one_per_group,
    "file-order": file_order,
    "any": any_,
    "all": all_,
    "single": single,
}


def gold_all(groups: Groups, alternatives: list[frozenset[str]], k: int, ties: str) -> float:
    """Every id of one alternative is within the first k ids as written, or groups for `any`."""
    first = sum(groups[:k], []) if ties == "any" else sum(whole(groups), [])[:k]
    return float(any(alternative <= set(first) for alternative in alternatives))


def reciprocal(groups: Groups, gold: frozenset[str], k: int | None, ties: str) -> float:
    """The expected 1/rank of the first hit: each rank times the chance that the first hit is there."""
    if ties == "expected":
        return expected_reciprocal(groups, gold, k)
    last = sum(map(len, groups)) if k is None else k
    at = [POLICIES[ties](groups, gold, cut) if cut else 0.0 for cut in range(last + 1)]
    return sum((at[rank] - at[rank - 1]) / rank for rank in range(1, last + 1))
