"""Stored runs, read and written (`run.json`): what one system predicted for one corpus, and all to repeat it.

A run lies in `runs/<corpus>/<system>-<fingerprint>/`: `predictions.parquet` and `run.json`. The
fingerprint is that of its `RunIdentity`; times and the machine are recorded beside it but are not part
of it.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from linkassay import store
from linkassay.corpora import Corpus, canonical_name
from linkassay.errors import UsageError
from linkassay.kbs import Kb
from linkassay.model import Prediction
from linkassay.registry import near_miss
from linkassay.runs.identity import RunIdentity
from linkassay.runs.prediction_rows import CANDIDATES, LATER, prediction_of
from linkassay.tables import Rows, html_block

#: Marks the name of a system wherever it stands, if it was trained on documents that it linked (LINKER-12).
LEAK = "†"

#: The ids inside of the column `groups`, as Parquet calls them.
PREDICTED_IDS = "groups.list.element.list.element"
#: The distinct ones of some ten thousand mentions are numbered, however many: they are read by their numbers.
_DISTINCT_BYTES = 1 << 24

_PACKAGES = ("linkassay", "duckdb", "numpy", "pyarrow")


class Run:
    """One stored run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        about = {"parameters": {}, "software": ""} | store.read_json(path / "run.json")
        #: The command that makes the run again, as far as it is known.
        self.command = _remake(path, about)
        self.about: dict[str, Any] = store.Recorded(about, path / "run.json", self.command)
        self.corpus: str = self.about["corpus"]
        self.system: str = self.about["system"]
        self.split: str = self.about["split"]
        self.name = f"{self.corpus}/{self.system}"
        self.kb = f"{self.about['kb']}@{self.about['kb_revision']}"

    @classmethod
    def open(cls, name: str) -> Run:
        """A run by its folder or as `corpus/system`: the newest of that name (RUN-2), `@split` if so wished."""
        if (Path(name) / "run.json").exists():
            return cls(Path(name))._complete()
        runs = all_runs()
        corpus, slash, rest = name.partition("/")
        name = canonical_name(corpus) + slash + rest  # wiki-fair is wiki_fair
        found = [run for run in runs if name in (run.name, f"{run.name}@{run.split}", f"{run.corpus}/{run.path.name}")]
        if not found:
            known = sorted({run.name for run in runs})
            raise UsageError(f"no run {name!r}; {near_miss(name, known)}")
        return max(found, key=lambda run: (run.about["finished"], run.path.name))._complete()

    def _complete(self) -> Run:
        needed = [column for column in store.PREDICTIONS.names if column not in LATER]
        store.require_columns(self.path / "predictions.parquet", needed, self.command)
        return self

    def __repr__(self) -> str:
        return f"<run {self.name} {self.path.name}>"

    def _repr_html_(self) -> str:
        told = {"corpus": f"{self.corpus} {self.split}", "knowledge base": self.kb.strip("@"),
                **{name: parameter_text(value) for name, value in self.about["parameters"].items()},
                "predictions": self.about["mentions"]}  # fmt: skip
        return html_block(repr(self)[1:-1], Rows({"": name, "value": value} for name, value in told.items() if value))

    @cached_property
    def key(self) -> str:
        """What figures and tables know the run by: no two runs have the same.

        In the data home that is the folder's name, elsewhere the name with a digest of `run.json`: folders there may be
        called alike, and a run of the same fingerprint may have other answers.
        """
        path = self.path.resolve()
        if (store.home() / "runs").resolve() in path.parents:
            return path.name
        return f"{path.name}-{store.fingerprint(self.about)}"

    @property
    def leak(self) -> str:
        """How many of the documents linked were trained on, in words (LINKER-12); "" if none, or if it is not known."""
        if not (found := self.about.get("leak")):
            return ""
        return f"trained on {found['documents']} of the {self.about['documents']} documents linked"

    @property
    def absent(self) -> tuple[str, ...]:
        """Documents of the split that the imported files do not have (IMPORT-5)."""
        return tuple((self.about.get("import", {}).get("documents") or {}).get("absent", ()))

    def absence(self, then: str) -> str:
        """How many documents are absent, in words, and what follows; "" if none."""
        if not self.absent:
            return ""
        every = self.about["import"]["documents"]["corpus"]
        return f"{len(self.absent)} of {every} documents are not in the imported files: {then}"

    def predictions(self) -> Iterator[Prediction]:
        """The predictions, in the corpus's order."""
        return (prediction_of(row) for batch in self.batches(None, 10_000) for row in batch.to_pylist())

    def batches(self, columns: list[str] | None, rows: int = 100_000, *, encoded: bool = False) -> Iterator[Any]:
        """Some columns of the predictions, many rows at a time; ids of `groups` may be `encoded`: a dictionary."""
        return store.batches(self.path / "predictions.parquet", columns, rows, [PREDICTED_IDS] if encoded else [])

    @property
    def keeps_candidates(self) -> bool:
        """Whether it is known what predictions were chosen from (STAGE-5)."""
        return (self.path / CANDIDATES).is_file()

    def candidates(self, rows: int = 100_000) -> Iterator[Any]:
        """What they were chosen from, row by row as the predictions, many rows at a time."""
        return store.batches(self.path / CANDIDATES, ["candidates"], rows)

    def open_corpus(self) -> Corpus:
        """The corpus in the revision that was linked."""
        name, slash, type_ = self.corpus.partition("/")
        return Corpus.open(f"{name}@{self.about['corpus_revision']}{slash}{type_}")

    def open_kb(self) -> Kb:
        """The knowledge base in the revision that was used."""
        return Kb.open(self.kb)


