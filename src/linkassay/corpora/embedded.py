"""The embedded benchmark `mini`, obtained when it is first asked for: corpus and knowledge base together."""

from __future__ import annotations

from linkassay.corpora.obtain import get_corpus
from linkassay.corpora.stored_corpus import corpus_names
from linkassay.kbs import KBS, build_kb, kb_names


def ensure_mini(name: str) -> None:
    """Obtain the embedded benchmark if it is what `name` names and not there yet."""
    if name.partition("/")[0].lower() == "mini" and ("mini" not in corpus_names() or "mini" not in kb_names()):
        get_corpus("mini")
        build_kb(KBS.load("mini"))
