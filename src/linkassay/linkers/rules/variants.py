"""Variants by rule: names and mentions in one form (`text.variants`), the gene in context choosing among the like.

For knowledge bases whose variants have a gene as foreign id; its names are those that the knowledge base gives it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from linkassay.kbs import Kb
from linkassay.linkers.protocol import Answer, Capabilities, Query
from linkassay.linkers.spotting.kb_names import strict
from linkassay.model import Document
from linkassay.text import alleles, name_key, reversed_form, variant_forms

#: How sure a form is: its own, reference and variant exchanged, one allele only. A gene in the document counts more
#: than the form, one nearby more than one elsewhere; an old number in dbSNP is likelier than a recent one.
_SAME, _REVERSED, _ALLELE = 1.0, 0.6, 0.3
_GENE, _NEAR, _DISTANCE = 2.0, 1.0, 150.0
_OLD = 0.1
_WORD = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_MOST_WORDS = 4


class Variants:
    """Looks up forms, then ranks by gene."""

    summary = "variants by rule: HGVS and words in one form, ranked by the gene in context"
    capabilities = Capabilities(links=True)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the forms of all names, and the names of the genes."""
        self._forms: dict[str, dict[str, None]] = {}
        self._alleles: dict[str, dict[str, None]] = {}
        self._genes: dict[str, set[str]] = {}
        rows = kb.sql("select n.name, e.id, e.foreign_id from names n join entities e using (id) where not e.obsolete "
                      "order by e.id, n.name")  # fmt: skip
        for name, identifier, gene in rows:
            if identifier not in self._genes:
                self._genes[identifier] = {gene} if gene else set()
                self._forms.setdefault(identifier.partition(":")[2].lower(), {})[identifier] = None
            for form in variant_forms(name):
                self._forms.setdefault(form, {})[identifier] = None
            for allele in alleles(name):
                self._alleles.setdefault(allele, {})[identifier] = None
        for identifier, gene in kb.sql("select id, other from xrefs where other like 'ncbigene:%' order by all"):
            if identifier in self._genes:
                self._genes[identifier].add(gene)
        self._named: dict[str, dict[str, str]] = {}
        wanted = {gene for genes in self._genes.values() for gene in genes}
        named = kb.sql(
            "select id, name from \"foreign\" where name <> '' union select id, name from names order by all"
        )
        for gene, name in named:
            if gene in wanted:
                self._named.setdefault(name_key(name), {})[gene] = name
        self._about = lru_cache(maxsize=16)(self._read)

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Variants of the mention's forms, those of genes in the document first."""
        return [self._answer(query, top) for query in queries]

    def _answer(self, query: Query, top: int) -> Answer:
        found = self._candidates(query.text)
        if not found:
            return []
        places = self._about(query.context)
        start = query.spans[0][0]
        scores: dict[float, list[str]] = {}
        for identifier, worth in found.items():
            near = [np.abs(places[gene] - start).min() for gene in self._genes[identifier] if gene in places]
            if near:
                worth += _GENE + _NEAR * float(np.exp(-min(near) / _DISTANCE))
            scores.setdefault(round(worth + _OLD / len(identifier), 6), []).append(identifier)
        return [(tuple(sorted(scores[score])), score) for score in sorted(scores, reverse=True)[:top]]

    def _candidates(self, text: str) -> dict[str, float]:
        found: dict[str, float] = {}
        forms = variant_forms(text)
        if forms and forms[0].startswith("rs"):  # it says itself which it is
            return dict.fromkeys(self._forms.get(forms[0], {}), _SAME)
        levels = [
            (_SAME, self._forms, forms),
            (_REVERSED, self._forms, tuple(map(reversed_form, forms))),
            (_ALLELE, self._alleles, () if forms else alleles(text)),
        ]
        for worth, index, spelled in levels:
            for form in spelled:
                for identifier in index.get(form, ()):
                    found.setdefault(identifier, worth)
        return found

    def _read(self, text: str) -> dict[str, np.ndarray]:
        """Where each gene is named in a text."""
        words = [match.span() for match in _WORD.finditer(text)]
        places: dict[str, list[int]] = {}
        for first in range(len(words)):
            for last in range(first, min(first + _MOST_WORDS, len(words))):
                surface = text[words[first][0] : words[last][1]]
                for gene, name in self._named.get(name_key(surface), {}).items():
                    if not strict(name) or surface == name or surface.isupper():
                        places.setdefault(gene, []).append(words[first][0])
        return {gene: np.array(found) for gene, found in places.items()}
