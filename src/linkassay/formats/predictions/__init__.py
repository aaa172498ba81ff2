"""Formats of predictions: what each file claims, one answer at a time (`claims`), before it is held to a corpus."""
