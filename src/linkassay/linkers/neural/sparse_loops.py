"""The loop behind `sparse_names`, compiled. Import it late: Numba takes a second to load."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkassay.machine_code import compiled


@compiled
def products(asked: Any, numbers: Any, begins: Any, columns: Any, weights: Any) -> Any:
    """A row for each text, with its product with each column of `asked`, which has a row for each gram."""
    found = np.zeros((len(numbers), asked.shape[1]))
    for row in range(len(numbers)):
        sums = found[row]
        for at in range(begins[numbers[row]], begins[numbers[row] + 1]):
            weight = weights[at]
            given = asked[columns[at]]
            for n in range(len(given)):
                sums[n] += weight * given[n]
    return found
