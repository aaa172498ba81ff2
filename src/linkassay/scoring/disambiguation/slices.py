"""Slices: parts of the scored mentions by what they are, what training had, what the KB knows (SLICE-1 to SLICE-20).

Every mention is a row of one SQL table; a slice is a condition over its columns, a grouping is a column, and
users write their own in the same way. Texts are compared lower-cased, as written on request, abbreviations
written out where a source of them is given.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from linkassay import store
from linkassay.errors import UsageError
from linkassay.kbs import Kb, semantic_groups_of, semantic_types_of
from linkassay.model import types_of
from linkassay.registry import ValueRegistry, near_miss
from linkassay.scoring.disambiguation import conditions
from linkassay.scoring.disambiguation.evaluation_sets import Sets
from linkassay.scoring.disambiguation.scored_mentions import ScoredMentions


@dataclass(frozen=True)
class Slice:
    """A part of the mentions: an SQL condition over the columns of a mention, and its name where people read.

    A `grouping` is an expression instead; each of its values is a slice.
    """

    sql: str
    words: str = ""
    grouping: bool = False


#: Slice → condition (SLICE-3 to SLICE-13), then grouping → expression (SLICE-14 to SLICE-18). Training is the train
#: split (SLICE-2); `unseen-…` are BELB's lists.
SLICES: ValueRegistry[Slice] = ValueRegistry(
    "slice",
    {
        "abbreviation": Slice("expansion <> text", "abbreviations"),  # SLICE-3
        "alias-match": Slice("alias_match", "a name of gold"),  # SLICE-4
        "no-alias-match": Slice("not alias_match", "no name of gold"),  # SLICE-4
        "wrong-alias-match": Slice("wrong_alias_match", "a name of another entity"),  # SLICE-5
        "train-text-match": Slice("train_text", "text seen in training"),  # SLICE-6
        "train-entity-match": Slice("train_entity", "entity seen in training"),  # SLICE-7
        "zero-shot": Slice("not train_entity", "zero-shot"),  # SLICE-7
        "train-pair-match": Slice("train_pair", "text and entity seen together"),  # SLICE-8
        "single-alias": Slice("aliases = 1", "entity with one name"),  # SLICE-9
        "five-aliases-or-less": Slice("aliases <= 5", "entity with ≤ 5 names"),  # SLICE-9
        "no-definition": Slice("not definition", "entity without definition"),  # SLICE-10
        "homonym": Slice("homonym", "a name of several entities"),  # SLICE-11
        "unseen-entity": Slice("unseen = 'entity'", "unseen entity"),  # SLICE-12
        "unseen-synonym": Slice("unseen = 'synonym'", "unseen synonym"),  # SLICE-12, as SETS-6, `Sets.unseen`
        "seen": Slice("unseen = ''", "seen"),  # SLICE-12
        "composite": Slice("composite", "composite"),  # SLICE-13
        "discontinuous": Slice("pieces > 1", "in several pieces"),  # SLICE-13
        "type": Slice("type", grouping=True),  # SLICE-14
        "section": Slice("section", grouping=True),  # SLICE-14
        "semantic-type": Slice("semantic_type", grouping=True),  # SLICE-15
        "semantic-group": Slice("semantic_group", grouping=True),  # SLICE-15
        "species": Slice("species", grouping=True),  # SLICE-16
        "length": Slice("case when words >= 4 then '4+' else words::varchar end", grouping=True),  # SLICE-17
        "popularity": Slice(  # SLICE-18
            "case when popularity = 0 then '0' when popularity = 1 then '1' when popularity < 10 then '2-9' "
            "when popularity < 100 then '10-99' else '100+' end",
            grouping=True,
        ),
    },
    Slice,
)

#: The columns of the table `mention` (SLICE-19), in the order in which they are made, with what each needs.
SLICE_COLUMNS = {
    "mention": ("id", "document", "text", "expansion", "type", "gold", "start", "stop", "length", "words", "pieces",
                "composite", "section"),
    "training": ("train_text", "train_entity", "train_pair", "popularity", "unseen"),
    "kb": ("alias_match", "wrong_alias_match", "homonym", "aliases", "definition", "species", "semantic_type",
           "semantic_group"),
}  # fmt: skip

_MENTION = """
create table mention as
select row, id, document, text, expansion, type, gold, start, stop, length(text) as length,
       len(string_split_regex(trim(text), '\\s+')) as words, pieces, composite, section, {text} as compared
