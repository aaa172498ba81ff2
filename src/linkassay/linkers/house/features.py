"""The features of candidates: how their names compare, and what training, document and knowledge base say of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkassay.linkers.house.asked_mentions import AskedMention
from linkassay.linkers.house.entity_table import EntityTable
from linkassay.linkers.house.name_index import NameIndex
from linkassay.linkers.house.string_features import STRING_FEATURES
from linkassay.linkers.house.training_memory import Recalled
from linkassay.store import MappedFolder

Floats = NDArray[np.floating[Any]]
Integers = NDArray[np.integer[Any]]

_FURTHER = (
    "share", "seen", "loose share", "loose seen", "entity prior", "kind prior", "category prior", "type fits",
    "type unknown", "foreign prior", "foreign cue", "foreign near", "foreign nearest", "foreign company", "company",
    "relatives", "names", "homonyms", "depth", "children", "age", "expanded", "length", "upper", "mixed case", "digits",
    "words", "text seen", "topic", "near", "plain share", "alias", "word share", "over", "over own",
    "fits",
)  # fmt: skip
#: Every feature of a candidate, in order; those of its strings twice: of the mention, and of the mention written out.
FEATURES = (*STRING_FEATURES, *(f"long {name}" for name in STRING_FEATURES), *_FURTHER, "best share", "best string")

#: Where the features of strings are; these come first.
KEY, LONG_KEY = FEATURES.index("key"), FEATURES.index("long key")
_LONG_COMPACT, _LONG_KIND = FEATURES.index("long compact"), FEATURES.index("long kind")
_LONG_COSINE, _LONG_RATIO = FEATURES.index("long cosine"), FEATURES.index("long ratio")


class Priors(NamedTuple):
    """What training mentions tend to mean: by kind of name, by category, by foreign id."""

    kind: Floats
    category: Floats
    foreign: Floats

    @classmethod
    def unknown(cls, index: NameIndex) -> Priors:
        """Before anything is learned."""
        sizes = map(len, (index.kinds, index.entities.categories, index.entities.foreigns))
        return cls(*map(np.zeros, sizes))

    @classmethod
    def learned(cls, index: NameIndex, mentions: Sequence[AskedMention]) -> Priors:
        """From mentions with gold."""
        gold = np.array([entity for mention in mentions for entity in mention.gold])
        entities = index.entities
        usual = np.bincount(entities.category, minlength=len(entities.categories)) / len(entities.ids)
        found = np.bincount(entities.category[gold], minlength=len(usual)) / len(gold)
        return cls(
            kind=_kind_prior(index, mentions),
            category=np.log((found + 0.001) / (usual + 0.001)),
            foreign=np.log1p(np.bincount(entities.foreign[gold], minlength=len(entities.foreigns))),
        )

    def store(self, files: MappedFolder) -> None:
        """Write them."""
        for name, values in self._asdict().items():
            files.put_array(name, values)

    @classmethod
    def opened(cls, files: MappedFolder) -> Priors:
        """Those that were written."""
        return cls(*(files.array(name) for name in cls._fields))


def _kind_prior(index: NameIndex, mentions: Sequence[AskedMention]) -> Floats:
    """How much more often names of a kind are right than wrong, where they equal a mention."""
    right, wrong = np.ones(len(index.kinds)), np.ones(len(index.kinds))
    for mention in mentions:
        number = index.key.get(mention.key)
        if number is not None:
            for row in range(index.rows.starts[number], index.rows.starts[number + 1]):
                (right if index.rows.entity[row] in mention.gold else wrong)[index.rows.kind[row]] += 1
    return np.log(right / wrong)


def feature_table(strings: Floats, further: Mapping[str, ArrayLike]) -> Floats:
    """All features of the candidates of a mention, from those of strings and the others by name."""
    table = np.empty((len(strings), len(_FURTHER)))
    for n, name in enumerate(_FURTHER):
        table[:, n] = further[name]
    best = strings[:, _LONG_COSINE] + strings[:, _LONG_RATIO]
    relative = np.stack([column - column.max(initial=0.0) for column in (table[:, 0], best)], axis=1)
    return np.concatenate([strings, table, relative], axis=1)


def of_training(entities: Sequence[int], recalled: Recalled, meant: Counter[int]) -> dict[str, ArrayLike]:
    """What training says of each entity; `meant`: how often it was, by whatever text."""
    return {
        "share": _shares(entities, recalled.long),
        "seen": [recalled.long.get(entity, 0) for entity in entities],
        "loose share": _shares(entities, recalled.loose),
        "loose seen": [recalled.loose.get(entity, 0) for entity in entities],
        "plain share": _shares(entities, recalled.plain),
        "near": [recalled.similar.get(entity, 0.0) for entity in entities],
        "word share": [recalled.by_words.get(entity, 0.0) for entity in entities],
        "entity prior": np.log1p([meant.get(entity, 0) for entity in entities]),
        "text seen": bool(recalled.long),
    }


def _shares(entities: Sequence[int], counts: Counter[int]) -> ArrayLike:
    total = sum(counts.values())
    return [counts.get(entity, 0) / total for entity in entities] if total else 0.0


def of_kb(
    entities: EntityTable, priors: Priors, mention: AskedMention, candidates: Integers, strings: Floats
) -> dict[str, ArrayLike]:
    """What the knowledge base says of candidates, and training of the likes of them."""
    types = [entities.types[number] for number in entities.type[candidates]]
    same = (strings[:, LONG_KEY] > 0) | (strings[:, _LONG_COMPACT] > 0)
    return {
        "kind prior": priors.kind[strings[:, _LONG_KIND].astype(np.int64)],
        "category prior": priors.category[entities.category[candidates]],
        "foreign prior": priors.foreign[entities.foreign[candidates]],
        "type fits": [type_ == mention.type for type_ in types],
        "type unknown": [type_ == "" for type_ in types],
        "names": np.log1p(entities.name_count[candidates]),
        "homonyms": np.log1p(same.sum()),
        "depth": entities.depth[candidates],
        "children": np.log1p(entities.children[candidates]),
        "age": entities.age[candidates],
    }


def of_text(mention: AskedMention) -> dict[str, ArrayLike]:
    """What the mention looks like: the same for all its candidates, by which a ranker may weigh the others."""
    text = mention.text
    return {
        "expanded": mention.plain.key != mention.long.key,
        "length": len(text),
        "upper": text.isupper(),
        "mixed case": text[:1].isupper() and not text.isupper(),
        "digits": any(map(str.isdigit, text)),
        "words": len(text.split()),
    }
