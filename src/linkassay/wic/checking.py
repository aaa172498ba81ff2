"""`wic check`: a dataset's promises verified, and its statistics as in tables 3 to 5 of the paper."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.errors import UsageError
from linkassay.files import expand_paths, one_file
from linkassay.kbs import Kb
from linkassay.wic import entity_facts, guarantees
from linkassay.wic.groups import GROUPS, abbreviates, same_term, similarity
from linkassay.wic.guarantees import STATED, Dataset
from linkassay.wic.pair_files import TermPair, read_biowic
from linkassay.wic.scores import seen
from linkassay.wic.splits import SPLITS

#: The corpora that BioWiC was made from; its files do not say which sentence is from which document.
USUAL_SOURCES = ("ncbi_disease", "bc5cdr", "medmentions_st21pv", "medmentions")
#: So many letters of a sentence are looked up before the whole of it is compared.
_BEGINNING = 16
_SPLIT_FILE = re.compile(rf"({'|'.join(SPLITS)})\.json(\.(gz|bz2|xz))?")


def read_splits(path: Path, *, verify: bool = True) -> dict[str, list[TermPair]]:
    """The pairs of a folder's `train.json`, `dev.json` and `test.json` (also compressed), or of one file."""
    if path.is_dir():
        named = [entry for entry in path.iterdir() if entry.is_file() and _SPLIT_FILE.fullmatch(entry.name)]
        files = {file.stem: file for file in expand_paths(sorted(named))}
        if not files:
            raise UsageError(f"{path} has none of train.json, dev.json and test.json")
        return {split: list(read_biowic(files[split], verify=verify)) for split in SPLITS if split in files}
    file = one_file(path, "words in context")
    return {file.stem if file.stem in SPLITS else "test": list(read_biowic(file, verify=verify))}


def dataset_manifest(path: Path) -> dict[str, Any]:
    """What the builder wrote of a dataset; nothing for data of others."""
    about = store.read_json(path / "manifest.json") if (path / "manifest.json").is_file() else {}
    return about if about.get("kind") == "words in context" else {}


