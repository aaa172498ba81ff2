"""How results look on the terminal: tables, facts, problems, JSON. No work is done here."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from linkassay.cli.plain_table import Column, plain_table
from linkassay.errors import UsageError
from linkassay.tables import fixed

if TYPE_CHECKING:
    from linkassay.cautions import Caution
    from linkassay.kbs import BuiltKb
    from linkassay.runs import Run
    from linkassay.scoring import Figure
    from linkassay.scoring.disambiguation import Comparison, Score
    from linkassay.scoring.results import Result
    from linkassay.tables import Rows

#: How wide tables may be that go to a file or a pipe.
_WIDTH = 160


def leaderboard(result: Result) -> None:
    """One row per system: its figures over all mentions."""
    from linkassay.runs import labels

    rows = []
    for label, score in zip(labels([score.run for score in result.scores]), result.scores, strict=True):
        found = {f.about["measure"]: f for f in result.of(score) if f.about["slice"] == "all"}
        cells = {m: f"{number(f.value, 3)} ({interval(f, 3)})" for m, f in found.items()}
        rows.append({"system": label, **cells, "n": found["recall@1"]["n"]})
    table("mini, test split (95 % intervals over documents)", rows)


def labels_by_key(
    runs: Iterable[Run], within: Callable[[Run], object] = lambda run: run.corpus
) -> dict[tuple[str, str], str]:
    """(corpus, key of a run) → what a run is called in a table that says the corpus: it is told apart `within` that."""
    from linkassay.runs import labels

    groups: dict[object, list[Run]] = {}
    for run in runs:
        groups.setdefault(within(run), []).append(run)
    return {
        (run.corpus, run.key): label
        for group in groups.values()
        for run, label in zip(group, labels(group), strict=True)
    }


def interval(row: Figure | dict[str, Any], digits: int) -> str:
    """The 95 % interval of a figure, or a dash where too few documents give none."""
    return "–" if row["low"] is None else f"{fixed(row['low'], digits)}–{fixed(row['high'], digits)}"


def number(value: float | None, digits: int) -> str:
    """A figure with so many digits; whole numbers as such, none as a dash."""
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else fixed(value, digits)


def difference(value: float | None, digits: int) -> str:
    """A difference with its sign, none as a dash."""
    return "–" if value is None else fixed(value, digits, sign=True)


def score_notes(scores: list[Score], rows: Rows, preset: str) -> list[str]:
    """What a reader must know of a table of scores: what was left out, and what the tests are."""
    from linkassay.scoring.results import leak_notes

    notes = []
    for score in {(s.run.corpus, s.run.key): s for s in scores}.values():
        notes += score.notes
    notes += leak_notes(score.run for score in scores)
    tested = sum(row.get("p") is not None for row in rows)
    if preset == "bioel":
        notes.append("p: z-test of a slice against all mentions, times the number of runs of its corpus (BioEL)")
    elif tested:
        notes.append(f"p: t-test over documents of the difference to all mentions; Holm over these {tested}")
    return notes


def figure_notes(rows: Iterable[Mapping[str, Any]], *names: str, runs: Iterable[Run] = ()) -> list[str]:
    """What rows say of themselves, once each, with what it is said of: the values under these names.

    What `leak_notes` says of these runs is left to it.
    """
    leaks = {f"{run.system} was {run.leak}" for run in runs if run.leak}
    said: dict[str, dict[str, None]] = {}
    for row in rows:
        note = row.get("note", "")
        for leak in leaks:
            note = note.replace(leak, "").strip("; ")
        if note:
            of = " ".join(str(row[name]) for name in names if row.get(name) not in (None, "", "all"))
            said.setdefault(note, {})[of] = None
    return [f"{', '.join(list(of)[:3])}{' …' if len(of) > 3 else ''}: {note}" for note, of in said.items()]


def chance(p: float | None) -> str:
    """A p-value; what would be printed as 0 is said to be less."""
    return "–" if p is None else "<0.0001" if p < 0.0001 else fixed(p, 4)


def comparison(
    found: Comparison, runs: Iterable[Run], form: str, as_json: bool, warned: Sequence[Mapping[str, str]]
) -> None:
    """Runs side by side: figures, tests, what changed; `warned` is what their figures are doubtful for."""
    from linkassay.scoring.results import leak_notes

    if as_json:
        print_json(found.as_dict() | {"warnings": warned})
        return
    if form:
        print(found.systems.text(form), found.pairs.text(form), sep="\n\n")
        return
    systems = [
        {"system": r["system"], "value": number(r["value"], 4), "95 %": interval(r, 4), "n": number(r["n"], 1),
         "run": r["run"]}
        for r in found.systems
    ]  # fmt: skip
    table(f"{found.measure}, {number(found.n, 1)} mentions", systems)
    print()
    columns = ("mcnemar_p", "permutation_p", "bootstrap_p")
    pairs = [
        {"pair": f"{r['first']} → {r['second']}", "difference": fixed(r["difference"], 4, sign=True),
         "95 %": interval(r, 4), "only first": number(r["only_first"], 1), "only second": number(r["only_second"], 1),
         **{c.replace("_p", " p"): chance(r[c]) for c in columns}, "Holm": chance(r["permutation_p_holm"]),
         "Bonferroni": chance(r["permutation_p_bonferroni"]), "correlation": number(r["correlation"], 4),
         "oracle": number(r["oracle"], 4)}
        for r in found.pairs
    ]  # fmt: skip
    table("second against first", pairs)
    best = found.oracle
    none = number(best["none_right"], 1)
    print(f"\nbest possible choice among all: {number(best['value'], 4)}; none right: {none} of {number(best['n'], 1)}")
    print(f"Holm and Bonferroni are of the permutation test, over the family: {found.family}")
    runs = list(runs)
    notes = figure_notes(found.systems, "system", runs=runs), figure_notes(found.pairs, "first", "second", runs=runs)
    for line in [*notes[0], *notes[1], *leak_notes(runs)]:
        print(line)
    lists = {
        f"{pair}, {what}": mentions for pair, changes in found.changed.items() for what, mentions in changes.items()
    }
    for what, mentions in (lists | {"right for none": found.none_right}).items():
        if mentions:
            print(f"{what}: " + "; ".join(map(_mention, mentions)))


def _mention(mention: dict[str, Any]) -> str:
    return f"{mention['text']!r} in {mention['document']}" if mention["text"] else mention["mention"]


def kb_built(built: BuiltKb, as_json: bool) -> None:
    """What a build of a knowledge base ended with."""
    if as_json:
        print_json(built_dict(built))
    elif built.fresh:
        counts = ", ".join(f"{n} {what}" for what, n in built.manifest["counts"].items() if n)
        print(f"{built.name}@{built.revision}: {counts}")
        print(f"  licence: {built.manifest['licence']}")
        for what, found in built.manifest["report"].items():
            print(f"  {found['count']} × {what}: {', '.join(found['examples'])}" + (" …" if found["count"] > 5 else ""))
    else:
        print(f"{built.name}@{built.revision} is there already; nothing to do")


def built_dict(built: BuiltKb) -> dict[str, Any]:
    """A built knowledge base as JSON-ready data."""
    return {"name": built.name, "revision": built.revision, "path": str(built.path), "fresh": built.fresh,
            "counts": built.manifest["counts"], "report": built.manifest["report"]}  # fmt: skip


def table(title: str, rows: list[dict[str, Any]]) -> None:
    """A table on the terminal; columns of numbers are aligned to the right."""
    if not rows:
        return
    keys = list(dict.fromkeys(key for row in rows for key in row))
    columns = [
        Column(key.replace("_", " "), all(isinstance(r.get(key), int | float) for r in rows),
               [cell(row[key]) if key in row else "" for row in rows])
        for key in keys
    ]  # fmt: skip
    if not sys.stdout.isatty() and (lines := plain_table(title, columns, _WIDTH)):
        print("\n".join(lines))
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.head, justify="right" if column.numeric else "left", overflow="fold")
    for texts in zip(*(column.cells for column in columns), strict=True):
        table.add_row(*texts)
    Console(markup=False, highlight=False, emoji=False, width=None if sys.stdout.isatty() else _WIDTH).print(table)


def cell(value: Any) -> str:
    """A value as it stands in a table."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return fixed(value, 3) if isinstance(value, float) else str(value)


