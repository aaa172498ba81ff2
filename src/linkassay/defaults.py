"""What is taken where nobody says otherwise. It imports nothing, so that verbs and command line may show it."""

from __future__ import annotations

__all__ = ["DEFAULT_MEASURES", "DOWNLOAD_MIN_RATE", "DOWNLOAD_TIMEOUT", "LEADING", "RESAMPLES_COMPARED"]

DEFAULT_MEASURES = "coverage,recall@1,recall@5"
#: Measures that slices are shown in; the first is what systems are ranked by.
LEADING: tuple[str, ...] = ("recall@1", "recall@5", "coverage")
#: How often documents are swapped or drawn to test a difference.
RESAMPLES_COMPARED = 10_000
#: Seconds that a server has for its answer and for each piece of it, and how many bytes a second it has to send.
DOWNLOAD_TIMEOUT, DOWNLOAD_MIN_RATE = 30.0, 1_000.0
