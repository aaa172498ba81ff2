"""What the sections of a report look at: the runs of one corpus, revision and split, named and ranked.

Nothing is shown here. A figure that more than one section needs is computed here, once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from linkassay.corpora.stored import Corpus
from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs.stored import Kb
from linkassay.runs import labels
from linkassay.scoring import bootstrap
from linkassay.scoring.compare import BIOEL, Comparison, compare
from linkassay.scoring.defaults import RESAMPLES, RESAMPLES_COMPARED
from linkassay.scoring.hierarchical.choices import Choices
from linkassay.scoring.hierarchical.profile import Profile, profiles
from linkassay.scoring.judged import KS, Judged, judged
from linkassay.scoring.measures import Measure
from linkassay.scoring.score import Score, Sums, whole
from linkassay.scoring.significance import holm

__all__ = ["LEADING", "TRAINING", "Matter", "matters"]

#: Measures that slices are shown in; the first is what systems are ranked by.
LEADING = ("recall@1", "recall@5", "coverage")
#: What training data have seen of a mention (BELB).
TRAINING = ("seen", "unseen-synonym", "unseen-entity")
#: Slices that are shown where the corpus and the knowledge base have what they need.
SLICES = (*BIOEL, "homonym", "composite", "discontinuous", *TRAINING)

#: Slices that mentions can be filtered by: as many as the page's numbers have bits for.
MOST_SLICES = 50

#: Documents that a slice must have to be tested: resamples of fewer hardly differ, and would make anything sure.
FEWEST = 10

Figure = dict[str, Any]  # value, low, high, n; of a slice also difference and p


class Matter:
    """The runs of one corpus, best first."""

    def __init__(self, scores: Sequence[Score]) -> None:
        for first, score in combinations(scores, 2):
            score.share_slices(first)
        names = labels([s.run for s in scores])
        found = _whole(scores)
        order = sorted(range(len(scores)), key=lambda n: _rank(found[n], names[n]))
        self.scores = [scores[n] for n in order]
        self.labels = [names[n] for n in order]
        self._whole = [found[n] for n in order]
        run = self.scores[0].run
        self.corpus: Corpus = run.open_corpus()
        self.split: str = run.split
        self.key = f"{run.corpus}@{run.split}"
        self.trouble: list[str] = []  # with the hierarchy

    @property
    def title(self) -> str:
        """The corpus, and the part of it where it is one."""
        type_ = self.scores[0].run.corpus.partition("/")[2]
        return str(self.corpus.manifest["title"]) + (f" ({type_})" if type_ else "")

    @cached_property
    def kbs(self) -> dict[str, Kb]:
        """The knowledge bases of the runs."""
        return {s.run.kb: s.kb for s in self.scores if s.kb is not None}

    @cached_property
    def slices(self) -> dict[str, list[str]]:
        """Slices that hold a mention: `types`, and `named` ones."""
        score = next((s for s in self.scores if s.kb is not None), self.scores[0])
        types = [name for name, _ in score.slices(["type"]) if name != "all"]
        named = []
        for name in SLICES:
            try:
                named += [found for found, _ in score.slices([name]) if found != "all"]
            except UsageError:  # it asks for training data, or for a knowledge base, that are not there
                continue
        return {"types": types, "named": named}

    @cached_property
    def memberships(self) -> dict[str, set[str]]:
        """Slice → ids of its mentions: the named ones, those asked for, and the pairs that training did not show."""
        score = next((s for s in self.scores if s.kb is not None), self.scores[0])
        ids = score.items.table["id"]
        known = {"all", *self.slices["types"]}
        asked = [*self.slices["named"], *score.slice_names]
        found = {name: set(ids.filter(mask).to_pylist()) for name, mask in score.slices(asked) if name not in known}
        for profile in list(self.profiles.values())[:1]:
            novel = np.unique(profile.mention[profile.weights("novel", profile.score.in_scope) > 0])
            found["novel"] = set(profile.score.items.table["id"].take(novel).to_pylist())
        return dict(list(found.items())[:MOST_SLICES])

    def mentions(self) -> list[tuple[str, str]]:
        """Id and type of every mention of the split, also of those that are not scored."""
        query = "select id, type from mentions where parent = '' and split = ?"
        return [(key, type_ or "") for key, type_ in self.corpus.connect().execute(query, [self.split]).fetchall()]

    @cached_property
    def type_names(self) -> dict[str, str]:
        """Types that are ids, such as Wikidata's classes, by the names that a knowledge base has for them."""
        known: dict[str, str] = {}
        query = """select id, name from "foreign" where name <> ''"""
        for kb in reversed(self.kbs.values()):
            known |= {id_.rpartition(":")[2]: name for id_, name in kb.sql(query)}
        parts = {type_: type_.split("|") for _, type_ in self.mentions()}
        return {t: ", ".join(known[p] for p in of) for t, of in sorted(parts.items()) if all(p in known for p in of)}

    def type_name(self, type_: str) -> str:
        """A type as a reader knows it."""
        return self.type_names.get(type_, type_) or "(no type)"

    def names(self, ids: Sequence[str]) -> list[list[str | None]]:
        """Ids with their primary names; None: not in the knowledge base."""
        known: dict[str, str] = {}
        query = 'select id, name from names where "primary" and id in (select unnest(?))'
        for kb in reversed(self.kbs.values()):
            known.update(dict(kb.sql(query, [list(ids)])) if ids else {})
        return [[identifier, known.get(identifier)] for identifier in ids]

    @cached_property
    def figures(self) -> list[dict[str, dict[str, Figure]]]:
        """For each system: slice → measure → figure; of all mentions at every k."""
        by = ["type", *self.slices["named"]]
        mine = [by if s.kb is not None else [b for b in by if _without_kb(s, b)] for s in self.scores]
        found = _sliced(self.scores, mine)
        return [each | {"all": whole_} for each, whole_ in zip(found, self._whole, strict=True)]

    @cached_property
    def judged(self) -> list[list[Judged]]:
        """For each system: the mentions it is scored on."""
        return [judged(score) for score in self.scores]

    @cached_property
    def comparison(self) -> Comparison | None:
        """The systems against each other; None where there is one, or no mention in common."""
        try:
            return compare(self.scores, examples=0)
        except UsageError:
            return None

    @cached_property
    def against_best(self) -> list[float | None]:
        """For each system: the paired permutation test over documents against the best, Holm over these tests."""
        if self.comparison is None:
            return [None] * len(self.scores)
        family = [row["permutation_p"] for row in self.comparison.pairs[: len(self.scores) - 1]]  # those with the best
        return [None, *holm(family)]

    @cached_property
    def profiles(self) -> dict[int, Profile]:
        """How far off the systems are in the hierarchy of the knowledge base that most of them share, if it has one."""
        with_parents = {name for name, kb in self.kbs.items() if kb.manifest["counts"].get("parents")}
        users = Counter(s.run.kb for s in self.scores if s.run.kb in with_parents)
        if not users:
            return {}
        kb = max(users, key=lambda name: users[name])
        mine = [at for at, s in enumerate(self.scores) if s.run.kb == kb]
        try:
            found = profiles([self.scores[at] for at in mine], Choices())
        except LinkassayError as error:  # such as a hierarchy with a cycle; the other sections do not need it
            self.trouble.append(f"The hierarchy of {kb} cannot be used: {error}.")
            return {}
        return dict(zip(mine, found, strict=True))

    def without_id(self, at: int) -> int:
        """Mentions that a system is not scored on for want of a gold id."""
        return self.scores[at].items.left_out.get("without a gold id", 0)