from given order by row
"""

_TRAINING = """
create table with_training as
with texts as (select distinct {text} as compared from train),
     seen as (select id, {text} as compared, unnest(gold) as entity from train),
     often as (select entity, count(*) as n from (select distinct id, entity from seen) group by entity),
     pairs as (select distinct compared, entity from seen),
     mine as (select row, compared, unnest(gold) as entity from mention),
     found as (select mine.row, bool_or(often.entity is not null) as entity, bool_or(pairs.entity is not null) as pair,
                      max(coalesce(often.n, 0)) as popularity
               from mine left join often on mine.entity = often.entity
               left join pairs on mine.entity = pairs.entity and mine.compared = pairs.compared group by mine.row)
select mention.*, texts.compared is not null as train_text, found.entity as train_entity,
       found.pair as train_pair, found.popularity, unseen.unseen
from mention join found using (row) join unseen using (row)
left join texts on mention.compared = texts.compared order by row
"""

#: Names and entities are asked for the texts and ids of the mentions only.
_KB = """
create table with_kb as
with mine as (select row, compared, gold, unnest(gold) as entity from mention),
     said as (select mention.row, names.id, list_contains(mention.gold, names.id) as right
              from (select id, {name} as compared from names semi join mention on {name} = compared) names
              join mention using (compared)),
     matches as (select row, bool_or("right") as good, bool_or(not "right") as bad, count(distinct id) as n
                 from said group by row),
     many as (select id, count(distinct name) as n from names semi join mine on id = entity group by id),
     about as (select mine.row, min(many.n) as aliases, bool_or(coalesce(e.definition, '') <> '') as definition,
                      min(e.foreign_id) filter (e.foreign_id like 'ncbitaxon:%') as species,
                      min(e.types) as semantic_type, min(e.groups) as groups
               from mine left join (select * from entities semi join mine on id = entity) e on e.id = mine.entity
               left join many on many.id = mine.entity group by mine.row)
select mention.*, coalesce(matches.good, false) as alias_match, coalesce(matches.bad, false) as wrong_alias_match,
       coalesce(matches.n, 0) > 1 as homonym, coalesce(about.aliases, 0) as aliases,
       coalesce(about.definition, false) as definition, coalesce(about.species, '') as species,
       coalesce(about.semantic_type, '') as semantic_type, coalesce(about.groups, '') as semantic_group
from mention left join matches using (row) left join about using (row) order by row
"""


#: Groupings by kinds of which a mention may have several, being in the slice of each (DATA-13, SLICE-15).
_OF_SEVERAL = ("type", "semantic-type", "semantic-group")

#: Columns that compare texts: with names of the knowledge base, and with training data.
_COMPARED = {"alias_match", "wrong_alias_match", "homonym", "train_text", "train_pair"}


def compares_texts(name: str) -> bool:
    """Whether a slice depends on how texts are compared (SLICE-1); what is one's own may."""
    known = name.partition("=")[0]  # of a grouping each value is a slice
    return known not in SLICES or bool(_COMPARED & set(re.findall(r"\w+", SLICES[known].sql)))


def parse_slice(by: str) -> tuple[str, str]:
    """Name and condition of what one text stands for, `name: condition` if one's own; a misspelt name is refused."""
    if by in SLICES:
        return by, SLICES[by].sql
    if re.fullmatch(r"[\w -]+", by) and not _says_a_column(by):
        raise UsageError(f"unknown slice {by!r}; {near_miss(by, list(SLICES))} (your own: an SQL "
                         "condition, e.g. 'short: length <= 4')")  # fmt: skip
    if group := asked_group(by):
        return by.strip(), SLICES[group[0]].sql
    named = re.fullmatch(r"([\w -]+):(?!:)(.*)", by, re.DOTALL)
    return (named[1].strip(), named[2]) if named else (by.strip(), by)  # SLICE-19


