"""Cautions about stored data: a corpus by itself and with a knowledge base, and a knowledge base."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.cautions.caution import EXAMPLES, Caution, named
from linkassay.cautions.gold_ids import gold_coverage, reason
from linkassay.corpora import CORPORA, Corpus
from linkassay.ids import PREFIXES
from linkassay.kbs import KBS, Kb, kb_names
from linkassay.model import types_of

#: With fewer documents the figures of a corpus say little (WARN-4).
FEW_DOCUMENTS = 20
#: Gold ids of which no larger part is missing are left to `info --kb` and `check` (WARN-1).
_MISSING_SHARE = 0.01
#: The same of corpora of the catalogue, before what may have happened to their ids is looked for outside `check`.
_PUBLISHED_SHARE = 0.05


#: The types of a knowledge base that tells none apart.
_ANY = ("entity",)


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
    cautions += _unknown_kb(corpus) + _no_gold(corpus)
    if kb is not None:
        cautions += kb_cautions(kb, whole=whole)
        cautions += gold_cautions(corpus, kb, least=0.0 if whole else _MISSING_SHARE) + type_cautions(corpus, kb)
    return cautions


def _of_reading(corpus: Corpus) -> list[Caution]:
    """What was strange in the files and was read all the same."""
    cautions = []
    for report in corpus.manifest["reports"].values():
        for kind, n in report.get("notes", {}).items():
            first = next((each for each in report["examples"] if each["kind"] == kind), {"document": "", "message": ""})
            example = (f"document {first['document']}: " if first["document"] else "") + first["message"]
            alone = n == 1 and bool(example)
            said = example if alone else f"{n:,} × {kind}" + (f", e.g. {example}" if example else "")
            cure = "" if alone else f"see linkassay check {corpus.name}"
            cautions.append(Caution("odd-input", f"corpus {corpus.name}", said, cure))
    return cautions


def _unknown_kb(corpus: Corpus) -> list[Caution]:
    """A name that is of no knowledge base, in the catalogue or at hand, and nearly that of one (WARN-8)."""
    name, known = corpus.manifest["kb"].partition("@")[0], sorted({*KBS, *kb_names()})
    near = get_close_matches(name, [each for each in known if each != "mini"], n=1)
    if name in known or name.lower() in PREFIXES or not near:
        return []
    return [Caution("unknown-kb", corpus.name, f"no knowledge base is called {name}, whose prefix ids without one have",
                    f"get it again with --kb {near[0]} --replace, if that is meant")]  # fmt: skip


def _no_gold(corpus: Corpus) -> list[Caution]:
    """A split in which no mention has a gold id: there is nothing to score (WARN-9)."""
    with_gold = {split for (split,) in corpus.connect().execute("select distinct split from gold_ids").fetchall()}
    counts = corpus.manifest["splits"]
    without = [split for split in corpus.splits if counts[split]["annotations"] and split not in with_gold]
    return [Caution("no-gold", f"{corpus.name} {split}", "no mention has a gold id, so that there is nothing to score",
                    "are the ids where the format has them (docs/add-a-corpus.md)?") for split in without]  # fmt: skip


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
    published = least and corpus.name.partition("/")[0] in CORPORA and found.share < _PUBLISHED_SHARE
    why = "" if published else reason(found, kb)
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
    if known in ((), _ANY) or not strange:
        return []
    others = ",".join(_rename(type_, known) for type_ in strange[:EXAMPLES])
    cure = f"get it again with --types {others} --replace (there are {named(known)})"
    return [Caution("unknown-type", corpus.name, f"no entity of {kb.name} is of type {named(strange)}, so that linkers "
                    "cannot go by it", cure)]  # fmt: skip


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
