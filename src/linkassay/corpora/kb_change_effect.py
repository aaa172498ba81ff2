"""What a change of a knowledge base does to a corpus."""

from __future__ import annotations

from typing import Any

from linkassay.corpora.stored_corpus import Corpus
from linkassay.kbs import Kb, effect_on_gold_ids


def effect_on_corpus(corpus: Corpus, old: Kb, new: Kb) -> dict[str, Any]:
    """How many gold ids of the corpus each change touches, counted per mention and id, by split (KB-11)."""
    gold = corpus.connect().sql("select split, mention, entity from gold_ids").to_arrow_table()
    return {"corpus": f"{corpus.name}@{corpus.revision}", **effect_on_gold_ids(gold, old, new)}
