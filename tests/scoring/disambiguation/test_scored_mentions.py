"""Which mentions are scored, where they stand: held to the query one would write."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay import store
from linkassay.corpora.given_corpus import GivenCorpus
from linkassay.scoring.disambiguation.scored_mentions import _of_split

#: The same in one query, which joins and sorts every mention.
REFERENCE = """
select m.id, m.split, m.document, m.text, m.type, m.gold, m.spans[1].start as start, m.spans[-1]."end" as stop,
       len(m.spans) as pieces,
       coalesce(list_filter(d.passages, lambda p: p."offset" <= m.spans[1].start
                                                  and m.spans[1].start < p."offset" + p.length)[1].kind, '') as section,
       d.evaluation_spans is null or len(list_filter(d.evaluation_spans, lambda s: s.start <= m.spans[1].start
                                                                         and m.spans[-1]."end" <= s."end")) > 0 as inside
from mentions m join documents d on m.split = d.split and m.document = d.id
where m.parent = '' and m.split = 'test' order by m.split, m.document, m.spans[1].start, m.id
"""  # noqa: E501

_PLACES = st.tuples(st.integers(0, 20), st.integers(0, 8)).map(lambda each: (each[0], each[0] + each[1]))
_SPANS = st.lists(_PLACES.map(lambda each: {"start": each[0], "end": each[1]}), max_size=3)
_PASSAGES = st.lists(st.builds(lambda kind, at: {"kind": kind, "offset": at[0], "length": at[1] - at[0]},
                               st.sampled_from(["title", "abstract", ""]), _PLACES), max_size=4)  # fmt: skip
_DOCUMENTS = st.lists(st.tuples(st.sampled_from("abcdé"), _PASSAGES, st.none() | _SPANS),
                      max_size=4, unique_by=lambda each: each[0])  # fmt: skip
_MENTIONS = st.lists(st.tuples(st.sampled_from("abcdé"), _SPANS, st.sampled_from(["", "", "", "m0"])), max_size=12)


@settings(max_examples=150, deadline=None)
@given(_DOCUMENTS, _MENTIONS, st.booleans())
def test_mentions_are_those_of_the_query(documents: list, mentions: list, sorted_: bool) -> None:  # type: ignore[type-arg]
    """Passages and evaluation spans that overlap or lie in any order, mentions without a place, or of no document."""
    named = [(f"m{n}", *each) for n, each in enumerate(mentions)]
    if sorted_:
        named.sort(key=lambda each: (each[1].encode(), each[2][0]["start"] if each[2] else 99, each[0]))
    tables = (
        pa.table({
            "split": ["test"] * len(documents), "id": [each[0] for each in documents], "title": [""] * len(documents),
            "text": [""] * len(documents), "passages": [each[1] for each in documents],
            "evaluation_spans": [each[2] for each in documents], "hyperlinks": [[]] * len(documents),
        }, schema=store.DOCUMENTS),
        pa.Table.from_pylist([{
            "split": "test", "document": document, "id": id_, "spans": spans, "text": id_, "type": "disease",
            "gold": [["x:1"]], "raw": "", "source_type": "", "optional": False, "parent": parent, "role": "",
            "coreference": False, "kind": "", "further_parents": [],
        } for id_, document, spans, parent in named], schema=store.MENTIONS),
    )  # fmt: skip
    corpus = GivenCorpus("made", *tables)
    wanted = corpus.connect().sql(REFERENCE).to_arrow_table()
    assert _of_split(corpus.connect(), "test").to_pylist() == wanted.to_pylist()
