"""The loops of `ngram_index`: reading 3-grams, inverting the index, and the search itself. Arrays in, arrays out.

Written out in plain loops, as what NumPy offers would take Numba many seconds to compile.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from linkassay.linkers.compiled import with_room
from linkassay.machine_code import compiled, inner

Array: TypeAlias = Any  # of the types that the callers pass; Numba knows them better than mypy

#: More than what rounding may take from a bound.
_SLACK = 1e-5
#: Scores looked through at once for one that is high enough.
_CHUNK = 64
#: Frequent 3-grams are left out if they can give this share of the floor at most; more leave more names to score.
_SURE = 0.25
#: Entries of the index that give the first floor.
_FIRST_LOOK = 4_000


@inner
def _place(table: Array, gram: int) -> Any:
    """Where a 3-gram is in the hash table, or the free place where it would be."""
    mask = np.uint64(len(table) - 1)
    place = (np.uint64(gram) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40) & mask
    while table[place, 0] != -1 and table[place, 0] != gram:
        place = (place + np.uint64(1)) & mask
    return place


@inner
def _gram(points: Array, begin: int, end: int, at: int) -> Any:
    """The 3-gram number `at` of a text as one number, with two spaces before the text and one after."""
    gram = np.int64(0)
    for place in range(begin + at - 2, begin + at + 1):
        gram = gram << 21 | (np.int64(points[place]) if begin <= place < end else np.int64(32))
    return gram


@compiled
def gram_number(table: Array, points: Array) -> Any:
    """The number of a 3-gram, given as three letters; -1 if no name has it."""
    return table[_place(table, points[0] << 42 | points[1] << 21 | points[2]), 1]


@inner
def _insert_number(values: Array, begin: int, end: int, value: int) -> None:
    """Into ascending numbers, with room for one more at their end."""
    low, to, one = np.uint64(begin), np.uint64(end), np.uint64(1)  # signed ones would allow for counting from the end
    while to > low and values[to - one] > value:
        values[to] = values[to - one]
        to -= one
    values[to] = value


@inner
def _decoded(letters: Array, at: int) -> tuple[Any, int]:
    """The code point that begins at a byte of UTF-8, and how many bytes it has."""
    first = np.int64(letters[at])
    if first < 0x80:
        return first, 1
    if first < 0xE0:
        return (first & 0x1F) << 6 | letters[at + 1] & 0x3F, 2
    if first < 0xF0:
        return (first & 0x0F) << 12 | np.int64(letters[at + 1] & 0x3F) << 6 | letters[at + 2] & 0x3F, 3
    point = (first & 0x07) << 18 | np.int64(letters[at + 1] & 0x3F) << 12 | np.int64(letters[at + 2] & 0x3F) << 6
    return point | letters[at + 3] & 0x3F, 4


@inner
def _numbered(table: Array, gram: Any, known: int) -> Any:
    """The number of a 3-gram, the next one if it is new."""
    place = _place(table, gram)
    if table[place, 0] == -1:
        table[place, 0], table[place, 1] = gram, known
    return table[place, 1]


@inner
def _with_space(table: Array) -> Array:
    """The same hash table, twice as large."""
    larger = np.full((2 * len(table), 2), -1, np.int64)
    for old in range(len(table)):
        if table[old, 0] != -1:
            place = _place(larger, table[old, 0])
            larger[place, 0], larger[place, 1] = table[old, 0], table[old, 1]
    return larger


@compiled
def read(letters: Array, starts: Array) -> tuple[Array, Array, Array]:
    """Of names in UTF-8: a hash table from 3-grams to numbers; where each name's begin; these, ascending.

    A name has one more of them than it has letters.
    """
    table = np.full((1 << 12, 2), -1, np.int64)
    known = filled = 0
    begins = np.empty(len(starts), np.int64)
    for at in range(len(letters)):
        filled += letters[at] & 0xC0 != 0x80
    grams = np.empty(filled + len(starts) - 1, np.int32)
    filled = 0
    for name in range(len(starts) - 1):
        begins[name] = filled
        at, gram = starts[name], np.int64(32) << 21 | np.int64(32)
        while at <= starts[name + 1]:
            point, length = _decoded(letters, at) if at < starts[name + 1] else (np.int64(32), 1)
            gram = (gram << 21 | point) & 0x7FFFFFFFFFFFFFFF
            number = _numbered(table, gram, known)
            _insert_number(grams, begins[name], filled, number)
            if number == known:
                known += 1
                if 2 * known > len(table):
                    table = _with_space(table)
            filled += 1
            at += length
    begins[len(starts) - 1] = filled
    return table, begins, grams


@compiled
def spread(begins: Array, grams: Array, known: int) -> tuple[Array, Array]:
    """In how many names each 3-gram is, and where its list begins if names are in it as often as they have it."""
    times, lists = np.zeros(known, np.int64), np.zeros(known + 1, np.int64)
    for name in range(len(begins) - 1):
        for at in range(begins[name], begins[name + 1]):
            lists[grams[at] + 1] += 1
            if at == begins[name] or grams[at] != grams[at - 1]:
                times[grams[at]] += 1
    for gram in range(known):
        lists[gram + 1] += lists[gram]
    return times, lists


@compiled
def lengths(begins: Array, grams: Array, idf: Array) -> tuple[Array, Array]:
    """The length of each name's vector, and how often it has the 3-gram that it has most often."""
    norms, most = np.empty(len(begins) - 1, np.float64), np.empty(len(begins) - 1, np.int32)
    for name in range(len(norms)):
        total, highest, times = 0.0, 0, 0
        for at in range(begins[name], begins[name + 1]):
            times = times + 1 if at > begins[name] and grams[at] == grams[at - 1] else 1
            total += (2 * times - 1) * idf[grams[at]] ** 2  # the sum of odd numbers is a square
            highest = max(highest, times)
        norms[name], most[name] = np.sqrt(total), highest
    return norms, most


