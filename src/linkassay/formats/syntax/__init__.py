"""Syntaxes that several formats share: JSON, XML, Turtle, OBO. What is said in them is not known here."""
