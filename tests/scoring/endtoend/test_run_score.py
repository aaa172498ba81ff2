"""Runs scored together are scored as each is alone, and ask their knowledge base once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

import linkassay
from linkassay.cautions.answers import answered_types, unanswered
from linkassay.runs.stored_run import Run
from linkassay.scoring.endtoend import run_score
from linkassay.scoring.endtoend.figures import endtoend_figures
from linkassay.scoring.endtoend.run_score import score_run_end_to_end, score_runs_end_to_end


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Run]]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("home")))
        linkassay.get("mini")
        yield [
            linkassay.link("spotter", "mini", give="text"),
            linkassay.link("exact", "mini"),
            linkassay.link("exact", "mini/disease", split="dev"),
            linkassay.link("spotter", "mini", split="dev", give="text"),
        ]


def test_together_is_as_alone(runs: list[Run]) -> None:
    together = score_runs_end_to_end(runs, by=["type"])
    for run, found in zip(runs, together, strict=True):
        alone = score_run_end_to_end(run, by=["type"])
        assert endtoend_figures([found]) == endtoend_figures([alone])
        assert (found.words, found.note) == (alone.words, alone.note)


def test_the_knowledge_base_is_asked_once_and_words_of_a_split_are_counted_once(
    runs: list[Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def counting(name: str) -> None:
        plain = getattr(run_score, name) if name == "kb_facts_of" else getattr(run_score.word_count, name)

        def counted(*given: Any, **options: Any) -> Any:
            asked.append(name)
            return plain(*given, **options)

        monkeypatch.setattr(run_score if name == "kb_facts_of" else run_score.word_count, name, counted)

    counting("kb_facts_of")
    counting("count_words")
    run_score._words_of.cache_clear()
    score_runs_end_to_end(runs)
    assert sorted(asked) == ["count_words", "count_words", "kb_facts_of"]  # the splits test and dev


def test_types_without_an_answer_are_those_of_plain_looking(runs: list[Run]) -> None:
    for run in runs:
        corpus = run.open_corpus()
        said = [p for p in run.predictions() if p.groups or p.nil]
        names, places = {p.mention for p in said}, {(p.document, p.spans) for p in said}
        gold = [m for document in corpus[run.split] for m in document.mentions]
        met = {m.type for m in gold if m.id in names or (m.document, m.spans) in places}
        types = [*sorted({m.type for m in gold}), "nowhere"]
        needed = Counter(m.type for m in gold if m.gold and not m.optional)
        assert unanswered(run, corpus, types) == {type_: needed[type_] for type_ in types if type_ not in met}
        assert answered_types(run, {"nowhere"}) == {p.type for p in said}
