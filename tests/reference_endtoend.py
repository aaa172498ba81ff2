"""End-to-end scoring as slowly and plainly as can be, document by document, straight from the definitions
(SPAN-1, MATRIX-1 to MATRIX-4, TREE-1 to TREE-5, PRESET-5, CAT-1 to CAT-11, ELEVANT-1 to ELEVANT-8).

Shares no code with the library. Gold and answers have at most one id here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from linkassay.model import Document, Mention, Prediction, Span
from linkassay.scoring.endtoend import KbFacts

PRONOUNS = set(
    "i my me myself mine you your yourself yours yourselves he his him himself she her herself hers it its itself we "  # noqa: SIM905
    "us our ourselves ours they their them themselves theirs".split()
)
DETERMINERS = "the that this these those my your his her its our their".split()  # noqa: SIM905


# --- texts and spans ---------------------------------------------------------------------------


def widened(span: Span, text: str) -> Span:
    start, end = span
    while start > 0 and (text[start - 1].isalnum() or text[start - 1] in "'\"_"):
        start -= 1
    while end < len(text) - 1 and (text[end].isalnum() or text[end] in "'\"_"):
        end += 1
    if text[start] == '"' and '"' not in text[start + 1 : end]:
        start += 1
    return start, end


def lower_cased(text: str) -> bool:
    letters = [c for c in text if c.isalpha()]
    return text != "Unknown" and (not letters or not letters[0].isupper())


def coreference(text: str, gold: Mention | None) -> bool:
    if gold is not None and gold.coreference is not None:
        return gold.coreference
    if text.lower() in PRONOUNS and (not text.isupper() or text == "I"):
        return True
    return any(
        text.lower().startswith(w + " ") and len(text) > len(w) + 1 and not text[len(w) + 1].isupper()
        for w in DETERMINERS
    )


def overlap(a: Span, b: Span) -> bool:
    return a[0] < b[1] and b[0] < a[1]


def inside(span: Span, document: Document) -> bool:
    spans = document.evaluation_spans
    return spans is None or any(s <= span[0] and span[1] <= e for s, e in spans)


# --- single labels -----------------------------------------------------------------------------


def answer_of(p: Prediction | None) -> str | None:
    """The id, "NIL", "" for a prediction without an answer, or None for no prediction."""
    if p is None:
        return None
    return "NIL" if p.nil else p.groups[0][0] if p.groups else ""


def kind_of(answer: str, facts: KbFacts) -> str:
    return "quantity" if answer in facts.quantities else "datetime" if answer in facts.datetimes else ""


def entity_of(label: Mention) -> str:
    """The id that a label has, also that of a value; "NIL" if none."""
    if label.kind:
        return f"wikidata:{label.raw}" if label.raw else "value"
    return next(iter(label.ids)) if label.gold else "NIL"


def cell(label: Mention | None, answer: str | None, required: bool, facts: KbFacts) -> tuple[set[str], set[str]]:
    """Linking and NER outcomes: the table of MATRIX-1, row by row."""
    nothing: set[str] = set()
    if label is None:
        outcome = {"FP"} if answer != "NIL" or required else nothing
        return outcome, outcome
    nil = entity_of(label) == "NIL"
    optional = label.optional or label.kind != ""
    if answer is None:
        outcome = nothing if optional or (nil and not required) else {"FN"}
        return outcome, outcome
    if optional:
        if nil:
            return (nothing, nothing) if answer == "NIL" else ({"FP"}, nothing if required else {"FP"})
        if answer == "NIL":
            return {"FP"} if required else nothing, nothing
        same = kind_of(answer, facts) == label.kind if label.kind else answer == entity_of(label)
        return nothing if same else {"FP"}, nothing
    if nil:
        if answer == "NIL":
            return ({"TP"}, {"TP"}) if required else (nothing, nothing)
        return ({"FN", "FP"}, {"TP"}) if required else ({"FP"}, {"FP"})
    if answer == "NIL":
        return ({"FN", "FP"}, {"TP"}) if required else ({"FN"}, {"FN"})
    return ({"TP"}, {"TP"}) if answer == entity_of(label) else ({"FN", "FP"}, {"TP"})


@dataclass
class Case:
    span: Span
    text: str
    label: Mention | None
    prediction: Prediction | None
    linking: set[str] = field(default_factory=set)
    ner: set[str] = field(default_factory=set)
    factor: int = 1

    @property
    def labelled(self) -> bool:
        return self.label is None or not self.label.parent

    @property
    def coreference(self) -> bool:
        return coreference(self.text, self.label)

    @property
    def unknown(self) -> bool:
        return self.label is not None and entity_of(self.label) == "NIL"


# --- ELEVANT -----------------------------------------------------------------------------------


def children_of(label: Mention, document: Document) -> list[Mention]:
    return [m for m in document.annotations if m.role != "stray" and label.id in (m.parent, *m.further_parents)]


def parts_of(label: Mention, document: Document) -> list[Mention]:
    return [m for m in document.annotations if m.role != "stray" and m.parent == label.id]


def descendants(label: Mention, document: Document) -> list[Mention]:
    return [d for c in children_of(label, document) for d in [c, *descendants(c, document)]]


def elevant_cases(document: Document, predictions: Sequence[Prediction], required: bool, kb: KbFacts) -> list[Case]:
    text = document.text
    by_span = {p.spans[0]: p for p in predictions}
    lookup = by_span | {widened(span, text): p for span, p in by_span.items()}
    labels = {m.id: m for m in document.annotations}
    found = {m.id: lookup.get(m.spans[0], lookup.get(widened(m.spans[0], text))) for m in document.annotations}
    factors: dict[str, int] = {}

    def factor(label: Mention, asked_by_sibling: bool = False) -> int:
        answer = answer_of(found[label.id])
        if answer and answer == entity_of(label):
            if not asked_by_sibling:
                factors[label.id] = 1
            return 1
        best = max([0, *(factor(c) for c in children_of(label, document))])
        if not label.parent:
            factors[label.id] = int(best == 0)
            return factors[label.id]
        value, parent = 0, labels[label.parent]
        if answer and best == 0 and widened(parent.spans[0], text) != widened(label.spans[0], text):
            value = 1
        elif not answer and not asked_by_sibling and best == 0:
            siblings = [c for c in children_of(parent, document) if c.id != label.id]
            value = int(any(factor(s, True) > 0 for s in siblings))
        if not asked_by_sibling:
            factors[label.id] = value
        return max(best, value)

    cases = {}
    for label in document.annotations:
        if not label.parent:
            factor(label)
    for label in document.annotations:
        case = Case(label.spans[0], label.text, label, found[label.id], factor=factors.get(label.id, 0))
        if case.factor:
            case.linking, case.ner = cell(label, answer_of(case.prediction), required, kb)
        cases[label.id] = case
    for label in document.annotations:
        below = descendants(label, document)
        if label.parent or not below:
            continue
        case = cases[label.id]
        if case.factor and (label.optional or label.kind) and case.prediction is None:
            if any(not d.optional and not d.kind for d in below):
                known = entity_of(label) != "NIL" and not label.kind
                case.linking = case.ner = {"FN"} if known or required else set()
        elif not case.factor:
            for task in ("linking", "ner"):
                outcomes = set().union(*(getattr(cases[d.id], task) for d in below if cases[d.id].factor))
                setattr(case, task, {"FN"} if "FN" in outcomes else {"TP"} if outcomes == {"TP"} else set())
    near = {s for m in document.annotations for s in (m.spans[0], widened(m.spans[0], text))}
    alone = [
        Case(span, text[slice(*span)], None, p, *cell(None, answer_of(p), required, kb))
        for span, p in by_span.items()
        if span not in near and widened(span, text) not in near and answer_of(p) and inside(span, document)
    ]
    return [*cases.values(), *alone]


# --- fair --------------------------------------------------------------------------------------


def fair_cases(document: Document, predictions: Sequence[Prediction], required: bool, kb: KbFacts) -> list[Case]:
    answered = [p for p in predictions if answer_of(p)]
    stray = {m.spans for m in document.annotations if m.role == "stray"}
    document = replace(document, annotations=tuple(m for m in document.annotations if m.role != "stray"))
    cases = {}
    for label in document.annotations:
        here = [p for p in answered if p.spans == label.spans]
        right = [p for p in here if right_answer(label, answer_of(p), kb)]
        prediction = (right or here or [None])[0]
        cases[label.id] = Case(label.spans[0], label.text, label, prediction)
    used = {id(c.prediction) for c in cases.values()}
    outcomes = {
        label.id: cell(label, answer_of(cases[label.id].prediction), required, kb) for label in document.annotations
    }
    for task in (0, 1):
        for label in document.annotations:
            case = cases[label.id]
            outcome = outcomes[label.id][task] & {"FP"}
            if not label.parent and not parts_of(label, document):
                outcome = set(outcomes[label.id][task])
            elif not label.parent and needed(label, document, required):
                answer = answer_of(case.prediction)
                optional = label.optional or label.kind != ""
                itself = optional and answer is not None and satisfied(label, document, cases, outcomes, task, kb, True)
                itself = itself and right_answer(label, answer, kb)
                if not itself:
                    ok = satisfied(label, document, cases, outcomes, task, kb, required)
                    outcome = outcome | {"TP" if ok else "FN"}
            if task == 0:
                case.linking = outcome
            else:
                case.ner = outcome
    for task in ("linking", "ner"):
        for prediction in answered:
            same = [c for c in cases.values() if c.prediction is prediction]
            same.sort(key=lambda c: c.label is not None and c.label.parent != "")
            if len(same) > 1:
                wrong = all("FP" in getattr(c, task) for c in same)
                for c in same:
                    setattr(c, task, getattr(c, task) - {"FP"})
                if wrong:
                    setattr(same[0], task, getattr(same[0], task) | {"FP"})
    for case in cases.values():
        if not inside(case.span, document):
            case.linking, case.ner = set(), set()
    alone = [
        Case(p.spans[0], document.text[slice(*p.spans[0])], None, p, *cell(None, answer_of(p), required, kb))
        for p in answered
        if id(p) not in used and p.spans not in stray and inside(p.spans[0], document)
    ]
    return [*cases.values(), *alone]


def needed(label: Mention, document: Document, required: bool) -> bool:
    optional = label.optional or label.kind != ""
    if not optional and (entity_of(label) != "NIL" or required):
        return True
    if not optional:
        return False
    return any(needed(c, document, required) for c in parts_of(label, document))


def right_answer(label: Mention, answer: str | None, kb: KbFacts) -> bool:
    if answer is None:
        return False
    if label.kind:
        return answer != "NIL" and kind_of(answer, kb) == label.kind
    return answer == entity_of(label)


def satisfied(label, document, cases, outcomes, task, kb, required) -> bool:  # type: ignore[no-untyped-def]
    """Whether a label is right by itself, or by all of its parts that must be found and at least one."""
    answer = answer_of(cases[label.id].prediction)
    if task == 0:
        if right_answer(label, answer, kb):
            return True
    elif answer is not None and not outcomes[label.id][1] & {"FN", "FP"}:
        return True
    parts = parts_of(label, document)
    fine = {c.id: satisfied(c, document, cases, outcomes, task, kb, required) for c in parts}
    return any(fine.values()) and all(fine[c.id] or not needed(c, document, required) for c in parts)


# --- counting ----------------------------------------------------------------------------------


def count(
    documents: Sequence[Document], predictions: Sequence[Prediction], preset: str, nil: str, kb: KbFacts
) -> Counter[str]:
    """Every count of `fair` or `elevant`."""
    required = nil == "required"
    literal = preset == "elevant"
    if literal:
        documents, predictions = literally(documents, predictions)
    has_unknown = any(entity_of(m) == "NIL" for d in documents for m in d.annotations)
    counts: Counter[str] = Counter()
    for document in documents:
        own = [p for p in predictions if p.document == document.id]
        cases = (elevant_cases if preset == "elevant" else fair_cases)(document, own, required, kb)
        for case in cases:
            root = case.label is not None and not case.label.parent
            for outcome in ("TP", "FP", "FN"):
                counts_here = case.factor if outcome == "FP" else root
                for group, found in (("all", case.linking), ("entity", case.linking), ("ner", case.ner)):
                    if outcome in found and counts_here and (group == "all" or not case.coreference):
                        counts[f"{group}_{outcome.lower()}"] += 1
        for name in categories(cases, required, has_unknown, kb, literal):
            counts[name] += 1
        counts += document_level(document, own)
    return counts


def document_level(document: Document, predictions: Sequence[Prediction]) -> Counter[str]:
    labels = [m for m in document.annotations if inside(m.spans[0], document)]
    gold = {i for m in labels if not m.parent and not m.optional for i in m.ids}
    allowed = {i for m in labels for i in m.ids}
    said = {p.groups[0][0] for p in predictions if p.groups and not p.nil and inside(p.spans[0], document)}
    return Counter(
        document_tp=len(gold & said), document_fp=len(said - allowed), document_fn=len(gold - said)
    )  # fmt: skip


def literally(
    documents: Sequence[Document], predictions: Sequence[Prediction]
) -> tuple[list[Document], list[Prediction]]:
    """An empty id as the entity that it is to ELEVANT."""
    empty = 'wikidata:""'
    said = [
        replace(p, groups=((empty,), *p.groups), nil=False) if p.nil and p.nil_as == '""' else p for p in predictions
    ]
    return [
        replace(d, annotations=tuple(
            replace(m, gold=(frozenset({empty}),)) if m.raw == '""' and not m.kind else m for m in d.annotations
        )) for d in documents
    ], said  # fmt: skip


def categories(cases: list[Case], required: bool, has_unknown: bool, kb: KbFacts, literal: bool) -> list[str]:
    cases = [c for c in cases if c.labelled]
    spurious = [c.span for c in cases if "FP" in c.ner]
    relevant = [
        c for c in cases
        if c.label is not None and (required or not (c.unknown or c.label.optional or c.label.kind))
    ]  # fmt: skip
    last = {c.span: c.label for c in relevant}
    names = []
    for case in cases:
        if not case.factor:
            continue
        lower = lower_cased(case.text)
        wrong_span = "FP" in case.ner and any(
            span != case.span and overlap(span, case.span) and same_entity(case, label, kb, literal)
            for span, label in last.items()
        )
        if wrong_span:
            names += ["ner_fp_wrong_span_errors", "ner_fp_wrong_span_total"]
        if case.coreference:
            continue
        if "FN" in case.ner:
            kind = "other"
            if lower:
                kind = "lowercased"
            elif any(case.span[0] <= s and e <= case.span[1] and (s, e) != case.span for s, e in spurious):
                kind = "partially_included"
            elif any(overlap(case.span, s) for s in spurious):
                kind = "partial_overlap"
            names += ["ner_fn_all_errors", "ner_fn_all_total", f"ner_fn_{kind}_errors", f"ner_fn_{kind}_total"]
        else:
            kind = ""
        if "TP" in case.ner:
            names += ["ner_fn_all_total"] + ["ner_fn_lowercased_total"] * lower
        if not lower and case.ner & {"TP", "FN"}:
            names += ["ner_fn_partially_included_total"] * (" " in case.text and kind != "partially_included")
            names += [f"ner_fn_{k}_total" for k in ("partial_overlap", "other") if k != kind]
        if "FP" in case.ner:
            touches = any(overlap(case.span, c.span) for c in relevant)
            if lower and not touches:
                kind = "lowercased"
            elif not lower and (case.unknown or (not has_unknown and not touches)):
                kind = "groundtruth_unknown"
            else:
                kind = "other"
            names += ["ner_fp_all_errors", f"ner_fp_{kind}_errors"]
            names += ["ner_fp_groundtruth_unknown_total"] * (kind == "groundtruth_unknown")
        elif not lower and case.unknown:
            names.append("ner_fp_groundtruth_unknown_total")
        if case.ner & {"TP", "FP"} and not wrong_span:
            names.append("ner_fp_wrong_span_total")
        names += disambiguation(case, kb)
    return names


def same_entity(case: Case, label: Mention | None, kb: KbFacts, literal: bool) -> bool:
    answer = answer_of(case.prediction)
    assert label is not None
    assert case.prediction is not None
    if literal and answer == "NIL" == entity_of(label):  # by what the sources write
        return (case.prediction.nil_as == "<NO_MAPPING>") == (label.raw == "<NO_MAPPING>")
    assert answer is not None
    return answer == entity_of(label) or (label.kind != "" and kind_of(answer, kb) == label.kind)


def disambiguation(case: Case, kb: KbFacts) -> list[str]:
    if case.label is None:
        return []
    right = "TP" in case.linking
    wrong = "FN" in case.linking and "TP" in case.ner
    if not right and not wrong:
        return []
    gold, answer = entity_of(case.label), answer_of(case.prediction) or ""
    known = gold != "NIL" and not case.label.kind
    types = kb.types.get(gold, frozenset())
    popular = kb.popular.get(case.text, frozenset())
    place = "wikidata:Q27096213"
    name = kb.names.get(gold, "")
    others = {"wikidata:Q215627", "wikidata:Q33829", "wikidata:Q95074", place}
    asked = wrong and case.prediction is not None
    if case.text in kb.demonyms and types & {place, "wikidata:Q33829", "wikidata:Q17376908"}:
        kind = "demonym"
    elif known and not types & others and any(place in kb.types.get(p, frozenset()) for p in popular) and (
        not asked or place in kb.types.get(answer, frozenset())
    ):  # fmt: skip
        kind = "metonymy"
    elif known and " " in name and len(case.text) < len(name) and case.text in name:
        kind = "partial_name"
    elif popular and gold not in popular and (not asked or answer in popular):
        kind = "rare"
    else:
        kind = "other"
    errors = ["disamb_errors", f"disamb_{kind}_errors"] if wrong else []
    return [*errors, "disamb_total", f"disamb_{kind}_total"]


# --- GERBIL ------------------------------------------------------------------------------------


def gerbil(document: Document, predictions: Sequence[Prediction], weak: bool, nil: str) -> Counter[str]:
    """Counts of one document: each gold annotation takes the first prediction, by position, that fits and is free."""
    counts: Counter[str] = Counter()
    gold = [m for m in document.mentions if not m.kind and inside(m.spans[0], document)]
    answers = [p for p in predictions if answer_of(p) and inside(p.spans[0], document)]
    if nil == "ignored":
        gold = [m for m in gold if m.gold]
        answers = [p for p in answers if not p.nil]
    for what in ("all", "ner"):
        free = sorted(answers, key=lambda p: p.spans[0])
        for label in gold:
            for p in free:
                near = overlap(p.spans[0], label.spans[0]) if weak else p.spans == label.spans
                if near and (what == "ner" or answer_of(p) == entity_of(label)):
                    counts[f"{what}_tp"] += 1
                    free.remove(p)
                    break
            else:
                counts[f"{what}_fn"] += 1
        counts[f"{what}_fp"] += len(free)
    return counts


# --- slices and sets ---------------------------------------------------------------------------


def cut(
    documents: Sequence[Document], predictions: Sequence[Prediction], training: Sequence[Mention], nil: str,
    kb: KbFacts, set_: str, holds: Callable[[Mention], bool] | None,
) -> Counter[str]:  # fmt: skip
    """What a slice of a set counts, mention by mention; `holds` says which mentions are in the slice, None: all is."""
    members: list[tuple[str, tuple[str, str], list[Case], Case | None]] = []
    for document in documents:
        own = [p for p in predictions if p.document == document.id]
        cases = fair_cases(document, own, nil == "required", kb)
        labels = {m.id: m for m in document.annotations}

        def root_of(case: Case, labels: dict[str, Mention] = labels) -> str:
            label = case.label
            while label is not None and label.parent:
                label = labels[label.parent]
            return label.id if label else ""

        for label in document.annotations:
            if label.parent:
                continue
            mine = [c for c in cases if root_of(c) == label.id]
            root = next(c for c in mine if c.label is label)
            scored = bool(label.gold) and inside(label.spans[0], document)
            pair = label.text, next(iter(label.ids)) if label.gold else "NIL"
            if scored and (holds is None or holds(label)):
                members.append(("gold", pair, mine, root))
            elif not scored and holds is None:
                members.append(("without id", pair, mine, root))
        alone = [c for c in cases if c.label is None and holds is None]
        members += [("spurious", (c.text, answer_of(c.prediction) or ""), [c], None) for c in alone]
    seen = {(m.text, next(iter(m.ids)) if m.gold else "NIL") for m in training}
    if set_.startswith("novel"):
        members = [m for m in members if m[1] not in seen]
    repeats = Counter(m[:2] for m in members)
    counts: Counter[str] = Counter()
    for kind, pair, mine, root in members:
        weight = Fraction(1, repeats[kind, pair] if set_.endswith("unique") else 1)
        for case in mine:
            for task, found in (("all", case.linking), ("ner", case.ner)):
                if task == "all" or not case.coreference:
                    for outcome in found & ({"TP", "FP", "FN"} if case is root else {"FP"}):
                        counts[f"{task}_{outcome.lower()}"] += weight  # type: ignore[assignment]
        if root is not None:
            for name in disambiguation(root, kb) if not root.coreference else ():
                if name in ("disamb_errors", "disamb_total"):
                    counts[name] += weight  # type: ignore[assignment]
    return counts


def accepting(
    documents: Sequence[Document], predictions: Sequence[Prediction], nil: str, kb: KbFacts,
    accept: Callable[[str, str], bool],
) -> tuple[int, int, int]:  # fmt: skip
    """Linking counts if a wrong answer that is acceptable for the gold is taken as right."""
    tp = fp = fn = 0
    for document in documents:
        own = [p for p in predictions if p.document == document.id]
        cases = fair_cases(document, own, nil == "required", kb)
        fine = [
            c for c in cases
            if c.label is not None and not c.label.parent and c.label.gold and "FN" in c.linking and c.prediction
            and not c.prediction.nil and accept(entity_of(c.label), answer_of(c.prediction) or "")
        ]  # fmt: skip
        excused = {id(c.prediction) for c in fine}
        tp += sum("TP" in c.linking for c in cases) + len(fine)
        fn += sum("FN" in c.linking for c in cases) - len(fine)
        fp += sum("FP" in c.linking and id(c.prediction) not in excused for c in cases)
    return tp, fp, fn
