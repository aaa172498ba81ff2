"""Benchmarks: `python -m bench` measures SPEC §12 as ratios in one run on one machine."""
