"""A cohort: the runs of one corpus, revision and split, named and ranked, and every figure of them together.

What a page or a table shows of one corpus is asked for here. Figures are computed when first asked for, all that share
their documents at once, and handed to the result that the cohort belongs to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.corpora import Corpus
from linkassay.defaults import LEADING
from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.model import types_of
from linkassay.runs import Run, labels
from linkassay.scoring.disambiguation.comparison import BIOEL, Comparison, abbreviation_effect, compare_runs
from linkassay.scoring.disambiguation.document_sums import ALL, Asked, about, as_count, estimated
from linkassay.scoring.disambiguation.measures import Measure
from linkassay.scoring.disambiguation.mention_outcomes import CUT_OFFS
from linkassay.scoring.disambiguation.run_score import Score
from linkassay.scoring.disambiguation.support import slice_note
from linkassay.scoring.figure import Figure, Keep, leak_of, same_figures
from linkassay.scoring.hierarchy import figures as hierarchical
from linkassay.scoring.hierarchy import mismatches
from linkassay.scoring.hierarchy.choices import HierarchyChoices
from linkassay.scoring.hierarchy.profile import Profile, profiles
from linkassay.scoring.results.across_runs import bioel_tests, corrected
from linkassay.scoring.statistics.significance import ALPHA, holm

if TYPE_CHECKING:
    from linkassay.scoring.results.found_mentions import FoundMentions

#: What training data have seen of a mention (BELB).
SEEN_AND_UNSEEN: tuple[str, ...] = ("seen", "unseen-synonym", "unseen-entity")
#: Cut-off that tells the two failure stages apart (STAGE-2), and the measures of the stages.
STAGE_K = 10
STAGES: dict[str, str] = {stage: f"{stage}-failure@{STAGE_K}" for stage in ("generation", "disambiguation")}
#: How many mentions are lost in each stage.
LOST: dict[str, str] = {stage: f"lost in {stage}" for stage in STAGES}
#: Slices that are shown where the corpus and the knowledge base have what they need.
SHOWN_SLICES: tuple[str, ...] = (*BIOEL, "homonym", "composite", "discontinuous", *SEEN_AND_UNSEEN)

#: Slices that mentions can be filtered by: as many as the page's numbers have bits for beside the evaluation sets.
MOST_SLICES = 49

#: Slices of fewer documents are not tested in a table of many (STAT-8).
FEWEST_DOCUMENTS = 10

#: Measure → figure, of one slice of one run.
Measured = dict[str, Figure]


class Members(NamedTuple):
    """Some mentions of a run, by a mask over its items."""

    score: Score
    mask: Any

    @property
    def ids(self) -> list[str]:
        """Their ids."""
        return self.score.items.table["id"].filter(pa.array(self.mask)).to_pylist()  # type: ignore[no-any-return]


class Cohort:
    """The runs of one corpus, best first. `keep` sees every figure before it is used."""

    def __init__(self, scores: Sequence[Score], keep: Keep = same_figures) -> None:
        self.keep = keep
        for first, score in combinations(scores, 2):
            score.share_slices(first)
        names = labels([s.run for s in scores])
        found = self._of_all(scores)
        order = sorted(range(len(scores)), key=lambda n: _rank(found[n], names[n]))
        self.scores = [scores[n] for n in order]
        self.labels = [names[n] for n in order]
        self._whole = [found[n] for n in order]
        run = self.scores[0].run
        self.corpus: Corpus = run.open_corpus()
        self.split: str = run.split
        self.key = f"{run.corpus}@{run.split}"
        self.trouble: list[str] = []  # with the hierarchy
        self.sets: tuple[str, ...] = hierarchical.FOUR_SETS  # that its figures are of, and its pictures
        self.pictured: tuple[str, ...] = self.sets[:1]

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
        for name in SHOWN_SLICES:
            try:
                named += [found for found, _ in score.slices([name]) if found != "all"]
            except UsageError:  # it asks for training data, or for a knowledge base, that are not there
                continue
        return {"types": types, "named": named}

    @property
    def not_sliced(self) -> dict[str, str]:
        """Slices that hold no mention because something is missing, and what that is."""
        score = next((s for s in self.scores if s.kb is not None), self.scores[0])
        absent = [name for name in SHOWN_SLICES if name not in self.slices["named"]]
        return {name: why for name in absent if (why := slice_note(score, name))}

    @cached_property
    def memberships(self) -> dict[str, Members]:
        """Slice → its mentions: the named ones, those asked for, and the pairs that training did not show."""
        score = next((s for s in self.scores if s.kb is not None), self.scores[0])
        known = {"all", *self.slices["types"]}
        asked = [*self.slices["named"], *score.slice_names]
        found = {name: Members(score, mask) for name, mask in score.slices(asked) if name not in known}
        for profile in list(self.profiles.values())[:1]:
            novel = np.zeros(len(profile.score.items), dtype=bool)
            novel[profile.mention[profile.weights("novel", profile.score.in_scope) > 0]] = True
            found["novel"] = Members(profile.score, novel)
        return dict(list(found.items())[:MOST_SLICES])

    def mentions(self) -> pa.Table:
        """Columns `id` and `type` of every mention of the split, also of those that are not scored."""
        query = "select id, coalesce(type, '') as type from mentions where parent = '' and split = ?"
        return self.corpus.connect().sql(query, params=[self.split]).to_arrow_table()

    @cached_property
    def scored(self) -> int:
        """How many mentions at least one system is scored on; the others mostly want a gold id."""
        first, *others = (score.items.table["id"].filter(pa.array(score.in_scope)) for score in self.scores)
        if all(each.equals(first) for each in others):
            return len(first)
        return len(pc.unique(pa.chunked_array([chunk for each in (first, *others) for chunk in each.chunks])))

    @cached_property
    def type_names(self) -> dict[str, str]:
        """Types that are ids, such as Wikidata's classes, by the names that a knowledge base has for them."""
        known: dict[str, str] = {}
        query = """select id, name from "foreign" where name <> ''"""
        for kb in reversed(self.kbs.values()):
            known |= {id_.rpartition(":")[2]: name for id_, name in kb.sql(query)}
        types = pc.unique(self.mentions()["type"]).to_pylist() if known else []
        return {part: known[part] for part in sorted({p for t in types for p in types_of(t)}) if part in known}

    def type_name(self, type_: str) -> str:
        """A type as a reader knows it, or the types of a mention that has several."""
        return ", ".join(self.type_names.get(part, part) for part in types_of(type_)) or "(no type)"

    def names(self, ids: Sequence[str]) -> list[list[str | None]]:
        """Ids with their primary names; None: not in the knowledge base."""
        known: dict[str, str] = {}
        query = 'select id, name from names where "primary" and id in (select unnest(?))'
        for kb in reversed(self.kbs.values()):
            known.update(dict(kb.sql(query, [list(ids)])) if ids else {})
        return [[identifier, known.get(identifier)] for identifier in ids]

    @cached_property
    def figures(self) -> list[dict[str, Measured]]:
        """For each system: slice → measure → figure; of all mentions at every k, and the failure stages."""
        by = ["type", *self.slices["named"]]
        mine = [by if s.kb is not None else [b for b in by if _without_kb(s, b)] for s in self.scores]
        leading = [Measure.parse(m) for m in LEADING]
        asked = [each for s, names in zip(self.scores, mine, strict=True) for each in s.asked(leading, names)]
        found: list[dict[str, Measured]] = [{ALL: whole_} for whole_ in self._whole]
        place = {id(score): at for at, score in enumerate(self.scores)}
        for each, figure in zip(asked, estimated(asked, FEWEST_DOCUMENTS), strict=True):
            if each.slice != ALL:  # of all mentions there are more measures already
                subject = dict(figure.about) | {"tested": "together"}  # not where a slice is of few documents
                measured = found[place[id(each.score)]].setdefault(each.slice, {})
                measured[str(each.measure)] = self.keep(replace(figure, about=subject))
        return found

    def _of_all(self, scores: Sequence[Score]) -> list[Measured]:
        """Of each run, the figures of all its mentions."""
        measures = dict.fromkeys([*LEADING, *(f"recall@{k}" for k in CUT_OFFS), "mrr", *STAGES.values()])
        parsed = [Measure.parse(m) for m in measures]
        asked = [Asked(s, m, ALL, s.sums(m, s.in_scope)) for s in scores for m in parsed]
        figures = iter(estimated(asked))
        found = [{m: self.keep(next(figures)) for m in measures} for _ in scores]
        place = {id(score): at for at, score in enumerate(scores)}
        lost = {measure: name for name, measure in STAGES.items()}
        for each in asked:
            if stage := lost.get(str(each.measure)):
                number = as_count(float(each.sums.total.sum()))
                figure = Figure(about(each.score, LOST[stage]), number, int(each.score.in_scope.sum()))
                found[place[id(each.score)]][LOST[stage]] = self.keep(figure)
        for mine, score in zip(found, scores, strict=True):
            silent = Figure(about(score, "no-answer"), _silent(score), int(score.in_scope.sum()))
            mine["no-answer"] = self.keep(silent)
        return found

    @cached_property
    def asked(self) -> list[Figure]:
        """The measures and slices that the scores are of, tests corrected over all of this corpus."""
        found = corrected([figure for score in self.scores for figure in score.own])
        family = {"tested": f"on {self.key}"}
        return [self.keep(f if f.p is None else replace(f, about=dict(f.about) | family)) for f in found]

    def sure(self, names: Sequence[str], measure: str) -> set[tuple[int, str]]:
        """System and slice of the differences that chance does not explain (STAT-7), Holm over all."""
        family = [
            (at, name, found.p)
            for at, figures in enumerate(self.figures)
            for name in names
            if (found := figures.get(name, {}).get(measure)) and found.p is not None
        ]
        adjusted = holm([p for _, _, p in family])
        return {(at, name) for (at, name, _), p in zip(family, adjusted, strict=True) if p < ALPHA}

    def bioel(self, names: Sequence[str]) -> list[list[Figure]]:
        """For each system: its slices against all its mentions by recall@1, tested as in that paper."""
        wanted = [[of[name][LEADING[0]] for name in (ALL, *names) if name in of] for of in self.figures]
        tested = iter(bioel_tests([figure for each in wanted for figure in each]))
        found = [[next(tested) for _ in each] for each in wanted]
        return [[self.keep(figure) for figure in each if "z" in figure.more] for each in found]

    @cached_property
    def comparison(self) -> Comparison | None:
        """The systems against each other; None where there is one, or no mention in common."""
        try:
            return compare_runs(self.scores, examples=0, keep=self.keep)
        except UsageError:
            return None

    @cached_property
    def against_best(self) -> list[Figure | None]:
        """For each system: the best against it, `p` of the paired permutation test over documents, Holm over these."""
        if self.comparison is None:
            return [None] * len(self.scores)
        pairs = self.comparison.pairs[: len(self.scores) - 1]  # those with the best
        adjusted = holm([row["permutation_p"] for row in pairs])
        return [None, *(
            self.keep(Figure(
                about(score, LEADING[0]) | {"against": self.scores[0].run.key}
                | leak_of([self.scores[0].run, score.run]), row["difference"], row["n"],
                row["low"], row["high"], p=p, more={"lead": -row["difference"]},
            ))
            for score, row, p in zip(self.scores[1:], pairs, adjusted, strict=True)
        )]  # fmt: skip

    @cached_property
    def found_mentions(self) -> FoundMentions | None:
        """The systems that find mentions themselves, end to end; None where there is none."""
        from linkassay.scoring.results.found_mentions import FoundMentions, finds_mentions

        mine = [at for at, score in enumerate(self.scores) if finds_mentions(score.run)]
        presets = ("elevant",) if self.corpus.manifest["kb"] == "wikidata" else ()
        runs, names = [self.scores[at].run for at in mine], [self.labels[at] for at in mine]
        return FoundMentions(runs, names, presets, self.keep) if mine else None

    @property
    def all_find_mentions(self) -> bool:
        """Whether all systems find mentions themselves and can be scored so: then that is what they are judged by."""
        try:
            return self.found_mentions is not None and len(self.found_mentions.runs) == len(self.scores)
        except LinkassayError:
            return False

    @cached_property
    def effects(self) -> list[tuple[int, int, Figure]]:
        """Systems without and with abbreviations written out, and otherwise the same: what that changes (ABBR-5)."""
        pairs = self._pairs_by_abbreviations()
        try:
            found = abbreviation_effect([(self.scores[a], self.scores[b]) for a, b in pairs])
        except UsageError:
            return []
        return [(a, b, self.keep(figure)) for (a, b), figure in zip(pairs, found, strict=True)]

    def _pairs_by_abbreviations(self) -> list[tuple[int, int]]:
        def rest(at: int) -> tuple[Any, ...]:
            run = self.scores[at].run
            others = {key: value for key, value in run.about["parameters"].items() if key != "abbreviations"}
            return run.system, run.kb, run.about["software"], sorted(map(str, others.items()))

        written = [("abbreviations" in s.run.about["parameters"]) for s in self.scores]
        return [(a, b) for a, with_ in enumerate(written) if not with_
                for b, other in enumerate(written) if other and rest(a) == rest(b)]  # fmt: skip

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
            found = profiles([self.scores[at] for at in mine], HierarchyChoices())
        except LinkassayError as error:  # such as a hierarchy with a cycle; the other sections do not need it
            self.trouble.append(f"The hierarchy of {kb} cannot be used: {error}.")
            return {}
        return dict(zip(mine, found, strict=True))

    def show_profiles(self, found: Sequence[Profile], sets: Sequence[str]) -> None:
        """Show these profiles of its runs, in these evaluation sets, instead of `profiles`."""
        of = {profile.score.run.key: profile for profile in found}
        self.profiles = {at: of[score.run.key] for at, score in enumerate(self.scores)}
        self.sets = self.pictured = tuple(sets)

    @cached_property
    def characteristics(self) -> dict[int, list[Figure]]:
        """Of each system with a profile: its figures in the evaluation sets."""
        return {at: [self.keep(f) for f in hierarchical.profile_figures(p, self.sets)]
                for at, p in self.profiles.items()}  # fmt: skip

    def match_types(self, set_: str) -> dict[int, dict[str, Figure]]:
        """Of each system with a profile: how many answers are of each match type."""
        return {at: {name: self.keep(f) for name, f in hierarchical.match_counts(p, set_).items()} for at, p in
                self.profiles.items()}  # fmt: skip

    def mismatches(self, by: str, set_: str) -> dict[int, dict[tuple[str, str], Figure]]:
        """Of each system with a profile: its mismatches by type and `distance`, or `location` of gold."""
        return {at: {cell: self.keep(f) for cell, f in mismatches.mismatch_figures(p, by, set_).items()} for at, p in
                self.profiles.items()}  # fmt: skip

    @cached_property
    def costs(self) -> list[dict[str, Figure]]:
        """For each system, what its run took, by name; None where it was not measured."""
        return [
            {name: self.keep(Figure(about(score, f"cost: {name}"), value)) for name, value in _costs(score.run).items()}
            for score in self.scores
        ]

    def size(self, of: str, number: int) -> Figure:
        """How many there are of something in the split, whichever the system."""
        subject = {"corpus": self.key, "run": "", "system": "", "measure": of, "slice": ALL}
        return self.keep(Figure(subject, number))

    def under(self, measure: Measure) -> list[Figure]:
        """For each system, a measure over all its mentions."""
        asked = [Asked(s, measure, ALL, s.sums(measure, s.in_scope)) for s in self.scores]
        return list(map(self.keep, estimated(asked)))

    def beside(self, ours: Figure, published: Mapping[str, Any]) -> Figure:
        """A figure of ours minus a published one."""
        subject = dict(ours.about) | {"against": " ".join(str(published[name]) for name in ("work", "table", "scope"))}
        apart = None if ours.value is None else ours.value - published["value"]
        return self.keep(Figure(subject, apart, ours.n))

    def without_id(self, at: int) -> int:
        """Mentions that a system is not scored on for want of a gold id."""
        return self.scores[at].items.left_out.get("without a gold id", 0)


