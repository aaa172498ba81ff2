"""The semantic types of the UMLS in their fifteen groups (McCray, Burgun and Bodenreider 2001; KB-14).

The types are those of the network since 2018; types that older editions have beside these are in `RETIRED`.
"""

from __future__ import annotations

from collections.abc import Iterable

#: Group → its semantic types by identifier (TUI).
GROUPS: dict[str, tuple[str, ...]] = {
    "ACTI": ("T051", "T052", "T053", "T054", "T055", "T056", "T057", "T064", "T066"),
    "ANAT": ("T017", "T018", "T021", "T022", "T023", "T024", "T025", "T026", "T029", "T030", "T031"),
    "CHEM": ("T103", "T104", "T109", "T114", "T116", "T120", "T121", "T122", "T123", "T125", "T126", "T127", "T129",
             "T130", "T131", "T192", "T195", "T196", "T197", "T200"),
    "CONC": ("T077", "T078", "T079", "T080", "T081", "T082", "T089", "T102", "T169", "T170", "T171", "T185"),
    "DEVI": ("T074", "T075", "T203"),
    "DISO": ("T019", "T020", "T033", "T037", "T046", "T047", "T048", "T049", "T050", "T184", "T190", "T191"),
    "GENE": ("T028", "T085", "T086", "T087", "T088"),
    "GEOG": ("T083",),
    "LIVB": ("T001", "T002", "T004", "T005", "T007", "T008", "T010", "T011", "T012", "T013", "T014", "T015", "T016",
             "T096", "T097", "T098", "T099", "T100", "T101", "T194", "T204"),
    "OBJC": ("T071", "T072", "T073", "T167", "T168"),
    "OCCU": ("T090", "T091"),
    "ORGA": ("T092", "T093", "T094", "T095"),
    "PHEN": ("T034", "T038", "T067", "T068", "T069", "T070"),
    "PHYS": ("T032", "T039", "T040", "T041", "T042", "T043", "T044", "T045", "T201"),
    "PROC": ("T058", "T059", "T060", "T061", "T062", "T063", "T065"),
}  # fmt: skip

#: Types that are no longer in use → their group.
RETIRED: dict[str, str] = {
    "T003": "LIVB", "T006": "LIVB", "T009": "LIVB",
    "T110": "CHEM", "T111": "CHEM", "T115": "CHEM", "T118": "CHEM", "T119": "CHEM", "T124": "CHEM",
}  # fmt: skip

#: Semantic type → group.
group_of: dict[str, str] = {type_: group for group, types in GROUPS.items() for type_ in types} | RETIRED


def semantic_types_of(type_: str | None, category: str | None) -> tuple[str, ...]:
    """The semantic types of an entity: those of the UMLS in its category, else in its type, which is else all it has.

    >>> semantic_types_of("umls", "T047|T191"), semantic_types_of("disease", "C04"), semantic_types_of("T047", "")
    (('T047', 'T191'), ('disease',), ('T047',))
    """
    known = tuple(each for each in dict.fromkeys((category or "").split("|")) if each in group_of)
    return known or tuple(each for each in dict.fromkeys((type_ or "").split("|")) if each)


def semantic_groups_of(types: Iterable[str]) -> tuple[str, ...]:
    """The groups that semantic types belong to.

    >>> semantic_groups_of(["T047", "T191"]), semantic_groups_of(["T116", "T047"]), semantic_groups_of(["disease"])
    (('DISO',), ('CHEM', 'DISO'), ())
    """
    return tuple(sorted({group_of[type_] for type_ in types if type_ in group_of}))
