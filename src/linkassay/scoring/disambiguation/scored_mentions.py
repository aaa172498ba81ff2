"""The mentions a score is over: those of one split that have gold, with their texts and what training has seen.

Everything is columns; which of them count in a set is decided in `evaluation_sets`, in a slice in `slices`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from linkassay import files
from linkassay.corpora import Corpus
from linkassay.errors import UsageError
from linkassay.ids import curie
from linkassay.kbs import Kb
from linkassay.runs import Run
from linkassay.scoring.disambiguation.gold_ranks import GoldIds
from linkassay.scoring.disambiguation.rankings import Moved
from linkassay.text.abbreviations import Abbreviations, FromFile, abbreviation_source, expand

#: How an id begins; a path may have a colon, too, but further on.
_PREFIXED = re.compile(r"[^:/\\]+:.")
_GOLD = pa.list_(pa.list_(pa.string()))

#: Mentions that stand for themselves, of one split, and the documents of that split.
_MENTIONS = """
select id, split, document, text, type, gold, spans[1].start as start, spans[-1]."end" as stop, len(spans) as pieces
from mentions where parent = '' and split = ?
"""
_DOCUMENTS = "select id, passages, evaluation_spans from documents where split = ?"
_ORDER = ("document", "start", "id")  # of the mentions


@dataclass(frozen=True)
class ScoringOptions:
    """Choices that hold for all figures of a score, beside its measures."""

    exclude: frozenset[str] = frozenset()  # gold ids that do not count, in training data neither (RANK-6)
    fold: bool | None = None  # lower-cased: True all texts, False none, None those that slices compare (SLICE-1)
    abbreviations: Abbreviations | None = None  # None: texts as they stand

    @classmethod
    def of(cls, abbreviations: str, exclude_ids: str | Sequence[str] = (), fold: bool | None = None) -> ScoringOptions:
        """The choices as people write them; `abbreviations` is a source of them, `none` or "" for texts as they are."""
        source = None if abbreviations in ("", "none") else abbreviation_source(abbreviations)
        return cls(id_list(exclude_ids), fold, source)

    @property
    def abbreviations_need_texts(self) -> bool:
        """Whether abbreviations are looked for in texts, and not in a file that names them."""
        return self.abbreviations is not None and not isinstance(self.abbreviations, FromFile)

    @property
    def written_out(self) -> str:
        """Which abbreviations are."""
        return self.abbreviations.name if self.abbreviations else "none"

    def alike(self, other: ScoringOptions) -> bool:
        """Whether two choices are the same, also where each has a source of abbreviations of its own."""
        return (self.exclude, self.fold, self.written_out) == (other.exclude, other.fold, other.written_out)


@dataclass(frozen=True)
class ScoredMentions:
    """Scored mentions in columns, their gold, and the documents they lie in."""

    corpus: Corpus
    split: str
    table: pa.Table  # the columns of `_MENTIONS`, scored mentions only
    gold: GoldIds
    moved: Moved
    options: ScoringOptions
    left_out: dict[str, int]  # why → mentions of the split that are not scored

    def __len__(self) -> int:
        return int(self.table.num_rows)

    @cached_property
    def documents(self) -> list[str]:
        """The documents with scored mentions, by id."""
        return sorted(pc.unique(self.table["document"]).to_pylist())

    @cached_property
    def document(self) -> Any:
        """Of each mention, the number of its document."""
        found = pc.index_in(self.table["document"], value_set=pa.array(self.documents, pa.string()))
        return found.to_numpy(zero_copy_only=False).astype(np.int64)

    @cached_property
    def has_mention_texts(self) -> bool:
        """Whether any scored mention has a text of its own."""
        return bool(pc.any(pc.not_equal(self.table["text"], "")).as_py())

    @cached_property
    def has_document_texts(self) -> bool:
        """Whether any document of the split has a text."""
        query = "select 1 from documents where split = ? and text <> '' limit 1"
        return bool(self.corpus.connect().execute(query, [self.split]).fetchall())

    def column(self, name: str) -> Any:
        """A column as a NumPy array."""
        return self.table[name].to_numpy(zero_copy_only=False)

    def training(self, splits: Sequence[str]) -> pa.Table:
        """Mentions of other splits (id, document, text, gold), ids as they are called now."""
        wanted = tuple(s for s in self.corpus.splits if s in splits and s != self.split)
        if wanted not in self._trained:
            self._trained[wanted] = self._training(wanted)
        return self._trained[wanted]

    @cached_property
    def _trained(self) -> dict[tuple[str, ...], pa.Table]:
        return {}

    def _training(self, splits: tuple[str, ...]) -> pa.Table:
        table = _mentions(self.corpus.connect(), splits, _excluded(self.options.exclude, self.moved), Counted())
        if self.moved:
            gold = [[now for i in ids for now in self.moved.get(i, (i,))] for alternatives in table["gold"].to_pylist()
                    for ids in [sorted({i for each in alternatives for i in each})]]  # fmt: skip
        else:
            gold = [sorted({i for each in alternatives for i in each}) for alternatives in table["gold"].to_pylist()]
        at = table.schema.get_field_index("gold")
        return table.set_column(at, "gold", pa.array(gold, pa.list_(pa.string())))

    def expanded(self, table: pa.Table, splits: Sequence[str]) -> pa.Array:
        """The text of each mention with its document's abbreviation written out."""
        texts = table["text"].to_pylist()
        source = self.options.abbreviations
        if source is None:
            return pa.array(texts, pa.string())
        wanted = set(table["document"].to_pylist())
        documents = (
            (row["id"], row["text"]) for split in splits for row in self.corpus.rows("documents", split, ["id", "text"])
        )
        pairs = {id_: source.of(id_, text) for id_, text in documents if id_ in wanted}
        rows = zip(table["document"].to_pylist(), texts, strict=True)
        return pa.array([expand(text, pairs.get(document, {})) for document, text in rows], pa.string())


