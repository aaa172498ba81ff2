"""Synchronise a corpus with a revision of a knowledge base (CORPUS-3; BELB appendix F, table 10)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from linkassay.corpora.preparation import without
from linkassay.kbs import Kb
from linkassay.model import Document, Gold, Mention


class Sync:
    """Replaces merged ids and drops removed ones; a mention left without any id goes.

    An id is *removed* when the knowledge base neither has it nor knows a successor. NIL mentions
    stay. The ids as the source wrote them stay in `Mention.raw`. Counts are of (mention, id) pairs.
    """

    def __init__(self, kb: Kb, counts: Counter[str]) -> None:
        self._kb, self._counts = kb, counts
        self._known = {row[0] for row in kb.sql("select id from entities")}

    def document(self, split: str, document: Document) -> Document:
        """The document with its gold ids as the knowledge base has them now."""
        changed, gone = [], set()
        for mention in document.annotations:
            gold = self._gold(split, mention)
            if mention.gold and not gold:
                gone.add(mention.id)
            changed.append(replace(mention, gold=gold))
        self._counts[f"{split}: mentions left without id, dropped"] += len(gone)
        return without(replace(document, annotations=tuple(changed)), gone)

    def _gold(self, split: str, mention: Mention) -> Gold:
        alternatives: dict[frozenset[str], None] = {}
        fate: dict[str, tuple[str, ...]] = {}
        for identifier in mention.ids:
            now = self._kb.current(identifier)
            fate[identifier] = tuple(i for i in now if i in self._known)
            if not fate[identifier]:
                self._counts[f"{split}: ids removed"] += 1
            elif now != (identifier,):
                self._counts[f"{split}: ids replaced"] += 1
        for ids in mention.gold:
            current = frozenset(now for identifier in ids for now in fate[identifier])
            if current:
                alternatives[current] = None
        return tuple(alternatives)
