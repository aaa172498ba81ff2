"""What a page does with what is embedded in it, in plain Python and one by one: a reference for views and scripts.

Filters go by `mentionFilter` and `passes` of the page's script, letter for letter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from linkassay.explorer.annotations import FLAGS
from linkassay.explorer.trees import mention_tree

PAIRED: dict[str, Callable[[int, int], bool]] = {
    "ahead": lambda a, b: a > b, "differ": lambda a, b: a != b, "both": lambda a, b: a > 0 and b > 0,
    "either": lambda a, b: a > 0 or b > 0, "neither": lambda a, b: a < 2 and b < 2,
}  # fmt: skip
WORTH = {"r": 2, "p": 1, "w": 0, "n": 0}
CLASSES = {"r": "right", "p": "partly", "w": "wrong", "n": "none", "x": "none"}
IDS = 12


def clip(text: str, longest: int) -> str:
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


class Texts:
    """The pieces of a document's text that the page holds."""

    def __init__(self, flat: Sequence[Any]) -> None:
        self.pieces = list(zip(flat[::2], flat[1::2], strict=True))

    def cut(self, begin: int, end: int) -> str:
        for offset, text in self.pieces:
            if offset <= begin and end <= offset + len(text):
                return str(text[begin - offset : end - offset])
        raise AssertionError((begin, end))


class PlacesReader:
    """Places of mentions or cases."""

    def __init__(self, places: Any, texts: list[Texts]) -> None:
        self.p, self.texts = places, texts
        counts = places["pieces"] if places["pieces"] is not None else [1] * len(places["document"])
        self.begin = [0]
        for count in counts:
            self.begin.append(self.begin[-1] + count)

    def __len__(self) -> int:
        return len(self.p["document"])

    def spans(self, row: int) -> list[list[int]]:
        here = range(self.begin[row], self.begin[row + 1])
        return [[self.p["start"][n], self.p["end"][n]] for n in here]

    def text(self, row: int) -> str:
        if str(row) in self.p["text"]:
            return str(self.p["text"][str(row)])
        text = self.texts[self.p["document"][row]]
        return " ".join(text.cut(*span) for span in self.spans(row)) if text.pieces else ""

    def context(self, row: int) -> list[list[Any]]:
        before, after = self.p["before"][row], self.p["after"][row]
        if before < 0:
            return [[clip(self.text(row), 320), True]] if self.text(row) else []
        text, spans = self.texts[self.p["document"][row]], self.spans(row)
        cut = self.p["cut"][row] if self.p["cut"] is not None else 0
        first, last = spans[0][0], max(end for _, end in spans)
        found: list[list[Any]] = [[("…" if cut & 1 else "") + text.cut(first - before, first), False]]
        at = first
        for start, end in spans:
            if start > at:
                found.append([clip(text.cut(at, start), 320), False])
            found.append([clip(text.cut(start, end), 320), True])
            at = end
        found.append([text.cut(last, last + after) + ("…" if cut & 2 else ""), False])
        return [piece for piece in found if piece[0]]


class AnswersReader:
    """The answers of a system."""

    def __init__(self, answers: Any) -> None:
        self.a = answers
        rows = len(answers["outcome"])
        groups = answers["groups"] if answers["groups"] is not None else [answers["most"]] * rows
        self.group = [0]
        for count in groups:
            self.group.append(self.group[-1] + count)
        self.sizes = answers["sizes"] if answers["sizes"] is not None else [1] * self.group[-1]
        self.id = [0]
        for size in self.sizes:
            self.id.append(self.id[-1] + min(size, IDS))

    def groups(self, row: int, gold: set[int]) -> list[dict[str, Any]]:
        found, rank = [], 1
        ranks = self.a["ranks"].get(str(row))
        for n in range(self.group[row], self.group[row + 1]):
            ids = self.a["ids"][self.id[n] : self.id[n + 1]]
            found.append({
                "rank": ranks[n - self.group[row]] if ranks else rank, "size": self.sizes[n],
                "score": self.a["scores"][n] if self.a["scores"] is not None else None, "ids": ids,
                "right": sum(each in gold for each in ids),
            })  # fmt: skip
            rank += self.sizes[n]
        return found


