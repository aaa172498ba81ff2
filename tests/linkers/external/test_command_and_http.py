"""Outside systems: stand-ins that speak as they do, and everything that can go wrong with a tool or a server."""

from __future__ import annotations

import email.utils
import json
import shlex
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from endure.httpserver import NO_BEGINNING, NO_END, Behaviour, Exchange, Site, chunked, running, status, turns, whole
from endure.killing import sweep
from typer.testing import CliRunner

import linkassay
from linkassay.cli import app
from linkassay.engine import Engine
from linkassay.errors import LinkassayError, UsageError
from linkassay.linkers.external.exchange import EXCHANGES
from linkassay.linkers.external.http import Http
from linkassay.runs import execute, shard
from linkassay.runs.request import LinkRequest
from linkassay.runs.stored_run import Run, all_runs
from tests.conftest import ROOT
from tests.corpora.catalog.test_real_cli import run as command
from tests.standins.services import ADDRESSES, SERVICES, pubtator_service
from tests.test_kill import assert_killed_between_shards, assert_survives

TOOLS = ROOT / "tests" / "standins" / "tools.py"


def write_names(path: Path) -> dict[str, str]:
    """What the stand-ins know: the texts of the test split's mentions, each with one of its ids."""
    known = {
        m.text: (sorted(m.ids)[0], m.type)
        for d in linkassay.corpus("mini")["test"]
        for m in d.mentions
        if m.gold and len(m.spans) == 1
    }
    path.write_text("".join(f"{text}\t{i}\t{type_}\n" for text, (i, type_) in known.items()), encoding="utf-8")
    return {text: i for text, (i, _) in known.items()}


def tool(*words: str) -> str:
    return shlex.join([sys.executable, str(TOOLS), *words])


@pytest.fixture
def names(home_with_mini: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("STANDIN_NAMES", str(tmp_path / "names.tsv"))
    return write_names(tmp_path / "names.tsv")


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(Http, "first_pause", 0.01)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with running() as found:
        yield found


def link(linker: str, corpus: str = "mini", **options: Any) -> Run:
    patience = {"timeout": options.pop("timeout", 60.0)} | options.pop("running", {})
    again = options.pop("again", False)
    asked = {name: options.pop(name) for name in ("give", "strict", "system") if name in options}
    linkassay.corpus(corpus)
    return execute.link(LinkRequest(linker, corpus, "mini", options=options, running=patience, **asked), again=again)[0]


def documents(corpus: str = "mini") -> list[str]:
    return [d.id for d in linkassay.corpus(corpus)["test"]]


def right(run: Run, names: dict[str, str]) -> float:
    """Of the gold mentions whose text the stand-ins know, how many have the id that these say."""
    said = {p.mention: p for p in run.predictions() if p.mention}
    asked = [m for d in run.open_corpus()["test"] for m in d.mentions if m.text in names and len(m.spans) == 1]
    return sum(names[m.text] in (said[m.id].groups or ((),))[0] for m in asked if m.id in said) / len(asked)


# --- commands ------------------------------------------------------------------------------------------------------


def test_a_command_over_files(names: dict[str, str], tmp_path: Path) -> None:
    run = link("command", cmd=tool("misbehave", "well", "{input}", "{output}"), exchange="pubtator", system="mine")
    assert (run.about["failures"], run.system, run.about["unknown_ids"]["count"]) == ([], "mine", 0)
    assert run.about["parameters"]["linker"] == "command"
    assert right(run, names) > 0.9  # of nested names only the longest is found
    rows = command("score", "mini/mine", "--task", "end-to-end", "--nil", "ignored")["rows"]
    assert rows[0]["all_f1"] > 0.8
    assert not any(p.nil for p in run.predictions())


def test_what_a_command_costs_is_counted(own: str) -> None:
    work = "import time\nheld = bytearray(400_000_000)\nwhile time.process_time() < 1: pass"
    costs = link("command", own, cmd=shlex.join([sys.executable, "-c", work]), exchange="jsonl").about
    assert costs["link_cpu_seconds"] >= 1
    assert costs["peak_memory_bytes"] > 400_000_000


def test_gold_mentions_are_given_without_their_ids(names: dict[str, str], tmp_path: Path) -> None:
    for exchange in ("pubtator", "bioc", "jsonl", "nif"):
        copy = tmp_path / f"asked-{exchange}"
        shown = f"import sys,shutil; shutil.copy(sys.argv[1], {str(copy)!r}); "
        back = "shutil.copy(sys.argv[1], sys.argv[2])" if exchange != "jsonl" else "open(sys.argv[2], 'w')"
        cmd = shlex.join([sys.executable, "-c", shown + back, "{input}", "{output}"])
        run = link("command", "mini/disease", cmd=cmd, exchange=exchange, give="mentions", system=f"given-{exchange}")
        assert run.about["failures"] == []
        gold = [m for d in linkassay.corpus("mini/disease")["test"] for m in d.mentions]
        assert run.about["mentions"] == len(gold)
        assert not any(p.groups for p in run.predictions())
        text = copy.read_text(encoding="utf-8")
        assert "D003924" not in text
        assert "mesh:" not in text.lower()
        last = [m for m in gold if len(m.spans) == 1][-1]
        assert last.text in text
        assert str(last.start) in text


def test_standard_input_and_output(names: dict[str, str]) -> None:
    code = (
        "import sys, json\n"
        "for line in sys.stdin:\n"
        "    d = json.loads(line)\n"
        "    t = d['passages'][0]['text']\n"
        "    print(json.dumps({'document': d['id'], 'spans': [[0, len(t)]], 'candidates': [['mesh:D003924']]}))\n"
    )
    run = link("command", cmd=shlex.join([sys.executable, "-c", code]), exchange="jsonl")
    assert run.about["failures"] == []
    assert run.about["mentions"] == len(documents())


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("crash", "exit status 3; it said: first a warning\nOutOfMemoryError: no heap"),
        ("garbage", "neither a line 'id|t|title' nor an annotation"),
        ("silent", "the command wrote nothing"),
        ("empty", "it gave back nothing for this document"),
        ("unknown-document", "it answered about document '99999', which it was not asked about"),
        ("wrong-offsets", "of its annotations are bad; the first: "),
        ("two-files", "the command wrote 2 files"),
    ],
)
def test_a_tool_that_fails_on_one_document(
    names: dict[str, str], how: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard, "DOCUMENTS", 4)
    bad = documents()[5]
    run = link("command", cmd=tool("misbehave", f"{how}={bad}", "{input}", "{output}"), exchange="pubtator")
    [failure] = run.about["failures"]
    assert failure["document"] == bad
    assert message in failure["error"]
    assert bad not in {p.document for p in run.predictions()}
    assert {p.document for p in run.predictions()} == set(documents()) - {bad}


