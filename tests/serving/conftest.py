"""A data home with runs, and a client of a server of it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from linkassay.serving.answers import Explorer
from linkassay.serving.application import application

ADDRESS = "http://127.0.0.1:8700"


@pytest.fixture(scope="session")
def linked_mini(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs on the embedded benchmark, one that finds mentions itself, and a view of two; to be copied only."""
    import linkassay
    from linkassay.explorer import build_view

    path = tmp_path_factory.mktemp("served") / "home"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(path))
        for name, options in (("exact", {}), ("normalised", {}), ("spotter", {"give": "text"})):
            linkassay.link(name, "mini", **options)
        build_view([linkassay.run(f"mini/{name}") for name in ("exact", "spotter")])
    return path


@pytest.fixture
def served_home(home: Path, linked_mini: Path) -> Path:
    shutil.copytree(linked_mini, home)
    return home


@pytest.fixture
def explorer(served_home: Path) -> Iterator[Explorer]:
    made = Explorer(served_home)
    yield made
    made.end()


@pytest.fixture
def client(explorer: Explorer) -> Iterator[TestClient]:
    with TestClient(application(explorer, "127.0.0.1", 8700), base_url=ADDRESS) as made:
        yield made


@pytest.fixture
def names(served_home: Path) -> dict[str, str]:
    """System → what its run is called."""
    return {path.name.rpartition("-")[0]: f"mini/{path.name}" for path in (served_home / "runs" / "mini").iterdir()}


def wait_for(what: Callable[[], Any], seconds: float = 30.0, pause: float = 0.02) -> Any:
    """What is true at last."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        if found := what():
            return found
        time.sleep(pause)
    raise AssertionError("it never came")


def get(client: TestClient, path: str, **params: Any) -> Any:
    """The answer to a request, when the job that it needs is done."""
    for _ in range(600):
        found = client.get(path, params=params)
        if found.status_code != 202:
            return found
        job = found.json()["job"]
        wait_for(lambda job=job: client.get(f"/api/jobs/{job}").json()["state"] not in ("waiting", "running"), 60)
        told = client.get(f"/api/jobs/{job}").json()
        assert told["state"] == "done", told
    raise AssertionError("jobs without end")
