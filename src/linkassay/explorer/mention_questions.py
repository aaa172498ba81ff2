"""Mentions of a view: those that pass some filters, and one of them with all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from linkassay.errors import UsageError
from linkassay.explorer.answers import answer_object
from linkassay.explorer.mention_context import SHORT, clip
from linkassay.explorer.mention_filters import MentionFilter
from linkassay.explorer.trees import mention_tree
from linkassay.explorer.view_tables import Tables, listed, page, spans_of
from linkassay.scoring.disambiguation import Group, Rankings

#: What mentions can be sorted by; by rank those come first that gold was not found for.
SORTS = ("text", "type", "document", "rank")


def mentions(
    tables: Tables, asked: MentionFilter, find: str, document: str, sort: str, at: str, offset: int, limit: int,
    most: int,
) -> dict[str, Any]:  # fmt: skip
    """Some of the mentions that pass, and how many do."""
    offset, limit = page(offset, limit, most)
    order = tables.order("row", sort, SORTS)
    kept, parameters = asked.sql(tables.cohort)
    where, more = _found(tables, find, document)
    combinations = f"select number from {tables.table('combinations')} where {kept}"
    rest = f"from {tables.table('mentions')} where combination in ({combinations}){where}"
    if at:
        offset = tables.page_with(at, rest, [*parameters, *more], order, limit)
    total = None
    if not where:
        query = f"select coalesce(sum(n), 0) from {tables.table('combinations')} where {kept}"
        total = int(tables.ask(query, parameters)[0][0])
    total, rows = tables.page(rest, [*parameters, *more], order, total, offset, limit)
    sizes = tables.cohort["sizes"]
    whole = sizes["scored"] + (sizes["left"] if asked.outcome == "left" else 0)
    return {"total": total, "all": whole, "held": whole, "offset": offset, "rows": _rows(tables, rows)}


def _found(tables: Tables, find: str, document: str) -> tuple[str, list[Any]]:
    """What is asked beside the combination, as SQL that is not empty where something is."""
    where = ""
    parameters: list[Any] = []
    if document:
        where += " and document = ?"
        parameters.append(tables.document(document))
    if find:
        text = find.lower()
        where += (
            " and (contains(text_lower, ?) or contains(id_lower, ?)"
            f" or document in (select number from {tables.table('documents')} where contains(id_lower, ?))"
            f" or gold_number in (select number from {tables.table('gold_words')} where contains(word, ?)))"
        )
        parameters += [text] * 4
    return where, parameters


def _rows(tables: Tables, rows: Sequence[int]) -> list[dict[str, Any]]:
    """Mentions as a list shows them."""
    query = (
        "select m.row, m.id, d.id, m.text, m.type, c.slices, c.codes, m.section"
        f" from {tables.table('mentions')} m join {tables.table('combinations')} c on c.number = m.combination"
        f" join {tables.table('documents')} d on d.number = m.document where m.row in {listed(rows)}"
    )
    found = {
        row: {
            "id": id_, "document": document, "text": clip(text, SHORT), "type": type_,
            "slices": tables.slices_of(slices), "codes": codes, "section": section,
        }
        for row, id_, document, text, type_, slices, codes, section in tables.ask(query)
    }  # fmt: skip
    return [found[row] for row in rows]


def mention(tables: Tables, identifier: str) -> dict[str, Any]:
    """One mention with its context, its gold, and what each system said."""
    query = (
        "select m.*, d.id as document_id, c.slices, c.codes"
        f" from (select * from {tables.table('mentions')} where id = ? and combination >= 0 limit 1) m"
        f" join {tables.table('documents')} d on d.number = m.document"
        f" join {tables.table('combinations')} c on c.number = m.combination"
    )
    found = tables.rows(query, [identifier])
    if not found:
        raise UsageError(f"{tables.cohort['title']} {tables.cohort['split']} has no mention {identifier!r}")
    (row,) = found
    spans = spans_of(row["spans"])
    shown, changed = tables.gold(row["gold"])
    gold = [i for ids in shown for i in ids]
    answers = []
    wrong: dict[int, list[str]] = {}
    for system, code in enumerate(tables.codes(row["codes"])):
        (answer,) = answers_of(tables, system, [(row[f"said_{system}"], code, row["gold"], frozenset(gold))])
        answers.append(answer)
        if answer and answer["groups"]:
            top = answer["groups"][0]
            wrong[system] = top["ids"][top["right"] :]
    tree = mention_tree(gold, wrong, tables.entities.parents)
    ids = [*gold, *(i for a in answers if a for g in a["groups"] for i in g["ids"])]
    ids += [i for a in answers if a for i in a.get("gold", ())] + [n["id"] for n in (tree or {"nodes": []})["nodes"]]
    return {
        "id": row["id"], "document": row["document_id"], "section": row["section"], "text": clip(row["text"], SHORT),
        "type": row["type"], "spans": spans, "slices": tables.slices_of(row["slices"]), "codes": row["codes"],
        "context": tables.text(row["document"]).context(spans, row["text"]), "gold": shown,
        "changed": changed, "answers": answers, "tree": tree, "names": tables.entities.names(ids),
    }  # fmt: skip


def answers_of(
    tables: Tables, system: int, asked: Sequence[tuple[int, str, list[list[str]], frozenset[str]]]
) -> list[dict[str, Any] | None]:
    """What a system said of some mentions: row of its prediction, its code, gold as given, ids that are shown as gold.

    None where it is not scored.
    """
    rows = sorted({row for row, *_ in asked if row >= 0})
    said = {}
    if rows:
        query = (
            f"select file_row_number, groups, scores from {tables.predictions_file(system)}"
            f" where file_row_number between ? and ? and file_row_number in {listed(rows)}"
        )
        said = {row: (groups, scores) for row, groups, scores in tables.ask(query, [rows[0], rows[-1]])}
    ids = {i for groups, _ in said.values() for group in groups for i in group}
    moved = tables.moved(system, ids | {i for _, _, given, _ in asked for each in given for i in each})
    ranked = _ranked(said, moved)
    places = tables.cohort["places"]
    return [
        None if code[0] == "x" else answer_object(
            ranked.get(row, []), frozenset(now for ids in given for i in ids for now in moved.get(i, (i,))),
            row == -1, code, places, shown,
        )
        for row, code, given, shown in asked
    ]  # fmt: skip


def _ranked(said: Mapping[int, tuple[Any, Any]], moved: Mapping[str, tuple[str, ...]]) -> dict[int, list[Group]]:
    if not said:
        return {}
    groups = pa.array([groups for groups, _ in said.values()], pa.list_(pa.list_(pa.string())))
    scores = pa.array([scores for _, scores in said.values()], pa.list_(pa.float64()))
    return dict(zip(said, Rankings.of(groups, moved).lists(scores), strict=True))
