"""The house linker: one linker for every kind of entity, on a CPU (LINKER-9).

Candidates come from the names of the knowledge base (several forms, character 3-grams) and from the training
mentions; boosted trees rank them by features that every knowledge base has. Nothing here knows a corpus or a
knowledge base by name. Without training data a fixed weighting of the same features ranks.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkassay.kbs import Kb
from linkassay.linkers.house.name_forms import compact, loose, plain_words
from linkassay.linkers.house.name_index import NameIndex
from linkassay.linkers.house.string_features import STRING_FEATURES, StringFeatures, Variant
from linkassay.linkers.protocol import Answer, Capabilities, Query
from linkassay.linkers.rules.species_words import SpeciesWords
from linkassay.linkers.strings.ngram_index import NgramIndex
from linkassay.model import Document, Span
from linkassay.text import name_key
from linkassay.text.abbreviations import expansions

if TYPE_CHECKING:
    from linkassay.linkers.house.boosted_trees import Ranker

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

#: Candidates by string similarity for one mention; those that training mentions add are not limited.
CANDIDATES = 25

_FURTHER = (
    "share", "seen", "loose share", "loose seen", "entity prior", "kind prior", "category prior", "type fits",
    "type unknown", "foreign prior", "foreign cue", "foreign near", "foreign nearest", "foreign company", "company",
    "relatives", "names", "homonyms", "depth", "children", "age", "expanded", "length", "upper", "mixed case", "digits",
    "words", "text seen", "topic", "near", "plain share", "alias", "word share", "over", "over own",
    "fits",
)  # fmt: skip
#: Every feature of a candidate, in order; those of its strings twice: of the mention, and of the mention written out.
FEATURES = (*STRING_FEATURES, *(f"long {name}" for name in STRING_FEATURES), *_FURTHER, "best share", "best string")

#: Weights that rank where there is nothing to learn from.
_PLAIN = {
    "long exact": 0.3, "long key": 2.0, "long compact": 1.0, "long loose": 1.0, "long alike": 0.7, "long initial": 1.0,
    "long cosine": 4.0, "long ratio": 1.0, "long related": 0.5, "long relates": 0.5,
    "long primary": 0.3, "key": 0.5, "cosine": 0.5, "type fits": 1.0, "type unknown": 0.6, "company": 0.3,
    "foreign cue": 1.0, "foreign nearest": 0.5, "foreign prior": 0.5, "names": 0.1, "age": -0.3, "alias": 3.0,
}  # fmt: skip

#: The entities that a document names most often are candidates of all its mentions.
TOPICS = 4

#: Training texts that are like a mention, and entities taken from them.
NEIGHBOURS = 10

#: Entities taken from those above such that have a mention's words in a name.
ABOVE = 5

#: What stands between a name and another one of the same in brackets.
_OPENS = ("(", "[")

#: A first word cut to its letter, as in "E. coli".
_CUT = re.compile(r"([A-Z])(?:\. ?| )([a-z].+)")

#: A mention that may be a short form though the text does not define it, and what a compound is made of.
_CAPITALS = re.compile(r"[A-Z]{2,5}")
_PART = re.compile(r"[^/-]+")
_SHORT = re.compile(r"\w{1,6}")


@dataclass
class _Asked:
    """A mention with what is known of it before ranking."""

    text: str
    type: str
    start: int
    end: int
    variants: tuple[Variant, Variant]
    marks: list[int]
    gold: frozenset[int] = frozenset()


#: What nothing is held to be.
_NO_OPINIONS: Mapping[str, set[int]] = MappingProxyType({})


class _Lexicon:
    """How often a text meant an entity in training; what one document says can be taken out again."""

    def __init__(self) -> None:
        self._all: dict[str, Counter[int]] = defaultdict(Counter)
        self._of: dict[tuple[str, str], Counter[int]] = defaultdict(Counter)

    def add(self, document: str, text: str, entity: int) -> None:
        self._all[text][entity] += 1
        self._of[document, text][entity] += 1

    def texts(self) -> list[str]:
        return sorted(self._all)

    def counts(self, text: str, without: str = "") -> Counter[int]:
        found = self._all.get(text)
        if not found:
            return Counter()
        own = self._of.get((without, text)) if without else None
        return found - own if own else found


class House:
    """Names, abbreviations, 3-grams, training mentions, and a learned ranking."""

    summary = "names in several forms, abbreviations, 3-grams, training mentions; candidates ranked by boosted trees"
    capabilities = Capabilities(links=True, trains=True)

    def __init__(self, unlisted: bool = False) -> None:
        """`unlisted`: ids of training mentions that the knowledge base lacks are answered, too."""
        self._unlisted = unlisted

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the knowledge base."""
        self._kb = NameIndex(kb)
        self._strings = StringFeatures(self._kb, CANDIDATES)
        self._cues = SpeciesWords(self._kb.foreigns, kb)
        self._texts, self._forms, self._words, self._priors = _Lexicon(), _Lexicon(), _Lexicon(), _Lexicon()
        self._kind_prior: Floats = np.zeros(len(self._kb.kinds))
        self._category_prior = np.zeros(len(self._kb.categories))
        self._foreign_prior = np.zeros(len(self._kb.foreigns))
        self._known: list[str] = []
        self._alike = NgramIndex(self._known)
        self._neighbours: dict[str, list[tuple[str, float]]] = {}
        self._ranker: Ranker | None = None
        self._first: list[Ranker] = []
        #: Whether the same text means one or another by where it stands, e.g. genes by the species of their sentence.
        self._placed = len(self._kb.foreigns) > 1
        self._current = kb.current
        self._age = _ages(self._kb.ids)

    def train(self, documents: Iterable[Document]) -> None:
        """Learn what texts mean, and how to rank; each mention as if its own document had not been seen."""
        documents = list(documents)
        if self._unlisted:
            self._kb.add(
                new for document in documents for m in document.mentions for i in m.ids for new in self._current(i)
            )
            self._age = _ages(self._kb.ids)
        asked = [(document.id, document.text, self._training(document)) for document in documents]
        golds: list[int] = []
        for document, _, mentions in asked:
            for mention in mentions:
                for variant in mention.variants:
                    for entity in sorted(mention.gold):
                        self._texts.add(document, variant.key, entity)
                        self._forms.add(document, variant.loose, entity)
                for entity in sorted(mention.gold):
                    for word in plain_words(mention.variants[1].key):
                        self._words.add(document, word, entity)
                    self._priors.add(document, "", entity)
                    golds.append(entity)
        if not golds:
            return
        self._strings.learn((document, m.variants[1].key, m.gold) for document, _, mentions in asked for m in mentions)
        self._known = self._texts.texts()
        self._alike = NgramIndex(self._known)
        gold = np.array(golds)
        self._foreign_prior = np.log1p(np.bincount(self._kb.foreign[gold], minlength=len(self._kb.foreigns)))
        usual = np.bincount(self._kb.category, minlength=len(self._kb.categories)) / len(self._kb.ids)
        found = np.bincount(self._kb.category[gold], minlength=len(usual)) / len(gold)
        self._category_prior = np.log((found + 0.001) / (usual + 0.001))
        self._kind_prior = self._kinds(asked)
        golds_of = [[mention.gold for mention in mentions] for _, _, mentions in asked]
        opinions = [_NO_OPINIONS] * len(asked)
        if not self._placed:
            firsts = [list(self._candidates(*document, learning=True)) for document in asked]
            halves = [_learned(zip(golds_of[n::2], firsts[n::2], strict=True), forests=1) for n in (0, 1)]
            self._first = [ranker for ranker in halves if ranker]
            opinions = [
                _opinions(mentions, firsts[n], [ranker for ranker in [halves[1 - n % 2]] if ranker])
                for n, (_, _, mentions) in enumerate(asked)
            ]
        self._ranker = _learned(
            (golds_of[n], self._candidates(*document, learning=True, hiding=hiding, opinions=opinions[n]))
            for n, document in enumerate(asked)
            for hiding in (False, True)
        )

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Ranked entities, one a rank; documents are looked at as a whole."""
        answers: list[Answer] = []
        for (document, context), group in groupby(queries, key=lambda q: (q.document, q.context)):
            asked = list(group)
            pairs = _pairs(context, [q.text for q in asked], self._kb.key)
            mentions = [self._asked(q.text, q.type, (q.spans[0][0], q.spans[-1][1]), pairs) for q in asked]
            opinions = _NO_OPINIONS
            if self._first:
                first = self._candidates(document, context, mentions, learning=False)
                opinions = _opinions(mentions, first, self._first)
            found = self._candidates(document, context, mentions, learning=False, opinions=opinions)
            ranked = [self._ranked(*made, top) for made in found]
            answers += ranked if self._placed else _agreed(mentions, ranked)
        return answers

    def _ranked(self, candidates: Integers, features: Floats, top: int) -> Answer:
        scores = self._ranker.scores(features) if self._ranker else features @ _plain_weights()
        order = np.lexsort((candidates, -scores.round(9)))[:top]
        return [((self._kb.ids[candidates[n]],), float(scores[n])) for n in order]

    def _asked(
        self, text: str, type_: str, span: Span, pairs: dict[str, str], gold: frozenset[int] = frozenset()
    ) -> _Asked:
        long = _written_out(text, pairs)
        marks = [] if name_key(long) in self._kb.key else self._cues.marks(long)
        if marks and name_key(long[1:]) in self._kb.key:
            long = long[1:]
        return _Asked(text, type_, *span, (_variant(text), _variant(long)), marks, gold)

    def _training(self, document: Document) -> list[_Asked]:
        pairs = _pairs(document.text, [mention.text for mention in document.mentions], self._kb.key)
        found = []
        for mention in document.mentions:
            current = (new for identifier in mention.ids for new in self._current(identifier))
            gold = frozenset(self._kb.number[identifier] for identifier in current if identifier in self._kb.number)
            found.append(self._asked(mention.text, mention.type, (mention.start, mention.end), pairs, gold))
        return found

    def _nearer(self, text: str, without: str) -> dict[int, float]:
        """What texts like this one meant in training, each by similarity times share."""
        if text not in self._neighbours:
            numbers, cosines = self._alike.near(text, NEIGHBOURS)
            self._neighbours[text] = [(self._known[n], float(c)) for n, c in zip(numbers, cosines, strict=True)]
        merit: dict[int, float] = {}
        for other, cosine in self._neighbours[text]:
            counts = self._texts.counts(other, without)
            total = sum(counts.values())
            for entity, n in counts.items():
                merit[entity] = max(merit.get(entity, 0.0), cosine * n / total)
        best = sorted(merit, key=lambda entity: (-merit[entity], entity))[:NEIGHBOURS]
        return {entity: merit[entity] for entity in best}

    def _worded(self, text: str, without: str) -> dict[int, float]:
        """What the words of a text meant in training: for each entity its share, averaged over the words by weight."""
        merit: dict[int, float] = defaultdict(float)
        whole = 0.0
        for word in sorted(plain_words(text)):
            weight = self._kb.related.weight(word)
            whole += weight
            counts = self._words.counts(word, without)
            total = sum(counts.values())
            for entity, n in counts.items():
                merit[entity] += weight * n / (total + 1)
        return {entity: value / whole for entity, value in merit.items()} if whole else {}

    def _over(self, text: str) -> dict[int, tuple[float, float]]:
        """Entities above those with the words of a text in a name: two shares of each, averaged over the words."""
        merit: dict[int, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
        bag = plain_words(text)
        whole = self._kb.related.whole(bag) or 1.0
        for word in sorted(bag):
            weight = self._kb.related.weight(word) / whole
            for entity, below, having in self._kb.over(word):
                merit[entity] = merit[entity][0] + weight * below, merit[entity][1] + weight * having
        return merit

    def _kinds(self, asked: list[tuple[str, str, list[_Asked]]]) -> Floats:
        """How much more often names of a kind are right than wrong, where they equal a mention."""
        right, wrong = np.ones(len(self._kb.kinds)), np.ones(len(self._kb.kinds))
        for _, _, mentions in asked:
            for mention in mentions:
                number = self._kb.key.get(mention.variants[1].key)
                if number is not None:
                    for row in range(self._kb.rows[number], self._kb.rows[number + 1]):
                        (right if self._kb.entity[row] in mention.gold else wrong)[self._kb.kind[row]] += 1
        return np.log(right / wrong)

    def _candidates(
        self, document: str, context: str, mentions: list[_Asked], *, learning: bool, hiding: bool = False,
        opinions: Mapping[str, set[int]] = _NO_OPINIONS,
    ) -> Iterator[tuple[Integers, Floats]]:  # fmt: skip
        """For each mention of one document its candidates and their features.

        `learning`: as if the document were none of those learned from. `hiding`: as if the knowledge base had no name
        that is the same; nothing for texts that other documents have, or that are no name. `opinions`: what mentions
        whose text is neither a name nor known from training are at first sight.
        """
        kb, without = self._kb, document if learning else ""
        prior = self._priors.counts("", without)
        found = []
        company: Counter[int] = Counter()
        for mention in mentions:
            plain, long = mention.variants
            short, shares = (self._texts.counts(v.key, without) for v in mention.variants)
            looser = self._forms.counts(long.loose, without)
            nearer = self._nearer(long.key, without)
            worded = self._worded(long.key, without)
            likely = sorted(worded, key=lambda entity: (-worded[entity], entity))[:NEIGHBOURS]
            over = self._over(long.key)
            above = sorted(over, key=lambda entity: (-sum(over[entity]), entity))[:ABOVE]
            also = {*short, *shares, *looser, *nearer, *likely, *above}
            compared = self._strings.of(plain, long, mention.type, also)
            found.append((*compared, shares, looser, short, nearer, worded, over, also))
        strong: dict[str, set[int]] = {}
        for mention, (candidates, strings, shares, *_) in zip(mentions, found, strict=True):
            sure = set(candidates[(strings[:, _KEY] > 0) | (strings[:, _LONG_KEY] > 0)].tolist())
            strong.setdefault(mention.variants[1].key, sure | {e for e, n in shares.items() if n >= 2})
        for entities in strong.values():
            company.update(entities)
        often: Counter[int] = Counter()
        times = Counter(mention.variants[1].key for mention in mentions)
        for mention in mentions:
            sure = strong[mention.variants[1].key]
            often.update({entity: 1 / len(sure) for entity in sure})
        topics = sorted(often, key=lambda entity: (-often[entity], entity))[:TOPICS]
        relatives: Counter[int] = Counter()
        for entities in strong.values():
            relatives.update({int(p) for e in entities for p in kb.parents[e]})
        foreign_company = np.zeros(len(kb.foreigns))
        for entities in strong.values():
            origins = {int(kb.foreign[e]) for e in entities}
            for origin in origins:
                foreign_company[origin] += 1 / len(origins)
        foreign_company /= max(1.0, foreign_company.sum())
        cues = self._cues.of(context)
        held = {text: sure or opinions.get(text, set()) for text, sure in strong.items()}
        aliases, fitting = _aliases(context, mentions, held), _fitting(mentions, strong, held)
        for mention, (_, _, shares, looser, short, nearer, worded, over, also) in zip(mentions, found, strict=True):
            alias, fits = (known.get(mention.variants[1].key, {}) for known in (aliases, fitting))
            own = strong[mention.variants[1].key]
            if hiding and (shares or short or not own):
                yield _NO_CANDIDATES
                continue
            candidates, strings = self._strings.of(
                *mention.variants, mention.type, {*also, *topics, *alias, *fits}, hiding=hiding
            )
            said = times[mention.variants[1].key] / len(own) if hiding else 0.0
            size = len(candidates)
            further = np.zeros((size, len(_FURTHER)))
            total, total_looser, total_short = (sum(counts.values()) for counts in (shares, looser, short))
            cue, near, nearest = cues.at(mention.start, mention.marks)
            kinds = strings[:, _LONG_KIND].astype(np.int64)
            foreign = kb.foreign[candidates]
            for n, entity in enumerate(candidates.tolist()):
                line = further[n]
                line[0], line[1] = shares[entity] / total if total else 0.0, shares[entity]
                line[2], line[3] = looser[entity] / total_looser if total_looser else 0.0, looser[entity]
                line[4] = prior[entity]
                line[14] = company[entity] - (entity in own)
                line[28] = often[entity] - (said if entity in own else 0.0)
                line[29] = nearer.get(entity, 0.0)
                line[30] = short[entity] / total_short if total_short else 0.0
                line[31], line[32] = alias.get(entity, 0.0), worded.get(entity, 0.0)
                line[33:35] = over.get(entity, (0.0, 0.0))
                line[35] = fits.get(entity, 0.0)
                line[15] = relatives[entity] + sum(company[int(p)] for p in kb.parents[entity])
            further[:, 4] = np.log1p(further[:, 4])
            further[:, 5] = self._kind_prior[kinds]
            further[:, 6] = self._category_prior[kb.category[candidates]]
            type_ = kb.type[candidates]
            further[:, 7] = [kb.types[t] == mention.type for t in type_]
            further[:, 8] = [kb.types[t] == "" for t in type_]
            further[:, 9] = self._foreign_prior[foreign]
            further[:, 10], further[:, 11], further[:, 12] = cue[foreign], near[foreign], nearest[foreign]
            further[:, 13] = foreign_company[foreign]
            further[:, 16] = np.log1p(kb.name_count[candidates])
            further[:, 17] = np.log1p(((strings[:, _LONG_KEY] > 0) | (strings[:, _LONG_COMPACT] > 0)).sum())
            further[:, 18] = kb.depth[candidates]
            further[:, 19] = np.log1p(kb.children[candidates])
            further[:, 20] = self._age[candidates]
            text = mention.text
            further[:, 21:28] = [
                mention.variants[0].key != mention.variants[1].key, len(text), text.isupper(),
                text[:1].isupper() and not text.isupper(), any(map(str.isdigit, text)), len(text.split()), total > 0,
            ]  # fmt: skip
            best = strings[:, _LONG_COSINE] + strings[:, _LONG_RATIO]
            relative = np.stack([column - column.max(initial=0.0) for column in (further[:, 0], best)], axis=1)
            yield candidates, np.concatenate([strings, further, relative], axis=1)


class Untrained(House):
    """The same without training data, to show what that is worth."""

    summary = "house without training data: its candidates ranked by fixed weights"

    def train(self, documents: Iterable[Document]) -> None:
        """Learn nothing."""


_KEY, _LONG_KEY = FEATURES.index("key"), FEATURES.index("long key")
_LONG_COMPACT, _LONG_KIND = FEATURES.index("long compact"), FEATURES.index("long kind")
_LONG_COSINE, _LONG_RATIO = FEATURES.index("long cosine"), FEATURES.index("long ratio")


_NO_CANDIDATES = np.empty(0, dtype=np.int64), np.empty((0, len(FEATURES)))


def _learned(
    examples: Iterable[tuple[list[frozenset[int]], Iterable[tuple[Integers, Floats]]]], **options: int
) -> Ranker | None:
    """A ranker from the gold and the candidates of each mention of documents; none if there is nothing to choose."""
    rows, groups, right = [], [], []
    for golds, made in examples:
        for gold, (candidates, features) in zip(golds, made, strict=True):
            hit = np.isin(candidates, list(gold))
            if hit.any() and not hit.all():
                rows.append(features)
                groups.append(len(candidates))
                right.append(hit)
    if not rows:
        return None
    from linkassay.linkers.house.boosted_trees import Ranker

    numbers = np.repeat(np.arange(len(groups)), groups)
    return Ranker(**options).fit(np.concatenate(rows), numbers, np.concatenate(right))


def _opinions(
    mentions: list[_Asked], made: Iterable[tuple[Integers, Floats]], rankers: list[Ranker]
) -> dict[str, set[int]]:
    """What texts are at first sight, where that has at least an even chance."""
    found: dict[str, set[int]] = {}
    for mention, (candidates, features) in zip(mentions, made, strict=True):
        if len(candidates) and rankers:
            scores = np.mean([ranker.scores(features) for ranker in rankers], axis=0).round(9)
            chances = np.exp(scores - scores.max())
            if chances.sum() <= 2:
                found.setdefault(mention.variants[1].key, {int(candidates[np.argmax(scores)])})
    return found


def _agreed(mentions: list[_Asked], answers: list[Answer]) -> list[Answer]:
    """Short forms mean what the mention means that they stand for, if the document has it."""
    plain = {
        mention.variants[0].key: answer
        for mention, answer in zip(reversed(mentions), reversed(answers), strict=True)
        if mention.variants[0].key == mention.variants[1].key
    }
    return [
        plain.get(mention.variants[1].key, answer) if mention.variants[0].key != mention.variants[1].key else answer
        for mention, answer in zip(mentions, answers, strict=True)
    ]


def _variant(text: str) -> Variant:
    normal = name_key(text)
    return Variant(text, normal, compact(normal), loose(normal))


def _pairs(context: str, mentions: list[str], names: Container[str]) -> dict[str, str]:
    """Short forms and what they stand for: those that the text defines, first words cut to a letter, capitals.

    Capitals that the text does not define may stand for a mention: by its initials, or, if they are no name, as if
    the mention stood before them in brackets.
    """
    pairs = expansions(context)
    for mention in mentions:
        initials = "".join(word[0] for word in name_key(mention).split()).upper()
        if len(initials) > 1:
            pairs.setdefault(initials, mention)
        if (cut := _CUT.fullmatch(mention)) and (
            full := re.search(rf"\b{cut[1]}[a-z]+ {re.escape(cut[2])}(?!\w)", context)
        ):
            pairs.setdefault(mention, full[0])
    texts = dict.fromkeys(mentions)
    for short in texts:
        if short not in pairs and _CAPITALS.fullmatch(short) and name_key(short) not in names:
            longs = (text for text in texts if len(text) > 2 * len(short) and text[0].upper() == short[0])
            long = next((text for text in longs if expansions(f"{text} ({short})").get(short) == text), None)
            if long:
                pairs[short] = long
    return pairs


def _aliases(context: str, mentions: list[_Asked], held: dict[str, set[int]]) -> dict[str, dict[int, float]]:
    """For mentions as in "A (B)" what the other of the two is held to be; for all mentions with the same text."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    ordered = sorted(mentions, key=lambda m: (m.start, m.end))
    for one, other in pairwise(ordered):
        if context[one.end : other.start].strip() in _OPENS and context[other.end : other.end + 1] in ")]":
            keys = one.variants[1].key, other.variants[1].key
            for key_, from_ in (keys, keys[::-1]):
                for entity in held[from_]:
                    found[key_][entity] = max(found[key_].get(entity, 0.0), 1 / len(held[from_]))
    return found


