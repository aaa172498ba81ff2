"""The cases behind end-to-end figures: every gold label and every prediction on none, with what each counts for.

What counts as what is decided in `scoring.endtoend`; here its cases are looked up, counted and shown in their text.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkassay.kbs import Kb
from linkassay.model import Document
from linkassay.pages.mention_context import clip, lines, window
from linkassay.runs import Run
from linkassay.scoring.endtoend import (
    CANDIDATES,
    CATEGORIES,
    FN,
    FP,
    LINKING,
    MODES,
    NER,
    NO_NIL,
    TP,
    Cases,
    DisambiguationCategories,
    DocumentBatch,
    KbFacts,
    cases_by_count,
    document_batches,
    has_candidates,
    judge,
    kb_facts_for_run,
)

EACH = 20  # cases of each count that a sample has before it takes any other
_TASKS = tuple(f"{task}_{x}" for task in ("all", "ner") for x in ("tp", "fp", "fn"))
_NER, _DISAMBIGUATION = (
    [category.name for category in CATEGORIES if category.name.startswith(task)] for task in ("ner_", "disamb_")
)
_CATEGORIES = (*_NER, "disamb", *_DISAMBIGUATION)
#: What a case may count for; the place of a name is its bit. `_total`: it is among those that a rate is of.
COUNTS = (*_TASKS, *(f"{name}_{end}" for name in _CATEGORIES for end in ("errors", "total")))
_WORDS = {TP: "a true positive", FP: "a false positive", FN: "a false negative",
          FN | FP: "a false negative and a false positive", TP | FP: "a true and a false positive",
          0: "nothing"}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """The cases of a part of the documents, and what each counts for as bits of `COUNTS`; `rows` are those shown."""

    part: DocumentBatch
    cases: Cases
    bits: np.ndarray
    rows: np.ndarray
    mode: int


def find(run: Run, kb: Kb | None, nil: str = "ignored") -> list[Found]:
    """All cases of a run, under the preset `fair`."""
    corpus, mode = run.open_corpus(), MODES.index(nil)
    facts = kb_facts_for_run(kb, run, corpus) if kb else KbFacts()
    judged_parts = [
        (part, judge(part, facts, as_elevant=False))
        for part in document_batches(
            corpus[run.split], run.path / "predictions.parquet", current=kb.current if kb else None
        )
    ]
    has_nil = any(cases.unknown.any() for _, cases in judged_parts)
    counted = (
        COUNTS if any(has_candidates(*each) for each in judged_parts) else [c for c in COUNTS if c not in CANDIDATES]
    )
    found = []
    for part, cases in judged_parts:
        bits = np.zeros(len(cases.root), dtype=np.int64)
        masks = dict(cases_by_count(part, cases, facts, mode, DisambiguationCategories(part, cases, facts)))
        for name in [name for name in masks if name.endswith(NO_NIL)]:
            kept = masks.pop(name)
            if not has_nil:
                masks[name.removesuffix(NO_NIL)] = kept
        for bit, name in enumerate(COUNTS):
            if name in masks and name in counted:
                bits |= np.int64(1 << bit) * masks[name]
        rows = np.flatnonzero((bits > 0) | cases.root | (cases.label < 0))
        found.append(Found(part, cases, bits, rows, mode))
    return found


def totals(found: Sequence[Found]) -> list[list[int]]:
    """How many cases have each combination of counts."""
    together = Counter(int(bits) for each in found for bits in each.bits[each.rows])
    return [[bits, n] for bits, n in together.items()]


def sample(found: Sequence[Found], limit: int, documents: Iterable[Document]) -> list[dict[str, Any]]:
    """A reproducible choice of cases in the order of the documents: some of each count, then any.

    `documents` are those of the corpus, with their passages, which scoring does not need.
    """
    order = sorted((_order(each, row), at, row) for at, each in enumerate(found) for row in each.rows.tolist())
    of_each: dict[int, list[tuple[int, int]]] = {}
    for _, at, row in order:
        for bit in _set(int(found[at].bits[row])):
            of_each.setdefault(bit, []).append((at, row))
    rarest = sorted(of_each.values(), key=len)
    taken = {place: None for places in rarest for place in places[:EACH]} | {(at, row): None for _, at, row in order}
    kept = set(list(taken)[:limit])
    chosen = [
        (each, row)
        for at, each in enumerate(found)
        for row in sorted(each.rows.tolist(), key=lambda r: (int(each.cases.start[r]), r))
        if (at, row) in kept
    ]
    wanted = {_place(each, row)[0] for each, row in chosen}
    texts = {document.id: lines(document) for document in documents if document.id in wanted}
    return [_entry(each, row, texts) for each, row in chosen]


def _set(bits: int) -> list[int]:
    return [bit for bit in range(len(COUNTS)) if bits >> bit & 1]


def _order(each: Found, row: int) -> bytes:
    """The hash of its place, not chance, orders the cases: the same runs give the same page."""
    return hashlib.sha256(repr(_place(each, row)).encode()).digest()


def _place(each: Found, row: int) -> tuple[str, int, int, bool]:
    cases, document = each.cases, int(each.cases.document[row])
    offset = int(each.part.ruler.offsets[document])
    name = each.part.documents[document].id
    return name, int(cases.start[row]) - offset, int(cases.end[row]) - offset, bool(cases.label[row] >= 0)


def _entry(each: Found, row: int, texts: Mapping[str, str]) -> dict[str, Any]:
    part, cases = each.part, each.cases
    document, start, end, is_label = _place(each, row)
    text = texts[document]
    label, answer = int(cases.label[row]), int(cases.answer[row])
    gold = _ids(part, int(part.labels.entity[label])) if is_label else None
    said = _ids(part, int(part.answers.entity[answer])) if answer >= 0 else None
    return {
        "id": f"{document} {start}-{end}{'' if is_label else ' alone'} {row}", "document": document,
        "text": clip(text[start:end], 120), "context": window(text, [(start, end)], text[start:end]),
        "bits": int(each.bits[row]), "gold": gold, "said": said,
        "why": " ".join(_why(each, row, gold, said)),
    }  # fmt: skip


def _why(each: Found, row: int, gold: list[str] | None, said: list[str] | None) -> Iterator[str]:
    """What was met, then what that counts."""
    cases, linking, ner = each.cases, *(int(each.cases.outcomes[each.mode, task, row]) for task in (LINKING, NER))
    same = bool(gold and said and not set(gold).isdisjoint(said))
    if gold is None:
        yield "No gold mention has this span."
    elif said is None:
        yield "Nothing was predicted on this span."
    elif not gold or not said:
        yield f"Gold is {'an entity' if gold else 'NIL'}, the answer is {'an entity' if said else 'NIL'}."
    else:
        yield "Span and entity are right." if same else "The span is right, the entity is not."
    if gold is not None and not cases.root[row]:
        yield "It is part of an alternative to a longer mention."
    elif gold is not None and not same and (linking | ner) & TP and (linking & TP or said is None):
        yield f"All parts of an alternative to it {'are right' if linking & TP else 'were found'}."
    if gold == [] or said == []:
        yield f"NIL is {MODES[each.mode]}."
    if cases.optional[row]:
        yield "The mention need not be found."
    if linking == ner:
        yield f"Counts {_said(linking)}."
    else:
        yield f"Counts {_said(linking)} in linking, {_said(ner)} in recognition."


def _said(bits: int) -> str:
    return _WORDS[bits] if bits == 0 else f"as {_WORDS[bits]}"


def _ids(part: DocumentBatch, code: int) -> list[str]:
    """Ids of a set; none for NIL."""
    return sorted(part.codes.sets[code]) if code >= 0 else []
