"""Words that tell the species."""

from __future__ import annotations

from typing import cast

from linkassay.kbs.stored_kb import Kb
from linkassay.linkers.rules.species_words import SpeciesWords


def test_a_small_letter_before_a_capital_marks_a_species() -> None:
    class NoNames:
        def sql(self, query: str) -> list[tuple[str, str]]:
            return []

    cues = SpeciesWords(["", "ncbitaxon:9606", "ncbitaxon:10090"], cast(Kb, NoNames()))
    assert (cues.marks("hMRE11"), cues.marks("mCB2"), cues.marks("MRE11"), cues.marks("human")) == ([1], [2], [], [])
    found = cues.of("in human cells")
    assert found.at(3)[2].tolist() == [0.0, 1.0, 0.0]
    assert found.at(3, cues.marks("mCB2"))[2].tolist() == [0.0, 0.0, 1.0]