def _fitting(
    mentions: list[_Asked], strong: dict[str, set[int]], held: dict[str, set[int]]
) -> dict[str, dict[int, float]]:
    """For mentions that may be short forms and are no name what longer ones that have their letters surely are."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    variants = list(dict.fromkeys(mention.variants[1] for mention in mentions))
    for short in variants:
        if strong[short.key] or not _SHORT.fullmatch(short.text):
            continue
        for long in variants:
            if len(long.compact) > 2 * len(short.compact) and _stands(short.compact, long.compact):
                for entity in held[long.key]:
                    found[short.key][entity] = max(found[short.key].get(entity, 0.0), 1 / len(held[long.key]))
    return found


def _stands(short: str, long: str) -> bool:
    """Whether a text begins as another and has its letters in the same order."""
    rest = iter(long)
    return long[:1] == short[:1] and all(letter in rest for letter in short)


def _written_out(text: str, pairs: dict[str, str]) -> str:
    """The mention with abbreviations of its document expanded: as a whole, or word by word, or part of word by part."""
    if text in pairs:
        return pairs[text]
    if text.endswith("s") and text[:-1] in pairs:
        return pairs[text[:-1]]
    return " ".join(
        pairs.get(word) or _PART.sub(lambda part: pairs.get(part[0], part[0]), word) for word in text.split(" ")
    )


def _plain_weights() -> Floats:
    return np.array([_PLAIN.get(name, 0.0) for name in FEATURES])


def _ages(ids: list[str]) -> Floats:
    """From 0 to 1 by the number in an id, which grows with time in most knowledge bases."""
    numbers = np.array([float("".join(c for c in i.partition(":")[2] if c.isdigit())[:15] or 0) for i in ids])
    ages: Floats = np.linspace(0.0, 1.0, max(1, len(ids)))[np.argsort(np.argsort(numbers, kind="stable"))]
    return ages
