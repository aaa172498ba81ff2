"""Abbreviations: definitions found in text, sources of expansions, and both against real data (ABBR-1, ABBR-2)."""

from __future__ import annotations

import bz2
import doctest
import gzip
import itertools
import json
import pickle
import re
import subprocess
import sys
import time
from pathlib import Path

import bench.abbreviations
import pytest
from bench.abbreviations import evaluate, gold
from hypothesis import given
from hypothesis import strategies as st

from linkassay.errors import DataError, UsageError
from linkassay.model import Span
from linkassay.text.abbreviations import abbreviation_pairs, abbreviation_source, expand, expansions
from linkassay.text.abbreviations import schwartz_hearst as rules
from linkassay.text.abbreviations.sources import read_ab3p
from tests.conftest import ROOT
from tests.corpora.catalog.test_real import load
from tests.corpora.catalog.test_real_cli import run as command
from tests.helpers import raw


@pytest.mark.parametrize(
    ("text", "found"),
    [
        # both orders, all brackets
        ("The tumour necrosis factor (TNF) rose.", {"TNF": "tumour necrosis factor"}),
        ("TNF (tumour necrosis factor) rose.", {"TNF": "tumour necrosis factor"}),
        ("The tumour necrosis factor [TNF] rose.", {"TNF": "tumour necrosis factor"}),
        ("NIDDK (National Institute of Diabetes and Digestive and Kidney Diseases) paid.",
         {"NIDDK": "National Institute of Diabetes and Digestive and Kidney Diseases"}),
        # the words that the characters account for best, rather than the fewest
        ("some proton pump inhibitors (PPIs) and", {"PPIs": "proton pump inhibitors"}),
        ("with idiopathic interstitial pneumonias (IIPs)", {"IIPs": "idiopathic interstitial pneumonias"}),
        # several forms in one bracket, introduced or followed by other matters
        ("in congestive heart failure (CHF; n = 7)", {"CHF": "congestive heart failure"}),
        ("in congestive heart failure (hereafter CHF)", {"CHF": "congestive heart failure"}),
        ("in congestive heart failure (CHF or HF)", {"CHF": "congestive heart failure", "HF": "heart failure"}),
        ("a low odds ratio (OR = 0.3)", {"OR": "odds ratio"}),
        ("HIV (human immunodeficiency virus; type 1)", {"HIV": "human immunodeficiency virus"}),
        # brackets in brackets; a form reaches neither out of the bracket around it nor into the one before
        ("in all (mean of the body mass index [BMI], 25) cases", {"BMI": "body mass index"}),
        ("given interleukin (IL) and magnesium (Mg)", {"IL": "interleukin", "Mg": "magnesium"}),
        ("human immunodeficiency virus (HIV)-infected men", {"HIV": "human immunodeficiency virus"}),
        ("had (AIDS)-related complex (ARC)", {"ARC": "(AIDS)-related complex"}),
        ("of clozapine(CLP) in", {"CLP": "clozapine"}),
        # hyphens, digits, prefixes, quotes, possessive and plural s
        ("of interleukin-10 (IL-10)", {"IL-10": "interleukin-10"}),
        ("a two-dimensional (2D) gel", {"2D": "two-dimensional"}),
        ("of 5-hydroxytryptamine (5-HT)", {"5-HT": "5-hydroxytryptamine"}),
        ("of 4,4'-di-isothiocyano-stilbene disulphonate (DIDS)",
         {"DIDS": "4,4'-di-isothiocyano-stilbene disulphonate"}),
        ("an anti-human immunodeficiency virus (HIV) drug", {"HIV": "human immunodeficiency virus"}),
        ('the "astigmatic intensity equation" (AIE)', {"AIE": "astigmatic intensity equation"}),
        ("Angiotensin II (Ang II)", {"Ang II": "Angiotensin II"}),
        ("chronic lobular hepatitis (C.L.H.)", {"C.L.H.": "chronic lobular hepatitis"}),
        # single capitals, short small letters
        ("the nitrogen (N) in soil", {"N": "nitrogen"}),
        ("each amino acid (aa) of", {"aa": "amino acid"}),
        ("given intravenously (i.v.) to", {"i.v.": "intravenously"}),
        ("by protein kinase A (PKA)", {"PKA": "protein kinase A"}),
        # a line break in a form
        ("The tumour necrosis\nfactor (TNF) rose.", {"TNF": "tumour necrosis factor"}),
        # the first definition counts, and case counts
        ("cystic fibrosis (CF), carbon fibre (CF), cold front (Cf)", {"CF": "cystic fibrosis", "Cf": "cold front"}),
        # no definitions
        ("fell in all patients (P < 0.05) and", {}),
        ("a pressure fall (P = 0.05) and", {}),
        ("in group two (group 2) and", {}),
        ("given ten milligrams (10 mg) or", {}),
        ("as told in the first figure (Fig. 1) and", {}),
        ("by processes (process) and", {}),
        ("in some examples given (e.g. this one)", {}),
        ("Tumours are necrotic. Factor (TNF) rose.", {}),
        ("the hydrogen, 3 hours of [3H]nicotine", {}),
        ("the alpha beta and (AB) was", {}),
        ("the CHF (CHF) was", {}),
        ("the CF gene (CFTR) was", {}),
        ("()", {}), ("(AB)", {}), ("AB ()", {}), (") AB (", {}), ("AB (ab", {}), ("", {}),
    ],
)  # fmt: skip
def test_definitions(text: str, found: dict[str, str]) -> None:
    assert expansions(text) == found


