"""Scoring with given mentions: which ids are right, which mentions count, and every measure of them."""
