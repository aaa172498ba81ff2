"""What a page holds of its cohorts, as columns: from them its script makes the objects that `View` answers with.

The whole is an `Embedded`; everything in it is JSON. Below, *row* is a place in a column, *number* an index into a
table, and offsets count code points of a document's text. A column that is `null` is all of one value, which is named
there.

**Tables of a cohort** (`EmbeddedCohort`). `cohort` is the answer to the request `cohort` as it is, with `sizes.held`.
`ids` and `names` go together: CURIE, and its primary name or null. `sentences` are all that `why` may say. `golds` are
distinct golds: `[alternatives, changed]`, alternatives as lists of numbers of ids, changed as `[[old, [new …]] …]` in
texts. `sets` are distinct sets of ids, as numbers. `combinations` are `[type, slices, codes, n]`: number into
`cohort.types`, bits of `cohort.slices` and then of `cohort.sets`, codes of all systems one after another
(`cohort.width` letters each), and how many mentions of the whole split have it, held or not: exact totals for any
filter. `sections` are kinds of passages. `left_out` says what text is missing, or is "". `text` is `full`, `snippet`
or `none`.

**Documents** (`Documents`), in corpus order, all of the split: `id`, `title` ("" with `text` `none`), `chars`,
`mentions` (of the corpus, held or not) and `differ` (mentions on which systems are not worth the same). `passages` of
a document are flat triples of section (a number), offset, length. `pieces` of a document are flat pairs of offset and
text: the whole text at 0 (`full`), the parts around what is held (`snippet`), or nothing (`none`). `figures` has an
entry for each system: `{right, n}`, or for one that found mentions `{tp, fp, fn}`, each a list with a column for each
of `cohort.nil`. A document with `n` 0 has null there in answers. Sorting by `errors` adds up n − right, or fp + fn,
over the systems.

**Places** (`Places`), of mentions and of cases. `document`: numbers, ascending. `pieces`: how many pieces the span has
(null: all one; 0: the corpus gives no place). `start`, `end`: of all pieces, one after another. `text`: row → text,
for those whose text is not the document's at its pieces, joined by single spaces. With `text` `none`, the text of all
others is "". Texts longer than 120 are shown as their first 60, ` … `, and their last 60 code points, and found by all
of them. `before`, `after`: how far the context reaches beyond the span (from the first start, and from the greatest
end); −1: there is none, and the context is the mention alone, `[[text clipped to 320, true]]`, or `[]` where the text
is "". `cut`: 1 the context begins in the midst of a sentence and `…` comes before it, 2 it ends so, 3 both (null: all
0). Of the context, each piece of the span and what is between two pieces is clipped to 320: longer ones are their
first 160, ` … `, their last 160. Parts that are empty are left out.

**Mentions** (`Mentions`): all annotations that are held, in corpus order. `parent`: row of the annotation that one is
an alternative to or a part of, −1 of a mention of its own (null: all −1); only the latter are what the request
`mentions` is about. `id`: 0 where it is `DOCUMENT:START-END:TYPE` (several pieces: `START-END,START-END`), else the
text. `type`, `section`, `gold`: numbers (`type` into `types` of the mentions, which has those of parts as well).
`combination`: number, −1 where there is a parent. `flags`: bits of `annotations.FLAGS`: `optional`, `nil`,
`coreference`, `part`, `alternative`, `stray` (null: all 0). `worst`: the worst rank of gold over the systems that
score it; −1: one of them has not found it; −2: none scores it. Sorting by `rank` has −1 first, then the greatest; −2
last.

**Answers** (`Answers`), one for each system, rows as of mentions. `outcome`: number into `outcomes`, −1 where there is
no answer to show (null in the object: not scored, or a parent). `outcomes`: `[why, at1, at5, candidates, rank]`:
number of a sentence, what the mention is worth at 1 and at 5, how many candidates there are, rank of the first gold
one or null. `groups`: how many groups are shown of each row (null: all as many as `most`). Then one after another, of
all groups: `sizes` (null: all 1), `scores` (null: none at all; null in it: none). `ids`: numbers, of each group the
first 12 at most, gold ones first. The rank of a group is 1 + the sizes before it, but for rows in `ranks`: row → ranks
of its groups. `gold`: row → numbers, where the gold ids in the system's knowledge base are not those of `golds`.
`right` of a group is how many of its ids that are shown are gold: of `gold` if the row is in it, else of any
alternative. `verdict`, `stage` and `places` of the object are in the codes.

**Cases** (`Cases`), one for each of `cohort.found`, in that order, by document and place. `label`: row of the mention,
−1 of a prediction on none. `id`: 0 where it is that of the label, or `DOCUMENT START-END alone` without one (pieces as
above); else the text. `bits`, `why`: for each of `cohort.nil` a column; bits −1: no case in that mode; `why` is the
number of a sentence. `gold`, `said`: number of a set, −1 NIL (an empty list), −2 nothing (null). `groups`: number into
`grouped` of the cohort, pairs of numbers into `cohort.groups`: those that a case belongs to by its gold, and by its
answer. `totals`: for each of `cohort.nil` `[[bits, groups, n] …]` over the whole split, held or not.

**Hierarchy** (`Edges`, or null): edges from `child` to `parent`, numbers of ids: those of all that trees of mentions
may need, up to the roots; `roots` are those without a parent. `ids` has all of them. How a tree is made of them is
said in `explorer.trees`.

**Lists.** `mentions`: filters go by the combination. `total` is the sum of `n` of the combinations that pass; with
`find` or `document` it is how many of those held do. `all` is `sizes.scored`, with the outcome `left` and
`sizes.left`; `held` are those of them that are held. `cases`: likewise by `totals`; in a group a case counts for the
bits `cohort.of_answer` if it belongs to it by its answer, for the others if by its gold. `find` is compared in lower
case with text, id, document, gold ids and their names; of cases with text, document, and ids and names of gold and
answer; of documents with id and title. Rows are sorted by text in lower case, type, document, rank (of documents: id;
`errors`, `differ`, `mentions` and `chars` with the largest first); equal ones stay in corpus order. A `-` turns all of
that round.

**The view of a document** is made of the above as `explorer.document_marks` says.
"""

