"""Related words: the same figures in every process, whatever the order in which it goes through a set of words."""

from __future__ import annotations

import os
import subprocess
import sys

from linkassay.linkers.house.related_words import RelatedWords

PROGRAM = """
from linkassay.linkers.house.related_words import RelatedWords
words = "renal kidney cancer tumor acute chronic familial type".split()
texts = [" ".join(words[n % 5 :: 1 + n % 3]) for n in range(40)]
related = RelatedWords(texts, [["renal cancer", "kidney tumor"], ["acute renal failure", "acute kidney failure"]] * 3)
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
    related = RelatedWords(["a b", "a c"], [])
    assert related.common(frozenset("ab"), frozenset("ab")) == (1 - 1e-9 / (related.weight("b") + 1e-9),) * 2
    assert related.common(frozenset("b"), frozenset("c")) == (0.0, 0.0)
