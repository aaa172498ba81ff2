"""Each section of the report against figures computed in another way, mostly mention by mention."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean
from typing import Any

import duckdb
import numpy as np
import pytest

import linkassay
from linkassay import charts
from linkassay.charts import address
from linkassay.cli.demo import _spotted
from linkassay.corpora import spec_of
from linkassay.corpora.stats import unseen_mentions
from linkassay.pages import endtoend_cases, explanations
from linkassay.pages.mention_browser import BrowsedMentions
from linkassay.pages.mention_context import lines
from linkassay.pages.sections import (
    abbreviations,
    agreement,
    cost,
    curve,
    endtoend,
    failures,
    further,
    hierarchy,
    leaderboard,
    overview,
    published,
    run,
    slices,
    unseen,
)
from linkassay.published import literature
from linkassay.published.published_table import load_work
from linkassay.scoring.disambiguation.mention_outcomes import mention_outcomes_of
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.endtoend import evaluate
from linkassay.scoring.hierarchy.figures import match_counts
from linkassay.scoring.hierarchy.mismatches import DISTANCES, MISMATCHES, place_of
from linkassay.scoring.hierarchy.mismatches import mismatch_figures as mismatches
from linkassay.scoring.results.cohort import Cohort, cohorts
from linkassay.scoring.results.result import Result
from linkassay.scoring.statistics.significance import permutation
from tests.report_helpers import make

LABELS = ["tfidf + abbreviations", "tfidf", "exact", "spotter"]
HUES = {label: at for at, label in enumerate(LABELS)}


@pytest.fixture(scope="module", autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("sections")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINKASSAY_HOME", str(folder / "home"))
        patch.setattr(charts, "draw", _described)
        linkassay.get("mini")
        make(folder)
        yield


def _described(spec: dict[str, Any], alt: str, systems: Any = ()) -> dict[str, Any]:
    """What a chart is made of, in place of the picture."""
    return {"kind": "chart", "alt": alt, "systems": list(systems), "spec": spec}


@pytest.fixture(scope="module")
def cohort(_home: None) -> Cohort:
    """Four systems on the embedded benchmark: one with abbreviations written out, one that finds mentions itself."""
    runs = [linkassay.link("exact", "mini"), linkassay.link("tfidf", "mini"),
            linkassay.link("tfidf", "mini", abbreviations="schwartz-hearst"), _spotted()]  # fmt: skip
    (found,) = cohorts([linkassay.score(run_) for run_ in runs])
    return found


def _hits(score: Score, k: int = 1) -> dict[str, float]:
    return {j.id: j.hits[k - 1] for j in mention_outcomes_of(score)}


def _tables(blocks: Any) -> Iterator[dict[str, Any]]:
    return (block for block in _all(blocks) if block["kind"] == "table")


def _all(blocks: Any) -> Iterator[dict[str, Any]]:
    for block in blocks:
        yield block
        yield from _all(block.get("blocks", []))
        for _, inner in block.get("options", []):
            yield from _all(inner)


def _table(section: Any, caption: str = "") -> dict[str, Any]:
    return next(table for table in _tables(section["blocks"]) if table["caption"].startswith(caption))


def _value(cell: Any) -> Any:
    return cell["v"] if isinstance(cell, dict) else cell


def test_leaderboard(cohort: Cohort) -> None:
    table = _table(leaderboard.section(cohort, HUES))
    assert [_value(row[0]) for row in table["rows"]] == LABELS
    columns = [c["label"] for c in table["columns"]]
    assert columns == ["system", "recall@1", "recall@5", "MRR", "coverage", "p against best", "n"]
    best = _hits(cohort.scores[0])
    raw = []
    for score, row in zip(cohort.scores, table["rows"], strict=True):
        hits = _hits(score)
        assert row[1]["v"] == pytest.approx(fmean(hits.values()))
        assert row[2]["v"] == pytest.approx(fmean(_hits(score, 5).values()))
        assert row[4]["v"] == pytest.approx(fmean(j.answered for j in mention_outcomes_of(score)))
        assert _value(row[-1]) == len(hits)
        (shown,) = score.rows(["recall@1"], ())
        assert (row[1]["low"], row[1]["high"]) == pytest.approx((shown["low"], shown["high"]))
        apart = np.zeros(len(score.items.documents))
        for identifier, document in zip(score.items.table["id"].to_pylist(), score.items.document, strict=True):
            apart[document] += hits[identifier] - best[identifier]
        raw.append(permutation(apart).p)
    order = sorted(range(1, 4), key=lambda n: raw[n])
    corrected, largest = {}, 0.0
    for rank, at in enumerate(order):  # Holm, by hand
        largest = max(largest, min(1.0, (3 - rank) * raw[at]))
        corrected[at] = largest
    assert [_value(row[5]) for row in table["rows"][1:]] == pytest.approx([corrected[n] for n in (1, 2, 3)])
    marks = [row[1]["mark"] for row in table["rows"]]
    assert marks == ["", *("≈" if corrected[n] >= 0.05 else "" for n in (1, 2, 3))]


def test_curve(cohort: Cohort) -> None:
    rows = _table(curve.section(cohort, HUES))["rows"]
    for score, row in zip(cohort.scores, rows, strict=True):
        for k in range(1, 11):
            assert row[k]["v"] == pytest.approx(fmean(_hits(score, k).values()))


def test_failures(cohort: Cohort) -> None:
    section = failures.section(cohort, HUES)
    for score, row in zip(cohort.scores, _table(section)["rows"], strict=True):
        wrong = sum(1 - h for h in _hits(score).values())
        generation = sum(1 - h for h in _hits(score, 10).values())
        assert [_value(cell) for cell in row[1:]] == pytest.approx(
            [wrong, generation / wrong, 1 - generation / wrong, sum(not j.answered for j in mention_outcomes_of(score))]
        )
    shares = section["blocks"][0]["spec"]["data"]["values"]
    assert sum(each["value"] for each in shares if each["group"] == "tfidf") == pytest.approx(100)


def test_slices_are_those_of_the_scores(cohort: Cohort) -> None:
    named = cohort.slices["named"]
    assert {"abbreviation", "zero-shot", "homonym", "composite", "unseen-entity"} <= set(named)
    for score, figures in zip(cohort.scores, cohort.figures, strict=True):
        for row in score.rows(["recall@1", "recall@5", "coverage"], ["type", *named]):
            figure = figures[row["slice"]][row["measure"]]
            assert figure["n"] == row["n"]
            assert [figure[k] for k in ("value", "low", "high")] == pytest.approx(
                [row[k] for k in ("value", "low", "high")]
            )
            if row["slice"] != "all":
                assert figure["difference"] == pytest.approx(row["difference"])


def test_slices_mention_by_mention(cohort: Cohort) -> None:
    section = slices.section(cohort, HUES)
    assert section is not None
    table = _table(section, "By slice: recall@1")
    names = [name for name in cohort.slices["named"] if "seen" not in name]
    assert len(table["rows"]) == len(names)
    for name, row in zip(names, table["rows"], strict=True):
        members = cohort.memberships[name]
        assert _value(row[1]) == len(members)
        for score, cell in zip(cohort.scores, row[2:], strict=True):
            hits = _hits(score)
            inside = fmean(hits[i] for i in members)
            assert cell["v"] == pytest.approx(inside)
            assert cell["difference"] == pytest.approx(inside - fmean(hits.values()))
            assert cell["open"]["slice"] == name
    few = [f["composite"]["recall@1"] for f in cohort.figures]
    assert [f["p"] for f in few] == [None] * 4  # three mentions are not tested


def test_a_difference_is_sure_only_after_holm_over_the_table(cohort: Cohort) -> None:
    names = [name for name in cohort.slices["named"] if "seen" not in name]
    family = {(at, name): f[name]["recall@1"]["p"] for at, f in enumerate(cohort.figures) for name in names}
    tested = sorted((p, key) for key, p in family.items() if p is not None)
    expected, largest = set(), 0.0
    for rank, (p, key) in enumerate(tested):
        largest = max(largest, min(1.0, (len(tested) - rank) * p))
        if largest < 0.05:
            expected.add(key)
    assert cohort.sure(names, "recall@1") == expected
    assert expected  # so many resamples that something can be sure


def test_bioel_z_test(cohort: Cohort) -> None:
    section = slices.section(cohort, HUES)
    assert section is not None
    table = _table(section, "Slices, z-test")
    hits = _hits(cohort.scores[1])
    members = cohort.memberships["homonym"]
    p = fmean(hits.values())
    z = (fmean(hits[i] for i in members) - p) / (p * (1 - p) / len(members)) ** 0.5
    (row,) = (r for r in table["rows"] if _value(r[0]) == "tfidf" and r[1] == "a name of several entities")
    assert _value(row[4]) == pytest.approx(z)


def test_types(cohort: Cohort) -> None:
    section = slices.types(cohort, HUES)
    assert section is not None
    rows = {row[0]: row for row in _table(section, "By entity type: recall@1")["rows"]}
    types = {j.id: j.type for j in mention_outcomes_of(cohort.scores[0])}
    assert set(rows) == set(types.values())
    hits = _hits(cohort.scores[2])
    for type_, row in rows.items():
        assert row[4]["v"] == pytest.approx(fmean(hits[i] for i, t in types.items() if t == type_))
        assert row[4]["open"] == {"system": "=exact", "outcome": "any", "type": f"={type_}"}


def test_types_that_are_ids_have_the_names_of_the_knowledge_base(
    cohort: Cohort, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cohort.type_names == {}
    other = Cohort(cohort.scores)
    taxa = [f"('ncbitaxon:{number}', '{name}')" for number, name in ((1, "root"), (9606, "Man"), (2, ""))]
    for kb in other.kbs.values():
        monkeypatch.setattr(kb, "sql", lambda query: duckdb.sql(
            query.replace('"foreign"', f"(values {', '.join(taxa)}) t(id, name)")).fetchall())  # fmt: skip
    monkeypatch.setattr(other, "mentions", lambda: [("1", "9606|1"), ("2", "9606|2"), ("3", "")])
    assert other.type_names == {"9606|1": "Man, root"}
    assert [other.type_name(t) for t in ("9606|1", "9606|2", "")] == ["Man, root", "9606|2", "(no type)"]


def test_unseen(cohort: Cohort) -> None:
    section = unseen.section(cohort, HUES)
    assert section is not None
    rows = {row[0]: row for row in _table(section)["rows"]}
    of_test = unseen_mentions(cohort.corpus, cohort.scores[0].kb)
    kinds = {
        j.id: f"unseen {of_test[j.id]}" if of_test[j.id] else "seen" for j in mention_outcomes_of(cohort.scores[0])
    }
    hits = _hits(cohort.scores[1])
    for kind, row in rows.items():
        assert _value(row[1]) == sum(k == kind for k in kinds.values())
        assert row[3]["v"] == pytest.approx(fmean(hits[i] for i, k in kinds.items() if k == kind))


def test_abbreviations(cohort: Cohort) -> None:
    assert [pair[:2] for pair in cohort.effects] == [(1, 0)]  # tfidf without and with
    section = abbreviations.section(cohort, HUES)
    assert section is not None
    ((name, n, without, with_, difference, p, *_),) = _table(section)["rows"]
    members = cohort.memberships["abbreviation"]
    values = [fmean(_hits(cohort.scores[at])[i] for i in members) for at in (1, 0)]
    assert (_value(name), _value(n)) == ("tfidf", len(members))
    assert [without["v"], with_["v"], difference["v"]] == pytest.approx([*values, values[1] - values[0]])
    assert 0 < p["v"] <= 1
    (alone,) = cohorts(cohort.scores[1:3])
    assert abbreviations.section(alone, HUES) is None


def test_cost(cohort: Cohort) -> None:
    section = cost.section(cohort, HUES)
    assert section is not None
    rows = _table(section)["rows"]
    about = cohort.scores[1].run.about
    cpu = sum(about[f"{stage}_cpu_seconds"] for stage in ("index", "train", "link"))
    assert [_value(cell) for cell in rows[1][2:]] == [
        about["index_seconds"], about["train_seconds"], about["link_seconds"], pytest.approx(cpu),
        about["mentions"] / about["link_seconds"], about["peak_memory_bytes"],
    ]  # fmt: skip
    assert [c["label"] for c in _table(section)["columns"]][5:7] == ["CPU", "mentions/s"]
    assert len(rows) == 3  # what was imported was not measured
    assert section["blocks"][0]["systems"] == LABELS[:3]


def test_agreement(cohort: Cohort) -> None:
    section = agreement.section(cohort, HUES)
    assert section is not None
    values = np.array([list(_hits(score).values()) for score in cohort.scores])
    facts, chart, table = section["blocks"]
    assert facts["items"][1][1]["v"] == pytest.approx(values.max(axis=0).mean())
    cells = {(c["y"], c["x"]): c["text"] for c in chart["spec"]["data"]["values"]}
    assert len(cells) == 12
    for a, one in enumerate(LABELS):
        for b, other in enumerate(LABELS):
            if a != b:
                assert cells[one, other] == f"{np.corrcoef(values[a], values[b])[0, 1]:.2f}"
    first, second, difference, _, only, other, both, neither, *_ = table["rows"][0]
    assert (_value(first), _value(second)) == tuple(LABELS[:2])
    assert _value(difference) == pytest.approx(values[1].mean() - values[0].mean())
    smaller = np.minimum(values[0], values[1]).sum()
    assert [_value(x) for x in (only, other, both, neither)] == pytest.approx(
        [values[0].sum() - smaller, values[1].sum() - smaller, smaller, (1 - values[:2].max(axis=0)).sum()]
    )
    (alone,) = cohorts(cohort.scores[:1])
    assert agreement.section(alone, HUES) is None


def test_hierarchy(cohort: Cohort) -> None:
    section = hierarchy.section(cohort, HUES)
    assert section is not None
    assert list(cohort.profiles) == [0, 1, 2, 3]
    for at, row in enumerate(_table(section, "Characteristics: global")["rows"]):
        of = {name: figure.value for name, figure in match_counts(cohort.profiles[at]).items()}
        n = sum(of[name] for name in ("exact", "overspecific", "underspecific", "orthogonal", "no answer", "outside"))
        e, o, u, t = (of[name] for name in ("exact", "overspecific", "underspecific", "orthogonal"))
        errors = o + u + t
        assert _value(row[1]) == pytest.approx(n)
        assert [_value(cell) for cell in row[2:]] == pytest.approx(
            [e / n, (e + u) / n, (e + o) / n, o / errors, u / errors, t / errors]
        )
    types = _table(section, "Match types")
    assert [_value(c) for c in types["rows"][1][1:]] == [
        each.value for each in match_counts(cohort.profiles[1]).values()
    ]
    profile = cohort.profiles[1]
    found = mismatches(profile, "distance")
    table = np.array([[found[kind, name].value for name in DISTANCES] for kind, _, _ in MISMATCHES])
    rows = [r for r in profile.rows() if r["type"] == "orthogonal"]
    assert table[[name for name, _, _ in MISMATCHES].index("orthogonal")].sum() == pytest.approx(
        sum(r["weight"] for r in rows)
    )
    assert table[:, DISTANCES.index("3")].sum() == pytest.approx(
        sum(r["weight"] for r in profile.rows() if r["distance"] == 3 and r["type"] != "exact")
    )


def test_every_cell_of_the_hierarchy_opens_its_own_mentions(cohort: Cohort) -> None:
    """Counted row by row: what a cell counts, and which mentions it opens, from its table and from the picture."""
    section = hierarchy.section(cohort, HUES)
    data = BrowsedMentions(cohort).data()
    links: dict[str, int] = {}
    partly, whole, empty = 0, 0, 0
    for table in (_table(section, "Mismatches by distance"), _table(section, "Mismatches by location"),
                  _table(section, "Match types")):  # fmt: skip
        for line in table["rows"]:
            rows = list(cohort.profiles[LABELS.index(line[0]["v"])].rows())
            kinds = table["columns"][1:] if table["caption"] == "Match types" else table["columns"][2:]
            for column, cell in zip(kinds, line[-len(kinds) :], strict=True):
                if table["caption"] == "Match types":
                    mine = [r for r in rows if _type(r) == column["label"]]
                    mine += [r for r in rows if r["virtual_root"]] if column["label"] == "orthogonal" else []
                else:
                    mine = [r for r in rows if r["type"] == line[1] and _bin(table["caption"], r) == column["label"]]
                mentions = {r["mention"] for r in mine}
                assert cell["v"] == pytest.approx(sum(r["weight"] for r in mine)), (line[:2], column)
                assert _opened(cell["open"], data, LABELS) == len(mentions), (line[:2], column)
                shown = [m for m in data["sample"] if _passes(cell["open"], data, LABELS, *_codes(m))]
                assert {m["id"] for m in shown} == mentions
                links[address(cell["open"])] = len(mentions)
                partly, whole, empty = partly + (cell["v"] != len(mentions)), whole + bool(mentions), empty + (not mine)
    assert min(partly, whole, empty) > 5  # ties, several gold ids; whole numbers; nothing
    pictures = [b for b in _all(section["blocks"]) if b["kind"] == "chart" and b["alt"].startswith("Mismatches")]
    drawn = [v["link"] for picture in pictures for v in picture["spec"]["data"]["values"]]
    assert len(drawn) == len(set(drawn)) == len(LABELS) * len(MISMATCHES) * (10 + 11)
    assert set(drawn) <= set(links)
    dots = next(b for b in section["blocks"] if b["kind"] == "chart")["spec"]["data"]["values"]
    table = _table(section, "Characteristics: global")
    measures = [column["label"] for column in table["columns"]]
    assert {(v["system"], v["group"], v["link"]) for v in dots} == {
        (row[0]["v"], measure, address(cell["open"]))
        for row in table["rows"] for measure, cell in zip(measures[2:], row[2:], strict=True) if cell
    }  # fmt: skip


def _type(row: dict[str, Any]) -> str:
    return "virtual root" if row["virtual_root"] else row["type"]


def _bin(caption: str, row: dict[str, Any]) -> str:
    """The name of the cell that a mismatch belongs to."""
    if caption.endswith("distance"):
        return "10+" if row["distance"] >= 10 else str(row["distance"])
    return "1" if row["location"] >= 1 else f"0.{int(row['location'] * 10 + 1e-9)}–"


def test_end_to_end(cohort: Cohort) -> None:
    assert [endtoend.finds_mentions(s.run) for s in cohort.scores] == [False, False, False, True]
    section = endtoend.section(cohort, HUES)
    assert section is not None
    run_ = cohort.scores[3].run
    found = evaluate(list(cohort.corpus["test"]), list(run_.predictions()), current=cohort.scores[3].kb.current)  # type: ignore[union-attr]
    tp, fp, fn = (found.total(f"all_{x}", "ignored") for x in ("tp", "fp", "fn"))
    ((_, f1, precision, recall, *_, accuracy, true, spurious, missed),) = _table(section, "End to end")["rows"]
    assert [true["v"], spurious["v"], missed["v"]] == [tp, fp, fn]
    assert [f1["v"], precision["v"], recall["v"]] == pytest.approx(
        [2 * tp / (2 * tp + fp + fn), tp / (tp + fp), tp / (tp + fn)]
    )
    assert accuracy["v"] == pytest.approx(found.accuracy("ignored"))
    assert f1["low"] < f1["v"] < f1["high"]
    rows = {(row[0], row[1]): row[2:] for row in _table(section, "Categories")["rows"]}
    assert rows["mention missed", "lower-cased"][0]["v"] == found.total("ner_fn_lowercased_errors", "ignored")
    (alone,) = cohorts(cohort.scores[:1])
    assert endtoend.section(alone, HUES) is None


def _held(open_: dict[str, str], block: dict[str, Any]) -> list[int]:
    """The bits of the cases that a link opens, by the block's own totals: once for each case."""
    system = block["systems"].index(open_["system"][1:])
    (wanted,) = (bits for key, _, bits in block["filters"] if key == open_["counted"])
    return [bits for of, bits, n in block["totals"] for _ in range(n)
            if of == system and any(bits >> bit & 1 for bit in wanted)]  # fmt: skip


