"""The walk of docs/architecture.md: one mention from raw line to page, past the functions that are named there.

Names and data are on that page only. Here each step says how the mention is recognised in what its function returns.
The program runs under a profiler; the mention must come by at every step, in that order, looking as the page shows it.
"""

from __future__ import annotations

import ast
import base64
import gzip
import importlib
import inspect
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np
import pyarrow.parquet as pq
import pytest

import linkassay
from tests.conftest import ROOT
from tests.explorer.embedded_reader import Reader

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
_NAME = r"`([\w.]+:[\w.]+)`"
_STEP = re.compile(
    rf"^\d+\. \*\*([\w ]+)\*\* {_NAME}(?: \(of NCBI Disease {_NAME}\))?.*?\n((?: .*\n)+)", re.M
)  # fmt: skip
MEASURE = "recall@1"


class Step(NamedTuple):
    """A step as the page has it."""

    name: str
    function: str
    shown: str  # the mention there, as a Python expression; "…" stands for what differs from time to time


def the_walk(*, real: bool = False) -> list[Step]:
    """The steps of the page; `real`: past the reader of NCBI Disease."""
    text = PAGE.partition("\n## A walk\n")[2].partition("\n## ")[0]
    steps = [Step(name, other if real and other else function, re.findall(r"`([^`]+)`\n", more)[-1])
             for name, function, other, more in _STEP.findall(text)]  # fmt: skip
    assert len(steps) == len(re.findall(r"^\d+\. ", text, re.M)), "a step is not written as the others are"
    return steps


def code_of(function: str) -> CodeType:
    """The code that runs when `module:function` is called; of a class, what makes one."""
    module, _, path = function.partition(":")
    found: Any = importlib.import_module(f"linkassay.{module}")
    for name in path.split("."):
        found = inspect.getattr_static(found, name)
    if isinstance(found, type):
        found = inspect.getattr_static(found, "__init__")
    for inner in ("__func__", "func", "fget"):  # of class methods, cached properties, properties
        found = getattr(found, inner, found)
    code: CodeType = inspect.unwrap(found).__code__
    return code


