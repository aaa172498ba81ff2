"""Dictionary look-up: the entities that have the mention's text as a name, all tied (LINKER-3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from linkassay.kbs import Kb
from linkassay.linkers.entity_types import TYPED
from linkassay.linkers.protocol import Answer, Capabilities, Query
from linkassay.model import Document
from linkassay.text import name_key


class Exact:
    """Names equal to the mention, character by character (BELB listing 1 lower-cases: see `normalised`)."""

    summary = "entities with exactly this name, tied"
    capabilities = Capabilities(links=True)
    _column = "name"
    _form: Callable[[str], str] = staticmethod(str)

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Index the names of the knowledge base."""
        self._named: dict[str, list[tuple[str, str]]] = {}
        rows = kb.sql(f"select distinct n.{self._column}, type, id from names n join {TYPED} using (id) order by id")
        for name, type_, identifier in rows:
            self._named.setdefault(name, []).append((type_ or "", identifier))
        self._types = {type_ or "" for _, type_, _ in rows}

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """One tied group, or no answer. A type that mention, entity or knowledge base lack is no restriction."""
        answers: list[Answer] = []
        for query in queries:
            fitting = ("", query.type) if query.type and query.type in self._types else self._types
            named = self._named.get(self._form(query.text), ())
            ids = tuple(identifier for type_, identifier in named if type_ in fitting)
            answers.append([(ids, 1.0)] if ids else [])
        return answers


class Normalised(Exact):
    """The same on normalised names: case, white space, punctuation and dashes do not matter."""

    summary = "entities with this name up to case, punctuation and white space, tied"
    _column = "key"
    _form = staticmethod(name_key)
