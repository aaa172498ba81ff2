"""Linkers as a run has them: opened from what another one stored."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from linkassay.kbs import Kb
from linkassay.model import Document
from linkassay.store import MappedFolder, read_json


def prepared(linker: Any, kb: Kb, train: Iterable[Document]) -> Any:
    """A linker that stores and trains, made ready in memory."""
    linker.prepare(kb, ())
    linker.train(train)
    return linker


def opened(made: Any, linker: Any, kb: Kb, folder: Path) -> Any:
    """`linker` opened from what `made` stores; what is stored is NumPy arrays without objects, and JSON."""
    places = [folder / "index", folder / "training"]
    for place in places:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
    made.store_index(MappedFolder(places[0]))
    made.store_training(MappedFolder(places[1]))
    for file in (file for place in places for file in place.iterdir()):
        if file.suffix == ".npy":
            np.load(file, allow_pickle=False)
        else:
            assert file.suffix == ".json"
            read_json(file)
    linker.open_index(kb, MappedFolder(places[0]))
    linker.open_training(MappedFolder(places[1]))
    return linker
