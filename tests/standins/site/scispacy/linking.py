"""Stand-in: registers the linker with spaCy when imported."""
