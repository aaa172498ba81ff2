"""Runs: what is asked of a linker, how it is run over a corpus, and what is stored of it."""
