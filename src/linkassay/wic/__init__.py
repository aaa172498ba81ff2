"""Words in context: datasets built as BioWiC was, checked, with baselines and scores. Defined in WIC-1 and on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkassay.registry import front_door

if TYPE_CHECKING:
    from linkassay.wic.building import build_dataset
    from linkassay.wic.checking import USUAL_SOURCES, check_dataset, dataset_manifest
    from linkassay.wic.pair_files import TermPair, read_pairs
    from linkassay.wic.scores import (
        HUMAN_ACCURACY,
        SystemLabels,
        compare_systems,
        keep_figures,
        kept_figures,
        predictions_text,
        read_predictions,
        wic_figures,
    )
    from linkassay.wic.settings import Settings
    from linkassay.wic.sheet import annotator_agreement, export_sheets, read_sheet

__all__ = [
    "HUMAN_ACCURACY",
    "USUAL_SOURCES",
    "Settings",
    "SystemLabels",
    "TermPair",
    "annotator_agreement",
    "build_dataset",
    "check_dataset",
    "compare_systems",
    "dataset_manifest",
    "export_sheets",
    "keep_figures",
    "kept_figures",
    "predictions_text",
    "read_pairs",
    "read_predictions",
    "read_sheet",
    "wic_figures",
]

__getattr__, __dir__ = front_door(__name__)
