"""Questions to views: the answers of the explorer's room, within limits, and a job where there is no view yet."""

from __future__ import annotations

import shutil
import threading
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

import linkassay
from linkassay.explorer import open_view
from linkassay.serving.answers import Explorer
from linkassay.serving.asked import Asked
from linkassay.serving.refusals import RefusedError
from linkassay.serving.views import Views
from tests.helpers import delay
from tests.serving.conftest import get, wait_for


@pytest.fixture
def both(names: dict[str, str]) -> list[str]:
    return [names["exact"], names["spotter"]]


def test_answers_are_those_of_the_view(client: TestClient, both: list[str], served_home: Path) -> None:
    cohort = get(client, "/api/cohort", run=both).json()
    assert cohort["systems"] == ["spotter", "exact"]
    view = open_view([linkassay.run(f"mini/{name}") for name in ("exact", "spotter")])
    assert view is not None
    assert view.folder.parent == served_home / "views"
    mention = view.mentions(limit=1)["rows"][0]["id"]
    case = view.cases(limit=1)["rows"][0]["id"]
    for name, params in (
        ("cohort", {}), ("mentions", {}), ("mention", {"id": mention}), ("cases", {}), ("case", {"id": case}),
        ("mentions", {"system": "=exact", "outcome": "wrong", "type": "=gene"}),
        ("mentions", {"outcome": "wrong", "sort": "-rank", "limit": 5, "offset": 2}),
        ("mentions", {"find": "' or 1 = 1 --"}), ("mentions", {"find": "%", "slice": "zero-shot"}),
        ("cases", {"nil": "required", "counted": "nothing", "sort": "text"}),
        ("documents", {}), ("documents", {"find": "insulin", "sort": "errors", "limit": 3}),
        ("document", {"id": "mini-104"}), ("document", {"id": "mini-104", "nil": "required", "systems": ["exact"]}),
    ):  # fmt: skip
        found = client.get(f"/api/{name}", params={"run": both, **params})
        assert found.status_code == 200, found.text
        given: dict[str, Any] = dict(params)
        if "system" in given and name == "document":
            given["systems"] = given.pop("system")
        assert found.json() == msgspec.json.decode(msgspec.json.encode(getattr(view, name)(**given)))
        assert client.get(f"/api/{name}", params={"run": both[::-1], **params}).content == found.content


def test_progress_then_the_answer(client: TestClient, names: dict[str, str]) -> None:
    both = [names["exact"], names["normalised"]]
    first = client.get("/api/mentions", params={"run": both})
    assert first.status_code == 202
    assert set(first.json()) == {"job", "state", "done", "of", "what"}
    other = client.get("/api/documents", params={"run": both})
    assert other.json()["job"] == first.json()["job"]
    told: set[str] = set()
    place = f"/api/jobs/{first.json()['job']}"

    def done() -> bool:
        job = client.get(place).json()
        told.add(job["what"])
        assert job["done"] <= job["of"] or not job["of"]
        return bool(job["state"] == "done")

    wait_for(done)
    assert any("scoring" in what or "judging" in what for what in told)
    assert client.get("/api/mentions", params={"run": both}).status_code == 200


def test_who_has_the_answer_is_not_given_it_again(
    client: TestClient, both: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = get(client, "/api/mentions", run=both, type="=gene")
    other = client.get("/api/mentions", params={"run": both, "type": "=disease"})
    assert found.headers["etag"] != other.headers["etag"]
    monkeypatch.setattr(Views, "ask", None)
    known = {"if-none-match": found.headers["etag"]}
    assert client.get("/api/mentions", params={"run": both, "type": "=gene"}, headers=known).status_code == 304


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("mentions", {"sort": "colour"}), ("mentions", {"limit": "0"}), ("mentions", {"system": "nobody"}),
        ("mention", {"id": "none"}), ("document", {"id": "none"}), ("cases", {"nil": "maybe"}),
        ("mentions", {"colour": "red"}), ("document", {"id": "mini-104", "system": ["a", "b", "c", "d", "e"]}),
    ],
)  # fmt: skip
def test_what_cannot_be(client: TestClient, both: list[str], name: str, params: dict[str, Any]) -> None:
    get(client, "/api/cohort", run=both)
    found = client.get(f"/api/{name}", params={"run": both, **params})
    assert found.status_code == 400
    assert list(found.json()) == ["error"]


