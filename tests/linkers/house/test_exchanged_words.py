"""Exchanged words: what names exchange or leave out."""

from __future__ import annotations

from linkassay.linkers.house.exchanged_words import ExchangedWords


def test_words_that_names_exchange_or_leave_out() -> None:
    organs = ["heart", "liver", "lung", "skin", "bone", "brain", "colon"]
    found = ExchangedWords(
        [[f"{o} cancer", f"{o} neoplasms", f"cancer of the {o}", f"malignant {o} cancer"] for o in organs]
    )
    assert found.form("cancer of jaw") == found.form("jaw neoplasm") == found.form("malignant jaw neoplasms")
    assert found.form("jaw cancer") != found.form("heart cancer")
    numbered = ExchangedWords([[f"{o} type 1", f"{o} type 2"] for o in organs])
    assert numbered.form("gout type 1") != numbered.form("gout type 2")
