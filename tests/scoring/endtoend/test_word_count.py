"""Words inside evaluation spans, held to looking at every word of the text (CAT-14)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from linkassay.model import Document, Span
from linkassay.scoring.endtoend.mention_kinds import is_lower_cased
from linkassay.scoring.endtoend.word_count import _our_own, count_words

TEXTS = st.text(st.sampled_from("ab B1.,'’s \n$-_é"), max_size=30)


@given(TEXTS, st.data())
def test_counts_are_those_of_looking_at_every_word(text: str, data: st.DataObject) -> None:
    span = st.tuples(st.integers(0, len(text)), st.integers(0, len(text))).map(sorted).map(tuple)
    spans: tuple[Span, ...] = data.draw(st.lists(span, min_size=1, max_size=2).map(tuple))
    inside = [w for at, w in _our_own(text) if any(start <= at and at + len(w) <= end for start, end in spans)]
    found = count_words([Document("d", text, evaluation_spans=spans)])
    assert found["ner_fp_all_total"].tolist() == [len(inside)]
    assert found["ner_fp_lowercased_total"].tolist() == [sum(map(is_lower_cased, inside))]
