"""Statistics of a stored corpus: counts, unseen entities and synonyms, homonyms, overlap.

Definitions are CORPUS-6 to CORPUS-8 (BELB, BioEL); each is one SQL statement over the Parquet files.
"""

from __future__ import annotations

from typing import Any

from linkassay.corpora.stored_corpus import Corpus
from linkassay.kbs import Kb
from linkassay.text.abbreviations import Abbreviations, expand

_COUNTS = """
select d.split, d.documents, coalesce(m.annotations, 0), coalesce(m.labels, 0), coalesce(m.unique_mentions, 0),
       coalesce(g.unique_entities, 0), coalesce(m.without_id, 0), coalesce(m.composite, 0),
       coalesce(m.discontinuous, 0), coalesce(m.optional, 0)
from (select split, count(*) as documents from documents group by split) d
left join (
  select split, count(*) filter (parent = '') as annotations, count(*) as labels,
         count(distinct text) filter (parent = '') as unique_mentions,
         count(*) filter (parent = '' and len(gold) = 0) as without_id,
         count(*) filter (parent = '' and len(list_filter(gold, lambda ids: len(ids) > 1)) > 0) as composite,
         count(*) filter (parent = '' and len(spans) > 1) as discontinuous,
         count(*) filter (parent = '' and optional) as optional
  from mentions group by split) m using (split)
left join (select split, count(distinct entity) as unique_entities from gold_ids group by split) g using (split)
"""
_NAMES = ("documents", "annotations", "labels", "unique_mentions", "unique_entities", "without_id",
          "composite", "discontinuous", "optional")  # fmt: skip

#: A mention is of an unseen entity if it has ids and none of them occurs in train or dev; an unseen
#: synonym if some id occurs there, but its lower-cased text in no mention there (CORPUS-7): the same rule as the
#: evaluation sets SETS-5 and SETS-6, over a whole corpus.
_UNSEEN = """
with gold_ids as (select split, mention, text, unnest(coalesce(now, [entity])) as entity
                  from gold_ids left join moved on entity = old),
     known as (select distinct entity from gold_ids where split in ('train', 'dev')),
     texts as (select distinct lower(text) as text from mentions where split in ('train', 'dev') and parent = ''),
     test as (select mention, any_value(lower(text)) as text, bool_or(entity in (select entity from known)) as seen
              from gold_ids where split = 'test' group by mention)
select mention, case when not seen then 'entity'
                     when text not in (select text from texts) then 'synonym' else '' end as unseen
from test
"""

_HOMONYMS = """
select count(*) filter (n > 1) / count(*)
from (select lower(text) as text, count(distinct entity) as n from gold_ids group by lower(text))
"""

#: Share of the test split's entities, of its gold ids and of its texts that occur in train (CORPUS-8).
_OVERLAP = """
select (select count(distinct entity) filter (entity in (select entity from gold_ids where split = 'train'))
               / nullif(count(distinct entity), 0) from gold_ids where split = 'test'),
       (select count(*) filter (entity in (select entity from gold_ids where split = 'train'))
               / nullif(count(*), 0) from gold_ids where split = 'test'),
       (select count(*) filter (text in (select text from mentions where split = 'train' and parent = ''))
               / nullif(count(*), 0) from mentions where split = 'test' and parent = '')
"""


def unseen_mentions(corpus: Corpus, kb: Kb | None = None) -> dict[str, str]:
    """Test mentions with gold ids → "entity", "synonym" or "" (both seen); empty without training data.

    Ids are compared as the corpus has them (BELB), or by what they are called now in `kb`.
    """
    if "test" not in corpus.splits or not {"train", "dev"} & set(corpus.splits):
        return {}
    connection = corpus.connect()
    moved = "select '' as old, ['']::varchar[] as now where false"
    if kb is not None:
        connection.register("history", kb.connect().sql("select old, new from current").to_arrow_table())
        moved = "select old, list(new order by new) filter (new <> '') as now from history group by old"
    connection.execute(f"create temp table moved as {moved}")
    return dict(connection.execute(_UNSEEN).fetchall())


def count_abbreviations(corpus: Corpus, source: Abbreviations) -> dict[str, int]:
    """Mentions whose document writes them out elsewhere (BioEL table 9): how many, and how many different texts."""
    found = [
        mention.text
        for document in corpus
        for pairs in [source.of(document.id, document.text)]
        for mention in document.mentions
        if expand(mention.text, pairs) != mention.text
    ]
    return {"mentions": len(found), "unique": len(set(found))}


def corpus_statistics(corpus: Corpus) -> dict[str, Any]:
    """Everything `info` shows of a corpus, as JSON-ready data."""
    connection = corpus.connect()
    counts = {row[0]: dict(zip(_NAMES, row[1:], strict=True)) for row in connection.execute(_COUNTS).fetchall()}
    by_type = connection.execute(
        "select split, one, count(*), count(*) filter (len(gold) = 0) from (select split, gold, "
        "unnest(list_distinct(string_split(type, '|'))) as one from mentions where parent = '') "
        "group by split, one order by one"
    ).fetchall()
    for split, type_, n, without in by_type:
        types = counts[split].setdefault("types", {})
        types[type_] = {"annotations": n, "without_id": without}
    result: dict[str, Any] = {"splits": {split: counts[split] for split in corpus.splits}}
    kinds = list(unseen_mentions(corpus).values())
    has_training = bool(kinds)
    result["test_unseen_entities"] = kinds.count("entity") if has_training else None
    result["test_unseen_synonyms"] = kinds.count("synonym") if has_training else None
    result["homonym_share"] = connection.execute(_HOMONYMS).fetchall()[0][0]
    if {"train", "test"} <= set(corpus.splits):
        shares = connection.execute(_OVERLAP).fetchall()[0]
        keys = ("test_entities_in_train", "test_mentions_of_train_entities", "test_mention_texts_in_train")
        result["overlap"] = dict(zip(keys, shares, strict=True))
    return result
