"""Runs a linker over a split of a corpus, in shards that survive a kill, and stores what it said as a run."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from linkassay import store
from linkassay.corpora import Corpus
from linkassay.engine import Engine, Task
from linkassay.errors import LinkassayError
from linkassay.kbs import Kb
from linkassay.linkers import linker_file
from linkassay.linkers.neural import model_folder
from linkassay.runs import shard
from linkassay.runs.identity import RunIdentity
from linkassay.runs.leak_guard import leak_record, model_record, parts_of_model, training_record
from linkassay.runs.prediction_rows import CANDIDATES
from linkassay.runs.preparing import Prepared, Progress, prepare
from linkassay.runs.request import LinkRequest
from linkassay.runs.stored_run import Run, run_of, write_run
from linkassay.runs.training import TrainingPart, training_parts

#: What preparing costs.
_PREPARED = tuple(f"{stage}_{clock}" for stage in ("index", "train") for clock in ("seconds", "cpu_seconds"))


def link(
    request: LinkRequest,
    *,
    again: bool = False,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
    preparing: Progress | None = None,
) -> tuple[Run, bool]:
    """Do what is asked for; returns the run and whether it had to be done (`again`: in any case).

    A linker that stores what it prepares is made ready first. Documents are linked in shards; those that are done stay
    when the work is killed. A document that the linker fails on is recorded in `failures`.
    """
    request = request.pinned()
    identity = RunIdentity.of(request)
    work = store.home() / "work" / f"run-{identity.fingerprint}{'-again' if again else ''}"
    stored = None if again else run_of(identity)
    if stored is not None:
        run, fresh = stored, False
        shutil.rmtree(work, ignore_errors=True)  # left by a run that was killed when it was stored already
    else:
        with _work_folder(work, again):

            def fill(table: store.Table, folder: Path) -> dict[str, Any]:
                with redirect_stdout(sys.stderr):  # what a linker prints is no output of ours, e.g. no JSON
                    ready = prepare(request, progress=preparing, engine=engine)
                    shards = _link_shards(request, work, ready, engine, progress)
                if request.capabilities.pools:
                    _add_candidates(folder / CANDIDATES, shards)
                return _add_predictions(table, request, shards, ready)

            run, fresh = write_run(identity, fill, again)
    if request.strict and not fresh:
        _refuse(request.linker, run.about, " Run it again with --again.")
    return run, fresh


@contextmanager
def _work_folder(work: Path, again: bool) -> Iterator[None]:
    """The folder of the shards is ours until the run is stored, and then ends.

    If the run comes to no end its shards stay for whoever asks for the same; with `again` none are taken over and none
    are left, as they are of use to nobody else.
    """
    with store.lock(work):  # the same command elsewhere is waited for: its shards are ours
        for path in work.glob("*") if again else ():
            shutil.rmtree(path)
        try:
            yield
        except BaseException:
            if again:
                shutil.rmtree(work, ignore_errors=True)
            raise
        shutil.rmtree(work, ignore_errors=True)


def _link_shards(
    request: LinkRequest,
    work: Path,
    ready: Sequence[Prepared],
    engine: Engine | None,
    progress: Callable[[int, int], None] | None,
) -> list[Path]:
    """Link all documents; the folders of their shards, in the corpus's order."""
    documents = len(Corpus.open(request.corpus)[request.split])
    arguments = {"request": request.as_data(), "prepared": [each.name for each in ready]}
    tasks = [
        Task(f"{start:08d}", "linkassay.runs.shard:link_shard", {**arguments, "start": start})
        for start in range(0, documents, shard.DOCUMENTS)
    ]

    def of_documents(shards: int, _: int) -> None:
        if progress:
            progress(min(shards * shard.DOCUMENTS, documents), documents)

    try:
        return (engine or Engine(workers=1)).run(tasks, work, of_documents)
    finally:
        shard.forget()


def _add_predictions(
    table: store.Table, request: LinkRequest, shards: Sequence[Path], ready: Sequence[Prepared]
) -> dict[str, Any]:
    """Append the predictions of the shards to a run; what else is recorded of it: costs, failures, unknown ids."""
    corpus, kb = Corpus.open(request.corpus), Kb.open(request.kb)
    notes = [store.read_json(path / "shard.json") for path in shards]
    predictions = [path / "predictions.parquet" for path in shards]
    record = _costs(notes, ready, _mention_count(corpus, request.split)) | {
        "documents": len(corpus[request.split]),
        "answered": 0,
        "failures": [failure for note in notes for failure in note["failures"]],
        "unknown_ids": _unknown_ids(kb, predictions),
    }
    parts: list[TrainingPart] = []
    if request.capabilities.uses_training:
        parts = training_parts(request.train_on, corpus)
        record |= training_record(parts)
    if ready:
        record["prepared"] = [each.name for each in ready]
    if told := {each.name: each.about["about"] for each in ready if "about" in each.about}:
        record["about_prepared"] = told
    if linker_file(request.linker):
        record["linker_file"] = request.linker
    if request.ids:
        record["ids_file"] = str(request.ids)
    if request.capabilities.wants_model:
        record["model"] = request.running["model"]
        folder = model_folder(record["model"])
        taught = parts_of_model(folder, corpus)
        record |= model_record(folder, taught)
        parts += taught
    record |= leak_record(parts, corpus, request.split)
    if request.strict:
        _refuse(request.linker, record)
    for path in predictions:
        for batch in store.batches(path, store.PREDICTIONS.names):
            table.append(batch)
            record["answered"] += _answered(batch)
    return record


