"""Keys of names and sentences: own examples, and properties over any text (KB-3)."""

from __future__ import annotations

import gzip
import time
import unicodedata
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from linkassay.text.normalise import compatible, name_key
from linkassay.text.sentences import split_sentences
from linkassay.text.variants import alleles

# ---------------------------------------------------------------- keys

TYPOGRAPHY = "aB1 -_.'\"()[]+%,/’′–−²½ßİΣé´`™®‰\u0345\u00ad\u200d\u2029"
NAMES = st.text(max_size=30) | st.text(st.sampled_from(TYPOGRAPHY), max_size=12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", ""),
        ("  \t\n", ""),
        ("Type 2   Diabetes\u00a0Mellitus", "type 2 diabetes mellitus"),
        ("Diabetes Mellitus, Type 2", "diabetes mellitus type 2"),
        ("interleukin‐2", "interleukin 2"),
        ("interleukin--2", "interleukin 2"),
        ("interleukin - 2", "interleukin 2"),
        ("inter\u00adleukin\u200b-2", "interleukin 2"),
        ("snake_case", "snake case"),
        ("HER2-", "her2-"),
        ("HER2+/ER-", "her2+ er-"),
        ("(±)-verapamil", "± verapamil"),
        ("A(-)", "a(-)"),
        ("(-a)", "a"),
        ("O2−", "o2-"),
        ("‘Candidatus’ Phytoplasma", "candidatus' phytoplasma"),
        ("2″-deoxy", "2'' deoxy"),
        ("2''-deoxy", "2'' deoxy"),
        ("``quoted``", "quoted''"),
        ("N,N'-diacetyl", "n n' diacetyl"),
        ("IC 0.5 mg.", "ic 0.5 mg"),
        (".5", "5"),
        ("ＦＵＬＬ　ＷＩＤＴＨ", "full width"),
        ("ﬁbrosis", "fibrosis"),
        ("Weiß", "weiss"),
        ("Drug™ X®", "drug x"),
        ("p.Arg97*", "p arg97*"),
        ("β‑catenin", "β catenin"),
        ("A&B #1 @x", "a&b #1 @x"),
        ("…", "..."),
        ("-", "-"),
        ("«»", "«»"),
    ],
)
def test_key(name: str, expected: str) -> None:
    assert name_key(name) == expected


def test_key_tells_apart_what_differs_in_meaning() -> None:
    names = ["na", "na+", "cl-", "(-)-x", "(+)-x", "x", "5'-x", "5-x", "a>b", "a<b", "50%", "50", "α-x", "a-x",
             "2.5", "25", "a b", "b a", "ab", "é", "e"]  # fmt: skip
    assert len({name_key(name) for name in names}) == len(names)


@settings(max_examples=300)
@given(NAMES)
@example("(−)\u0345’")
def test_key_of_a_key_is_itself(name: str) -> None:
    assert name_key(name_key(name)) == name_key(name)


@settings(max_examples=200)
@given(NAMES)
def test_key_is_trimmed_and_empty_only_for_nothing(name: str) -> None:
    found = name_key(name)
    assert bool(found) == bool(name.strip())
    assert found == " ".join(found.split())


@settings(max_examples=100)
@given(st.text(st.characters(max_codepoint=126), max_size=20), st.sampled_from(["\u200b", "\u00ad", "\ufeff"]))
def test_key_does_not_see_what_has_no_width(name: str, invisible: str) -> None:
    assert name_key(name + invisible + "x") == name_key(name + "x")


def test_every_character_has_a_stable_key() -> None:
    for code in range(0x3000):
        for name in (chr(code), f"a{chr(code)}b", f"({chr(code)})"):
            assert name_key(name_key(name)) == name_key(name), hex(code)


def test_keys_of_real_names(shared: Path) -> None:
    with gzip.open(shared / "kbs" / "mesh" / "mesh_id_label_mappings.tsv.gz", "rt", encoding="utf-8") as lines:
        names = {name for line in lines for name in line.rstrip("\n").split("\t")[1].split("|")}
    keys = {name_key(name) for name in names}
    assert "" not in keys
    assert {name_key(k) for k in keys} == keys
    assert len({name.lower() for name in names}) * 0.99 < len(keys) <= len(names)  # headings are distinct names


#: Marks of several classes, letters that they join, and what is taken apart into marks.
MARKS = "\u0301\u0308\u0323\u0327\u0345\u05b0\u0f71\u0f73\u0f81\u0344\u3099\uff9e\u0b47\u0b3e\u1100\u1161aeéậ가ﬁ ½"


@given(st.text(st.sampled_from(MARKS) | st.characters(), min_size=1, max_size=40), st.integers(1, 60))
@example("a\u0301\u0323", 400)
def test_compatible_forms_are_those_of_unicode(text: str, times: int) -> None:
    assert compatible(text * times) == unicodedata.normalize("NFKC", text * times)


