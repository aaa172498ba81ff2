"""Which entities a name may stand for, by the types of mention and entity."""

from __future__ import annotations

from pathlib import Path

import pytest

from linkassay.linkers.protocol import Query
from linkassay.linkers.strings.exact import Exact, Normalised
from tests.scoring_helpers import knowledge


@pytest.mark.parametrize("linker_class", [Exact, Normalised])
def test_a_type_that_is_not_said_is_no_restriction(linker_class: type[Exact], home: Path) -> None:
    kb = knowledge({"t:1": ["ache"], "t:2": ["ache"], "t:3": ["ache"]}, t2={"type": ""}, t3={"type": "gene"})
    linker = linker_class()
    linker.prepare(kb, ())
    types = ("", "disease", "gene", "unheard-of")
    answers = linker.link([Query("ache", type_, (), "d", "") for type_ in types], 10)
    assert [answer[0][0] for answer in answers] == [
        ("t:1", "t:2", "t:3"), ("t:1", "t:2"), ("t:2", "t:3"), ("t:1", "t:2", "t:3")
    ]  # fmt: skip