def test_every_end_to_end_figure_opens_as_many_cases_as_it_counts(cohort: Cohort) -> None:
    section = endtoend.section(cohort, HUES)
    assert section is not None
    block = section["blocks"][-1]
    assert (block["kind"], block["systems"]) == ("cases", ["spotter"])
    for row in _table(section, "Categories")["rows"]:
        errors, of, rate = row[2:]
        assert len(_held(errors["open"], block) if errors["v"] else []) == errors["v"]
        if "open" in of:
            assert len(_held(of["open"], block) if of["v"] else []) == of["v"]
            assert rate["open"] == of["open"]
        else:
            assert row[:2] in (["mention spurious", "lower-cased"], ["mention spurious", "other"])  # of words
    (row,) = _table(section, "End to end")["rows"]
    tp, fp, fn = (cell["v"] for cell in row[-3:])
    assert [len(_held(cell["open"], block)) for cell in row[-3:]] == [tp, fp, fn]
    assert [len(_held(row[at]["open"], block)) for at in (2, 3)] == [tp + fp, tp + fn]
    assert len(_held(row[7]["open"], block)) == round(tp / row[7]["v"])  # right spans


def test_end_to_end_cases_are_what_they_are_called(cohort: Cohort) -> None:
    run_, kb = cohort.scores[3].run, cohort.scores[3].kb
    found = endtoend_cases.find(run_, kb)
    shown = endtoend_cases.sample(found, 10_000, cohort.corpus["test"])
    assert sum(n for _, n in endtoend_cases.totals(found)) == len(shown)
    texts = {d.id: lines(d) for d in cohort.corpus["test"]}
    gold = {(m.document, m.spans[0][0], m.spans[-1][1]) for d in cohort.corpus["test"] for m in d.mentions}

    def has(case: dict[str, Any], name: str) -> bool:
        return bool(case["bits"] >> endtoend_cases.COUNTS.index(name) & 1)

    for case in shown:
        document, place, *_ = case["id"].split()
        start, end = map(int, place.split("-"))
        is_gold = "alone" not in case["id"]
        assert texts[document][start:end] == case["text"]
        assert is_gold == (case["gold"] is not None)
        assert is_gold or (document, start, end) not in gold
        assert "".join(text for text, marked in case["context"] if marked) == case["text"]
        if has(case, "ner_fn_lowercased_errors"):
            assert not case["text"][0].isupper()
            assert case["said"] is None
        if has(case, "all_tp"):
            assert set(case["gold"]) & set(case["said"])
            assert case["why"] == "Span and entity are right. Counts as a true positive."
        if has(case, "disamb_errors") and case["said"] is None:
            assert "All parts of an alternative to it were found." in case["why"]
        elif has(case, "disamb_errors"):
            assert not set(case["gold"]) & set(case["said"])
            assert "as a false negative and a false positive in linking, as a true positive in recog" in case["why"]
        if case["gold"] is None:
            assert case["why"] == "No gold mention has this span. Counts as a false positive."


