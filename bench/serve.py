"""The explorer's server under load: a home of 200 runs, one of them with 1 M mentions, asked over the loopback.

What is measured is what a browser waits for. Requests differ, so that none is answered from what another left.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from bench.measure import Row, Taken, Target, progress, row, run, scratch

MENTIONS, NAMES, RUNS, CORPORA = 1_000_000, 2_000_000, 200, 50
#: Requests in all before memory is looked at, clients at once, and requests of each.
REQUESTS, CLIENTS, EACH = 1_000, 20, 25
#: Seconds below which nobody waits for a word on how far it is.
_SOON = 3
#: What is asked of the large run.
_RUN = "made/a-1"
_SORTS = ("text", "-text", "type", "-type", "document", "-document", "rank", "-rank")


@dataclass
class Client:
    """Asks a server over one connection, and keeps what each request took in milliseconds, by its kind."""

    port: int
    taken: dict[str, list[float]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    steps: set[str] = field(default_factory=set)  # of long work, as progress was told

    def __post_init__(self) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)

    def ask(self, kind: str, path: str, method: str = "GET", **params: Any) -> tuple[int, bytes]:
        """Status and body of an answer, read to its end."""
        address = path + ("?" + urlencode(params, doseq=True) if params else "")
        begin = time.perf_counter()
        self._connection.request(method, address)
        answer = self._connection.getresponse()
        body = answer.read()
        self.taken.setdefault(kind, []).append((time.perf_counter() - begin) * 1000)
        if answer.status not in (200, 202):
            self.wrong.append(f"{answer.status} {address}: {body[:200]!r}")
        return answer.status, body

    def wait(self, kind: str, path: str, **params: Any) -> tuple[float, bytes]:
        """Seconds until an answer that has to be computed is there, and the answer."""
        begin = time.perf_counter()
        while True:
            status, body = self.ask(kind, path, **params)
            if status != 202:
                return time.perf_counter() - begin, body
            job = json.loads(body)["job"]
            while (told := json.loads(self.ask("job", f"/api/jobs/{job}")[1]))["state"] in ("waiting", "running"):
                if told["of"]:
                    self.steps.add(f"{told['what']}, {told['done']} of {told['of']}")
                time.sleep(0.1)
            if told["state"] != "done":
                raise RuntimeError(f"{path}: {told}")


@contextmanager
def serving(home: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`linkassay serve` on a free port."""
    command = [str(Path(sys.executable).with_name("linkassay")), "serve", "--port", "0", "--json"]
    variables = os.environ | {"LINKASSAY_HOME": str(home)}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=variables)
    try:
        assert process.stdout is not None
        said = ""
        while "}" not in said:
            said += process.stdout.readline()
        yield process, int(json.loads(said)["address"].rstrip("/").rpartition(":")[2])
    finally:
        process.terminate()
        process.wait(10)


