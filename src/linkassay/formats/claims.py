"""What a file of predictions says, one answer at a time, before it is held to a corpus.

Readers of predictions yield `Claim`s; joining them with a corpus, and refusing what does not fit, is the
importer's work and not theirs.
"""

from __future__ import annotations

from typing import NamedTuple

from linkassay.model import Prediction

__all__ = ["Claim"]


class Claim(NamedTuple):
    """A prediction as its source has it, and where.

    `prediction.mention` is the name of the mention in the source, empty if it names none. `text` is the
    surface form that the source says lies at the spans, empty if it says nothing. An answer with further
    candidates has the answer alone in its first group.
    """

    file: str
    line: int
    prediction: Prediction
    text: str = ""