def _add_candidates(path: Path, shards: Sequence[Path]) -> None:
    """Join what the predictions of the shards were chosen from."""
    with store.Table(path, store.CANDIDATES) as table:
        for shard_folder in shards:
            for batch in store.batches(shard_folder / CANDIDATES, store.CANDIDATES.names):
                table.append(batch)


def _answered(batch: Any) -> int:
    """How many predictions say something, if only that there is nothing to link to."""
    import pyarrow.compute as pc

    return int(pc.sum(pc.or_(pc.greater(pc.list_value_length(batch["groups"]), 0), batch["nil"])).as_py() or 0)


def find_run(request: LinkRequest) -> Run | None:
    """The run that `link` would give, if it is there."""
    return run_of(RunIdentity.of(request.pinned()))


def _mention_count(corpus: Corpus, split: str) -> int:
    """How many mentions a split has, whether the linker is given them or has to find them."""
    counted = corpus.sql("select split, count(*) from mentions where parent = '' group by split")
    return int(dict(counted).get(split, 0))


def _costs(notes: list[dict[str, Any]], ready: Sequence[Prepared], mentions: int) -> dict[str, Any]:
    """What the shards of so many mentions cost together; a linker that several processes had to prepare counts once.

    One that was made ready before costs what that cost then, so that runs compare whoever came first. The times of all
    workers are added up, so that the speed is that of one worker, however many there were.
    """
    first: dict[str, Any] = next((note for note in notes if "index_seconds" in note), {})
    if ready:  # of a composed linker those of all parts
        stored = [each.about["costs"] for each in ready]
        first = {key: sum(each.get(key, 0.0) for each in stored) for key in _PREPARED}
    costs: dict[str, Any] = {}
    for clock in ("seconds", "cpu_seconds"):
        index, train = first.get(f"index_{clock}", 0.0), first.get(f"train_{clock}", 0.0)
        costs |= {f"index_{clock}": index, f"train_{clock}": train, f"prepare_{clock}": index + train}
        costs[f"link_{clock}"] = sum(note[f"link_{clock}"] for note in notes)
    costs["mentions_per_second"] = mentions / costs["link_seconds"] if costs["link_seconds"] else None
    peaks = [note["peak_memory_bytes"] for note in (*notes, *(each.about["costs"] for each in ready))]
    costs["peak_memory_bytes"] = max((peak or 0 for peak in peaks), default=0) or None
    return costs


def _unknown_ids(kb: Kb, predictions: list[Path]) -> dict[str, Any]:
    """Predicted ids that the knowledge base neither has nor had: how many, and the first of them."""
    if not predictions:
        return {"count": 0, "examples": []}
    query = (
        "with said as (select unnest(flatten(groups)) as id from predictions) select id, count(*) from said "
        "anti join entities using (id) anti join current on said.id = old group by id order by id"
    )
    found = kb.connect({"predictions": predictions}).execute(query).fetchall()
    return {"count": sum(n for _, n in found), "examples": [identifier for identifier, _ in found[:10]]}


def all_failed(about: dict[str, Any]) -> str:
    """Why no document at all was answered, if so: the first error."""
    failed = about.get("failures", [])
    return str(failed[0]["error"]) if failed and len(failed) == about.get("documents") else ""


def _refuse(linker: str, about: dict[str, Any], then: str = "") -> None:
    """With --strict: an error if a document failed or an id is unknown."""
    if failed := about["failures"]:
        first = failed[0]
        raise LinkassayError(f"linker {linker!r} failed on {len(failed)} documents; the first is "
                             f"{first['document']}: {first['error']}.{then}")  # fmt: skip
    if unknown := about["unknown_ids"]["examples"]:
        raise LinkassayError(f"linker {linker!r} predicted {about['unknown_ids']['count']} ids that are not in the "
                             f"knowledge base, e.g. {', '.join(unknown[:3])}.{then}")  # fmt: skip
