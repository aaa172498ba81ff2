"""Precision and recall of the abbreviations found in a text, against Ab3P's gold standard (MED1250).

    python -m bench.abbreviations ../shared/data/corpora/abbreviations/MED1250_labeled.gz [--misses] [--json]

A pair is right if short and long form are both those of the gold, letter for letter and case-sensitive; white
space counts as one space, and not at all at the ends. Each distinct pair of a document counts once; of a short
form that one line defines twice, the first definition is looked at.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

from linkassay import files
from linkassay.text.abbreviations import abbreviation_source
from linkassay.text.abbreviations.sources import Ab3PBlock, read_ab3p


@dataclass
class Found:
    """Pairs right, wrong and missed, each with its document."""

    right: list[tuple[str, str, str]]
    wrong: list[tuple[str, str, str]]
    missed: list[tuple[str, str, str]]

    @property
    def precision(self) -> float:
        return len(self.right) / (len(self.right) + len(self.wrong))

    @property
    def recall(self) -> float:
        return len(self.right) / (len(self.right) + len(self.missed))

    @property
    def f1(self) -> float:
        return 2 * self.precision * self.recall / (self.precision + self.recall)


def gold(path: Path) -> list[Ab3PBlock]:
    """The documents of the gold standard; two of them are in two blocks. Only its comments are not ASCII."""
    [file] = files.expand_paths([path])
    documents: dict[str, Ab3PBlock] = {}
    for block in read_ab3p(file, encoding="latin-1"):
        document = documents.setdefault(block.id, Ab3PBlock(block.id, [], []))
        document.lines.extend(block.lines)
        document.pairs.extend(block.pairs)
    return list(documents.values())


def evaluate(documents: list[Ab3PBlock], source: str) -> Found:
    """What `source` finds in the documents' lines (title, abstract), beside what it should."""
    finder = abbreviation_source(source)
    found = Found([], [], [])
    for document in documents:
        pairs = (pair for line in document.lines for pair in finder.of(document.id, line).items())
        got = {(document.id, _spaced(short), _spaced(long)) for short, long in pairs}
        want = {(document.id, _spaced(short), _spaced(long)) for short, long in document.pairs}
        found.right += sorted(got & want)
        found.wrong += sorted(got - want)
        found.missed += sorted(want - got)
    return found


def _spaced(form: str) -> str:
    return " ".join(form.split())


def main() -> None:
    """Print a row for each source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", type=Path, help="MED1250_labeled, compressed or not")
    parser.add_argument("--misses", action="store_true", help="also what each source gets wrong (+) or misses (-)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    documents = gold(options.gold)
    results = {source: evaluate(documents, source) for source in ("schwartz-hearst", "ab3p")}
    if options.json:
        rows = {
            source: {
                "precision": r.precision, "recall": r.recall, "f1": r.f1,
                "right": len(r.right), "wrong": len(r.wrong), "missed": len(r.missed),
            }
            for source, r in results.items()
        }  # fmt: skip
        print(json.dumps(rows, indent=1))
        return
    print(f"{len(documents):,} documents\n{'source':18}{'right':>7}{'wrong':>7}{'missed':>8}{'P':>8}{'R':>8}{'F1':>8}")
    for source, r in results.items():
        counts = f"{len(r.right):>7}{len(r.wrong):>7}{len(r.missed):>8}"
        print(f"{source:18}{counts}{r.precision:>8.4f}{r.recall:>8.4f}{r.f1:>8.4f}")
    if options.misses:
        for source, r in results.items():
            print(f"\n{source}")
            for sign, (document, short, long) in [*(("+", w) for w in r.wrong), *(("-", m) for m in r.missed)]:
                print(f"{sign} {document} {short} | {long}")


if __name__ == "__main__":
    main()
