"""Short forms that a text does not define."""

from __future__ import annotations

from linkassay.linkers.house.short_forms import short_forms, written_out


def test_capitals_that_the_text_does_not_define_may_stand_for_a_mention() -> None:
    mentions = ["overactive bladder", "OAB", "divalproex", "DVP", "IL", "interleukin"]
    found = short_forms("Nothing is defined here.", mentions, {"il"})
    assert found == {"OB": "overactive bladder", "OAB": "overactive bladder", "DVP": "divalproex"}
    assert written_out("OAB/DVP-induced", found) == "overactive bladder/divalproex-induced"
