"""Results of the literature as data, and our own beside them."""
