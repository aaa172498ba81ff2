"""Benchmarks: `python -m bench` measures SPEED-1 to SPEED-9 as ratios in one run on one machine."""
