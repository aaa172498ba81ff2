"""Dense alias (LINKER-16): the names nearest to the mention, as vectors of an encoder; SapBERT's if nothing is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkassay.errors import LinkassayError, UsageError
from linkassay.kbs import Kb
from linkassay.linkers.neural.approximate import (
    Approximate,
    opened_search,
    require_search,
    search_of,
    store_search,
)
from linkassay.linkers.neural.embedded_names import embedded_names, name_form
from linkassay.linkers.neural.encoder import Encoder, Floats
from linkassay.linkers.neural.model_files import model_checksum, model_folder
from linkassay.linkers.neural.nearest import Nearest, Numbers, Scores
from linkassay.linkers.protocol import Answer, Capabilities, Query
from linkassay.linkers.strings.named_entities import NamedEntities
from linkassay.model import Document
from linkassay.store import MappedFolder, Texts

SAPBERT = "cambridgeltl/SapBERT-from-PubMedBERT-fulltext"
#: Names of a part: on a CPU ten seconds of work with a small model, a minute with a large one.
PART = 4096
#: Most parts: of each a file stays open, of which a process may often have 1024.
PARTS = 512


class DenseAlias:
    """Names, lower-cased, and mentions as vectors; entities by their nearest name, tied where that is equally near."""

    summary = "names nearest to the mention by the vectors of a neural encoder, SapBERT if no other is given"
    capabilities = Capabilities(
        links=True, trains=True, stores=True, prepares_in_parts=True, wants_model=True, trains_with="training_names"
    )

    def __init__(
        self, model: str = SAPBERT, model_sha256: str = "", device: str = "auto", training_names: bool = False,
        pooling: str = "auto", precision: str = "float32", tokens: int = 25, nearest: str = "auto",
        species: bool = False,
    ) -> None:  # fmt: skip
        """`training_names`: texts of training mentions are further names of what they mean.

        `nearest`: how names are searched, `exact`, by lists of `faiss`, or by these where there are very many.
        `species`: stands behind primary names that are not unique.
        """
        require_search(nearest)
        for name, value in (("training_names", training_names), ("species", species)):
            if not isinstance(value, bool):
                raise UsageError(f"{name} is true or false, not {value!r}")
        self._model, self._checksum = model, model_sha256
        self._made_with, self._search = (device, precision, pooling, tokens), nearest
        self._species = species

    @cached_property
    def _encoder(self) -> Encoder:
        folder = model_folder(self._model)
        if self._checksum and model_checksum(folder) != self._checksum:
            raise LinkassayError(f"the model {self._model} has been changed since the run was begun")
        return Encoder(folder, *self._made_with)

    def parts(self, kb: Kb) -> int:
        """How many parts of its names there are."""
        self._begin(kb, embedded_names(kb, self._species))
        return -(-len(self._entities.texts) // self._part)

    def make_part(self, part: int, files: MappedFolder) -> None:
        """Write the vectors of some names."""
        files.put_array("rows", self._vectors(part))

    def join_parts(self, made: Sequence[MappedFolder]) -> None:
        """Go by the vectors of all parts."""
        rows = [files.array("rows") for files in made]
        self._go_by(rows, self._search_of(rows))

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Do all of that here."""
        rows = [self._vectors(part) for part in range(self.parts(kb))]
        self._go_by(rows, self._search_of(rows))

    def store_index(self, files: MappedFolder) -> None:
        """Write entities and vectors."""
        self._entities.store(files)
        files.put_record("parts", len(self._rows))
        for part, rows in enumerate(self._rows):
            files.put_array(f"rows{part}", rows)
        store_search(self._nearest, files)

    def open_index(self, kb: Kb, files: MappedFolder) -> None:
        """Take them as they lie."""
        self._begin(kb, NamedEntities.opened(files), files)
        rows = [files.array(f"rows{part}") for part in range(files.record("parts"))]
        self._go_by(rows, self._opened_search(rows, files))

    def train(self, documents: Iterable[Document]) -> None:
        """Let the texts of mentions be names of what they mean."""
        named: dict[str, Counter[int]] = {}
        number = self._entities.numbers()
        for document in documents:
            for mention in document.mentions:
                meant = {number[new] for each in mention.ids for new in self._current(each) if new in number}
                if meant:
                    named.setdefault(name_form(mention.text), Counter()).update(meant)
        texts = sorted(named)
        members = [sorted(named[text]) for text in texts]
        learned: dict[str, NDArray[Any]] = {
            "rows": self._encoder.encode(texts),
            "starts": np.cumsum([0, *map(len, members)], dtype=np.int32),
            "members": np.array([entity for each in members for entity in each], dtype=np.int32),
            "counts": np.array([named[t][e] for t, each in zip(texts, members) for e in each], dtype=np.int32),
        }
        written = Texts.of(texts)
        learned |= {"letters": written.letters, "begins": written.starts}
        self._add(learned)

    def store_training(self, files: MappedFolder) -> None:
        """Write what training mentions added."""
        files.put_arrays(self._learned)

    def open_training(self, files: MappedFolder) -> None:
        """Be as after `train`, by what was written then."""
        self._add(files.arrays(("rows", "starts", "members", "counts", "letters", "begins")))

    def link(self, queries: Sequence[Query], top: int) -> list[Answer]:
        """Entities by their nearest name, also of training if that was asked for."""
        asked = [(name_form(q.text), q.type if q.type in self._entities.types else "") for q in queries]
        found: dict[tuple[str, str], Answer] = {}
        for type_ in sorted({type_ for _, type_ in asked}):
            texts = list(dict.fromkeys(text for text, wanted in asked if wanted == type_))
            found |= zip(((text, type_) for text in texts), self._link(texts, type_, top), strict=True)
        return [found[each] for each in asked]

    def _link(self, texts: Sequence[str], type_: str, top: int) -> list[Answer]:
        """Names are asked for until they give `top` ranks: names may be of one entity, and entities tie."""
        allowed = self._entities.named_by(type_) if type_ else None
        vectors = self._questions(texts)
        answers: list[Answer] = [[] for _ in texts]
        left, wanted = list(range(len(texts))), 4 * top
        while left:
            for n, (names, scores) in zip(left, self._nearest.search(vectors[left], wanted, allowed), strict=True):
                answer = self._entities.ranked(names, scores, type_)
                answers[n] = [*self._by_training(answer, names, scores)][:top]
            left = [n for n in left if len(answers[n]) < top and wanted < len(self._nearest)]
            wanted *= 4
        return answers

    def _by_training(self, answer: Answer, names: Numbers, scores: Scores) -> Iterator[tuple[tuple[str, ...], float]]:
        """Ranks whose tied entities are apart where training means one more often: by these names, then by any."""
        meant: dict[float, Counter[str]] = {}
        for name, score in zip(names.tolist(), scores.tolist(), strict=True):
            if name >= self._known and self._learned:
                span = slice(*self._learned["starts"][name - self._known : name - self._known + 2])
                for entity, count in zip(self._learned["members"][span], self._learned["counts"][span], strict=True):
                    meant.setdefault(score, Counter())[self._entities.id(entity)] += int(count)
        for ids, score in answer:
            by_these = meant.get(score, Counter())
            counts = {each: (by_these[each], self._meant[each]) for each in ids}
            for count in sorted(set(counts.values()), reverse=True):
                yield tuple(each for each in ids if counts[each] == count), score

    def _begin(self, kb: Kb, entities: NamedEntities, files: MappedFolder | None = None) -> None:
        """Go by these entities, of an index that is made or opened from `files`."""
        self._entities, self._current = entities, kb.current
        self._part = max(PART, -(-len(entities.texts) // PARTS))

    def _vectors(self, part: int) -> Floats:
        return self._encoder.encode(self._entities.texts[part * self._part : (part + 1) * self._part])

    def _search_of(self, rows: list[Floats]) -> Nearest | Approximate:
        return search_of(rows, self._search)

    def _opened_search(self, rows: list[Floats], files: MappedFolder) -> Nearest | Approximate:
        return opened_search(rows, files)

    def _search_with(self, learned: dict[str, NDArray[Any]]) -> Nearest | Approximate:
        """Over names and after them what was learned."""
        return self._nearest.with_further(learned["rows"])

    def _go_by(self, rows: list[Floats], nearest: Nearest | Approximate) -> None:
        self._rows, self._nearest = rows, nearest
        self._learned: dict[str, NDArray[Any]] = {}
        self._known = len(self._nearest)
        #: How often training mentions meant each entity.
        self._meant: Counter[str] = Counter()

    def _add(self, learned: dict[str, NDArray[Any]]) -> None:
        self._learned = learned
        self._entities = self._entities.with_further(learned["starts"], learned["members"])
        for entity, count in zip(learned["members"], learned["counts"], strict=True):
            self._meant[self._entities.id(entity)] += int(count)
        self._nearest = self._search_with(learned)

    def _questions(self, texts: Sequence[str]) -> Floats:
        """What is searched for."""
        return self._encoder.encode_each(texts)