def test_a_form_is_at_most_twelve_characters_and_two_words() -> None:
    assert expansions("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu (ABGDEZETIKLM)") != {}
    assert expansions("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu (ABGDEZETIKLMN)") == {}
    assert expansions("alpha beta gamma (A B G)") == {}


def test_a_long_form_has_as_many_words_as_schwartz_and_hearst_let_it() -> None:
    """At most min(|A| + 5, 2 |A|) words."""
    assert expansions("alpha of the beta (AB)") == {"AB": "alpha of the beta"}
    assert expansions("alpha of the of beta (AB)") == {}


words = st.sampled_from(
    ["alpha", "beta", "Gamma", "A", "AB", "(", ")", "[", "]", "(AB)", "(ABG)", "(a b)", "AB (", "İ", "ß", "-", ",", ";",
     "\n", ". ", "\"", "2", "two", "di", "(2D)", "anti-", "/", "of", "the", "(A, AB or ABG)", "is"]
)  # fmt: skip


@given(st.lists(words, max_size=25).map(" ".join) | st.lists(words, max_size=25).map("".join) | st.text(max_size=80))
def test_every_pair_stands_in_the_text_and_keeps_the_rules(text: str) -> None:
    found = abbreviation_pairs(text)
    assert [p.short_span for p in found] == sorted({p.short_span for p in found})
    for pair in found:
        assert text[slice(*pair.short_span)] == pair.short
        assert text[slice(*pair.long_span)] == pair.long
        assert pair.short_span[1] <= pair.long_span[0] or pair.long_span[1] <= pair.short_span[0]
        assert len(pair.long) > len(pair.short)
        assert pair.long == pair.long.strip()
        left = iter(pair.long.lower())  # consumed by `in`: each letter after the one before
        assert all(mark in left for mark in pair.short.lower() if "a" <= mark <= "z"), pair


def slow_align(marks: list[str], long: str, spans: list[Span]) -> tuple[float, int] | None:
    """The best of all alignments, each tried and weighed by itself."""
    word = {at: number for number, span in enumerate(spans) for at in range(*span)}
    found = []
    for places in itertools.combinations(sorted(word), len(marks)):
        if not all(rules._stands_for(m, long, at) for m, at in zip(marks, places, strict=True)):
            continue
        first = [at == 0 or not long[at - 1].isalnum() for at in places]
        if not first[0] or long[slice(*spans[word[places[0]]])] in rules._SMALL:
            continue
        worth = rules._FIRST
        for before, at, is_first in zip(places, places[1:], first[1:], strict=False):
            worth += rules._FIRST if is_first else rules._NEXT if at == before + 1 else rules._LATER
        touched = {word[at] for at in places}
        for number in range(min(touched), len(spans)):
            if number not in touched:
                small = long[slice(*spans[number])] in rules._SMALL
                worth -= rules._SKIPPED_SMALL if small else rules._SKIPPED
        found.append((worth, places[0]))
    return max(found, default=None)


@given(
    st.text(alphabet="abcd12", min_size=1, max_size=4).map(list),
    st.lists(st.sampled_from(["a", "b", "ab", "abc", "b-a", "of", "the", "two", "dca", "cab"]), min_size=1, max_size=5),
)
def test_the_best_alignment_is_the_best_of_all(marks: list[str], tokens: list[str]) -> None:
    long = " ".join(tokens)
    starts = [0, *itertools.accumulate(len(t) + 1 for t in tokens)]
    spans = [(a, a + len(t)) for a, t in zip(starts, tokens, strict=False)]
    worth, start = rules._align(marks, long, spans)
    assert (slow_align(marks, long, spans) or rules._NOTHING) == (worth, start)


