"""Encoders trained round by round (NEURAL-6): a killed training goes on after its last round, to the same weights."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from linkassay import store
from linkassay.errors import LinkassayError
from linkassay.linkers.neural.encoder import Encoder
from linkassay.registry import Registry

#: Told which round it is, how many of its batches are done, and of how many.
Progress = Callable[[str, int, int], None]
_WEIGHTS, _OPTIMISER, _STATE = "weights.safetensors", "optimiser.safetensors", "state.json"

#: What can be trained, by the name of the linker that goes by it.
RECIPES = Registry(
    "trainable linker",
    {
        "biosyn": "linkassay.linkers.neural.marginalisation:SynonymMarginalisation",
        "sapbert": "linkassay.linkers.neural.self_alignment:SelfAlignment",
    },
)


class Round(NamedTuple):
    """What came of a round; round 0 is the start. `figure`: how good the model is after it, where that is looked at."""

    number: int
    loss: float | None = None
    figure: float | None = None


class Pace(NamedTuple):
    """How much and how fast is learned. `patience`: rounds without a better figure after which it ends; 0: never."""

    rate: float
    decay: float
    patience: int


class Recipe(Protocol):
    """What a family teaches an encoder; it keeps nothing from one round to the next but weights.

    It is made of encoder, knowledge base, training and dev documents, a `seed` and options of its own, by name.
    """

    #: One line; whether it learns from documents; how it learns if nothing else is said.
    summary: str
    wants_documents: bool
    pace: Pace

    #: How many rounds there are, and how many batches each has.
    rounds: int
    batches: int

    def further(self) -> list[dict[str, Any]]:
        """What is learned beside the encoder's weights, as groups of an optimiser."""
        ...

    def losses(self, round_: int) -> Iterator[Any]:
        """The loss of each batch of a round."""
        ...

    def figure(self) -> float | None:
        """How good the model is, on documents that it does not learn from; None where there are none."""
        ...

    def save(self, folder: Path) -> None:
        """Write what belongs beside the encoder."""
        ...


def train(
    encoder: Encoder, recipe: Recipe, pace: Pace, seed: int, work: Path, progress: Progress, kept: Callable[[], None]
) -> list[Round]:
    """Do all rounds that `work` has not; the encoder is left as after the best one, or the last if none is looked at.

    `kept` is called after each that was done and kept.

    Chance is drawn anew from the seed for each round, so that it makes no difference whether a training was killed.
    """
    import torch

    weights = [each for each in encoder.model.parameters() if each.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": weights}, *recipe.further()], lr=pace.rate, weight_decay=pace.decay, foreach=False
    )
    state = _State(encoder, recipe, optimiser, work)
    rounds = state.resumed()
    exact = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(True)
    try:
        while len(rounds) <= recipe.rounds and not _tired(rounds, pace.patience):
            number = len(rounds)
            torch.manual_seed(seed * 1_000_003 + number)
            loss = _one_round(encoder, recipe, optimiser, number, progress) if number else None
            rounds.append(Round(number, loss, recipe.figure()))
            state.keep(rounds)
            kept()
    finally:
        torch.use_deterministic_algorithms(exact)
    state.take(best_round(rounds))
    return rounds


def best_round(rounds: Sequence[Round]) -> int:
    """The round with the best figure, the first of equal ones; the last where none was looked at.

    >>> best_round([Round(0, None, 0.5), Round(1, 2.0, 0.7), Round(2, 1.0, 0.7)]), best_round([Round(0), Round(1, 2.0)])
    (1, 1)
    """
    looked = [each for each in rounds if each.figure is not None]
    return max(looked, key=lambda each: (each.figure, -each.number)).number if looked else len(rounds) - 1


def _tired(rounds: Sequence[Round], patience: int) -> bool:
    if not (rounds and patience) or rounds[-1].figure is None:
        return False
    return len(rounds) - 1 - best_round(rounds) >= patience


def _one_round(encoder: Encoder, recipe: Recipe, optimiser: Any, number: int, progress: Progress) -> float:
    what = f"round {number} of {recipe.rounds}"
    progress(what, 0, recipe.batches)
    total, done = 0.0, 0
    encoder.model.train()
    for loss in recipe.losses(number):
        if not bool(loss.isfinite()):
            raise LinkassayError(f"the loss of batch {done} in round {number} is {loss.item()}: take a smaller rate, "
                                 "e.g. --option rate=1e-5")  # fmt: skip
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total, done = total + loss.item(), done + 1
        progress(what, done, recipe.batches)
    encoder.model.eval()
    return total / max(done, 1)


class _State:
    """What is kept after each round: weights, what the optimiser knows, and what came of the rounds."""

    def __init__(self, encoder: Encoder, recipe: Recipe, optimiser: Any, work: Path) -> None:
        self._encoder, self._recipe, self._optimiser, self._work = encoder, recipe, optimiser, work

    def resumed(self) -> list[Round]:
        """The rounds that are done, and everything as it was after them; what is not whole is not there."""
        done = sorted(self._work.glob("after-[0-9][0-9][0-9][0-9]"))
        if not done:
            return []
        rounds = [Round(**each) for each in store.read_json(done[-1] / _STATE)]
        self.take(rounds[-1].number)
        known: dict[int, dict[str, Any]] = {}
        for name, value in _tensors(done[-1] / _OPTIMISER).items():
            number, _, what = name.partition(".")
            known.setdefault(int(number), {})[what] = value
        self._optimiser.load_state_dict({**self._optimiser.state_dict(), "state": known})
        return rounds

    def take(self, round_: int) -> None:
        """Let all weights be as after this round."""
        import torch

        kept = _tensors(self._folder(round_) / _WEIGHTS)
        with torch.no_grad():
            for name, value in self._named().items():
                value.copy_(kept[name])

    def keep(self, rounds: Sequence[Round]) -> None:
        """Write how it stands, and remove what is neither the last nor the best."""
        from safetensors.torch import save

        number = rounds[-1].number
        known = self._optimiser.state_dict()["state"]
        learned = {f"{n}.{what}": value for n, each in known.items() for what, value in each.items()}
        with store.new_folder(self._folder(number), replace=True) as folder:
            (folder / _WEIGHTS).write_bytes(save({name: v.detach().clone() for name, v in self._named().items()}))
            (folder / _OPTIMISER).write_bytes(save(learned))
            (folder / _STATE).write_text(json.dumps([each._asdict() for each in rounds]) + "\n", encoding="utf-8")
        wanted = {self._folder(number), self._folder(best_round(rounds))}
        for path in self._work.glob("after-*"):
            if path not in wanted:
                shutil.rmtree(path, ignore_errors=True)

    def _folder(self, round_: int) -> Path:
        return self._work / f"after-{round_:04d}"

    def _named(self) -> dict[str, Any]:
        """All that is learned, by name."""
        named = dict(self._encoder.model.named_parameters())
        further = [value for group in self._recipe.further() for value in group["params"]]
        return named | {f"further.{n}": value for n, value in enumerate(further)}


def _tensors(path: Path) -> dict[str, Any]:
    """What was kept in a file."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        found: dict[str, Any] = load_file(path)
    except (SafetensorError, OSError) as error:
        raise LinkassayError(f"{path}: cannot be read ({error}); remove its folder and run it again") from error
    return found
