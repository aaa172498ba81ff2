"""The runner (SAFE-9): linkers that misbehave, runs that are killed, and every engine with the same predictions."""

from __future__ import annotations

import errno
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import linkassay
from linkassay import store
from linkassay.engine import Engine
from linkassay.errors import LinkassayError, UnwritableError, UsageError
from linkassay.linkers import LINKERS
from linkassay.linkers.protocol import Answer, Capabilities, Query
from linkassay.runs import execute, shard
from linkassay.runs.request import LinkRequest
from linkassay.runs.stored_run import Run, all_runs
from tests.corpora.catalog.test_real_cli import run as command
from tests.helpers import overtaking

GOOD: Answer = [(("mesh:D003924",), 0.5)]


class Fake:
    """Answers every mention; what it does with the queries of one document is up to the test."""

    summary = "for tests"
    capabilities = Capabilities(links=True)
    answer: Callable[[str], Any] = staticmethod(lambda document: GOOD)
    asked: ClassVar[list[str]] = []
    prepared = 0

    def prepare(self, kb: Any, train: Any) -> None:
        type(self).prepared += 1

    def link(self, queries: Sequence[Query], top: int) -> Any:
        answers = [type(self).answer(query.document) for query in queries]
        self.asked.extend(sorted({query.document for query in queries}))
        return answers


@pytest.fixture
def fake(home_with_mini: Path, monkeypatch: pytest.MonkeyPatch) -> type[Fake]:
    """A linker `fake`, and shards of five documents."""
    found = type("Fake", (Fake,), {"asked": []})
    load = LINKERS.load
    monkeypatch.setattr(LINKERS, "load", lambda name: found if name == "fake" else load(name))
    monkeypatch.setattr(shard, "DOCUMENTS", 5)
    return found


def link(**options: Any) -> Run:
    doing = {name: options.pop(name) for name in ("again", "engine", "progress") if name in options}
    return execute.link(LinkRequest("fake", "mini", **options), **doing)[0]


def documents() -> list[str]:
    return [d.id for d in linkassay.corpus("mini")["test"] if d.mentions]


def crashing() -> Callable[[str], Answer]:
    seventh = documents()[6]

    def crash(document: str) -> Answer:
        if document == seventh:
            raise ValueError("a bug of the linker")
        return GOOD

    return staticmethod(crash)


def test_a_crash_on_the_seventh_document_is_recorded_and_the_run_goes_on(fake: type[Fake]) -> None:
    fake.answer = crashing()
    about = link().about
    seventh = documents()[6]
    assert about["failures"] == [{"document": seventh, "error": "ValueError: a bug of the linker"}]
    predictions = list(linkassay.run("mini/fake").predictions())
    assert len(predictions) == about["mentions"] == sum(len(d.mentions) for d in linkassay.corpus("mini")["test"])
    assert {p.document for p in predictions if not p.groups} == {seventh}


def test_strict_stops_at_it(fake: type[Fake]) -> None:
    fake.answer = crashing()
    with pytest.raises(LinkassayError, match=r"'fake' failed on document \S+: ValueError: a bug"):
        link(strict=True)
    assert [r.system for r in all_runs()] == []
    link()
    with pytest.raises(LinkassayError, match=r"failed on 1 documents.*--again"):
        link(strict=True)


def test_again_replaces_a_run_only_when_the_new_one_is_whole(fake: type[Fake]) -> None:
    old = link()
    fake.answer = crashing()
    with pytest.raises(LinkassayError, match="a bug of the linker"):
        link(strict=True, again=True)
    [run] = all_runs()
    assert (run.path, run.about) == (old.path, old.about)
    assert list((store.home() / "work").iterdir()) == []
    (run.path / "counts.parquet").touch()  # of the old figures
    new = link(again=True)
    assert new.path == old.path
    assert len(new.about["failures"]) == 1
    assert sorted(path.name for path in new.path.iterdir()) == ["predictions.parquet", "run.json"]
    assert [path.name for path in new.path.parent.iterdir()] == [new.path.name]  # nothing is left beside it
    assert list((store.home() / "work").iterdir()) == []


def test_the_same_command_does_not_disturb_again(fake: type[Fake]) -> None:
    """It finds the old run; the shards of the new one are not taken away."""
    old, seen = link(), []

    class Looking(Engine):
        def run(self, *arguments: Any, **options: Any) -> list[Path]:
            done = super().run(*arguments, **options)
            seen.append(link().about)
            return done

    new = link(again=True, engine=Looking(workers=1))
    assert seen == [old.about]
    assert new.about["finished"] > old.about["finished"]


