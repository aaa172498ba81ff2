"""Conditions that users write in SQL: held to one expression over the mentions before any of it is run (SAFE-8).

DuckDB's own parser says what a text is; what runs is bounded in time. What a slice means is decided in `slices`.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from linkassay import store
from linkassay.errors import UsageError

#: A condition that takes longer than so many seconds, or has more characters, is refused.
SECONDS, CHARACTERS = 120.0, 20_000
#: Memory that tables of mentions and conditions may take together.
_MEMORY = "8GB"
#: The table of the mentions, all that a condition may ask.
_TABLE = "mention"
#: Functions that may stand where a table does.
_TABLES = {"unnest"}
#: Functions of no use to a condition that reach further than the mentions, or fill the memory past its limit.
_REFUSED = {"current_setting", "getenv", "lpad", "range", "generate_series", "repeat", "rpad", "write_log",
            "list_resize", "array_resize", "nextval", "currval", "setseed", "sleep_ms"}  # fmt: skip
#: What a statement may have beside what it selects.
_CLAUSES = ("where_clause", "modifiers", "having", "qualify", "group_expressions", "sample")


def lock(connection: Any) -> None:
    """Let a connection reach nothing but its own tables from now on."""
    import duckdb

    if _bytes(connection, f"'{_MEMORY}'") < _bytes(connection, "current_setting('memory_limit')"):
        connection.execute(f"set memory_limit = '{_MEMORY}'")
    for setting in (
        "python_enable_replacements = false",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        try:
            connection.execute(f"set {setting}")
        except duckdb.CatalogException:  # a version without it
            continue


def _bytes(connection: Any, size: str) -> float:
    """A size such as '8GB' or '12.5 GiB' as a number."""
    [(text,)] = connection.execute(f"select {size}").fetchall()
    number = text.rstrip("KMGTPiBbytes ")
    unit = text[len(number) :].strip()
    powers = {"": 0, "bytes": 0, "B": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
    return float(number) * float(1024 if "i" in unit else 1000) ** powers[unit if unit in powers else unit[:1]]


@lru_cache(maxsize=256)
def refuse_all_but_an_expression(name: str, condition: str) -> None:
    """Refuse what is not one SQL expression over the mentions; `name` is what the user called it."""
    if len(condition) > CHARACTERS:
        raise UsageError(f"slice {name[:60]!r}…: a condition of more than {CHARACTERS:,} characters")
    bad = next((letter for letter in condition if letter == "\0" or "\ud800" <= letter <= "\udfff"), "")
    if bad:
        raise UsageError(f"slice {name!r}: {bad!r} is no character of a condition")
    if not condition.strip():
        raise UsageError(f"slice {name!r}: the condition is empty")
    bare, _ = _parsed(name, condition), _parsed(name, f"({condition}\n)")  # brackets cannot be closed from within
    for part in _parts(bare):
        _refuse(name, part)


def _parsed(name: str, expression: str) -> Any:
    """The tree of an expression, if it is one."""
    [(text,)] = _parser().cursor().execute("select json_serialize_sql(?)", [f"select {expression}\n"]).fetchall()
    tree = json.loads(text)
    if tree.get("error"):
        raise UsageError(f"slice {name!r}: not an SQL condition ({tree.get('error_message', 'cannot be read')})")
    [statement] = tree["statements"] if len(tree["statements"]) == 1 else [{"node": {}}]
    node = statement["node"]
    asks, chosen = [node.get(clause) for clause in _CLAUSES], node.get("select_list", [])
    if len(chosen) != 1 or any(asks) or chosen[0].get("alias") or node.get("from_table", {}).get("type") != "EMPTY":
        raise UsageError(f"slice {name!r}: one condition is needed, without more of a statement around it")
    return chosen[0]


def _parts(tree: Any) -> Iterator[dict[str, Any]]:
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
        waiting += part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()


def _refuse(name: str, part: dict[str, Any]) -> None:
    """Refuse a part of a tree that reads more than mentions."""
    kind = part.get("type")
    if kind == "BASE_TABLE" and (part.get("schema_name") or part.get("catalog_name") or part["table_name"] != _TABLE):
        raise UsageError(
            f"slice {name!r}: {part['table_name']!r} is not the table {_TABLE!r}, all that a condition reads"
        )
    if kind == "TABLE_FUNCTION":
        function = part.get("function", {}).get("function_name", "")
        if function.lower() not in _TABLES:
            raise UsageError(f"slice {name!r}: {function or kind} is no function of a condition")
    elif kind in ("TABLE_REF", "SHOW_REF", "COLUMN_DATA", "DELIM_GET", "PIVOT"):
        raise UsageError(f"slice {name!r}: it reads more than the table {_TABLE!r}")
    elif kind == "RECURSIVE_CTE_NODE":
        raise UsageError(f"slice {name!r}: a condition cannot be recursive")
    elif part.get("class") == "FUNCTION" and str(part.get("function_name", "")).lower() in _REFUSED:
        raise UsageError(f"slice {name!r}: {part['function_name']} is no function of a condition")


@lru_cache(maxsize=1)
def _parser() -> Any:
    connection = store.connect(alone=True)
    lock(connection)
    return connection


def answers(connection: Any, query: str, seconds: float | None = None) -> Any:
    """What a query gives, as a table; it ends with DuckDB's error when its time is over."""
    over = threading.Timer(seconds or SECONDS, connection.interrupt)
    over.daemon = True
    over.start()
    try:
        return connection.sql(query).to_arrow_table()
    finally:
        over.cancel()
        over.join()
