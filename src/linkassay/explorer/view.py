"""A view folder, asked: the answers to `cohort`, `mentions`, `mention`, `cases`, `case`, `documents` and `document`.

Every answer is a JSON-ready object. What a person wrote reaches SQL as bound parameters only. Threads may share a
view: each question has a cursor of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from linkassay.explorer import case_questions, document_questions, mention_questions
from linkassay.explorer.mention_filters import MentionFilter
from linkassay.explorer.view_tables import Tables
from linkassay.runs import Run

LIMIT, MOST = 100, 1000  # rows of an answer: if nothing is said, and at most


class View:
    """What can be looked at of a cohort. `connection` is DuckDB's; without one the view makes its own."""

    def __init__(self, folder: Path, runs: Sequence[Run], connection: Any = None) -> None:
        self.folder = folder
        self._tables = Tables(folder, runs, connection)

    def cohort(self) -> dict[str, Any]:
        """What there is: systems, types, slices, sizes, filters."""
        return self._tables.cohort

    def mentions(
        self, *, system: str = "any", outcome: str = "any", against: str = "any", type: str = "any",
        slice: str = "any", distance: str = "any", location: str = "any", set: str = "any", find: str = "",
        document: str = "", sort: str = "", at: str = "", offset: int = 0, limit: int = LIMIT,
    ) -> dict[str, Any]:  # fmt: skip
        """Some of the mentions that pass the filters, and how many do; `at`: those of the page that has this id."""
        asked = MentionFilter(system, outcome, against, type, slice, distance, location, set)
        return mention_questions.mentions(self._tables, asked, find, document, sort, at, offset, limit, MOST)

    def mention(self, id: str) -> dict[str, Any]:
        """One mention: its context, gold, and what each system said."""
        return mention_questions.mention(self._tables, id)

    def cases(
        self, *, system: str = "", nil: str = "ignored", counted: str = "any", group: str = "any", find: str = "",
        document: str = "", sort: str = "", at: str = "", offset: int = 0, limit: int = LIMIT,
    ) -> dict[str, Any]:  # fmt: skip
        """Some of the cases of a system (`=LABEL`; the first that found mentions if none is named)."""
        return case_questions.cases(
            self._tables, system, nil, counted, group, find, document, sort, at, offset, limit, MOST
        )  # fmt: skip

    def case(self, id: str, *, system: str = "", nil: str = "ignored") -> dict[str, Any]:
        """One case in its text."""
        return case_questions.case(self._tables, id, system, nil)

    def documents(
        self, *, find: str = "", section: str = "any", nil: str = "ignored", sort: str = "", offset: int = 0,
        limit: int = LIMIT,
    ) -> dict[str, Any]:  # fmt: skip
        """Some of the documents, with what each system reached in them."""
        return document_questions.documents(self._tables, find, section, nil, sort, offset, limit, MOST)

    def document(self, id: str, *, nil: str = "ignored", systems: Sequence[str] = ()) -> dict[str, Any]:
        """One document with all its marks; of these systems only, if any are named by their labels."""
        return document_questions.document(self._tables, id, nil, systems)
