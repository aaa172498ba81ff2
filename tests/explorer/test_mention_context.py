"""The text around a mention in the report, cut at sentences."""

from __future__ import annotations

from linkassay.explorer.mention_context import REACH, window

LONG = "one word after another " * 20


def around(before: str, mention: str, after: str) -> list[str]:
    """The text on either side of the mention that the window shows."""
    start = len(before)
    pieces = window(before + mention + after, [(start, start + len(mention))], mention)
    at = pieces.index((mention, True))
    return ["".join(text for text, _ in pieces[:at]), "".join(text for text, _ in pieces[at + 1 :])]


def test_whole_sentences_within_reach() -> None:
    assert around(f"{LONG}ends. Then we saw ", "flu", f" spread. It grew. But {LONG}") == [
        "Then we saw ", " spread. It grew."
    ]  # fmt: skip


def test_abbreviations_do_not_end_a_sentence() -> None:
    before, after = around(f"{LONG}in E. Coli (cf. Fig. 2) the ", "gene", f" of S. Typhi and {LONG}")
    assert (before[0], after[-1]) == ("…", "…")
    assert "word after another in E. Coli (cf. Fig. 2) the " in before
    assert after.startswith(" of S. Typhi and one word")


def test_a_mention_that_begins_its_sentence_has_nothing_before_it() -> None:
    assert around(f"{LONG}ends. ", "Flu", " spread.") == ["", " spread."]
    assert around(f"{LONG}ends\n\n", "Flu", " spread.") == ["", " spread."]


def test_long_sentences_are_cut_at_words() -> None:
    before, after = around(LONG, "flu", f" {LONG}")
    assert before.startswith("…")
    assert after.endswith("…")
    assert LONG.endswith(before[1:])
    assert f" {LONG}".startswith(after[:-1])
    assert {before[1:].split()[0], after[:-1].split()[-1]} <= set(LONG.split())
    assert REACH - 20 < len(before) <= REACH + 1


def test_short_texts_are_shown_whole() -> None:
    assert around(" Cats. Some ", "flu", " too. Dogs. ") == ["Cats. Some ", " too. Dogs."]