class Reader:
    """The answers to all requests about one cohort, made of what a page holds."""

    def __init__(self, embedded: Any) -> None:
        self.e, self.about = embedded, embedded["cohort"]
        self.texts = [Texts(flat) for flat in embedded["documents"]["pieces"]]
        self.m = embedded["mentions"]
        self.places = PlacesReader(self.m["places"], self.texts)
        self.answers = [AnswersReader(each) for each in embedded["answers"]]
        self.case_places = [PlacesReader(each["places"], self.texts) for each in embedded["cases"]]
        self.roots = [row for row in range(len(self.places)) if self.m["combination"][row] >= 0]
        children: dict[int, list[int]] = {}
        if embedded["hierarchy"]:
            for child, parent in zip(embedded["hierarchy"]["child"], embedded["hierarchy"]["parent"], strict=True):
                children.setdefault(child, []).append(parent)
            self.above: dict[int, list[int]] = children | {n: [] for n in embedded["hierarchy"]["roots"]}

    # ---- mentions

    def mention_id(self, row: int) -> str:
        if self.m["id"][row] != 0:
            return str(self.m["id"][row])
        spans = ",".join(f"{start}-{end}" for start, end in self.places.spans(row))
        return f"{self.document_of(self.places, row)}:{spans}:{self.type(row)}"

    def document_of(self, places: PlacesReader, row: int) -> str:
        return str(self.e["documents"]["id"][places.p["document"][row]])

    def type(self, row: int) -> str:
        return str(self.m["types"][self.m["type"][row]])

    def slices(self, bits: int) -> list[str]:
        return [name for bit, name in enumerate(self.about["slices"]) if bits >> bit & 1]

    def mention_filter(self, state: dict[str, str]) -> Callable[[int, int, str], bool]:
        about = self.about
        width, systems = about["width"], about["systems"]

        def at(value: str) -> int:
            return systems.index(value[1:]) if value.startswith("=") and value[1:] in systems else -1

        system, against = at(state["system"]), at(state["against"])
        typed = [state["type"][1:] in types.split("|") for types in about["types"]]
        slice_ = about["slices"].index(state["slice"]) if state["slice"] in about["slices"] else -1
        set_ = about["sets"].index(state["set"]) + len(about["slices"]) if state["set"] in about["sets"] else -1
        unknown = (
            (state["system"].startswith("=") and system < 0)
            or (state["type"] != "any" and not any(typed))
            or (state["slice"] != "any" and slice_ < 0)
            or (state["set"] != "any" and set_ < 0)
        )
        there = [any(self._at(number, state) for number in numbers) for numbers in about["places"]]

        def passes(codes: str, index: int) -> bool:
            verdict, stage = codes[width * index], codes[width * index + 1]
            outcome = state["outcome"]
            if verdict == "x":
                return False
            if outcome in PAIRED:
                other = codes[width * against] if against >= 0 else "x"
                return other != "x" and PAIRED[outcome](WORTH[verdict], WORTH[other])
            if outcome in about["mismatches"]:
                return there[int(codes[width * index + 2 : width * (index + 1)], 36)]
            return {
                "any": True, "missed": verdict != "r", "answered": verdict != "n", "credited": verdict in "rp",
                "generation": stage in "gb", "disambiguation": stage in "db",
            }.get(outcome, CLASSES[verdict] == outcome)  # fmt: skip

        def kept(type_: int, slices: int, codes: str) -> bool:
            if unknown or (state["type"] != "any" and not typed[type_]):
                return False
            if any(bit >= 0 and not slices >> bit & 1 for bit in (slice_, set_)):
                return False
            each = range(len(systems))
            if state["outcome"] == "left":
                return all(codes[width * index] == "x" for index in each)
            if system >= 0:
                return passes(codes, system)
            return (all if state["system"] == "every" else any)(passes(codes, index) for index in each)

        return kept

    def _at(self, number: int, state: dict[str, str]) -> bool:
        about = self.about
        length = len(about["locations"])
        cells = len(about["distances"]) * length
        kind = list(about["mismatches"])[number // cells]
        distance, location = about["distances"][number % cells // length], about["locations"][number % length]
        return (
            (kind == state["outcome"] or (kind == "virtual root" and state["outcome"] == "orthogonal"))
            and state["distance"] in ("any", distance)
            and state["location"] in ("any", location)
        )

    def mentions(self, **asked: Any) -> dict[str, Any]:
        filters = ("system", "outcome", "against", "type", "slice", "distance", "location", "set")
        state = dict.fromkeys(filters, "any") | asked
        kept = self.mention_filter(state)
        find, document, sort = asked.get("find", "").lower(), asked.get("document", ""), asked.get("sort", "")
        offset, limit = asked.get("offset", 0), asked.get("limit", 100)
        rows = [row for row in self.roots if kept(*self.e["combinations"][self.m["combination"][row]][:3])]
        if document:
            rows = [row for row in rows if self.document_of(self.places, row) == document]
        if find:
            rows = [row for row in rows if any(find in part.lower() for part in self._searched(row))]
        total = len(rows)
        if not find and not document:
            total = sum(n for *kind, n in self.e["combinations"] if kept(*kind))
        rows = self._sorted(rows, sort, {
            "text": lambda row: self.places.text(row).lower(), "type": self.type,
            "document": lambda row: self.document_of(self.places, row), "rank": self._rank,
        })  # fmt: skip
        left, sizes = asked.get("outcome") == "left", self.about["sizes"]
        scored = [row for row in self.roots if not self._is_left(row)]
        return {
            "total": total, "all": sizes["scored"] + (sizes["left"] if left else 0),
            "held": len(self.roots) if left else len(scored), "offset": offset,
            "rows": [self._row(row) for row in rows[offset : offset + limit]],
        }  # fmt: skip

    def _is_left(self, row: int) -> bool:
        return set(self.e["combinations"][self.m["combination"][row]][2][:: self.about["width"]]) == {"x"}

    def _rank(self, row: int) -> tuple[int, int]:
        worst = self.m["worst"][row]
        return (2, 0) if worst == -2 else (0, 0) if worst == -1 else (1, -worst)

    def _sorted(self, rows: list[int], sort: str, keys: dict[str, Callable[[int], Any]]) -> list[int]:
        if name := sort.removeprefix("-"):
            rows = sorted(rows, key=keys[name])
        return rows[::-1] if sort.startswith("-") else rows

    def _searched(self, row: int) -> list[str]:
        ids = [number for each in self.e["golds"][self.m["gold"][row]][0] for number in each]
        return [
            self.places.text(row), self.mention_id(row), self.document_of(self.places, row),
            *self._words(ids),
        ]  # fmt: skip

    def _words(self, ids: Sequence[int]) -> list[str]:
        return [word for n in ids for word in (self.e["ids"][n], self.e["names"][n]) if word]

    def _row(self, row: int) -> dict[str, Any]:
        _, slices, codes, _ = self.e["combinations"][self.m["combination"][row]]
        return {
            "id": self.mention_id(row), "document": self.document_of(self.places, row),
            "text": clip(self.places.text(row), 120), "type": self.type(row), "slices": self.slices(slices),
            "codes": codes, "section": self.e["sections"][self.m["section"][row]],
        }  # fmt: skip

    def mention(self, id_: str) -> dict[str, Any]:
        (row,) = (row for row in self.roots if self.mention_id(row) == id_)
        gold, changed = self.e["golds"][self.m["gold"][row]]
        answers = [self.answer(at, row) for at in range(len(self.answers))]
        wrong = {at: each["groups"][0]["ids"][each["groups"][0]["right"] :]
                 for at, each in enumerate(answers) if each and each["groups"]}  # fmt: skip
        shown = [self.named(ids) for ids in gold]
        tree = self.tree([i for ids in shown for i in ids], wrong)
        ids = {i for each in shown for i in each} | {i for a in answers if a for g in a["groups"] for i in g["ids"]}
        ids |= {i for a in answers if a for i in a.get("gold", ())} | {
            n["id"] for n in (tree or {"nodes": []})["nodes"]
        }
        return self._row(row) | {
            "spans": self.places.spans(row), "context": self.places.context(row), "gold": shown, "changed": changed,
            "answers": answers, "tree": tree, "names": self.names(ids),
        }  # fmt: skip

    def tree(self, gold: list[str], wrong: dict[int, list[str]]) -> Any:
        if not self.e["hierarchy"]:
            return None
        number = {each: n for n, each in enumerate(self.e["ids"])}

        def parents(identifier: str) -> list[str] | None:
            found = self.above.get(number[identifier])
            return None if found is None else self.named(found)

        return mention_tree(gold, wrong, parents)

    def answer(self, system: int, row: int) -> dict[str, Any] | None:
        a = self.answers[system].a
        if a["outcome"][row] < 0:
            return None
        why, at1, at5, candidates, rank = a["outcomes"][a["outcome"][row]]
        other = a["gold"].get(str(row))
        gold = other if other is not None else [n for ids in self.e["golds"][self.m["gold"][row]][0] for n in ids]
        width = self.about["width"]
        code = self.e["combinations"][self.m["combination"][row]][2][width * system : width * (system + 1)]
        groups = self.answers[system].groups(row, set(gold))
        return {
            "verdict": code[0], "stage": code[1], "places": self.about["places"][int(code[2:], 36)],
            "why": self.e["sentences"][why], "hits": [at1, at5], "candidates": candidates, "rank": rank,
            "groups": [each | {"ids": self.named(each["ids"])} for each in groups],
            **({} if other is None else {"gold": self.named(other)}),
        }  # fmt: skip

    def named(self, numbers: Sequence[int]) -> list[str]:
        return [self.e["ids"][n] for n in numbers]

    def names(self, ids: set[str]) -> dict[str, Any]:
        known = dict(zip(self.e["ids"], self.e["names"], strict=True))
        return {each: known[each] for each in ids}

    # ---- cases

    def case_id(self, at: int, row: int) -> str:
        cases, places = self.e["cases"][at], self.case_places[at]
        if cases["id"][row] != 0:
            return str(cases["id"][row])
        if cases["label"][row] >= 0:
            return self.mention_id(cases["label"][row])
        spans = ",".join(f"{start}-{end}" for start, end in places.spans(row))
        return f"{self.document_of(places, row)} {spans} alone"

    def _set(self, number: int) -> list[str] | None:
        return None if number == -2 else [] if number == -1 else self.named(self.e["sets"][number])

    def cases(self, system: str, nil: str, counted: str = "any", group: str = "any", **asked: Any) -> dict[str, Any]:
        at, mode = self.about["found"].index(system[1:]), self.about["nil"].index(nil)
        cases, places = self.e["cases"][at], self.case_places[at]
        bits = cases["bits"][mode]
        masks = {key: mine for key, _, mine in self.about["filters"]}

        number = next((n for n, (name, _) in enumerate(self.about["groups"]) if name == group), -1)
        answer = sum(1 << bit for bit in self.about["of_answer"])

        def kept(bits: int, groups: int) -> bool:
            if group != "any":
                gold, said = (number in side for side in self.e["grouped"][groups])
                if not gold and not said:
                    return False
                bits = bits & (~answer if gold else 0) | bits & (answer if said else 0)
            if counted == "any":
                return True
            if counted == "nothing":
                return bits == 0
            if counted.endswith("_avoided"):
                errors, total = (masks.get(counted.replace("_avoided", end), []) for end in ("_errors", "_total"))
                return any(bits >> bit & 1 for bit in total) and not any(bits >> bit & 1 for bit in errors)
            return any(bits >> bit & 1 for bit in masks[counted])

        rows = [row for row in range(len(places)) if bits[row] >= 0]
        held = len(rows)
        rows = [row for row in rows if kept(bits[row], cases["groups"][row])]
        find, document, sort = asked.get("find", "").lower(), asked.get("document", ""), asked.get("sort", "")
        offset, limit = asked.get("offset", 0), asked.get("limit", 100)
        if document:
            rows = [row for row in rows if self.document_of(places, row) == document]
        if find:
            rows = [row for row in rows if any(find in part.lower() for part in self._case_words(at, row))]
        total = len(rows) if find or document else sum(n for b, g, n in cases["totals"][mode] if kept(b, g))
        rows = self._sorted(rows, sort, {
            "text": lambda row: places.text(row).lower(), "document": lambda row: self.document_of(places, row),
        })  # fmt: skip
        return {
            "total": total, "all": sum(n for *_, n in cases["totals"][mode]), "held": held, "offset": offset,
            "rows": [{"id": self.case_id(at, row), "document": self.document_of(places, row),
                      "text": clip(places.text(row), 120), "bits": bits[row]} for row in rows[offset : offset + limit]],
        }  # fmt: skip

    def _case_words(self, at: int, row: int) -> list[str]:
        cases, places = self.e["cases"][at], self.case_places[at]
        sets = [self.e["sets"][cases[side][row]] for side in ("gold", "said") if cases[side][row] >= 0]
        return [places.text(row), self.document_of(places, row), *self._words([n for each in sets for n in each])]

    def case(self, id_: str, system: str, nil: str) -> dict[str, Any]:
        at, mode = self.about["found"].index(system[1:]), self.about["nil"].index(nil)
        cases, places = self.e["cases"][at], self.case_places[at]
        (row,) = (row for row in range(len(places)) if self.case_id(at, row) == id_)
        gold, said = self._set(cases["gold"][row]), self._set(cases["said"][row])
        return {
            "id": id_, "document": self.document_of(places, row), "text": clip(places.text(row), 120),
            "spans": places.spans(row), "context": places.context(row), "gold": gold, "said": said,
            "bits": cases["bits"][mode][row], "why": self.e["sentences"][cases["why"][mode][row]],
            "names": self.names({*(gold or ()), *(said or ())}),
        }  # fmt: skip

    # ---- documents

    def figures(self, number: int, mode: int) -> list[Any]:
        found: list[Any] = []
        for mine in self.e["documents"]["figures"]:
            if "tp" in mine:
                found.append({x: mine[x][mode][number] for x in ("tp", "fp", "fn")})
            else:
                found.append({x: mine[x][number] for x in ("right", "n")} if mine["n"][number] else None)
        return found

    def documents(self, nil: str = "ignored", **asked: Any) -> dict[str, Any]:
        d, mode = self.e["documents"], self.about["nil"].index(nil)
        rows = list(range(len(d["id"])))
        if find := asked.get("find", "").lower():
            rows = [n for n in rows if find in d["id"][n].lower() or find in d["title"][n].lower()]
        if (section := asked.get("section", "any")) != "any":
            kind = self.e["sections"].index(section)
            rows = [n for n in rows if kind in d["passages"][n][::3]]

        def most(*kinds: str) -> Callable[[int], float]:
            def of(found: Any) -> float:
                if "tp" in found:
                    return sum(found[kind] for kind in kinds)
                return found["n"] - found["right"] if "fn" in kinds else 0

            return lambda n: -round(sum(of(f) for f in self.figures(n, mode) if f), 4)

        total = len(rows)
        rows = self._sorted(rows, asked.get("sort", ""), {
            "id": lambda n: d["id"][n], "errors": most("fp", "fn"), "fp": most("fp"), "fn": most("fn"),
            "differ": lambda n: -d["differ"][n],
            "mentions": lambda n: -d["mentions"][n], "chars": lambda n: -d["chars"][n],
        })  # fmt: skip
        offset, limit = asked.get("offset", 0), asked.get("limit", 100)
        return {"total": total, "offset": offset, "rows": [
            {"id": d["id"][n], "title": d["title"][n], "chars": d["chars"][n], "mentions": d["mentions"][n],
             "systems": self.figures(n, mode)} for n in rows[offset : offset + limit]
        ]}  # fmt: skip

    def document(self, id_: str, nil: str = "ignored") -> dict[str, Any]:
        d, mode, about = self.e["documents"], self.about["nil"].index(nil), self.about
        number = d["id"].index(id_)
        marks: dict[str, dict[str, Any]] = {}
        for row in range(len(self.places)):
            if self.places.p["document"][row] != number:
                continue
            parent = self.m["parent"][row] if self.m["parent"] is not None else -1
            bits = self.m["flags"][row] if self.m["flags"] is not None else 0
            flags = [word for bit, word in enumerate(FLAGS) if bits >> bit & 1]
            mine = self.mention_id(row)
            marks[mine] = {
                "id": mine, "spans": self.places.spans(row), "text": clip(self.places.text(row), 120),
                "type": self.type(row), "gold": [self.named(ids) for ids in self.e["golds"][self.m["gold"][row]][0]],
                "flags": flags, "parent": self.mention_id(parent) if parent >= 0 else None,
                "answers": [None if label in about["found"] else self._given(at, row, mine, flags)
                            for at, label in enumerate(about["systems"])],
            }  # fmt: skip
        for system, label in enumerate(about["systems"]):
            if label not in about["found"]:
                continue
            at = about["found"].index(label)
            cases, places = self.e["cases"][at], self.case_places[at]
            for row in range(len(places)):
                bits = cases["bits"][mode][row]
                if places.p["document"][row] != number or bits < 0:
                    continue
                mine, alone, said = self.case_id(at, row), cases["label"][row] < 0, self._set(cases["said"][row])
                if alone:
                    marks.setdefault(mine, {
                        "id": mine, "spans": places.spans(row), "text": clip(places.text(row), 120), "type": "",
                        "gold": None, "flags": [], "parent": None, "answers": [None] * len(about["systems"]),
                    })  # fmt: skip
                marks[mine]["answers"][system] = {
                    "verdict": self._verdict(bits, marks[mine]["flags"], said, alone), "said": said,
                    "why": self.e["sentences"][cases["why"][mode][row]],
                    "categories": [words for bit, words in about["errors"] if bits >> bit & 1],
                    "at": {"part": "cases", "system": f"={label}", "nil": nil, "at": mine},
                }  # fmt: skip
        ordered = sorted(marks.values(), key=lambda m: (
            (m["spans"][0][0], -max(end for _, end in m["spans"]), m["gold"] is None) if m["spans"] else (-1, 0, False)
        ))  # fmt: skip
        ids = {i for m in ordered for each in m["gold"] or () for i in each}
        ids |= {i for m in ordered for a in m["answers"] if a for i in a["said"] or ()}
        flat = d["passages"][number]
        return {
            "id": id_, "title": d["title"][number], "length": d["chars"][number],
            "pieces": [list(piece) for piece in self.texts[number].pieces],
            "passages": [[self.e["sections"][flat[n]], *flat[n + 1 : n + 3]] for n in range(0, len(flat), 3)],
            "systems": about["systems"], "marks": ordered, "figures": self.figures(number, mode),
            "previous": d["id"][number - 1] if number else None,
            "next": d["id"][number + 1] if number + 1 < len(d["id"]) else None, "names": self.names(ids),
            "left_out": self.e["left_out"],
        }  # fmt: skip

    def _given(self, system: int, row: int, id_: str, flags: list[str]) -> Any:
        if self.m["combination"][row] < 0:
            return None
        answer = self.answer(system, row)
        if answer is None:
            left = "left" if self._is_left(row) else "any"
            return {"verdict": "nil" if "nil" in flags else "unscored", "said": None, "why": "", "categories": [],
                    "at": {"part": "mentions", "outcome": left, "at": id_}}  # fmt: skip
        verdict = {"r": "right", "p": "partly", "w": "wrong", "n": "missed"}[answer["verdict"]]
        label = self.about["systems"][system]
        return {
            "verdict": verdict, "said": answer["groups"][0]["ids"] if answer["groups"] else None,
            "why": answer["why"], "categories": [],
            "at": {"part": "mentions", "system": f"={label}", "outcome": "any", "at": id_},
        }  # fmt: skip

    @staticmethod
    def _verdict(bits: int, flags: list[str], said: list[str] | None, alone: bool) -> str:
        linking = bits % 8
        if linking:
            return "spurious" if alone else {1: "right", 2: "wrong", 3: "partly", 4: "missed", 6: "wrong"}[linking]
        if alone:
            return "nil" if said == [] else "unscored"
        return "optional" if "optional" in flags else "nil" if "nil" in flags else "unscored"
