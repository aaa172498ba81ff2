"""The request `figures`: the command line that says the same, from what it may hold and nothing else.

No value becomes an option or the name of a file: runs are those of the home, knowledge bases too, ids are ids.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from linkassay import store
from linkassay.errors import LinkassayError, UsageError
from linkassay.scoring import AVERAGES
from linkassay.scoring.disambiguation import SETS, Protocol, parse_measures
from linkassay.scoring.endtoend import MODES, PRESETS, SPAN_POLICIES
from linkassay.scoring.hierarchy import HierarchyChoices
from linkassay.serving.asked import Asked, Form
from linkassay.serving.refusals import bad_request
from linkassay.serving.run_index import Home

FORM = Form(
    once=("task", "measures", "protocol", "set", "average", "preset", "nil", "spans", "failures", "hierarchy",
          "abbreviations", "exclude_ids", "case"),
    repeated=("by", "scope"),
)  # fmt: skip
_TASKS = {"": "", "given": "", "disambiguation": "", "found": "end-to-end", "end-to-end": "end-to-end"}
_ABBREVIATIONS = ("schwartz-hearst", "ab3p", "none")
_CASES = {"fold": "--fold-case", "exact": "--exact-case"}
#: Bytes of what a command may print.
_LARGEST = 64 << 20


class Line(NamedTuple):
    """`command` is what a person would type; `arguments` say the same of the same runs, by their folders."""

    command: str
    arguments: list[str]


def command_line(asked: Asked, home: Home) -> Line:
    """The line that computes what is asked for."""
    runs = [home.run(name) for name in asked.runs]
    options = list(_options(asked, home))
    shown = [_shown(name, value) for name, value in options]
    command = " ".join(["linkassay", "score", *(shlex.quote(run.name) for run in runs), *shown])
    given = [f"{name}={value}" if value else name for name, value in options]
    return Line(command, ["score", *given, "--json", "--no-keep-counts", "--", *(str(run.path) for run in runs)])


def _shown(name: str, value: str) -> str:
    return name if not value else f"{name}{'=' if value.startswith('-') else ' '}{shlex.quote(value)}"


def _options(asked: Asked, home: Home) -> Iterator[tuple[str, str]]:
    """Options with their values; an option alone has none."""
    texts = asked.texts
    task = _one_of("task", texts.get("task", ""), _TASKS)
    if _TASKS[task]:
        yield "--task", _TASKS[task]
    if measures := texts.get("measures", "coverage,recall@1,recall@5" if "average" in texts else ""):
        if "average" in texts:
            measures = averaged(measures, _one_of("average", texts["average"], AVERAGES))
        parse_measures(measures)
        yield "--measures", measures
    if protocol := texts.get("protocol"):
        Protocol.parse(protocol)
        yield "--protocol", protocol
    if sets := texts.get("set"):
        for name in filter(None, map(str.strip, sets.split(","))):
            _one_of("set", name, SETS)
        yield "--set", sets
    yield from (("--by", by) for by in asked.lists["by"])
    yield from (("--scope", _scope(scope, home)) for scope in asked.lists["scope"])
    if preset := texts.get("preset"):
        yield "--preset", _one_of("preset", preset, PRESETS if _TASKS[task] else ("bioel",))
    if nil := texts.get("nil"):
        yield "--nil", _one_of("nil", nil, MODES)
    if spans := texts.get("spans"):
        yield "--spans", _one_of("spans", spans, SPAN_POLICIES)
    if failures := asked.numbers.get("failures"):
        yield "--failures", str(failures)
    if hierarchy := texts.get("hierarchy"):
        kb = HierarchyChoices.parse(hierarchy).kb.partition("@")[0]
        if kb and kb not in home.kbs:
            raise UsageError(f"no knowledge base {kb!r} in this data home")
        yield "--hierarchy", hierarchy
    if abbreviations := texts.get("abbreviations"):
        yield "--abbreviations", _one_of("abbreviations", abbreviations, _ABBREVIATIONS)
    if ids := texts.get("exclude_ids"):
        if not all(re.fullmatch(r"[A-Za-z][\w.-]*:[^\s/~]+", each) for each in re.split(r"[\s,]+", ids.strip())):
            raise bad_request("'exclude_ids' are ids with their prefixes, with commas between")
        yield "--exclude-ids", ids
    if case := texts.get("case"):
        yield _CASES[_one_of("case", case, _CASES)], ""


def averaged(measures: str, average: str) -> str:
    """Measures with an average where they name none.

    >>> averaged("recall@1..3, recall(ties=any,average=types)@1,mrr(set=novel)", "documents")
    'recall(average=documents)@1..3,recall(ties=any,average=types)@1,mrr(set=novel,average=documents)'
    """
    found = []
    for part in filter(str.strip, re.split(r",(?![^()]*\))", measures)):
        form = re.fullmatch(r"\s*([^()@]+?)\s*(?:\(([^()]*)\))?\s*(@.*)?", part, re.S)
        if form is None:
            raise UsageError(f"{part.strip()!r} is no measure; write it as recall@1 or mrr")
        inner = [each.strip() for each in (form[2] or "").split(",") if each.strip()]
        if not any(each.startswith("average") for each in inner):
            inner.append(f"average={average}")
        found.append(f"{form[1]}({','.join(inner)}){(form[3] or '').strip()}")
    return ",".join(found)


def _scope(scope: str, home: Home) -> str:
    form = re.fullmatch(r"recognised\((.+)\)", scope)
    if form is None:
        raise UsageError(f"unknown scope {scope!r}; a scope is written recognised(RUN)")
    return f"recognised({home.run(form[1]).name})"


def _one_of(name: str, value: str, allowed: Any) -> str:
    if value not in allowed:
        raise bad_request(f"{name!r} is one of {', '.join(filter(None, allowed))}, not {value!r}")
    return value


def figures_key(line: Line, asked: Asked, home: Home, software: str) -> str:
    """What stands for an answer: the line, what the runs are, and which revisions there are of their data."""
    runs = [home.run(name) for name in asked.runs]
    named = {revision.partition("@")[0] for run in runs for revision in run.revisions}
    if hierarchy := asked.texts.get("hierarchy"):
        named.add(HierarchyChoices.parse(hierarchy).kb.partition("@")[0])
    there = [(room, name, found[name]) for room, found in (("kb", home.kbs), ("corpus", home.corpora))
             for name in sorted(named) if name in found]  # fmt: skip
    scopes = [home.run(scope[11:-1]).digest for scope in asked.lists["scope"]]
    return store.fingerprint([line.command, [run.digest for run in runs], scopes, there, software])


def keep_answer(command: str, printed: Path, target: Path) -> None:
    """What a command printed, an object of JSON, with the command in it, as the answer."""
    if printed.stat().st_size > _LARGEST:
        raise LinkassayError("these are more figures than can be shown: ask for fewer slices or measures")
    text = printed.read_text(encoding="utf-8").strip()
    if not text.startswith("{") or not text.endswith("}"):
        raise LinkassayError("the command has printed no figures")
    store.write_text(target, f'{{"command": {json.dumps(command)},{text[1:]}\n')
