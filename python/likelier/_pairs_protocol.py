"""How a comparison came to be, in NumPy: the algebra that the Python faces share.

Random pairs (x, x') are drawn, and a labeller decides what becomes of them. All of that is the acceptance
matrix w(y, y'): the probability that an ordered draw with true labels y, y' is recorded as "x is likelier
than x'". Rows and columns are ordered (positive, negative). Scores are log-odds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

PROTOCOLS = ("discard", "forced-choice")
# Beyond this log-odds a probability and its complement would multiply to 0.
FARTHEST = 300.0


@dataclass(frozen=True)
class Collection:
    """A prior and a protocol, checked once, and what follows from them in closed form."""

    prior: float
    protocol: str
    labeller_error: float = 0.0

    def __post_init__(self) -> None:
        if self.protocol not in PROTOCOLS:
            raise ValueError(f"unknown protocol {self.protocol!r}: use one of {', '.join(PROTOCOLS)}")
        check_number("class prior", self.prior)
        if not 0.0 < self.prior < 1.0:
            raise ValueError(f"class prior must lie strictly between 0 and 1, got {self.prior}")
        check_number("labeller error", self.labeller_error)
        if not 0.0 <= self.labeller_error < 0.5:
            raise ValueError(f"labeller error must lie in [0, 0.5), got {self.labeller_error}")

    @property
    def acceptance(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """w(y, y')."""
        same = 1.0 if self.protocol == "discard" else 0.5
        return (same, 1.0 - self.labeller_error), (self.labeller_error, same)

    @property
    def mixture(self) -> tuple[float, float]:
        """The shares of positives in the likelier and in the other pile (Theorem 2)."""
        (both, first), (second, neither) = self.acceptance
        positive, negative = self.prior, 1.0 - self.prior
        both, neither = both * positive * positive, neither * negative * negative
        first, second = first * positive * negative, second * positive * negative
        total = both + first + second + neither
        return (both + first) / total, (both + second) / total

    @property
    def pooled(self) -> float:
        """The share of positives in both piles together."""
        likelier, other = self.mixture
        return (likelier + other) / 2.0

    @property
    def shift(self) -> float:
        """What turns log-odds in the population into log-odds in the piles."""
        return log_odds(self.pooled) - log_odds(self.prior)

    @property
    def population_weights(self) -> tuple[float, float]:
        """(a, b): the population is a times the likelier pile plus b times the other."""
        likelier, other = self.mixture
        return (self.prior - other) / (likelier - other), (likelier - self.prior) / (likelier - other)

    def unbiased_table(self, target: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """The only table of loss coefficients that is unbiased for the risk with class prior `target`."""
        likelier, other = self.mixture
        contrast, rest = likelier - other, 1.0 - target
        return (
            (target * (1.0 - other) / contrast, -rest * other / contrast),
            (-target * (1.0 - likelier) / contrast, rest * likelier / contrast),
        )

    @property
    def pile_share_range(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Densities of a negative (first) and of a positive (second) in the other and in the likelier pile,
        relative to the population."""
        likelier, other = self.mixture
        negative = ((1.0 - other) / (1.0 - self.prior), (1.0 - likelier) / (1.0 - self.prior))
        return negative, (other / self.prior, likelier / self.prior)

    def probability_from_pile(self, pile_probability: Array) -> Array:
        """p(x) from the share of likelier-pile rows at x, when both piles are equally large.

        With u(x), v(x) the densities of the likelier and of the other pile relative to the population, both
        affine in p, the share is u/(u + v). Solved for p, and cut to [0, 1].
        """
        (v0, u0), (v1, u1) = self.pile_share_range
        odds_side = 1.0 - pile_probability
        top = pile_probability * v0 - odds_side * u0
        bottom = odds_side * (u1 - u0) - pile_probability * (v1 - v0)
        result: Array = np.clip(top / bottom, 0.0, 1.0)
        return result

    def label_posterior(self, likelier: Array, other: Array) -> tuple[Array, Array]:
        """P(y = +) of the two items of each comparison, given that it was recorded so."""
        first, second = sigmoid(clip(likelier)), sigmoid(clip(other))
        first_not, second_not = sigmoid(-clip(likelier)), sigmoid(-clip(other))
        (w_both, w_first), (w_second, w_neither) = self.acceptance
        both, only = first * second * w_both, first * second_not * w_first
        swapped, neither = first_not * second * w_second, first_not * second_not * w_neither
        total = both + only + swapped + neither
        return (both + only) / total, (both + swapped) / total

    def log_likelihood(self, likelier: Array, other: Array) -> Array:
        """ln L(p, p') of a recorded comparison, up to a term that both orders share."""
        cells = []
        exponents = ((likelier + other, likelier), (other, np.zeros_like(other)))
        for exponent_row, accept_row in zip(exponents, self.acceptance, strict=True):
            for exponent, accept in zip(exponent_row, accept_row, strict=True):
                if accept > 0.0:
                    cells.append(exponent + math.log(accept))
        result: Array = np.logaddexp.reduce(np.stack(cells), axis=0)
        return result

    def log_orientation(self, likelier: Array, other: Array) -> Array:
        """ln of the probability that a pair known to be recorded was recorded in this order."""
        apart = self.log_likelihood(other, likelier) - self.log_likelihood(likelier, other)
        result: Array = -np.logaddexp(0.0, apart)
        return result

    def tolerance(self, rows: float) -> tuple[float, float]:
        """How far the mean probability of so many pile rows may stay from `pooled`: two standard errors."""
        two_errors = 2.0 * math.sqrt(self.pooled * (1.0 - self.pooled) / max(rows, 1.0))
        return min(two_errors, self.pooled / 2.0), min(two_errors, (1.0 - self.pooled) / 2.0)


def check_number(name: str, value: Any) -> None:
    """Refuses what is not a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{name} must be a number, got {value!r}")


def log_odds(probability: float) -> float:
    """ln(p / (1 - p))."""
    return math.log(probability / (1.0 - probability))


def clip(scores: Array) -> Array:
    """Log-odds cut to where arithmetic is exact."""
    result: Array = np.clip(scores, -FARTHEST, FARTHEST)
    return result


def sigmoid(scores: Array) -> Array:
    """1 / (1 + e^-z) without overflow."""
    small = np.exp(-np.abs(scores))
    result: Array = np.where(scores < 0.0, small, 1.0) / (1.0 + small)
    return result


def level_for_mean(scores: Array, weights: Array, mean: float) -> float:
    """c, so that the weighted mean of sigmoid(scores + c) is `mean`: Newton's steps inside a bracket."""
    total = float(weights.sum())
    low = -float(scores.max()) - 40.0
    high = -float(scores.min()) + 40.0
    level = log_odds(mean) - float(weights @ scores) / total
    for _ in range(200):
        if not low < level < high:
            level = (low + high) / 2.0
        probability = sigmoid(scores + level)
        gap = float(weights @ probability) / total - mean
        if abs(gap) < 1e-10:
            break
        low, high = (low, level) if gap > 0.0 else (level, high)
        slope = float(weights @ (probability * (1.0 - probability))) / total
        level -= gap / slope if slope > 0.0 else math.inf
    return level
