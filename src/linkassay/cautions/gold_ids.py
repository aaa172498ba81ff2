"""Gold ids that a knowledge base lacks: how many, which, and what may have happened to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.corpora import Corpus
from linkassay.ids import is_formed
from linkassay.kbs import Kb, kb_names
from linkassay.registry import near_miss

#: Those of the ids of a table `asked` that the knowledge base has, or had and can say what has become of them. The
#: small table is held in memory, however large the knowledge base is.
_KNOWN = (
    "select id from entities where id in (select id from asked) union select old from current "
    "where old in (select id from asked) and new in (select id from entities where id in (select new from current "
    "where old in (select id from asked)))"
)
#: How many of the missing ids are looked at for a reason.
_LOOKED_AT = 2_000
#: A reason explains at least this part of them, or is none.
_EXPLAINED = 0.2


@dataclass(frozen=True, slots=True)
class GoldCoverage:
    """Gold ids, counted per mention and id, and those that the knowledge base lacks, the most frequent first."""

    ids: int
    missing: int
    lacking: tuple[tuple[str, int], ...]

    @property
    def examples(self) -> tuple[str, ...]:
        """The missing ids."""
        return tuple(entity for entity, _ in self.lacking)

    @property
    def share(self) -> float:
        """Which part of the gold ids is missing."""
        return self.missing / self.ids if self.ids else 0.0


def gold_coverage(corpus: Corpus, kb: Kb, split: str = "") -> GoldCoverage:
    """Coverage of one split, or of all."""
    return _coverage(corpus.path, corpus.name, kb.path, split)


@lru_cache(maxsize=64)  # revisions never change, and several runs share them
def _coverage(corpus: Path, name: str, kb: Path, split: str) -> GoldCoverage:
    bare, _, type_ = name.partition("/")
    gold = _gold(Corpus(bare, corpus, type_ or None), split)
    known = _known(Kb(kb), gold)
    lacking = sorted(((entity, n) for entity, n in gold.items() if entity not in known), key=lambda e: (-e[1], e[0]))
    return GoldCoverage(sum(gold.values()), sum(n for _, n in lacking), tuple(lacking))


def _gold(corpus: Corpus, split: str) -> Counter[str]:
    """Distinct gold ids, each with the number of mentions that have it."""
    counts: Counter[str] = Counter()
    for each in [split] if split else corpus.splits:
        table = corpus.table("mentions", each, ["gold", "parent"])
        gold = table["gold"].filter(pc.equal(table["parent"], "")).combine_chunks()
        groups = gold.flatten()
        ids = groups.flatten().dictionary_encode()
        lengths = pc.list_value_length(gold).to_numpy(), pc.list_value_length(groups).to_numpy()
        mention = np.repeat(np.repeat(np.arange(len(gold)), lengths[0]), lengths[1])
        size = max(1, len(ids.dictionary))
        pairs = np.unique(mention * size + ids.indices.to_numpy())  # an id counts once for each mention
        found = np.bincount(pairs % size, minlength=len(ids.dictionary)).tolist()
        counts.update(dict(zip(ids.dictionary.to_pylist(), found, strict=True)))
    return counts


def _known(kb: Kb, ids: Iterable[str]) -> set[str]:
    """Those of some ids that a knowledge base has now, or can follow to one that it has."""
    return {identifier for (identifier,) in _asking(kb, ids).execute(_KNOWN).fetchall()}


def _asking(kb: Kb, ids: Iterable[str]) -> Any:
    """A connection to a knowledge base with some ids as a table `asked`."""
    connection = kb.connect()
    connection.register("asked", pa.table({"id": pa.array(list(ids), pa.string())}))
    return connection


@lru_cache(maxsize=64)
def _reason(lacking: tuple[tuple[str, int], ...], path: Path) -> str:
    kb, counts = Kb(path), dict(lacking[:_LOOKED_AT])
    every = sum(counts.values())
    connection = _asking(kb, counts)
    found = []
    for key, bare, said in _REASONS:
        rows = connection.execute(_alike(key, bare)).fetchall()
        found.append((_sum(counts, rows), said.format(example=rows[0][0], as_=rows[0][1]) if rows else ""))
        if 2 * found[-1][0] > every:  # what explains most of them is the reason
            return found[-1][1]
    gone = connection.execute("select distinct old from current where old in (select id from asked) order by old")
    if removed := gone.fetchall():
        why = f"they are old ids that were removed, e.g. {removed[0][0]}: get it again with --sync {kb.name}"
        found.append((_sum(counts, removed), why))
    found += [(n, f"{name} has {_part(n, every)} of them: is it the right --kb?") for name, n in _elsewhere(counts, kb)]
    explained, why = max(found, key=lambda each: each[0])
    return why if explained >= _EXPLAINED * every else _of_other_form(counts, kb)


def reason(found: GoldCoverage, kb: Kb) -> str:
    """What may have happened to ids that a knowledge base lacks, by what explains most of them; "" if unclear."""
    return _reason(found.lacking, kb.path)


def _sum(counts: Mapping[str, int], rows: Iterable[tuple[str, ...]]) -> int:
    """How many gold ids rows are about that begin with one."""
    return sum(counts[identifier] for identifier, *_ in rows)


def _part(n: int, of: int) -> str:
    return "all" if n == of else f"{100 * n / of:.0f} %"


#: Ids of pages, which are none of Wikidata.
_OF_WIKIPEDIA = re.compile(r"(?i)(https?://)?([\w-]+\.)?(dbpedia|dbr|wikipedia|wiki|enwiki)\b")

#: What is left of an id in a file without a prefix within it and the point of a number.
_BARE = r"""regexp_replace(local, '^.*[/#:_=]|\.0+$', '', 'g')"""
_MEND = ": mend the files, and get them again with --replace"

#: For each reason what ids have in common that are the same but for it, `{}` being what stands behind the prefix; what
#: is left of those in files before; and the words for it.
_REASONS = (
    ("prefix || ltrim({}, '0')", "local", "leading zeros may be lost or added ({example} for {as_})" + _MEND),
    ("prefix || ltrim(lower(translate({}, '-. ', '')), '0')", _BARE,
     "ids may be spelt otherwise ({example} for {as_})" + _MEND),
    ("lower({})", "local", "the prefix may be wrong ({example} for {as_})" + _MEND),
)  # fmt: skip


def _alike(key: str, bare: str) -> str:
    """A query for the ids that agree with an entity in `key`, in their order, and what each is called there."""
    parts = "select id, split_part(id, ':', 1) || ':' as prefix, substr(id, strpos(id, ':') + 1) as local from {}"
    asked = f"select id, {key.format(bare)} as key from ({parts.format('asked')})"
    entities = f"select id, {key.format('local')} as key from ({parts.format('entities')})"
    return (f"with asked_keys as ({asked}) select m.id, min(e.id) from asked_keys m join (select * from ({entities}) "
            "where key in (select key from asked_keys)) e using (key) group by m.id order by m.id")  # fmt: skip


def _elsewhere(counts: Mapping[str, int], kb: Kb) -> list[tuple[str, int]]:
    """Other knowledge bases of the data home that have some of the ids, and how many mentions those are."""
    found = [(name, sum(counts[each] for each in _known(Kb.open(name), counts))) for name in kb_names()
             if name != kb.name]  # fmt: skip
    return [(name, n) for name, n in found if n]


def _of_other_form(missing: Iterable[str], kb: Kb) -> str:
    """Where no id of the knowledge base begins as the missing ones do, or none looks like them."""
    prefixes = sorted({prefix for (prefix,) in kb.sql("select distinct split_part(id, ':', 1) from entities")})
    strange = sorted({each.partition(":")[0] for each in missing} - set(prefixes))
    if kb.name == "wikidata" and all(_OF_WIKIPEDIA.match(each) or _is_title(each) for each in missing):
        return "nothing can match ids of DBpedia or Wikipedia: get it again with --same-as FILE --replace"
    if strange and prefixes:
        return f"no id of {kb.name} begins with {strange[0]}: ({near_miss(strange[0], prefixes)})"
    odd = sorted(each for each in missing if not is_formed(each))
    return f"{odd[0]} has not the form of its knowledge base: is it the right --kb?" if odd else ""


def _is_title(identifier: str) -> bool:
    """Whether an id of Wikidata is none, but may be the name of a page."""
    return identifier.startswith("wikidata:") and not is_formed(identifier)
