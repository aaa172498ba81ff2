"""Cautions about stored data: a corpus by itself and with a knowledge base, and a knowledge base."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.cautions.caution import EXAMPLES, Caution, named
from linkassay.cautions.gold_ids import gold_coverage, reason
from linkassay.corpora import CORPORA, Corpus
from linkassay.kbs import Kb, kb_names
from linkassay.model import types_of

#: With fewer documents the figures of a corpus say little (WARN-4).
FEW_DOCUMENTS = 20
#: Gold ids of which no larger part is missing are left to `info --kb` and `check` (WARN-1).
_MISSING_SHARE = 0.01


def corpus_cautions(corpus: Corpus, kb: Kb | None = None, *, whole: bool = False) -> list[Caution]:
    """What is doubtful about a corpus, with the knowledge base that it is linked to (its own one by default).

    `whole`: every byte is looked at, and every gold id, however few are missing.
    """
    from linkassay.corpora import unexpected_counts  # what obtains corpora takes long to load

    kb = kb or own_kb(corpus)
    cautions = changed(
        corpus.path, corpus.manifest, f"corpus {corpus.name}", "remove its folder and get it again", whole=whole
    )
    cautions += [
        Caution("unexpected-counts", f"corpus {corpus.name}",
                f"{split} has {found or 0} {what}, not the {expected} it is known to have", "are the raw files whole?")
        for split, what, found, expected in unexpected_counts(corpus.manifest)
    ]  # fmt: skip
    cautions += _of_reading(corpus)
    if kb is not None:
        cautions += kb_cautions(kb, whole=whole)
        cautions += gold_cautions(corpus, kb, least=0.0 if whole else _MISSING_SHARE) + type_cautions(corpus, kb)
    return cautions


def _of_reading(corpus: Corpus) -> list[Caution]:
    """What was strange in the files and was read all the same."""
    cautions = []
    for report in corpus.manifest["reports"].values():
        for kind, n in report.get("notes", {}).items():
            example = next((each["message"] for each in report["examples"] if each["kind"] == kind), "")
            said = f"{n:,} × {kind}" + (f", e.g. {example}" if example else "")
            cautions.append(Caution("odd-input", f"corpus {corpus.name}", said, f"see linkassay check {corpus.name}"))
    return cautions


def own_kb(corpus: Corpus) -> Kb | None:
    """The knowledge base of a corpus, where it is at hand."""
    name = corpus.manifest["kb"]
    return Kb.open(name) if name and name.partition("@")[0] in kb_names() else None


def kb_cautions(kb: Kb, *, whole: bool = False) -> list[Caution]:
    """What is doubtful about a knowledge base by itself."""
    return changed(kb.path, kb.manifest, f"knowledge base {kb.name}", "remove its folder and get it again", whole=whole)


def gold_cautions(corpus: Corpus, kb: Kb, split: str = "", least: float = _MISSING_SHARE) -> list[Caution]:
    """Gold ids that the knowledge base lacks, if more than the share `least` (WARN-1)."""
    found = gold_coverage(corpus, kb, split)
    if not found.missing or found.share < least:
        return []
    part = f"{corpus.name} {split}".strip()
    why = reason(found.examples, kb)
    message = (f"{found.missing:,} of {found.ids:,} gold ids ({100 * found.share:.1f} %) are not in {kb.name}: "
               f"{named(found.examples)}")  # fmt: skip
    cure = why or f"see linkassay info {corpus.name} --kb {kb.name}"
    return [Caution("gold-not-in-kb", part, message, cure)]


def type_cautions(corpus: Corpus, kb: Kb) -> list[Caution]:
    """Types of mentions that no entity of the knowledge base has, where its entities have types (WARN-7).

    Corpora of the catalogue are called as they are on purpose.
    """
    if corpus.name.partition("/")[0] in CORPORA:
        return []
    known = _entity_types(kb.path)
    mine = [corpus.type] if corpus.type is not None else [type_ for type_ in corpus.types if type_]
    strange = [type_ for type_ in mine if type_ not in known]
    if not known or not strange:
        return []
    others = ", ".join(_rename(type_, known) for type_ in strange[:EXAMPLES])
    return [Caution("unknown-type", corpus.name, f"no entity of {kb.name} is of type {named(strange)}, so that linkers "
                    "cannot go by it", f"get it again with --types {others} (there are {named(known)})")]  # fmt: skip


def _rename(type_: str, known: tuple[str, ...]) -> str:
    """What `get --types` takes to call a type of mentions as the knowledge base does."""
    inside = [each for each in known if each.lower() in type_.lower() or type_.lower() in each.lower()]
    return f"{type_}={max(inside, key=len) if inside else 'TYPE'}"


@lru_cache(maxsize=64)
def _entity_types(kb: Path) -> tuple[str, ...]:
    rows = Kb(kb).sql("select distinct type from entities where type <> '' order by type")
    return tuple(dict.fromkeys(part for (type_,) in rows for part in types_of(type_)))


def few_documents(corpus: Corpus, split: str) -> list[Caution]:
    """Where a split has so few documents that figures say little (WARN-4)."""
    if (documents := len(corpus[split])) >= FEW_DOCUMENTS:
        return []
    number = f"{documents} document{'s' if documents > 1 else ''}"
    return [Caution("few-documents", f"{corpus.name} {split}",
                    f"only {number}: intervals and tests over documents are rough",
                    f"have {FEW_DOCUMENTS} or more before systems are compared")]  # fmt: skip


def changed(path: Path, manifest: dict[str, Any], what: str, cure: str, *, whole: bool = False) -> list[Caution]:
    """Files of a folder that are no longer what was written (WARN-3); of older versions nothing is known."""
    files = store.changed_files(path, manifest.get("files") or {}, whole=whole)
    if not files:
        return []
    return [Caution("changed-files", what, f"{named(files)} changed since it was written", cure)]
