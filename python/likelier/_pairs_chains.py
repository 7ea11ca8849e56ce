"""Out-of-fold probabilities that stay honest over several rounds.

Leaving an item out of the fits is not enough once targets are inferred: its answer teaches the models that
score its neighbours, their scores make the neighbours' targets, and these teach the model that scores the
item. Judged by such scores every round looks better than it is. So each fold has a chain of its own, in
which no model of any round has seen that fold's items; the last model of the chain is the fold's judge. One
more chain leaves nothing out: its targets are what the final classifier is fitted to.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils import _safe_indexing, check_random_state

from ._pairs_data import Comparisons
from ._pairs_link import Link
from ._pairs_protocol import Array
from ._pairs_sklearn import fit_weighted, probability_of, seed_estimator

# Weights of each row as positive and as negative.
Weights = tuple[Array, Array]


class Chains:
    """The folds of one call of `fit`, and the targets and scores of each chain."""

    def __init__(self, estimator: Any, X: Any, comparisons: Comparisons, folds: int, random_state: Any) -> None:
        self.estimator, self.X, self.comparisons, self.folds = estimator, X, comparisons, folds
        self.random, self.seeds = check_random_state(random_state), random_state is not None
        self.compared = comparisons.compared
        self.fold = comparisons.folds(folds, self.random)
        # Targets of each fold's chain, and of the one that leaves nothing out. At first the piles.
        piles = comparisons.wins / comparisons.wins.sum(), comparisons.losses / comparisons.losses.sum()
        self.targets = [piles] * (folds + 1)
        self.started = False

    def fit(self, weights: Weights, left_out: tuple[int, ...] = ()) -> Any:
        """The estimator on the compared rows, but for those of some folds."""
        rows = self.compared[~np.isin(self.fold[self.compared], left_out)]
        positive, negative = weights[0][rows], weights[1][rows]
        if not positive.sum() > 0.0 or not negative.sum() > 0.0:
            raise ValueError("too few comparisons: without two of the folds, only one class is left to fit")
        if not self.started:
            # Equally large piles: a fold with many winners must not lower the scores that it gets.
            positive, negative = positive / positive.sum(), negative / negative.sum()
        estimator = clone(self.estimator)
        if self.seeds:
            seed_estimator(estimator, self.random)
        return fit_weighted(estimator, self.X, rows, positive, negative)

    def final(self) -> Any:
        """The classifier fitted to every compared row."""
        return self.fit(self.targets[-1])

    def judge(self) -> Array:
        """The probability of each row by its fold's judge; ½ for rows that are not compared."""
        self.judged = np.full(self.comparisons.rows, 0.5)
        for fold in range(self.folds):
            self._score(self.judged, fold, self.targets[fold], (fold,))
        return self.judged

    def infer(self, link: Link) -> None:
        """The next targets of every chain, from the last judged scores and from fits within the chains."""
        within: list[Array] = [self.judged.copy() for _ in range(self.folds + 1)]
        if self.started:
            for fold in range(self.folds):
                self._score(within[-1], fold, self.targets[-1], (fold,))
        for chain in range(self.folds):
            for fold in range(self.folds):
                # While the targets are the piles, leaving out two folds is the same in both chains.
                if chain < fold or (self.started and chain != fold):
                    model = self._score(within[chain], fold, self.targets[chain], (chain, fold))
                    if not self.started and model is not None:
                        self._fill(within[fold], chain, model)
        self.targets = [self._posterior(link, probability) for probability in within]
        self.started = True

    def _posterior(self, link: Link, probability: Array) -> Weights:
        pairs = self.comparisons
        log_odds = link.log_odds(probability)
        of_pairs = link.collection.label_posterior(log_odds[pairs.likelier], log_odds[pairs.other])
        positive = pairs.by_row(*of_pairs)
        return positive, pairs.wins + pairs.losses - positive

    def _score(self, scores: Array, fold: int, weights: Weights, left_out: tuple[int, ...]) -> Any:
        """Fills in a fold's probabilities by a fit without it."""
        if not (self.fold == fold).any():
            return None
        model = self.fit(weights, left_out)
        self._fill(scores, fold, model)
        return model

    def _fill(self, scores: Array, fold: int, model: Any) -> None:
        rows = np.flatnonzero(self.fold == fold)
        if len(rows) > 0:
            scores[rows] = probability_of(model, _safe_indexing(self.X, rows))
