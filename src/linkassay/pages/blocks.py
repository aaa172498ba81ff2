"""What a section of the report is made of, as JSON-ready data: tables, charts, facts, choices between them.

The page's script shows each kind of block in one place; sections say what is in them, never how it is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from linkassay.pages import explanations
from linkassay.scoring import Figure
from linkassay.scoring.disambiguation import ALL
from linkassay.tables import NUMBER_FORMS

Block = dict[str, Any]
#: A plain value, or a dictionary: `v` value, `key` of the figure that it is a number of, `low` and `high` its interval,
#: `open` the mentions behind it, and more.
Cell = Any


def section(name: str, blocks: Sequence[Block], *, columns: bool = False, absent: Collection[str] = ()) -> Block:
    """A part of the page: title, what it shows and how to read it from `explanations`, and its blocks.

    `absent` are terms of this part that nothing in it is about this time.
    """
    said = explanations.SECTIONS[name]
    return {
        "id": name, "title": said.title, "short": said.short or said.title, "shows": said.shows, "read": said.read,
        "terms": [term for term in said.terms if term not in absent], "blocks": list(blocks), "columns": columns,
    }  # fmt: skip


def column(label: str, form: str = "text", *, interval: bool = False, system: str = "") -> dict[str, Any]:
    """A column of a table; `form` is how its values are written, `system` gives it the colour of one."""
    assert form in NUMBER_FORMS, form
    return (
        {"label": label, "form": form}
        | ({"interval": True} if interval else {})
        | ({"system": system} if system else {})
    )


def table(
    caption: str,
    columns: Sequence[Mapping[str, Any]],
    rows: Sequence[Sequence[Cell]],
    *,
    foot: Sequence[Sequence[Cell]] = (),
    sort: tuple[int, bool] | None = None,
    kind: str = "",
) -> Block:
    """A table that sorts and copies; `foot` are rows that stay below; `sort` is a column and whether it falls."""
    block: Block = {"kind": "table", "caption": caption, "columns": list(columns), "rows": [list(r) for r in rows]}
    if foot:
        block["foot"] = [list(r) for r in foot]
    return block | ({"sort": list(sort)} if sort else {}) | ({"class": kind} if kind else {})


def figure(found: Figure | None, open_: Mapping[str, str] | None = None, **more: Any) -> Cell:
    """A figure's value with its interval, its key and the mentions behind it."""
    if found is None or found.value is None:
        return None
    cell = {"v": found.value, "key": found.key, **more}
    if found.low is not None:
        cell |= {"low": found.low, "high": found.high}
    return cell | ({"open": dict(open_)} if open_ else {})


def number(found: Figure, name: str, open_: Mapping[str, str] | None = None) -> Cell:
    """Another number of a figure, such as its `n` or `p`."""
    cell = {"v": found[name], "key": f"{found.key}#{name}"}
    return cell | ({"open": dict(open_)} if open_ else {})


def dot(found: Figure) -> dict[str, Any]:
    """A figure as a chart draws it."""
    return {"value": found.value, "low": found.low, "high": found.high}


def system(label: str, **more: Any) -> Cell:
    """The name of a system, with its colour."""
    return {"v": label, "system": label, **more}


def facts(items: Sequence[tuple[str, Any]]) -> Block:
    """Names and values side by side."""
    return {"kind": "facts", "items": [list(item) for item in items]}


def systems(items: Sequence[tuple[str, str]]) -> Block:
    """Systems, and a line on each."""
    return {"kind": "systems", "items": [list(item) for item in items]}


def text(said: str) -> Block:
    """A paragraph."""
    return {"kind": "text", "text": said}


def remarks(found: Iterable[Figure | None]) -> list[Block]:
    """What some figures cannot say, once each, with the first figures that say it."""
    said: dict[str, dict[str, None]] = {}
    for each in found:
        if each is not None and each.note:
            name = " of ".join(part for part in (each.about["measure"], each.about["slice"]) if part != ALL)
            said.setdefault(each.note, {})[f"{name} ({each.about['system']})"] = None
    return [
        text(f"{', '.join(list(of)[:3])}{' and others' if len(of) > 3 else ''}: {note}.") for note, of in said.items()
    ]


def heading(said: str) -> Block:
    """A heading inside of a section."""
    return {"kind": "heading", "text": said}


def details(summary: str, blocks: Sequence[Block]) -> Block:
    """Blocks that are shown on request."""
    return {"kind": "details", "summary": summary, "blocks": list(blocks)}


def choice(label: str, options: Mapping[str, Sequence[Block]]) -> Block:
    """Several ways to see the same, one at a time; the first to begin with."""
    return {"kind": "choice", "label": label, "options": [[name, list(blocks)] for name, blocks in options.items()]}


def behind(system: str = "", outcome: str = "any", **more: str) -> dict[str, str]:
    """Filters of the mentions behind a figure: of a system, with an outcome.

    And by `type`, `slice`, `corpus`; `against` another system, `from_` all corpora; a mismatch in the hierarchy also by
    `distance` and by `location` of gold.
    Names that come from outside begin with "=", so that none can be taken for a filter's own word.

    >>> behind("tfidf", type="any", slice="zero-shot")
    {'system': '=tfidf', 'outcome': 'any', 'type': '=any', 'slice': 'zero-shot'}
    """
    named = {key.rstrip("_"): f"={value}" if key in ("type", "against", "corpus") else value
             for key, value in more.items()}  # fmt: skip
    return ({"system": f"={system}"} if system else {}) | {"outcome": outcome} | named


def differing(found: Figure | None, name: str, one: str, other: str, **more: str) -> Cell:
    """A number of a figure that compares two systems, with the mentions on which their outcomes differ."""
    if found is None or found[name] is None:
        return None
    return number(found, name, behind(one, "differ", against=other, **more))


def behind_case(system: str, counted: str, nil: str = "") -> dict[str, str]:
    """Filters of the end-to-end cases behind a figure: of a system, by what they count for; `nil` if not the first."""
    return {"part": "cases", "system": f"={system}", "counted": counted} | ({"nil": nil} if nil else {})
