"""Ids of one knowledge base in terms of another, through the cross-references of either (KB-10)."""

from __future__ import annotations

from collections.abc import Iterable

from linkassay.errors import UsageError
from linkassay.ids import PREFIXES, curie
from linkassay.kbs import KBS, stored_kb
from linkassay.kbs.schema import KbSpec
from linkassay.kbs.stored_kb import Kb
from linkassay.registry import near_miss


def map_ids(source: str, target: str, ids: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """Id of `source` → ids of `target`; both are knowledge bases or prefixes, one of them at hand.

    Given ids without a counterpart map to (); without ids, all pairs are given. One to many stays so.
    """
    pairs: dict[str, set[str]] = {}
    prefixes = _prefix(source), _prefix(target)
    asked = False
    for name, forward in ((source, True), (target, False)):
        if name.partition("@")[0] not in stored_kb.kb_names():
            continue
        asked = True
        for identifier, other in Kb.open(name).sql("select id, other from xrefs"):
            own, far = (identifier, other) if forward else (other, identifier)
            if own.startswith(f"{prefixes[0]}:") and far.startswith(f"{prefixes[1]}:"):
                pairs.setdefault(own, set()).add(far)
    if not asked:
        known = ", ".join(stored_kb.kb_names()) or "none"
        raise UsageError(f"neither {source!r} nor {target!r} is a knowledge base in the data home (at hand: {known})")
    wanted = [curie(i, prefixes[0]) for i in ids] or sorted(pairs)
    return {identifier: tuple(sorted(pairs.get(identifier, ()))) for identifier in wanted}


def _prefix(name: str) -> str:
    prefix = id_prefix(name)
    if prefix not in PREFIXES.values() and name.partition("@")[0] not in stored_kb.kb_names():
        raise UsageError(f"unknown knowledge base or prefix {name!r}; {near_miss(name, sorted({*PREFIXES.values()}))}")
    return prefix


def id_prefix(name: str) -> str:
    """The CURIE prefix of bare ids that a knowledge base, or a prefix in any spelling, stands for."""
    bare = name.partition("@")[0]
    if bare in KBS:
        spec: KbSpec = KBS.load(bare)
        return spec.prefix
    if bare in stored_kb.kb_names():
        found: str = Kb.open(name).manifest["prefix"]
        return found
    return PREFIXES.get(bare.lower(), bare)
