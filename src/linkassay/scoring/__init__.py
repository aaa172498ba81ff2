"""Scoring: what counts as right, and how sure one can be of it."""