def _remake(path: Path, about: Mapping[str, Any]) -> str:
    """The command that makes a run again, as far as it is recorded or the folder tells."""
    system = about.get("system", path.name.rpartition("-")[0])
    corpus = about.get("corpus", path.parent.name.replace("+", "/"))
    parameters = about["parameters"]
    if "import" in parameters:
        return f"linkassay import {parameters['import']} FILES --corpus {corpus} --system {system}"
    linker = about.get("linker_file", parameters.get("linker", system))
    model = f" --model {about['model']}" if "model" in about else ""
    return f"linkassay link {linker} {corpus}{model} --again"


def all_runs() -> list[Run]:
    """All runs of the data home, by corpus and system."""
    root = store.home() / "runs"
    paths = sorted(p.parent for p in root.glob("*/*/run.json") if not p.parent.name.startswith("."))
    return [Run(path) for path in paths]


def parameter_text(value: Any) -> str:
    """A parameter on one line."""
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


class Facts(NamedTuple):
    """What sets a run apart from others of its system."""

    system: str
    key: str
    leak: str
    of: Mapping[str, Any]


def facts_of(run: Run) -> Facts:
    """Those of a run."""
    return Facts(
        run.system, run.key, run.leak, {"kb": run.kb, "software": run.about["software"], **run.about["parameters"]}
    )


def labels(runs: Sequence[Run]) -> list[str]:
    """What runs are called among each other (`labels_by_facts`)."""
    return labels_by_facts([facts_of(run) for run in runs])


def labels_by_facts(runs: Sequence[Facts]) -> list[str]:
    """The system's name; where it repeats, with what sets its runs apart; with `LEAK` if it had seen what it linked."""
    names = _names(runs)
    return [f"{name} {LEAK}" if run.leak else name for name, run in zip(names, runs, strict=True)]


def _names(runs: Sequence[Facts]) -> list[str]:
    found = []
    for run in runs:
        same = [r for r in runs if r.system == run.system]
        if len(same) == 1:
            found.append(run.system)
            continue
        facts = [r.of for r in same]
        apart = {key: run.of[key] for key in run.of if len({str(f.get(key)) for f in facts}) > 1}
        if (
            set(apart) in ({"abbreviations"}, {"synonyms"})
            and len({str(f[k]) for k in apart for f in facts if k in f}) == 1
        ):
            found.append(f"{run.system} + {next(iter(apart))}")
        else:
            told = ", ".join(f"{key} {parameter_text(value)}" for key, value in apart.items())
            found.append(f"{run.system} ({told})" if told else run.system)
    repeated = {label for label, n in Counter(found).items() if n > 1}
    return [
        f"{label} ({run.key.rpartition('-')[2]})" if label in repeated else label
        for label, run in zip(found, runs, strict=True)
    ]


def keep_predictions(identity: RunIdentity, batches: Iterable[Any], *, further: dict[str, Any]) -> tuple[Run, bool]:
    """Store predictions made elsewhere, rows of `store.PREDICTIONS`, as a run; `further` is recorded with them."""

    def fill(table: store.Table, _: Path) -> dict[str, Any]:
        for batch in batches:
            table.append(batch)
        return further

    return write_run(identity, fill, again=False)


def run_of(identity: RunIdentity) -> Run | None:
    """The run of this identity, if it is there."""
    return Run(identity.folder) if (identity.folder / "run.json").exists() else None


def write_run(
    identity: RunIdentity, fill: Callable[[store.Table, Path], dict[str, Any]], again: bool
) -> tuple[Run, bool]:
    """Write the run that `identity` stands for, or find that it is there.

    `fill` is handed the table of predictions and the folder, and returns what else `run.json` records. `again` replaces
    the run that is there, when the new one is whole.
    """
    target = identity.folder
    if not again and (found := run_of(identity)):
        return found, False
    with store.new_folder(target, replace=again) as temporary:
        path = temporary / "predictions.parquet"
        with store.Table(path, store.PREDICTIONS, dictionary_bytes=_DISTINCT_BYTES) as table:
            further = fill(table, temporary)
        about = identity.as_dict() | {"mentions": table.rows, "finished": time.time(), **_machine(), **further}
        about["files"] = store.file_records(temporary)
        text = json.dumps(about, indent=1, sort_keys=True)
        (temporary / "run.json").write_text(text + "\n", encoding="utf-8")
    return Run(target), True


def _machine() -> dict[str, Any]:
    return {
        "host": {"system": platform.platform(), "cores": os.cpu_count(), "python": platform.python_version()},
        "packages": {name: version(name) for name in _PACKAGES},
    }
