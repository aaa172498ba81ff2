"""A corpus in the data home: written once per revision, then read lazily, split by split."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.corpora import CORPORA, canonical_name
from linkassay.corpora.corpus_spec import SharedText
from linkassay.corpora.document_rows import document_rows, mention_rows
from linkassay.errors import UsageError
from linkassay.model import Document, Hyperlink, Mention, Passage, types_of
from linkassay.registry import near_miss
from linkassay.tables import Rows, html_block

#: Columns that corpora of older versions do without.
_LATER = ("further_parents",)
_ORDER = {"train": 0, "dev": 1, "test": 2}
#: Which column of a table has the ids of documents.
DOCUMENT_COLUMN = {"documents": "id", "mentions": "document"}


def corpus_folder(name: str) -> Path:
    """Where all revisions of the corpus `name` lie."""
    return store.home() / "corpora" / name


def corpus_names() -> list[str]:
    """The corpora in the data home."""
    root = store.home() / "corpora"
    return sorted(p.name for p in root.iterdir() if store.current(p)) if root.is_dir() else []


def document_ids(path: Path, split: str) -> list[str]:
    """The ids of one split of the revision that lies at `path`."""
    return [row["id"] for row in store.rows(path / f"documents.{split}.parquet", columns=["id"])]


def in_split_order(splits: Sequence[str]) -> list[str]:
    """Train, dev, test, then any others by name."""
    return sorted(splits, key=lambda s: (_ORDER.get(s, 3), s))


class SplitWriter:
    """Writes the documents of one split into a folder, many rows at a time."""

    _TOGETHER = 2_000  # so many mentions wait at most for further ones, but for those of one document

    def __init__(self, target: Path, split: str) -> None:
        self._split = split
        self._documents = store.Table(target / f"documents.{split}.parquet", store.DOCUMENTS, 2_000, joined=True)
        self._mentions = store.Table(target / f"mentions.{split}.parquet", store.MENTIONS, joined=True)
        self._waiting: list[Document] = []
        self._annotations: list[Mention] = []

    def add(self, document: Document) -> None:
        """Append one document with its annotations."""
        self._waiting.append(document)
        self._annotations += document.annotations
        if len(self._annotations) + len(self._waiting) >= self._TOGETHER:
            self._write()

    def _write(self) -> None:
        self._documents.append(document_rows(self._split, self._waiting))
        self._mentions.append(mention_rows(self._split, self._annotations))
        self._waiting, self._annotations = [], []

    def __enter__(self) -> SplitWriter:
        return self

    def __exit__(self, *error: Any) -> None:
        if error[0] is None:
            self._write()
        self._documents.__exit__(*error)
        self._mentions.__exit__(*error)


class Split:
    """The documents of one split, read lazily and in order; iterate as often as you like."""

    def __init__(self, corpus: Corpus, name: str) -> None:
        self._corpus, self.name = corpus, name

    def __repr__(self) -> str:
        return f"<split {self.name} of {self._corpus.name}: {len(self)} documents>"

    @property
    def documents_path(self) -> Path:
        """The Parquet file of the documents."""
        return self._corpus.path / f"documents.{self.name}.parquet"

    @property
    def mentions_path(self) -> Path:
        """The Parquet file of all annotations, also where the corpus is restricted to a type."""
        return self._corpus.path / f"mentions.{self.name}.parquet"

    @property
    def restricted(self) -> bool:
        """Whether only annotations of one type are given."""
        return self._corpus.type is not None

    def __len__(self) -> int:
        counts: dict[str, int] = self._corpus.manifest["splits"][self.name]
        return counts["documents"]

    def __iter__(self) -> Iterator[Document]:
        yield from self._read(None)

    def some(self, documents: Iterable[str]) -> Iterator[Document]:
        """The documents of these ids, in the order of the split."""
        return self._read(pa.array(list(documents), pa.string()))

    def _read(self, wanted: pa.Array | None) -> Iterator[Document]:
        mentions = map(_mention, self._corpus.rows("mentions", self.name, documents=wanted))
        waiting = next(mentions, None)
        for row in self._corpus.rows("documents", self.name, documents=wanted):
            annotations = []
            while waiting is not None and waiting.document == row["id"]:
                annotations.append(waiting)
                waiting = next(mentions, None)
            if self._corpus.type is not None:
                annotations = _of_type(annotations, self._corpus.type)
            yield _document(row, tuple(annotations))


class Corpus:
    """One revision of a corpus.

    `corpus["test"]` gives the documents of a split; `corpus.sql("select … from mentions")` asks
    the tables `documents` and `mentions` directly. `name/type` restricts a corpus to one type.
    """

    def __init__(self, name: str, path: Path, type: str | None = None) -> None:
        self.path, self.type = path, type
        self.name = name if type is None else f"{name}/{type}"
        file = path / "manifest.json"
        self.manifest: dict[str, Any] = store.Recorded(store.read_json(file), file, _remake(name))
        self.revision: str = self.manifest["revision"]
        self.splits: tuple[str, ...] = tuple(in_split_order(list(self.manifest["splits"])))
        if type is not None and type not in self.types:
            raise UsageError(f"corpus {name!r} has no type {type!r}; {near_miss(type, list(self.types))}")

    @classmethod
    def open(cls, name: str) -> Corpus:
        """The corpus `name`, `name@revision` or `name/type` of the data home."""
        bare, _, type_ = name.partition("/")
        bare, _, revision = bare.partition("@")
        bare = canonical_name(bare)
        revision = revision or store.current(corpus_folder(bare)) or ""
        path = corpus_folder(bare) / revision
        if not revision or not (path / "manifest.json").exists():
            raise UsageError(_absent(bare, revision))
        return cls(bare, path, type_ or None)

    def __repr__(self) -> str:
        return f"<corpus {self.name}@{self.revision}: {', '.join(self.splits)}>"

    def _repr_html_(self) -> str:
        splits = self.manifest["splits"]
        facts = Rows({"split": s, "documents": splits[s]["documents"], "mentions": splits[s]["annotations"]}
                     for s in self.splits)  # fmt: skip
        said = {
            "types": ", ".join(self.types),
            "knowledge base": self.manifest["kb"],
            "licence": self.manifest["licence"],
        }
        title = f"corpus {self.name}@{self.revision}: {self.manifest['title']}"
        return html_block(title, facts, notes=[f"{name}: {value}" for name, value in said.items() if value])

    def __getitem__(self, split: str) -> Split:
        if split not in self.splits:
            raise UsageError(f"corpus {self.name!r} has no split {split!r}; {near_miss(split, list(self.splits))}")
        self._complete([split])
        return Split(self, split)

    def _complete(self, splits: Sequence[str]) -> None:
        """Refuse files without what is needed, as older versions wrote them."""
        for kind, schema in (("documents", store.DOCUMENTS), ("mentions", store.MENTIONS)):
            needed = [column for column in schema.names if column not in _LATER]
            for split in splits:
                store.require_columns(
                    self.path / f"{kind}.{split}.parquet", needed, _remake(self.name.partition("/")[0])
                )

    def __iter__(self) -> Iterator[Document]:
        for split in self.splits:
            yield from self[split]

    @property
    def pinned(self) -> str:
        """The name by which `open` finds just this revision."""
        bare, slash, type_ = self.name.partition("/")
        return f"{bare}@{self.revision}{slash}{type_}"

    @property
    def shares_text(self) -> SharedText:
        """How much of its texts a page may pass on; what an older version stored does not say, but its name does."""
        name: str = self.name.partition("/")[0]
        told = self.manifest.get("shares_text") or (CORPORA.load(name).shares_text if name in CORPORA else "full")
        return "full" if told == "full" else "snippet"

    @property
    def types(self) -> tuple[str, ...]:
        """The entity types that occur."""
        return tuple(sorted({part for type_ in self.manifest["types"] for part in types_of(type_)}))

    def rows(
        self, kind: str, split: str, columns: list[str] | None = None, documents: pa.Array | None = None
    ) -> Iterator[dict[str, Any]]:
        """The rows of `documents` or `mentions` of one split, one after another; of some documents if so wished."""
        parts = store.batches(self.path / f"{kind}.{split}.parquet", columns, 2_000)
        return store.rows_of(parts, DOCUMENT_COLUMN[kind], documents)

    def table(self, kind: str, split: str, columns: list[str]) -> pa.Table:
        """Some columns of `documents` or `mentions` of one split; of a restricted corpus only those of its type."""
        self[split]  # refuses what is not there, or too old
        restricted = kind == "mentions" and self.type is not None
        wanted = list(dict.fromkeys([*columns, "id", "parent", "type"])) if restricted else columns
        schema = pa.schema([getattr(store, kind.upper()).field(name) for name in wanted])
        found = pa.Table.from_batches((part.select(wanted) for part in self.batches(kind, split, wanted)), schema)
        return found.filter(_trees_of_type(found, str(self.type))).select(columns) if restricted else found

    def batches(self, kind: str, split: str, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """Some columns of `documents` or `mentions` of one split, many rows at a time, of whatever type."""
        return store.batches(self.path / f"{kind}.{split}.parquet", columns, 2_000 if kind == "documents" else 100_000)

    def connect(self) -> Any:
        """A DuckDB connection with the views `documents` and `mentions` (with its ids unnested: `gold_ids`)."""
        connection = self._tables()
        connection.execute(
            "create temp view gold_ids as select distinct split, document, id as mention, text, type, "
            "unnest(flatten(gold)) as entity from mentions where parent = ''"
        )
        return connection

    def _tables(self) -> Any:
        """A connection with `documents` and `mentions`, these restricted to the type if there is one."""
        self._complete(self.splits)
        views = {kind: [self.path / f"{kind}.{s}.parquet" for s in self.splits] for kind in ("documents", "mentions")}
        if self.type is not None:
            views["all_mentions"] = views.pop("mentions")
        connection = store.connect(views)
        if self.type is not None:
            quoted = self.type.replace("'", "''")
            connection.execute(
                "create temp table kept as with recursive tree(id) as ("
                "select id from all_mentions where parent = '' and "
                f"list_contains(string_split(type, '|'), '{quoted}') union all "
                "select m.id from all_mentions m join tree on m.parent = tree.id) select id from tree"
            )
            connection.execute("create temp view mentions as select * from all_mentions semi join kept using (id)")
        return connection

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        """Plain SQL over `documents`, `mentions` and `gold_ids`."""
        rows: list[tuple[Any, ...]] = self.connect().execute(query).fetchall()
        return rows


def _remake(name: str) -> str:
    return f"linkassay get {name}" if name in CORPORA else f"linkassay get FILES --format FORMAT --name {name}"


def _absent(name: str, revision: str) -> str:
    if revision and corpus_folder(name).is_dir():
        known = sorted(p.name for p in corpus_folder(name).iterdir() if (p / "manifest.json").exists())
        return f"corpus {name!r} has no revision {revision!r}; at hand: {', '.join(known) or 'none'}"
    if name in CORPORA:
        return f"corpus {name!r} is not in the data home yet; run: linkassay get {name}"
    return f"unknown corpus {name!r}; {near_miss(name, sorted({*CORPORA, *corpus_names()}))}"


def _of_type(annotations: list[Mention], type_: str) -> list[Mention]:
    """The trees whose root is of this type, whole."""
    kept: set[str] = set()
    for mention in annotations:  # parents come before or after their children: repeat until nothing is added
        if not mention.parent and type_ in types_of(mention.type):
            kept.add(mention.id)
    while fresh := {m.id for m in annotations if m.parent in kept} - kept:
        kept |= fresh
    return [m for m in annotations if m.id in kept]


def _trees_of_type(mentions: pa.Table, type_: str) -> pa.Array:
    """Which mentions belong to trees whose root is of this type."""
    types = mentions["type"].combine_chunks().dictionary_encode()
    right = pa.array([type_ in types_of(each) for each in types.dictionary.to_pylist()], pa.bool_())
    kept = pc.and_(right.take(types.indices), pc.equal(mentions["parent"], "").combine_chunks())
    while True:  # parents come before or after their children: repeat until nothing is added
        below = pc.is_in(mentions["parent"], value_set=mentions["id"].filter(kept).combine_chunks()).combine_chunks()
        more = pc.or_(kept, pc.and_(below, pc.not_equal(mentions["parent"], "").combine_chunks()))
        if more.equals(kept):
            return kept
        kept = more


def _document(row: dict[str, Any], annotations: tuple[Mention, ...]) -> Document:
    text, spans = row["text"], row["evaluation_spans"]
    return Document(
        row["id"], text,
        tuple(Passage(p["kind"], p["offset"], text[p["offset"] : p["offset"] + p["length"]]) for p in row["passages"]),
        annotations, row["title"],
        None if spans is None else tuple((s["start"], s["end"]) for s in spans),
        tuple(Hyperlink((h["start"], h["end"]), h["target"]) for h in row["hyperlinks"]),
    )  # fmt: skip


def _mention(row: dict[str, Any]) -> Mention:
    return Mention(
        row["id"], row["document"], tuple((s["start"], s["end"]) for s in row["spans"]), row["text"], row["type"],
        tuple(frozenset(ids) for ids in row["gold"]), row["raw"], row["source_type"], row["optional"],
        row["parent"], row["role"], row["coreference"], row["kind"], tuple(row.get("further_parents") or ()),
    )  # fmt: skip
