"""Every figure of some runs, each computed once and kept under its key."""
