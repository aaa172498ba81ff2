"""Models trained for linkers that go by one (NEURAL-6): what was asked, what came of it, and a card that says both."""

from __future__ import annotations

import inspect
import json
import os
import platform
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from linkassay import store
from linkassay.corpora import Corpus, ensure_mini
from linkassay.errors import UsageError
from linkassay.kbs import Kb
from linkassay.linkers import expanded
from linkassay.linkers.neural import (
    CARD,
    RECIPES,
    Encoder,
    Pace,
    best_round,
    model_card,
    model_checksum,
    model_folder,
    train,
)
from linkassay.model import Document
from linkassay.runs.costs import Clock, Memory
from linkassay.runs.dependencies import Graph, versions
from linkassay.runs.identity import APART
from linkassay.runs.leak_guard import refuse_leak
from linkassay.runs.training import TrainingDocuments, TrainingPart, training_parts
from linkassay.text.abbreviations import abbreviation_source, abbreviations_record

#: What an encoder is made with, beside where it runs.
_OF_ENCODER: dict[str, Any] = {"pooling": "auto", "tokens": 25}
#: What a whole training costs, beside what they made.
_COSTS = "costs.json"
#: In place of a split to choose the best round by.
_NONE = "none"
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class TrainRequest:
    """What is to be trained, from which start, on what; `options` are those of the family, its pace and its encoder."""

    family: str
    model: str
    kb: str = ""  # "": the corpus's
    corpus: str = ""
    train_on: tuple[str, ...] = ()  # corpora, each with splits if so wished; (): the corpus's own train split
    dev: str = "dev"  # the split of the corpus by which the best round is chosen, where it has one; or none
    abbreviations: str = "none"
    device: str = "auto"
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)


class _Data(NamedTuple):
    """What a request names, opened."""

    kb: Kb
    train: list[TrainingPart]
    dev: list[TrainingPart]


def train_model(
    request: TrainRequest, target: Path, *, progress: Progress | None = None
) -> tuple[dict[str, Any], bool]:
    """Write a folder that `--model` takes; its card, and whether it was trained now.

    What is there and was trained to the same end stays; a training that was killed goes on after its last round.
    """
    recipe_class = RECIPES.load(request.family)
    options = _options(recipe_class, request)
    start, data = model_folder(request.model), _data(recipe_class, request)
    code, libraries = _software(recipe_class)
    identity: dict[str, Any] = {
        "family": request.family, "start_sha256": model_checksum(start), "kb": data.kb.pinned,
        "trained_on": list(map(str, data.train)), "chosen_on": list(map(str, data.dev)),
        "abbreviations": _NONE if request.abbreviations == _NONE else abbreviations_record(request.abbreviations),
        "seed": request.seed, "options": options, "software": version("linkassay"), "code": code,
        "libraries": libraries,
    }  # fmt: skip
    fingerprint = store.fingerprint(identity)
    if (card := model_card(target)).get("fingerprint") == fingerprint:
        return card, False
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UsageError(f"{target} is there already, and is not what is asked for: name another folder, or remove it")
    work = store.home() / "work" / f"train-{fingerprint}"
    with store.lock(work):
        card = identity | {"fingerprint": fingerprint, "start_model": request.model}
        _trained(request, recipe_class, start, data, card, work, target, progress)
        shutil.rmtree(work, ignore_errors=True)
    return model_card(target), True


