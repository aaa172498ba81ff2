"""Every parameter of the construction in one place, and its one source of chance: hashes of seed and content."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

from linkassay.errors import UsageError

#: Below this two terms may be similar without a single common pair of letters, and no index could find them.
LEAST_SIMILARITY = 2 / 3
_64_BITS = (1 << 64) - 1


@dataclass(frozen=True)
class Settings:
    """WIC-8 and WIC-11 to WIC-16; sizes and cap are the paper's. Sizes are upper bounds: a small corpus gives less."""

    seed: int = 42
    similarity: float = 0.75  # group D: the indel ratio must be over it
    test: int = 2_000
    dev: int = 1_000
    train: int = 0  # 0: whatever the other limits leave
    sentence_cap: int = 100  # pairs of train that a sentence may be in
    pair_cap: int = 20  # pairs of dev and train with the same two terms and entities
    test_share: float = 0.4  # at most this share of a group's term pairs goes to test ...
    dev_share: float = 0.2  # ... and this share of the rest, or of documents, to dev
    document_disjoint: bool = False

    def __post_init__(self) -> None:
        if not LEAST_SIMILARITY <= self.similarity < 1:
            raise UsageError(f"--similarity is from 0.6667 to below 1, not {self.similarity:g}")
        for name in ("test", "dev", "train"):
            if getattr(self, name) < 0:
                raise UsageError(f"--{name}-size cannot be negative: {getattr(self, name)}")
        for name in ("sentence_cap", "pair_cap"):
            if getattr(self, name) < 1:
                raise UsageError(f"--{name.replace('_', '-')} is at least 1, not {getattr(self, name)}")
        if not (0 < self.test_share < 1 and 0 < self.dev_share < 1 and self.test_share + self.dev_share < 1):
            raise UsageError("--test-share and --dev-share are above 0 and together below 1")


def draw(seed: int, *content: str) -> int:
    """A number from 0 to 2⁶⁴ - 1 by chance that depends on the seed and the content, and on nothing else.

    >>> draw(42, "a", "b") == draw(42, "a", "b"), draw(42, "a", "b") == draw(43, "a", "b"), draw(1, "ab") == draw(1, "a", "b")
    (True, False, False)
    """  # noqa: E501
    return int.from_bytes(_digest(str(seed), *content)[:8], "big")


def mixed(one: int, two: int) -> int:
    """A number by chance from two such, in this order; for very many pairs of few things, where a hash takes long.

    The finalizer of SplitMix64, which lets every bit of the input change half of the output.
    """
    value = (one + 0x9E3779B97F4A7C15 * two) & _64_BITS
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _64_BITS
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _64_BITS
    return value ^ value >> 31


def name_of(*content: str) -> str:
    """Twelve hexadecimal digits that stand for some content."""
    return _digest(*content).hex()[:12]


def _digest(*content: str) -> bytes:
    return blake2b("\x1f".join(content).encode("utf-8"), digest_size=8).digest()
