"""The implementations that the scoring benchmark compares agree, and its made-up data are what it says."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bench import scoring
from tests import reference_scoring as reference

pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("bench")
    scoring.corpus(made, 1_500, train=400)
    scoring.run(made, "a")
    return made


def test_three_implementations_agree(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LINKASSAY_HOME", str(home))
    ours, pandas, plain = scoring.ours(home, "a"), scoring.with_pandas(home, "a"), scoring.plain(home, "a")
    assert list(ours) == list(pandas) == list(scoring.PROTOCOLS)
    assert scoring.apart(ours, pandas) < 1e-12
    assert scoring.apart(ours, plain) < 1e-12
    for protocol in ("bioel/relaxed", "bioel/strict", "belb/strict", "belb/lenient"):  # whole numbers of mentions
        assert [round(1_500 * value) for value in ours[protocol]] == [round(1_500 * v) for v in pandas[protocol]]
    assert len({tuple(values) for values in ours.values()}) == 5
    assert all(0.05 < value < 0.95 for values in ours.values() for value in values)


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
