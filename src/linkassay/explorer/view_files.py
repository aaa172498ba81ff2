"""The files of a view folder, written. What is in them, and which of them, is known here and in the questions only.

`row` of a table is the place of a row, in small row groups, so that one row is quickly found. Texts that are searched
have a column in lower case beside them; what rows are sorted by has a column `by_…` with their places in that order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay.explorer.annotations import one
from linkassay.explorer.case_columns import IS_NIL, IS_NOTHING, CaseColumns, Groups
from linkassay.explorer.entities import predicted_ids, write_entities
from linkassay.explorer.exploration import Exploration
from linkassay.store import MappedFolder

#: Raised whenever what lies in a view folder changes.
FORMAT = 2
_GROUP = 1 << 14  # rows of a row group
_TEXTS = pa.list_(pa.string())


def write_view(folder: Path, found: Exploration) -> None:
    """Write everything; `view.json` comes last, and without it the folder is no view."""
    ids = _all_ids(found)
    entities = folder / "entities"
    entities.mkdir()
    names = write_entities(MappedFolder(entities), found.cohort, ids)
    columns, golds = found.columns, found.golds
    kinds = columns.totals()
    _write(folder / "combinations.parquet", {
        "number": pa.array(range(len(kinds)), pa.int32()), "type": pa.array([k[0] for k in kinds], pa.int32()),
        "slices": pa.array([k[1] for k in kinds], pa.int64()), "codes": pa.array([k[2] for k in kinds], pa.string()),
        "n": pa.array([k[3] for k in kinds], pa.int64()),
    })  # fmt: skip
    _write_words(folder / "gold_words.parquet", [[i for ids in each for i in ids] for each in golds.shown], names)
    _write_moved(folder / "moved.parquet", found)
    order = rank_of(found.annotations.documents.ids)
    _write(folder / "mentions.parquet", _mentions(found, order))
    _write(folder / "documents.parquet", _documents(found, order))
    sentences = _write_cases(folder, found, order, names)
    systems = [{"kb": score.run.kb} for score in found.cohort.scores]
    about = {"format": FORMAT, "cohort": found.cohort_object(), "systems": systems, "sentences": sentences}
    (folder / "view.json").write_text(json.dumps(about, ensure_ascii=False) + "\n", encoding="utf-8")


def _all_ids(found: Exploration) -> pa.Array:
    """Every id that may be shown."""
    ids = [pa.array(found.golds.ids(), pa.string()), *(predicted_ids(score) for score in found.cohort.scores)]
    now = {new for score in found.cohort.scores for became in score.items.moved.values() for new in became}
    ids.append(pa.array(sorted(now), pa.string()))
    ids += [pa.array([i for each in cases.sets for i in each], pa.string()) for cases in found.cases.values()]
    return pc.unique(pa.chunked_array(ids, pa.string()))


def _mentions(found: Exploration, order: Any) -> dict[str, pa.Array]:
    annotations, scores = found.annotations, found.cohort.scores
    texts, ids, document = annotations.column("text"), annotations.column("id"), annotations.document
    lower = lowered(texts)
    said = {}
    for at, (score, row) in enumerate(zip(scores, found.columns.row, strict=True)):
        mine = np.full(len(annotations), -2)
        inside = row >= 0
        mine[annotations.roots[found.columns.place[row[inside]]]] = score.prediction_rows[inside]
        said[f"said_{at}"] = pa.array(mine, pa.int32())
    return {
        "row": pa.array(np.arange(len(annotations)), pa.int32()), "id": ids, "id_lower": lowered(ids),
        "document": pa.array(document, pa.int32()), "text": texts, "text_lower": lower,
        "by_text": placed(rank_of(lower)), "by_type": placed(rank_of(annotations.types)),
        "by_document": placed(order[document]), "by_rank": placed(_from_worst(found.worst)),
        "type": annotations.types, "section": found.section, "spans": annotations.column("spans"),
        "gold": annotations.column("gold"), "gold_number": pa.array(found.golds.number, pa.int32()),
        "combination": pa.array(found.combination, pa.int32()),
        "parent": pa.array(annotations.parents, pa.int32()),
        "flags": pa.array(annotations.flags, pa.int16()), **said,
    }  # fmt: skip


def _documents(found: Exploration, order: Any) -> dict[str, pa.Array]:
    table = found.annotations.documents.table
    figures: dict[str, pa.Array] = {}
    for at, mine in enumerate(found.figures):
        for name, values in mine.items():
            if isinstance(values, list):
                figures |= {f"{name}_{at}_{mode}": pa.array(each) for mode, each in enumerate(values)}
            else:
                figures[f"{name}_{at}"] = pa.array(values)
    kinds = pc.list_flatten(one(table["passages"])).field("kind")
    sizes = pc.fill_null(pc.list_value_length(table["passages"]), 0).to_numpy()
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())
    return {
        "number": pa.array(np.arange(table.num_rows), pa.int32()), "order": pa.array(order, pa.int32()),
        "id": one(table["id"]), "id_lower": lowered(table["id"]), "title": one(table["title"]),
        "title_lower": lowered(table["title"]), "chars": one(table["chars"]),
        "mentions": pa.array(found.mentions_of), "differ": pa.array(found.differ),
        "sections": pa.ListArray.from_arrays(offsets, kinds), **figures,
    }  # fmt: skip


def _write_cases(folder: Path, found: Exploration, order: Any, names: tuple[pa.Array, pa.Array]) -> list[str]:
    """All cases of all systems, those of the best first; returns the sentences that they have numbers of."""
    numbers: dict[frozenset[str], int] = {}
    words: dict[str, int] = {}
    grouped: dict[Groups, int] = {}
    tables = [
        pa.table(_cases(at, cases, order, numbers, words, grouped)) for at, cases in enumerate(found.cases.values())
    ]  # fmt: skip
    if tables:
        whole = pa.concat_tables(tables).combine_chunks()
        columns = {name: one(whole[name]) for name in whole.column_names}
        _write(folder / "cases.parquet", columns | {"row": pa.array(np.arange(whole.num_rows), pa.int32())})
        _write_words(folder / "set_words.parquet", [sorted(each) for each in numbers], names)
        _write_groups(folder / "case_groups.parquet", grouped)
    return list(words)


def _cases(
    system: int, cases: CaseColumns, order: Any, numbers: dict[frozenset[str], int], words: dict[str, int],
    grouped: dict[Groups, int],
) -> Mapping[str, pa.Array]:  # fmt: skip
    used = np.unique(np.concatenate([cases.gold, cases.said]))
    place = np.zeros(len(cases.sets), dtype=np.int64)
    for code in used[used >= 0].tolist():
        place[code] = numbers.setdefault(cases.sets[code], len(numbers))
    gold, said = (np.where(codes >= 0, place[np.maximum(codes, 0)], codes) for codes in (cases.gold, cases.said))
    sentence = np.array([words.setdefault(each, len(words)) for each in cases.sentences], dtype=np.int64)
    groups = np.array([grouped.setdefault(each, len(grouped)) for each in cases.grouped], dtype=np.int64)
    lower = lowered(cases.texts)
    modes = range(len(cases.bits))
    return {
        "system": pa.array(np.full(len(cases), system), pa.int16()), "id": cases.ids,
        "document": pa.array(cases.document, pa.int32()), "label": pa.array(cases.label, pa.int32()),
        "text": cases.texts, "text_lower": lower, "by_text": placed(rank_of(lower)),
        "by_document": placed(order[cases.document]), "spans": cases.spans,
        "gold_number": pa.array(gold, pa.int32()), "said_number": pa.array(said, pa.int32()),
        "gold": _ids_of(cases, cases.gold), "said": _ids_of(cases, cases.said),
        "groups": pa.array(groups[cases.groups], pa.int32()),
        **{f"bits_{mode}": pa.array(cases.bits[mode], pa.int64()) for mode in modes},
        **{f"why_{mode}": pa.array(sentence[cases.why[mode]], pa.int32()) for mode in modes},
    }  # fmt: skip


def _write_groups(path: Path, grouped: Mapping[Groups, int]) -> None:
    """What numbers of groups stand for: a name, and whether cases belong to it by their gold and by their answer."""
    rows = [
        {"number": number, "name": name, "gold": name in each.gold, "said": name in each.said}
        for each, number in grouped.items() for name in sorted({*each.gold, *each.said})
    ]  # fmt: skip
    schema = pa.schema([("number", pa.int32()), ("name", pa.string()), ("gold", pa.bool_()), ("said", pa.bool_())])
    whole = pa.Table.from_pylist(rows, schema)
    _write(path, {name: one(whole[name]) for name in whole.column_names})


def _ids_of(cases: CaseColumns, codes: Any) -> pa.Array:
    """Ids of sets, none of NIL, null of nothing."""
    used, at = np.unique(codes, return_inverse=True)
    sets = [None if n == IS_NOTHING else [] if n == IS_NIL else sorted(cases.sets[n]) for n in used.tolist()]
    return pa.array(sets, _TEXTS).take(pa.array(at))


def _write_words(path: Path, sets: Sequence[Sequence[str]], names: tuple[pa.Array, pa.Array]) -> None:
    """What sets of ids are found by: number of the set, and an id or a name in lower case."""
    number = np.repeat(np.arange(len(sets)), [len(ids) for ids in sets])
    ids = pa.array([i for each in sets for i in each], pa.string()).dictionary_encode()
    named = names[1].take(pc.index_in(ids.dictionary, value_set=names[0]))
    words = [lowered(ids.dictionary).take(ids.indices), lowered(named).take(ids.indices)]
    there = pc.and_(words[1].is_valid(), pc.not_equal(words[1], words[0]))
    _write(path, {
        "number": pa.concat_arrays([pa.array(number), pa.array(number).filter(there)]).cast(pa.int32()),
        "word": pa.concat_arrays([words[0], words[1].filter(there)]),
    })  # fmt: skip


def _write_moved(path: Path, found: Exploration) -> None:
    """What became of ids, by the knowledge base that says so."""
    moved = {(score.run.kb, old): list(new) for score in found.cohort.scores for old, new in score.items.moved.items()}
    _write(path, {
        "kb": pa.array([kb for kb, _ in moved], pa.string()), "old": pa.array([old for _, old in moved], pa.string()),
        "new": pa.array(list(moved.values()), _TEXTS),
    })  # fmt: skip


def _write(path: Path, columns: Mapping[str, pa.Array]) -> None:
    pq.write_table(pa.table(dict(columns)), path, row_group_size=_GROUP, compression="zstd")


def placed(order: Any) -> pa.Array:
    """Of each row its place if they are put in order; those that are equal stay in theirs."""
    found = np.empty(len(order), dtype=np.int64)
    found[np.argsort(order, kind="stable")] = np.arange(len(order))
    return pa.array(found, pa.int32())


def _from_worst(worst: Any) -> Any:
    """Numbers to sort by: first mentions that gold was not found for, then by rank, the worst first, unscored last."""
    return np.select([worst == -2, worst == -1], [1, np.iinfo(np.int64).min], -worst)


def lowered(texts: Any) -> pa.Array:
    """Texts in lower case, as Python and browsers have it."""
    texts = one(texts)
    if pc.all(pc.string_is_ascii(texts), min_count=0).as_py():
        return pc.ascii_lower(texts)
    encoded = texts.dictionary_encode()
    lower = [each.lower() for each in encoded.dictionary.to_pylist()]  # null is in no dictionary
    return pa.array(lower, pa.string()).take(encoded.indices)


def rank_of(texts: Any) -> Any:
    """Of each text its place among the different ones in order."""
    encoded = one(texts).dictionary_encode()
    place = np.empty(len(encoded.dictionary), dtype=np.int64)
    place[pc.sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(place))
    return place[encoded.indices.to_numpy(zero_copy_only=False)]