def matters(scores: Sequence[Score]) -> list[Matter]:
    """The scores by corpus, revision and split, in the order in which these are first named; each run once."""
    groups: dict[tuple[str, str, str], dict[str, Score]] = {}
    for score in scores:
        run = score.run
        mine = groups.setdefault((run.corpus, run.about["corpus_revision"], run.split), {})
        mine.setdefault(str(run.path), score)
    found = [Matter(list(group.values())) for group in groups.values()]
    for matter in found:
        if sum(other.key == matter.key for other in found) > 1:
            matter.key += f"@{matter.corpus.revision}"
    return found


def _whole(scores: Sequence[Score]) -> list[dict[str, Figure]]:
    """Of each system, the figures of all its mentions: measure → figure."""
    measures = list(dict.fromkeys([*LEADING, *(f"recall@{k}" for k in KS), "mrr"]))
    asked = [{("all", m): s.sums(Measure.parse(m), s.in_scope) for m in measures} for s in scores]
    return [found["all"] for found in _estimated(scores, asked)]


def _sliced(scores: Sequence[Score], by: Sequence[Sequence[str]]) -> list[dict[str, dict[str, Figure]]]:
    """Of each system, the figures of its slices, with their differences to all its mentions."""
    asked = [
        {(name, m): s.sums(Measure.parse(m), mask) for name, mask in s.slices(names) for m in LEADING}
        for s, names in zip(scores, by, strict=True)
    ]
    return _estimated(scores, asked)


