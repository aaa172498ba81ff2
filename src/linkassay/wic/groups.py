"""What makes two terms a pair: the four groups (WIC-4 to WIC-8) in their order, each rule written once.

Used when pairs are made and when they are checked. Which pairs are looked at is decided in `candidates`.
"""

from __future__ import annotations

from dataclasses import dataclass

from rapidfuzz.fuzz import ratio

from linkassay.wic.lemmas import lemma


@dataclass(frozen=True)
class Group:
    """A group of pairs: its letter, its name in BioWiC's files, the rule, and its share of dev and test."""

    letter: str
    name: str
    rule: str
    share: float


#: In order: a pair belongs to the first group whose rule it meets. Shares are those of the paper's table 3.
GROUPS = (
    Group("A", "term_identity", "same lemma or lower-cased term", 0.4),  # WIC-5
    Group("B", "abbreviations", "the initials of the one, split at white space, are the other", 0.1),  # WIC-6
    Group("C", "synonyms", "both are names of a common entity", 0.4),  # WIC-7
    Group("D", "label_similarity", "indel ratio of the lower-cased terms over the threshold", 0.1),  # WIC-8
)


def same_term(one: str, two: str) -> bool:
    """Group A."""
    return one.lower() == two.lower() or lemma(one) == lemma(two)


def initials(term: str) -> str:
    """The first letters of a term's words, lower-cased; "" for a single word, which abbreviates nothing.

    >>> initials("familial Expansile osteolysis"), initials("gout")
    ('feo', '')
    """
    words = term.lower().split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def abbreviates(one: str, two: str) -> bool:
    """Group B."""
    return initials(one) == two.lower() or initials(two) == one.lower()


def similarity(one: str, two: str) -> float:
    """Indel ratio of the lower-cased terms, from 0 to 1.

    >>> round(similarity("Piebald", "piebaldism"), 4)
    0.8235
    """
    return ratio(one.lower(), two.lower()) / 100


def group_of(one: str, two: str, common_name: bool, threshold: float) -> str:
    """The group of two terms, "" for none; `common_name` says whether an entity has both as its names."""
    if same_term(one, two):
        return "term_identity"
    if abbreviates(one, two):
        return "abbreviations"
    if common_name:
        return "synonyms"
    return "label_similarity" if similarity(one, two) > threshold else ""
