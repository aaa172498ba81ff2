"""Word vectors: text files in the form of word2vec or GloVe, word2vec's binary form, or those that wordllama brings.

Only the words at hand are kept, so that a file of any size can be used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from linkassay.errors import DataError, UsageError
from linkassay.files import MAX_LINE, RawFile, one_file

Floats = NDArray[np.floating[Any]]

#: Texts → one vector each.
Vectors = Callable[[Sequence[str]], Floats]

_TOKEN = re.compile(r"\w+|[^\w\s]")
_HEADER = re.compile(r"([0-9]{1,12}) ([0-9]{1,6})\s*")


def tokens(text: str) -> list[str]:
    """Words and single signs.

    >>> tokens("IL-2 rose.")
    ['IL', '-', '2', 'rose', '.']
    """
    return _TOKEN.findall(text)


def averages(source: str, texts: Iterable[str]) -> Vectors:
    """A function that averages the vectors of a text's words; `texts` are all that it will be asked for.

    `source` is `wordllama`, or a file of vectors. A word is looked for as it is written, then lower-cased; a text
    without a known word is all 0.
    """
    if source == "wordllama":
        return _wordllama()
    words = {form for text in texts for token in tokens(text) for form in (token, token.lower())}
    file = one_file(source, "--vectors")
    known = read_vectors(file, words)
    if not known:
        raise UsageError(f"{source} has a vector for none of the words of the data: is it a file of word vectors?")
    width = len(next(iter(known.values())))

    def average(asked: Sequence[str]) -> Floats:
        rows = np.zeros((len(asked), width))
        for n, text in enumerate(asked):
            found = [v for t in tokens(text) if (v := known.get(t, known.get(t.lower()))) is not None]
            if found:
                rows[n] = np.mean(found, axis=0)
        return rows

    return average


def read_vectors(file: RawFile, words: set[str]) -> dict[str, Floats]:
    """The vectors of those `words` that the file has; the first of a word counts."""
    if file.name.endswith(".bin"):
        return _binary(file, words)
    found: dict[str, Floats] = {}
    width = 0
    for line, content in file.lines():
        if line == 1 and (header := _HEADER.fullmatch(content)):
            width = int(header[2])
            continue
        # Words may have spaces in them (GloVe 840B has such), so the numbers are counted from the end.
        cells = content.split()
        width = width or len(cells) - 1
        if width < 1 or len(cells) <= width:
            if not cells:
                continue
            raise DataError(f"expected a word and {max(1, width)} numbers, found {len(cells)} cells", file=file.name,
                            line=line)  # fmt: skip
        word = " ".join(cells[:-width])
        if word in words and word not in found:
            found[word] = _numbers(cells[-width:], file, line)
    return found


def _numbers(cells: list[str], file: RawFile, line: int) -> Floats:
    try:
        vector = np.array(cells, dtype=np.float64)
    except ValueError:
        vector = np.array([np.nan])
    if not np.isfinite(vector).all():
        raise DataError(f"expected {len(cells)} finite numbers after the word", file=file.name, line=line)
    return vector


def _binary(file: RawFile, words: set[str]) -> dict[str, Floats]:
    found: dict[str, Floats] = {}
    with file.open() as stream:
        header = _HEADER.fullmatch(stream.readline(100).decode("ascii", "replace"))
        if header is None or not 0 < int(header[2]) <= 100_000:
            raise DataError("expected the number of words and of dimensions in the first line", file=file.name)
        size = 4 * int(header[2])
        for _ in range(int(header[1])):
            word = _word(stream, file)
            content = stream.read(size)
            if len(content) < size:
                raise DataError("the file ends within a vector", file=file.name)
            if word in words and word not in found:
                found[word] = np.frombuffer(content, dtype="<f4").astype(np.float64)
    return found


def _word(stream: IO[bytes], file: RawFile) -> str:
    letters = bytearray()
    while (letter := stream.read(1)) not in (b" ", b""):
        letters += letter
        if len(letters) > min(MAX_LINE, 10_000):
            raise DataError("a word has no end: is it word2vec's binary form?", file=file.name)
    return letters.decode("utf-8", "replace").lstrip("\n")


def _wordllama() -> Vectors:
    try:
        import wordllama
    except ImportError:
        raise UsageError("--vectors wordllama needs a package: pip install wordllama") from None
    try:  # the package's own folder is given as the cache, where it does not look for its tokenizer otherwise
        model = wordllama.WordLlama.load(cache_dir=Path(wordllama.__file__).parent, disable_download=True)
    except OSError as error:
        raise UsageError(f"wordllama lacks its bundled vectors ({error}); give a file with --vectors") from error
    return lambda texts: np.asarray(model.embed(list(texts)), dtype=np.float64)