def cohorts(scores: Sequence[Score], keep: Keep = same_figures) -> list[Cohort]:
    """The scores by corpus, revision and split, in the order in which these are first named; each run once."""
    groups: dict[tuple[str, str, str], dict[str, Score]] = {}
    for score in scores:
        run = score.run
        mine = groups.setdefault((run.corpus, run.about["corpus_revision"], run.split), {})
        mine.setdefault(run.key, score)
    found = [Cohort(list(group.values()), keep) for group in groups.values()]
    for cohort in found:
        if sum(other.key == cohort.key for other in found) > 1:
            cohort.key += f"@{cohort.corpus.revision}"
    return found


def _costs(run: Run) -> dict[str, Any]:
    recorded = run.about
    link = recorded.get("link_seconds")
    cpu = [recorded.get(f"{stage}_cpu_seconds") for stage in ("prepare", "link")]
    return {
        "index": recorded.get("index_seconds", recorded.get("prepare_seconds")), "train": recorded.get("train_seconds"),
        "link": link, "cpu": None if None in cpu else sum(cpu),
        "speed": recorded.get("mentions_per_second", recorded["mentions"] / link if link else None),  # else an old run
        "memory": recorded.get("peak_memory_bytes"),
    }  # fmt: skip


def _silent(score: Score) -> int:
    """How many of the mentions in scope have no answer."""
    answered = score.gold_ranks(Measure.parse(LEADING[0]).protocol).answered
    return int(np.count_nonzero(score.in_scope & ~answered))


def _without_kb(score: Score, name: str) -> bool:
    try:
        return bool(np.any([mask.any() for _, mask in score.slices([name])]))
    except UsageError:
        return False


def _rank(whole: Measured, label: str) -> tuple[list[float], str]:
    """Sorting key (STAT-17); the rule is said in the report's words."""
    return [-(whole[measure].value or 0) for measure in LEADING], label
