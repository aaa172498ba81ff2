"""What scoring asks of a knowledge base: names, types, demonyms, popular senses. Plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["ETHNICITY", "FICTIONAL", "LANGUOID", "LOCATION", "PERSON", "Knowledge"]

LOCATION, PERSON, ETHNICITY = "wikidata:Q27096213", "wikidata:Q215627", "wikidata:Q33829"
LANGUOID, FICTIONAL = "wikidata:Q17376908", "wikidata:Q95074"


@dataclass(frozen=True)
class Knowledge:
    """Names and types of entities, values by their ids, demonyms, and for a text its most popular senses."""

    names: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, frozenset[str]] = field(default_factory=dict)
    quantities: frozenset[str] = frozenset()
    datetimes: frozenset[str] = frozenset()
    demonyms: frozenset[str] = frozenset()
    popular: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of_type(self, identifier: str, *types: str) -> bool:
        """Whether the entity is of one of these types."""
        return not self.types.get(identifier, frozenset()).isdisjoint(types)
