"""Linkers that find mentions themselves: dictionary spotting and capitalised spans."""
