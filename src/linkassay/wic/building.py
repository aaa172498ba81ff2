"""`wic build`: sentences → candidates → groups → labels → pruning → splits; verified, then written whole."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.wic import contexts, entity_facts, guarantees, pairing, splits
from linkassay.wic.candidates import term_pairs
from linkassay.wic.contexts import Context
from linkassay.wic.entity_facts import EntityFacts
from linkassay.wic.groups import GROUPS
from linkassay.wic.pair_files import TermPair, pairs_text
from linkassay.wic.settings import Settings, draw, name_of

#: Raised when the same data and settings no longer give the same pairs.
VERSION = 1

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class BuiltDataset:
    """A dataset, how it came about, and where it was written; not `fresh` if it was there already."""

    path: Path
    report: dict[str, Any]
    manifest: dict[str, Any]
    fresh: bool


def build_dataset(
    corpora: Sequence[Corpus], kbs: Sequence[Kb], out: Path, settings: Settings | None = None, *, workers: int = 1,
    progress: Progress = lambda what, done, total: None,
) -> BuiltDataset:  # fmt: skip
    """Build a dataset from all splits of the corpora. The same input and settings give the same bytes."""
    settings = settings or Settings()
    if not corpora or not kbs:
        raise UsageError("words in context need at least one corpus and one knowledge base")
    corpora = sorted({c.name: c for c in corpora}.values(), key=lambda c: c.name)
    manifest: dict[str, Any] = {
        "kind": "words in context", "version": VERSION, "settings": asdict(settings),
        "corpora": {c.name: c.revision for c in corpora}, "kbs": [[kb.name, kb.revision] for kb in kbs],
    }  # fmt: skip
    manifest["fingerprint"] = store.fingerprint(manifest)
    if (there := _there(out, manifest["fingerprint"])) is not None:
        return there
    found = []
    for done, corpus in enumerate(corpora):
        progress("sentences", done, len(corpora))
        found.append(contexts.find(corpus.name, corpus))
    progress("sentences", len(corpora), len(corpora))
    everything = [context for each in found for context in each.contexts]
    counts = sum((each.counts for each in found), Counter[str]())
    progress("knowledge", 0, 1)
    known = entity_facts.load_entity_facts(kbs, {c.entity for c in everything}, {c.term for c in everything})
    progress("knowledge", 1, 1)
    pairs, report = construct(everything, known, settings, counts=counts, workers=workers, progress=progress)
    write(out, pairs, report, manifest)
    return BuiltDataset(out, report, manifest, True)


def construct(
    found: Iterable[Context], known: EntityFacts, settings: Settings, *, counts: Counter[str] | None = None,
    workers: int = 1, progress: Progress = lambda what, done, total: None,
) -> tuple[dict[str, list[TermPair]], dict[str, Any]]:  # fmt: skip
    """The pairs of each split from contexts of mentions, and a report that counts every step."""
    counts = Counter() if counts is None else counts
    chosen = contexts.choose(found, known.unified, settings.seed, counts)
    terms = sorted({context.term.lower() for context in chosen})
    progress("pairs of terms", 0, 1)
    grouped = term_pairs(terms, [known.named(term) for term in terms], settings.similarity, workers)
    progress("pairs of terms", 1, 1)
    made = pairing.pair_terms(chosen, terms, grouped, known.relations, settings.seed)
    progress("splits", 0, 1)
    divided = splits.split(chosen, made, settings)
    pairs = {name: _pairs(chosen, divided.pairs[name], settings.seed) for name in splits.SPLITS}
    progress("splits", 1, 1)
    _keep_promises(pairs, known, settings)
    return pairs, {
        "collected": {what: counts[what] for what in contexts.COUNTED}, "contexts": len(chosen), "terms": len(terms),
        "entities": len({context.entity for context in chosen}),
        "pairs_of_terms": _by_group(Counter(grouped.values())),
        "possible": {
            label: _by_group(Counter({g: n for (g, own), n in made.possible.items() if own == str(label == "true")}))
            for label in ("true", "false")
        },
        "pruned": {rule: _by_group(own) for rule, own in made.pruned.items()},
        "left_out": dict(sorted(divided.left_out.items())),
        "splits": {name: _by_group(Counter(p.category for p in own)) for name, own in pairs.items()},
    }  # fmt: skip


def write(out: Path, pairs: dict[str, list[TermPair]], report: dict[str, Any], manifest: dict[str, Any]) -> None:
    """Files of a dataset, under their final name only when all are there."""
    with store.new_folder(out) as folder:
        for name, own in pairs.items():
            (folder / f"{name}.json").write_text(pairs_text(own), encoding="utf-8")
        (folder / "report.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        store.write_manifest(folder, manifest)


def _there(out: Path, fingerprint: str) -> BuiltDataset | None:
    """What lies at `out`: nothing, this very dataset, or something that is not to be lost."""
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return None
    if not (out / "manifest.json").is_file():
        raise UsageError(f"{out} is there already and is no dataset of ours: give another folder with --out")
    manifest = store.read_json(out / "manifest.json")
    if manifest.get("fingerprint") != fingerprint:
        raise UsageError(f"{out} holds another dataset (other data or settings): remove it, or give another --out")
    return BuiltDataset(out, store.read_json(out / "report.json"), manifest, False)


def _pairs(chosen: Sequence[Context], instances: Sequence[tuple[tuple[int, int], str]], seed: int) -> list[TermPair]:
    """Pairs in an order by chance, each with its sides in an order by chance."""
    made = [_pair(chosen[one], chosen[two], group, seed) for (one, two), group in instances]
    return sorted(made, key=lambda pair: (draw(seed, "order", pair.id), pair.id))


def _pair(one: Context, two: Context, group: str, seed: int) -> TermPair:
    one, two = sorted((one, two), key=lambda c: c.sentence)
    if draw(seed, "side", one.sentence, two.sentence) % 2:
        one, two = two, one
    return TermPair(
        one.term, two.term, one.sentence, two.sentence, (one.start, one.end), (two.start, two.end), group,
        one.entity == two.entity, name_of(one.sentence, str(one.start), two.sentence, str(two.start)),
        one.entity, two.entity, one.document, two.document, one.corpus, two.corpus, one.mention, two.mention,
        one.type, two.type,
    )  # fmt: skip


def _keep_promises(pairs: dict[str, list[TermPair]], known: EntityFacts, settings: Settings) -> None:
    """A dataset that breaks a promise is never written; that would be a mistake of ours."""
    data = guarantees.Dataset(
        pairs, True, settings.similarity, settings.sentence_cap, settings.document_disjoint, known
    )
    for row in guarantees.verify(data):
        if row["verdict"] == "broken":
            raise LinkassayError(f"the dataset would break its promise {row['statement']!r}: {row['examples']}")


def _by_group(counts: Counter[str]) -> dict[str, int]:
    return {group.name: counts[group.name] for group in GROUPS}
