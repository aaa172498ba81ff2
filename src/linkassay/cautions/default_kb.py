"""The knowledge base that a corpus is linked to: one that is asked for, else its own; if that is absent, which fits."""

from __future__ import annotations

from linkassay.cautions.gold_ids import gold_coverage
from linkassay.corpora import Corpus, ensure_mini
from linkassay.errors import UsageError
from linkassay.kbs import Kb, kb_names


def kb_of_corpus(corpus: Corpus, asked: str = "") -> Kb:
    """The knowledge base `asked` for, or the corpus's own; an error about one that is absent names those that fit."""
    name = asked or corpus.manifest["kb"]
    ensure_mini(name)
    if asked or name.partition("@")[0] in kb_names():
        return Kb.open(name)
    fits = _fitting(corpus)
    own = f"its own, {name}, is not in the data home" if name else "it names none"
    if fits:
        raise UsageError(f"{corpus.name} needs a knowledge base, and {own}; {fits}")
    if name:
        return Kb.open(name)  # says how it is obtained
    raise UsageError(f"{corpus.name} needs a knowledge base, and {own}: add --kb NAME (linkassay ls kbs)")


def _fitting(corpus: Corpus) -> str:
    """The knowledge base at hand that covers most gold ids, in words; "" if none covers half of them."""
    covered = []
    for name in kb_names():
        found = gold_coverage(corpus, Kb.open(name))
        covered.append((found.ids - found.missing, found.ids, name))
    best, of, name = max(covered, default=(0, 0, ""))
    return f"{name} covers {best:,} of {of:,} gold ids: add --kb {name}" if best and 2 * best >= of else ""
