"""Slow, obvious versions of what `linkassay.wic` does by indexes: every pair of terms, every constraint in words."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement

from linkassay.wic.contexts import Context
from linkassay.wic.entity_facts import EntityFacts
from linkassay.wic.lemmas import lemma
from linkassay.wic.pair_files import TermPair


def longest_common(one: str, two: str) -> int:
    """Length of the longest common subsequence."""
    row = [0] * (len(two) + 1)
    for a in one:
        before = row[:]
        for n, b in enumerate(two):
            row[n + 1] = before[n] + 1 if a == b else max(before[n + 1], row[n])
    return row[-1]


def ratio(one: str, two: str) -> float:
    return 2 * longest_common(one, two) / (len(one) + len(two)) if one or two else 1.0


def initials(text: str) -> str:
    return "".join(part[0] for part in text.split()) if len(text.split()) >= 2 else ""


def group(one: str, two: str, names: tuple[frozenset[str], frozenset[str]], threshold: float) -> str:
    """WIC-4 to WIC-8, read aloud."""
    one, two = one.lower(), two.lower()
    if one == two or lemma(one) == lemma(two):
        return "term_identity"
    if two == initials(one) or one == initials(two):
        return "abbreviations"
    if names[0] & names[1]:
        return "synonyms"
    return "label_similarity" if ratio(one, two) > threshold + 1e-12 else ""


def term_pairs(terms: list[str], names: list[frozenset[str]], threshold: float) -> dict[tuple[int, int], str]:
    """All pairs, one by one."""
    found = {}
    for a, b in combinations_with_replacement(range(len(terms)), 2):
        if name := group(terms[a], terms[b], (names[a], names[b]), threshold):
            found[a, b] = name
    return found


def possible(contexts: list[Context], known: EntityFacts, threshold: float) -> Counter[tuple[str, str]]:
    """(group, "true" or "false" or the rule that leaves it out) → pairs of contexts."""
    counts: Counter[tuple[str, str]] = Counter()
    for a, b in combinations(contexts, 2):
        name = group(a.term, b.term, (known.named(a.term), known.named(b.term)), threshold)
        if not name:
            continue
        one, two = sorted((a.entity, b.entity))
        relations = known.relations
        if one == two:
            outcome = "true"
        elif (one, two) in relations.parents:
            outcome = "related"
        elif (one, two) in relations.synonyms:
            outcome = "synonymous"
        elif relations.codes.get(one, frozenset()) & relations.codes.get(two, frozenset()):
            outcome = "shared code"
        else:
            outcome = "false"
        counts[name, outcome] += 1
    return counts


def sentences(pairs: list[TermPair]) -> list[str]:
    return [sentence for pair in pairs for sentence in (pair.sentence1, pair.sentence2)]


def constraints(splits: dict[str, list[TermPair]], cap: int, disjoint: bool) -> list[str]:
    """The paper's constraints on splits that do not hold, in words."""
    broken = []
    test, others = splits["test"], [*splits["train"], *splits["dev"]]
    terms = [frozenset((p.term1.lower(), p.term2.lower())) for p in test]
    if len(terms) != len(set(terms)):
        broken.append("a pair of terms twice in test")
    if len(sentences(test)) != len(set(sentences(test))):
        broken.append("a sentence twice in test")
    if set(sentences(test)) & set(sentences(others)):
        broken.append("a sentence of test elsewhere")
    if set(terms) & {frozenset((p.term1.lower(), p.term2.lower())) for p in others}:
        broken.append("a pair of terms of test elsewhere")
    if max(Counter(sentences(splits["train"])).values(), default=0) > cap:
        broken.append("a sentence too often in train")
    for name, pairs in splits.items():
        counts = Counter((p.category, p.label) for p in pairs)
        broken += [f"{name} {g} unbalanced" for g, _ in counts if counts[g, True] != counts[g, False]]
    documents = {name: {d for p in pairs for d in (p.document1, p.document2)} for name, pairs in splits.items()}
    if disjoint and any(documents[a] & documents[b] for a, b in combinations(documents, 2)):
        broken.append("a document in two splits")
    return broken
