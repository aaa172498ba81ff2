"""Outside systems as linkers: a command or a service, and the formats they are spoken to in."""
