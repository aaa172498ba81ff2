"""What stands beside a published figure: runs, corpora and knowledge bases of the data home, and what is missing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from linkassay.corpora import Corpus, corpus_names
from linkassay.errors import UsageError
from linkassay.published.literature import corpus_of
from linkassay.published.published_table import PublishedFigure, PublishedTable, Work
from linkassay.runs import Run, all_runs
from linkassay.scoring.disambiguation import score_run
from linkassay.tables import Rows, rounded

#: A run counts if at least this share of a source's predictions found a gold mention of its corpus; with less the
#: source has other texts or offsets, and the figure would be of the joining.
JOINED = 0.75


class Reproduced(NamedTuple):
    """What `PUBLISHED` gives of a work: a note, rows with `published`, `ours`, `difference`, how to get the rest."""

    note: str
    rows: Rows
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class AtHand:
    """A run on a corpus of a work; `recognised`: its corpus holds only what the rule-based system recognised."""

    run: Run
    corpus: str
    recognised: bool

    @property
    def share_joined(self) -> float:
        """How much of what the source says of gold mentions found one; a span that is none is not at fault."""
        if self.run.about.get("import") is None or self.recognised:
            return 1.0
        joined, of = self._joined
        return joined / max(1, of)

    @property
    def _joined(self) -> tuple[int, int]:
        """How many predictions joined, of those that the source says are of a gold mention, where it says that."""
        about = self.run.about["import"]
        if about.get("named"):
            return int(about["named_joined"]), int(about["named"])
        return int(about["joined"]), int(about["claims"])

    @property
    def doubt(self) -> str:
        """Why the figure may be too low, in words."""
        undecoded = self.run.about.get("import", {}).get("undecoded_ids", {}).get("ids", 0)
        return f"at least: {undecoded:,} predicted ids cannot be decoded" if undecoded else ""

    @property
    def note(self) -> str:
        """What must be known of the run: the KB that ids were brought to, and what did not join."""
        about = self.run.about
        notes = [self.doubt, self.run.leak, f"ids as of {about['kb']} at hand" if about["kb_revision"] else ""]
        if self.share_joined < 1:
            notes.append(f"{self.joined} predictions join")
        return "; ".join(filter(None, notes))

    @property
    def joined(self) -> str:
        """How many of the source's predictions found a gold mention, in words."""
        joined, of = self._joined
        return f"{joined:,} of {of:,}"


def at_hand(work: Work) -> Iterator[AtHand]:
    """The newest run of each system on each corpus of the work, in all its forms in the data home."""
    newest: dict[tuple[str, str], AtHand] = {}
    for run in sorted(all_runs(), key=lambda r: (r.about["finished"], r.path.name)):
        corpus = corpus_of(run.corpus, work)
        if corpus and run.split == "test":
            try:
                manifest = run.open_corpus().manifest
            except UsageError:
                continue  # its corpus is gone: nothing of it can be scored
            newest[run.corpus, plain_name(run.system)] = AtHand(
                run, corpus, manifest.get("of_predictions") == "recognised"
            )
    yield from newest.values()


def corpora_at_hand(names: Iterable[str]) -> dict[str, Corpus]:
    """Those of some corpora (by our names) that the data home has."""
    here = set(corpus_names())
    return {name: Corpus.open(name) for name in dict.fromkeys(names) if name.partition("/")[0] in here}


def scored(run: Run, measures: str, scope: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Rows of a run by measure; only values and n are looked at, so intervals are not worth their time."""
    score = score_run(run, measures, scope=scope, abbreviations="none")
    return {row["measure"]: row for row in score.rows()}


def reproduced_row(
    table: PublishedTable,
    figure: PublishedFigure,
    ours: float | None,
    n: int | None = None,
    *,
    corpus: str = "",
    system: str = "",
    protocol: str = "",
    scope: str = "",
    note: str = "",
    key: str = "",
) -> dict[str, Any]:
    """One row of `reproduce`; `agrees`: within half a unit of the last printed digit, if that can be said.

    `key` is that of the figure of a run which ours is, or is made of.
    """
    value = int(figure.value) if figure.digits == 0 else figure.value
    difference = None if ours is None else ours - value
    sure = difference is not None and not note.startswith("at least")
    return {
        "table": table.number,
        "corpus": corpus,
        "system": system,
        "measure": figure.measure,
        "protocol": protocol,
        "scope": scope,
        "published": value,
        "ours": None if ours is None else rounded(ours, figure.digits + 2),
        "difference": None if difference is None else rounded(difference, 4),
        "agrees": abs(difference) <= figure.half + 1e-9 if sure and difference is not None else None,
        "n": n,
        "note": note,
        **({"key": key} if key else {}),
    }


def plain_name(name: str) -> str:
    """A name without case and punctuation.

    >>> plain_name("Neural EL"), plain_name("genbioel_ar")
    ('neuralel', 'genbioelar')
    """
    return re.sub(r"[^a-z0-9]", "", name.lower())