class Counted(dict[str, int]):
    """Why mentions are left out → how many."""

    def keep(self, table: pa.Table, keep: Any, why: str) -> pa.Table:
        """The rows to keep; the others are counted."""
        if pc.all(keep, min_count=0).as_py():
            return table  # as it is: a filter would copy it
        kept = table.filter(keep)
        self[why] = table.num_rows - kept.num_rows
        return kept


def changed_ids(kb: Kb | None, run: Run, mentions: Any) -> Moved:
    """What became of ids of run and corpus that the KB has renamed or removed; `mentions` connects to the corpus."""
    if kb is None or not kb.manifest["counts"]["history"]:
        return {}
    gold = mentions.sql("select distinct unnest(flatten(gold)) as id from mentions").to_arrow_table()
    predicted = [pc.unique(batch["groups"].flatten().flatten()) for batch in run.batches(["groups"])]
    connection = kb.connect()
    connection.register("said", pa.table({"id": pa.chunked_array([*predicted, *gold["id"].chunks], pa.string())}))
    query = "select old, list(new order by new) filter (new <> '') from current semi join said on old = id group by old"
    return {old: tuple(new or ()) for old, new in connection.execute(query).fetchall()}


def load_mentions(run: Run, corpus: Corpus, kb: Kb | None, options: ScoringOptions) -> ScoredMentions:
    """The mentions of the run's split that can be scored; the others are counted by the reason."""
    left_out, connection = Counted(), corpus.connect()
    moved = changed_ids(kb, run, connection)
    table = _mentions(connection, [run.split], _excluded(options.exclude, moved), left_out)
    gold = GoldIds.of(table["gold"], moved)
    if not gold.has_id.all():
        table = left_out.keep(table, pa.array(gold.has_id), "without a gold id")
        gold = GoldIds.of(table["gold"], moved)
    if not table.num_rows:
        raise UsageError(f"no mention with a gold id in {run.corpus} {run.split}: nothing to score")
    return ScoredMentions(corpus, run.split, table, gold, moved, options, dict(left_out))


def _mentions(connection: Any, splits: Sequence[str], exclude: frozenset[str], left_out: Counted) -> pa.Table:
    table = pa.concat_tables([_of_split(connection, split) for split in sorted(splits) or [""]])
    at = table.schema.get_field_index("gold")
    table = table.set_column(at, "gold", table["gold"].cast(_GOLD))
    table = left_out.keep(table, table["inside"], "outside of the evaluation spans")
    if exclude:
        before = table["gold"].to_pylist()
        after = [_without(alternatives, exclude) for alternatives in before]
        table = table.set_column(at, "gold", pa.array(after, _GOLD))
        emptied = [bool(old) and not new for old, new in zip(before, after, strict=True)]
        table = left_out.keep(table, pc.invert(pa.array(emptied, pa.bool_())), "with excluded gold ids only")
    return table


