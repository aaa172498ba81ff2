"""Answers of the server: the same figures as on the command line, jobs for what is not there, and no internals."""

from __future__ import annotations

import json
import shlex
import shutil
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.pages import page_words
from linkassay.serving import answers, result_cache
from linkassay.serving.answers import Explorer
from linkassay.serving.application import application
from tests.helpers import delay
from tests.serving.conftest import ADDRESS, get, wait_for


def stored(home: Path) -> dict[str, tuple[int, int]]:
    """Every file of runs, corpora and knowledge bases."""
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for room in ("runs", "corpora", "kbs")
            for path in sorted((home / room).rglob("*")) if path.is_file()}  # fmt: skip


def test_about_and_choices(client: TestClient) -> None:
    about = client.get("/api/about").json()
    assert about.pop("words") == json.loads(json.dumps(page_words()))
    assert about == {"version": linkassay.__version__, "feed": "server", "title": "linkassay",
                     "can": {"compute": True}, "text": "full", "note": ""}  # fmt: skip
    choices = client.get("/api/choices").json()
    assert list(choices) == ["measures", "protocols", "sets", "slices", "averages", "presets", "nil", "spans",
                             "abbreviations", "cases"]  # fmt: skip
    assert all(set(each) == {"name", "summary"} and each["summary"] for found in choices.values() for each in found)
    assert {"recall", "mrr"} <= {each["name"] for each in choices["measures"]}


def test_the_page_and_its_parts(client: TestClient) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<script>" not in page.text
    assert "style=" not in page.text
    for path, kind in (("/assets/script.js", "text/javascript"), ("/assets/style.css", "text/css")):
        assert path in page.text
        found = client.get(path)
        assert found.headers["content-type"].startswith(kind)
        assert client.get(path, headers={"if-none-match": found.headers["etag"]}).status_code == 304
    assert "http" not in page.text.replace("http-equiv", "")


