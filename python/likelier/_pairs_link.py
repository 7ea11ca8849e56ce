"""From what a classifier says to log-odds: scale and level, fitted without a label.

Out-of-fold scores s become log-odds z = scale * s + level. The level puts the mean probability at the share
of positives that the prior and the protocol imply; the scale is the one under which the recorded orders of
the comparisons are likeliest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ._pairs_data import Comparisons
from ._pairs_protocol import Array, Collection, level_for_mean, sigmoid

# Probabilities nearer to 0 or 1 are counted as this.
NEAREST = 1e-3
NEAREST_OF_START = 1e-2


@dataclass(frozen=True)
class Link:
    """The map from a classifier's probability to log-odds in the population.

    `pile` is (slope, offset) of the calibration of a classifier that tells the piles apart, whose
    probability is then turned into that of the class.
    """

    collection: Collection
    pile: tuple[float, float] | None = None
    scale: float = 1.0
    level: float = 0.0

    def scores(self, probability: Array) -> Array:
        """The scores that scale and level are for."""
        plain = logit(probability, NEAREST)
        if self.pile is None:
            return plain
        slope, offset = self.pile
        of_pile = sigmoid(slope * plain + offset)
        return logit(self.collection.probability_from_pile(of_pile), NEAREST_OF_START)

    def log_odds(self, probability: Array) -> Array:
        """Log-odds of the class."""
        return self.scale * self.scores(probability) + self.level

    def fitted(self, probability: Array, comparisons: Comparisons) -> tuple[Link, Array]:
        """The link with the best scale, and the log-likelihood of the order of each comparison under it."""
        scale, level, orders = fit_scale(self.collection, self.scores(probability), comparisons)
        return Link(self.collection, self.pile, scale, level), orders


def fit_level(collection: Collection, scores: Array, comparisons: Comparisons) -> float:
    """The level that puts the mean probability of the compared items at their share of positives."""
    both = np.concatenate([scores[comparisons.likelier], scores[comparisons.other]])
    return level_for_mean(both + collection.shift, np.tile(comparisons.weight, 2), collection.pooled)


def fit_scale(collection: Collection, scores: Array, comparisons: Comparisons) -> tuple[float, float, Array]:
    """The likeliest scale, its level, and the log-likelihood of the order of each comparison under them."""
    likelier, other = scores[comparisons.likelier], scores[comparisons.other]

    def orders(log_scale: float) -> tuple[float, float, Array]:
        scale = float(np.exp(log_scale))
        level = fit_level(collection, scale * scores, comparisons)
        return scale, level, collection.log_orientation(scale * likelier + level, scale * other + level)

    def value(log_scale: float) -> float:
        return float(comparisons.weight @ orders(log_scale)[2])

    both = np.concatenate([likelier, other])
    spread = max(float(np.sqrt(np.cov(both, aweights=np.tile(comparisons.weight, 2)))), 1e-6)
    grid = np.log(np.geomspace(0.03, 30.0, 16) / spread)
    best = int(np.argmax([value(log_scale) for log_scale in grid]))
    low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, len(grid) - 1)])
    return orders(golden_section(value, low, high))


def logit(probability: Array, nearest: float) -> Array:
    """ln(p / (1 - p)), p kept away from 0 and 1."""
    cut = np.clip(probability, nearest, 1.0 - nearest)
    result: Array = np.log(cut / (1.0 - cut))
    return result


def golden_section(value: Callable[[float], float], low: float, high: float) -> float:
    """Where a function with one hill between two points is largest, to a hundredth of their distance."""
    part = (3.0 - 5.0**0.5) / 2.0
    first, second = low + part * (high - low), high - part * (high - low)
    at_first, at_second = value(first), value(second)
    for _ in range(10):
        if at_first < at_second:
            low, first, at_first = first, second, at_second
            second = high - part * (high - low)
            at_second = value(second)
        else:
            high, second, at_second = second, first, at_first
            first = low + part * (high - low)
            at_first = value(first)
    return (low + high) / 2.0


def calibrate_piles(probability: Array, wins: Array, losses: Array) -> tuple[float, float]:
    """Slope and offset of the logistic regression of the pile on out-of-fold log-odds (Newton's steps)."""
    scores = logit(probability, NEAREST)
    wins, losses = wins / wins.sum(), losses / losses.sum()
    design = np.stack([scores, np.ones_like(scores)])
    found = np.zeros(2)
    for _ in range(50):
        fitted = sigmoid(found @ design)
        gradient = design @ (wins - (wins + losses) * fitted) - 1e-6 * found
        curvature = (design * ((wins + losses) * fitted * (1.0 - fitted))) @ design.T + 1e-6 * np.eye(2)
        step = np.linalg.solve(curvature, gradient)
        found = found + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < 1e-9:
            break
    # A classifier that puts the piles the wrong way round out of fold knows nothing.
    return max(float(found[0]), 0.0), float(found[1])
