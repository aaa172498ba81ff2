"""Hierarchy-aware scoring: how wrong a wrong entity is (SPEC §6)."""
