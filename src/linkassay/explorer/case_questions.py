"""End-to-end cases of a view: those that count for something, and one of them in its text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkassay.errors import UsageError
from linkassay.explorer.case_words import COUNTS, OF_ANSWER
from linkassay.explorer.mention_context import SHORT, clip
from linkassay.explorer.view_tables import Tables, known, listed, page, spans_of

SORTS = ("text", "document")
AVOIDED = "_avoided"


def cases(
    tables: Tables, system: str, nil: str, counted: str, group: str, find: str, document: str, sort: str, at: str,
    offset: int, limit: int, most: int,
) -> dict[str, Any]:  # fmt: skip
    """Some of the cases of a system that pass, and how many do."""
    offset, limit = page(offset, limit, most)
    order = tables.order("row", sort, SORTS)
    bits, base, parameters = _of(tables, system, nil)
    where, more = _found(tables, find, document)
    belongs, counting = _grouped(tables, group, bits)
    condition = f"{belongs} and {_counted(counted, counting, tables.cohort['filters'])}"
    ((whole,),) = tables.ask(f"select count(*) {base}", parameters)
    rest = f"{base} and {condition}{where}"
    if at:
        offset = tables.page_with(at, rest, [*parameters, *more], order, limit)
    total, rows = tables.page(rest, [*parameters, *more], order, None, offset, limit)
    return {"total": total, "all": whole, "held": whole, "offset": offset, "rows": _rows(tables, rows, bits)}


def _of(tables: Tables, system: str, nil: str) -> tuple[str, str, list[Any]]:
    """The column of the bits in a NIL mode, and the cases of a system in it, as SQL with its parameters."""
    found = tables.cohort["found"]
    if not found:
        raise UsageError("none of these systems found mentions itself: there are no cases")
    number = tables.system(system or f"={found[0]}", found)
    bits = f"bits_{tables.mode(nil)}"
    return bits, f"from {tables.table('cases')} where system = ? and {bits} >= 0", [number]


def _grouped(tables: Tables, group: str, bits: str) -> tuple[str, str]:
    """Whether a case belongs to a group, and the bits of what it counts for there, as SQL."""
    known("type or kind of mention", group, ["any", *(name for name, _ in tables.cohort["groups"])])
    if group == "any":
        return "true", bits
    found = tables.ask(f"select number, gold, said from {tables.table('case_groups')} where name = ?", [group])
    gold, said = (f"groups in {listed(row[0] for row in found if row[side])}" for side in (1, 2))
    answer = sum(1 << bit for bit in OF_ANSWER)
    mine = f"(if({gold}, {bits} & {~answer}, 0) | if({said}, {bits} & {answer}, 0))"
    return f"({gold} or {said})", mine


def _counted(counted: str, bits: str, filters: Sequence[Sequence[Any]]) -> str:
    """What a case must count for, as SQL."""
    masks = {key: sum(1 << bit for bit in mine) for key, _, mine in filters}
    avoided = {f"{name.removesuffix('_total')}{AVOIDED}": name for name in COUNTS if name.endswith("_total")}
    known("count", counted, ["any", "nothing", *masks, *avoided])
    if counted == "any":
        return "true"
    if counted == "nothing":
        return f"{bits} = 0"
    if counted in masks:
        return f"{bits} & {masks[counted]} <> 0"
    total = avoided[counted]
    of, errors = (1 << COUNTS.index(name) for name in (total, total.removesuffix("_total") + "_errors"))
    return f"{bits} & {of} <> 0 and {bits} & {errors} = 0"


def _found(tables: Tables, find: str, document: str) -> tuple[str, list[Any]]:
    where = ""
    parameters: list[Any] = []
    if document:
        where += " and document = ?"
        parameters.append(tables.document(document))
    if find:
        text = find.lower()
        words = f"select number from {tables.table('set_words')} where contains(word, ?)"
        where += (
            " and (contains(text_lower, ?)"
            f" or document in (select number from {tables.table('documents')} where contains(id_lower, ?))"
            f" or gold_number in ({words}) or said_number in ({words}))"
        )
        parameters += [text] * 4
    return where, parameters


def _rows(tables: Tables, rows: Sequence[int], bits: str) -> list[dict[str, Any]]:
    query = (
        f"select c.row, c.id, d.id, c.text, c.{bits} from {tables.table('cases')} c"
        f" join {tables.table('documents')} d on d.number = c.document where c.row in {listed(rows)}"
    )
    found = {
        row: {"id": id_, "document": document, "text": clip(text, SHORT), "bits": mine}
        for row, id_, document, text, mine in tables.ask(query)
    }
    return [found[row] for row in rows]


def case(tables: Tables, identifier: str, system: str, nil: str) -> dict[str, Any]:
    """One case in its text."""
    bits, base, parameters = _of(tables, system, nil)
    query = f"select c.*, d.id as document_id from (select * {base} and id = ? limit 1) c"
    query += f" join {tables.table('documents')} d on d.number = c.document"
    found = tables.rows(query, [*parameters, identifier])
    if not found:
        raise UsageError(f"{system.removeprefix('=') or tables.cohort['found'][0]} has no case {identifier!r}")
    (row,) = found
    gold, said = row["gold"], row["said"]
    spans = spans_of(row["spans"])
    return {
        "id": row["id"], "document": row["document_id"], "text": clip(row["text"], SHORT), "spans": spans,
        "context": tables.text(row["document"]).context(spans, row["text"]), "gold": gold, "said": said,
        "bits": row[bits], "why": tables.sentences[row[bits.replace("bits", "why")]],
        "names": tables.entities.names([*(gold or ()), *(said or ())]),
    }  # fmt: skip