@pytest.mark.parametrize("of", [name_key, alleles])
@pytest.mark.parametrize("marks", ["\u0301\u0323", "\u0f71\u0f73\u0301", "\uff9e\u0301"])
def test_a_long_run_of_marks_takes_no_longer_than_other_text(of: Callable[[str], object], marks: str) -> None:
    """Putting 100 000 of them in order one by one takes five seconds."""
    begin = time.process_time()
    of("a" + marks * (100_000 // len(marks)))
    assert time.process_time() - begin < 2


# ---------------------------------------------------------------- sentences

# "|" marks where a sentence ends; white space after it lies between the sentences.
EXAMPLES = [
    "",
    "   ",
    "One.",
    "No full stop",
    "First one.| Second one.",
    "First one!| Second one?| Third one.",
    "Is it?! yes it is.",
    "Growth of E. coli was slow.| S. aureus grew.",
    "We infected mice with S. Typhimurium.| They survived.",
    "Written by J. A. Smith and B. Miller.| It was read.",
    "Patients had hepatitis B.| Rats had none.",
    "They lack vitamin C.| The others do not.",
    "Levels rose to 3.5 mg (P < 0.05).| 12 rats died.",
    "See Fig. 2 and Figs. 3, 4.| Ref. 5 differs.",
    "Some, e.g. Mice and, i.e. Rats, cf. Frogs vs. Toads.| End.",
    "Given approx. 10 mg by Dr. Jones of St. Louis.| It helped.",
    "Lane et al. (1979) and Levine et al. [12] agree.| So do we.",
    "It was found by Lane et al.| Others looked on.",
    "Mice, rats, etc. were used.| Frogs, toads, etc.| They were not.",
    "Injected i.p. and i.v. 5 mg each.| Rats got it s.c.| Mice did not.",
    "Approved by the U.S. Food and Drug Administration in the U.S.| The drug sells.",
    "It is down.| p53 is up.| mRNA is level.| α-Synuclein is gone.",
    "It is down. and so on.",
    "A Stachyamoeba sp. ATCC50324 was grown, and Vibrio spp.| Others too.",
    "It works (as shown. And again) well.| Yes.",
    "(All of this is an aside.)| This is not.",
    'He said "stop."| She did.',
    "“Stop.”| She did.",
    "A stray ( stays open.| Next one.",
    "A stray ) closes.| Next one.",
    "[Brackets. Too.] here.| Next one.",
    "1. First item.| 2. Second item.| b. Third item.| iv. Fourth item.",
    "3.1. Methods were used.| 3.2. So were others.",
    "(A) Cells.| (B) Mice.| c) Rats.| d) Frogs.",
    "It was the last time in 2004.| 2005 was better.",
    "No. 5 is alive.| He said no.| Then he left.",
    "Vol. 3, pp. 12 and p. 4 were lost.| Jan. 5 was cold.",
    "And then ... nothing.| And then ...| Nothing.",
    "Tokenised text .| Next one .| Last .",
    "A value of P = . 05 was used .| Yes .",
    "This was the effect.3,7,8| Others saw none.12-14| So be it.",
    "The space is missing.|Next one.",
    "The version is file.Txt, seen at www.Example.com today.",
    "Prof.Smith came.| He left.",
    "Title of it|\nText of it.|\n\nMore",
    "A wrapped\nline goes on, as does,\nThis one.|\r\nNext.",
    "An empty line (always|\n\nends) it",
    "A wrapped (line in\nBrackets) goes on.",
    "第一句。|第二句！|第三句",
    "Ends in spaces.  ",
    "U.S. first.| Ph.D. students.| In the U.K.| However, not.",
    "Chlorine (Cl.).| Sodium.",
    "10 mg/kg.| 5 min. 3 times.| 5 min.| Then rest.",
    "Set vs. < 5 and ca. + 3.| Done.",
]  # fmt: skip


@pytest.mark.parametrize("marked", EXAMPLES)
def test_sentences(marked: str) -> None:
    text = marked.replace("|", "")
    expected = [part.strip() for part in marked.split("|") if part.strip()]
    assert [text[start:end] for start, end in split_sentences(text)] == expected


PIECES = ["a", "Bc", "p53", "E", "1", "12", ".", "...", "!", "?", " ", "  ", "\n", "\n\n", "\r\n", "(", ")", "[", "]",
          '"', "'", ",", "e.g.", "et al.", "Fig.", "U.S.", "sp.", "α", "。", "\u2028", "\x1f", "\u3000", "-",
          "abc"]  # fmt: skip
TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@settings(max_examples=300)
@given(TEXTS)
def test_sentences_cover_the_text_once(text: str) -> None:
    spans = split_sentences(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(one[1] <= two[0] for one, two in pairwise(spans))
    covered = {at for start, end in spans for at in range(start, end)}
    assert all(character.isspace() for at, character in enumerate(text) if at not in covered)


@pytest.mark.parametrize(
    "piece",
    [".", " ", "\n", ". ", "a. ", "1. ", "(", ")", "()", ".)", "([", "A.", "A. ", "\n ", "abc.", "abc.1,", "abc.1 ",
     "abc.Abc", "?!", '."', "a.\n", "e.g. ", "。", "x", "1.", ".'"],
)  # fmt: skip
def test_sentences_take_linear_time(piece: str) -> None:
    start = time.process_time()
    split_sentences(piece * 20_000)
    split_sentences("Word. " + piece * 20_000 + "x. Word")
    assert time.process_time() - start < 5  # a quadratic pass takes far longer


def test_no_real_mention_is_cut(shared: Path) -> None:
    """A mention that crosses the end of a sentence is nearly always a sentence cut wrongly."""
    total, cut = 0, []
    folder = shared / "corpora" / "pubtator_reannotated"
    for name in ("SPECIES_Train", "SPECIES_Test", "tmVar3_Train", "tmVar3_Test"):
        text, spans = "", []
        for line in gzip.open(folder / f"{name}.PubTator.gz", "rt", encoding="utf-8"):
            fields = line.rstrip("\n").split("\t")
            if "|t|" in line:
                text = line.rstrip("\n").split("|t|", 1)[1]
            elif "|a|" in line:
                text += " " + line.rstrip("\n").split("|a|", 1)[1]
                spans = split_sentences(text)
            elif len(fields) > 4 and fields[1].isdigit():
                total += 1
                start, end = int(fields[1]), int(fields[2])
                if not any(s <= start and end <= e for s, e in spans):
                    cut.append(text[start:end])
    assert total > 8_000
    assert len(cut) == 4  # all of the one document whose offsets are shifted in the source
