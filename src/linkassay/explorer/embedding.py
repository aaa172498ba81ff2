"""What a page holds of its cohorts (`embedded` says in which form)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.errors import UsageError
from linkassay.explorer.answers import IDS
from linkassay.explorer.case_columns import IS_NIL, CaseColumns, Groups
from linkassay.explorer.case_sample import sampled_cases
from linkassay.explorer.case_words import COUNTS
from linkassay.explorer.embedded import FORMAT, Answers, Cases, Documents, Edges, Embedded, EmbeddedCohort, Mentions
from linkassay.explorer.embedded_answers import embedded_answers
from linkassay.explorer.embedded_numbers import IdNumbers, Words
from linkassay.explorer.embedded_places import Placed, read_texts
from linkassay.explorer.entities import hierarchy_of, primary_names, with_ancestors
from linkassay.explorer.exploration import Exploration
from linkassay.explorer.mention_sample import sampled
from linkassay.explorer.view_tables import known
from linkassay.scoring.endtoend import MODES
from linkassay.scoring.results import Cohort

#: Mentions of all cohorts together that a page holds whole, and of how many it has a sample where there are more.
MOST_HELD, WHOLE_SAMPLE, LEAST = 50_000, 2_000, 50
#: How much of texts a page may hold, and what it then says is missing.
TEXTS = {
    "full": "", "snippet": "Of the texts only what stands around the mentions is in this page.",
    "none": "The texts are not in this page.",
}  # fmt: skip
_ERRORS = sum(1 << bit for bit, name in enumerate(COUNTS) if name.endswith(("_errors", "all_fp", "all_fn")))


def embed(cohorts: Sequence[Cohort], mentions: str | int = "", text: str = "") -> Embedded:
    """What a page holds of some cohorts.

    `mentions`: `all`, `errors` (those that some system has not right), or how many; "": all up to 50 000 of all
    cohorts together, else a sample of 2 000. `text`: `full`, `snippet` or `none`; "": as each corpus's licence allows.
    """
    known("text", text, ["", *TEXTS])
    found = [Exploration(cohort) for cohort in cohorts]
    held: str | int = mentions
    if held == "":
        held = "all" if sum(len(each.columns) for each in found) <= MOST_HELD else WHOLE_SAMPLE
    if isinstance(held, str) and held.isdecimal():
        held = int(held)
    if held not in ("all", "errors") and (isinstance(held, str) or held < 1):
        raise UsageError(f"mentions {mentions!r}: write all, errors, or how many")
    limit = max(LEAST, held // max(1, len(found))) if isinstance(held, int) else held
    return {
        "format": FORMAT,
        "cohorts": [_Embedding(each, limit, text or each.cohort.corpus.shares_text).cohort() for each in found],
    }


class _Embedding:
    """One cohort on its way into a page."""

    def __init__(self, found: Exploration, held: str | int, text: str) -> None:
        self._found, self._text = found, text
        self._ids, self._sentences = IdNumbers(), Words()
        self._cases = {label: _chosen_cases(cases, held, len(found.cases)) for label, cases in found.cases.items()}
        self._rows = self._held(held)
        self._sections = Words({kind: at for at, kind in enumerate(found.sections)})
        annotations = found.annotations
        some = pa.array(self._rows)
        self._placed = Placed(
            annotations.document[self._rows], annotations.column("spans").take(some),
            annotations.column("text").take(some).to_pylist(),
        )  # fmt: skip
        self._placed_cases = [
            Placed(cases.document[rows], cases.spans.take(pa.array(rows)), cases.texts.take(pa.array(rows)).to_pylist())
            for cases, rows in self._each_case()
        ]

    def _each_case(self) -> list[tuple[CaseColumns, Any]]:
        return [(self._found.cases[label], rows) for label, rows in self._cases.items()]

    def _held(self, held: str | int) -> Any:
        """The annotations that are held: whole trees."""
        found, annotations = self._found, self._found.annotations
        if held == "all":
            return np.arange(len(annotations))
        chosen = np.flatnonzero(found.columns.missed) if held == "errors" else sampled(found.columns, int(held))
        root = np.arange(len(annotations))
        while (below := annotations.parents[root] >= 0).any():
            root[below] = annotations.parents[root[below]]
        keep = np.zeros(len(annotations), dtype=bool)
        keep[annotations.roots[found.columns.place[chosen]]] = True
        for cases, rows in self._each_case():
            label = cases.label[rows]
            keep[root[label[label >= 0]]] = True
        return np.flatnonzero(keep[root])

    def cohort(self) -> EmbeddedCohort:
        """All that the page holds of it."""
        found, columns = self._found, self._found.columns
        documents = self._documents()  # finds the contexts that mentions and cases have
        golds, number = self._golds()
        answers = [self._answers(at, number) for at in range(len(columns.scores))]
        sets, grouped = Words(), dict[Groups, int]()
        cases = [self._case_columns(at, *each, sets, grouped) for at, each in enumerate(self._each_case())]
        mentions = self._mentions(number)
        hierarchy = self._hierarchy(golds, answers)
        ids = pa.array(list(self._ids), pa.string())
        roots = int(np.count_nonzero(found.combination[self._rows] >= 0))
        return {
            "cohort": found.cohort_object(roots), "text": self._text, "left_out": TEXTS[self._text],
            "ids": list(self._ids), "names": primary_names(found.cohort.kbs.values(), ids).to_pylist(),
            "sentences": list(self._sentences), "sections": list(self._sections), "golds": golds,
            "sets": [[int(n) for n in each.split()] for each in sets], "combinations": columns.totals(),
            "grouped": self._grouped(grouped),
            "documents": documents, "mentions": mentions, "answers": answers, "cases": cases, "hierarchy": hierarchy,
        }  # fmt: skip

    def _golds(self) -> tuple[list[list[Any]], Any]:
        """The golds of what is held, and of each annotation held its number among them."""
        mine = self._found.golds
        used, number = np.unique(mine.number[self._rows], return_inverse=True)
        table = [[[self._ids.of(ids) for ids in mine.shown[n]], mine.changed[n]] for n in used.tolist()]
        return table, number

    def _answers(self, system: int, gold: Any) -> Answers:
        found, columns = self._found, self._found.columns
        score, row = columns.scores[system], columns.row[system]
        item = np.full(len(found.annotations), -1)
        inside = np.flatnonzero(row >= 0)
        item[found.annotations.roots[columns.place[row[inside]]]] = inside
        item = item[self._rows]
        answers = embedded_answers(score, item, self._ids, self._sentences)
        others = self._other_golds(system, item, gold)
        some = np.flatnonzero((item >= 0) & np.isin(gold, list(others))) if others else ()
        answers["gold"] = {str(at): others[int(gold[at])] for at in some}
        return answers

    def _other_golds(self, system: int, item: Any, gold: Any) -> dict[int, list[int]]:
        """Golds that have other ids in the knowledge base of a system than those shown, and these."""
        score, golds = self._found.columns.scores[system], self._found.golds
        first = self._found.columns.scores[0]
        if not (score.items.moved or first.items.moved or score.items.options.exclude):
            return {}
        inside = np.flatnonzero(item >= 0)
        numbers, at = np.unique(gold[inside], return_index=True)
        used = np.unique(golds.number[self._rows])
        mine = score.items.gold.by_item.take(pa.array(item[inside[at]])).to_pylist()
        return {
            number: self._ids.of(sorted(ids))
            for number, ids in zip(numbers.tolist(), mine, strict=True)
            if set(ids) != {i for each in golds.shown[used[number]] for i in each}
        }

    def _mentions(self, gold: Any) -> Mentions:
        found, annotations, rows = self._found, self._found.annotations, self._rows
        types = annotations.types.take(pa.array(rows)).dictionary_encode()
        place = np.full(len(annotations) + 1, -1)
        place[rows] = np.arange(len(rows))
        parent, flags = place[annotations.parents[rows]], annotations.flags[rows]
        section = found.section.take(pa.array(rows)).to_pylist()
        return {
            "places": self._placed.columns(), "id": self._mention_ids(), "types": types.dictionary.to_pylist(),
            "type": types.indices.to_pylist(), "section": [self._sections[kind] for kind in section],
            "gold": gold.tolist(), "combination": found.combination[rows].tolist(),
            "parent": parent.tolist() if (parent >= 0).any() else None,
            "flags": flags.tolist() if flags.any() else None, "worst": found.worst[rows].tolist(),
        }  # fmt: skip

    def _mention_ids(self) -> list[int | str]:
        """0 for ids that are made of what is known otherwise."""
        annotations, rows = self._found.annotations, pa.array(self._rows)
        given, types = annotations.column("id").take(rows), annotations.types.take(rows)
        made = pc.binary_join_element_wise(self._place_texts(self._placed, ":"), types, ":")
        same = pc.equal(given, made).to_pylist()
        return [0 if alike else id_ for alike, id_ in zip(same, given.to_pylist(), strict=True)]

    def _place_texts(self, placed: Placed, between: str) -> pa.Array:
        """Document and span of each, as ids have them."""
        documents = self._found.annotations.documents.ids.take(pa.array(placed.document))
        each = pc.binary_join_element_wise(
            pa.array(placed.starts).cast(pa.string()), pa.array(placed.ends).cast(pa.string()), "-"
        )
        offsets = pa.array(np.concatenate([[0], np.cumsum(placed.counts)]), pa.int32())
        return pc.binary_join_element_wise(
            documents, pc.binary_join(pa.ListArray.from_arrays(offsets, each), ","), between
        )

    def _documents(self) -> Documents:
        """Documents with their texts; contexts of mentions and cases are found while these are read."""
        found = self._found
        table, cohort = found.annotations.documents.table, found.cohort
        placed = [self._placed, *self._placed_cases]
        titles = table["title"].to_pylist()
        passages = [
            [number for each in mine for number in (self._sections[each["kind"]], each["offset"], each["length"])]
            for mine in table["passages"].to_pylist()
        ]
        return {
            "id": table["id"].to_pylist(),
            "title": [""] * len(titles) if self._text == "none" else titles,
            "chars": table["chars"].to_pylist(), "mentions": found.mentions_of.tolist(),
            "differ": found.differ.tolist(), "passages": passages,
            "pieces": list(read_texts(cohort.corpus, cohort.split, self._text, placed)),
            "figures": [
                {name: [each.tolist() for each in values] if isinstance(values, list) else values.tolist()
                 for name, values in mine.items()} for mine in found.figures
            ],
        }  # fmt: skip

    def _grouped(self, grouped: Iterable[Groups]) -> list[list[list[int]]]:
        number = {name: at for at, (name, _) in enumerate(self._found.groups)}
        return [[[number[name] for name in names] for names in each] for each in grouped]

    def _case_columns(
        self, at: int, cases: CaseColumns, rows: Any, sets: Words, grouped: dict[Groups, int]
    ) -> Cases:  # fmt: skip
        place = np.full(len(self._found.annotations) + 1, -1)
        place[self._rows] = np.arange(len(self._rows))
        label = place[cases.label[rows]]
        given = cases.ids.take(pa.array(rows))
        made = pc.binary_join_element_wise(self._place_texts(self._placed_cases[at], " "), "alone", " ")
        same = pc.equal(given, made).to_numpy(zero_copy_only=False) | (label >= 0)
        sentence = np.array([self._sentences[each] for each in cases.sentences], dtype=np.int64)
        used = np.unique(cases.groups).tolist()
        groups = np.full(len(cases.grouped), -1)
        groups[used] = [grouped.setdefault(cases.grouped[n], len(grouped)) for n in used]
        totals = [[[bits, int(groups[mine]), n] for bits, mine, n in cases.totals(mode)] for mode in range(len(MODES))]
        return {
            "places": self._placed_cases[at].columns(), "label": label.tolist(),
            "id": [0 if alike else id_ for alike, id_ in zip(same.tolist(), given.to_pylist(), strict=True)],
            "bits": [each.tolist() for each in cases.bits[:, rows]],
            "why": [each.tolist() for each in sentence[cases.why[:, rows]]],
            "gold": self._set_numbers(cases, cases.gold[rows], sets),
            "said": self._set_numbers(cases, cases.said[rows], sets),
            "groups": groups[cases.groups[rows]].tolist(), "totals": totals,
        }  # fmt: skip

    def _set_numbers(self, cases: CaseColumns, codes: Any, sets: Words) -> list[int]:
        used, which = np.unique(codes, return_inverse=True)
        numbers = [
            code if code <= IS_NIL else sets[" ".join(map(str, self._ids.of(sorted(cases.sets[code]))))]
            for code in used.tolist()
        ]
        return [numbers[at] for at in which.tolist()]

    def _hierarchy(self, golds: list[list[Any]], answers: Sequence[Answers]) -> Edges | None:
        """What is above gold and first answers, as far as they are in the hierarchy."""
        hierarchy = hierarchy_of(self._found.cohort)
        if hierarchy is None:
            return None
        known_ids = list(self._ids)
        tops = {number for each in golds for ids in each[0] for number in ids}
        for each in answers:
            tops.update(_tops(each))
        asked = pa.array([known_ids[number] for number in sorted(tops)], pa.string())
        nodes = with_ancestors(hierarchy, asked)
        number = np.array(self._ids.of(hierarchy.ids.take(pa.array(nodes)).to_pylist()), dtype=np.int64)
        at = np.full(len(hierarchy), -1)
        at[nodes] = number
        place, above = hierarchy.parents.rows(nodes)
        roots = np.ones(len(nodes), dtype=bool)
        roots[place] = False
        return {"child": number[place].tolist(), "parent": at[above].tolist(), "roots": number[roots].tolist()}


def _tops(answers: Answers) -> list[int]:
    """The ids of all first groups."""
    rows = len(answers["outcome"])
    groups = np.array(answers["groups"] if answers["groups"] is not None else [answers["most"]] * rows, dtype=np.int64)
    total = int(groups.sum())
    sizes = np.array(answers["sizes"] if answers["sizes"] is not None else [1] * total, dtype=np.int64)
    first = np.zeros(total, dtype=bool)
    first[(np.cumsum(groups) - groups)[groups > 0]] = True
    found: list[int] = np.array(answers["ids"], dtype=np.int64)[np.repeat(first, np.minimum(sizes, IDS))].tolist()
    return found


def _chosen_cases(cases: CaseColumns, held: str | int, systems: int) -> Any:
    """The rows of the cases that are held."""
    if held == "all":
        return np.arange(len(cases))
    if held == "errors":
        return np.flatnonzero(((cases.bits > 0) & (cases.bits & _ERRORS > 0)).any(axis=0))
    limit = max(1, int(held) // (systems * len(MODES)))
    return np.unique(np.concatenate([sampled_cases(cases, mode, limit) for mode in range(len(MODES))]))
