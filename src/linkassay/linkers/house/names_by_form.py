"""Names by a form of theirs: those that may be the same since they share it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from linkassay.kbs import NodeLists
from linkassay.store import MappedFolder, TextNumbers, Texts

Integers = NDArray[np.integer[Any]]


def coded(texts: Iterable[str]) -> pa.DictionaryArray:
    """Texts as numbers of the distinct ones among them, which are numbered as they come first."""
    return pa.array(texts, pa.large_string()).dictionary_encode()


class NamesByForm:
    """Forms by number; the names that have a form, in their order."""

    def __init__(self, forms: TextNumbers, names: NodeLists) -> None:
        self.forms, self.names = forms, names

    @classmethod
    def of(cls, forms: pa.DictionaryArray) -> NamesByForm:
        """By the form of each name."""
        numbers, size = np.asarray(forms.indices), len(forms.dictionary)
        names = NodeLists(numbers, np.arange(len(numbers), dtype=np.int32), size)
        return cls(TextNumbers.of(Texts.of_arrow(forms.dictionary)), names)

    def store(self, files: MappedFolder) -> None:
        """Write forms and names."""
        files.put_numbers("forms", self.forms)
        self.names.store(files.part("names"))

    @classmethod
    def opened(cls, files: MappedFolder) -> NamesByForm:
        """What was written."""
        return cls(files.numbers("forms"), NodeLists.opened(files.part("names")))

    def having(self, form: str) -> Integers:
        """The names with this form."""
        number = self.forms.get(form)
        return self.names.members[:0] if number is None else self.names[number]
