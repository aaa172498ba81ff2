"""Building a knowledge base in bounded memory: cut, read, sort, merge."""
