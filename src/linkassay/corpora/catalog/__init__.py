"""The corpora that are known by name: one module each, a `CorpusSpec` and, where it needs one, its own reader.

A new one is registered in `CORPORA` of `linkassay.corpora`.
"""
