"""Gold ids that a knowledge base lacks: how many, which, and what may have happened to them."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay.corpora import Corpus
from linkassay.kbs import Kb, kb_names
from linkassay.registry import near_miss

#: Ids that the knowledge base has, or had and can say what has become of them.
_KNOWN = "select id from entities union all select old from current where new in (select id from entities)"
#: How many of the missing ids are looked at for a reason.
_LOOKED_AT = 2_000
#: A reason explains at least this part of them, or is none.
_EXPLAINED = 0.2


@dataclass(frozen=True, slots=True)
class GoldCoverage:
    """Gold ids, counted per mention and id, and those that the knowledge base lacks, the most frequent first."""

    ids: int
    missing: int
    examples: tuple[str, ...]

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
    connection = _connected(kb).cursor()
    connection.register("gold", gold)
    rows = connection.execute(
        f"select entity, n from gold where entity not in ({_KNOWN}) order by n desc, entity"
    ).fetchall()
    total = connection.execute("select coalesce(sum(n), 0) from gold").fetchone()[0]
    return GoldCoverage(int(total), sum(n for _, n in rows), tuple(entity for entity, _ in rows))


@lru_cache(maxsize=4)  # several corpora are held to one knowledge base
def _connected(kb: Path) -> Any:
    return Kb(kb).connect()


def _gold(corpus: Corpus, split: str) -> pa.Table:
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
    return pa.table({"entity": pa.array(list(counts), pa.string()), "n": pa.array(list(counts.values()), pa.int64())})


def reason(missing: tuple[str, ...], kb: Kb) -> str:
    """What may have happened to ids that a knowledge base lacks, by what explains most of them; "" if unclear."""
    looked_at = missing[:_LOOKED_AT]
    connection = kb.connect()
    connection.register("missing", pa.table({"id": pa.array(looked_at, pa.string())}))
    found = []
    for key, said in _REASONS:
        count, example, as_ = connection.execute(_alike(key)).fetchone()
        found.append((count, said.format(example=example, as_=as_)))
        if 2 * count > len(looked_at):  # what explains most of them is the reason
            return str(found[-1][1])
    removed, example = connection.execute(
        "select count(*), min(id) from missing where id in (select old from current)"
    ).fetchone()
    found.append((removed, f"they are old ids, removed from the knowledge base, e.g. {example}"))
    found += [(n, f"{other} has {n:,} of them: is it the right --kb?") for other, n in _elsewhere(looked_at, kb)]
    explained, why = max(found, key=lambda each: each[0])
    return why if explained >= _EXPLAINED * len(looked_at) else _other_prefix(looked_at, kb)


#: Ids of pages, which are none of Wikidata.
_OF_WIKIPEDIA = re.compile(r"(?i)(https?://)?([\w-]+\.)?(dbpedia|dbr|wikipedia|wiki|enwiki)\b")

#: For each reason what ids have in common that are the same but for it, and the words for it.
_REASONS = (
    ("prefix || ltrim(local, '0')", "leading zeros may be lost or added ({example} for {as_})"),
    ("prefix || replace(replace(replace(lower(local), '-', ''), '.', ''), '_', '')",
     "ids may be spelt otherwise ({example} for {as_})"),
    ("lower(local)", "the prefix may be wrong ({example} for {as_})"),
)  # fmt: skip


def _alike(key: str) -> str:
    """A query for the missing ids that agree with an entity in `key`: how many, the first, what it is called there."""
    parts = "select id, split_part(id, ':', 1) || ':' as prefix, substr(id, strpos(id, ':') + 1) as local from {}"
    keyed = f"select id, {key} as key from ({parts})"
    return (f"select count(distinct m.id), min(m.id), arg_min(e.id, m.id) from ({keyed.format('missing')}) m "
            f"join ({keyed.format('entities')}) e using (key)")  # fmt: skip


def _elsewhere(missing: tuple[str, ...], kb: Kb) -> list[tuple[str, int]]:
    """Other knowledge bases of the data home that have some of the ids."""
    found = [(name, known_by(Kb.open(name), missing)) for name in kb_names() if name != kb.name]
    return [(name, n) for name, n in found if n]


def known_by(kb: Kb, ids: tuple[str, ...]) -> int:
    """How many of some ids a knowledge base has."""
    connection = kb.connect()
    connection.register("asked", pa.table({"id": pa.array(ids, pa.string())}))
    return int(connection.execute(f"select count(*) from asked where id in ({_KNOWN})").fetchone()[0])


def _other_prefix(missing: tuple[str, ...], kb: Kb) -> str:
    """Where no id of the knowledge base begins as the missing ones do."""
    prefixes = sorted({prefix for (prefix,) in kb.sql("select distinct split_part(id, ':', 1) from entities")})
    strange = sorted({each.partition(":")[0] for each in missing} - set(prefixes))
    if not strange or not prefixes:
        return ""
    if kb.name == "wikidata" and all(_OF_WIKIPEDIA.match(each) for each in missing):
        return "nothing can match ids of DBpedia or Wikipedia: get it again with --same-as FILE"
    return f"no id of {kb.name} begins with {strange[0]}: ({near_miss(strange[0], prefixes)})"