def test_runs_of_two_splits(client: TestClient, both: list[str]) -> None:
    run = linkassay.link("exact", "mini", split="dev")
    found = client.get("/api/mentions", params={"run": [*both, f"mini/{run.key}"]})
    assert found.status_code == 400
    assert "of one corpus" in found.json()["error"]


def test_a_view_that_was_removed_is_made_again(client: TestClient, both: list[str], served_home: Path) -> None:
    get(client, "/api/cohort", run=both)
    shutil.rmtree(served_home / "views")
    assert client.get("/api/cohort", params={"run": both}).status_code == 202
    assert get(client, "/api/cohort", run=both).status_code == 200


def test_many_at_once(client: TestClient, both: list[str]) -> None:
    get(client, "/api/cohort", run=both)
    found: list[int] = []

    def ask(number: int) -> None:
        for at in range(5):
            params = {"run": both, "sort": ("", "text", "-rank")[at % 3], "offset": number}
            found.append(client.get("/api/mentions", params=params).status_code)

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [200] * 60


class _Slow:
    """A view whose questions take what they are told."""

    folder = Path()

    def __init__(self, connection: Any, query: str) -> None:
        self._connection, self._query = connection, query

    def cohort(self) -> dict[str, Any]:
        with self._connection.cursor() as cursor:
            return {"rows": cursor.execute(self._query).fetchall()}


_LONG = "select count(*) from range(100000000) a, range(1000) b where a.range % 7 = b.range % 5"


def test_a_question_that_takes_too_long_is_ended() -> None:
    views = Views(seconds=0.3)
    begin = time.monotonic()
    with pytest.raises(RefusedError, match="longer than") as refused:
        views.ask(_Slow(views._cursors, _LONG), "cohort", Asked())  # type: ignore[arg-type]
    assert refused.value.status == 503
    assert time.monotonic() - begin < 3 * delay()
    found = views.ask(_Slow(views._cursors, "select 1"), "cohort", Asked())  # type: ignore[arg-type]
    assert found == {"rows": [(1,)]}


def test_questions_end_with_the_server() -> None:
    views = Views(seconds=60)
    threading.Timer(0.3, views.end).start()
    begin = time.monotonic()
    with pytest.raises(RefusedError):
        views.ask(_Slow(views._cursors, _LONG), "cohort", Asked())  # type: ignore[arg-type]
    assert time.monotonic() - begin < 3 * delay()


def test_a_question_that_takes_too_much_memory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    views = Views(memory="30MB")
    large = "select max(len(l)) from (select list(range::varchar || repeat('x', 50)) as l from range(5000000))"
    with pytest.raises(RefusedError, match="memory") as refused:
        views.ask(_Slow(views._cursors, large), "cohort", Asked())  # type: ignore[arg-type]
    assert refused.value.status == 503
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("query", ["set memory_limit = '100GB'", "install httpfs", "load httpfs"])
def test_the_database_is_closed(query: str) -> None:
    import duckdb

    views = Views()
    with pytest.raises((duckdb.Error, RefusedError)):
        views.ask(_Slow(views._cursors, query), "cohort", Asked())  # type: ignore[arg-type]


def test_only_so_many_views_are_open(explorer: Explorer, client: TestClient, names: dict[str, str]) -> None:
    explorer.views._open.clear()
    for system in names.values():
        get(client, "/api/cohort", run=system)
    assert len(explorer.views._open) == 3
    for folder in [view.folder for view in explorer.views._open.values()][:2]:
        explorer.views.forget(folder)
    assert len(explorer.views._open) == 1
