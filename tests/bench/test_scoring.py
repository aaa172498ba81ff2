"""The implementations that the scoring benchmark compares agree, and its made-up data are what it says."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import linkassay
from bench import peers, scoring
from tests import reference_scoring as reference

pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bench")
    scoring.corpus(made, 1_500, train=400)
    scoring.run(made, "a")
    return made


def ours(home: Path, run: str, measures: list[str], monkeypatch: pytest.MonkeyPatch) -> list[float]:
    monkeypatch.setenv("LINKASSAY_HOME", str(home))
    return [row["value"] for row in linkassay.score(run, measures).table()]


def test_three_implementations_agree(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = ours(home, "made/a", list(dict.fromkeys(scoring.measures())), monkeypatch)
    mine, pandas = scoring.by_protocol(found), peers.pandas(*map(str, scoring.files(home, "a")))
    plain = scoring.plain(home, "a")
    assert list(mine) == list(pandas) == list(scoring.PROTOCOLS)
    assert scoring.apart(mine, pandas) < 1e-12
    assert scoring.apart(mine, plain) < 1e-12
    for protocol in ("bioel/relaxed", "bioel/strict", "belb/strict", "belb/lenient"):  # whole numbers of mentions
        assert [round(1_500 * value) for value in mine[protocol]] == [round(1_500 * v) for v in pandas[protocol]]
    assert len({tuple(values) for values in mine.values()}) == 5
    assert all(0.05 < value < 0.95 for values in mine.values() for value in values)


@pytest.fixture(scope="module")
def untied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("untied")
    scoring.corpus(made, 1_500, one_id=True)
    scoring.run(made, "u", ties=False)
    return made


def test_made_up_answers_without_ties(untied: Path) -> None:
    gold, answers = (pq.read_table(file).to_pylist() for file in scoring.files(untied, "u"))
    assert {len(list(chain(*mention["gold"]))) for mention in gold} == {1}
    given = [answer["groups"] for answer in answers if answer["groups"]]
    assert {len(set(chain(*groups))) for groups in given} == {scoring.CANDIDATES}
    assert {len(group) for groups in given for group in groups} == {1}
    ranks = [[g[0] for g in a["groups"]].index(m["gold"][0][0]) for m, a in zip(gold, answers, strict=True)
             if a["groups"] and m["gold"][0] in a["groups"]]  # fmt: skip
    assert 900 < len(ranks) < 1_200
    assert ranks.count(0) > ranks.count(1) > ranks.count(3) > 0


def test_a_library_for_rankings_agrees(untied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pytrec_eval")
    found = ours(untied, "made/u", scoring.UNTIED, monkeypatch)
    assert peers.pytrec(*map(str, scoring.files(untied, "u"))) == pytest.approx(found, abs=1e-9)


def test_plain_ranks_without_ties(untied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gold, answers = (pq.read_table(file).to_pylist() for file in scoring.files(untied, "u"))
    ranks = [next((at for at, g in enumerate(a["groups"], 1) if g == m["gold"][0]), 0)
             for m, a in zip(gold, answers, strict=True)]  # fmt: skip
    expected = [sum(0 < rank <= k for rank in ranks) / 1_500 for k in peers.KS]
    expected.append(sum(1 / rank for rank in ranks if rank) / 1_500)
    assert ours(untied, "made/u", scoring.UNTIED, monkeypatch) == pytest.approx(expected, abs=1e-12)


def test_a_wrong_figure_is_seen(home: Path) -> None:
    plain = scoring.plain(home, "a", 50)
    wrong = plain | {"belb/strict": [*plain["belb/strict"][:-1], plain["belb/strict"][-1] + 0.25]}
    assert scoring.apart(plain, wrong) == pytest.approx(0.25)


def test_closed_forms_are_the_reference() -> None:
    groups, gold = [["a", "b"], ["c", "d", "e"], ["f"]], frozenset("adef")
    for right in (gold, frozenset("f"), frozenset("de"), frozenset("x")):
        for k in range(1, 8):
            assert scoring.expected(groups, right, k) == pytest.approx(reference.expected(groups, right, k))
            assert scoring.one_per_group(groups, right, k) == pytest.approx(reference.one_per_group(groups, right, k))


def test_made_up_answers_have_ties_repeats_and_gaps(home: Path) -> None:
    gold, answers = (pq.read_table(file).to_pylist() for file in scoring.files(home, "a"))
    assert [mention["id"] for mention in gold] == [answer["mention"] for answer in answers]
    assert {len(mention["gold"]) for mention in gold} == {1, 2}
    assert {len(alternative) for mention in gold for alternative in mention["gold"]} == {1, 2}
    given = [answer["groups"] for answer in answers if answer["groups"]]
    assert 0 < len(answers) - len(given) < 60
    assert {len(list(chain(*groups))) for groups in given} == {scoring.CANDIDATES}
    assert max(len(group) for groups in given for group in groups) > 3
    repeats = sum(len(set(chain(*groups))) < scoring.CANDIDATES for groups in given)
    assert 100 < repeats < 1_000
