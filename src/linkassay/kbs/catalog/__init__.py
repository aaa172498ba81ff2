"""The knowledge bases that are known by name: one module each, a `KbSpec` and its readers."""
