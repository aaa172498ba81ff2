"""Hierarchy-aware scoring: how wrong a wrong entity is (docs/definitions/hierarchy.md)."""
