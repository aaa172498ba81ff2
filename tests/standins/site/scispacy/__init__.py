"""Stand-in: there to be imported."""