@dataclass
class Walk:
    """A mention on its way. Methods are steps: from a function's variables, and what it returns, to the mention there.

    They return None where it is not there.
    """

    document: str
    spans: tuple[tuple[int, int], ...]
    type: str
    line_has: str
    split: str = "test"
    seen: dict[str, Any] = field(default_factory=dict)  # in the order in which the steps were passed
    corpus: str = ""
    number: int = -1  # of the mention among those that are scored
    at: int = -1  # its place in the first batch of rankings
    share: float = -1.0  # of all mentions that are right

    @property
    def id(self) -> str:
        return f"{self.document}:{','.join(f'{s}-{e}' for s, e in self.spans)}:{self.type}"

    @contextmanager
    def watched(self, steps: list[Step]) -> Iterator[None]:
        """Sees what the functions of the steps return, and what generators yield."""
        wanted: dict[CodeType, list[tuple[str, Callable[..., Any]]]] = {}
        for step in steps:
            look = getattr(self, step.name.replace(" ", "_"))
            wanted.setdefault(code_of(step.function), []).append((step.name, look))

        def see(frame: FrameType, event: str, returned: Any) -> None:
            if event == "return" and frame.f_code in wanted:
                for name, look in wanted[frame.f_code]:
                    if name not in self.seen and (found := look(frame.f_locals, returned)) is not None:
                        self.seen[name] = found

        before = sys.getprofile()
        sys.setprofile(see)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _of(self, mentions: Any) -> Any:
        return next((m for m in mentions if m.id == self.id), None)

    def _row(self, path: Path, column: str) -> dict[str, Any] | None:
        return next((row for row in pq.read_table(path).to_pylist() if row[column] == self.id), None)

    # ---- get

    def line(self, here: dict[str, Any], returned: Any) -> Any:
        return returned if returned and self.line_has in returned[1] else None

    def annotation(self, here: dict[str, Any], returned: Any) -> Any:
        source = here.get("draft") or here["block"]  # of mini, of PubTator
        found = returned or source.annotations[-1]
        return found if (source.id, found.spans) == (self.document, self.spans) else None

    def gold(self, here: dict[str, Any], returned: Any) -> Any:
        annotation = self.seen.get("annotation")
        return returned if annotation and here["raw"] == annotation.raw else None

    def mention(self, here: dict[str, Any], returned: Any) -> Any:
        return self._of(returned.mentions) if returned else None

    def row(self, here: dict[str, Any], returned: Any) -> Any:
        """What is in the file, once it is closed."""
        if self._of(here["document"].mentions) is None:
            return None
        return lambda: self._row(linkassay.corpus(self.corpus).path / f"mentions.{self.split}.parquet", "id")

    def revision(self, here: dict[str, Any], returned: Any) -> Any:
        self.corpus = returned.name
        return returned

    # ---- link

    def read_again(self, here: dict[str, Any], returned: Any) -> Any:
        return self._of(returned.mentions) if returned else None

    def query(self, here: dict[str, Any], returned: Any) -> Any:
        query = here["self"]
        return query if (query.document, query.spans, query.type) == (self.document, self.spans, self.type) else None

    def answer(self, here: dict[str, Any], returned: Any) -> Any:
        at = [n for n, query in enumerate(here["queries"]) if query == self.seen["query"]]
        return returned[at[0]] if at else None

    def shard(self, here: dict[str, Any], returned: Any) -> Any:
        return self._row(here["target"] / "predictions.parquet", "mention")

    def run(self, here: dict[str, Any], returned: Any) -> Any:
        run, fresh = returned
        assert fresh
        told = json.loads((run.path / "run.json").read_text(encoding="utf-8"))
        return {"run.json": told, "predictions.parquet": next(p for p in run.predictions() if p.mention == self.id)}

    # ---- score

    def scored(self, here: dict[str, Any], returned: Any) -> Any:
        rows = returned.table.to_pylist()
        self.number = next(n for n, row in enumerate(rows) if row["id"] == self.id)
        return rows[self.number]

    def given(self, here: dict[str, Any], returned: Any) -> Any:
        if returned is None:
            return None
        items, batch = returned
        self.at = items.tolist().index(self.number)
        return batch["groups"][self.at].as_py()

    def ranking(self, here: dict[str, Any], returned: Any) -> Any:
        return returned.lists()[self.at] if self.at >= 0 else None

    def ranks(self, here: dict[str, Any], returned: Any) -> Any:
        gold = returned.gold
        return {
            gold.ids[pair].as_py(): {name: getattr(returned, name)[pair] for name in ("group", "before", "size")}
            for pair in np.flatnonzero(gold.item == self.number).tolist()
        }

    def outcome(self, here: dict[str, Any], returned: Any) -> Any:
        return {f"at {k}": here["self"].at(k)[self.number] for k in (1, 2)}

    def sums(self, here: dict[str, Any], returned: Any) -> Any:
        if str(here["measure"]) != MEASURE:
            return None
        self.share = returned.total.sum() / returned.n.sum()
        at = returned.document.tolist().index(here["self"].items.documents.index(self.document))
        return {self.document: (returned.total[at], returned.n[at])}

    def estimate(self, here: dict[str, Any], returned: Any) -> Any:
        return next(estimate for estimate in returned if estimate.value == pytest.approx(self.share, abs=1e-12))

    def _figure(self, figures: Any) -> Any:
        return next((f for f in figures if (f.about["measure"], f.about["slice"]) == (MEASURE, "all")), None)

    def figure(self, here: dict[str, Any], returned: Any) -> Any:
        return self._figure(returned)

    # ---- report

    def kept(self, here: dict[str, Any], returned: Any) -> Any:
        return self._figure([returned])

    def cohort(self, here: dict[str, Any], returned: Any) -> Any:
        return returned[0]["all"][MEASURE]

    def cell(self, here: dict[str, Any], returned: Any) -> Any:
        return returned["blocks"][0]["rows"][0][1]

    def page_data(self, here: dict[str, Any], returned: Any) -> Any:
        return self._cell(returned)

    def held(self, here: dict[str, Any], returned: Any) -> Any:
        return self._entry(returned)

    def page(self, here: dict[str, Any], returned: Any) -> Any:
        text = returned.read_text("utf-8")
        data, columns = (re.findall(rf'<script type="[a-z/-]+" id="{name}">(.*?)</script>', text)[0]
                         for name in ("data", "columns"))  # fmt: skip
        entry = self._entry(json.loads(gzip.decompress(base64.b64decode(columns))))
        return self._cell(json.loads(data)) | {"why": entry["answers"][0]["why"]}

    def _cell(self, data: dict[str, Any]) -> dict[str, Any]:
        table = data["corpora"][0]["before"][0]["blocks"][0]
        return {"key": table["rows"][0][1]["key"], "shown": table["shown"][0][1]}

    def _entry(self, held: Any) -> dict[str, Any]:
        return Reader(held["cohorts"][0]).mention(self.id)


def differs(shown: ast.expr, found: Any) -> str:
    """What of `found` is not as the page shows it, or "". Of objects and mappings only what is shown is compared."""
    if isinstance(shown, ast.Call):
        if type(found).__name__ != ast.unparse(shown.func):
            return f"it is a {type(found).__name__}, not a {ast.unparse(shown.func)}"
        parts = [(f".{k.arg}", k.value, getattr(found, k.arg or "")) for k in shown.keywords]
    elif isinstance(shown, ast.Dict):
        keys = [ast.literal_eval(key) for key in shown.keys if key is not None]
        parts = [(f"[{key!r}]", value, found[key]) for key, value in zip(keys, shown.values, strict=True)]
    elif isinstance(shown, ast.Tuple | ast.List):
        inner = [each for each in shown.elts if not (isinstance(each, ast.Constant) and each.value is ...)]
        if len(found) < len(inner) or (len(found) > len(inner) and len(inner) == len(shown.elts)):
            return f"there are {len(found)}: {found}"
        parts = [(f"[{n}]", each, found[n]) for n, each in enumerate(inner)]
    else:
        value = ast.literal_eval(shown)
        if isinstance(value, str):
            same = re.fullmatch(".*".join(map(re.escape, value.split("…"))), found) is not None
        else:
            same = found == (pytest.approx(value, abs=5e-4) if isinstance(value, float) else value)
        return "" if same else f" is {found!r}, shown is {value!r}"
    return next((f"{where}{said}" for where, each, of in parts if (said := differs(each, of))), "")


