"""Names of a knowledge base in the form that encoders see them in (LINKER-16): lower-cased, perhaps with species."""

from __future__ import annotations

from linkassay.kbs import Kb
from linkassay.linkers.strings.named_entities import NamedEntities

_PLAIN = "select lower(name) as text, id from names"
#: BioEL's preparation of genes: a primary name that several entities have tells them apart by their species.
_WITH_SPECIES = """
with shared as (select lower(name) as low from names where "primary" group by low having count(distinct id) > 1)
select lower(case when n."primary" and shared.low is not null and e.foreign_id <> ''
             then n.name || ' ' || coalesce(nullif(f.name, ''), e.foreign_id) else n.name end) as text, n.id
from names n join entities e on e.id = n.id
left join "foreign" f on f.id = e.foreign_id left join shared on shared.low = lower(n.name)
"""


def embedded_names(kb: Kb, species: bool) -> NamedEntities:
    """Distinct names and what they name; `species`: behind primary names that are not unique."""
    return NamedEntities.of(kb, _WITH_SPECIES if species else _PLAIN)


def name_form(text: str) -> str:
    """A mention in the form of names."""
    return " ".join(text.lower().split())
