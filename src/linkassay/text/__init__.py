"""Text without knowledge of entities: keys of names, sentences, abbreviations.

Each module is plain functions over strings and spans; nothing here looks anything up, and only
`abbreviations.sources` reads a file.
"""