def test_speed_is_of_the_mentions_of_the_split(home_with_mini: Path) -> None:
    """Whoever finds them, and not of those of other types."""
    for corpus in ("mini", "mini/gene"):
        mentions = sum(len(d.mentions) for d in linkassay.corpus(corpus)["test"])
        for linker in ("exact", "spotter"):
            said = command("link", linker, corpus)
            assert said["mentions_per_second"] == pytest.approx(mentions / said["link_seconds"])
            assert linkassay.run(said["path"]).about["mentions_per_second"] == said["mentions_per_second"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([(("mesh:D006073",), float("nan"))], "finite score"),
        ([(("mesh:D006073",), float("inf"))], "finite score"),
        ([((), 1.0)], "tied ids"),
        ([(("  ",), 1.0)], "tied ids"),
        ([(("mesh:D006073", 3), 1.0)], "tied ids"),
        ([("mesh:D006073", 1.0)], "tied ids"),
        ([(("mesh:\ud800",), 1.0)], "tied ids"),
        ("nonsense", "tied ids"),
        (None, "tied ids"),
    ],
)
def test_malformed_answers_fail_their_document_only(fake: type[Fake], answer: Any, message: str) -> None:
    bad = documents()[2]
    fake.answer = staticmethod(lambda document: answer if document == bad else GOOD)
    [failure] = link().about["failures"]
    assert failure["document"] == bad
    assert message in failure["error"]


@pytest.mark.parametrize(("returned", "said"), [(None, "no answers"), ([], "0 answers"), ([GOOD], "1 answers")])
def test_too_few_answers(fake: type[Fake], monkeypatch: pytest.MonkeyPatch, returned: Any, said: str) -> None:
    monkeypatch.setattr(fake, "link", lambda self, queries, top: returned)
    about = link().about
    wrong = [d.id for d in linkassay.corpus("mini")["test"] if len(d.mentions) not in (0, len(returned or []))]
    assert [f["document"] for f in about["failures"]] == wrong
    assert all(said in f["error"] for f in about["failures"])


def test_no_answer_is_an_answer(fake: type[Fake]) -> None:
    fake.answer = staticmethod(lambda document: [])
    assert link().about["failures"] == []


def test_ids_that_the_kb_does_not_have_are_counted(fake: type[Fake]) -> None:
    fake.answer = staticmethod(lambda document: [(("mesh:NONE", *GOOD[0][0]), 1.0)])
    about = link().about
    assert about["unknown_ids"] == {"count": about["mentions"], "examples": ["mesh:NONE"]}
    with pytest.raises(LinkassayError, match=r"ids that are not in the knowledge base, e\.g\. mesh:NONE"):
        link(strict=True, again=True)


def test_what_a_linker_prints_is_no_output(fake: type[Fake], capsys: pytest.CaptureFixture[str]) -> None:
    fake.answer = staticmethod(lambda document: print("hello") or GOOD)
    link()
    printed = capsys.readouterr()
    assert "hello" not in printed.out
    assert "hello" in printed.err


def test_no_more_ranks_than_asked_for(fake: type[Fake]) -> None:
    fake.answer = staticmethod(lambda document: [((f"mesh:D{n}",), 1.0 / n) for n in range(1, 40)])
    link(top=3)
    assert {len(p.groups) for p in linkassay.run("mini/fake").predictions()} == {3}


def test_a_linker_that_ends_the_program_fails_its_document_only(fake: type[Fake]) -> None:
    bad = documents()[2]
    fake.answer = staticmethod(lambda document: sys.exit(3) if document == bad else GOOD)
    assert link().about["failures"] == [{"document": bad, "error": "SystemExit: 3"}]


def test_a_linker_that_finds_the_disk_full_stops_the_run(fake: type[Fake]) -> None:
    """Else each document would be recorded as one that the linker cannot answer, once there is room again."""
    seventh = documents()[6]

    def full(document: str) -> Answer:
        if document == seventh:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return GOOD

    fake.answer = staticmethod(full)
    with pytest.raises(UnwritableError, match="No space left on device"):
        link()
    fake.answer = staticmethod(lambda document: GOOD)
    assert link().about["failures"] == []


def test_a_linker_that_hangs_and_catches_errors(fake: type[Fake]) -> None:
    slow = documents()[1]
    end = time.monotonic() + 60

    def hang(document: str) -> Answer:
        while document == slow and time.monotonic() < end:
            with suppress(Exception):
                time.sleep(60)
        return GOOD

    fake.answer = staticmethod(hang)
    [failure] = link(timeout=0.6).about["failures"]
    assert failure == {"document": slow, "error": "it gave no answer within 0.6 s (--timeout)"}


def test_peak_memory_is_that_of_the_run(fake: type[Fake]) -> None:
    held = np.ones(60_000_000)  # 480 MB
    first = link().about["peak_memory_bytes"]
    del held
    assert link(again=True).about["peak_memory_bytes"] < first - 200_000_000


def test_a_linker_that_hangs(fake: type[Fake]) -> None:
    slow = documents()[1]
    fake.answer = staticmethod(lambda document: time.sleep(60) if document == slow else GOOD)
    begin = time.monotonic()
    [failure] = link(timeout=0.6).about["failures"]
    assert failure == {"document": slow, "error": "it gave no answer within 0.6 s (--timeout)"}
    assert time.monotonic() - begin < 50


