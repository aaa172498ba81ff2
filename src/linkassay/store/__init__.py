"""The data home: where things lie, how they are written whole or not at all, and their schemas.

Everything is plain files: Parquet tables and one JSON manifest per folder. A folder is written
under a temporary name and renamed when complete, so that a half-written thing is never seen (SAFE-2).
"""

from __future__ import annotations

# This door is not a lazy one: who says `store.home()` imports the room, and the identity of a run follows imports.
from linkassay.store.atomic_writes import lock, new_file, new_folder, set_current, write_manifest, write_text
from linkassay.store.data_home import current, home, user_home, valid_name
from linkassay.store.file_records import changed_files, file_records
from linkassay.store.mapped_files import MappedFolder, TextNumbers, Texts
from linkassay.store.parquet import (
    Table,
    batches,
    checked_parquet,
    connect,
    require_columns,
    rows,
    rows_of,
    tables_digest,
)
from linkassay.store.records import Recorded, digest_and_size, fingerprint, read_json
from linkassay.store.schemas import DOCUMENTS, MENTIONS, PREDICTIONS

__all__ = [
    "DOCUMENTS",
    "MENTIONS",
    "PREDICTIONS",
    "MappedFolder",
    "Recorded",
    "Table",
    "TextNumbers",
    "Texts",
    "batches",
    "changed_files",
    "checked_parquet",
    "connect",
    "current",
    "digest_and_size",
    "file_records",
    "fingerprint",
    "home",
    "lock",
    "new_file",
    "new_folder",
    "read_json",
    "require_columns",
    "rows",
    "rows_of",
    "set_current",
    "tables_digest",
    "user_home",
    "valid_name",
    "write_manifest",
    "write_text",
]