def _estimated(
    scores: Sequence[Score], asked: Sequence[Mapping[tuple[str, str], Sums]]
) -> list[dict[str, dict[str, Figure]]]:
    """Of each system: slice → measure → figure; those of a slice with the difference to all mentions.

    The figures are what `Score.rows` gives. Systems of the same documents are resampled together, since the draws are
    the same; and differences have as many resamples as it takes to be sure of one after Holm's correction.
    """
    found: list[dict[str, dict[str, Figure]]] = [{} for _ in scores]
    groups: dict[tuple[str, ...], list[int]] = {}
    for at, score in enumerate(scores):
        groups.setdefault(tuple(score.items.documents), []).append(at)
    for documents, members in groups.items():
        keys = [(at, *key) for at in members for key in asked[at]]
        sums = [asked[at][name, measure] for at, name, measure in keys]
        table = np.column_stack([column for each in sums for column in each.columns(len(documents))])
        place = {key: 2 * n for n, key in enumerate(keys)}
        estimates = bootstrap.ratios([table], [(n, n + 1) for n in place.values()], scores[members[0]].resamples)
        for (at, name, measure), each, estimate in zip(keys, sums, estimates, strict=True):
            found[at].setdefault(name, {})[measure] = {
                "value": estimate.value, "low": estimate.low, "high": estimate.high, "n": whole(float(each.n.sum()))
            }  # fmt: skip
        sliced = [key for key in keys if key[1] != "all"]
        pairs = [(n := place[key], n + 1, base := place[key[0], "all", key[2]], base + 1) for key in sliced]
        resamples = min(RESAMPLES_COMPARED, max(RESAMPLES, 50 * len(sliced) // len(LEADING)))
        apart = bootstrap.differences([table], pairs, resamples) if pairs else []
        for (at, name, measure), d in zip(sliced, apart, strict=True):
            tested = np.count_nonzero(asked[at][name, measure].n) >= FEWEST
            found[at][name][measure] |= {"difference": d.value, "difference_low": d.low, "difference_high": d.high,
                                         "p": d.p if tested else None}  # fmt: skip
    return found


def _without_kb(score: Score, name: str) -> bool:
    try:
        return bool(np.any([mask.any() for _, mask in score.slices([name])]))
    except UsageError:
        return False


def _rank(whole: dict[str, Figure], label: str) -> tuple[float, float, float, str]:
    """Sorting key; the rule is said in `words.BEST`."""
    return -whole["recall@1"]["value"], -whole["recall@5"]["value"], -whole["coverage"]["value"], label
