"""BioEL (Kartchner et al. 2023) beside ours: tables 2, 9, 10 from corpora at hand, 4 to 8, 11, 12 from runs.

The paper read ids as raw strings and did not merge annotations of one place; ours are split and merged (DATA-6), so
that counts of entities and mentions differ a little. Its table 3 is data only.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkassay.corpora import Corpus, count_abbreviations
from linkassay.published import our_figures
from linkassay.published.our_figures import AtHand, Reproduced, plain_name, reproduced_row
from linkassay.published.published_table import PublishedFigure, Work, load_work
from linkassay.scoring.disambiguation import score_run
from linkassay.tables import Rows
from linkassay.text.abbreviations import abbreviation_source as source_of

_NOTE = (
    "basic: tied answers in random order (the mean is exact here), relaxed: any of them; failures at the first 10. "
    "Corpora: ids are split where several are joined, and annotations of one place merged; the paper has raw id "
    "strings, which is why its entities are more and its overlaps of NCBI Disease lower (.6700 and .8156, split .6950 "
    "and .8281). Its abbreviations are Ab3P's. A run counts by the name of its system: it need not be the paper's."
)
_NUMBERS = (4, 11, 7)

#: Of the test split: distinct entities, and mentions, of which some id occurs in train.
_OVERLAP = """
with train as (select distinct entity from gold_ids where split = 'train'),
     test as (select mention, entity, entity in (from train) as seen from gold_ids where split = 'test')
select count(distinct entity) filter (seen), count(distinct entity), count(distinct mention) filter (seen),
       count(distinct mention) from test
