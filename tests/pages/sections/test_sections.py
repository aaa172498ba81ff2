"""Each section of the report against figures computed in another way, mostly mention by mention."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import linkassay
from linkassay.charts import address
from linkassay.corpora.stats import unseen_mentions
from linkassay.linkers import LINKERS
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
    run,
    slices,
    unseen,
)
from linkassay.scoring.disambiguation.mention_outcomes import mention_outcomes_of
from linkassay.scoring.hierarchy.figures import match_counts
from linkassay.scoring.hierarchy.mismatches import DISTANCES, MISMATCHES
from linkassay.scoring.hierarchy.mismatches import mismatch_figures as mismatches
from linkassay.scoring.results.cohort import Cohort, cohorts
from linkassay.scoring.statistics.significance import permutation
from tests.pages.sections.reading import (
    HUES,
    LABELS,
    blocks_in,
    browsed,
    codes_of,
    hits_of,
    opened,
    passes,
    table_of,
    tables_in,
    value_of,
)


def test_leaderboard(cohort: Cohort) -> None:
    table = table_of(leaderboard.section(cohort, HUES))
    assert [value_of(row[0]) for row in table["rows"]] == LABELS
    columns = [c["label"] for c in table["columns"]]
    assert columns == ["system", "recall@1", "recall@5", "MRR", "coverage", "p against best", "n"]
    best = hits_of(cohort.scores[0])
    raw = []
    for score, row in zip(cohort.scores, table["rows"], strict=True):
        hits = hits_of(score)
        assert row[1]["v"] == pytest.approx(fmean(hits.values()))
        assert row[2]["v"] == pytest.approx(fmean(hits_of(score, 5).values()))
        assert row[4]["v"] == pytest.approx(fmean(j.answered for j in mention_outcomes_of(score)))
        assert value_of(row[-1]) == len(hits)
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
    assert [value_of(row[5]) for row in table["rows"][1:]] == pytest.approx([corrected[n] for n in (1, 2, 3)])
    marks = [row[1]["mark"] for row in table["rows"]]
    assert marks == ["", *("≈" if corrected[n] >= 0.05 else "" for n in (1, 2, 3))]


def test_curve(cohort: Cohort) -> None:
    rows = table_of(curve.section(cohort, HUES))["rows"]
    for score, row in zip(cohort.scores, rows, strict=True):
        for k in range(1, 11):
            assert row[k]["v"] == pytest.approx(fmean(hits_of(score, k).values()))


def test_failures(cohort: Cohort) -> None:
    section = failures.section(cohort, HUES)
    for score, row in zip(cohort.scores, table_of(section)["rows"], strict=True):
        wrong = sum(1 - h for h in hits_of(score).values())
        generation = sum(1 - h for h in hits_of(score, 10).values())
        silent = sum(not j.answered for j in mention_outcomes_of(score))
        assert [value_of(cell) for cell in row[1:]] == pytest.approx(
            [wrong, generation, wrong - generation, silent, generation / wrong]
        )
    drawn = section["blocks"][0]["spec"]["data"]["values"]
    wrong = sum(1 - h for h in hits_of(cohort.scores[LABELS.index("tfidf")]).values())
    assert sum(each["value"] for each in drawn if each["group"] == "tfidf") == pytest.approx(wrong)


def test_linkers_are_explained_in_a_line(cohort: Cohort) -> None:
    (said,) = (block["items"] for block in leaderboard.section(cohort, HUES)["blocks"] if block["kind"] == "systems")
    assert [label for label, _ in said] == [label for label in LABELS if label != "spotter"]  # that one was imported
    assert dict(said)["exact"] == LINKERS.load("exact").summary
    assert dict(said)["tfidf + abbreviations"] == f"{LINKERS.load('tfidf').summary}; abbreviations written out"


def test_small_types_are_folded_away(cohort: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = slices.types(cohort, HUES)
    assert whole is not None
    (table,) = whole["blocks"][0]["options"][0][1]
    sizes = [value_of(row[1]) for row in table["rows"]]
    assert sizes == sorted(sizes, reverse=True)
    monkeypatch.setattr(slices, "MOST_TYPES", 2)
    monkeypatch.setattr(slices, "FEW_MENTIONS", sizes[3])
    folded = slices.types(cohort, HUES)
    assert folded is not None
    first, rest = folded["blocks"][0]["options"][0][1]
    assert rest["summary"] == f"{len(sizes) - 4} further types of fewer than {sizes[3]} mentions"
    assert [*first["rows"], *rest["blocks"][0]["rows"]] == table["rows"]  # also what is marked as sure


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
    table = table_of(section, "By slice: recall@1")
    names = [name for name in cohort.slices["named"] if "seen" not in name]
    assert len(table["rows"]) == len(names)
    for name, row in zip(names, table["rows"], strict=True):
        members = cohort.memberships[name].ids
        assert value_of(row[1]) == len(members)
        for score, cell in zip(cohort.scores, row[2:], strict=True):
            hits = hits_of(score)
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
    assert expected


def test_bioel_z_test(cohort: Cohort) -> None:
    section = slices.section(cohort, HUES)
    assert section is not None
    table = table_of(section, "Slices, z-test")
    hits = hits_of(cohort.scores[1])
    members = cohort.memberships["homonym"].ids
    p = fmean(hits.values())
    z = (fmean(hits[i] for i in members) - p) / (p * (1 - p) / len(members)) ** 0.5
    (row,) = (r for r in table["rows"] if value_of(r[0]) == "tfidf" and r[1] == "a name of several entities")
    assert value_of(row[4]) == pytest.approx(z)


def test_types(cohort: Cohort) -> None:
    section = slices.types(cohort, HUES)
    assert section is not None
    rows = {row[0]: row for row in table_of(section, "By entity type: recall@1")["rows"]}
    types = {j.id: j.type for j in mention_outcomes_of(cohort.scores[0])}
    assert set(rows) == set(types.values())
    hits = hits_of(cohort.scores[2])
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
    mentions = pa.table({"id": ["1", "2", "3"], "type": ["9606|1", "9606|2", ""]})
    monkeypatch.setattr(other, "mentions", lambda: mentions)
    assert other.type_names == {"1": "root", "9606": "Man"}
    assert [other.type_name(t) for t in ("9606|1", "9606|2", "")] == ["Man, root", "Man, 2", "(no type)"]


def test_unseen(cohort: Cohort) -> None:
    section = unseen.section(cohort, HUES)
    assert section is not None
    rows = {row[0]: row for row in table_of(section)["rows"]}
    of_test = unseen_mentions(cohort.corpus, cohort.scores[0].kb)
    kinds = {
        j.id: f"unseen {of_test[j.id]}" if of_test[j.id] else "seen" for j in mention_outcomes_of(cohort.scores[0])
    }
    hits = hits_of(cohort.scores[1])
    for kind, row in rows.items():
        assert value_of(row[1]) == sum(k == kind for k in kinds.values())
        assert row[3]["v"] == pytest.approx(fmean(hits[i] for i, k in kinds.items() if k == kind))


def test_abbreviations(cohort: Cohort) -> None:
    assert [pair[:2] for pair in cohort.effects] == [(1, 0)]  # tfidf without and with
    section = abbreviations.section(cohort, HUES)
    assert section is not None
    ((name, n, without, with_, difference, p, *_),) = table_of(section)["rows"]
    members = cohort.memberships["abbreviation"].ids
    values = [fmean(hits_of(cohort.scores[at])[i] for i in members) for at in (1, 0)]
    assert (value_of(name), value_of(n)) == ("tfidf", len(members))
    assert [without["v"], with_["v"], difference["v"]] == pytest.approx([*values, values[1] - values[0]])
    assert 0 < p["v"] <= 1
    (alone,) = cohorts(cohort.scores[1:3])
    assert abbreviations.section(alone, HUES) is None


def test_cost(cohort: Cohort) -> None:
    section = cost.section(cohort, HUES)
    assert section is not None
    rows = table_of(section)["rows"]
    about = cohort.scores[1].run.about
    cpu = sum(about[f"{stage}_cpu_seconds"] for stage in ("index", "train", "link"))
    assert [value_of(cell) for cell in rows[1][2:]] == [
        about["index_seconds"], about["train_seconds"], about["link_seconds"], pytest.approx(cpu),
        about["mentions"] / about["link_seconds"], about["peak_memory_bytes"],
    ]  # fmt: skip
    assert [c["label"] for c in table_of(section)["columns"]][5:7] == ["CPU", "mentions/s"]
    assert len(rows) == 3  # what was imported was not measured
    assert section["blocks"][0]["systems"] == LABELS[:3]


def test_agreement(cohort: Cohort) -> None:
    section = agreement.section(cohort, HUES)
    assert section is not None
    values = np.array([list(hits_of(score).values()) for score in cohort.scores])
    facts, chart, table, note = section["blocks"]
    assert note["text"].startswith("no McNemar's test")
    assert facts["items"][1][1]["v"] == pytest.approx(values.max(axis=0).mean())
    cells = {(c["y"], c["x"]): c["text"] for c in chart["spec"]["data"]["values"]}
    assert len(cells) == 12
    for a, one in enumerate(LABELS):
        for b, other in enumerate(LABELS):
            if a != b:
                assert cells[one, other] == f"{np.corrcoef(values[a], values[b])[0, 1]:.2f}"
    first, second, difference, _, only, other, both, neither, *_ = table["rows"][0]
    assert (value_of(first), value_of(second)) == tuple(LABELS[:2])
    assert value_of(difference) == pytest.approx(values[1].mean() - values[0].mean())
    smaller = np.minimum(values[0], values[1]).sum()
    assert [value_of(x) for x in (only, other, both, neither)] == pytest.approx(
        [values[0].sum() - smaller, values[1].sum() - smaller, smaller, (1 - values[:2].max(axis=0)).sum()]
    )
    (alone,) = cohorts(cohort.scores[:1])
    assert agreement.section(alone, HUES) is None


def test_hierarchy(cohort: Cohort) -> None:
    section = hierarchy.section(cohort, HUES)
    assert section is not None
    assert list(cohort.profiles) == [0, 1, 2, 3]
    for at, row in enumerate(table_of(section, "Characteristics: global")["rows"]):
        of = {name: figure.value for name, figure in match_counts(cohort.profiles[at]).items()}
        n = sum(of[name] for name in ("exact", "overspecific", "underspecific", "orthogonal", "no answer", "outside"))
        e, o, u, t = (of[name] for name in ("exact", "overspecific", "underspecific", "orthogonal"))
        errors = o + u + t
        assert value_of(row[1]) == pytest.approx(n)
        assert [value_of(cell) for cell in row[2:]] == pytest.approx(
            [e / n, (e + u) / n, (e + o) / n, o / errors, u / errors, t / errors]
        )
    types = table_of(section, "Match types")
    assert [value_of(c) for c in types["rows"][1][1:]] == [
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
    data = browsed(cohort)
    links: dict[str, int] = {}
    partly, whole, empty = 0, 0, 0
    for table in (table_of(section, "Mismatches by distance"), table_of(section, "Mismatches by location"),
                  table_of(section, "Match types")):  # fmt: skip
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
                assert opened(cell["open"], data, LABELS) == len(mentions), (line[:2], column)
                shown = [m for m in data["mentions"] if passes(cell["open"], data, LABELS, *codes_of(m))]
                assert {m["id"] for m in shown} == mentions
                links[address(cell["open"])] = len(mentions)
                partly, whole, empty = partly + (cell["v"] != len(mentions)), whole + bool(mentions), empty + (not mine)
    assert min(partly, whole, empty) > 5  # ties, several gold ids; whole numbers; nothing
    pictures = [b for b in blocks_in(section["blocks"]) if b["kind"] == "chart" and b["alt"].startswith("Mismatches")]
    drawn = [v["link"] for picture in pictures for v in picture["spec"]["data"]["values"]]
    assert len(drawn) == len(set(drawn)) == len(LABELS) * len(MISMATCHES) * (10 + 11)
    assert set(drawn) <= set(links)
    dots = next(b for b in section["blocks"] if b["kind"] == "chart")["spec"]["data"]["values"]
    table = table_of(section, "Characteristics: global")
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


@pytest.mark.parametrize("make_", [leaderboard.section, curve.section, failures.section, slices.types, slices.section,
                                   unseen.section, abbreviations.section, agreement.section, hierarchy.section,
                                   endtoend.section, further.section])  # fmt: skip
def test_every_figure_of_a_table_opens_its_mentions(
    cohort: Cohort, make_: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(further, "_asked", lambda score: True)
    section = make_(cohort, HUES)
    tables = list(tables_in(section["blocks"]))
    assert tables
    for table in tables:
        for row in (*table["rows"], *table.get("foot", ())):
            for column, cell in zip(table["columns"], row, strict=True):
                if column["form"] != "text" and value_of(cell) is not None and column["label"] != "of":
                    assert cell["open"], (table["caption"], column["label"])


def test_a_number_of_mentions_opens_as_many(cohort: Cohort) -> None:
    """Of every n, and of what is counted whole, the filters of its link pass as many mentions."""
    data = browsed(cohort)
    checked = 0
    for make_ in (leaderboard.section, slices.types, slices.section, unseen.section, abbreviations.section):
        for table in tables_in(make_(cohort, HUES)["blocks"]):  # type: ignore[index]
            for row in table["rows"]:
                for column, cell in zip(table["columns"], row, strict=True):
                    if column["label"] == "n":
                        assert cell["v"] == opened(cell["open"], data, cohort.labels), (table["caption"], row[0])
                        checked += 1
    assert checked > 50
    for row in table_of(failures.section(cohort, HUES))["rows"]:
        assert row[4]["v"] == opened(row[4]["open"], data, cohort.labels)


def test_what_was_run(cohort: Cohort) -> None:
    section = run.section(cohort, HUES)
    cards = {card["title"]: dict(map(tuple, card["entries"])) for card in section["blocks"][0]["cards"]}
    assert cards["Corpus"]["revision"] == cohort.corpus.revision
    assert (cards["Corpus"]["split"], cards["Corpus"]["documents"]) == ("test", 32)
    assert cards["Knowledge base"]["entities"] == cohort.scores[0].kb.manifest["counts"]["entities"]  # type: ignore[union-attr]
    rows = table_of(section)["rows"]
    assert rows[0][1] == "abbreviations=schwartz-hearst, top=10"
    assert rows[0][-1] == cohort.scores[0].run.path.name


def test_what_nobody_measured_has_neither_column_nor_term(cohort: Cohort) -> None:
    (imported,) = cohorts([linkassay.score(score.run) for score, label in zip(cohort.scores, cohort.labels, strict=True)
                           if label == "spotter"])  # fmt: skip
    measured = {"index", "train", "link", "CPU", "mentions/s", "peak memory"}
    for mine, there in ((cohort, measured), (imported, set())):
        section = run.section(mine, HUES)
        table = table_of(section)
        assert {each["label"] for each in table["columns"]} & measured == there
        assert {len(row) for row in table["rows"]} == {len(table["columns"])}
        assert set(section["terms"]) == ({"speed", "CPU", "peak memory"} if there else set())


def test_terms_of_slices_are_those_of_slices_that_are_there(cohort: Cohort, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"alias match", "zero-shot"} <= set(slices.section(cohort, HUES)["terms"])
    monkeypatch.setitem(cohort.slices, "named", ["abbreviation"])
    assert slices.section(cohort, HUES)["terms"] == ["difference to all", "slice"]


def test_further_measures(cohort: Cohort) -> None:
    assert further.section(cohort, HUES) is None
    asked = [linkassay.score(s.run, "accuracy(set=novel-unique),mrr", by=["homonym"]) for s in cohort.scores[1:3]]
    (again,) = cohorts(asked)
    section = further.section(again, HUES)
    assert section is not None
    rows = table_of(section)["rows"]
    expected = [row for score in asked for row in score.rows()]
    assert {(value_of(r[0]), r[1], r[2]) for r in rows} == {(e["system"], e["slice"], e["measure"]) for e in expected}
    for row, e in zip(rows, expected, strict=True):
        assert [value_of(cell) for cell in row[3:6]] == [e["value"], e["n"], e.get("difference")]
    tested = sorted(e["p"] for e in expected if e.get("p") is not None)
    assert min(value_of(row[6]) for row in rows if row[6] is not None) == pytest.approx(min(1, len(tested) * tested[0]))
