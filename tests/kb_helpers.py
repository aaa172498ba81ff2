"""What the tests of knowledge base readers share."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from endure.readers import read_kb
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from linkassay.errors import DataError
from linkassay.files import RawFile, expand_paths
from linkassay.kbs.schema import Entity, Foreign, History, KbReader
from tests.strategies import mutated

SAMPLES = Path(__file__).parent / "samples" / "kbs"

fuzzing = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def sample(path: str) -> RawFile:
    [file] = expand_paths([SAMPLES / path])
    return file


class Read:
    """What a reader yielded, sorted by kind."""

    def __init__(self, reader: KbReader, file: RawFile, options: Mapping[str, Any] | None = None) -> None:
        found = list(reader(file, options or {}))
        self.entities = {item.id: item for item in found if isinstance(item, Entity)}
        self.rows = [item for item in found if isinstance(item, Entity)]
        self.history = [(item.old, item.new) for item in found if isinstance(item, History)]
        self.foreign = {(item.id, item.name) for item in found if isinstance(item, Foreign)}
        tables = [item for item in found if isinstance(item, dict)]
        self.edges = [tuple(row.values()) for table in tables for row in table["parents"].to_pylist()]


def message(reader: KbReader, file: RawFile, options: Mapping[str, Any] | None = None) -> str:
    """The error that reading the file ends with."""
    try:
        list(reader(file, options or {}))
    except DataError as error:
        return str(error)
    return "no error"


def survives(reader: KbReader, path: str, data: st.DataObject, options: Mapping[str, Any] | None = None) -> None:
    """A mutated sample is read soundly or ends in a `DataError`."""
    file = sample(path)
    broken = [(file.name, data.draw(mutated(file.bytes())))]
    with contextlib.suppress(DataError):
        read_kb(reader, options or {}, broken)