def test_a_tool_that_gives_back_half_of_the_documents(names: dict[str, str]) -> None:
    run = link("command", cmd=tool("misbehave", "half", "{input}", "{output}"), exchange="pubtator")
    failed = [f["document"] for f in run.about["failures"]]
    assert failed
    assert set(failed) < set(documents())
    assert {f["error"] for f in run.about["failures"]} == {"it gave back nothing for this document"}


def test_a_tool_that_hangs_is_ended_with_all_that_it_started(
    names: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard, "DOCUMENTS", 1)
    note = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(p.pid))"
    code = f"import subprocess; p = subprocess.Popen(['sleep', '600']); {note}; p.wait()"
    begin = time.monotonic()
    with pytest.raises(LinkassayError, match=r"did not end within 1 s \(--timeout\)"):
        link("command", cmd=shlex.join([sys.executable, "-c", code]), exchange="jsonl", timeout=1, strict=True)
    assert time.monotonic() - begin < 60
    assert ended(int((tmp_path / "pid").read_text()))


def test_ids_that_the_kb_does_not_have(names: dict[str, str]) -> None:
    cmd = tool("misbehave", "unknown-ids", "{input}", "{output}")
    about = link("command", cmd=cmd, exchange="pubtator").about
    assert about["unknown_ids"]["examples"] == ["mesh:D999999999"]
    assert about["unknown_ids"]["count"] == about["mentions"] > 100


