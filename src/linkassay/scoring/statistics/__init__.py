"""How sure a figure is: intervals over documents, tests, agreement between systems."""
