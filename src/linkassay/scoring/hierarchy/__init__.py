"""Hierarchy-aware scoring: how wrong a wrong entity is (docs/definitions/hierarchy.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.scoring.hierarchy.choices import HierarchyChoices
    from linkassay.scoring.hierarchy.figures import (
        FOUR_SETS,
        compare_profiles,
        compared_row,
        match_counts,
        profile_figures,
    )
    from linkassay.scoring.hierarchy.measures import (
        CHARACTERISTICS,
        HIERARCHY_MEASURES,
        measure_kind,
        parse_characteristics,
    )
    from linkassay.scoring.hierarchy.mismatches import (
        DISTANCES,
        LOCATION_BINS,
        MISMATCH_KINDS,
        MISMATCHES,
        mismatch_cells,
        mismatch_figures,
        mismatch_places,
        place_of,
    )
    from linkassay.scoring.hierarchy.profile import Profile, comparable, profiles
    from linkassay.scoring.hierarchy.relations import LOCATIONS
    from linkassay.scoring.hierarchy.scenarios import SCENARIOS, Goal, Scenario, choose_system, load_scenario

__all__ = [
    "CHARACTERISTICS",
    "DISTANCES",
    "FOUR_SETS",
    "HIERARCHY_MEASURES",
    "LOCATIONS",
    "LOCATION_BINS",
    "MISMATCHES",
    "MISMATCH_KINDS",
    "SCENARIOS",
    "Goal",
    "HierarchyChoices",
    "Profile",
    "Scenario",
    "choose_system",
    "comparable",
    "compare_profiles",
    "compared_row",
    "load_scenario",
    "match_counts",
    "measure_kind",
    "mismatch_cells",
    "mismatch_figures",
    "mismatch_places",
    "parse_characteristics",
    "place_of",
    "profile_figures",
    "profiles",
]

__getattr__, __dir__ = front_door(__name__)
