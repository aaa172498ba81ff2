"""Formats of annotated documents: one module each, with `read` and, where tools need it, `write`."""
