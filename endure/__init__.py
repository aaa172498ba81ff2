"""Tries what docs/reliability.md promises: kills, noise, hostile servers, full disks, damaged stores, two at once."""
