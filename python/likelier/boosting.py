"""Comparisons as an objective for XGBoost's and LightGBM's own training.

The rows of the training matrix are the items, in the order that the pairs number them; it needs no label.
Some items are held out: they have no gradient, and the metric looks only at comparisons between them, so
that training can stop early without a label.

XGBoost::

    objective = PairObjective(pairs, len(X), prior=0.3)
    matrix = xgboost.DMatrix(X)
    booster = xgboost.train(
        {"eta": 0.1, "disable_default_eval_metric": True}, matrix, 500, obj=objective,
        custom_metric=objective.xgboost_metric, evals=[(matrix, "items")], early_stopping_rounds=20)
    scores = lambda rows: booster.predict(
        xgboost.DMatrix(rows), output_margin=True, iteration_range=(0, booster.best_iteration + 1))
    log_odds = objective.calibrated(scores(X))
    labels = log_odds(scores(new)) > 0

LightGBM (it never stops by the training set itself, hence the second one)::

    items = lightgbm.Dataset(X, label=numpy.zeros(len(X)))
    booster = lightgbm.train(
        {"objective": objective, "metric": "none"}, items, 500, feval=objective.lightgbm_metric,
        valid_sets=[items.create_valid(X, label=numpy.zeros(len(X)))],
        callbacks=[lightgbm.early_stopping(20)])
    log_odds = objective.calibrated(booster.predict(X, raw_score=True))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._pairs_data import Comparisons
from ._pairs_link import fit_level, fit_scale
from ._pairs_protocol import Array, Collection, check_number, sigmoid

__all__ = ["LogOdds", "PairObjective"]

# A Hessian is never less, and so never 0 where a row takes no part.
LEAST_HESSIAN = 1e-6
# Fewer comparisons than this cannot judge.
FEWEST_HELD_OUT = 10


@dataclass(frozen=True)
class LogOdds:
    """Raw scores of a booster as log-odds of the positive class: `scale * score + level`."""

    scale: float
    level: float

    def __call__(self, scores: Any) -> Array:
        return self.scale * np.asarray(scores, dtype=np.float64) + self.level


class PairObjective:
    """Gradient and Hessian of the likelihood of the recorded orders, the level held by the prior.

    Parameters
    ----------
    pairs : (n, 2) row numbers: the likelier item, then the other.
    rows : how many rows the training matrix has.
    prior, protocol, labeller_error : as for `FromComparisons`.
    objective : "likelihood" of each order, or "pair-posterior", the step of expectation–maximisation: a
        cross-entropy to the labels inferred from the current scores. Under forced choice both have the same
        gradient and differ in the Hessian.
    tie, weight : for each comparison, as for `FromComparisons`.
    held_out : the share of comparisons to judge by; 0 trains on all.

    Examples
    --------
    >>> import numpy as np
    >>> objective = PairObjective([[0, 1], [2, 3]], 4, prior=0.5, held_out=0.0)
    >>> gradient, hessian = objective(np.zeros(4), None)
    >>> gradient
    array([-0.25,  0.25, -0.25,  0.25])
    """

    def __init__(
        self,
        pairs: Any,
        rows: int,
        *,
        prior: float,
        protocol: str = "forced-choice",
        labeller_error: float = 0.0,
        objective: str = "likelihood",
        tie: Any = None,
        weight: Any = None,
        held_out: float = 0.2,
        random_state: int | None = 0,
    ) -> None:
        self.collection = Collection(prior, protocol, labeller_error)
        if objective not in ("likelihood", "pair-posterior"):
            raise ValueError(f"unknown objective {objective!r}: use one of likelihood, pair-posterior")
        check_number("held_out", held_out)
        if not 0.0 <= held_out < 1.0:
            raise ValueError(f"held_out must lie in [0, 1), got {held_out}")
        self.objective, self.rows = objective, rows
        # The two halves of a tie stay together, as they have the same items.
        comparisons = Comparisons.read(pairs, rows, tie, weight)
        self.all, self.trained, self.held_out = comparisons, comparisons, comparisons
        if held_out > 0.0:
            random = np.random.RandomState(random_state)
            self.trained, self.held_out = comparisons.hold_out(held_out, random)
            if len(self.held_out.weight) < FEWEST_HELD_OUT or len(self.trained.weight) == 0:
                raise ValueError(
                    f"{len(comparisons.weight)} comparisons are too few to hold out {held_out} of them: "
                    "give more, or train on all with held_out=0"
                )

    def __call__(self, scores: Any, data: Any) -> tuple[Array, Array]:
        """Gradient and Hessian by each row's raw score, as both libraries ask for them."""
        pairs = self.trained
        raw = self._checked(scores)
        log_odds = raw + fit_level(self.collection, raw, pairs)
        z, other = log_odds[pairs.likelier], log_odds[pairs.other]
        r, r_other = self.collection.label_posterior(z, other)
        if self.objective == "pair-posterior":
            times = pairs.wins + pairs.losses
            probability = sigmoid(log_odds + self.collection.shift)
            gradient = times * probability - pairs.by_row(r, r_other)
            return gradient, np.maximum(times * probability * (1.0 - probability), LEAST_HESSIAN)
        turned_other, turned = self.collection.label_posterior(other, z)
        # The log-odds of the order have the derivatives r - turned and r' - turned'.
        order = np.exp(self.collection.log_orientation(z, other))
        slope, slope_other = r - turned, r_other - turned_other
        gradient = pairs.by_row(-(1.0 - order) * slope, -(1.0 - order) * slope_other)
        # Fisher's information; twice, because the two scores of a pair move together.
        information = 2.0 * order * (1.0 - order)
        hessian = pairs.by_row(information * slope**2, information * slope_other**2)
        return gradient, np.maximum(hessian, LEAST_HESSIAN)

    def value(self, scores: Any) -> float:
        """Mean -ln likelihood of the held-out orders (of all, if none are held out); a coin has 0.693."""
        raw = self._checked(scores)
        pairs = self.held_out
        log_odds = raw + fit_level(self.collection, raw, pairs)
        orders = self.collection.log_orientation(log_odds[pairs.likelier], log_odds[pairs.other])
        return -float(np.average(orders, weights=pairs.weight))

    def xgboost_metric(self, scores: Any, data: Any) -> tuple[str, float]:
        """For `custom_metric`: smaller is better."""
        return "orientation", self.value(scores)

    def lightgbm_metric(self, scores: Any, data: Any) -> tuple[str, float, bool]:
        """For `feval`."""
        return "orientation", self.value(scores), False

    def calibrated(self, scores: Any) -> LogOdds:
        """Scale by the held-out comparisons, level by all, from the raw scores of the training rows."""
        raw = self._checked(scores)
        scale, _, _ = fit_scale(self.collection, raw, self.held_out)
        return LogOdds(scale, fit_level(self.collection, scale * raw, self.all))

    def _checked(self, scores: Any) -> Array:
        raw = np.asarray(scores, dtype=np.float64)
        if raw.shape != (self.rows,):
            raise ValueError(f"{self.rows} rows were announced, but the scores have shape {raw.shape}")
        return raw