@compiled
def moved(begins: Array, grams: Array, order: Array) -> tuple[Array, Array]:
    """The names in a new order: where their 3-grams begin, and these."""
    moved_begins, moved_grams = np.empty_like(begins), np.empty_like(grams)
    filled = 0
    for place in range(len(order)):
        moved_begins[place] = filled
        for at in range(begins[order[place]], begins[order[place] + 1]):
            moved_grams[filled] = grams[at]
            filled += 1
    moved_begins[len(order)] = filled
    return moved_begins, moved_grams


@compiled
def inverted(begins: Array, grams: Array, lists: Array) -> Array:
    """For each 3-gram the names, as often as they have it; `lists` says where those of each begin."""
    names, ends = np.empty_like(grams), lists.copy()
    for name in range(len(begins) - 1):
        for at in range(begins[name], begins[name + 1]):
            names[ends[grams[at]]] = name
            ends[grams[at]] += 1
    return names


@inner
def _full(name: int, begins: Array, grams: Array, norms: Array, query: Array) -> Any:
    """The cosine in double precision, summed in the order of the 3-grams; rounded, so that equal ones tie."""
    total = 0.0
    for at in range(begins[name], begins[name + 1]):
        total += query[grams[at]]
    return np.rint(total / norms[name] * 1e6) / 1e6


@inner
def _insert(best: Array, labels: Array, score: float, label: int) -> None:
    """Into the best scores, descending, no two of them equal or of the same label."""
    last = len(best) - 1
    for at in range(len(best)):
        if labels[at] == label or best[at] == score:
            if best[at] >= score:
                return
            last = at
            break
    while last > 0 and best[last - 1] < score:
        best[last], labels[last] = best[last - 1], labels[last - 1]
        last -= 1
    best[last], labels[last] = score, label


