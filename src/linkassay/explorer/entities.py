"""The entities that a view speaks of: names, and those above them in the hierarchy; in files that are mapped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.kbs import Hierarchy, Kb, NodeLists
from linkassay.scoring.disambiguation import Score
from linkassay.scoring.results import Cohort
from linkassay.store import MappedFolder, Texts


def hierarchy_of(cohort: Cohort) -> Hierarchy | None:
    """The hierarchy that the mistakes of a cohort are measured in, if there is one."""
    return next((profile.relations.hierarchy for profile in cohort.profiles.values()), None)


def predicted_ids(score: Score) -> pa.Array:
    """The different ids that a run ranks, as they are called now."""
    found = []
    for batch in score.run.batches(["groups"], encoded=True):
        ids = batch["groups"].flatten().flatten()
        found.append(pc.unique(ids).dictionary_decode() if pa.types.is_dictionary(ids.type) else pc.unique(ids))
    return pc.unique(pa.chunked_array(found, pa.string()))


def primary_names(kbs: Iterable[Kb], ids: pa.Array) -> pa.Array:
    """The primary name of each id, null where no knowledge base has it; the first that has one says it."""
    found = pa.nulls(len(ids), pa.string())
    for kb in kbs:
        connection = kb.connect()
        connection.register("asked", pa.table({"id": ids}))
        query = 'select id, name from names semi join asked using (id) where "primary"'
        known = connection.sql(query).to_arrow_table().combine_chunks()
        at = pc.index_in(ids, value_set=known["id"].combine_chunks() if known.num_rows else pa.array([], pa.string()))
        found = pc.coalesce(found, known["name"].take(at).combine_chunks() if known.num_rows else found)
    return found


def with_ancestors(hierarchy: Hierarchy, ids: pa.Array) -> Any:
    """The nodes of those of the ids that are in the hierarchy, and of all above them."""
    numbers = hierarchy.numbers(ids)
    found = np.zeros(len(hierarchy), dtype=bool)
    layer = np.unique(numbers[numbers >= 0])
    while len(layer):
        found[layer] = True
        _, above = hierarchy.parents.of(layer)
        layer = np.unique(above[~found[above]])
    return np.flatnonzero(found)


def write_entities(files: MappedFolder, cohort: Cohort, ids: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Write ids, their names, and what is above them in the hierarchy; returns all ids and their names."""
    hierarchy = hierarchy_of(cohort)
    if hierarchy is not None:
        nodes = with_ancestors(hierarchy, ids)
        ids = pc.unique(pa.chunked_array([ids, hierarchy.ids.take(pa.array(nodes)).cast(pa.string())]))
    names = primary_names(cohort.kbs.values(), ids)
    files.put_numbers("ids", Texts.of_arrow(ids))
    files.put_texts("names", Texts.of_arrow(pc.fill_null(names, "")))
    files.put_array("named", names.is_valid().to_numpy(zero_copy_only=False))
    placed = np.zeros(len(ids), dtype=bool)
    child = parent = np.zeros(0, dtype=np.int64)
    if hierarchy is not None:
        number = pc.index_in(hierarchy.ids.take(pa.array(nodes)).cast(pa.string()), value_set=ids).to_numpy()
        placed[number] = True
        place, above = hierarchy.parents.rows(nodes)
        at = np.full(len(hierarchy), -1)
        at[nodes] = number
        child, parent = number[place].astype(np.int64), at[above]
    files.put_array("placed", placed)
    NodeLists(child, parent, len(ids)).store(files.part("parents"))
    return ids, names


class Entities:
    """The entities of a view, as they were written."""

    def __init__(self, files: MappedFolder) -> None:
        self._numbers, self._names = files.numbers("ids"), files.texts("names")
        self._named, self._placed = files.array("named"), files.array("placed")
        self._parents = NodeLists.opened(files.part("parents"))

    def name(self, identifier: str) -> str | None:
        """The primary name of an entity; None: not in the knowledge base."""
        at = self._numbers.get(identifier)
        return self._names[at] if at is not None and self._named[at] else None

    def names(self, ids: Iterable[str]) -> dict[str, str | None]:
        """The primary names of some entities."""
        return {each: self.name(each) for each in ids}

    def parents(self, identifier: str) -> Sequence[str] | None:
        """The entities directly above one; None where it is not in the hierarchy."""
        at = self._numbers.get(identifier)
        if at is None or not self._placed[at]:
            return None
        return [self._numbers.texts[n] for n in self._parents[at].tolist()]