def of_mini() -> Walk:
    return Walk("mini-104", ((377, 379),), "disease", "induced [[DM|")


def walked(walk: Walk, steps: list[Step], do: Callable[[], None]) -> list[str]:
    """Do it all, watched; the steps that the mention passed, in that order."""
    with walk.watched(steps):
        do()
    passed = list(walk.seen)
    walk.seen = {name: found() if callable(found) else found for name, found in walk.seen.items()}
    return passed


def test_the_walk_of_a_mention(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_pictures: None) -> None:
    """The mention of the page passes the functions of the page in its order, and looks as is shown there."""
    monkeypatch.chdir(tmp_path)
    steps = the_walk()
    [code] = re.findall(r"```python\n(.*?)```", PAGE.partition("\n## A walk\n")[2], re.S)
    walk = of_mini()
    passed = walked(walk, steps, lambda: exec(compile(code, "architecture.md", "exec"), {}))
    assert passed == [step.name for step in steps]
    seen = walk.seen
    told = {step.name: differs(ast.parse(step.shown, mode="eval").body, seen[step.name]) for step in steps}
    assert {name: said for name, said in told.items() if said} == {}
    assert seen["mention"] == seen["read again"]
    assert not hasattr(seen["query"], "gold")
    assert seen["page"]["key"] == seen["cell"]["key"] == seen["figure"].key


@pytest.mark.parametrize(
    ("step", "wrong"),
    [
        ("answer", "linkers.strings.exact:Exact.link"),  # not called
        ("ranks", "scoring.disambiguation.run_score:Score.counts"),  # no part of this way
    ],
)
def test_a_function_that_is_not_passed_is_missed(home_with_mini: Path, step: str, wrong: str) -> None:
    steps = [each._replace(function=wrong) if each.name == step else each for each in the_walk()]
    passed = walked(of_mini(), steps, lambda: print(linkassay.score(linkassay.link("tfidf", "mini")).table()))
    assert step not in passed
    assert {"run", "scored", "figure"} <= set(passed)


@pytest.mark.parametrize("wrong", ["formats.reading:Reading.documents", "formats.readings:Reading.document"])
def test_a_name_that_does_not_exist_is_an_error(wrong: str) -> None:
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        code_of(wrong)


@pytest.mark.parametrize("shown", ["[1, ...]", "(2, 'a', 3)", "[2, 'b', ...]", "[2, 'a']", "Figure(n=1)"])
def test_other_data_than_shown_are_an_error(shown: str) -> None:
    found = [2, "abc", 3.25]
    assert differs(ast.parse("[2, 'a…', 3.25]", mode="eval").body, found) == ""
    assert differs(ast.parse(shown, mode="eval").body, found)


def test_the_walk_of_a_mention_of_ncbi_disease(
    home: Path, tmp_path: Path, shared: Path, get_kb: Callable[[str], None], no_pictures: None
) -> None:
    """By its id: a short form that two concepts of MEDIC share. It goes the same way, but for the reader."""
    walk = Walk("9467011", ((690, 692),), "disease", "9467011\t690\t692\t")
    get_kb("medic")

    def do() -> None:
        linkassay.get("ncbi_disease", shared / "corpora" / "ncbi_disease")
        linkassay.report([linkassay.link("tfidf", "ncbi_disease", kb="medic")], tmp_path / "report.html")

    steps = the_walk(real=True)
    assert walked(walk, steps, do) == [step.name for step in steps]
    seen, written, gold = walk.seen, "mesh:D006223", "omim:153480"  # MEDIC has come to call it so
    assert seen["gold"] == seen["mention"].gold == seen["read again"].gold == (frozenset({written}),)
    assert seen["mention"].id == walk.id == seen["row"]["id"] == seen["shard"]["mention"] == seen["scored"]["id"]
    first, _ = seen["answer"][0]
    assert gold in first
    assert len(first) == 2
    assert seen["ranking"][0].ids == list(first)
    assert seen["ranks"] == {gold: {"group": 0, "before": 0, "size": 2}}
    assert seen["outcome"] == {"at 1": 0.5, "at 2": 1.0}
    assert seen["held"]["gold"] == [[gold]]
    assert seen["page"]["key"] == seen["figure"].key
    assert seen["page"]["why"] == "Gold is tied with 1 other for first place: counts 1/2."
