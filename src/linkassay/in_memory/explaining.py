"""Why a linker ranks one entity before another for a text (LINKER-15): names and scores of both, and what it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from linkassay.errors import LinkassayError, UsageError
from linkassay.ids import curie
from linkassay.in_memory.grounding import PreparedLinker, asked, prepared_linker, said_by
from linkassay.kbs import Kb
from linkassay.linkers import Candidate, Query, Reason, checked_reasons
from linkassay.tables import Rows, fixed
from linkassay.text import name_key

#: Ranks among which a linker's rank and score of a candidate are looked for.
LOOKED = 100


def explain(
    text: str,
    kb: Kb,
    linker: str = "tfidf",
    *,
    first: str = "",
    second: str = "",
    type: str = "",
    context: str = "",
    options: Mapping[str, Any] | None = None,
) -> Rows:
    """A row for each thing in which `first` and `second` compare; ids, by default those of ranks 1 and 2."""
    query = asked(text, type, context)
    with prepared_linker(linker, kb, options or {}) as prepared:
        ranked = {each: (rank, score) for rank, score, ids in prepared.ranks(query, LOOKED) for each in ids}
        one, other = (_candidate(each, kb, ranked) for each in _chosen(first, second, kb, ranked, linker, text))
        own = _own_reasons(prepared, query, one, other)
    return Rows(each._asdict() for each in (*_usual_reasons(query.text, one, other), *own))


def _chosen(
    first: str, second: str, kb: Kb, ranked: Mapping[str, tuple[int, float]], linker: str, text: str
) -> tuple[str, str]:
    """The two ids: as they are given, else the best one and the best of a lower rank, or one that is tied with it."""
    one, other = (curie(each, kb.manifest["prefix"]) if each else "" for each in (first, second))
    if one and one == other:
        raise UsageError(f"first and second are both {one}; name two entities")
    one = one or next((each for each in ranked if each != other), "")
    rank = ranked[one][0] if one in ranked else 0
    later = [each for each, (its, _) in ranked.items() if each != one and its > rank]
    other = other or next(iter(later), "") or next((each for each in ranked if each != one), "")
    if not (one and other):
        raise UsageError(f"linker {linker!r} has {'one' if ranked else 'no'} candidate for {text!r:.60}; name the "
                         "entities to compare by their ids, first and second")  # fmt: skip
    return one, other


def _candidate(identifier: str, kb: Kb, ranked: Mapping[str, tuple[int, float]]) -> Candidate:
    names = tuple(kb.names_of(identifier))
    if not names and identifier not in ranked:
        raise UsageError(f"{identifier} is neither a candidate nor an entity of {kb.name}")
    return Candidate(identifier, names, *ranked.get(identifier, (None, None)))


def _usual_reasons(text: str, first: Candidate, second: Candidate) -> list[Reason]:
    """Rank and score of each, and its name nearest to the text with how it matches: what can be said of any linker."""
    (name, how), (other, other_how) = (matched_name(text, each.names) for each in (first, second))
    gain = None if first.score is None or second.score is None else first.score - second.score
    return [
        Reason("id", first.id, second.id),
        Reason("name", "".join(first.names[:1]), "".join(second.names[:1])),
        Reason("rank", first.rank, second.rank),
        Reason("score", first.score, second.score, gain),
        Reason("matched name", name, other),
        Reason("match", how, other_how),
    ]


def matched_name(text: str, names: Sequence[str]) -> tuple[str, str]:
    """The name nearest to a text, and how near: the same letters, the same key (KB-3), or the ratio of LINKER-4.

    >>> matched_name("dm", ["Diabetes", "DM"]), matched_name("DM1", ["Diabetes", "DM"])
    (('DM', 'same key'), ('DM', 'ratio 0.800'))
    """
    from rapidfuzz.fuzz import ratio

    def near(name: str) -> tuple[bool, bool, float]:
        return name == text, name_key(name) == name_key(text), ratio(name.lower(), text.lower()) / 100

    if not names:
        return "", ""
    best = max(names, key=near)
    same, key, share = near(best)
    return best, "same letters" if same else "same key" if key else f"ratio {fixed(share, 3)}"


def _own_reasons(prepared: PreparedLinker, query: Query, first: Candidate, second: Candidate) -> list[Reason]:
    if not prepared.capabilities.explains:
        return []
    linker: Any = prepared.linker
    said = said_by(prepared.name, lambda: linker.explain(query, first, second))
    try:
        return checked_reasons(said)
    except LinkassayError as error:
        raise LinkassayError(f"linker {prepared.name!r}: {error}") from error