def asked_group(by: str, groupings: Collection[str] = ()) -> tuple[str, str] | None:
    """Grouping and value of what is written as tables write a group, such as `type=gene`; None for other conditions.

    >>> asked_group("type=gene"), asked_group("type='gene'"), asked_group("type=section"), asked_group("length=4")
    (('type', 'gene'), None, None, None)
    """
    grouping, _, value = (part.strip() for part in by.partition("="))
    known = grouping in groupings or (grouping in SLICES and SLICES[grouping].grouping)
    sql = re.search("""::|['"()<>=]""", value) or re.fullmatch(r"-?[\d.]+", value) or value in _all_columns()
    return (grouping, value) if known and value and not sql else None


def no_such_group(by: str, there: Collection[str]) -> UsageError:
    """What is said of a group that no mention is in; `there` are those that there are."""
    grouping, _, value = (part.strip() for part in by.partition("="))
    values = [each.partition("=")[2] for each in there]
    said = near_miss(value, values) if len(values) <= 20 or not value else f"there are {len(values)} others"
    return UsageError(f"{by}: no mention has {value!r} for its {grouping}; {said} (a condition in SQL has quotes: "
                      f"{grouping}='{value}')")  # fmt: skip


class Slices:
    """The mentions as a table, its columns made when a condition asks for them."""

    def __init__(self, items: ScoredMentions, kb: Kb | None, sets: Sets) -> None:
        self._items, self._kb, self._sets = items, kb, sets
        self._made = {"mention"}
        self._found: dict[str, list[tuple[str, Any]]] = {}

    def masks(self, by: str) -> list[tuple[str, Any]]:
        """The slices that one text stands for: `zero-shot`, `type`, or `name: condition` in SQL."""
        if by not in self._found:
            self._found[by] = list(self._named(by))
        return self._found[by]

    def _named(self, by: str) -> Iterator[tuple[str, Any]]:
        name, sql = parse_slice(by)
        if by in SLICES and SLICES[by].grouping:
            yield from self._group(name, sql)
        elif by not in SLICES and (group := asked_group(by)):
            groups, wanted = dict(self._group(group[0], sql)), "=".join(group)
            if wanted not in groups:
                raise no_such_group(by, list(groups))
            yield wanted, groups[wanted]
        else:
            if by not in SLICES:
                conditions.refuse_all_but_an_expression(by, sql)
            yield name, self._mask(by, sql)

    def _mask(self, name: str, condition: str) -> Any:
        # it may end with a comment
        return self._values(name, f"coalesce(({condition}\n)::boolean, false)").to_numpy(zero_copy_only=False)

    def _group(self, name: str, expression: str) -> Iterator[tuple[str, Any]]:
        values = self._values(name, expression).dictionary_encode("encode")
        texts = [str(v) if v is not None else "" for v in values.dictionary.to_pylist()]
        of = [types_of(text) if name in _OF_SEVERAL else (text,) for text in texts]  # DATA-13
        number = values.indices.to_numpy(zero_copy_only=False)
        for each in sorted({part for parts in of for part in parts}, key=_natural):
            yield f"{name}={each or '–'}", np.array([each in parts for parts in of], dtype=bool)[number]

    def _values(self, name: str, expression: str) -> pa.Array:
        import duckdb

        self._make(expression)
        try:
            found = conditions.answers(self._connection, f"select {expression} from mention order by row")
        except duckdb.InterruptException as error:
            raise UsageError(f"slice {name!r}: not done after {conditions.SECONDS:.0f} seconds") from error
        except duckdb.OutOfMemoryException as error:
            raise UsageError(f"slice {name!r}: it needs more memory than a condition may have") from error
        except duckdb.Error as error:
            reason = str(error).splitlines()[0]
            raise UsageError(f"slice {name!r}: {reason}. Columns: {', '.join(_all_columns())}") from error
        if len(found) != len(self._items):
            raise UsageError(f"slice {name!r}: {len(found)} answers for {len(self._items)} mentions; a condition says "
                             "yes or no to each")  # fmt: skip
        return found[0].combine_chunks()

    def _make(self, expression: str) -> None:
        words = set(re.findall(r"\w+", expression.lower()))
        if words & set(SLICE_COLUMNS["training"]) and "training" not in self._made:
            self._make_training()
        if words & set(SLICE_COLUMNS["kb"]) and "kb" not in self._made:
            self._make_kb()

    @cached_property
    def _connection(self) -> Any:
        items = self._items
        connection = store.connect(alone=True)
        sizes = np.zeros(len(items), dtype=bool)
        members = np.bincount(items.gold.member_alternative, minlength=len(items.gold.alternative_item))
        np.logical_or.at(sizes, items.gold.alternative_item, members > 1)
        table = items.table.drop_columns(["gold"])
        table = table.append_column("row", pa.array(np.arange(len(items))))
        table = table.append_column("gold", items.gold.by_item)
        table = table.append_column("composite", pa.array(sizes))
        table = table.append_column("expansion", items.expanded(items.table, [items.split]))
        connection.register("given", table)
        connection.execute(_MENTION.format(text=self._text("expansion")))
        connection.unregister("given")
        conditions.lock(connection)
        return connection

    def _text(self, column: str) -> str:
        return column if self._items.options.fold is False else f"lower({column})"

    def _make_training(self) -> None:
        items = self._items
        train = items.training(("train",))
        if not train.num_rows:
            raise UsageError(f"it asks what training data have seen, but {items.corpus.name} has no mention in a train "
                             f"split beside {items.split!r}")  # fmt: skip
        train = train.append_column("expansion", items.expanded(train, ["train"]))
        entity, synonym = self._sets.unseen("unseen-entity"), self._sets.unseen("unseen-synonym")
        kinds = np.where(entity, "entity", np.where(synonym, "synonym", ""))
        unseen = pa.table({"row": np.arange(len(items)), "unseen": pa.array(kinds.tolist(), pa.string())})
        self._connection.register("train", train.select(["id", "expansion", "gold"]))
        self._connection.register("unseen", unseen)
        self._replace(_TRAINING.format(text=self._text("expansion")), "with_training")
        self._made.add("training")

    def _make_kb(self) -> None:
        if self._kb is None:
            raise UsageError("this slice asks the knowledge base, but the run names none")
        connection = self._connection
        mine = connection.sql("select distinct compared from mention").to_arrow_table()
        ids = connection.sql("select distinct unnest(gold) as id from mention").to_arrow_table()
        asked = self._kb.connect()
        asked.register("mine", mine)
        asked.register("ids", ids)
        name = self._text("name")
        names = asked.sql(
            f"select id, name from names where {name} in (select compared from mine) or id in (select id from ids)"
        ).to_arrow_table()
        entities = asked.sql(
            "select id, type, category, definition, foreign_id from entities semi join ids using (id)"
        ).to_arrow_table()
        types = [semantic_types_of(*of) for of in zip(*(entities[c].to_pylist() for c in ("type", "category")))]
        for column, kinds in (("types", types), ("groups", [semantic_groups_of(each) for each in types])):
            entities = entities.append_column(column, pa.array(["|".join(each) for each in kinds], pa.string()))
        connection.register("names", names)
        connection.register("entities", entities)
        self._replace(_KB.format(name=name), "with_kb")
        self._made.add("kb")

    def _replace(self, statement: str, made: str) -> None:
        self._connection.execute(statement)
        self._connection.execute("drop table mention")
        self._connection.execute(f"alter table {made} rename to mention")


def _all_columns() -> list[str]:
    return [column for columns in SLICE_COLUMNS.values() for column in columns]


def _says_a_column(text: str) -> bool:
    """Whether a text of words is a condition such as `alias_match and not train_text`, not the name of a slice."""
    columns = set(_all_columns())
    return text.strip() in columns or (" " in text.strip() and bool(columns & set(text.split())))


def _natural(value: str) -> tuple[int, str]:
    """Values that begin with a number in the order of numbers."""
    number = re.match(r"\d{1,9}", value)
    return int(number[0]) if number else -1, value
