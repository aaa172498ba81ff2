"""End-to-end scoring: spans are predicted too (PRESET-3 to PRESET-5).

>>> from linkassay.model import Document, Mention, Prediction
>>> ada = Mention("1", "d", ((0, 3),), "Ada", "", (frozenset({"wikidata:Q7259"}),))
>>> counts = evaluate([Document("d", "Ada of London", annotations=(ada,))],
...                   [Prediction("d", ((0, 3),), (("wikidata:Q7259",),)),
...                    Prediction("d", ((7, 13),), (("wikidata:Q84",),))])
>>> counts.micro("all", "ignored")
(0.5, 1.0, 0.6666666666666666)
"""

from __future__ import annotations

from linkassay.scoring.endtoend.evaluate import evaluate, recognised
from linkassay.scoring.endtoend.knowledge import Knowledge
from linkassay.scoring.endtoend.measures import Counts
from linkassay.scoring.endtoend.presets import PRESETS

__all__ = ["PRESETS", "Counts", "Knowledge", "evaluate", "recognised"]
