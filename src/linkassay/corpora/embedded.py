"""The embedded benchmark `mini`, obtained when it is first asked for: corpus and knowledge base together."""

from __future__ import annotations

from linkassay.corpora.stored_corpus import corpus_names
from linkassay.kbs import KBS, kb_names


def ensure_mini(name: str) -> None:
    """Obtain the embedded benchmark if it is what `name` names and not there yet."""
    if name.partition("/")[0].lower() == "mini" and ("mini" not in corpus_names() or "mini" not in kb_names()):
        from linkassay.corpora.obtain import get_corpus  # here: all that reads raw files takes time to import
        from linkassay.kbs import build_kb

        get_corpus("mini")
        build_kb(KBS.load("mini"))