def facts(about: dict[str, Any], indent: str = "") -> None:
    """Names and values, one a line, nested ones indented; what is empty is left out."""
    for key, value in about.items():
        name = f"{indent}{key.replace('_', ' ')}:"
        if isinstance(value, dict):
            print(name)
            facts(value, indent + "  ")
        elif isinstance(value, list):
            if value:
                print(name, "; ".join(map(_item, value)))
        elif value not in ("", None):
            print(name, cell(value))


def _item(value: Any) -> str:
    if isinstance(value, dict):
        return (
            f"{value['file']} sha256 {value['sha256']}" if "sha256" in value else json.dumps(value, ensure_ascii=False)
        )
    return str(value)


def splits(manifest: dict[str, Any]) -> str:
    """Documents and mentions of each split, in a line."""
    from linkassay.corpora import in_split_order

    counts = manifest["splits"]
    return ", ".join(
        f"{split} {counts[split]['documents']} documents / {counts[split]['annotations']} mentions"
        for split in in_split_order(list(counts))
    )


def reports(reports: dict[str, Any]) -> None:
    """What was wrong, repaired and left out while a corpus was read."""
    for report in reports.values():
        problems(report)
        for what, n in report.get("prepared", {}).items():
            print(f"  prepared: {n} {what}")
        if report.get("left_out"):
            print(f"  left out by type: {json.dumps(report['left_out'], ensure_ascii=False)}")


