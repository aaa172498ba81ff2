"""Everything the report shows, as one JSON-ready dictionary. Pure data: no HTML is made here."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from linkassay import store
from linkassay.corpora.stored import Corpus
from linkassay.errors import UsageError
from linkassay.kbs.stored import Kb
from linkassay.model import Mention
from linkassay.reporting import words
from linkassay.reporting.context import clip, lines, window
from linkassay.runs import Run
from linkassay.scoring.judged import KS, Judged, judged, prepare_groups
from linkassay.scoring.score import Score

__all__ = ["SAMPLE", "gather"]

#: At most this many mentions are put into the page, this share of them missed by some system.
SAMPLE, MISSED_SHARE = 500, 0.8
_GROUPS, _IDS = 10, 12  # of one answer: groups shown, ids shown of a group

_UNSEEN = {"": "seen", "synonym": "unseen-synonym", "entity": "unseen-entity"}


def gather(scores: list[Score], sample: int = SAMPLE) -> dict[str, Any]:
    """The page's data from scores of one corpus, split and revision; systems best first."""
    scores = list({str(s.run.path): s for s in scores}.values())
    _same_data([s.run for s in scores])
    labels = _labels([s.run for s in scores])
    ranked = sorted(
        ((s, label, _figures(s)) for s, label in zip(scores, labels, strict=True)), key=lambda it: _rank(it[2], it[1])
    )
    scores, tables = [s for s, _, _ in ranked], [table for _, _, table in ranked]

    run = scores[0].run
    corpus = run.open_corpus()
    kbs = {s.run.kb: s.kb for s in scores if s.kb is not None}
    judgements = [judged(s) for s in scores]
    systems = [_system(*each, found) for each, found in zip(ranked, judgements, strict=True)]
    mentions = _Mentions(scores, judgements, list(kbs.values()))
    return {
        "sentence": _sentence(systems),
        "version": version("linkassay"),
        "corpus": _corpus(corpus, run.about["split"], scores),
        "kbs": [_knowledge(kb) for kb in kbs.values()],
        "systems": systems,
        "slices": _slice_names(tables),
        "types": mentions.types,
        "totals": mentions.totals(),
        "sample": mentions.sample(corpus, run.about["split"], sample),
        "names": mentions.names(),
        "definitions": words.DEFINITIONS,
        "notes": words.NOTES,
        "outcomes": words.OUTCOMES,
        "stage_k": words.STAGE_K,
    }


def _same_data(runs: list[Run]) -> None:
    if not runs:
        raise UsageError("nothing to report: name at least one run")
    found = sorted({f"{r.corpus}@{r.about['corpus_revision']} {r.about['split']}" for r in runs})
    if len(found) > 1:
        raise UsageError(f"a report shows runs of one corpus, revision and split; these are of {', '.join(found)}")


def _labels(runs: list[Run]) -> list[str]:
    """The system's name; where it repeats, with what sets its runs apart."""
    labels = []
    for run in runs:
        same = [r for r in runs if r.system == run.system]
        facts = [{"kb": r.kb, "software": r.about["software"], **r.about["parameters"]} for r in same]
        mine = facts[same.index(run)]
        apart = [f"{key} {mine[key]}" for key in mine if len({str(f.get(key)) for f in facts}) > 1]
        labels.append(f"{run.system} ({', '.join(apart)})" if apart else run.system)
    repeated = {label for label, n in Counter(labels).items() if n > 1}
    return [
        f"{label} ({run.path.name.rpartition('-')[2]})" if label in repeated else label
        for label, run in zip(labels, runs, strict=True)
    ]


def _rank(table: list[dict[str, Any]], label: str) -> tuple[float, float, float, str]:
    """Sorting key; the rule is said in `words.NOTES["best"]`."""
    all_ = {row["measure"]: row["value"] for row in table if row["slice"] == "all"}
    return -all_["recall@1"], -all_["recall@5"], -all_["coverage"], label


