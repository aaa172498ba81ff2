"""The loop of `fuzzy`: which names have the longest common subsequence with a text, for their length. Arrays in, out.

Written out in plain loops, as what NumPy offers would take Numba many seconds to compile.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from linkassay.linkers.compiled import with_room
from linkassay.machine_code import compiled, inner

Array: TypeAlias = Any  # of the types that the callers pass; Numba knows them better than mypy

#: Bits of a signature: each says that a name has a certain letter at least so many times.
BITS = 128
_TIMES = 8
#: Bounds are sorted into so many steps from 0 to 1.
_STEPS = 64
_ONE = np.uint64(1)


@compiled
def usage(letters: Array, starts: Array, alphabet: int) -> Array:
    """How many texts have each letter once, twice and so on at least."""
    found = np.zeros((alphabet, _TIMES), np.int64)
    times = np.zeros(alphabet, np.int64)
    for text in range(len(starts) - 1):
        for at in range(starts[text], starts[text + 1]):
            letter = letters[at]
            if times[letter] < _TIMES:
                found[letter, times[letter]] += 1
            times[letter] += 1
        for at in range(starts[text], starts[text + 1]):
            times[letters[at]] = 0
    return found


@compiled
def signatures(letters: Array, starts: Array, bits: Array) -> Array:
    """Two words for each text; `bits[letter, n]` is the bit of a letter's (n + 1)-th time, -1 for none."""
    found = np.zeros((len(starts) - 1, 2), np.uint64)
    times = np.zeros(len(bits), np.int64)
    for text in range(len(starts) - 1):
        for at in range(starts[text], starts[text + 1]):
            letter = letters[at]
            if times[letter] < bits.shape[1]:
                bit = bits[letter, times[letter]]
                if bit >= 0:
                    found[text, bit >> 6] |= _ONE << np.uint64(bit & 63)
            times[letter] += 1
        for at in range(starts[text], starts[text + 1]):
            times[letters[at]] = 0
    return found


@inner
def _ones(word: Any) -> Any:
    """How many bits are set (a compiler knows this for what it is)."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@inner
def _common(letters: Array, begin: int, end: int, masks: Array, words: int, state: Array) -> Any:
    """The length of the longest common subsequence, a bit for each letter of the text (Hyyrö 2004).

    `masks[letter]` has the bits of the places in the text where the letter is.
    """
    if words == 1:
        row = ~np.uint64(0)
        for at in range(begin, end):
            hit = row & masks[letters[at], 0]
            row = (row + hit) | (row - hit)
        return _ones(~row)
    for word in range(words):
        state[word] = ~np.uint64(0)
    for at in range(begin, end):
        carry = np.uint64(0)
        for word in range(words):
            row = state[word]
            hit = row & masks[letters[at], word]
            total = row + hit
            over = np.uint64(total < row)
            total += carry
            over |= np.uint64(total < carry)
            carry = over
            state[word] = total | (row - hit)
    length = 0
    for word in range(words):
        length += _ones(~state[word])
    return length


@compiled
def best(
    asked: Array, asked_starts: Array, top: int, letters: Array, starts: Array, by_length: Array, marks: Array,
    bits: Array, allowed: Array, following: Array,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """For each text all names at least as near as number `top`: where a text's begin, names, common letters; unsorted.

    Names come sorted by length, those of length n from `by_length[n]` on. A name's ratio is bounded by its length, then
    by the letters in common whatever their order. Names are compared from the highest bound down, until the next bound
    is below the ratio of number `top`; those of a length are bounded when the bound of that length is reached.
    Ratios are compared as fractions. Names that are not `allowed` are passed over. `following` is scratch, of the size
    of the names.
    """
    longest = len(by_length) - 2
    first = np.zeros(len(asked_starts), np.int64)
    names, commons, filled = np.empty(1024, np.int32), np.empty(1024, np.int32), 0
    heads = np.empty(_STEPS + 1, np.int64)
    upper, lower = np.empty(top, np.int64), np.empty(top, np.int64)  # the best ratios as fractions, descending
    times = np.zeros(len(bits), np.int64)
    for text in range(len(asked_starts) - 1):
        begin, size = asked_starts[text], asked_starts[text + 1] - asked_starts[text]
        words = max(1, (size + 63) // 64)
        masks, state = np.zeros((len(bits), words), np.uint64), np.zeros(words, np.uint64)
        mark_0, mark_1, extra = np.uint64(0), np.uint64(0), 0  # `extra`: letters that no bit speaks of
        for at in range(size):
            letter = asked[begin + at]
            masks[letter, at >> 6] |= _ONE << np.uint64(at & 63)
            bit = bits[letter, times[letter]] if times[letter] < bits.shape[1] else -1
            if letter == 0:  # in no name
                pass
            elif bit < 0:
                extra += 1
            elif bit < 64:
                mark_0 |= _ONE << np.uint64(bit)
            else:
                mark_1 |= _ONE << np.uint64(bit - 64)
            times[letter] += 1
        for at in range(size):
            times[asked[begin + at]] = 0
        for step in range(_STEPS + 1):
            heads[step] = -1
        for at in range(top):
            upper[at], lower[at] = 0, 1

        shorter, longer = min(size, longest), size + 1  # the next lengths to be bounded, down and up
        for step in range(_STEPS, -1, -1):
            if size == 0 or upper[top - 1] * _STEPS >= (step + 1) * lower[top - 1]:
                break
            while True:
                if shorter > 0 and 2 * shorter * _STEPS >= step * (shorter + size):
                    length, shorter = shorter, shorter - 1
                elif longer <= longest and 2 * size * _STEPS >= step * (longer + size):
                    length, longer = longer, longer + 1
                else:
                    break
                for name in range(by_length[length], by_length[length + 1]):
                    if not allowed[name]:
                        continue
                    bound = _ones(marks[name, 0] & mark_0) + _ones(marks[name, 1] & mark_1) + extra
                    into = 2 * min(bound, length, size) * _STEPS // (length + size)
                    following[name] = heads[into]
                    heads[into] = name
            name = heads[step]
            while name >= 0:
                length = starts[name + 1] - starts[name]
                common = _common(letters, starts[name], starts[name + 1], masks, words, state)
                total = length + size
                if common > 0 and 2 * common * lower[top - 1] >= upper[top - 1] * total:
                    if filled == len(names):
                        names, commons = with_room(names), with_room(commons)
                    names[filled], commons[filled] = name, common
                    filled += 1
                    at = top - 1
                    if 2 * common * lower[at] > upper[at] * total:
                        while at > 0 and 2 * common * lower[at - 1] > upper[at - 1] * total:
                            upper[at], lower[at] = upper[at - 1], lower[at - 1]
                            at -= 1
                        upper[at], lower[at] = 2 * common, total
                name = following[name]
        kept = first[text]
        for at in range(first[text], filled):
            total = size + starts[names[at] + 1] - starts[names[at]]
            if 2 * commons[at] * lower[top - 1] >= upper[top - 1] * total:
                names[kept], commons[kept] = names[at], commons[at]
                kept += 1
        filled = first[text + 1] = kept
    return first, names[:filled], commons[:filled]