def problems(report: dict[str, Any]) -> None:
    """Fixes and problems, counted by kind, with the first examples."""
    for fix in report["fixes"]:
        print(f"  repaired: document {fix['document']}: {fix['why']}")
    for kind, n in (report.get("notes", {}) | report["counts"]).items():
        print(f"  {n} × {kind}")
        for example in [e for e in report["examples"] if e["kind"] == kind][:3]:
            at = " ".join(f"{s}-{e}" for s, e in example["spans"])
            compared = f": found {example['found']!r}, expected {example['expected']!r}" if example["expected"] else ""
            where = f"{example['file']}:{example['line']} " if example["line"] else ""
            print(f"    {where}document {example['document'] or '–'} {at} {example['message']}{compared}")


def progress(quiet: bool) -> Any:
    """Progress bars, unless quiet."""
    from linkassay.progress import bars

    return bars(quiet)


def warn(cautions: Sequence[Caution], strict: bool = False) -> list[dict[str, str]]:
    """Cautions on standard error, a line each, or as an error with `strict`; JSON-ready, too."""
    from linkassay.cautions import refuse_cautions

    if strict:
        refuse_cautions(cautions)
    for caution in cautions:
        print(f"warning: {caution}", file=sys.stderr)
    return [caution.as_dict() for caution in cautions]


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """What is warned of within the block is a line on standard error, without where in the code it was."""
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_: print(f"warning: {message}", file=sys.stderr)
        yield


def one_of(option: str, value: str, allowed: tuple[str, ...]) -> None:
    """Refuse a value that is none of those allowed."""
    if value not in allowed:
        raise UsageError(f"{option} is one of {', '.join(filter(None, allowed))}, not {value!r}")


def say(text: str, quiet: bool) -> None:
    """Print, unless quiet."""
    if not quiet:
        print(text)


def print_json(value: Any) -> None:
    """JSON for other programs."""
    unicode = (sys.stdout.encoding or "").lower().startswith("utf")  # elsewhere what cannot be written is escaped
    print(json.dumps(value, ensure_ascii=not unicode, indent=1))