def test_documents_that_the_format_cannot_hold_fail_alone(names: dict[str, str], tmp_path: Path) -> None:
    lines = [
        {"id": "1", "passages": [{"kind": "title", "offset": 0, "text": "Gout\nagain"}], "mentions": []},
        {"id": "2", "passages": [{"kind": "title", "offset": 0, "text": "Gout again"}], "mentions": []},
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command("get", "--format", "jsonl", tmp_path / "own.jsonl", "--name", "own", "--kb", "mini")
    run = link("command", "own", cmd=tool("misbehave", "well", "{input}", "{output}"), exchange="pubtator")
    [failure] = run.about["failures"]
    assert failure["document"] == "1"
    assert "PubTator cannot hold it" in failure["error"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["command"], "needs --cmd and --exchange"),
        (["command", "--cmd", "tool {input}", "--exchange", "pubtater"], "did you mean 'pubtator'"),
        (["command", "--cmd", "tool 'x", "--exchange", "nif"], "cannot be split into words"),
        (["command", "--cmd", "no-such-tool-here", "--exchange", "nif"], "there is no command 'no-such-tool-here'"),
        (["command", "--cmd", "cat", "--exchange", "bern2"], "is spoken over HTTP"),
        (
            ["command", "--url", "http://127.0.0.1/", "--exchange", "nif"],
            "--url is of the linker http, not of 'command'",
        ),
        (["exact", "--cmd", "cat"], "--cmd is of the linker command, not of 'exact'"),
        (["http", "--exchange", "nif"], "needs --url and --exchange"),
        (["http", "--url", "file:///etc/passwd", "--exchange", "nif"], "begins with http:// or https://"),
        (["http", "--url", "http://[::1/", "--exchange", "nif"], "begins with http:// or https://"),
        (["http", "--url", "http://127.0.0.1:abc/", "--exchange", "nif"], "begins with http:// or https://"),
        (["http", "--url", "http://127.0.0.1:1/a b", "--exchange", "nif"], "are written as %20"),
        (["http", "--url", "http://127.0.0.1:1/ü", "--exchange", "nif"], "are written as %20"),
        (["http", "--url", "http://127.0.0.1/", "--exchange", "bern2", "--give", "mentions"], "takes text only"),
        (["http", "--url", "http://127.0.0.1/", "--exchange", "rel", "--ids", "none.json"], "none.json"),
        (
            [
                "command",
                "--cmd",
                "cat",
                "--exchange",
                "nif",
                "--give",
                "mentions",
                "--abbreviations",
                "schwartz-hearst",
            ],
            "'command' reads whole documents",
        ),
    ],
)
def test_bad_usage(home: Path, arguments: list[str], message: str) -> None:
    linker, *options = arguments
    with pytest.raises(LinkassayError, match=message):
        command("link", linker, "mini", *options)


def test_a_changed_file_of_ids_is_another_run(names: dict[str, str], tmp_path: Path) -> None:
    table = tmp_path / "ids.json"
    paths = set()
    for target in ("mesh:D006073", "mesh:D003924"):
        table.write_text(json.dumps(dict.fromkeys(names.values(), target)))
        options = ("--exchange", "pubtator", "--cmd", tool("misbehave", "well", "{input}", "{output}"))
        run = command("link", "command", "mini", "--ids", table, *options)
        assert {i for p in linkassay.run(run["path"]).predictions() for g in p.groups for i in g} >= {target}
        paths.add(run["path"])
    assert len(paths) == 2


@pytest.fixture
def own(names: dict[str, str], tmp_path: Path) -> str:
    """A corpus of two short documents."""
    lines = [
        {"id": str(n), "passages": [{"kind": "title", "offset": 0, "text": f"Gout {n}"}], "mentions": []}
        for n in (1, 2)
    ]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command("get", "--format", "jsonl", tmp_path / "own.jsonl", "--name", "own", "--kb", "mini")
    return "own"


MARK = r'{"document": "1", "spans": [[0, 4]], "candidates": ["mesh:D006073"]'


@pytest.mark.parametrize(
    ("shell", "message"),
    [
        ("kill -9 $$", "the command ended with signal 9 (Killed)"),
        ("kill -9 0", "the command ended with signal 9 (Killed)"),
        ("exit 1", "the command ended with exit status 1"),
        (r"printf '\377\376\n'", "not utf-8 text"),
        (f"printf '%s' '{MARK}'", "not valid JSON"),  # killed in the middle of a line, as it were
        (f"echo '{MARK}, \"scores\": [NaN]}}'", "expected a finite number, found nan"),
        ("head -c 5000 /dev/zero", "wrote more than 1,000 bytes, answer and messages together (--max-output)"),
        ("head -c 600 /dev/zero; head -c 600 /dev/zero >&2", "wrote more than 1,000 bytes"),
        ("for n in 1 2 3; do head -c 400 /dev/zero > {output}.$n; done", "wrote more than 1,000 bytes"),
        ("yes", "wrote more than 1,000 bytes"),
        ("yes > {output}", "wrote more than 1,000 bytes"),
        ("yes >&2", "wrote more than 1,000 bytes"),
    ],
)
def test_a_tool_that_fails_always(own: str, shell: str, message: str) -> None:
    cmd = shlex.join(["sh", "-c", shell])
    failures = link("command", own, cmd=cmd, exchange="jsonl", running={"max_output": 1000}).about["failures"]
    assert message in failures[0]["error"]
    assert failures[0]["document"] == "1"