@inner
def _vector(
    points: Array, begin: int, end: int, size: int, table: Array, idf: Array, lists: Array, query: Array
) -> tuple[Array, Array]:
    """The known 3-grams of a text, rarest first, and their weights; unknown ones count in the text's length.

    `query` becomes what each 3-gram of a name adds to its product with the text, but for the name's length.
    """
    own = np.empty(end - begin + 1, np.int64)
    odd = np.empty(end - begin + 1, np.int64)
    found, strange, length = 0, 0, 0.0
    for at in range(end - begin + 1):
        gram = _gram(points, begin, end, at)
        place = _place(table, gram)
        number = table[place, 1]
        if number == -1:
            times = 1
            for before in range(strange):
                times += 2 * (odd[before] == gram)
            odd[strange] = gram
            strange += 1
            length += times * (np.log(1.0 + size) + 1) ** 2
        else:
            if query[number] == 0:
                _insert_number(own, 0, found, (lists[number + 1] - lists[number]) << 32 | number)
                found += 1
            query[number] += idf[number]
    for at in range(found):
        own[at] &= 0xFFFFFFFF
        length += query[own[at]] ** 2
    mass = np.empty(found, np.float64)
    for at in range(found):
        mass[at] = query[own[at]] / np.sqrt(length)
        query[own[at]] = mass[at] * idf[own[at]]
    return own[:found], mass


@inner
def _offer(
    name: int, begins: Array, grams: Array, norms: Array, order: Array, labels: Array, query: Array, best: Array,
    best_labels: Array,
) -> Any:  # fmt: skip
    """A name's full score, which may raise the floor."""
    score = _full(name, begins, grams, norms, query)
    if score > best[len(best) - 1]:
        _insert(best, best_labels, score, labels[order[name]])
    return score


@inner
def _after(names: Array, at: int, end: int, name: int) -> int:
    """Where the first entry is that is not before a name."""
    while at < end:
        middle = (at + end) >> 1
        if names[middle] < name:
            at = middle + 1
        else:
            end = middle
    return at


@inner
def _look(names: Array, at: int, end: int, base: int, limit: int, part: int, partial: Array) -> Any:
    """Add a 3-gram's part to the scores of a block's names that have it; where the entries after these begin."""
    here, stop = np.uint64(at), np.uint64(end)  # with signed ones each access would allow for counting from the end
    lowest, past = np.int32(base), np.int32(limit)
    while here < stop:
        name = names[here]
        if name >= past:
            break
        partial[np.uint64(np.uint32(name - lowest))] += part
        here += np.uint64(1)
    return np.int64(here)


@inner
def _promising(partial: Array, begin: int, enough: Any) -> Any:
    """Whether one of the scores from `begin` on is high enough; without a way out, so that many are seen at once."""
    some = 0
    for at in range(_CHUNK):
        some |= partial[np.uint64(begin) + np.uint64(at)] >= enough
    return some


@inner
def _seeds(
    own: Array, parts: Array, norms: Array, blocks: Array, shortest: Array, lists: Array, names: Array, allowed: Array,
    partial: Array, seeds: Array,
) -> int:  # fmt: skip
    """The names that are nearest by the rarest 3-grams alone, into `seeds`; how many."""
    used = looked = 0
    while used < len(own) and looked < _FIRST_LOOK:
        looked += lists[own[used] + 1] - lists[own[used]]
        used += 1
    cursors, ends = np.empty(used, np.int64), np.empty(used, np.int64)
    for n in range(used):
        cursors[n] = lists[own[n]]
    held, least, scores = 0, 0, np.zeros(len(seeds), np.float64)
    for block in range(len(blocks) - 1):
        base = blocks[block]
        for n in range(used):
            ends[n] = _look(names, cursors[n], lists[own[n] + 1], base, blocks[block + 1], parts[n], partial)
        enough = scores[least] * shortest[block]
        for n in range(used):
            for at in range(cursors[n], ends[n]):
                name = names[at]
                part = partial[name - base]
                partial[name - base] = 0
                if part <= enough or not allowed[name] or part / norms[name] <= scores[least]:
                    continue
                to = held if held < len(seeds) else least
                seeds[to], scores[to] = name, part / norms[name]
                held = max(held, to + 1)
                for other in range(len(seeds)):
                    least = other if scores[other] < scores[least] else least
                enough = scores[least] * shortest[block]
            cursors[n] = ends[n]
    return held


