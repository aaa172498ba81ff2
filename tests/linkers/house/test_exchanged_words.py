"""Exchanged words: what names exchange or leave out."""

from __future__ import annotations

from collections.abc import Callable

from linkassay.linkers.house.exchanged_words import ExchangedWords
from linkassay.linkers.house.name_forms import plain_words


def learned(*entities: list[str]) -> Callable[[str], str]:
    """The form of a text by what the names of entities exchange."""
    found = ExchangedWords.of([plain_words(name) for name in names] for names in entities)
    return lambda key: found.form(plain_words(key))


def test_words_that_names_exchange_or_leave_out() -> None:
    organs = ["heart", "liver", "lung", "skin", "bone", "brain", "colon"]
    form = learned(*([f"{o} cancer", f"{o} neoplasms", f"cancer of the {o}", f"malignant {o} cancer"] for o in organs))
    assert form("cancer of jaw") == form("jaw neoplasm") == form("malignant jaw neoplasms")
    assert form("jaw cancer") != form("heart cancer")
    assert form("malignant") == "malignant"  # nothing would be left of it
    numbered = learned(*([f"{o} type 1", f"{o} type 2"] for o in organs))
    assert numbered("gout type 1") != numbered("gout type 2")
