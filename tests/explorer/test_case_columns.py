"""Cases by type and by kind of mention are as many as the scorer counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import linkassay
from linkassay.explorer import View, build_view, embed, open_view
from linkassay.runs import Run
from linkassay.scoring.endtoend import score_run_end_to_end
from linkassay.scoring.results.cohort import cohorts
from tests.explorer.embedded_reader import Reader
from tests.standins.name_spotter import spotted

COUNTED = ("all_tp", "all_fp", "all_fn", "ner_tp", "ner_fp", "ner_fn", "disamb_errors", "disamb_total")


def _view(runs: list[Run]) -> View:
    build_view(runs)
    view = open_view(runs)
    assert view is not None
    return view


@pytest.fixture(scope="module")
def mini_runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Run]]:
    """Two systems on mini that find mentions: the second has types of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(tmp_path_factory.mktemp("groups") / "home"))
        linkassay.get("mini")
        yield [linkassay.link("spotter", "mini", give="text"), spotted()]


def _agree(run: Run, count: Callable[..., int], names: list[str]) -> set[str]:
    """Each count of each group; the groups that count anything."""
    scored = score_run_end_to_end(run, by=["type", "mention-kind"])
    cuts = {cut.slice: cut for cut in scored.cuts if cut.slice != "all"}
    assert set(cuts) <= set(names)
    for name in names:
        for nil in ("ignored", "required"):
            expected = {x: cuts[name].counts.total(x, nil) if name in cuts else 0 for x in COUNTED}
            found = {x: count(group=name, counted=x, nil=nil) for x in COUNTED if x != "disamb_total"}
            found["disamb_total"] = count(group=name, counted="disamb_accuracy", nil=nil)
            assert found == expected, (name, nil)
            whole = count(group=name, counted="all_f1", nil=nil)
            assert max(expected[f"all_{x}"] for x in ("tp", "fp", "fn")) <= whole <= count(group=name, nil=nil)
    return {name for name, cut in cuts.items() if cut.counts.total("all_tp", "ignored")}


def _compared(runs: list[Run]) -> tuple[list[str], list[set[str]]]:
    """The groups that can be asked for, and those of each run that count; page and view say the same."""
    view = _view(runs)
    (cohort,) = cohorts([linkassay.score(run) for run in runs])
    reader = Reader(embed([cohort])["cohorts"][0])
    names = [name for name, _ in view.cohort()["groups"]]
    found = []
    for score, label in zip(cohort.scores, cohort.labels, strict=True):

        def asked(label: str = label, **filters: Any) -> int:
            total = view.cases(system=f"={label}", **filters, limit=1)["total"]
            assert total == reader.cases(f"={label}", **filters, limit=1)["total"]
            return int(total)

        found.append(_agree(cast(Run, score.run), asked, names))
    return names, found


def test_groups_count_what_the_scorer_counts(mini_runs: list[Run]) -> None:
    names, found = _compared(mini_runs)
    kinds = ["mention-kind=named", "mention-kind=non-named"]
    assert names[:2] == kinds
    for each in found:
        assert {"type=disease", "type=gene", *kinds} <= each


def test_groups_of_real_predictions(home: Path, shared: Path) -> None:
    """Alternatives, coreference, NIL, and types that are classes of Wikidata."""
    linkassay.get("wikidata", shared / "e2e" / "kb")
    linkassay.get("wiki_fair", shared / "e2e" / "benchmarks")
    runs = []
    for name in ("refined__aida_", "baseline"):
        articles = shared / "e2e" / "dev" / f"{name}.wiki-fair.linked_articles.jsonl.gz"
        runs.append(Run(linkassay.import_predictions("elevant", articles, corpus="wiki_fair", system=name).path))
    names, found = _compared(runs)
    assert {f"mention-kind={kind}" for kind in ("named", "non-named", "unknown", "nominal", "pronominal")} <= {*names}
    assert min(len([name for name in each if name.startswith("type=Q")]) for each in found) > 10
    words = dict(_view(runs).cohort()["groups"])
    assert words["mention-kind=nominal"] == "nominal"
    assert sum(words[name] != name.removeprefix("type=") for name in names if name.startswith("type=Q")) > 10


def test_gold_and_answer_belong_to_types_of_their_own(mini_runs: list[Run]) -> None:
    """What was missed is of the type of gold, the false positive on the same span of the type that was predicted."""
    view = _view(mini_runs)

    def ids(counted: str, group: str = "any") -> set[str]:
        return {row["id"] for row in view.cases(counted=counted, group=group, limit=1000)["rows"]}

    both = ids("all_fn") & ids("all_fp")
    missed, predicted = (both & ids(counted, "type=gene") for counted in ("all_fn", "all_fp"))
    assert missed
    assert predicted
    assert missed != predicted
    for case in missed ^ predicted:
        assert case in ids("all_f1", "type=gene")