HOSTILE = [
    "(", ")", "()", "[(", "(AB) ", "AB (ab c ", "alpha beta (AB) ", "a(A)", "aaaa(AA)", "i (i, i, i, i) ", "AB (x, ",
    "(  ",
]  # fmt: skip


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_takes_time_in_proportion_to_its_length(unit: str) -> None:
    """Four times the text: about four times the time, where a quadratic pass would take sixteen."""

    def seconds(n: int) -> float:
        text = unit * n + "a" * 300 + ")" * n
        taken = []
        for _ in range(2):
            begin = time.process_time()
            abbreviation_pairs(text)
            taken.append(time.process_time() - begin)
        return min(taken)

    assert seconds(8_000) < 9 * seconds(2_000) + 0.05


def test_a_hundred_thousand_brackets() -> None:
    begin = time.process_time()
    assert abbreviation_pairs("(" * 100_000 + "AB" + ")" * 100_000) == []
    assert len(abbreviation_pairs("alpha beta (AB) " * 20_000)) == 20_000
    assert time.process_time() - begin < 30


# --- sources ---------------------------------------------------------------------------------------------------


def test_expansion_is_of_the_whole_mention_case_sensitive_and_of_one_level() -> None:
    found = {"CF": "cystic fibrosis", "CFP": "CF"}
    assert [expand(m, found) for m in ("CF", "cf", "CF gene", "CFP", "")] == [
        "cystic fibrosis",
        "cf",
        "CF gene",
        "CF",
        "",
    ]


PAIRS = {"1": {"CF": "cystic fibrosis"}, "2": {}}
OUTPUT = """1
Cystic fibrosis (CF).
  CF|cystic fibrosis|0.99
More of it.
  CF|carbon fibre|0.9

2|t|None here.
2|a|Nor here.
"""


@pytest.mark.parametrize("name", ["pairs.json", "pairs.json.gz", "pairs.json.bz2", "pairs.txt", "pairs.txt.gz"])
def test_files(tmp_path: Path, name: str) -> None:
    data = (json.dumps(PAIRS) if "json" in name else OUTPUT).encode()
    packed = gzip.compress(data) if name.endswith("gz") else bz2.compress(data) if name.endswith("bz2") else data
    (tmp_path / name).write_bytes(packed)
    source = abbreviation_source(str(tmp_path / name))
    assert source.of("1", "") == {"CF": "cystic fibrosis"}
    assert source.of("2", "") == {}
    assert source.of("3", "cystic fibrosis (CF)") == {}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"1": {"CF": 3}}', "pairs.x: document '1': 'CF' needs a long form that is a text"),
        (b'{"1": {"": "nothing"}}', "'' needs a long form"),
        (b'{"1": ["CF"]}', "document '1': expected an object of short and long forms"),
        (b"[1]", "expected an object of document ids"),
        (b'{"1": {"CF": "cys', "pairs.x:1: not valid JSON (Unterminated string"),
        (b'{"1": ' + b"[" * 200_000, "not valid JSON"),
        (b"{}", "no document"),
        (b"", "no document"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"Some text about it.\n", "pairs.x:1: expected the id of a document"),
        (b"1\nText.\n  CF|\n", "pairs.x:3: expected short|long, found 'CF|'"),
        (b"  CF|cystic fibrosis\n", "pairs.x:1: expected the id of a document"),
    ],
)
def test_garbage_is_an_error_that_says_where(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "pairs.x").write_bytes(data)
    with pytest.raises(DataError) as caught:
        abbreviation_source(str(tmp_path / "pairs.x"))
    assert message.lower() in str(caught.value).lower()


def test_a_truncated_file(tmp_path: Path) -> None:
    (tmp_path / "pairs.json.gz").write_bytes(gzip.compress(json.dumps(PAIRS).encode())[:-9])
    with pytest.raises(DataError, match=r"pairs\.json: truncated or damaged"):
        abbreviation_source(str(tmp_path / "pairs.json.gz"))


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        for block in read_ab3p(raw("x", data)):
            assert block.id
            assert all(short and long for short, long in block.pairs)
    except DataError:
        pass


@pytest.mark.parametrize(
    ("spec", "help_"), [("schwarz-hearst", "'schwartz-hearst'"), ("AB3P", "known are"), ("", "known")]
)
def test_unknown_names(spec: str, help_: str) -> None:
    with pytest.raises(UsageError, match=help_):
        abbreviation_source(spec)


def test_a_folder_of_several_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(UsageError, match="a file is needed"):
        abbreviation_source(str(tmp_path))


