"""Training encoders (NEURAL-6, NEURAL-8, NEURAL-9): losses held to slow definitions, and the traps of the originals."""

from __future__ import annotations

import math
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from linkassay.errors import LinkassayError
from linkassay.linkers.neural import Encoder, Pace, best_round, train
from linkassay.linkers.neural.marginalisation import SynonymMarginalisation
from linkassay.linkers.neural.self_alignment import SelfAlignment, hard_pairs_loss
from linkassay.linkers.neural.training import Round
from tests.linkers.neural.test_dense_alias import KB, document, one
from tests.scoring_helpers import knowledge

TRAIN = [
    document("a", ("breast tumor", one("t:1")), ("skin disorder", one("t:2")), ("sugar disease", one("t:4"))),
    document("b", ("wrinkles", one("t:5")), ("cancer in the breast", one("t:3"))),
]
DEV = [document("c", ("skin disease", one("t:2")), ("cancer of breast", one("t:1")))]


def recipe(tiny: Path, docs: Any = TRAIN, dev: Any = (), **options: Any) -> SynonymMarginalisation:
    return SynonymMarginalisation(Encoder(tiny), knowledge(KB), docs, dev, seed=3, **options)


def test_rows_that_learn_are_the_rows_that_link(tiny: Path) -> None:
    """Whatever else is in a batch: nothing is padded."""
    encoder = Encoder(tiny)
    texts = ["skin", "breast cancer of the type", "skin", "x", ""]
    with torch.no_grad():
        found = encoder.trained(texts).numpy()
    assert found == pytest.approx(encoder.encode_each(texts), abs=1e-6)


# ---- BioSyn


def slow_loss(made: SynonymMarginalisation, text: str, meant: set[int], weight: float, candidates: list[int]) -> float:
    """By its definition, with probabilities."""
    encoder, texts = made._encoder, made._entities.texts
    [vector], [letters] = encoder.encode_each([text]), made._sparse.vectors([text])
    named = [texts[n] for n in candidates]
    scores = 20 * (encoder.encode_each(named) @ vector + weight * (made._sparse.vectors(named) @ letters))
    likely = np.exp(scores) / np.exp(scores).sum()
    return -math.log(sum(p for p, n in zip(likely, candidates) if meant & set(made._entities.members(n))))


@pytest.mark.parametrize("weight", [0.0, 0.7])
def test_loss_and_a_step_on_five_mentions(home: Path, tiny: Path, weight: float) -> None:
    """Mean of the losses of those that have a right candidate; the slope of what letters count for by small changes."""
    made = recipe(tiny, candidates=4, sparse_weight=weight)
    made._encoder.model.eval()
    candidates = made._candidates()
    assert all(len(each) == 4 == len(set(each)) for each in candidates)
    taught = [
        (asked, names) for asked, names in zip(made._train, candidates, strict=True) if made._right(asked, names).any()
    ]
    assert 3 <= len(taught) <= 5

    def mean(at: float) -> float:
        return float(np.mean([slow_loss(made, asked.text, set(asked.meant), at, names) for asked, names in taught]))

    loss = torch.stack([*made._losses_of(taught)]).mean()
    assert loss.item() == pytest.approx(mean(weight), abs=1e-4)
    loss.backward()
    slope = (mean(weight + 1e-3) - mean(weight - 1e-3)) / 2e-3
    assert made._weight.grad.item() == pytest.approx(slope, abs=2e-2)
    torch.optim.SGD(made.further()[0]["params"], lr=0.1).step()
    assert made._weight.item() == pytest.approx(weight - 0.1 * slope, abs=2e-3)


def test_half_of_the_candidates_come_by_letters(home: Path, tiny: Path) -> None:
    made = recipe(tiny, candidates=4)
    asked = [each.text for each in made._train]
    letters = made._sparse.products(made._sparse.vectors(asked), np.arange(len(made._sparse)))
    cosines = made._encoder.encode_each(asked) @ made._encoder.encode(made._entities.texts).T
    for n, names in enumerate(made._candidates()):
        assert set(names[:2]) == set(np.argsort(-letters[n], kind="stable")[:2])
        others = [each for each in np.argsort(-cosines[n], kind="stable") if each not in names[:2]]
        assert names[2:] == others[:2]


def test_a_composite_teaches_nothing_of_its_parts(home: Path, tiny: Path) -> None:
    """BioSyn's own code takes any part for right; a text without a right candidate teaches nothing either."""
    both = document("x", ("skin and breast", (frozenset(["t:1", "t:2"]),)), ("skin", one("t:2")))
    made = recipe(tiny, [both])
    assert [each.text for each in made._train] == ["skin"]
    with pytest.raises(LinkassayError, match="nothing to train on"):
        recipe(tiny, [document("x", ("skin and breast", (frozenset(["t:1", "t:2"]),)), ("y", one("other:1")))])
    far = recipe(tiny, [document("x", ("diabetes", one("t:5")))], candidates=1)
    assert [*far.losses(1)] == []