def test_a_sample_of_cases_has_some_of_each_count(cohort: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endtoend_cases, "EACH", 2)
    found = endtoend_cases.find(cohort.scores[3].run, cohort.scores[3].kb)
    few = endtoend_cases.sample(found, 60, cohort.corpus["test"])
    assert few == endtoend_cases.sample(found, 60, cohort.corpus["test"])
    assert len(few) == 60
    there = {
        bit for bits, _ in endtoend_cases.totals(found) for bit in range(len(endtoend_cases.COUNTS)) if bits >> bit & 1
    }
    assert {bit for case in few for bit in there if case["bits"] >> bit & 1} == there


@pytest.mark.parametrize("make_", [leaderboard.section, curve.section, failures.section, slices.types, slices.section,
                                   unseen.section, abbreviations.section, agreement.section, hierarchy.section,
                                   endtoend.section, further.section])  # fmt: skip
def test_every_figure_of_a_table_opens_its_mentions(
    cohort: Cohort, make_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(further, "_asked", lambda score: True)
    section = make_(cohort, HUES)
    tables = list(_tables(section["blocks"]))
    assert tables
    for table in tables:
        for row in (*table["rows"], *table.get("foot", ())):
            for column, cell in zip(table["columns"], row, strict=True):
                if column["form"] != "text" and _value(cell) is not None and column["label"] != "of":
                    assert cell["open"], (table["caption"], column["label"])


def test_a_number_of_mentions_opens_as_many(cohort: Cohort) -> None:
    """Of every n, and of what is counted whole, the filters of its link pass as many mentions."""
    data = BrowsedMentions(cohort).data()
    checked = 0
    for make_ in (leaderboard.section, slices.types, slices.section, unseen.section, abbreviations.section):
        for table in _tables(make_(cohort, HUES)["blocks"]):  # type: ignore[index]
            for row in table["rows"]:
                for column, cell in zip(table["columns"], row, strict=True):
                    if column["label"] == "n":
                        assert cell["v"] == _opened(cell["open"], data, cohort.labels), (table["caption"], row[0])
                        checked += 1
    assert checked > 50
    for row in _table(failures.section(cohort, HUES))["rows"]:
        assert row[4]["v"] == _opened(row[4]["open"], data, cohort.labels)


def _opened(open_: dict[str, str], data: dict[str, Any], labels: list[str]) -> int:
    return sum(n for *codes, n in data["totals"] if _passes(open_, data, labels, *codes))


def _codes(mention: dict[str, Any]) -> tuple[int, int, str]:
    return mention["type"], mention["slices"], mention["codes"]


def _passes(open_: dict[str, str], data: dict[str, Any], labels: list[str], type_: int, bits: int, codes: str) -> bool:
    """The filters of the page, from the data that it has."""
    at = data["width"] * labels.index(open_["system"][1:])
    code, outcome = codes[at : at + data["width"]], open_["outcome"]
    if "type" in open_ and data["types"][type_] != open_["type"][1:]:
        return False
    if "slice" in open_ and not bits >> data["slices"].index(open_["slice"]) & 1:
        return False
    wanted = {"any": "rpwn", "none": "n", "credited": "rp"}
    if outcome in wanted:
        return code[0] in wanted[outcome]
    within = ("orthogonal", "virtual root") if outcome == "orthogonal" else (outcome,)
    return any(
        kind in within
        and open_.get("distance", distance) == distance
        and open_.get("location", location) == location
        for kind, distance, location in map(place_of, data["places"][int(code[2:], 36)])
    )  # fmt: skip


def test_published_figures_stand_beside_ours(cohort: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"work": "w", "table": 4, "system": "TFIDF", "measure": "recall@1", "value": 0.5, "protocol": "belb/strict",
           "scope": "all", "citation": "W et al.", "comparable": True, "note": "so"}  # fmt: skip
    other = row | {
        "measure": "novelty",
        "system": "other",
        "protocol": "",
        "comparable": False,
        "scope": "recognised(x)",
    }
    monkeypatch.setattr(published, "published_rows", lambda corpus: [row, other] if corpus == "mini" else [])
    section = published.section(cohort, HUES)
    assert section is not None
    ours = [score.rows(["recall(protocol=belb/strict)@1"], ())[0]["value"] for score in cohort.scores]
    table = _table(section, "Published and ours: recall@1, belb/strict")
    assert [(_value(r[0]), r[1], _value(r[2])) for r in table["rows"]] == [
        *((label, "this report", pytest.approx(value)) for label, value in zip(LABELS, ours, strict=True)),
        ("TFIDF", "w, table 4", 0.5),
    ]
    assert table["rows"][-1][3]["v"] == pytest.approx(ours[1] - 0.5)  # the same system
    unknown = _table(section, "Published and ours: novelty")["rows"]
    assert [r[:3] for r in unknown] == [["other", "w, table 4", 0.5]]
    assert unknown[0][5] == "no"


def test_without_published_figures_other_corpora_give_orientation(
    cohort: Cohort, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = published.section(cohort, HUES)
    assert section is not None
    assert (section["id"], section["title"]) == ("published", explanations.SECTIONS["orientation"].title)
    data = BrowsedMentions(cohort).data()
    (choice,) = (b for b in section["blocks"] if b["kind"] == "choice")
    drawn = section["blocks"][0]["spec"]["data"]["values"]
    for kind, (table,) in choice["options"]:
        type_ = kind.replace(" ", "_")
        mine, theirs = table["rows"][: len(LABELS)], table["rows"][len(LABELS) :]
        for score, row in zip(cohort.scores, mine, strict=True):
            hits = [j.hits[0] for j in mention_outcomes_of(score) if j.type == type_]
            assert row[1]["v"] == pytest.approx(fmean(hits))
            assert row[3] == f"{type_}, n {len(hits)}"
            assert _opened(row[1]["open"], data, LABELS) == len(hits)
        assert {row[-1] for row in theirs} == {"no: another corpus"}
        assert {row[5] for row in theirs} <= {"belb/standard", "bioel/basic"}
        assert "mini" not in {row[2] for row in theirs}
        of = [v for v in drawn if v["group"] == kind]
        assert sorted(v["value"] / 100 for v in of if not v["sure"]) == pytest.approx(sorted(r[1] for r in theirs))
        assert {v["link"] for v in of if v["sure"]} == {address(row[1]["open"]) for row in mine}
    belb = load_work("belb").tables[4]
    species = next(table["rows"] for kind, (table,) in choice["options"] if kind == "species")
    assert {r[0]: r[1] for r in species[len(LABELS) :] if (r[2], r[4]) == ("Linnaeus", "belb, table 4")} == {
        "SR4GN" if name == "RBES" else name: belb.value(corpus="Linnaeus", system=name)
        for name in ("RBES", "BioSyn", "GenBioEL", "arboEL")
    }
    for module in (literature, published):
        monkeypatch.setattr(module, "ENTITY_KINDS", {})
    nothing = published.section(cohort, HUES)
    assert nothing is not None
    assert [b["text"] for b in nothing["blocks"]] == ["No figures of the literature for this corpus are stored."]
    monkeypatch.setattr(published, "CORPORA", ())
    assert published.section(cohort, HUES) is None  # a corpus of one's own


def test_types_of_corpora_are_of_one_kind_each() -> None:
    spelled = [type_ for types in literature.ENTITY_KINDS.values() for type_ in types]
    assert len(spelled) == len(set(spelled))
    published_ = {"ncbi_disease", "nlm_chem", "bioid", "linnaeus", "s800", "gnormplus", "nlm_gene", "snp", "osiris",
                  "tmvar3", "medmentions_full", "medmentions_st21pv"}  # fmt: skip
    assert all(literature.kind_of(spec_of(name).types[0]) for name in published_)
    titles = {row["corpus"] for kind in literature.ENTITY_KINDS for row in literature.published_rows_of_kind(kind)}
    assert titles == {*(spec_of(name).title for name in published_), "BC5CDR (disease)", "BC5CDR (chemical)"}
    rows = [row for kind in literature.ENTITY_KINDS for row in literature.published_rows_of_kind(kind)]
    same = [tuple(row[k] for k in ("corpus", "work", "system", "protocol", "scope", "value")) for row in rows]
    assert len(same) == len(set(same))
    assert {row["comparable"] for row in rows} == {False}


def test_what_was_run(cohort: Cohort) -> None:
    section = run.section(cohort, HUES)
    cards = {card["title"]: dict(map(tuple, card["entries"])) for card in section["blocks"][0]["cards"]}
    assert cards["Corpus"]["revision"] == cohort.corpus.revision
    assert (cards["Corpus"]["split"], cards["Corpus"]["documents"]) == ("test", 32)
    assert cards["Knowledge base"]["entities"] == cohort.scores[0].kb.manifest["counts"]["entities"]  # type: ignore[union-attr]
    rows = _table(section)["rows"]
    assert rows[0][1] == "abbreviations=schwartz-hearst, top=10"
    assert rows[0][-1] == cohort.scores[0].run.path.name


def test_further_measures(cohort: Cohort) -> None:
    assert further.section(cohort, HUES) is None
    asked = [linkassay.score(s.run, "accuracy(set=novel-unique),mrr", by=["homonym"]) for s in cohort.scores[1:3]]
    (again,) = cohorts(asked)
    section = further.section(again, HUES)
    assert section is not None
    rows = _table(section)["rows"]
    expected = [row for score in asked for row in score.rows()]
    assert {(_value(r[0]), r[1], r[2]) for r in rows} == {(e["system"], e["slice"], e["measure"]) for e in expected}
    for row, e in zip(rows, expected, strict=True):
        assert [_value(cell) for cell in row[3:6]] == [e["value"], e["n"], e.get("difference")]
    tested = sorted(e["p"] for e in expected if e.get("p") is not None)
    assert min(_value(row[6]) for row in rows if row[6] is not None) == pytest.approx(min(1, len(tested) * tested[0]))


# ---- several corpora


@pytest.fixture(scope="module")
def several(_home: None) -> Result:
    """Two systems on two corpora, a third on one of them."""
    runs = [linkassay.link(name, on, kb="tiny") for on in ("own", "other") for name in ("exact", "tfidf")]
    runs.append(linkassay.link("normalised", "own", kb="tiny"))
    return Result(linkassay.score(each) for each in (*runs, runs[0]))


def test_runs_are_grouped_by_corpus(several: Result) -> None:
    assert [(m.key, sorted(m.labels)) for m in several.cohorts] == [
        ("own@test", ["exact", "normalised", "tfidf"]), ("other@test", ["exact", "tfidf"]),
    ]  # fmt: skip


def test_mean_over_corpora(several: Result) -> None:
    found = {each.about["system"]: each for each in several.means}
    for system, each in found.items():
        mine = [fmean(_hits(m.scores[m.labels.index(system)]).values()) for m in several.cohorts if system in m.labels]
        assert each["value"] == pytest.approx(fmean(mine))
        assert each["corpora"] == len(mine)
    assert list(found) == ["tfidf", "exact", "normalised"]  # the one that lacks a corpus comes last
    assert found["tfidf"]["p"] is None
    assert found["normalised"]["p"] is None
    assert 0 < found["exact"]["p"] <= 1


def test_overview_has_every_corpus(several: Result) -> None:
    table = _table(overview.section(several, {"tfidf": 0, "exact": 1, "normalised": 2}))
    assert [c["label"] for c in table["columns"][4:]] == ["own", "other"]
    (row,) = (r for r in table["rows"] if _value(r[0]) == "normalised")
    assert row[5] is None
    assert row[1]["weak"]
    assert row[4]["open"] == {"system": "=normalised", "outcome": "any", "corpus": "=own@test"}
    strong = [[_value(r[0]) for r in table["rows"] if r[at] and r[at]["strong"]] for at in (4, 5)]
    assert strong == [[cohort.labels[0]] for cohort in several.cohorts]


def test_matrix_of_types_and_corpora(several: Result, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(overview.matrix(several))
    rows = {(row[0], row[1]): row for row in table["rows"]}
    values: list[float] = []
    for cohort in several.cohorts:
        score = cohort.scores[cohort.labels.index("tfidf")]
        drugs = [j.hits[0] for j in mention_outcomes_of(score) if j.type == "Drug"]
        row = rows["Drug", cohort.key.partition("@")[0]]
        assert (row[2]["v"], row[3]["v"]) == (len(drugs), pytest.approx(fmean(drugs)))
        values += drugs
    pooled = rows["Drug", "all of them"]
    assert (pooled[2]["v"], pooled[3]["v"]) == (len(values), pytest.approx(fmean(values)))
    assert pooled[5] is None  # normalised lacks one of the corpora
    assert len(overview.matrix(several)["blocks"]) == 1
    monkeypatch.setattr(overview, "MOST_TYPES", 1)
    fewer = overview.matrix(several)["blocks"]
    assert fewer[1]["text"] == "Left out here, being the rarest types: 2 of own, 2 of other."
    for row in table["rows"]:
        cells = [c for c in row[3:] if c]
        assert all(c["strong"] == (c["v"] == max(d["v"] for d in cells)) for c in cells)