def test_a_linker_that_cannot_be_prepared(fake: type[Fake], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake, "prepare", lambda self, kb, train: 1 / 0)
    with pytest.raises(LinkassayError, match="'fake' could not be prepared: ZeroDivisionError"):
        link()


def test_finished_shards_are_neither_lost_nor_repeated(fake: type[Fake]) -> None:
    class Killed(BaseException):
        """What no handler of errors catches."""

    at = documents()[12]

    def killed(document: str) -> Answer:
        if document == at:
            raise Killed
        return GOOD

    fake.answer = staticmethod(killed)
    with pytest.raises(Killed):
        link()
    before = list(fake.asked)
    assert len(before) == 10
    fake.answer = staticmethod(lambda document: GOOD)
    fake.asked.clear()
    resumed = link()
    assert not set(before) & set(fake.asked)
    assert sorted(before + fake.asked) == sorted(documents())
    assert (fake.prepared, list((store.home() / "work").iterdir())) == (2, [])
    assert store.digest_and_size((resumed.path / "predictions.parquet").open("rb")) == store.digest_and_size(
        (link(again=True).path / "predictions.parquet").open("rb")
    )


def test_the_same_command_twice_at_once(fake: type[Fake]) -> None:
    """The second one waits; what the first has done is not taken away from under it."""
    others: list[Run] = []
    other = threading.Thread(target=lambda: others.append(link()))
    run = link(engine=overtaking(other))
    other.join(30)
    assert [o.path for o in others] == [run.path]
    assert run.about["mentions"] == len([m for d in linkassay.corpus("mini")["test"] for m in d.mentions])
    assert list((store.home() / "work").iterdir()) == []


def test_costs_are_measured(fake: type[Fake], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake, "capabilities", Capabilities(links=True, trains=True))
    monkeypatch.setattr(fake, "train", lambda self, documents: list(documents), raising=False)
    seen: list[tuple[int, int]] = []
    about = link(progress=lambda done, total: seen.append((done, total))).about
    for stage in ("index", "train", "prepare", "link"):
        assert about[f"{stage}_seconds"] > 0
        assert about[f"{stage}_cpu_seconds"] >= 0
    assert about["prepare_seconds"] == about["index_seconds"] + about["train_seconds"]
    assert about["peak_memory_bytes"] > 10_000_000
    total = len(linkassay.corpus("mini")["test"])
    assert seen == [(min(n * 5, total), total) for n in range(-(-total // 5) + 1)]


def test_two_processes_give_the_same_predictions(home: Path, workers: list[object]) -> None:
    """As does Ray, see `test_ray`. The training documents are two shards, the test documents one."""
    linkassay.get("mini")
    asked = LinkRequest("tfidf", "mini", split="train")
    alone = list(execute.link(asked)[0].predictions())
    assert len(workers) == 0
    run, fresh = execute.link(asked, again=True, engine=Engine(workers=2))
    assert (fresh, len(workers)) == (True, 2)
    assert list(run.predictions()) == alone


def test_abbreviations_wrap_any_linker(home: Path, tmp_path: Path) -> None:
    plain = command("link", "normalised", "mini")
    wrapped = command("link", "normalised", "mini", "--abbreviations", "schwartz-hearst")
    assert plain["path"] != wrapped["path"]
    assert wrapped["parameters"] == {"top": 10, "abbreviations": "schwartz-hearst"}

    right = [linkassay.score(run["path"], "recall@1").rows()[0]["value"] for run in (plain, wrapped)]
    assert right[1] > right[0]
    pairs = tmp_path / "pairs.json"
    mention = next(m for d in linkassay.corpus("mini")["test"] for m in d.mentions)
    [(name, identifier)] = linkassay.kb("mini").sql(
        "select min(name), id from names join entities using (id) where type = ? and key not in "
        "(select key from names group by key having min(id) <> max(id)) group by id order by id limit 1",
        [mention.type],
    )
    pairs.write_text(json.dumps({mention.document: {mention.text: name}}))
    run = command("link", "normalised", "mini", "--abbreviations", pairs)
    found = next(p for p in linkassay.run(run["path"]).predictions() if p.mention == mention.id)
    assert found.groups == ((identifier,),)
    with pytest.raises(UsageError, match="did you mean 'schwartz-hearst'"):
        linkassay.link("exact", "mini", abbreviations="schwarz-hearst")


def test_the_expanded_training_mentions_reach_the_linker(fake: type[Fake], monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    monkeypatch.setattr(fake, "capabilities", Capabilities(links=True, learns=True))
    monkeypatch.setattr(
        fake, "prepare", lambda self, kb, train: texts.extend(m.text for d in train for m in d.mentions)
    )
    link()
    plain, texts[:] = list(texts), []
    link(abbreviations="schwartz-hearst")
    assert len(texts) == len(plain)
    assert any(len(long) > len(short) for short, long in zip(plain, texts, strict=True))