def _system(score: Score, label: str, table: list[dict[str, Any]], found: list[Judged]) -> dict[str, Any]:
    about = score.run.about
    figures: dict[str, dict[str, Any]] = {}
    for row in table:
        figure = {key: row[key] for key in ("value", "low", "high", "n")}
        figures.setdefault(row["slice"], {})[row["measure"]] = figure
    wrong = sum(1 - j.hits[0] for j in found)
    generation = sum(1 - j.hits[words.STAGE_K - 1] for j in found)
    seconds = about.get("link_seconds")
    return {
        "label": label, "run": score.run.path.name, "parameters": about["parameters"], "kb": score.run.kb,
        "software": about["software"], "finished": about.get("finished"), "host": about.get("host", {}),
        "packages": about.get("packages", {}), "prepare_seconds": about.get("prepare_seconds"),
        "link_seconds": seconds, "mentions_per_second": about["mentions"] / seconds if seconds else None,
        "peak_memory_bytes": about.get("peak_memory_bytes"),
        "n": len(found), "without_id": _without_id(score), "figures": figures,
        "stage": {
            "wrong": wrong,
            "generation": generation / wrong if wrong else None,
            "disambiguation": (wrong - generation) / wrong if wrong else None,
            "no_answer": sum(not j.answered for j in found),
        },
    }  # fmt: skip


def _figures(score: Score) -> list[dict[str, Any]]:
    """Coverage and recall@k over all mentions, by type, and by what training data have seen."""
    training = ["unseen-entity", "unseen-synonym", "seen"] if score.sets.has_training() else []
    return score.rows(["coverage", *(f"recall@{k}" for k in KS)], ["type", *training])


def _without_id(score: Score) -> int:
    return score.items.left_out.get("without a gold id", 0)


def _corpus(corpus: Corpus, split: str, scores: list[Score]) -> dict[str, Any]:
    about = corpus.manifest
    return {
        "name": corpus.name, "title": about["title"], "revision": corpus.revision, "split": split,
        "licence": about["licence"], "citation": about["citation"], "homepage": about["homepage"],
        "documents": len(corpus[split]), "scored": max(len(s.items) for s in scores),
        "without_id": min(map(_without_id, scores)),
    }  # fmt: skip


def _knowledge(kb: Kb) -> dict[str, Any]:
    keys = ("name", "title", "revision", "licence", "citation")
    return {key: kb.manifest.get(key, "") for key in keys} | {"counts": kb.manifest["counts"]}


def _slice_names(tables: list[list[dict[str, Any]]]) -> dict[str, list[str]]:
    found = dict.fromkeys(row["slice"] for table in tables for row in table)
    return {
        "types": [name for name in found if name.startswith("type=")],
        "training": [name for name in ("seen", "unseen-synonym", "unseen-entity") if name in found],
    }


def _sentence(systems: list[dict[str, Any]]) -> str:
    """What the best system reached, in words; the numbers are those of the leaderboard."""
    best = systems[0]
    figure = best["figures"]["all"]["recall@1"]
    mentions = "the one mention" if figure["n"] == 1 else f"{figure['n']:,} mentions"
    text = (
        f"{best['label']} puts a right entity first for {100 * figure['value']:.1f} % of {mentions}"
        + (" (too few documents for an interval)" if figure["low"] is None else
           f" (95 % interval {100 * figure['low']:.1f}–{100 * figure['high']:.1f} %)")
    )  # fmt: skip
    if len(systems) > 1:
        second = systems[1]["figures"]["all"]["recall@1"]
        lead = 100 * (figure["value"] - second["value"])
        compared = ""
        if figure["low"] is not None and second["high"] is not None:
            overlap = "overlap" if second["high"] >= figure["low"] else "do not overlap"
            compared = f"; the two intervals {overlap}"
        if f"{lead:.1f}" == "0.0":
            text += f", level with {systems[1]['label']}"
        else:
            text += f", {lead:.1f} points ahead of {systems[1]['label']}{compared}"
    return text + "."