"""


def bioel_beside_ours(abbreviations: str = "schwartz-hearst") -> Reproduced:
    """Every figure of the tables for which something is at hand; `abbreviations` says whose count in tables 6, 8, 9."""
    bioel = load_work("bioel")
    at_hand = our_figures.corpora_at_hand(bioel.corpora.values())
    rows = Rows(_corpora(bioel, at_hand, abbreviations))
    runs: dict[str, dict[str, AtHand]] = {}
    for hand in our_figures.at_hand(bioel):
        if not hand.recognised and hand.share_joined >= our_figures.JOINED:
            runs.setdefault(hand.corpus, {})[plain_name(hand.run.system)] = hand
    rows += _systems(bioel, runs)
    rows += _slices(bioel, runs, abbreviations)
    rows += _effect(bioel, runs, abbreviations)
    rows.sort(key=lambda r: r["table"])
    return Reproduced(_NOTE, rows, _missing(bioel, at_hand, runs))


def _missing(bioel: Work, at_hand: dict[str, Corpus], runs: dict[str, dict[str, AtHand]]) -> list[str]:
    lines = []
    if absent := [name for name in dict.fromkeys(bioel.corpora.values()) if name not in at_hand]:
        lines.append(f"corpora (tables 2, 9, 10): linkassay get {' '.join(absent)}")
    systems = dict.fromkeys(f.labels["system"] for f in bioel.tables[4].figures())
    together: dict[str, list[str]] = {}
    for corpus in dict.fromkeys(bioel.corpora.values()):
        lacking = [s for s in systems if plain_name(s) not in runs.get(corpus, {})]
        together.setdefault(", ".join(lacking), []).append(corpus)
    lines += [
        f"{', '.join(of)}, tables 4 to 8, 11, 12: no run of {lacking}; with a file written by {bioel.source}: "
        "linkassay import bioel FILE --corpus CORPUS --system SYSTEM"
        for lacking, of in together.items()
        if lacking
    ]
    return lines


def _systems(bioel: Work, runs: dict[str, dict[str, AtHand]]) -> Iterator[dict[str, Any]]:
    scores: dict[str, dict[str, dict[str, Any]]] = {}
    for table in (bioel.tables[n] for n in _NUMBERS):
        for figure in table.figures():
            corpus, system = bioel.corpora[figure.labels["corpus"]], figure.labels["system"]
            if (hand := runs.get(corpus, {}).get(plain_name(system))) is None:
                continue
            key = str(hand.run.path)
            if key not in scores:
                wanted = [_measure(f.measure, t.protocol) for t in (bioel.tables[n] for n in _NUMBERS)
                          for f in t.figures()]  # fmt: skip
                scores[key] = our_figures.scored(hand.run, ",".join(dict.fromkeys(wanted)))
            scored = scores[key][_measure(figure.measure, table.protocol)]
            yield reproduced_row(table, figure, scored["value"], scored["n"], corpus=corpus, system=system,
                      protocol=table.protocol, scope=table.scope, note=_of(hand), key=scored["key"])  # fmt: skip


def _of(hand: AtHand) -> str:
    """A run's note; BELB's files are of other trainings, and some hold one answer only."""
    belbs = hand.run.about.get("import", {}).get("format") == "belb"
    return "; ".join(filter(None, (hand.note, "BELB's training and candidates" if belbs else "")))


def _measure(measure: str, protocol: str) -> str:
    name, _, k = measure.partition("@")
    return f"{name}(protocol={protocol})@{k}"


def _slices(bioel: Work, runs: dict[str, dict[str, AtHand]], abbreviations: str) -> Iterator[dict[str, Any]]:
    """Tables 5, 6 and 12: differences of slices to all mentions, and how many mentions are in them."""
    for table in (bioel.tables[n] for n in (5, 6, 12)):
        hands = runs.get(table.corpus, {})
        printed = {f.labels["slice"] for f in table.figures()} & bioel.slices.keys()
        by = dict.fromkeys(bioel.slices[p].partition("=")[0] for p in sorted(printed))
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for figure in table.figures():
            name, slice_ = figure.labels.get("system", ""), bioel.slices.get(figure.labels["slice"], "")
            hand = hands.get(plain_name(name)) if name else next(iter(hands.values()), None)
            if hand is None or not slice_ or not hand.run.about["kb_revision"]:  # most slices need a KB
                continue
            if hand.run.system not in found:
                score = score_run(hand.run, f"recall(protocol={table.protocol})@1", by=list(by),
                                        abbreviations=abbreviations, fold=False)  # fmt: skip
                found[hand.run.system] = {r["slice"]: r for r in score.rows()}
            mine, everything = found[hand.run.system].get(slice_), found[hand.run.system]["all"]
            if mine is not None:
                value = mine["value"] - everything["value"] if name else mine["n"] / everything["n"]
                yield reproduced_row(
                    table,
                    figure,
                    value,
                    mine["n"],
                    corpus=table.corpus,
                    system=name,
                    protocol=table.protocol,
                    scope=slice_,
                    note=_of(hand),
                    key=f"{mine['key']}#{'difference' if name else 'n'}",
                )


def _effect(bioel: Work, runs: dict[str, dict[str, AtHand]], abbreviations: str) -> Iterator[dict[str, Any]]:
    """Table 8: what resolving gains on abbreviated mentions, of a run and the one whose name has `_ar` at its end."""
    table = bioel.tables[8]
    for figure in table.figures():
        corpus, system = bioel.corpora.get(figure.labels["corpus"], ""), figure.labels["system"]
        pair = [runs.get(corpus, {}).get(plain_name(system) + end) for end in ("", "ar")]
        found = [_abbreviated(hand, table.protocol, abbreviations) for hand in pair if hand]
        if len(found) == 2 and all(found):
            before, after = found
            yield reproduced_row(
                table,
                figure,
                after["value"] - before["value"],
                before["n"],
                corpus=corpus,
                system=system,
                protocol=table.protocol,
                scope="abbreviation",
                note=_of(pair[0]) if pair[0] else "",
            )


def _abbreviated(hand: AtHand, protocol: str, abbreviations: str) -> dict[str, Any]:
    """The figure of a run on the mentions that their documents write out elsewhere; none if there are none."""
    score = score_run(hand.run, f"recall(protocol={protocol})@1", by=["abbreviation"],
                            abbreviations=abbreviations)  # fmt: skip
    return next((r for r in score.rows() if r["slice"] == "abbreviation"), {})


def _corpora(bioel: Work, at_hand: dict[str, Corpus], abbreviations: str) -> Iterator[dict[str, Any]]:
    known: dict[str, dict[str, Any]] = {}
    for table in (bioel.tables[n] for n in (2, 9, 10)):
        for figure in table.figures():
            name = bioel.corpora[figure.labels["corpus"]]
            if (corpus := at_hand.get(name)) is None:
                continue
            if name not in known:
                known[name] = counts(corpus, abbreviations)
            if (value := known[name].get(figure.measure)) is not None:
                yield reproduced_row(
                    table,
                    figure,
                    value,
                    corpus=name,
                    scope=table.scope if table.number < 10 else "test split",
                    note=_note(figure, abbreviations),
                )


def _note(figure: PublishedFigure, abbreviations: str) -> str:
    if "abbreviations" in figure.measure:
        return f"abbreviations of {abbreviations.rpartition('/')[2]}"
    return "theirs: raw id strings" if "overlap" in figure.measure or "entities" in figure.measure else ""


def counts(corpus: Corpus, abbreviations: str) -> dict[str, Any]:
    """A corpus by the measures of tables 2, 9 and 10."""
    [(documents,)] = corpus.sql("select count(*) from documents")
    [(mentions, texts)] = corpus.sql("select count(*), count(distinct text) from mentions where parent = ''")
    [(entities,)] = corpus.sql("select count(distinct entity) from gold_ids")
    short = count_abbreviations(corpus, source_of(abbreviations))
    found: dict[str, Any] = {
        "documents": documents, "mentions": mentions, "unique entities": entities, "unique mentions": texts,
        "abbreviations": short["mentions"], "unique abbreviations": short["unique"],
    }  # fmt: skip
    if {"train", "test"} <= set(corpus.splits):
        [(seen, of, seen_mentions, of_mentions)] = corpus.sql(_OVERLAP)
        found |= {"entity overlap": seen / max(1, of), "mention overlap": seen_mentions / max(1, of_mentions)}
    return found
