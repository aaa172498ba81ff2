"""The option `append_species`: a name of several entities gets the foreign id of its entity appended.

`CO1` of a human gene becomes `CO1 (ncbitaxon:9606)` if another gene has that very name. It works on
what the shards read, before it is merged; entities without a foreign id keep their names as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from linkassay import store
from linkassay.kbs.building.merge import MEMORY, Staging
from linkassay.kbs.schema import SCHEMAS

#: A knowledge base whose entities have species may have this option, off by default (KB-13).
OPTION = "append_species"

_QUALIFIED = """
with shared as (select name from names group by name having min(id) <> max(id)),
     species as (select id, max(foreign_id) as foreign_id from entities where foreign_id <> '' group by id)
select n.id, n.name || case when shared.name is null or foreign_id is null then '' else ' (' || foreign_id || ')' end
       as name, n.kind, n."primary"
from names n left join shared using (name) left join species using (id)
"""


def qualified(shards: Iterable[Path], target: Path, keys: Callable[[pa.ChunkedArray], pa.ChunkedArray]) -> Path:
    """A shard with the names of all `shards`, those that are not unique qualified; `keys` are those of names."""
    if target.is_dir():
        return target
    shards = list(shards)
    with store.new_folder(target, lasting=False) as folder:
        staging = Staging(folder)
        with store.connect(alone=True) as connection:
            spill = str(folder / "spill").replace("'", "''")
            connection.execute(f"set memory_limit = '{MEMORY}'; set temp_directory = '{spill}'")
            for table in ("names", "entities"):
                connection.register(table, _staged(shards, table))
            for batch in connection.sql(_QUALIFIED).to_arrow_reader(100_000):
                rows = pa.Table.from_batches([batch])
                rows = rows.append_column("key", keys(pc.cast(rows["name"], pa.string())))
                staging.add("names", rows.select(SCHEMAS["names"].names).cast(SCHEMAS["names"]))
        staging.close()
    return target


def _staged(shards: list[Path], table: str) -> Any:
    import pyarrow.dataset as ds  # here: it imports pandas where that is installed

    paths = [str(path) for shard in shards if (path := shard / f"{table}.arrow").exists()]
    return ds.dataset(paths, format="ipc", schema=SCHEMAS[table]) if paths else SCHEMAS[table].empty_table()
