"""Words in context: a dataset from made-up sentences, how long it takes, and how that grows with their number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bench.measure import Row, Target, alternate, command, inside, memory, real, row, scratch, wall
from linkassay.model import Document, Mention
from linkassay.wic.entity_facts import CloseEntities, EntityFacts

# ruff: noqa: SIM905 (syllables read better as one text)
_PARTS = (
    "neuro cardio hepato gastro osteo myo angio derm nephro pulmo cyto lympho thyro adeno arthro cranio "
    "hyper hypo dys poly micro macro anti pseudo peri endo"
).split()
_ENDS = "itis osis pathy emia oma algia plasia trophy uria ectomy graphy in ine ol amide azole mycin statin".split()
_WORDS = "acute chronic familial primary severe juvenile type II X-linked renal cardiac hepatic benign early".split()
_FILL = (
    "the patients with were treated and showed that in this study a significant effect of on was found after "
    "between groups during weeks while controls had no change we report two cases of"
).split()


def entities(n: int, seed: int = 1) -> tuple[list[list[str]], EntityFacts]:
    """Names of made-up entities (some with synonyms, abbreviations and near misses), and a knowledge base of them."""
    dice = np.random.default_rng(seed)
    names: list[list[str]] = []
    owners: dict[str, set[str]] = {}
    for number in range(n):
        own = [" ".join([*dice.choice(_WORDS, dice.integers(0, 3)), _name(dice)])]
        if dice.random() < 0.4:
            own.append(_name(dice))
        known_names = len(own)
        if dice.random() < 0.3:
            own.append(own[0].replace("o", "oe", 1))  # a spelling that the knowledge base lacks
        if " " in own[0]:
            own.append("".join(word[0] for word in own[0].split()).upper())
        if names and dice.random() < 0.2:
            own.append(names[dice.integers(len(names))][0] + "s")  # a homonym but for its ending
        names.append(own)
        for name in own[:known_names]:
            owners.setdefault(name.lower(), set()).add(f"x:{number}")
    ids = [f"x:{number}" for number in range(n)]
    parents = frozenset((min(a, b), max(a, b)) for a, b in zip(ids[1:], ids, strict=False) if dice.random() < 0.5)
    known = EntityFacts(
        {i: (i,) for i in ids}, {name: frozenset(own) for name, own in owners.items()}, CloseEntities(parents)
    )
    return names, known


def documents(sentences: int, names: list[list[str]], seed: int = 2) -> Iterator[Document]:
    """Documents of eight sentences with one to three mentions each; few entities have most mentions, as in life."""
    dice = np.random.default_rng(seed)
    weights = 1 / np.arange(1, len(names) + 1) ** 0.8
    drawn = iter(dice.choice(len(names), 3 * sentences, p=weights / weights.sum()).tolist())
    for number in range(0, sentences, 8):
        text, mentions = "", []
        for _ in range(min(8, sentences - number)):
            words = dice.choice(_FILL, 12).tolist()
            text += " " if text else ""
            text += words[0].capitalize()
            for at in range(int(dice.integers(1, 4))):
                entity = next(drawn)
                name = str(names[entity][dice.integers(len(names[entity]))])
                text += " " + " ".join(words[3 * at + 1 : 3 * at + 4]) + " "
                span = len(text), len(text) + len(name)
                text += name
                mentions.append(Mention(f"{number}-{span[0]}", f"d{number}", (span,), name, "disease",
                                        (frozenset({f"x:{entity}"}),)))  # fmt: skip
            text += f" in {number} of them."
        yield Document(f"d{number}", text, (), tuple(mentions))


def _name(dice: np.random.Generator) -> str:
    return "".join(dice.choice(_PARTS, dice.integers(1, 4))) + str(dice.choice(_ENDS))


_REAL = {
    "mesh": "kbs/mesh", "medic": "kbs/medic", "bc5cdr": "corpora/bc5cdr", "ncbi_disease": "corpora/ncbi_disease",
}  # fmt: skip
_BUILD = """
from bench import wic
from linkassay.wic import contexts
from linkassay.wic.building import construct
from linkassay.wic.settings import Settings
names, known = wic.entities(12_000)
documents = list(wic.documents(int(sys.argv[1]), names))
begin()
found = contexts.find("synthetic", documents)
pairs, report = construct(found.contexts, known, Settings(), counts=found.counts)
assert all(n > 0 for own in report["splits"].values() for n in own.values()), report["splits"]
"""


def rows() -> list[Row]:
    """SPEED-7: 60 k sentences, the growth from 15 k, and a whole command on real corpora."""
    turns = alternate("wic", 1, {n: lambda n=n: inside(_BUILD, n) for n in ("15000", "60000")})
    few, many = (turns[n][0].cpu for n in ("15000", "60000"))
    found = [row("wic: 60 k synthetic sentences (inner function)", turns["60000"], wall(600), memory(4000),
                 Target("CPU over that of 15 k", 6, unit="×", value=many / few))]  # fmt: skip
    raw = {name: real(folder) for name, folder in _REAL.items()}
    with scratch() as folder:
        for name, path in raw.items():
            command("get", name, "--raw", path, home=folder / "home")
        build = ("wic", "build", "--corpora", "bc5cdr,ncbi_disease", "--kb", "mesh,medic", "-o", folder / "wic")
        taken = alternate("wic", 1, {"command": lambda: command(*build, home=folder / "home")})["command"]
    return [*found, row("linkassay wic build: BC5CDR and NCBI Disease, with MeSH and MEDIC", taken)]