@pytest.mark.parametrize("name", ["runs", "about", "choices"])
def test_etags(client: TestClient, name: str) -> None:
    found = client.get(f"/api/{name}")
    assert found.headers["cache-control"] == "private, no-cache"
    again = client.get(f"/api/{name}", headers={"if-none-match": found.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get(f"/api/{name}", headers={"if-none-match": '"another"'}).status_code == 200
    assert client.head(f"/api/{name}").status_code == 200


def test_a_new_run_appears(client: TestClient) -> None:
    before = client.get("/api/runs")
    run = linkassay.link("exact", "mini", top=2)
    after = client.get("/api/runs", headers={"if-none-match": before.headers["etag"]})
    assert after.status_code == 200
    assert {row["run"] for row in after.json()["rows"]} - {row["run"] for row in before.json()["rows"]} == {run.key}


@pytest.mark.parametrize(
    ("system", "params"),
    [
        ("exact", {}),
        ("exact", {"measures": "recall@1..2,mrr", "by": ["type", "length(text) > 3"], "average": "documents"}),
        ("exact", {"set": "global,novel", "protocol": "belb/strict", "failures": "5"}),
        ("exact", {"hierarchy": "mini", "set": "global"}),
        ("exact", {"preset": "bioel", "by": "zero-shot"}),
        ("spotter", {"task": "end-to-end"}),
        ("spotter", {"task": "found", "nil": "required", "preset": "fair", "spans": "overlap", "by": "type"}),
    ],
)
def test_figures_are_those_of_the_command(
    client: TestClient, names: dict[str, str], served_home: Path, system: str, params: dict[str, Any]
) -> None:
    before = stored(served_home)
    found = get(client, "/api/figures", run=[names[system], names["normalised"]], **params)
    assert found.status_code == 200
    answer = found.json()
    assert stored(served_home) == before, "what was stored has changed"
    command = shlex.split(answer.pop("command"))
    assert command[:2] == ["linkassay", "score"]
    done = CliRunner().invoke(app, [*command[1:], "--json"], catch_exceptions=False)
    assert answer == json.loads(done.stdout)
    again = client.get("/api/figures", params={"run": [names[system], names["normalised"]], **params})
    assert again.headers["etag"] == found.headers["etag"]
    assert again.content == found.content


def test_a_request_that_score_refuses(client: TestClient, names: dict[str, str]) -> None:
    """What cannot be said at once is said by the job, and by who asks again."""
    asked = {"run": names["exact"], "by": "nonsense ("}
    job = client.get("/api/figures", params=asked)
    assert job.status_code == 202
    place = f"/api/jobs/{job.json()['job']}"
    told = wait_for(lambda: (t := client.get(place).json())["state"] == "failed" and t)
    assert "nonsense" in told["why"]
    again = client.get("/api/figures", params=asked)
    assert (again.status_code, again.json()) == (400, {"error": told["why"]})
    at_once = client.get("/api/figures", params={"run": names["exact"], "measures": "colour"})
    assert at_once.status_code == 400
    assert "unknown measure" in at_once.json()["error"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/nothing", 404), ("/api/figures", 400), ("/api/figures?run=mini/none", 404), ("/api/runs?x=1", 400),
        ("/api/report?run=..", 404), ("/api/jobs/none", 404), ("/nothing", 404), ("/api/", 404), ("/api/jobs/", 404),
        ("/assets/../../../etc/passwd", 404), ("/api/mentions?run=mini/none", 404), ("/api/mention?run=x", 400),
    ],
)  # fmt: skip
def test_what_is_not_there(client: TestClient, path: str, status: int) -> None:
    found = client.get(path)
    assert found.status_code == status
    assert list(found.json()) == ["error"]


def test_a_report(client: TestClient, names: dict[str, str], served_home: Path) -> None:
    before = stored(served_home)
    found = get(client, "/api/report", run=[names["exact"], names["normalised"]])
    data = found.json()
    assert [each["systems"] for each in data["corpora"]] == [["normalised", "exact"]]
    assert "mentions" not in data["corpora"][0]
    assert data["corpora"][0]["before"]
    assert stored(served_home) == before
    assert client.get("/api/report", params={"run": [names["normalised"], names["exact"]]}).status_code == 200


def test_a_job_is_cancelled(client: TestClient, explorer: Explorer, names: dict[str, str]) -> None:
    job = client.get("/api/figures", params={"run": names["exact"], "by": "type"}).json()["job"]
    told = client.post(f"/api/jobs/{job}/cancel")
    assert told.status_code == 200
    wait_for(lambda: client.get(f"/api/jobs/{job}").json()["state"] == "cancelled", 5)
    assert client.post(f"/api/jobs/{job}/cancel").status_code == 409
    assert client.post("/api/jobs/none/cancel").status_code == 404
    assert get(client, "/api/figures", run=names["exact"], by="type").status_code == 200


def test_two_who_ask_the_same_wait_for_one_job(client: TestClient, names: dict[str, str]) -> None:
    jobs = {client.get("/api/figures", params={"run": names["exact"], "by": "type"}).json()["job"] for _ in range(3)}
    assert len(jobs) == 1


def test_default_figures_are_computed_in_the_background(client: TestClient, served_home: Path) -> None:
    """Where a run has none beside it; what is computed is what would have been kept, and the run stays as it is."""
    kept = {}
    for path in (served_home / "runs").glob("*/*/figures.json"):
        kept[path.parent.name] = path.read_bytes()
        path.unlink()
    before = stored(served_home)
    first = client.get("/api/runs").json()["rows"]
    assert {row["state"] for row in first} == {"waiting"}
    wait_for(lambda: {row["state"] for row in client.get("/api/runs").json()["rows"]} == {"ready"})
    assert {row["task"] for row in client.get("/api/runs").json()["rows"]} == {"given", "found"}
    assert stored(served_home) == before
    assert {path.read_bytes() for path in (served_home / "figures").iterdir()} == {*kept.values()}


def test_a_run_that_cannot_be_scored_says_why(client: TestClient, served_home: Path) -> None:
    for path in (served_home / "runs").glob("*/exact-*"):
        (path / "figures.json").unlink()
        (path / "predictions.parquet").write_bytes(b"PAR1")
    row = wait_for(lambda: next((r for r in client.get("/api/runs").json()["rows"] if r["state"] == "failed"), None))
    assert "predictions.parquet" in row["why"]


def test_a_home_that_cannot_be_written(
    served_home: Path, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in (served_home / "runs").glob("*/exact-*/figures.json"):
        path.unlink()
    before = sorted(map(str, served_home.rglob("*")))
    monkeypatch.setattr(result_cache, "_can_write", lambda _: False)
    explorer = Explorer(served_home)
    with TestClient(application(explorer, "127.0.0.1", 8700), base_url=ADDRESS) as client:
        assert "cannot be written" in client.get("/api/about").json()["note"]
        assert get(client, "/api/figures", run=names["exact"]).status_code == 200
        wait_for(lambda: {row["state"] for row in client.get("/api/runs").json()["rows"]} == {"ready"})
    assert sorted(map(str, served_home.rglob("*"))) == before
    assert explorer.cache.temporary is not None
    assert not explorer.cache.temporary.exists()


def test_no_internals(client: TestClient, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("secret of the machine")

    monkeypatch.setattr(answers.RunIndex, "now", broken)
    found = client.get("/api/runs")
    assert found.status_code == 500
    assert "secret" not in found.text
    assert "secret of the machine" in capfd.readouterr().err


def test_long_work_delays_nobody(client: TestClient, explorer: Explorer, names: dict[str, str]) -> None:
    """Not even questions that take long: others have threads of their own."""
    release, begun = threading.Event(), threading.Semaphore(0)
    answer = explorer.answer

    def slow(name: str, query: bytes, known: str = "") -> answers.Answer:
        if name == "mentions":
            begun.release()
            release.wait(20)
        return answer(name, query, known)

    explorer.answer = slow  # type: ignore[method-assign]
    held = [threading.Thread(target=client.get, args=("/api/mentions?run=x",)) for _ in range(10)]
    for thread in held:
        thread.start()
    for _ in range(8):
        begun.acquire()
    begin = time.perf_counter()
    assert client.get("/api/runs").status_code == 200
    assert client.get("/api/jobs/none").status_code == 404
    assert time.perf_counter() - begin < 2 * delay()
    release.set()
    for thread in held:
        thread.join()


def test_what_was_computed_by_another_version_counts_no_more(
    served_home: Path, names: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    for version in ("1", "2"):
        monkeypatch.setattr(answers, "software", lambda version=version: version)
        explorer = Explorer(served_home)
        with TestClient(application(explorer, "127.0.0.1", 8700), base_url=ADDRESS) as client:
            seen.append(get(client, "/api/figures", run=names["exact"]).headers["etag"])
    assert len({*seen}) == 2


def test_a_run_that_is_made_again_is_another(client: TestClient, names: dict[str, str], served_home: Path) -> None:
    asked = {"run": names["exact"]}
    first = get(client, "/api/figures", **asked).headers["etag"]
    shutil.rmtree(served_home / "runs" / names["exact"])
    assert client.get("/api/figures", params=asked).status_code == 404
    linkassay.link("exact", "mini")
    assert get(client, "/api/figures", **asked).headers["etag"] != first