class Questions:
    """What people ask of a large run; no two are the same."""

    def __init__(self, mentions: int, seed: int = 0) -> None:
        self._random, self._mentions = np.random.default_rng(seed), mentions
        self._documents = -(-mentions // 40)

    def _number(self, below: int) -> int:
        return int(self._random.integers(0, max(1, below)))

    def _document(self) -> str:
        return f"te{self._number(self._documents):06d}"

    def page(self) -> tuple[str, dict[str, Any]]:
        """Any part of all mentions."""
        return "/api/mentions", {"offset": self._number(self._mentions - 100)}

    def filtered(self) -> tuple[str, dict[str, Any]]:
        """Some mentions by outcome, type, slice, text or document."""
        some = ({"system": "=a", "outcome": "wrong"}, {"type": "=gene"}, {"outcome": "right", "type": "=disease"},
                {"find": f"{self._number(4000):x}"}, {"document": self._document()}, {"slice": "composite"},
                {"slice": "no-alias-match", "type": "=chemical"})  # fmt: skip
        return "/api/mentions", some[self._number(len(some))] | {"offset": self._number(2000)}

    def sorted(self) -> tuple[str, dict[str, Any]]:
        """All mentions, or wrong ones, in another order."""
        some = {"outcome": "wrong"} if self._number(2) else {}
        return "/api/mentions", some | {"sort": _SORTS[self._number(len(_SORTS))], "offset": self._number(5000)}

    def one(self) -> tuple[str, dict[str, Any]]:
        """One mention, or one document."""
        document = self._document()
        if self._number(2):
            return "/api/document", {"id": document}
        return "/api/mention", {"id": f"{document}-{self._number(40 if self._mentions >= 40 else 1):02d}"}

    def documents(self) -> tuple[str, dict[str, Any]]:
        """A part of the documents, in some order."""
        sort = ("", "id", "errors", "-errors", "mentions", "-chars")[self._number(6)]
        find = {"find": f"{self._number(100)}"} if self._number(2) else {}
        return "/api/documents", find | {"sort": sort, "offset": self._number(self._documents // 2)}

    def kinds(self) -> dict[str, Callable[[], tuple[str, dict[str, Any]]]]:
        """All of them."""
        return {"pages of mentions": self.page, "filters": self.filtered, "sorts": self.sorted,
                "one mention or document": self.one, "documents": self.documents}  # fmt: skip


def p95(taken: Sequence[float]) -> float:
    """The 95th percentile."""
    return float(np.percentile(taken, 95))


def resident(process: int) -> float:
    """Megabytes that a process holds."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:
        [line] = [line for line in file if line.startswith("VmRSS:")]
    return int(line.split()[1]) / 1024


def rows(
    mentions: int = MENTIONS, names: int = NAMES, runs: int = RUNS, corpora: int = CORPORA, requests: int = REQUESTS
) -> list[Row]:
    """The explorer (SPEED-17)."""
    with scratch() as folder:
        home = folder / "home"
        progress(f"serve: making a home of {runs} runs, one of {mentions:,} mentions")
        run([sys.executable, "-m", "bench.served_home", *map(str, (mentions, names, runs, corpora))], home)
        with serving(home) as (process, port):
            return measured(process.pid, port, mentions, requests)


def measured(process: int, port: int, mentions: int, requests: int) -> list[Row]:
    """All that is asked of a running server."""
    found: list[Row] = []

    def add(work: str, wall: float, *targets: Target) -> None:
        found.append(row(f"linkassay serve: {work}", [Taken(0, wall, resident(process))], *targets))

    def slow(work: str, taken: Sequence[float]) -> None:
        add(f"{work}, {len(taken)} requests", sum(taken) / 1000, Target("p95", 300, unit="ms", value=p95(taken)))

    client = Client(port)
    begin = time.perf_counter()
    for path in ("/", "/assets/script.js", "/assets/style.css", "/api/about", "/api/runs"):
        client.ask("first", path)
    add("first view", time.perf_counter() - begin, Target("wall", 1, unit="s"))
    for _ in range(50):
        client.ask("runs", "/api/runs")
    slow("all runs again", client.taken["runs"])
    progress("serve: a view of the large run")
    seconds, _ = client.wait("view", "/api/cohort", run=_RUN)
    add(f"view of {mentions:,} mentions, once", seconds)

    questions = Questions(mentions)
    kinds = questions.kinds()
    cached = [{"run": _RUN, "measures": f"recall@{k}"} for k in range(1, 4)]
    for params in cached:
        client.wait("cached", "/api/figures", **params)
    client.taken["cached"] = []
    progress(f"serve: {requests} requests")
    for number in range(requests):
        if number % 6 == 5:
            client.ask("cached", "/api/figures", **cached[number % 3])
        else:
            kind = list(kinds)[number % 6 % 5]
            path, params = kinds[kind]()
            client.ask(kind, path, run=_RUN, **params)
    for kind in kinds:
        slow(kind, client.taken[kind])
    slow("cached figures", client.taken["cached"])
    add(f"memory after {requests} requests", 0, Target("memory", 600, unit="MB"))

    found += _meanwhile(port, process, questions)
    found.append(_together(port, process, mentions))
    if client.wrong:
        raise RuntimeError(f"{len(client.wrong)} requests failed, e.g. {client.wrong[0]}")
    return found


def _meanwhile(port: int, process: int, questions: Questions) -> list[Row]:
    """Figures that nobody asked for before, what others wait for meanwhile, and how soon such work can be ended."""
    progress("serve: figures that are not there, and others meanwhile")
    other, over = Client(port), threading.Event()

    def ask() -> None:
        while not over.is_set():
            path, params = questions.page() if len(other.taken.get("page", [])) % 2 else questions.filtered()
            other.ask("page", path, run=_RUN, **params)
            other.ask("page", "/api/runs")

    thread = threading.Thread(target=ask)
    thread.start()
    client = Client(port)
    seconds, body = client.wait("figures", "/api/figures", run=_RUN, measures="recall@1..5,mrr", by="type")
    assert json.loads(body)["rows"]
    assert client.steps or seconds < _SOON, "no progress was told"
    over.set()
    thread.join()
    _, body = client.ask("figures", "/api/figures", run=_RUN, measures="recall@7", by="type")
    job = json.loads(body)["job"]
    while json.loads(client.ask("job", f"/api/jobs/{job}")[1])["state"] == "waiting":
        time.sleep(0.02)
    begin = time.perf_counter()
    client.ask("cancel", f"/api/jobs/{job}/cancel", "POST")
    while json.loads(client.ask("job", f"/api/jobs/{job}")[1])["state"] == "running":
        time.sleep(0.02)
    cancelled = time.perf_counter() - begin
    assert json.loads(client.ask("job", f"/api/jobs/{job}")[1])["state"] == "cancelled"
    if wrong := [*client.wrong, *other.wrong]:
        raise RuntimeError(wrong[0])
    taken = other.taken["page"]
    return [
        row("linkassay serve: figures by type that were not there", [Taken(0, seconds, resident(process))],
            Target("wall", 10, unit="s"), Target("cancelled after", 2, unit="s", value=cancelled)),
        row(f"linkassay serve: meanwhile {len(taken)} requests of others",
            [Taken(0, sum(taken) / 1000, resident(process))], Target("p95", 300, unit="ms", value=p95(taken))),
    ]  # fmt: skip


def _together(port: int, process: int, mentions: int) -> Row:
    """Many clients at once."""
    progress(f"serve: {CLIENTS} clients at once")
    clients = [Client(port) for _ in range(CLIENTS)]

    def ask(client: Client, seed: int) -> None:
        questions = Questions(mentions, seed)
        kinds = list(questions.kinds().values())
        for number in range(EACH):
            path, params = kinds[(number + seed) % len(kinds)]()
            client.ask("all", path, run=_RUN, **params)

    begin = time.perf_counter()
    threads = [threading.Thread(target=ask, args=(client, seed)) for seed, client in enumerate(clients, start=1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wall = time.perf_counter() - begin
    asked = sum(len(client.taken["all"]) for client in clients)
    wrong = [each for client in clients for each in client.wrong]
    missing = CLIENTS * EACH - asked
    for each in wrong[:3]:
        progress(f"serve: {each}")
    return row(f"linkassay serve: {CLIENTS} clients at once, {asked} requests", [Taken(0, wall, resident(process))],
               Target("errors", 0, value=len(wrong) + missing), Target("memory", 600, unit="MB"))  # fmt: skip
