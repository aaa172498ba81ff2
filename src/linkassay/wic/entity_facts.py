"""What knowledge bases say of the entities and terms at hand: one id for each entity, names, who is too close to whom.

Everything is asked for in a few joins; afterwards it is plain data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from linkassay.kbs import Kb

#: Why a pair with different entities is left out: its label would be in doubt (WIC-10, the paper's quality control).
PRUNING = {
    "related": "one entity is a parent of the other",
    "synonymous": "one entity is a cross-reference of the other",
    "shared code": "both entities have the same cross-reference",
}


@dataclass(frozen=True)
class CloseEntities:
    """Close relations between entities, each pair in alphabetical order, and the codes of each entity elsewhere."""

    parents: frozenset[tuple[str, str]] = frozenset()
    synonyms: frozenset[tuple[str, str]] = frozenset()
    codes: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def between(self, one: str, two: str) -> str:
        """Which rule of `PRUNING` two different entities fall under, "" for none."""
        pair = (one, two) if one < two else (two, one)
        if pair in self.parents:
            return "related"
        if pair in self.synonyms:
            return "synonymous"
        nothing: frozenset[str] = frozenset()
        return "shared code" if self.codes.get(one, nothing) & self.codes.get(two, nothing) else ""


@dataclass(frozen=True)
class EntityFacts:
    """`unified`: each id asked for → its entities, none if unknown; `names`: lower-cased term → entities it names."""

    unified: Mapping[str, tuple[str, ...]]
    names: Mapping[str, frozenset[str]]
    relations: CloseEntities

    def have_common_name(self, one: str, two: str) -> bool:
        """Whether some entity has both terms as names."""
        return not self.named(one).isdisjoint(self.named(two))

    def named(self, term: str) -> frozenset[str]:
        """The entities with this name."""
        return self.names.get(term.lower(), frozenset())


def load_entity_facts(kbs: Sequence[Kb], ids: Iterable[str], terms: Iterable[str]) -> EntityFacts:
    """Ask the knowledge bases for `ids` and `terms`; the first is the reference that ids of the others lead to (WIC-2).

    An id is itself if the reference has it (what it is called now), else what cross-references of any of the
    knowledge bases lead to in the reference, else itself if another knowledge base has it. Terms name an entity if
    they have the normalised key of one of its names.
    """
    asked = sorted(set(ids))
    texts = sorted({term.lower() for term in terms})
    found = [kb.lookup_many(texts, normalised=True) for kb in kbs]
    named = {identifier for each in found for ids_ in each for identifier in ids_}
    unified = _unified(kbs, sorted({*asked, *named}))
    names = {
        text: frozenset(target for each in found for identifier in each[n] for target in unified[identifier])
        for n, text in enumerate(texts)
    }
    return EntityFacts({i: unified[i] for i in asked}, names, _relations(kbs, {i: unified[i] for i in asked}))


def _unified(kbs: Sequence[Kb], asked: list[str]) -> dict[str, tuple[str, ...]]:
    now = {i: kbs[0].current(i) for i in asked}
    known = _entities(kbs[0], {target for targets in now.values() for target in targets})
    unified = {i: tuple(sorted(known.intersection(targets))) for i, targets in now.items()}
    missing = [i for i in asked if not unified[i]]
    for identifier, others in _cross_references(kbs, missing).items():
        unified[identifier] = tuple(sorted(_entities(kbs[0], {o for other in others for o in kbs[0].current(other)})))
    for kb in kbs[1:]:
        missing = [i for i in missing if not unified[i]]
        elsewhere = _entities(kb, {target for i in missing for target in kb.current(i)})
        for identifier in missing:
            unified[identifier] = tuple(sorted(elsewhere.intersection(kb.current(identifier))))
    return unified


def _relations(kbs: Sequence[Kb], unified: Mapping[str, tuple[str, ...]]) -> CloseEntities:
    """Relations of the ids and of what they were unified to, all under the unified ids."""
    entity = {target: target for targets in unified.values() for target in targets}
    entity |= {i: targets[0] for i, targets in unified.items() if len(targets) == 1}
    parents: set[tuple[str, str]] = set()
    synonyms: set[tuple[str, str]] = set()
    codes: dict[str, set[str]] = defaultdict(set)
    for kb in kbs:
        connection = kb.connect()
        connection.register("asked", _table(entity))
        near = "semi join asked on child = asked.id semi join asked on parent = asked.id"
        for child, parent in connection.execute(f"select distinct child, parent from parents {near}").fetchall():
            _add(parents, entity[child], entity[parent])
        for own, other in connection.execute(
            "select distinct id, other from xrefs semi join asked using (id)"
        ).fetchall():
            codes[entity[own]].add(entity.get(other, other))
            if other in entity:
                _add(synonyms, entity[own], entity[other])
    return CloseEntities(frozenset(parents), frozenset(synonyms), {i: frozenset(c) for i, c in codes.items()})


def _add(pairs: set[tuple[str, str]], one: str, two: str) -> None:
    if one != two:
        pairs.add((min(one, two), max(one, two)))


def _entities(kb: Kb, ids: Iterable[str]) -> set[str]:
    """Those ids that are entities."""
    connection = kb.connect()
    connection.register("asked", _table(ids))
    return {row[0] for row in connection.execute("select id from asked semi join entities using (id)").fetchall()}


def _cross_references(kbs: Sequence[Kb], ids: Iterable[str]) -> dict[str, set[str]]:
    """What each id is joined with by a cross-reference, in either direction."""
    found: dict[str, set[str]] = defaultdict(set)
    for kb in kbs:
        connection = kb.connect()
        connection.register("asked", _table(ids))
        query = (
            "select a.id, x.other from asked a join xrefs x on x.id = a.id union "
            "select a.id, x.id from asked a join xrefs x on x.other = a.id"
        )
        for identifier, other in connection.execute(query).fetchall():
            found[identifier].add(other)
    return dict(found)


def _table(ids: Iterable[str]) -> pa.Table:
    return pa.table({"id": pa.array(sorted(set(ids)), pa.string())})
