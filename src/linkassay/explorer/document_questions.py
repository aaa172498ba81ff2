"""Documents of a view: a list with what each system reached in them, and one with all its marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkassay.explorer.annotations import words_of
from linkassay.explorer.document_marks import Marks, case_answer, given_answer, no_answer
from linkassay.explorer.mention_questions import answers_of
from linkassay.explorer.view_tables import Tables, known, page, spans_of


def documents(
    tables: Tables, find: str, section: str, nil: str, sort: str, offset: int, limit: int, most: int
) -> dict[str, Any]:
    """Some of the documents, and how many there are."""
    offset, limit = page(offset, limit, most)
    mode = tables.mode(nil)
    where, parameters = ["true"], []
    if find:
        where.append("(contains(id_lower, ?) or contains(title_lower, ?))")
        parameters += [find.lower()] * 2
    if section not in ("", "any"):
        where.append("list_contains(sections, ?)")
        parameters.append(known("section", section, tables.cohort["sections"]))
    rest = f"from {tables.table('documents')} where {' and '.join(where)}"
    ((total,),) = tables.ask(f"select count(*) {rest}", parameters)
    query = f"select * {rest} order by {_order(tables, sort, mode)} limit ? offset ?"
    rows = [
        {"id": row["id"], "title": row["title"], "chars": row["chars"], "mentions": row["mentions"],
         "systems": figures_of(tables, row, mode)}
        for row in tables.rows(query, [*parameters, limit, offset])
    ]  # fmt: skip
    return {"total": total, "offset": offset, "rows": rows}


def _order(tables: Tables, sort: str, mode: int) -> str:
    """By what is largest first, ids in their order; documents that are equal in corpus order; or all the other way."""
    name, back = sort.removeprefix("-"), sort.startswith("-")
    kinds = ("fn", "fp")
    sorts = {"id": '"order"', "errors": _errors(tables, mode, kinds), "differ": "differ", "mentions": "mentions",
             "chars": "chars"} | {kind: _errors(tables, mode, [kind]) for kind in kinds}  # fmt: skip
    known("order", name, ["", *sorts])
    ways = ("desc", "asc") if back else ("asc", "desc")
    return f"{sorts[name]} {ways[name != 'id']}, number {ways[0]}" if name else f"number {ways[0]}"


def _errors(tables: Tables, mode: int, kinds: Sequence[str]) -> str:
    """What went wrong over all systems; of one that was given mentions all errors are false negatives."""
    errors = ["0 * number"]  # a bare number in an order is the place of a column
    for at, label in enumerate(tables.cohort["systems"]):
        if label in tables.cohort["found"]:
            errors += [f"{kind}_{at}_{mode}" for kind in kinds]
        elif "fn" in kinds:
            errors.append(f"round(n_{at} - right_{at}, 4)")
    return f"({' + '.join(errors)})"


def figures_of(tables: Tables, row: Mapping[str, Any], mode: int) -> list[dict[str, Any] | None]:
    """What each system reached in a document."""
    found: list[dict[str, Any] | None] = []
    for at, label in enumerate(tables.cohort["systems"]):
        if label in tables.cohort["found"]:
            found.append({x: row[f"{x}_{at}_{mode}"] for x in ("tp", "fp", "fn")})
        elif row[f"n_{at}"]:
            found.append({"right": row[f"right_{at}"], "n": row[f"n_{at}"]})
        else:
            found.append(None)
    return found


def document(tables: Tables, identifier: str, nil: str, systems: Sequence[str]) -> dict[str, Any]:
    """One document with the marks of these systems, of all if none is named."""
    labels = tables.cohort["systems"]
    wanted = [labels.index(known("system", each, labels)) for each in systems] or list(range(len(labels)))
    mode, number = tables.mode(nil), tables.document(identifier)
    query = f"select * from {tables.table('documents')} where number between ? and ? order by number"
    near = tables.rows(query, [number - 1, number + 1])
    (mine,) = (each for each in near if each["number"] == number)
    text = tables.text(number)
    marks = _marks(tables, number, nil, mode, wanted)
    figures = figures_of(tables, mine, mode)
    shown = marks.objects()
    ids = [i for m in shown for each in m["gold"] or () for i in each]
    ids += [i for m in shown for a in m["answers"] if a for i in a["said"] or ()]
    return {
        "id": identifier, "title": mine["title"], "length": mine["chars"], "pieces": [[0, text.shown]],
        "passages": text.passages, "systems": [labels[at] for at in wanted], "marks": shown,
        "figures": [figures[at] for at in wanted],
        "previous": next((each["id"] for each in near if each["number"] == number - 1), None),
        "next": next((each["id"] for each in near if each["number"] == number + 1), None),
        "names": tables.entities.names(ids), "left_out": "",
    }  # fmt: skip


def _marks(tables: Tables, document: int, nil: str, mode: int, wanted: Sequence[int]) -> Marks:
    query = (
        "select m.*, coalesce(c.codes, '') as codes"
        f" from (select * from {tables.table('mentions')} where document = ?) m"
        f" left join {tables.table('combinations')} c on c.number = m.combination order by m.row"
    )
    rows = tables.rows(query, [document])
    names = {row["row"]: row["id"] for row in rows}
    for row in rows:
        row["shown"], _ = tables.gold(row["gold"])
    marks = Marks(len(wanted))
    for row in rows:
        marks.add_annotation(
            row["id"], spans_of(row["spans"]), row["text"], row["type"], row["shown"], words_of(row["flags"]),
            names.get(row["parent"]),
        )  # fmt: skip
    labels, found = tables.cohort["systems"], tables.cohort["found"]
    for place, at in enumerate(wanted):
        if labels[at] in found:
            _add_cases(tables, marks, place, labels[at], document, nil, mode)
            continue
        own = [row for row in rows if row["codes"]]
        asked = [
            (row[f"said_{at}"], tables.codes(row["codes"])[at], row["gold"],
             frozenset(i for ids in row["shown"] for i in ids)) for row in own
        ]  # fmt: skip
        for row, answer in zip(own, answers_of(tables, at, asked), strict=True):
            left = set(row["codes"][:: tables.cohort["width"]]) == {"x"}
            flags = words_of(row["flags"])
            said = no_answer(row["id"], flags, left) if answer is None else given_answer(answer, row["id"], labels[at])
            marks.answer(place, row["id"], said)
    return marks


def _add_cases(tables: Tables, marks: Marks, place: int, label: str, document: int, nil: str, mode: int) -> None:
    query = (
        f"select id, label, spans, text, gold, said, bits_{mode} as bits, why_{mode} as why"
        f" from {tables.table('cases')} where system = ? and document = ? and bits_{mode} >= 0 order by row"
    )
    rows = tables.rows(query, [tables.cohort["found"].index(label), document])
    for row in rows:
        alone = row["label"] < 0
        if alone:
            marks.add_prediction(row["id"], spans_of(row["spans"]), row["text"])
        said = case_answer(
            row["id"], label, nil, row["bits"], tables.sentences[row["why"]], row["said"],
            marks.flags(row["id"]), tables.cohort["errors"], alone=alone,
        )  # fmt: skip
        marks.answer(place, row["id"], said)
