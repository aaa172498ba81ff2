"""The text of every table and fact, made once the page's data are complete: the page shows and copies it as it is.

So the script has no rule of its own for numbers and formats, and what it copies is what `report --format` prints.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from linkassay.pages.blocks import Block
from linkassay.tables import Shown, Written, shown, writer, written

#: What the page's buttons say, and the format that they copy.
COPIED = {"TSV": "tsv", "Markdown": "md", "LaTeX": "latex"}


def with_table_texts(data: dict[str, Any]) -> dict[str, Any]:
    """The same data; its tables and facts have their text with them."""
    for _, section in sections(data):
        for block in all_blocks(section["blocks"]):
            if block["kind"] == "table":
                _carry(block)
            elif block["kind"] == "facts":
                block["items"] = _facts(block["items"])
    for corpus in data["corpora"]:
        corpus["facts"] = _facts(corpus["facts"])
    return data


def _carry(table: Block) -> None:
    """Rows in the order they have to begin with, what is shown of each cell, and the lines of each format."""
    if "sort" in table:
        table["rows"] = _sorted(table["rows"], *table["sort"])
    rows = [*table["rows"], *table.get("foot", ())]
    texts = shown(table["columns"], rows)
    table["shown"] = [list(map(_brief, *both)) for both in zip(texts, rows, strict=True)]
    table["copy"] = {name: copied(table, form) for name, form in COPIED.items()}


def _sorted(rows: list[list[Any]], at: int, down: bool) -> list[list[Any]]:
    """By the values of a column; what has none comes last, as where the reader sorts."""
    known = [row for row in rows if _value(row[at]) is not None]
    known.sort(key=lambda row: _value(row[at]), reverse=down)
    return known + [row for row in rows if _value(row[at]) is None]


def copied(block: Block, form: str) -> Written:
    """A table in a format; the rows that stay below whatever the order are part of its tail."""
    rows = block["rows"]
    head, lines, tail = written(form, block["columns"], [*rows, *block.get("foot", ())])
    return Written(head, lines[: len(rows)], lines[len(rows) :] + tail)


def sections(data: Mapping[str, Any]) -> Iterator[tuple[str, Block]]:
    """Every section, with the corpus it is of ("" for what is said of all), in the order of the page."""
    yield from (("", section) for section in (*data["failed"], *data["overview"]))
    for corpus in data["corpora"]:
        of = f"{corpus['title']}, {corpus['split']}"
        yield from ((of, section) for section in (*corpus["before"], *corpus["after"]))


def tables(section: Block) -> Iterator[Block]:
    """Every table of a section."""
    yield from (block for block in all_blocks(section["blocks"]) if block["kind"] == "table")


def all_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    """Blocks, and those inside of them."""
    for block in blocks:
        yield block
        yield from all_blocks(block.get("blocks", ()))
        for _, inner in block.get("options", ()):
            yield from all_blocks(inner)


def _brief(text: Shown, cell: Any) -> Shown | str | None:
    """No more than is needed, for the size of the page: most cells are a value only, and words are their own text."""
    if text.interval or text.difference:
        return text
    return None if text.value == _value(cell) else text.value


def _value(cell: Any) -> Any:
    return cell["v"] if isinstance(cell, dict) else cell


def _facts(items: Sequence[Sequence[Any]]) -> list[list[Any]]:
    found = []
    for name, given in items:
        fact, value = given if isinstance(given, dict) else {"v": given}, _value(given)
        form = fact.get("form", "count")
        text = writer(form, [value])(value) + (" %" if form == "percent" else "")
        found.append([name, fact | {"text": text}])
    return found
