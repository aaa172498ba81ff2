"""What readers of knowledge bases share: delimited files, JSON lines, tables described in TOML."""