def check_dataset(
    path: Path, *, kbs: Sequence[Kb] = (), corpora: Sequence[Corpus] = (), similarity: float | None = None,
    document_disjoint: bool | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Verify every promise. What the dataset itself promised holds unless said otherwise.

    `kbs` allow to look at names and relations; `corpora` to find the documents of sentences that do not name theirs.
    """
    splits = read_splits(path, verify=False)
    settings = dataset_manifest(path).get("settings", {})
    similarity = settings.get("similarity") if similarity is None else similarity
    disjoint = settings.get("document_disjoint") if document_disjoint is None else document_disjoint
    data = Dataset(splits, bool(settings), similarity, settings.get("sentence_cap"), disjoint, _knowledge(splits, kbs),
                   _documents(splits, corpora))  # fmt: skip
    rows = guarantees.verify(data)
    return {
        "path": str(path), "ok": all(row["verdict"] != "broken" for row in rows), "promises": rows,
        "documents_from": [corpus.name for corpus in corpora] if data.documents else [],
        "statistics": statistics(splits),
    }  # fmt: skip


def statistics(splits: Mapping[str, Sequence[TermPair]]) -> dict[str, list[dict[str, Any]]]:
    """Sizes (table 3), how groups meet their rules, lengths of terms (table 4), seen and unseen pairs (table 5).

    Words are what white space separates; the paper counts those of a tokenizer. Where the data name no entities or
    documents, there are none to count.
    """
    return {
        "sizes": [_sizes(split, pairs) for split, pairs in splits.items()],
        "groups": [_groups(split, pairs) for split, pairs in splits.items()],
        "lengths": [_lengths(split, pairs) for split, pairs in splits.items()],
        "seen": _seen(splits),
    }


def locate(sentences: Iterable[str], corpora: Iterable[Corpus]) -> dict[str, frozenset[str]]:
    """The documents that have each sentence in their text."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for sentence in set(sentences):
        if len(sentence) >= _BEGINNING:
            wanted[sentence[:_BEGINNING]].append(sentence)
    found: dict[str, set[str]] = defaultdict(set)
    for corpus in corpora:
        for document in corpus:
            text = document.text
            for at in range(len(text) - _BEGINNING + 1):
                for sentence in wanted.get(text[at : at + _BEGINNING], ()):
                    if text.startswith(sentence, at):
                        found[sentence].add(document.id)
    return {sentence: frozenset(documents) for sentence, documents in found.items()}


def _documents(splits: Mapping[str, Sequence[TermPair]], corpora: Sequence[Corpus]) -> dict[str, frozenset[str]]:
    pairs = [pair for own in splits.values() for pair in own]
    nameless = {p.sentence1 for p in pairs if not p.document1} | {p.sentence2 for p in pairs if not p.document2}
    return locate(nameless, corpora) if nameless and corpora else {}


def _knowledge(splits: Mapping[str, Sequence[TermPair]], kbs: Sequence[Kb]) -> entity_facts.EntityFacts | None:
    if not kbs:
        return None
    pairs = [pair for own in splits.values() for pair in own]
    ids = {i for p in pairs for i in (p.entity1, p.entity2) if i}
    return entity_facts.load_entity_facts(kbs, ids, {term for p in pairs for term in (p.term1, p.term2)})


def _sizes(split: str, pairs: Sequence[TermPair]) -> dict[str, Any]:
    groups = Counter(pair.category for pair in pairs)
    sentences = [sentence for pair in pairs for sentence in (pair.sentence1, pair.sentence2)]
    row: dict[str, Any] = {"split": split} | {group.letter: groups[group.name] for group in GROUPS}
    words = sum(len(sentence.split()) for sentence in sentences)
    row |= {
        "all": len(pairs), "true": sum(pair.label for pair in pairs),
        "words_per_sentence": round(words / len(sentences), 1) if sentences else None,
        "sentences": len(set(sentences)), "term_pairs": len({pair.terms for pair in pairs}),
        "terms": len({term for pair in pairs for term in pair.terms}),
    }  # fmt: skip
    for name, members in (("entities", "entity"), ("types", "type"), ("documents", "document"), ("corpora", "corpus")):
        values = {getattr(pair, members + side) for pair in pairs for side in "12"} - {""}
        row[name] = len(values) or None
    return row


def _groups(split: str, pairs: Sequence[TermPair]) -> dict[str, Any]:
    """How the pairs of a split meet the rules of groups A, B and D, with the threshold that the paper states."""
    own = {group.letter: [pair for pair in pairs if pair.category == group.name] for group in GROUPS}
    alike = [similarity(pair.term1, pair.term2) for pair in own["D"]]
    return {
        "split": split, "A": len(own["A"]), "A_same_lower-cased": sum(len({*p.terms}) == 1 for p in own["A"]),
        "A_only_by_lemma": sum(len({*p.terms}) == 2 and same_term(p.term1, p.term2) for p in own["A"]),
        "B": len(own["B"]), "B_initials": sum(abbreviates(p.term1, p.term2) for p in own["B"]),
        "D": len(own["D"]), f"D_over_{STATED:g}": sum(value > STATED for value in alike),
        "D_minimum": round(min(alike), 4) if alike else None,
    }  # fmt: skip


def _lengths(split: str, pairs: Sequence[TermPair]) -> dict[str, Any]:
    counts = Counter(min(4, len(term.split())) for pair in pairs for term in (pair.term1, pair.term2))
    return {"split": split, "1": counts[1], "2": counts[2], "3": counts[3], "4+": counts[4], "all": 2 * len(pairs)}


def _seen(splits: Mapping[str, Sequence[TermPair]]) -> list[dict[str, Any]]:
    if "train" not in splits or "test" not in splits:
        return []
    known = seen(splits["test"], splits["train"])
    rows = []
    for group in GROUPS:
        own = [is_seen for pair, is_seen in zip(splits["test"], known, strict=True) if pair.category == group.name]
        rows.append({"group": group.name, "seen": sum(own), "unseen": len(own) - sum(own), "all": len(own)})
    return [*rows, {"group": "all", "seen": sum(known), "unseen": len(known) - sum(known), "all": len(known)}]
