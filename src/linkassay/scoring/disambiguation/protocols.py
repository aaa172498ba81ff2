"""Protocols: which of several tied, composite or obsolete ids count as right (TIE-1, GOLD-1). Values, no arithmetic.

A protocol is a tie policy, a gold policy and a policy for obsolete predictions; the names by which the
literature knows them are presets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from linkassay.errors import UsageError
from linkassay.registry import ValueRegistry, near_miss
from linkassay.scoring.disambiguation.tie_policies import TIES

#: Gold policy → which ids must be found (GOLD-1 to GOLD-3).
GOLD = {
    "any": "any gold id",
    "all": "every id of one alternative, within the first k",
    "pairs": "each gold id is an item of its own",
}
_ALL_NEEDS = ("file-order", "sample", "any")

#: What becomes of a predicted id that the KB has removed (RANK-3). One that was merged is always replaced.
OBSOLETE = {"wrong": "it keeps its rank and is wrong", "exclude": "it is taken out, later ids move up"}

#: What becomes of a group all of whose ids came before (RANK-4). It matters to policies that count groups.
REPEATS = {
    "vanish": "later groups move up",
    "keep": "it keeps its rank: the ranking is one of names, several of which may name one entity (BioSyn)",
    "as-run": "`keep` where the run says that its ranks are of names, else `vanish`",
}

_STANDARD = {"ties": "expected", "gold": "any", "obsolete": "wrong", "repeats": "as-run", "seed": "0"}
POLICIES = tuple(_STANDARD)


@dataclass(frozen=True)
class Protocol:
    """A tie policy, a gold policy, and policies for obsolete and repeated ids.

    >>> Protocol.parse("belb/strict")
    Protocol(ties='single', gold='any', obsolete='wrong', repeats='as-run', seed=0, name='belb/strict')
    >>> str(Protocol.parse("any").with_options(gold="all")), str(Protocol("sample", seed=3))
    ('ties=any,gold=all', 'ties=sample,seed=3')
    >>> str(Protocol.parse("bioel/relaxed")), str(Protocol())
    ('protocol=bioel/relaxed', '')
    """

    ties: str = "expected"
    gold: str = "any"
    obsolete: str = "wrong"
    repeats: str = "as-run"
    seed: int = 0
    name: str = ""  # of the preset, as it was asked for

    def __post_init__(self) -> None:
        policies: dict[str, Mapping[str, object]] = {
            "ties": TIES,
            "gold": GOLD,
            "obsolete": OBSOLETE,
            "repeats": REPEATS,
        }
        for what, allowed in policies.items():
            value = getattr(self, what)
            if value not in allowed:
                raise UsageError(f"{what}={value!r} is no policy; {near_miss(value, list(allowed))}")
        if self.gold == "all" and self.ties not in _ALL_NEEDS:
            raise UsageError(f"gold=all asks for every id of one alternative; with ties={self.ties} that is not "
                             f"defined: use one of ties={', '.join(_ALL_NEEDS)}")  # fmt: skip

    @classmethod
    def parse(cls, name: str) -> Protocol:
        """A preset by its name, or a tie policy."""
        if not TIES.is_built_in(name) and name in PROTOCOLS:  # no plug-in takes the place of a tie policy
            return PROTOCOLS[name]
        if name in TIES:
            return cls(name)
        raise UsageError(f"unknown protocol {name!r}; {near_miss(name, [*PROTOCOLS, *TIES])}")

    def with_options(self, **options: str) -> Protocol:
        """The same with some policies replaced."""
        if not options:
            return self
        seed = options.pop("seed", str(self.seed))
        if not seed.isascii() or not seed.isdigit() or len(seed) > 18:
            raise UsageError(f"seed={seed[:30]!r}: expected a whole number of at most 18 digits, zero or more")
        return replace(self, name="", seed=int(seed), **options)

    def __str__(self) -> str:
        """As it stands in a measure: the preset's name, or the policies that are not the standard ones."""
        if self.name:
            return f"protocol={self.name}"
        return ",".join(f"{key}={getattr(self, key)}" for key in POLICIES if str(getattr(self, key)) != _STANDARD[key])


STANDARD = Protocol()

#: The names people know (PRESET-1, PRESET-2). BioEL's paper says random order within ties (`basic`); its code takes
#: file order.
PROTOCOLS: ValueRegistry[Protocol] = ValueRegistry(
    "protocol",
    {
        name: Protocol(ties, name=name)
        for name, ties in {
            "belb/standard": "one-per-group",
            "belb/strict": "single",
            "belb/lenient": "any",
            "bioel/basic": "expected",
            "bioel/basic-code": "file-order",
            "bioel/relaxed": "any",
            "bioel/strict": "all",
        }.items()
    },
    Protocol,
)
