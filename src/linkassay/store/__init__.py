"""The data home: where things lie, how they are written whole or not at all, and their schemas.

Everything is plain files: Parquet tables and one JSON manifest per folder. A folder is written
under a temporary name and renamed when complete, so that a half-written thing is never seen (SAFE-2).
"""

from __future__ import annotations

# This door is not a lazy one: who says `store.home()` imports the room, and the identity of a run follows imports.
from linkassay.store.atomic_writes import (
    lock,
    new_file,
    new_folder,
    scratch_folder,
    set_current,
    unwritable,
    write_manifest,
    write_text,
)
from linkassay.store.data_home import current, home, user_home, valid_name
from linkassay.store.file_records import changed_files, file_records
from linkassay.store.list_columns import list_column, nested_texts, span_column, text_lists
from linkassay.store.mapped_files import MappedFolder, TextNumbers, Texts
from linkassay.store.parquet import (
    NewFile,
    ParquetWriter,
    Table,
    batches,
    checked_parquet,
    connect,
    require_columns,
    rows,
    rows_of,
    tables_digest,
    unreadable_file,
)
from linkassay.store.records import Recorded, digest_and_size, fingerprint, read_json
from linkassay.store.schemas import CANDIDATES, DOCUMENTS, MENTIONS, PREDICTIONS

__all__ = [
    "CANDIDATES",
    "DOCUMENTS",
    "MENTIONS",
    "PREDICTIONS",
    "MappedFolder",
    "NewFile",
    "ParquetWriter",
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
    "list_column",
    "lock",
    "nested_texts",
    "new_file",
    "new_folder",
    "read_json",
    "require_columns",
    "rows",
    "rows_of",
    "scratch_folder",
    "set_current",
    "span_column",
    "tables_digest",
    "text_lists",
    "unreadable_file",
    "unwritable",
    "user_home",
    "valid_name",
    "write_manifest",
    "write_text",
]