def _trained(
    request: TrainRequest, recipe_class: Any, start: Path, data: _Data, card: dict[str, Any], work: Path, target: Path,
    progress: Progress | None,
) -> None:  # fmt: skip
    costs, options = _Costs(work / _COSTS), card["options"]
    encoder = Encoder(start, request.device, pooling=options["pooling"], tokens=options["tokens"])
    train_docs, dev_docs = (_Documents(each, request.abbreviations) for each in (data.train, data.dev))
    own = {name: options[name] for name in _defaults(recipe_class)}
    recipe = recipe_class(encoder, data.kb, train_docs, dev_docs, seed=request.seed, **own)
    pace = Pace(**{name: options[name] for name in Pace._fields})
    rounds = train(encoder, recipe, pace, request.seed, work, progress or (lambda what, done, total: None), costs.note)
    with store.new_folder(target, replace=True) as folder:
        encoder.save(folder)
        recipe.save(folder)
        card |= {
            "rounds": [each._asdict() for each in rounds], "chosen_round": best_round(rounds),
            "documents": {"train": len(train_docs), "dev": len(dev_docs)},
            "model_sha256": model_checksum(folder), "date": datetime.now(UTC).isoformat(timespec="seconds"),
            "costs": costs.all(), "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        }  # fmt: skip
        (folder / CARD).write_text(json.dumps(card, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        (folder / "README.md").write_text(_readme(card), encoding="utf-8")


class _Documents:
    """Documents of some splits, with abbreviations written out; iterate as often as you like."""

    def __init__(self, parts: Sequence[TrainingPart], abbreviations: str) -> None:
        self._documents = TrainingDocuments(parts)
        self._of = abbreviation_source(abbreviations).of if abbreviations != _NONE else None

    def __len__(self) -> int:
        return len(self._documents)

    def __iter__(self) -> Iterator[Document]:
        return expanded(self._documents, self._of) if self._of else iter(self._documents)


class _Costs:
    """Seconds, CPU seconds and most memory of a training, whichever processes did its rounds."""

    def __init__(self, path: Path) -> None:
        self._path, self._memory, self._clock = path, Memory(), Clock()
        self._before = store.read_json(path) if path.is_file() else {}

    def note(self) -> None:
        """Keep what it cost so far."""
        store.write_text(self._path, json.dumps(self.all()))

    def all(self) -> dict[str, Any]:
        """What it cost so far."""
        self._clock.lap("train")
        for name, value in self._clock.laps.items():
            self._before[name] = self._before.get(name, 0.0) + value
        self._before["peak_memory_bytes"] = max(self._memory.peak() or 0, self._before.get("peak_memory_bytes") or 0)
        return self._before


def _data(recipe_class: Any, request: TrainRequest) -> _Data:
    """An error if what is asked for cannot be met, or the best round would be chosen by what is trained on."""
    if not recipe_class.wants_documents:
        if request.corpus or request.train_on or request.abbreviations != _NONE:
            raise UsageError(f"{request.family} is trained on a knowledge base alone: leave out corpus, --train-on and "
                             "--abbreviations")  # fmt: skip
        if not request.kb:
            raise UsageError(f"{request.family} is trained on a knowledge base: say which, e.g. --kb medic")
        return _Data(_kb(request.kb), [], [])
    if not request.corpus:
        raise UsageError(f"{request.family} is trained on a corpus: linkassay train {request.family} CORPUS --kb KB …")
    for name in (request.corpus, *request.train_on):
        ensure_mini(name.partition(":")[0])
    corpus = Corpus.open(request.corpus)
    parts = training_parts(request.train_on, corpus)
    if not parts:
        raise UsageError(f"{request.corpus} has no train split: say what to train on, e.g. --train-on {request.corpus}:"
                         f"{'+'.join(corpus.splits)}")  # fmt: skip
    dev = []
    if request.dev != _NONE and (request.dev in corpus.splits or request.dev != "dev"):
        corpus[request.dev]  # refuses an unknown one
        dev = [TrainingPart(corpus, (request.dev,))]
        refuse_leak(parts, corpus, request.dev, request.family)
    return _Data(_kb(request.kb or corpus.manifest["kb"]), parts, dev)


def _kb(name: str) -> Kb:
    ensure_mini(name)
    return Kb.open(name)


def _defaults(recipe_class: Any) -> dict[str, Any]:
    """The options of a family, and what they are where nothing is said."""
    known = inspect.signature(recipe_class).parameters.values()
    return {each.name: each.default for each in known if each.default is not inspect.Parameter.empty}


def _options(recipe_class: Any, request: TrainRequest) -> dict[str, Any]:
    """All options, those that were not given as usual; an error if there is none of such a name or kind."""
    usual: dict[str, Any] = _OF_ENCODER | recipe_class.pace._asdict() | _defaults(recipe_class)
    for name, value in request.options.items():
        if name not in usual:
            raise UsageError(f"{request.family} trains with no option {name!r}; it has {', '.join(sorted(usual))}")
        kind_of = type(usual[name])
        fits = isinstance(value, (int, float) if kind_of is float else kind_of)
        if not fits or isinstance(value, bool) != (kind_of is bool):
            kind = {bool: "true or false", str: "a text", int: "a whole number", float: "a number"}[kind_of]
            raise UsageError(f"{name} is {kind}, not {value!r}")
        if not isinstance(value, str) and value < 0:
            raise UsageError(f"{name} cannot be negative: {value}")
    found = usual | dict(request.options)
    for name in ("rounds", "epochs", "batch", "round_batches", "candidates", "rate"):
        if name in found and not found[name] > 0:
            raise UsageError(f"{name} must be more than 0")
    return found


def _software(recipe_class: Any) -> tuple[str, dict[str, str]]:
    """A digest of the sources that can change what is learned, and the versions of their libraries."""
    graph = Graph({"linkassay": Path(__file__).parent.parent})
    modules = graph.reach([recipe_class.__module__], APART)
    return graph.digest(modules), versions(graph.libraries(modules))


def _readme(card: Mapping[str, Any]) -> str:
    """The card for people."""
    start = f"{card['start_model']} (sha256 {card['start_sha256'][:12]})"
    lines = [
        f"# {card['family']}, trained by linkassay", "",
        f"- start: {start}", f"- knowledge base: {card['kb']}",
        f"- trained on: {', '.join(card['trained_on']) or 'the knowledge base alone'}",
        f"- round chosen by: {', '.join(card['chosen_on']) or 'nothing, the last one is taken'}",
        f"- abbreviations: {card['abbreviations']}; seed: {card['seed']}",
        "- options: " + ", ".join(f"{name} {value}" for name, value in sorted(card["options"].items())),
        f"- cost: {card['costs']['train_cpu_seconds']:,.0f} CPU seconds on {card['machine']}",
        f"- {card['date']}, linkassay {card['software']}, "
        + ", ".join(f"{name} {number}" for name, number in card["libraries"].items()),
        "", "| round | mean loss | recall@1 of dev |", "|---:|---:|---:|",
    ]  # fmt: skip
    for each in card["rounds"]:
        told = ["–" if value is None else f"{value:.4f}" for value in (each["loss"], each["figure"])]
        mark = " (taken)" if each["number"] == card["chosen_round"] else ""
        lines.append(f"| {each['number']}{mark} | {told[0]} | {told[1]} |")
    return "\n".join([*lines, "", f"All of it as data: `{CARD}`.", ""])