def test_training_mentions_are_no_names_while_training(home: Path, tiny: Path) -> None:
    """Else each would be its own candidate, and right."""
    made = recipe(tiny)
    assert set(made._entities.texts) == {name.lower() for names in KB.values() for name in names}
    assert not {each.text for each in made._train} & set(made._entities.texts)


def test_the_figure_is_the_share_of_right_first_ranks(home: Path, tiny: Path) -> None:
    assert recipe(tiny).figure() is None
    dev = [document("c", ("skin disease", one("t:2")), ("breast cancer", one("t:1")), ("diabetes", one("t:5")))]
    assert recipe(tiny, dev=dev).figure() == pytest.approx(1.5 / 3)  # t:1 and t:3 have the same name


# ---- SapBERT


def slow_pairs(rows: np.ndarray, right: np.ndarray, wrong: np.ndarray, margin: float) -> float:
    """By its definition: every triplet is looked at."""
    cosines = rows @ rows.T
    apart = np.sqrt(np.maximum(0, 2 - 2 * cosines))
    total = 0.0
    for a in range(len(rows)):
        hard = [
            (p, n) for p, n in permutations(range(len(rows)), 2)
            if right[a, p] and wrong[a, n] and apart[a, n] - apart[a, p] <= margin
        ]  # fmt: skip
        positive = sum(math.exp(0.5 - cosines[a, p]) for p in {p for p, _ in hard})
        negative = sum(math.exp(60 * (cosines[a, n] - 0.5)) for n in {n for _, n in hard})
        total += math.log1p(positive) + math.log1p(negative) / 60
    return total / len(rows)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(2, 8), st.sampled_from([0.0, 0.2, 2.0]))
def test_hard_pairs(seed: int, size: int, margin: float) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(size, 3))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    label = chance.integers(0, 3, size)
    right = (label[:, None] == label) & ~np.eye(size, dtype=bool)
    wrong = (label[:, None] != label) & (chance.random((size, size)) < 0.8)
    given = torch.tensor(rows, requires_grad=True)
    loss = hard_pairs_loss(given, torch.tensor(right), torch.tensor(wrong), margin)
    assert loss.item() == pytest.approx(slow_pairs(rows, right, wrong, margin), abs=1e-9)
    loss.backward()
    assert bool(given.grad.isfinite().all())


def test_pairs_are_of_two_names_of_one_entity(home: Path, tiny: Path) -> None:
    made = SelfAlignment(Encoder(tiny), knowledge(KB), [], [], seed=0)
    texts, found = made._entities.texts, set()
    for entity, one_, other in made._pairs.tolist():
        found.add((made._entities.id(entity), *sorted((texts[one_], texts[other]))))
    assert found == {
        ("t:1", "breast cancer", "cancer of the breast"), ("t:3", "breast cancer", "mellitus"),
        ("t:4", "diabetes", "diabetes mellitus"),
    }  # fmt: skip
    assert len(SelfAlignment(Encoder(tiny), knowledge(KB), [], [], seed=0, most_pairs=2)._pairs) == 2
    many = knowledge({"t:1": [f"name {n}" for n in range(30)]})
    assert len(SelfAlignment(Encoder(tiny), many, [], [], seed=0)._pairs) == 50


