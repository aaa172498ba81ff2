"""Conditions in SQL are one expression over the mentions (SAFE-8): nothing around it, nothing else read, bounded."""

from __future__ import annotations

import time
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkassay
from linkassay import store
from linkassay.errors import UsageError
from linkassay.scoring.disambiguation import conditions
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.disambiguation.slices import asked_group


@pytest.fixture(scope="module")
def mini(tmp_path_factory: pytest.TempPathFactory) -> Score:
    patch = pytest.MonkeyPatch()
    patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))
    linkassay.get("mini")
    score = linkassay.score(linkassay.link("exact", "mini"))
    patch.undo()
    return score


ESCAPES = [
    "true; update mention set type = 'gene'",
    "true); update mention set type = 'gene' --",
    "true)::boolean, false) from mention order by row; update mention set type = 'gene'; select coalesce((true",
    "true; call enable_logging()",
    "(select count(*) from enable_logging()) > 0",
    "true) or (true",
    "true), (true",
    "true /*",
    "true from mention where true",
    "true as yes",
    "true union all select false",
    "true order by 1",
    "true limit 1",
    "set memory_limit = '1TB'",
    "(select count(*) from duckdb_settings()) > 0",
    "(select count(*) from glob('/*')) > 0",
    "(select count(*) from names) > 0",
    "(select count(*) from main.mention) > 0",
    "(select count(*) from memory.main.mention) > 0",
    "(select count(*) from information_schema.tables) > 0",
    "(select count(*) from (select * from query('select 1'))) > 0",
    "exists (from read_csv('/etc/passwd'))",
    "exists (select 1 from '/etc/passwd')",
    "current_setting('memory_limit') <> ''",
    "write_log('x') is null",
    "length(repeat(text, 1000000000)) > 0",
    "len(range(4000000000)) > 0",
    "(with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t) > 0",
    "exists (show tables)",
    "exists (describe mention)",
    "",
    " ",
    "-- nothing",
    "true\0",
    "text = '\udcff'",
    "(" * 3000 + "true" + ")" * 3000,
    "1 + " * 20_000 + "1 > 0",
]


@pytest.mark.parametrize("condition", ESCAPES, ids=lambda text: text[:30].encode("ascii", "replace").decode())
def test_what_is_more_than_an_expression_is_refused(mini: Score, condition: str) -> None:
    with pytest.raises(UsageError):
        mini.by(f"x: {condition}")


def test_nothing_of_it_was_done(mini: Score) -> None:
    before = {r["slice"]: r["n"] for r in mini.rows("recall@1", by=["type"])}
    for condition in ESCAPES:
        with pytest.raises(UsageError):
            mini.by(f"x: {condition}")
    assert {r["slice"]: r["n"] for r in mini.rows("recall@1", by=["type"])} == before
    assert len(before) > 3


@pytest.mark.parametrize(
    "condition",
    [
        "length < 4",
        "length < 4 -- short ones",
        "length /* of the text */ < 4",
        "text = 'a; drop table mention'",
        "text = ')'",
        "document in (select document from mention where composite)",
        "exists (select 1 from unnest(gold) as t(g) where g like 'mesh:%')",
        "row_number() over (order by id) < 3",
        "case when type = 'gene' then true else false end",
        "list_contains(gold, 't:5') or text similar to 'a.*'",
    ],
)
def test_expressions_are_taken(mini: Score, condition: str) -> None:
    mini.by(f"x: {condition}")


def test_time_is_bounded(mini: Score, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "SECONDS", 0.5)
    begun = time.monotonic()
    many = ", ".join(f"mention m{n}" for n in range(8))
    with pytest.raises(UsageError, match="not done after"):
        mini.by(f"x: (select count(*) from {many}) > 0")
    assert time.monotonic() - begun < 20
    assert mini.by("length < 4")


def test_a_locked_connection_stays_locked(tmp_path: Path) -> None:
    connection = store.connect(alone=True)
    conditions.lock(connection)
    for statement in (
        "set memory_limit = '1TB'",
        "set enable_external_access = true",
        f"copy (select 1) to '{tmp_path / 'x.csv'}'",
        f"attach '{tmp_path / 'x.db'}'",
    ):
        with pytest.raises(duckdb.Error):
            connection.execute(statement)
    assert list(tmp_path.iterdir()) == []


@given(st.text(max_size=40))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    try:
        conditions.refuse_all_but_an_expression("x", text)
    except UsageError:
        return
    connection = store.connect()
    assert len(connection.extract_statements(f"select ({text}\n)")) == 1


@pytest.mark.parametrize(
    ("by", "found"),
    [
        ("type=gene", ("type", "gene")),
        ("species=ncbitaxon:9606", ("species", "ncbitaxon:9606")),
        ("section = Materials and Methods", ("section", "Materials and Methods")),
        ("type='gene'", None),
        ("type=section", None),
        ("length=4", None),
        ("type=gene::varchar", None),
        ("text=gene", None),
        ("type=", None),
    ],
)
def test_groups_as_tables_write_them(by: str, found: tuple[str, str] | None) -> None:
    assert asked_group(by) == found


def test_a_group_is_a_slice(mini: Score) -> None:
    every = {r["slice"]: r["n"] for r in mini.rows("recall@1", by=["type"])}
    assert {r["slice"]: r["n"] for r in mini.rows("recall@1", by=["type=gene"])} == {
        name: every[name] for name in ("all", "type=gene")
    }