from __future__ import annotations

from typing import Any, TypedDict

#: The number of this format, which the script that reads it knows.
FORMAT = 2

Column = list[int]


class Documents(TypedDict):
    """The documents of the split."""

    id: list[str]
    title: list[str]
    chars: Column
    mentions: Column
    differ: Column
    passages: list[Column]
    pieces: list[list[int | str]]
    figures: list[dict[str, Any]]


class Places(TypedDict):
    """Where mentions or cases stand, and their contexts."""

    document: Column
    pieces: Column | None
    start: Column
    end: Column
    text: dict[str, str]
    before: Column
    after: Column
    cut: Column | None


class Mentions(TypedDict):
    """The annotations that are held."""

    places: Places
    id: list[int | str]
    types: list[str]
    type: Column
    section: Column
    gold: Column
    combination: Column
    parent: Column | None
    flags: Column | None
    worst: Column


class Answers(TypedDict):
    """What one system said of the mentions."""

    outcome: Column
    outcomes: list[list[float | int | None]]
    groups: Column | None
    most: int
    sizes: Column | None
    scores: list[float | None] | None
    ids: Column
    ranks: dict[str, Column]
    gold: dict[str, Column]


class Cases(TypedDict):
    """The cases of a system that found mentions."""

    places: Places
    id: list[int | str]
    label: Column
    bits: list[Column]
    why: list[Column]
    gold: Column
    said: Column
    groups: Column
    totals: list[list[Column]]


class Edges(TypedDict):
    """A part of a hierarchy."""

    child: Column
    parent: Column
    roots: Column


class EmbeddedCohort(TypedDict):
    """All that a page holds of one cohort."""

    cohort: dict[str, Any]
    text: str
    left_out: str
    ids: list[str]
    names: list[str | None]
    sentences: list[str]
    sections: list[str]
    golds: list[list[Any]]
    sets: list[Column]
    grouped: list[list[Column]]
    combinations: list[list[Any]]
    documents: Documents
    mentions: Mentions
    answers: list[Answers]
    cases: list[Cases]
    hierarchy: Edges | None


class Embedded(TypedDict):
    """All that a page holds."""

    format: int
    cohorts: list[EmbeddedCohort]