def test_names_that_share_an_entity_are_no_wrong_pair(home: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`mellitus` is t:3's, and `breast cancer` is of both t:1 and t:3."""
    seen = []
    monkeypatch.setattr(
        "linkassay.linkers.neural.self_alignment.hard_pairs_loss",
        lambda rows, right, wrong, margin: seen.append((right.numpy(), wrong.numpy())) or rows.sum(),
    )
    made = SelfAlignment(Encoder(tiny), knowledge(KB), [], [], seed=0)
    [_] = made.losses(1)
    order = np.random.default_rng([0, 0]).permutation(3)
    names = [made._entities.texts[n] for n in made._pairs[order][:, 1:].reshape(-1)]
    right, wrong = seen[0]
    for a, b in permutations(range(6), 2):
        meant = [{e for e, own in KB.items() if names[n] in {name.lower() for name in own}} for n in (a, b)]
        assert wrong[a, b] == (not meant[0] & meant[1])
        assert not (right[a, b] and wrong[a, b])
        assert not (right[a, b] and names[a] == names[b])


def test_an_epoch_in_rounds_takes_each_pair_once(home: Path, tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[list[int]] = []
    monkeypatch.setattr(SelfAlignment, "_loss", lambda self, pairs: seen.extend(pairs.tolist()))
    many = knowledge({f"t:{e}": [f"name {e} {n}" for n in range(5)] for e in range(1, 8)})
    made = SelfAlignment(Encoder(tiny), many, [], [], seed=0, batch=8, round_batches=4, epochs=2)
    batches = [len([*made.losses(n + 1)]) for n in range(made.rounds)]
    assert sum(batches) == 2 * 9
    assert max(batches) == made.batches == 4
    assert sorted(map(tuple, seen[:70])) == sorted(map(tuple, made._pairs.tolist())) == sorted(map(tuple, seen[70:]))
    assert seen[:70] != seen[70:]


# ---- rounds

PACE = Pace(rate=1e-3, decay=0.01, patience=0)


class Killed(BaseException):
    """As a kill does, it comes from nowhere."""


def trained(
    tiny: Path, work: Path, die_at: int = -1, seed: int = 1, pace: Pace = PACE, dev: Any = DEV
) -> dict[str, bytes]:
    """The weights after a training of three rounds, in bytes; it is killed at the first batch of a round."""

    def progress(what: str, done: int, total: int) -> None:
        if what.startswith(f"round {die_at} ") and done == 1:
            raise Killed

    encoder = Encoder(tiny)
    own = SynonymMarginalisation(encoder, knowledge(KB), TRAIN, dev, seed=seed, rounds=3, batch=2, candidates=3)
    train(encoder, own, pace, seed, work, progress, lambda: None)
    named = {name: value.detach().numpy().tobytes() for name, value in encoder.model.named_parameters()}
    return named | {"letters": str(own._weight.item()).encode()}


@pytest.mark.parametrize("dev", [DEV, []])
def test_killed_at_any_round_it_ends_with_the_same_weights(home: Path, tiny: Path, tmp_path: Path, dev: Any) -> None:
    """Those of the best round, or of the last where none is looked at."""
    whole = trained(tiny, tmp_path / "whole", dev=dev)
    for round_ in (1, 2, 3):
        with pytest.raises(Killed):
            trained(tiny, tmp_path / f"killed{round_}", die_at=round_, dev=dev)
        kept = sorted(path.name for path in (tmp_path / f"killed{round_}").iterdir())
        assert f"after-{round_ - 1:04d}" in kept  # at most the last and the best
        assert len(kept) <= 2
        assert trained(tiny, tmp_path / f"killed{round_}", dev=dev) == whole
    assert trained(tiny, tmp_path / "again", dev=dev) == whole
    if not dev:
        assert trained(tiny, tmp_path / "other", seed=2, dev=dev) != whole


def test_what_is_damaged_is_said(home: Path, tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(Killed):
        trained(tiny, tmp_path, die_at=2)
    (tmp_path / "after-0001" / "optimiser.safetensors").write_bytes(b"none")
    with pytest.raises(LinkassayError, match=r"cannot be read .*; remove its folder and run it again"):
        trained(tiny, tmp_path)
    assert not torch.are_deterministic_algorithms_enabled()


def test_it_learns(home: Path, tiny: Path, tmp_path: Path) -> None:
    """Untrained one mention in five is right; then all but what two entities share a name of. The loss falls."""
    encoder = Encoder(tiny)
    own = SynonymMarginalisation(encoder, knowledge(KB), TRAIN, TRAIN, seed=0, rounds=16, batch=5, candidates=8)
    rounds = train(encoder, own, PACE._replace(rate=3e-3), 0, tmp_path, lambda what, done, total: None, lambda: None)
    assert rounds[0].figure == pytest.approx(0.2)
    assert rounds[best_round(rounds)].figure >= 0.7  # type: ignore[operator]
    losses = [each.loss for each in rounds[1:]]
    assert losses[-1] < losses[0] / 2  # type: ignore[operator]


def test_it_ends_early_and_takes_the_best(tiny: Path, tmp_path: Path) -> None:
    """Figures on dev decide; what came after the best round is not in the weights."""
    figures = iter([0.5, 0.8, 0.7, 0.8, 0.9])

    class Told:
        rounds, batches = 9, 1

        def __init__(self, encoder: Encoder) -> None:
            self.encoder = encoder

        def further(self) -> list[Any]:
            return []

        def losses(self, round_: int) -> Any:
            seen.append(next(iter(self.encoder.model.parameters())).detach().clone())
            yield self.encoder.trained(["skin"]).sum()

        def figure(self) -> float:
            return next(figures)

    encoder, seen = Encoder(tiny), []  # type: ignore[var-annotated]
    rounds = train(encoder, Told(encoder), PACE._replace(patience=2), 0, tmp_path, lambda *_: None, lambda: None)  # type: ignore[arg-type]
    assert [each.figure for each in rounds] == [0.5, 0.8, 0.7, 0.8]
    assert best_round(rounds) == 1
    assert bool((next(iter(encoder.model.parameters())) == seen[1]).all())  # as the second round began
    assert best_round([Round(0), Round(1)]) == 1


def test_numbers_that_run_away_are_an_error(home: Path, tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(LinkassayError, match="take a smaller rate"):
        trained(tiny, tmp_path / "far", pace=PACE._replace(rate=1e30))