def test_sources_can_be_sent_to_other_processes() -> None:
    text = "Cystic fibrosis (CF)."
    for name in ("schwartz-hearst", "ab3p"):
        assert pickle.loads(pickle.dumps(abbreviation_source(name))).of("1", text) == {"CF": "Cystic fibrosis"}


def test_ab3p_survives_what_would_end_it(capfd: pytest.CaptureFixture[str]) -> None:
    text = "Cystic  fibrosis (CF).\n" + "word " * 30_000 + "(AB)\n" + "More of alpha beta (AB). " * 5_000
    assert abbreviation_source("ab3p").of("1", text) == {"CF": "Cystic fibrosis", "AB": "alpha beta"}
    assert capfd.readouterr() == ("", "")


def test_ab3p_that_is_not_installed_says_what_to_install() -> None:
    code = """
import sys
sys.modules["pyab3p"] = None
from linkassay.text.abbreviations import abbreviation_source
try:
    abbreviation_source("ab3p")
except Exception as error:
    print(type(error).__name__, error)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.startswith("UsageError abbreviations 'ab3p' need pyab3p")
    assert "pip install 'linkassay[ab3p]'" in result.stdout


# --- real data -------------------------------------------------------------------------------------------------


def test_med1250(shared: Path) -> None:
    """Published: about P .95, R .79 for Schwartz-Hearst, P .97, R .84 for Ab3P; floors for ours, exact for Ab3P."""
    documents = gold(shared / "corpora" / "abbreviations" / "MED1250_labeled.gz")
    assert (len(documents), sum(len(d.pairs) for d in documents)) == (1250, 1221)
    ours, theirs = evaluate(documents, "schwartz-hearst"), evaluate(documents, "ab3p")
    assert len(ours.right) + len(ours.missed) == len(theirs.right) + len(theirs.missed) == 1203
    assert ours.precision >= 0.965
    assert ours.recall >= 0.845
    assert (len(theirs.right), len(theirs.wrong)) == (1005, 31)


#: Gold ids that BioEL leaves out.
EXCLUDED = frozenset(
    [*(f"mesh:{i}" for i in ("C531603", "C531610", "C531652", "C535804", "C537666", "C538138", "C538219", "C538392",
                             "C538554", "D001405")),
     *(f"omim:{i}" for i in ("102600", "103600", "164160", "600698"))]
)  # fmt: skip


def test_abbreviations_of_ncbi_disease(shared: Path) -> None:
    """BioEL's slice: 5 065/783/960 mentions after exclusions, 1 594 abbreviations, 231 of them in test."""
    source = abbreviation_source(str(shared / "corpora" / "abbreviations" / "abbreviations.json.gz"))
    found, _ = load("ncbi_disease", shared / "corpora" / "ncbi_disease")
    mentions, short = dict.fromkeys(("train", "dev", "test"), 0), dict.fromkeys(("train", "dev", "test"), 0)
    for split, document in found:
        known = source.of(document.id, document.text)
        for mention in document.mentions:
            if frozenset().union(*mention.gold) - EXCLUDED:
                mentions[split] += 1
                short[split] += expand(mention.text, known) != mention.text
    assert mentions == {"train": 5065, "dev": 783, "test": 960}
    assert (sum(short.values()), short["test"]) == (1594, 231)


def test_the_guide(home: Path) -> None:
    """The examples and the command of docs/abbreviations.md."""
    guide = ROOT / "docs" / "abbreviations.md"
    result = doctest.testfile(str(guide), module_relative=False)
    assert (result.failed, result.attempted) == (0, 7)
    [line] = re.findall(r"^linkassay (.*)$", guide.read_text(encoding="utf-8"), re.M)
    [got, _] = command(*line.split())
    assert got["reports"]["all"]["prepared"]["mentions written out"] == 72


def test_the_command_prints_what_the_guide_says(
    shared: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = shared / "corpora" / "abbreviations" / "MED1250_labeled.gz"
    monkeypatch.setattr(sys, "argv", ["bench.abbreviations", str(path), "--json"])
    bench.abbreviations.main()
    guide = (ROOT / "docs" / "abbreviations.md").read_text(encoding="utf-8")
    for source, row in json.loads(capsys.readouterr().out).items():
        counts = " | ".join(f"{row[key]:,}".replace(",", " ") for key in ("right", "wrong", "missed"))
        rates = " | ".join(f"{row[key]:.4f}".lstrip("0") for key in ("precision", "recall"))
        assert f"| `{source}` | {counts} | {rates} |" in guide
