"""A real Ray cluster of several nodes on this machine: the same predictions, and a node killed in mid-build."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from endure.httpserver import Exchange, running

import linkassay
from linkassay.engine import Engine
from linkassay.kbs.building.build import build_kb
from linkassay.kbs.schema import Entity, KbSpec, Part
from linkassay.runs import execute, shard
from linkassay.runs.request import LinkRequest
from tests.helpers import raw
from tests.linkers.external.test_command_and_http import tool, write_names
from tests.standins.services import pubtator_service

if importlib.util.find_spec("ray") is None:
    pytest.skip("Ray is not installed: pip install 'linkassay[ray]'", allow_module_level=True)

PIECES = 12


def slow_reader(file: Any, options: Any) -> Iterator[Entity]:
    """Takes its time, so that a node can be lost meanwhile; says where and that it runs."""
    (Path(options["marks"]) / f"{_node()}-{os.getpid()}-{time.time_ns()}").touch()
    time.sleep(float(options["pause"]))
    for _, line in file.lines():
        yield Entity(f"t:{line}", "disease", ((f"name {line}", "label"), (f"Other-{int(line) % 9}", "synonym")))


def _node() -> str:
    import ray

    return str(ray.get_runtime_context().get_node_id()) if ray.is_initialized() else "local"


def spec(marks: Path, pause: float) -> KbSpec:
    files = [raw(f"p{i:02d}.txt", "".join(f"{i * 50 + j}\n" for j in range(50))) for i in range(PIECES)]
    return KbSpec("tiny", "Tiny", "t", ("disease",), "CC0", "", "", (Part("p*.txt", "tests.test_ray:slow_reader"),),
                  packaged=lambda: files, options={"marks": str(marks), "pause": pause})  # fmt: skip


def tree(path: Path) -> dict[str, str]:
    """Every table with its checksum; the manifest names folders of the test."""
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(path.glob("*.parquet"))}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without workers and two nodes with one core each, all raylets of their own."""
    with pytest.MonkeyPatch.context() as patch:
        path = os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))
        patch.setenv("PYTHONPATH", path)  # the workers import this very module
        patch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
        yield from _started()


def _started() -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    # each node has a loopback address of its own, as if it were a machine of its own
    head = {"num_cpus": 0, "include_dashboard": False, "node_ip_address": "127.0.0.2"}
    found = Cluster(initialize_head=True, head_node_args=head)
    nodes = [found.add_node(num_cpus=1, node_ip_address=f"127.0.0.{3 + i}") for i in range(2)]
    found.wait_for_nodes()
    yield found, nodes
    import ray

    ray.shutdown()
    found.shutdown()


@pytest.mark.timeout(600)
def test_ray_gives_the_same_predictions(
    cluster: Any, home_with_mini: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Linkers that are trained, find mentions themselves, and are outside systems; byte for byte.

    Who has joined the cluster before stays in it; the test below joins it by its address.
    """
    import ray

    found, _ = cluster
    ray.init(found.address, log_to_driver=False)
    monkeypatch.setenv("STANDIN_NAMES", str(tmp_path / "names.tsv"))
    write_names(tmp_path / "names.tsv")
    stand_in = tool("misbehave", "well", "{input}", "{output}")
    cmd = f"env STANDIN_NAMES={tmp_path / 'names.tsv'} {stand_in}"  # the nodes' environment does not have it
    own = tmp_path / "own.py"  # a linker without a package
    own.write_text("from linkassay.linkers.strings.exact import Exact\n\nclass Own(Exact):\n    pass\n")
    times: list[float] = []

    def timed(exchange: Exchange) -> None:
        times.append(time.monotonic())
        pubtator_service(exchange)

    with running() as site:
        url = site.serve("/x", timed)
        linkers: dict[str, Any] = {
            "fuzzy": {}, "tfidf": {}, "genes": {}, "house": {}, "spotter": {}, f"{own}:Own": {},
            "command": {"options": {"cmd": cmd, "exchange": "pubtator"}},
            "http": {"options": {"url": url, "exchange": "pubtator"}, "running": {"rate": 20.0}},
        }  # fmt: skip
        corpus, kb = linkassay.corpus("mini"), linkassay.kb("mini")
        assert len(corpus["train"]) > shard.DOCUMENTS  # so that there is more than one
        for linker, options in linkers.items():
            said = []
            for engine in (Engine("local", workers=1), Engine("ray", address=found.address)):
                times.clear()
                run, fresh = execute.link(
                    LinkRequest(linker, corpus.name, kb.name, split="train", allow_leak=True, **options),
                    again=True,
                    engine=engine,
                )
                assert (fresh, run.about["failures"]) == (True, [])
                said.append((run.path / "predictions.parquet").read_bytes())
            assert said[0] == said[1], linker
            assert run.about["mentions"] > 50
    assert times[-1] - times[0] > (len(times) - 2) / 20  # the rate is that of all nodes together
    assert ray.is_initialized()
    ray.shutdown()


@pytest.mark.timeout(300)
def test_a_lost_node_loses_no_work(cluster: Any, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found, nodes = cluster
    marks = tmp_path / "marks"
    marks.mkdir()

    def kill_one() -> None:
        """Wait until a shard runs on the first node, then kill that node: raylet and worker."""
        while not (running := list(marks.glob(f"{nodes[0].node_id}-*"))):
            time.sleep(0.02)
        pids = [process.process.pid for process in nodes[0].all_processes["raylet"]]
        for pid in (*pids, int(running[0].name.split("-")[1])):
            os.kill(pid, signal.SIGKILL)

    killer = threading.Thread(target=kill_one, daemon=True)
    killer.start()
    on_ray = build_kb(spec(marks, 0.7), engine=Engine("ray", address=found.address))
    killer.join(timeout=60)
    assert not killer.is_alive()  # a node was killed while shards were at work
    assert len(list(marks.iterdir())) > PIECES  # and some of them had to be done again
    monkeypatch.setenv("LINKASSAY_HOME", str(tmp_path / "local"))
    local = build_kb(spec(marks, 0.0), engine=Engine("local", workers=1))
    assert on_ray.manifest["counts"] == local.manifest["counts"] == {
        "entities": 600, "names": 1200, "parents": 0, "history": 0, "xrefs": 0, "foreign": 0,
    }  # fmt: skip
    assert tree(on_ray.path) == tree(local.path)
