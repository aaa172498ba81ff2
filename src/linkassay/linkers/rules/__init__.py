"""Linkers by rules of their field: genes of species, sequence variants."""