def test_a_run_without_any_answer_is_kept_and_ends_with_1(own: str) -> None:
    arguments = ["link", "command", own, "--kb", "mini", "--cmd", "false", "--exchange", "jsonl"]
    for _ in range(2):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 1, result.output
        assert "documents failed and are without answers; the first is 1: the command ended with exit" in result.output


def test_places_of_a_command(own: str) -> None:
    for place in ("{input", "{inptu}", "{inputs}", "{out}", "{output_file}"):
        with pytest.raises(UsageError, match=rf"--cmd has '{place}', which stands for nothing; there are {{input}}"):
            link("command", own, cmd=f"cat {place}", exchange="jsonl")
    echoed = link("command", own, cmd="awk '{print} {next}' {input}", exchange="jsonl")
    assert "unknown key 'id'" in echoed.about["failures"][0]["error"]
    long = shlex.join([sys.executable, "-c", "print('x')  # " + 300 * "-"])  # longer than the name of a file may be
    assert "not valid JSON" in link("command", own, cmd=long, exchange="jsonl").about["failures"][0]["error"]


def ended(process: int) -> bool:
    """Whether a process is at its end, collected or not."""
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] in "ZX"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes as Linux shows them")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_what_a_killed_run_had_started_ends_with_it(
    names: dict[str, str], home: Path, tmp_path: Path, workers: str
) -> None:
    apart = "setsid sh -c 'echo $$ > T/apart; exec sleep 600' & while [ ! -s T/apart ]; do sleep 0.01; done"
    hang = (
        f"[ -e T/go ] || {{ sleep 600 & P=$!; {apart}; echo $P $$ $(cat T/apart) > T/new && mv T/new T/pids; wait; }}"
    )
    hang = hang.replace("T", str(tmp_path))
    work = tool("misbehave", "well") + ' "{input}" "{output}"'
    arguments = ["link", "command", "mini", "--split", "train", "--exchange", "pubtator", "--workers", workers,
                 "--cmd", shlex.join(["sh", "-c", f"{hang}; {work}"])]  # fmt: skip
    begun = subprocess.Popen([sys.executable, "-c", "from linkassay.cli import main; main()", *arguments])
    while not (tmp_path / "pids").exists():
        assert begun.poll() is None
        time.sleep(0.02)
    begun.kill()
    begun.wait()
    processes = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    deadline = time.monotonic() + 20
    while not all(map(ended, processes)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert all(map(ended, processes))
    assert len(list((home / "work").glob("run-*/.scratch.*"))) >= 1
    (tmp_path / "go").touch()
    about = command(*arguments)
    assert about["failures"] == []
    assert about["mentions"] > 50
    assert list((home / "work").iterdir()) == []


def test_a_run_by_command_survives_being_killed(names: dict[str, str], home: Path, tmp_path: Path) -> None:
    cmd = tool("misbehave", "well", "{input}", "{output}")
    arguments = ["link", "command", "mini", "--split", "train", "--exchange", "pubtator", "--cmd", cmd]
    assert_survives(sweep(arguments, tmp_path / "sweep", home, limit=6), at_least=5)
    assert_killed_between_shards(tmp_path / "sweep")


# --- services ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("exchange", sorted(SERVICES))
def test_services_that_speak_their_own_formats(
    names: dict[str, str], site: Site, tmp_path: Path, exchange: str
) -> None:
    url = site.serve(ADDRESSES[exchange], SERVICES[exchange])
    options = {}
    if exchange in ("rel", "spotlight"):
        start = {"rel": "Article_", "spotlight": "dbpedia:"}[exchange]
        (tmp_path / "ids.json").write_text(json.dumps({start + i: i for i in names.values()}))
        options["ids"] = str(tmp_path / "ids.json")
    run = link("http", url=url, exchange=exchange, **options)
    assert run.about["failures"] == []
    assert run.about["unknown_ids"]["count"] == 0
    assert right(run, names) > 0.9
    assert len(site.requests) == len(documents())
    assert site.requests[0][1]["content-type"].startswith(EXCHANGES[exchange].content)
    nils = [p for p in run.predictions() if p.nil]
    assert len(nils) == (len(documents()) if exchange == "bern2" else 0)  # CUI-less


def test_spans_are_given_to_rel(names: dict[str, str], site: Site) -> None:
    run = link("http", url=site.serve(ADDRESSES["rel"], SERVICES["rel"]), exchange="rel", give="mentions")
    assert run.about["mentions"] == sum(len(d.mentions) for d in linkassay.corpus("mini")["test"])
    said = {i for p in run.predictions() for g in p.groups for i in g}
    assert said <= {f"Article_{i}" for i in names.values()}
    assert len(said) > 50


def misbehaving(on: str, behaviour: Behaviour) -> Behaviour:
    """Good answers, but for one document."""

    def behave(exchange: Exchange) -> None:
        (behaviour if exchange.body.decode().startswith(f"{on}|t|") else pubtator_service)(exchange)

    return behave


def hang(exchange: Exchange) -> None:
    time.sleep(3)


def drip(exchange: Exchange) -> None:
    exchange.send_response(200)
    exchange.send_header("Content-Length", "1000")
    exchange.end_headers()
    for _ in range(30):
        exchange.wfile.write(b"x")
        exchange.wfile.flush()
        time.sleep(0.1)


def half(exchange: Exchange) -> None:
    exchange.answer(200, b"1|t|Go", Content_Length="1000")


def no_answer(exchange: Exchange) -> None:
    """The connection is closed and that is all."""


def no_http(exchange: Exchange) -> None:
    exchange.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")


@pytest.mark.parametrize(
    ("behaviour", "message", "attempts"),
    [
        (status(500), "the server answered 500 Internal Server Error (3 attempts)", 3),
        (status(503), "503 Service Unavailable (3 attempts)", 3),
        (status(429), "429 Too Many Requests (3 attempts)", 3),
        (status(404), "the server answered 404", 1),
        (status(302, Location="/elsewhere"), "the server answered 302", 1),
        (half, "the answer ended before it was whole (3 attempts)", 3),
        (no_answer, "the answer ended before it was whole (3 attempts)", 3),
        (chunked(b"1|t|Go", broken=True), "the answer ended before it was whole (3 attempts)", 3),
        (no_http, "the answer is no HTTP", 1),
        (whole(b"1|t|\xff\xfe"), "not utf-8 text", 1),
        (hang, "no answer within 0.8 s (--timeout)", 1),
        (drip, "no answer within 0.8 s (--timeout)", 1),
        (NO_BEGINNING["slow headers"], "no answer within 0.8 s (--timeout)", 1),
        (NO_BEGINNING["endless 100 Continue"], "no answer within 0.8 s (--timeout)", 1),
        (NO_END["slow size of a chunk"], "no answer within 0.8 s (--timeout)", 1),
        (NO_END["endless trailers"], "no answer within 0.8 s (--timeout)", 1),
        (whole(b"<html>sorry</html>"), "neither a line", 1),
        (whole(b""), "it gave back nothing", 1),
    ],
)
def test_a_server_that_fails_on_one_document(
    names: dict[str, str], site: Site, behaviour: Behaviour, message: str, attempts: int
) -> None:
    bad = documents()[3]
    asked: list[str] = []

    def counted(exchange: Exchange) -> None:
        asked.append(exchange.body.decode().partition("|")[0])
        misbehaving(bad, behaviour)(exchange)

    url = site.serve("/pubtator", counted)
    run = link("http", url=url, exchange="pubtator", timeout=0.8, running={"retries": 2})
    [failure] = run.about["failures"]
    assert failure["document"] == bad
    assert message in failure["error"]
    assert asked.count(bad) == attempts
    assert len(asked) == len(documents()) + attempts - 1  # no document was asked twice for another's fault
    assert {path for path, _ in site.requests} == {"/pubtator"}  # nobody was redirected


def test_what_passes_is_tried_again_as_the_server_wishes(names: dict[str, str], site: Site) -> None:
    later = email.utils.formatdate(time.time() + 2, usegmt=True)
    behaviours = [status(503, Retry_After="1"), status(429, Retry_After=later), half, pubtator_service]
    run = link("http", url=site.serve("/x", turns(*behaviours)), exchange="pubtator")
    assert run.about["failures"] == []
    assert run.about["link_seconds"] > 1
    assert len(site.requests) == len(documents()) + 3


def test_a_server_that_is_gone_stops_the_run_and_it_goes_on_later(
    names: dict[str, str], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shard, "DOCUMENTS", 8)
    with running() as other:
        address = other.url
    with pytest.raises(LinkassayError, match=r"cannot go on: .*no connection .*2 attempts.*again to go on"):
        link("http", url=address + "/x", exchange="pubtator", running={"retries": 1})
    assert all_runs() == []


def test_the_rate_is_kept(names: dict[str, str], site: Site) -> None:
    times: list[float] = []

    def timed(exchange: Exchange) -> None:
        times.append(time.monotonic())
        pubtator_service(exchange)

    link("http", url=site.serve("/x", timed), exchange="pubtator", running={"rate": 40.0})
    assert times[-1] - times[0] >= (len(times) - 2) / 40


def test_the_rate_is_that_of_all_workers_together(names: dict[str, str], site: Site) -> None:
    asked = [d.id for d in linkassay.corpus("mini")["train"]]
    times: list[float] = []
    both = threading.Event()

    def timed(exchange: Exchange) -> None:
        times.append(time.monotonic())
        if exchange.body.decode().partition("|")[0] in asked[shard.DOCUMENTS :]:
            both.set()
        assert both.wait(60)  # nobody gets an answer before both workers have asked
        pubtator_service(exchange)

    url = site.serve("/x", timed)
    service = {"url": url, "exchange": "pubtator"}
    request = LinkRequest("http", "mini", split="train", options=service, running={"rate": 32.0})
    run, _ = execute.link(request, engine=Engine(workers=2))
    assert run.about["failures"] == []
    assert len(times) == len(asked) > shard.DOCUMENTS
    for at in range(len(times) - 24):  # a request may be on its way for a while
        assert times[at + 24] - times[at] > 24 / 32 - 0.15


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"document": "1", "spans": [[0, 4]], "candidates": ["mesh:D006073"], "scores": [NaN]}', "finite number"),
        (b'{"document": "1", "spans": [[0, 4]], "candidates": ["mesh:D006073"]}', ""),
        (b"", ""),
    ],
)
def test_what_a_server_may_say(own: str, site: Site, body: bytes, message: str) -> None:
    def said(exchange: Exchange) -> None:
        mine = json.loads(exchange.body)["id"].encode()
        exchange.answer(200, body.replace(b'"1"', b'"%b"' % mine))

    about = link("http", own, url=site.serve("/x", said), exchange="jsonl").about
    assert [f["document"] for f in about["failures"]] == (["1", "2"] if message else [])
    assert all(message in f["error"] for f in about["failures"])
    assert about["mentions"] == (2 if body and not message else 0)