def _of_split(connection: Any, split: str) -> pa.Table:
    """The mentions of a split, by document and place.

    `section` is the kind of the passage that a mention begins in; `inside` is false outside of a document's evaluation
    spans (RANK-5).
    """
    table, documents = (
        connection.sql(query, params=[split]).to_arrow_table().combine_chunks() for query in (_MENTIONS, _DOCUMENTS)
    )
    row = pc.index_in(table["document"], value_set=documents["id"].combine_chunks()).combine_chunks()
    if row.null_count:
        table, row = table.filter(row.is_valid()), row.drop_null()
    row = row.to_numpy(zero_copy_only=False)
    start, stop = (pc.fill_null(table[name], -1).to_numpy() for name in ("start", "stop"))
    section = sections_at(documents["passages"], row, start)
    spans, span = _parts(documents["evaluation_spans"], row)
    first, last = (spans.field(name).to_numpy() for name in ("start", "end"))
    at = _first(span, lambda here, some: (first[here] <= start[some]) & (stop[some] <= last[here]))
    everywhere = documents["evaluation_spans"].is_null().to_numpy()
    table = table.append_column("section", section).append_column("inside", pa.array(everywhere[row] | (at >= 0)))
    return _ordered(table)


def sections_at(passages: Any, row: Any, start: Any) -> pa.Array:
    """Kinds of the passages in which mentions begin, "" outside of any.

    `passages` are those of documents, `row` is the document of each mention and `start` its first place.
    """
    flat, span = _parts(passages, row)
    begin, length = (flat.field(name).to_numpy() for name in ("offset", "length"))
    at = _first(span, lambda here, some: (begin[here] <= start[some]) & (start[some] < begin[here] + length[here]))
    return pc.fill_null(flat.field("kind").take(pa.array(at, mask=at < 0)), "")


def _parts(lists: Any, row: Any) -> tuple[Any, tuple[Any, Any]]:
    """The parts of documents one after another, and where those of each mention's document begin and end."""
    sizes = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    ends = np.cumsum(sizes)
    return pc.list_flatten(lists).combine_chunks(), ((ends - sizes)[row], ends[row])


def _first(span: tuple[Any, Any], holds: Callable[[Any, Any], Any]) -> Any:
    """Of each mention the first part of its document that holds it, or -1: all mentions look at one part at a time."""
    begin, end = span
    found, some, at = np.full(len(begin), -1), np.arange(len(begin)), 0
    while len(some := some[begin[some] + at < end[some]]):
        here = begin[some] + at
        held = holds(here, some)
        found[some[held]] = here[held]
        some, at = some[~held], at + 1
    return found


def _ordered(table: pa.Table) -> pa.Table:
    """The mentions in their order, which they often have: then nothing is sorted."""
    alike = np.ones(max(0, table.num_rows - 1), dtype=bool)  # pairs of neighbours that do not differ so far
    for name in _ORDER:
        column = table[name].combine_chunks()
        at = pa.array(np.flatnonzero(alike))
        one, other = (column[:-1], column[1:]) if alike.all() else (column.take(at), column.take(pc.add(at, 1)))
        after, same = (
            pc.fill_null(compare(other, one), False).to_numpy(zero_copy_only=False)
            for compare in (pc.greater, pc.equal)
        )
        if not (after | same).all():
            return table.sort_by([(name, "ascending") for name in _ORDER])
        alike[alike] = same
    return table


def id_list(given: str | Iterable[str], folder: str | Path = "") -> frozenset[str]:
    """Ids as they are called here: from a text with commas between, a file with one or more a line, or a list of them.

    `folder` is what the path of a file is relative to.

    >>> sorted(id_list("MESH:D001405, ncbitaxon:10090")) == sorted(id_list(["MESH:D001405", "ncbitaxon:10090"]))
    True
    """
    if isinstance(given, str):
        path = os.path.join(folder, os.path.expanduser(given))
        is_file = os.path.isfile(path)  # a long list is no path; Path.is_file would raise
        text = "\n".join(file.text() for file in files.expand_paths([path])) if is_file else given
        given = re.split(r"[\s,]+", text)
    found = {token.strip() for token in given} - {""}
    if bare := sorted(token for token in found if not _PREFIXED.match(token)):
        raise UsageError("excluded ids need a prefix, such as mesh:D001405; neither such an id nor a file: "
                         f"{', '.join(bare[:3])}")  # fmt: skip
    return frozenset(curie(token, "") for token in found)


def _excluded(exclude: frozenset[str], moved: Moved) -> frozenset[str]:
    """The ids to exclude, also under the names they had before."""
    return exclude | {old for old, now in moved.items() if now and exclude.issuperset(now)}


def _without(alternatives: Iterable[Iterable[str]], exclude: frozenset[str]) -> list[list[str]]:
    kept = [[i for i in ids if i not in exclude] for ids in alternatives]
    return [ids for ids in kept if ids]
