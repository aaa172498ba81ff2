"""Two small classifiers in NumPy: a network with one hidden layer, and logistic regression. Deterministic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]


class Logistic:
    """Logistic regression with a ridge, fitted by Newton's method to the optimum."""

    def __init__(self, ridge: float = 1.0, steps: int = 25) -> None:
        self._ridge, self._steps = ridge, steps

    def fit(self, rows: Floats, labels: NDArray[np.bool_]) -> Logistic:
        """Features are scaled to mean 0 and deviation 1 first."""
        self._mean, self._scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
        x = self._features(rows)
        self._weights = np.zeros(x.shape[1])
        ridge = np.full(x.shape[1], self._ridge)
        ridge[-1] = 1e-9  # the intercept is free
        for _ in range(self._steps):
            chance = _sigmoid(x @ self._weights)
            gradient = x.T @ (chance - labels) + ridge * self._weights
            curvature = (x * (chance * (1 - chance) + 1e-9)[:, None]).T @ x + np.diag(ridge)
            step = np.linalg.solve(curvature, gradient)
            self._weights -= step
            if np.abs(step).max() < 1e-8:
                break
        return self

    def scores(self, rows: Floats) -> Floats:
        """Chances from 0 to 1."""
        return _sigmoid(self._features(rows) @ self._weights)

    def _features(self, rows: Floats) -> Floats:
        return np.column_stack([(rows - self._mean) / self._scale, np.ones(len(rows))])


class Mlp:
    """One hidden layer (ReLU) and one output, as the paper's GloVe baseline has; Adam on the logistic loss."""

    def __init__(
        self, hidden: int = 128, epochs: int = 15, rate: float = 1e-3, decay: float = 1e-3, batch: int = 128,
        seed: int = 42,
    ) -> None:  # fmt: skip
        self._hidden, self._epochs, self._rate, self._decay, self._batch = hidden, epochs, rate, decay, batch
        self._seed = seed

    def fit(self, rows: Floats, labels: NDArray[np.bool_], judge: Callable[[Mlp], float] | None = None) -> Mlp:
        """Train; with `judge`, keep the weights of the epoch that it likes best, the first of equals."""
        dice = np.random.default_rng(self._seed)
        self._mean, self._scale = rows.mean(axis=0), rows.std(axis=0) + 1e-9
        x = ((rows - self._mean) / self._scale).astype(np.float32)
        width = rows.shape[1]
        initial = (
            dice.normal(0, np.sqrt(2 / width), (width, self._hidden)), np.zeros(self._hidden),
            dice.normal(0, np.sqrt(2 / self._hidden), self._hidden), np.zeros(1),
        )  # fmt: skip
        self._weights: list[Floats] = [each.astype(np.float32) for each in initial]
        first = [np.zeros_like(w) for w in self._weights]
        second = [np.zeros_like(w) for w in self._weights]
        step, best, kept = 0, -np.inf, self._weights
        for _ in range(self._epochs):
            order = dice.permutation(len(x))
            for at in range(0, len(x), self._batch):
                part = order[at : at + self._batch]
                step += 1
                for n, gradient in enumerate(self._gradients(x[part], labels[part])):
                    first[n] = 0.9 * first[n] + 0.1 * gradient
                    second[n] = 0.999 * second[n] + 0.001 * gradient**2
                    move = (first[n] / (1 - 0.9**step)) / (np.sqrt(second[n] / (1 - 0.999**step)) + 1e-8)
                    decay = self._decay if n in (0, 2) else 0.0
                    self._weights[n] = self._weights[n] - self._rate * (move + decay * self._weights[n])
            if judge is not None and (value := judge(self)) > best:
                best, kept = value, list(self._weights)
        if judge is not None:
            self._weights = kept
        return self

    def scores(self, rows: Floats) -> Floats:
        """Chances from 0 to 1."""
        return _sigmoid(self._forward(((rows - self._mean) / self._scale).astype(np.float32))[1])

    def _forward(self, x: Floats) -> tuple[Floats, Floats]:
        inner, bias, outer, shift = self._weights
        hidden = np.maximum(x @ inner + bias, 0)
        return hidden, hidden @ outer + shift[0]

    def _gradients(self, x: Floats, labels: NDArray[np.bool_]) -> list[Floats]:
        hidden, output = self._forward(x)
        error = (_sigmoid(output) - labels.astype(np.float32)) / np.float32(len(x))
        back = np.outer(error, self._weights[2]) * (hidden > 0)
        return [x.T @ back, back.sum(axis=0), hidden.T @ error, error.sum(keepdims=True)]


def _sigmoid(x: Floats) -> Floats:
    chance: Floats = 0.5 * (1 + np.tanh(0.5 * x))
    return chance
