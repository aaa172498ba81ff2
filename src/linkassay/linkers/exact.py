"""Dictionary look-up: the entities that have the mention's text as a name, all tied."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from linkassay.kbs.stored import Kb
from linkassay.linkers.base import Answer, Query
from linkassay.model import Document
from linkassay.text.normalise import key

__all__ = ["Exact", "Normalised"]


class Exact:
    """Names equal to the mention, character by character (BELB listing 1 lower-cases: see `normalised`)."""

    summary = "entities with exactly this name, tied"
    _column = "name"
    _form: Callable[[str], str] = staticmethod(str)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the names of the knowledge base, by entity type."""
        self._ids: dict[tuple[str, str], list[str]] = {}
        self._types: set[str] = set()
        rows = kb.sql(f"select distinct n.{self._column}, e.type, e.id from names n join entities e using (id) "
                      "where not e.obsolete order by e.id")  # fmt: skip
        for name, type_, identifier in rows:
            self._types.add(type_)
            for wanted in (type_, ""):
                self._ids.setdefault((name, wanted), []).append(identifier)

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """One tied group, or no answer. A type that the knowledge base does not know is no restriction."""
        answers: list[Answer] = []
        for query in queries:
            wanted = query.type if query.type in self._types else ""
            ids = self._ids.get((self._form(query.text), wanted))
            answers.append([(tuple(ids), 1.0)] if ids else [])
        return answers


class Normalised(Exact):
    """The same on normalised names: case, white space, punctuation and dashes do not matter."""

    summary = "entities with this name up to case, punctuation and white space, tied"
    _column = "key"
    _form = staticmethod(key)