def test_ids_of_a_server_that_the_kb_does_not_have(own: str, site: Site) -> None:
    answer = b'{"annotations": [{"id": ["mesh:D999999999"], "obj": "disease", "mention": "Gout", "prob": 1, '
    answer += b'"span": {"begin": 0, "end": 4}}]}'
    about = link("http", own, url=site.serve("/x", whole(answer)), exchange="bern2").about
    assert (about["failures"], about["unknown_ids"]) == ([], {"count": 2, "examples": ["mesh:D999999999"]})
    cut = whole(answer, Content_Length=str(len(answer) - 5))  # the length says less than there is
    failures = link("http", own, url=site.serve("/cut", cut), exchange="bern2").about["failures"]
    assert ["not valid JSON" in f["error"] for f in failures] == [True, True]


def test_no_server_has_us_wait_for_long(own: str, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr("linkassay.linkers.external.http.time.sleep", pauses.append)
    link(
        "http", own, url=site.serve("/x", status(429, Retry_After="86400")), exchange="pubtator", running={"retries": 1}
    )
    assert pauses == [120.0, 120.0]


def test_answers_are_bounded(names: dict[str, str], site: Site) -> None:
    run = link("http", url=site.serve("/x", whole(b"x" * 5000)), exchange="pubtator", running={"max_output": 1000})
    assert {f["error"] for f in run.about["failures"]} == {"its answer is larger than 1,000 bytes (--max-output)"}


def make_tools(folder: Path, *tools: str) -> None:
    """Commands of these names that are the stand-ins."""
    folder.mkdir()
    for name in tools:
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(TOOLS))} {name} "$@"\n')
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
