"""Related words: where they come from, and the same figures in every process."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from linkassay.linkers.house.name_forms import loose, plain_words
from linkassay.linkers.house.related_words import RelatedWords

PROGRAM = """
from linkassay.linkers.house.related_words import RelatedWords
words = "renal kidney cancer tumor acute chronic familial type".split()
texts = [" ".join(words[n % 5 :: 1 + n % 3]) for n in range(40)]
entities = [["renal cancer", "kidney tumor"], ["acute renal failure", "acute kidney failure"]]
related = RelatedWords.of(texts, [[frozenset(name.split()) for name in names] for names in entities * 3])
one, other = frozenset([*words[4:], "renal", "cancer", "x"]), frozenset(["kidney", "tumor", "type", "acute"])
print([value.hex() for pair in ((one, other), (other, one)) for value in related.common(*pair)])
"""


def test_the_order_of_a_set_of_words_does_not_matter() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM], env=os.environ | {"PYTHONHASHSEED": str(seed)}, capture_output=True,
            text=True, check=True,
        ).stdout
        for seed in range(8)
    }  # fmt: skip
    assert len(said) == 1


def test_what_is_common() -> None:
    related = RelatedWords.of(["a b", "a c"], [])
    assert related.common(frozenset("ab"), frozenset("ab")) == (1 - 1e-9 / (related.weight("b") + 1e-9),) * 2
    assert related.common(frozenset("b"), frozenset("c")) == (0.0, 0.0)


def test_words_are_related_by_names_by_training_and_by_their_beginning() -> None:
    organs = [("kidney", "renal"), ("liver", "hepatic"), ("heart", "cardiac")]
    entities = [[f"{o} {what}", f"{a} {what}"] for o, a in organs for what in ("failure", "pain", "tumor", "cyst")]
    texts = sorted({loose(name) for names in entities for name in names} | {"brain ischemia", "retinal disease"})
    related = RelatedWords.of(texts, [[plain_words(name) for name in names] for names in entities])
    assert related.near("renal")["kidney"] > 0.5
    assert "liver" not in related.near("renal")
    assert related.near("ischemic")["ischemia"] > 0.7
    found = [texts[n] for n in related.texts(plain_words("ischemic brain"), 1)]
    assert found == ["brain ischemia"]
    assert "lesion" not in related.near("disease")
    related.learn((f"d{n}", "lesion of the retina", ["disease of the retina"]) for n in range(4))
    assert related.near("lesion")["disease"] == pytest.approx(3 / 4)
    assert related.common(plain_words("renal pain"), plain_words("kidney pain")) > related.common(
        plain_words("renal pain"), plain_words("liver pain")
    )


def test_what_one_document_says_is_no_relation() -> None:
    related = RelatedWords.of(["retina disease"], [])
    related.learn(("d", "lesion of the retina", ["disease of the retina"]) for _ in range(9))
    assert related.near("lesion") == {"lesion": 1.0}


def test_a_mention_and_a_name_without_words() -> None:
    related = RelatedWords.of(["+"], [])
    related.learn([("d", "+", ["+"])])
    assert related.near("+") == {"+": 1.0}
