"""Genes by rule: all genes of a name, whatever their species, ranked by the species that the document speaks of.

For knowledge bases whose entities have a foreign id (genes: their taxon). Nothing is learned but how often each species
is meant in training; the words that speak of species are those of `species_words` (GNormPlus, SR4GN; LINKER-7).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from linkassay.kbs import Kb
from linkassay.linkers.house.name_forms import plain_words
from linkassay.linkers.protocol import Answer, Capabilities, Query
from linkassay.linkers.rules.gene_names import GeneNames
from linkassay.linkers.rules.species_words import SpeciesWords
from linkassay.model import Document, Span
from linkassay.store import MappedFolder
from linkassay.text import name_key, split_sentences
from linkassay.text.abbreviations import expansions

#: Letters before a gene's name that say its species (hTERT, mTOR is none: it is a name itself), as NCBI taxa.
PREFIXES = {
    "h": "ncbitaxon:9606", "hs": "ncbitaxon:9606", "m": "ncbitaxon:10090", "mm": "ncbitaxon:10090",
    "r": "ncbitaxon:10116", "rn": "ncbitaxon:10116", "d": "ncbitaxon:7227", "dm": "ncbitaxon:7227",
    "z": "ncbitaxon:7955", "zf": "ncbitaxon:7955", "dr": "ncbitaxon:7955", "x": "ncbitaxon:8355",
    "xl": "ncbitaxon:8355", "ce": "ncbitaxon:6239", "sc": "ncbitaxon:4932", "at": "ncbitaxon:3702",
}  # fmt: skip
_PREFIX = re.compile(r"([Hh]s|[Mm]m|[Rr]n|[Dd]m|zf|dr|xl|ce|sc|at|[hmrdzx])-?(?=[A-Z])(.{2,})")
#: Words around a gene's name that are no part of it.
_AROUND = re.compile(
    r"^(?:the|human|mouse|murine|rat)\s+|\s+(?:gene|genes|protein|proteins|mrna|cdna|locus|promoter)s?$", re.I
)

#: What a mention that is no name may be a longer or shorter way to write, tried in this order until one is a name:
#: "low density lipoprotein (LDL) receptor", "PDE beta" (PDEB), "CNTF receptor" (CNTFR), "HMG1 and 2", "LAT molecule".
_GREEK = {"alpha": "a", "beta": "b", "gamma": "g", "delta": "d", "epsilon": "e", "zeta": "z", "eta": "h", "theta": "q",
          "kappa": "k", "lambda": "l", "sigma": "s"}  # fmt: skip
_WRITTEN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (re.compile(r"\s*\([^()]*\)\s*"), lambda _: " "),
    (re.compile("|".join(sorted(_GREEK, key=len, reverse=True)), re.I), lambda m: _GREEK[m[0].lower()]),
    (re.compile(r"[\s-](receptor|ligand)s?$", re.I), lambda m: m[1][0].upper()),
    (re.compile(r"(?:,?\s(?:and|or)\s|/|,\s).*$"), lambda _: ""),
    (re.compile(r"[\s-](?:receptor|ligand|subunit|chain|kinase|isoform|precursor|homolog(?:ue)?|antigen|factor|enzyme|"
                r"molecule|(?:poly)?peptide|domain|complex|transcript|(?:proto-)?oncogene)s?$", re.I), lambda _: ""),
)  # fmt: skip

#: What speaks for a species, from most to least: the order of a chain of rules rather than weights to be tuned.
_PREFIXED, _INSIDE, _BEFORE, _AFTER, _IN_DOCUMENT, _USUAL = 32.0, 16.0, 8.0, 4.0, 3.0, 2.0
#: What is usual where nothing was learned: most papers are about human genes.
_UNTRAINED = {"ncbitaxon:9606": 0.5}
#: How good a name is by its kind, and how good a match is; little beside a species that the sentence names.
_KINDS = {"symbol": 1.0, "authority symbol": 1.0, "full name": 0.9, "synonym": 0.7}
_OTHER_KIND = 0.5
_SAME_LETTERS, _SAME_KEY, _SAME_WORDS = 1.0, 0.7, 0.0
#: How much less a gene is worth that only shares its symbol with the one of this name, as orthologues do.
_BY_SYMBOL = 0.3
#: The most that words of a gene's other names add to it which occur in the document.
_TOLD = 0.5
_SHORT = 3


class Genes:
    """Looks names up by letters and digits alone, then by their words, and ranks by species and kind of name."""

    summary = "genes by rule: names over all species, ranked by the species the document speaks of"
    capabilities = Capabilities(links=True, trains=True, stores=True)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index names."""
        self._begin(kb, GeneNames.of(kb))

    def store_index(self, files: MappedFolder) -> None:
        """Write the names."""
        self._names.store(files)

    def open_index(self, kb: Kb, files: MappedFolder) -> None:
        """Take them as they lie."""
        self._begin(kb, GeneNames.opened(files))

    def _begin(self, kb: Kb, names: GeneNames) -> None:
        self._kb, self._names = kb, names
        self._worths = [_KINDS.get(kind, _OTHER_KIND) for kind in names.kinds]
        self._cues = SpeciesWords(names.foreigns, kb)
        self._about = lru_cache(maxsize=16)(self._read)
        self._own = lru_cache(maxsize=4096)(lambda entity: _telling(" ".join(names.phrases(entity))))
        self._usual = _UNTRAINED

    def train(self, documents: Iterable[Document]) -> None:
        """Count the species that are meant."""
        meant = Counter(
            self._names.foreign_of_id(now)
            for d in documents for m in d.mentions for i in m.ids for now in self._kb.current(i)
        )  # fmt: skip
        meant.pop("", None)
        self._usual = {taxon: _USUAL * n / max(meant.values()) for taxon, n in meant.items()} or _UNTRAINED

    def store_training(self, files: MappedFolder) -> None:
        """Write what is usual."""
        files.put_record("usual", self._usual)

    def open_training(self, files: MappedFolder) -> None:
        """Take it as it lies."""
        self._usual = files.record("usual")

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Genes by species, then by kind and likeness of name."""
        return [self._answer(query, top) for query in queries]

    def _answer(self, query: Query, top: int) -> Answer:
        cues, starts, long, told = self._about(query.context)
        text = query.text
        species = self._species(query, cues, starts)
        found = self._named(text)
        whole = _AROUND.sub("", text)
        for other in (whole, long.get(text, ""), long.get(whole, "")):
            if other and other != text:
                for entity, worth in self._named(other).items():
                    found[entity] = max(worth, found.get(entity, 0.0))
        if (prefixed := _PREFIX.fullmatch(whole)) and not found:
            taxon, whole = PREFIXES[prefixed[1].lower()], prefixed[2]
            found = self._named(whole)
            species[taxon] = species.get(taxon, 0.0) + _PREFIXED
        for pattern, put in _WRITTEN:
            if not found and (other := pattern.sub(put, whole).strip()) not in ("", whole):
                found = self._named(other)
        for entity in found if len(found) > 1 else ():
            own = self._own(entity)
            found[entity] += _TOLD * len(own & told) / (len(own) + 2)  # + 2: a name of one word says less
        scores: dict[float, list[int]] = {}
        for entity, worth in found.items():
            scores.setdefault(round(worth + species.get(self._names.foreign(entity), 0.0), 6), []).append(entity)
        best = ((sorted(scores[score]), score) for score in sorted(scores, reverse=True)[:top])
        return [(tuple(self._names.ids[entity] for entity in tied), score) for tied, score in best]

    def _named(self, text: str) -> dict[int, float]:
        """Entities of this name, each with the worth of its best; by its words only if its letters are no name."""
        names = self._names
        plain = name_key(text)
        found: dict[int, float] = {}
        for row in names.rows(plain):
            worth = 1.0 if names.primary[row] else self._worths[names.kind[row]]
            if names.keys[names.key[row]] == plain:
                worth += _SAME_LETTERS if names.names[row] == text else _SAME_KEY
            else:
                worth += _SAME_WORDS
            entity = names.entity[row]
            found[entity] = max(found.get(entity, 0.0), worth)
        for entity, worth in list(found.items()):
            for other in names.alike(entity):
                found[other] = max(found.get(other, 0.0), worth - _BY_SYMBOL)
        return found

    def _read(self, text: str) -> tuple[list[tuple[int, str]], list[int], dict[str, str], set[str]]:
        """The cues of a text with their places, where its sentences begin, its abbreviations, and its words."""
        found = self._cues.of(text)
        cues = [
            (int(place), self._names.foreigns[owner]) for place, owner in zip(found.places, found.owners, strict=True)
        ]
        return cues, [start for start, _ in split_sentences(text)], expansions(text), _telling(name_key(text))

    def _species(self, query: Query, cues: list[tuple[int, str]], starts: list[int]) -> dict[str, float]:
        """What speaks for each species: inside the mention, nearest in its sentence, in the document, usually."""
        worth: dict[str, float] = dict(self._usual)
        start, end = query.spans[0][0], query.spans[-1][1]
        first, last = _sentence(starts, start, len(query.context))
        times = Counter(taxon for _, taxon in cues)
        for taxon, n in times.items():
            worth[taxon] = worth.get(taxon, 0.0) + _IN_DOCUMENT * n / max(times.values())
        rules: Iterator[tuple[float, list[int]]] = iter([
            (_INSIDE, [place for place, _ in cues if start <= place < end]),
            (_BEFORE, sorted((place for place, _ in cues if first <= place < start), reverse=True)[:1]),
            (_AFTER, sorted(place for place, _ in cues if end <= place < last)[:1]),
        ])  # fmt: skip
        for weight, places in rules:
            if places:
                for taxon in {taxon for place, taxon in cues if place in places}:
                    worth[taxon] = worth.get(taxon, 0.0) + weight
                break
        return worth


def _telling(plain: str) -> set[str]:
    """The words of a key that say something."""
    return {word for word in plain_words(plain) if len(word) > _SHORT}


def _sentence(starts: list[int], at: int, end: int) -> Span:
    number = bisect_right(starts, at)
    return starts[number - 1] if number else 0, starts[number] if number < len(starts) else end