@compiled
def nearest(
    points: Array, starts: Array, top: int, size: int, table: Array, idf: Array, begins: Array, grams: Array,
    norms: Array, order: Array, blocks: Array, evened: Array, shortest: Array, scale: float, lists: Array,
    names: Array, allowed: Array, labels: Array, query: Array, partial: Array,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """For each text all names that reach a floor, and their cosines: where a text's begin, names, scores; unsorted.

    The floor is the score that is number `top` of the different ones of names with different labels. Those that
    the rarest 3-grams find give a first floor. Then all names are gone through in blocks, rare 3-grams first: frequent
    ones are left out if they can give a name but a share of the floor, and the few names that may still reach it are
    scored in full. What a block's names share with the text is summed up in whole numbers, `scale` times as large and
    rounded up. `query` and `partial` are scratch, all zero before and after.
    """
    first = np.zeros(len(starts), np.int64)
    winners, scores, filled = np.empty(1024, np.int32), np.empty(1024, np.float64), 0
    best, best_labels = np.empty(top, np.float64), np.empty(top, np.int32)
    seeds = np.empty(4 * top, np.int32)
    for text in range(len(starts) - 1):
        own, mass = _vector(points, starts[text], starts[text + 1], size, table, idf, lists, query)
        found = len(own)
        rest = np.zeros(found + 1, np.float64)  # how long the text is without its first 3-grams
        once = np.zeros(found + 1, np.float64)  # its product with a name that has each of the others once, unscaled
        parts, cursors = np.empty(found, np.int32), np.empty(found, np.int64)
        for at in range(found - 1, -1, -1):
            rest[at] = np.sqrt(rest[at + 1] ** 2 + mass[at] ** 2)
            once[at] = once[at + 1] + query[own[at]]
            parts[at], cursors[at] = np.int32(query[own[at]] * scale) + 1, lists[own[at]]
        for at in range(top):
            best[at], best_labels[at] = -1.0, -1
        for at in range(_seeds(own, parts, norms, blocks, shortest, lists, names, allowed, partial, seeds)):
            _offer(seeds[at], begins, grams, norms, order, labels, query, best, best_labels)

        for block in range(len(blocks) - 1):
            base, limit = blocks[block], blocks[block + 1]
            floor = best[top - 1] - _SLACK
            if floor * evened[block] > once[0]:
                continue
            used = 0
            while used < found and min(rest[used], once[used] / evened[block]) > _SURE * floor:
                at, end = cursors[used], lists[own[used] + 1]
                if at < end and names[at] < base:  # left out before
                    at = _after(names, at, end, base)
                cursors[used] = _look(names, at, end, base, limit, parts[used], partial)
                used += 1
            share = (floor - min(rest[used], once[used] / evened[block])) * scale
            enough = np.int32(max(share * shortest[block], 1.0))
            for begin in range(0, limit - base, _CHUNK):
                if not _promising(partial, begin, enough):
                    continue
                for name in range(base + begin, min(base + begin + _CHUNK, limit)):
                    part = partial[name - base]
                    if part < enough or part < share * norms[name] or not allowed[name]:
                        continue
                    full = _offer(name, begins, grams, norms, order, labels, query, best, best_labels)
                    if full >= best[top - 1] and full > 0:
                        if filled == len(winners):
                            winners, scores = with_room(winners), with_room(scores)
                        winners[filled], scores[filled] = order[name], full
                        filled += 1
            for at in range(limit - base):
                partial[at] = 0
        kept = first[text]
        for at in range(first[text], filled):
            if scores[at] >= best[top - 1]:
                winners[kept], scores[kept] = winners[at], scores[at]
                kept += 1
        filled = first[text + 1] = kept
        for at in range(found):
            query[own[at]] = 0
    return first, winners[:filled], scores[:filled]
