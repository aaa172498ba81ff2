"""Of what kind candidates are: semantic types as the UMLS has them, several to an entity (STAGE-3, SLICE-15, KB-14)."""

from __future__ import annotations

from pathlib import Path

import pytest

import linkassay
from linkassay.listing import coverage
from linkassay.scoring.disambiguation import Score
from linkassay.scoring.disambiguation.failure_stages import failures
from tests.scoring_helpers import corpus, knowledge, run_of


def concept(types: str) -> dict[str, str]:
    """An entity as `get umls` stores it: all are of one type, their semantic types are the category."""
    return {"type": "umls", "category": types}


@pytest.fixture
def umls(home: Path, tmp_path: Path) -> Score:
    kinds = {"u:1": "T047", "u:2": "T047|T191", "u:3": "T116|T121", "u:4": "T191", "u:5": ""}
    kb = knowledge({i: [i] for i in kinds}, **{i.replace(":", ""): concept(types) for i, types in kinds.items()})
    gold = [("a", "u:1"), ("b", "u:2"), ("c", "u:3"), ("d", "u:5")]
    on = corpus(tmp_path, "medical", {"test": {"x": gold[:2], "y": gold[2:]}})
    # lost: `b` (a candidate shares T191), `c` (none shares anything), `d` (of no kind, one of ours, one unknown)
    run = run_of(on, [[["u:1"]], [["u:4"], ["u:3"]], [["u:1"], ["u:2"]], [["u:4"], ["u:99"]]], kb=kb)
    return linkassay.score(run, abbreviations="none")


def test_mentions_are_in_the_slice_of_each_semantic_type_of_their_entity(umls: Score) -> None:
    found = {name: mask.tolist() for name, mask in umls.slices(["semantic-type", "semantic-group"]) if name != "all"}
    yes, no = True, False
    assert found == {
        "semantic-type=T047": [yes, yes, no, no], "semantic-type=T191": [no, yes, no, no],
        "semantic-type=T116": [no, no, yes, no], "semantic-type=T121": [no, no, yes, no],
        "semantic-type=umls": [no, no, no, yes],
        "semantic-group=DISO": [yes, yes, no, no], "semantic-group=CHEM": [no, no, yes, no],
        "semantic-group=–": [no, no, no, yes],
    }  # fmt: skip


def test_candidates_of_the_right_kind_share_a_semantic_type_or_group(umls: Score) -> None:
    found = {f.about["measure"]: (f.value, f.n) for f in failures(umls, 5)}
    assert found["candidates-of-right-type@5"] == (1 / 5, 5)
    assert found["candidates-of-right-semantic-group@5"] == (1 / 5, 5)


def test_info_counts_gold_ids_by_semantic_type(umls: Score) -> None:
    assert umls.kb is not None
    found = coverage(umls.items.corpus, umls.kb)
    assert found["semantic_types"] == {"T047": 2, "T191": 1, "T116": 1, "T121": 1, "umls": 1}
    assert found["semantic_groups"] == {"DISO": 2, "CHEM": 1}
