"""What a pipeline is made of, read from its options (COMP-1). Nothing is made here."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

from linkassay.errors import UsageError
from linkassay.linkers.from_file import load_linker
from linkassay.linkers.protocol import Capabilities, capabilities_of, capable_with

#: The linker that is put together.
PIPELINE = "pipeline"
#: Generators by what they go by, beside the linkers that link by their own names.
ALIASES = {"dense": "sapbert"}
#: What it takes of its options for itself; all others are its parts'.
OWN = ("candidates", "rerank", "spot", "fusion", "pool", "spot_sha256", "spot_place")
#: Where mentions may come from beside linkers that find them: another run, a token classifier.
OF_RUN, OF_CLASSIFIER = "run", "ner"
FUSIONS = ("rrf", "learned")
#: Candidates that are looked at, of each generator and of all together.
POOL = 50
#: What `candidates` are where nothing is said.
USUAL = "tfidf"


class Component(NamedTuple):
    """A part that is a linker: what it does (`spot`, `candidates` or `rerank`), and what it is made with."""

    role: str
    linker: str
    options: Mapping[str, Any]

    @property
    def capabilities(self) -> Capabilities:
        """What it can do, made with its options."""
        return capable_with(load_linker(self.linker), self.linker, self.options)


def read_components(options: Mapping[str, Any]) -> list[Component]:
    """The parts of a pipeline of these options; an error if there is none of such a name, or one cannot do its part.

    >>> [each[:2] for each in read_components({"candidates": "tfidf+exact", "rerank": "house"})]
    [('candidates', 'tfidf'), ('candidates', 'exact'), ('rerank', 'house')]
    """
    said = {name: options.get(name, usual) for name, usual in (("candidates", USUAL), ("rerank", ""), ("spot", ""))}
    if wrong := [name for name, value in said.items() if not isinstance(value, str)]:
        raise UsageError(f"{wrong[0]} of a pipeline is a text, not {said[wrong[0]]!r}")
    named = [("candidates", ALIASES.get(name.strip(), name.strip())) for name in said["candidates"].split("+")]
    if said["spot"] and not spot_of(said["spot"])[0]:
        named.insert(0, ("spot", said["spot"]))
    if said["rerank"] not in ("", "none"):
        named.append(("rerank", said["rerank"]))
    if twice := {each for each in named if named.count(each) > 1}:
        raise UsageError(f"{sorted(twice)[0][1]!r} stands twice among the candidates of a pipeline")
    given = {name: value for name, value in options.items() if name not in OWN}
    found = [_component(role, name, given) for role, name in named]
    if left := given.keys() - {name for each in found for name in each.options}:
        raise UsageError(f"{sorted(left)[0]!r} is an option neither of a pipeline ({', '.join(OWN[:5])}) nor of its "
                         f"parts ({', '.join(name for _, name in named)})")  # fmt: skip
    return found


def spot_of(spot: str) -> tuple[str, str]:
    """Where mentions come from that no linker finds: kind and name; ("", "") of a linker.

    >>> spot_of("run:mini/spotter"), spot_of("ner:my-model"), spot_of("spotter")
    (('run', 'mini/spotter'), ('ner', 'my-model'), ('', ''))
    """
    kind, colon, name = spot.partition(":")
    return (kind, name) if colon and kind in (OF_RUN, OF_CLASSIFIER) else ("", "")


_ABLE = {"spot": "annotates", "candidates": "links", "rerank": "reranks"}
_LIKE = {"spot": "spotter, capitals, run:CORPUS/SYSTEM or ner:MODEL", "candidates": "tfidf or dense", "rerank": "house"}


def _component(role: str, name: str, given: Mapping[str, Any]) -> Component:
    linker = load_linker(name)
    able = capabilities_of(linker, name)
    if not getattr(able, _ABLE[role]) or able.outside or able.composed:
        raise UsageError(f"linker {name!r} cannot be {role} of a pipeline; such as can: {_LIKE[role]}")
    known = inspect.signature(linker).parameters
    return Component(role, name, {option: value for option, value in given.items() if option in known})
