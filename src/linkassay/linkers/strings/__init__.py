"""Linkers by the string of a mention: exact, normalised, edit distance, character n-grams."""