class _Mentions:
    """The judged mentions of all systems, side by side, in the corpus's order."""

    def __init__(self, scores: list[Score], judgements: list[list[Judged]], kbs: list[Kb]) -> None:
        self._scores, self._kbs = scores, kbs
        self._judged: list[dict[str, Judged]] = [{j.id: j for j in found} for found in judgements]
        self._all: dict[str, Judged] = {key: j for judged in reversed(self._judged) for key, j in judged.items()}
        self.types = sorted({j.type for j in self._all.values()})
        self._index: dict[str, int] = {}

    def totals(self) -> list[list[Any]]:
        """How many mentions have each combination of type, slice and codes: exact counts for any filter."""
        counts = Counter(
            (self.types.index(j.type), _UNSEEN[j.unseen], *self._codes(key)) for key, j in self._all.items()
        )
        return [[*combination, n] for combination, n in counts.items()]

    def sample(self, corpus: Corpus, split: str, limit: int) -> list[dict[str, Any]]:
        """A reproducible choice of mentions in the corpus's order, with text, gold and answers."""
        chosen = self._chosen(limit)
        answers = [_answers(score, chosen) for score in self._scores]
        entries = []
        for document in corpus[split]:
            if shown := [mention for mention in document.mentions if mention.id in chosen]:
                text = lines(document)
                entries += [self._entry(mention, text, answers) for mention in shown]
        return entries

    def names(self) -> list[list[str | None]]:
        """Every id of the sample with its primary name; None: not in the knowledge base."""
        known: dict[str, str] = {}
        query = 'select id, name from names where "primary" and id in (select unnest(?))'
        for kb in reversed(self._kbs):
            known.update(dict(kb.sql(query, [list(self._index)])) if self._index else {})
        return [[identifier, known.get(identifier)] for identifier in self._index]

    def _codes(self, key: str) -> Iterator[str]:
        for found in self._judged:
            j = found.get(key)
            yield "x-" if j is None else words.verdict(j.hits[0], j.answered) + words.stage(j.hits)

    def _chosen(self, limit: int) -> set[str]:
        if len(self._all) <= limit:
            return set(self._all)
        # the hash of its id, not chance, orders the mentions: the same runs give the same page
        order = sorted(self._all, key=lambda key: hashlib.sha256(key.encode()).digest())
        missed = [key for key in order if any(key in j and j[key].hits[0] < 1 for j in self._judged)]
        known = set(missed)
        right = [key for key in order if key not in known]
        wanted = max(round(MISSED_SHARE * limit), limit - len(right))
        first = missed[:wanted]
        return {*first, *right[: limit - len(first)]}

    def _entry(self, mention: Mention, text: str, answers: list[dict[str, _Answer]]) -> dict[str, Any]:
        moved = self._scores[0].items.moved
        changed = {i: moved[i] for i in sorted(mention.ids) if i in moved}
        return {
            "id": mention.id, "document": mention.document, "text": clip(mention.text, 120),
            "type": self.types.index(mention.type), "slice": _UNSEEN[self._all[mention.id].unseen],
            "codes": list(self._codes(mention.id)), "context": window(text, mention.spans, mention.text),
            "gold": [[self._number(now) for i in sorted(ids) for now in moved.get(i, (i,))] for ids in mention.gold],
            "changed": [[old, list(new)] for old, new in changed.items()],
            "answers": [
                self._answer(judged.get(mention.id), given.get(mention.id))
                for judged, given in zip(self._judged, answers, strict=True)
            ],
        }  # fmt: skip

    def _answer(self, judged: Judged | None, given: _Answer | None) -> dict[str, Any] | None:
        if judged is None:
            return None
        ranked, scores, nil = given or ([], {}, False)
        groups, before = [], 0
        found = False
        for position, group in enumerate(ranked):
            right = [i for i in group if i in judged.gold]
            if position < _GROUPS or (right and not found):
                shown = (right + [i for i in group if i not in judged.gold])[:_IDS]
                groups.append({
                    "rank": before + 1, "size": len(group), "score": _finite(scores.get(group[0])),
                    "ids": [self._number(i) for i in shown], "right": len(right),
                })  # fmt: skip
            found = found or bool(right)
            before += len(group)
        return {
            "why": words.why(ranked, judged.gold, nil), "groups": groups,
            "hits": [judged.hits[0], judged.hits[4]], "candidates": before,
        }  # fmt: skip

    def _number(self, identifier: str) -> int:
        return self._index.setdefault(identifier, len(self._index))


#: Groups as they are ranked; current id → score of the first group it stood in; whether it is an explicit NIL.
_Answer = tuple[list[list[str]], dict[str, float], bool]


def _answers(score: Score, wanted: set[str]) -> dict[str, _Answer]:
    moved = score.items.moved
    file = store.whole(score.run.path / "predictions.parquet")
    chosen = pc.field("mention").isin(pa.array(sorted(wanted), pa.string()))
    table = pq.read_table(file, columns=["mention", "groups", "scores", "nil"], filters=chosen)
    answers: dict[str, _Answer] = {}
    for mention, groups, numbers, nil in zip(*(column.to_pylist() for column in table.columns), strict=True):
        scores: dict[str, float] = {}
        for group, number in zip(groups, numbers, strict=False):
            for identifier in group:
                for now in moved.get(identifier, ()) or (identifier,):
                    scores.setdefault(now, number)
        ranked = [] if nil else prepare_groups(groups, lambda i: moved.get(i, (i,)))
        answers[mention] = ranked, scores, nil
    return answers


def _finite(score: float | None) -> float | None:
    return score if score is not None and math.isfinite(score) else None
