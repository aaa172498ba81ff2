"""Measures and protocols as text: what is written is what is meant, and what is not is refused (MEASURE-1)."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import UsageError
from linkassay.scoring.disambiguation.evaluation_sets import SETS
from linkassay.scoring.disambiguation.measures import AVERAGES, MEASURES, PER, Measure, parse_measures
from linkassay.scoring.disambiguation.protocols import GOLD, OBSOLETE, PROTOCOLS, REPEATS, STANDARD, TIES, Protocol

ANY_PROTOCOL = st.builds(
    lambda ties, gold, obsolete, repeats, seed: Protocol(
        ties, gold if gold != "all" or ties in ("file-order", "sample", "any") else "any", obsolete, repeats, seed
    ),
    st.sampled_from(sorted(TIES)),
    st.sampled_from(sorted(GOLD)),
    st.sampled_from(sorted(OBSOLETE)),
    st.sampled_from(sorted(REPEATS)),
    st.integers(0, 10**18 - 1),
) | st.sampled_from(sorted(PROTOCOLS.values(), key=str))


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    name = draw(st.sampled_from(sorted(MEASURES)))
    kind = MEASURES[name]
    k = 0 if kind.k is None else draw(st.integers(0 if kind.k == 0 else 1, 999_999))
    if name != "mrr" and draw(st.integers(0, 4)) == 0:
        return Measure(name, k, draw(ANY_PROTOCOL), per=draw(st.sampled_from(sorted(PER))))
    return Measure(
        name, k, draw(ANY_PROTOCOL), draw(st.sampled_from(sorted(SETS))), draw(st.sampled_from(sorted(AVERAGES)))
    )


@settings(max_examples=500)
@given(measures())
def test_the_text_of_a_measure_is_its_identity(measure: Measure) -> None:
    assert Measure.parse(str(measure)) == measure
    assert parse_measures(f"{measure}, coverage,{measure}") == list(dict.fromkeys([measure, Measure("coverage")]))


@settings(max_examples=500)
@given(measures(), st.text("recal(),=@.1 x-/", max_size=3), st.integers(0, 60))
def test_any_other_text_is_a_measure_or_one_message(measure: Measure, noise: str, at: int) -> None:
    text = str(measure)
    text = text[:at] + noise + text[at:]
    with suppress(UsageError):
        assert all(Measure.parse(str(each)) == each for each in parse_measures(text))


def test_what_is_written_is_what_is_meant() -> None:
    assert Measure.parse("recall") == Measure("recall", 1)
    assert Measure.parse("recall@5") == Measure("recall", 5)
    assert Measure.parse("recall(protocol=belb/strict)@5") == Measure("recall", 5, PROTOCOLS["belb/strict"])
    assert Measure.parse("accuracy(set=novel-unique)") == Measure("accuracy", set="novel-unique")
    assert Measure.parse("mrr") == Measure("mrr")
    assert Measure.parse("recall(protocol=belb/lenient, gold=all)@2").protocol == Protocol("any", "all")
    assert Measure.parse("recall(ties=sample,seed=7)").protocol == Protocol("sample", seed=7)
    assert str(Measure.parse("recall(set=global,average=micro,per=mention)@1")) == "recall@1"
    assert str(Measure.parse("recall(protocol=bioel/relaxed)@1")) == "recall(protocol=bioel/relaxed)@1"


def test_defaults_hold_where_a_measure_names_none() -> None:
    strict = PROTOCOLS["belb/strict"]
    found = parse_measures("recall@1,recall(protocol=belb/lenient,set=global)@1", strict, "novel")
    assert found == [Measure("recall", 1, strict, "novel"), Measure("recall", 1, PROTOCOLS["belb/lenient"], "global")]
    assert parse_measures("recall@1", None)[0].protocol == STANDARD


def test_a_row_of_cut_offs() -> None:
    assert [m.k for m in parse_measures("recall@1..10")] == list(range(1, 11))
    assert [str(m) for m in parse_measures("recall(ties=any,gold=all)@2..3,mrr")] == [
        "recall(ties=any,gold=all)@2",
        "recall(ties=any,gold=all)@3",
        "mrr",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("recal@1", "unknown measure 'recal' in 'recal@1'; did you mean 'recall'"),
        ("recall@", "'recall@' is no measure; write it as recall@1"),
        ("recall@0", "a cut-off is 1 or more"),
        ("recall@-1", "is no measure"),
        ("recall@1.5", "is no measure"),
        ("accuracy@5", "accuracy takes no cut-off; write accuracy without @5"),
        ("recall(protocol=belb/stric)@1", "unknown protocol 'belb/stric'; did you mean 'belb/strict'"),
        ("recall(protocl=belb/strict)@1", "unknown option 'protocl'; did you mean 'protocol'?"),
        ("recall(ties=anny)@1", "ties='anny' is no policy; did you mean 'any'"),
        ("recall(gold=pair)@1", "gold='pair' is no policy; did you mean 'pairs'?"),
        ("recall(obsolete=excluded)@1", "did you mean 'exclude'?"),
        ("recall(average=entity)@1", "average='entity'; did you mean 'entities'?"),
        ("recall(per=documents)@1", "per='documents'; did you mean 'document'?"),
        ("recall(belb/strict)@1", "expected option=value, found 'belb/strict'"),
        ("recall(set=)@1", "expected option=value, found 'set='"),
        ("recall(set=novel,set=global)@1", "set is given twice"),
        ("recall(gold=all)@1", "gold=all asks for every id of one alternative; with ties=expected that is not defined"),
        ("recall(seed=x)@1", "seed='x': expected a whole number"),
        ("recall(seed=-1)@1", "seed='-1': expected a whole number"),
        ("recall(seed=" + "9" * 30 + ")@1", "expected a whole number of at most 18 digits"),
        ("recall(per=document,set=novel)@1", "per=document has no rank, no set and no average"),
        ("mrr(per=document)", "per=document has no rank"),
        ("recall@5..2", "'recall@5..2': 5 is more than 2; write 2..5"),
        ("", "no measure given; e.g. recall@1"),
        (" , ", "no measure given"),
        ("recall(protocol=belb/strict@1", "is no measure"),
        ("recall@1; drop table", "is no measure"),
    ],
)
def test_what_is_not_meant_is_refused_with_what_may_be(text: str, message: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_measures(text)
    assert message in str(error.value)
