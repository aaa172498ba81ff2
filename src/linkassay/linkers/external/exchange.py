"""How documents are told to an outside system, and how what it says is understood: one row for each exchange format.

Writing and reading are the work of `formats`; here answers are held to what was asked
(LINKER-10). Nothing is run or sent here.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from linkassay.corpora import Corpus, id_file, id_rules, read_id_file, with_corpus_types
from linkassay.errors import DataError, LinkassayError, UsageError
from linkassay.files import RawFile, from_bytes
from linkassay.formats import Reading
from linkassay.formats.documents import bioc, jsonl, nif, pubtator
from linkassay.formats.predictions import Claim, annotated_documents, misfit, native, services
from linkassay.ids import IdRule
from linkassay.kbs import Kb, id_prefix
from linkassay.linkers.protocol import Capabilities, FoundMention, OutOfOrderError
from linkassay.model import Document
from linkassay.problems import Problems
from linkassay.registry import near_miss
from linkassay.store import digest_and_size

#: No answer of an outside system is larger than this many bytes, unless somebody says otherwise.
MAX_OUTPUT = 1 << 28


class Exchange(NamedTuple):
    """A format in which outside systems are asked and answer.

    `write` makes the text that asks about some documents, `read` reads what is answered about these. With `whole` each
    document comes back, annotated or not. `alone`: one document a request; `pieces`: a mention may have several.
    """

    write: Callable[[Sequence[Document]], str]
    read: Callable[[RawFile, Reading, Sequence[Document]], Iterable[Claim]]
    suffix: str
    content: str
    accept: str
    whole: bool = False
    alone: bool = False
    pieces: bool = False
    mentions: bool = True  # whether mentions can be given


def _written(write: Callable[[Iterable[Document], Any], None]) -> Callable[[Sequence[Document]], str]:
    def text(documents: Sequence[Document]) -> str:
        out = io.StringIO()
        write(documents, out)
        return out.getvalue()

    return text


def _about_one(read: Callable[[RawFile, Reading, str], Iterator[Claim]]) -> Callable[..., Iterable[Claim]]:
    return lambda file, reading, documents: read(file, reading, documents[0].id)


def _spans(documents: Sequence[Document]) -> str:
    [document] = documents
    spans = [[m.start, m.end - m.start] for m in document.mentions]
    return json.dumps({"text": document.text, "spans": spans})


#: The formats of corpora go both ways; a line of `jsonl` is a document of ours in, a native prediction out.
EXCHANGES: dict[str, Exchange] = {
    "pubtator": Exchange(_written(pubtator.write), lambda f, r, d: annotated_documents.pubtator([f], r), ".txt",
                         "text/plain", "text/plain", whole=True),
    "bioc": Exchange(_written(bioc.write), lambda f, r, d: annotated_documents.bioc([f], r), ".xml",
                     "application/xml", "application/xml", whole=True, pieces=True),
    "jsonl": Exchange(_written(jsonl.write), lambda f, r, d: native.read_claims([f], r), ".jsonl",
                      "application/x-ndjson", "application/x-ndjson", pieces=True),
    "nif": Exchange(_written(nif.write), lambda f, r, d: annotated_documents.nif([f], r), ".ttl",
                    "application/x-turtle", "application/x-turtle", whole=True),
    "bern2": Exchange(lambda d: json.dumps({"text": d[0].text}), _about_one(services.bern2), ".json",
                      "application/json", "application/json", alone=True, mentions=False),
    "rel": Exchange(_spans, _about_one(services.rel), ".json", "application/json", "application/json", alone=True),
    "spotlight": Exchange(lambda d: urlencode({"text": d[0].text}), _about_one(services.spotlight), ".json",
                          "application/x-www-form-urlencoded", "application/json", alone=True, mentions=False),
}  # fmt: skip


@dataclass
class _Noting(Reading):
    """A reading that notes which documents it met."""

    met: dict[str, None] = field(default_factory=dict)

    def document(self, id: str, *arguments: Any, **options: Any) -> Document:
        self.met[id] = None
        return super().document(id, *arguments, **options)


class Outside:
    """What linkers by command and by HTTP share: documents out, verified marks in.

    `prefix` is that of ids without one, `ids` a file of the system's own ids (as in `import`), whose content
    `ids_sha256` names; an answer of more than `max_output` bytes is none. The linker that inherits this calls the
    system and says what it answered.
    """

    capabilities = Capabilities(annotates=True, wants_corpus=True, wants_folder=True, keeps_time=True, outside=True)
    #: Where temporary files belong; a run says so.
    folder: Path | None = None

    def __init__(
        self, exchange: str, prefix: str = "", ids: str = "", ids_sha256: str = "", max_output: int = MAX_OUTPUT
    ) -> None:
        if max_output < 1:
            raise UsageError(f"--max-output is a number of bytes, not {max_output}")
        self.max_output = max_output
        if exchange not in EXCHANGES:
            raise UsageError(f"unknown exchange {exchange!r}; {near_miss(exchange, list(EXCHANGES))}")
        self.exchange = EXCHANGES[exchange]
        self._name, self._prefix = exchange, prefix
        self._rules: dict[str, IdRule] = {"": IdRule(id_prefix(prefix))}
        self._corpus: Corpus | None = None
        self._table: dict[str, tuple[str, ...]] = {}
        self._ids = Path(ids) if ids else None
        if self._ids is not None:
            with id_file(self._ids).open() as stream:
                if ids_sha256 and digest_and_size(stream)["sha256"] != ids_sha256:
                    raise UsageError(f"{ids} is no longer the file that this run began with")

    def about(self, corpus: Corpus) -> None:
        """Ids and types are spelled as the corpus's, as in an import."""
        self._corpus = corpus
        own = self._prefix or corpus.manifest["kb"]
        if self._ids is not None:
            self._table = read_id_file(self._ids, self._name, id_prefix(own))
        self._rules = id_rules(corpus, self._name if self._ids is not None else id_prefix(self._prefix))

    def work_in(self, folder: Path) -> None:
        """What is temporary lies where the run is at work, so that the next one clears what a killed one left."""
        self.folder = folder

    def prepare(self, kb: Kb, train: Iterable[Document]) -> None:
        """Nothing: the system has been made ready elsewhere."""

    def shown(self, document: Document) -> Document | LinkassayError:
        """The document as the exchange can hold it: mentions of several pieces are left out where it cannot."""
        if document.annotations and not self.exchange.mentions:
            raise OutOfOrderError(f"a system that speaks {self._name} takes text only: leave out --give mentions")
        if not self.exchange.pieces:
            document = replace(document, annotations=tuple(m for m in document.annotations if len(m.spans) == 1))
        try:
            self.exchange.write([document])
        except LinkassayError as error:
            return error
        return document

    def understood(
        self, answer: bytes, documents: Sequence[Document], name: str
    ) -> list[list[FoundMention] | LinkassayError]:
        """What was said of each document, or what is wrong with it; an error if all of it makes no sense."""
        asked = {document.id: document for document in documents}
        reading = _Noting(self._rules, problems=Problems(skip=True, keep=10_000))
        said: Iterable[Claim] = self.exchange.read(from_bytes(name, answer), reading, documents)
        claims = list(with_corpus_types(said, self._corpus) if self._corpus else said)
        for unknown in (i for i in (*reading.met, *(c.prediction.document for c in claims)) if i not in asked):
            raise DataError(f"it answered about document {unknown!r}, which it was not asked about")
        marks: dict[str, list[FoundMention]] = {identifier: [] for identifier in asked}
        for claim in claims:
            if problem := misfit(claim, asked[claim.prediction.document].text):
                reading.problems.add(problem)
            else:
                marks[claim.prediction.document].append(self._mark(claim))
        bad: dict[str, list[str]] = {}
        for problem in reading.problems.examples:  # one that names no document may be of any
            for identifier in [problem.document] if problem.document in asked else asked:
                bad.setdefault(identifier, []).append(str(problem))
        silent = [i for i in asked if self.exchange.whole and i not in reading.met]
        errors = {i: f"{len(found)} of its annotations are bad; the first: {found[0]}" for i, found in bad.items()}
        errors |= dict.fromkeys(silent, "it gave back nothing for this document")
        return [DataError(errors[i]) if i in errors else marks[i] for i in asked]

    def _mark(self, claim: Claim) -> FoundMention:
        prediction = claim.prediction
        groups = [tuple(dict.fromkeys(n for i in g for n in self._table.get(i) or (i,))) for g in prediction.groups]
        scores = prediction.scores or [1.0 / rank for rank in range(1, len(groups) + 1)]
        return FoundMention(prediction.spans, list(zip(groups, scores, strict=True)), prediction.type, prediction.nil)
