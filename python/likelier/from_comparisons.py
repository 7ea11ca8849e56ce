"""Any scikit-learn classifier, learning from "this one is likelier" answers.

1. The start: a classifier tells the likelier pile from the other. Its out-of-fold probability is calibrated
   and turned into that of the class, which under forced choice is an affine map.
2. Rounds: from the out-of-fold probabilities of both items of a comparison follows the posterior of their
   two labels; every item is then fitted twice, as positive with that weight and as negative with the rest.
3. After each round scale and level of the out-of-fold scores are fitted: the level by the prior, the scale
   by the likelihood of the recorded orders. A round that does not raise that likelihood by more than its
   standard error is dropped and ends the rounds, which may be at once. Left alone, they would end in one
   class.

Out of fold means that no fit of any round saw the item (`_pairs_chains.py`); no label is used anywhere.
"""

from __future__ import annotations

import copy
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data

from ._assessment import Assessment
from ._functions import assess
from ._judging import Judging
from ._pairs_chains import Chains
from ._pairs_data import Comparisons
from ._pairs_link import Link, calibrate_piles
from ._pairs_protocol import Array, Collection, sigmoid
from ._pairs_sklearn import check_estimator, probability_of
from ._warnings import NoBetterThanChanceWarning

__all__ = ["CalibratedClassifier", "FromComparisons", "Round"]


@dataclass(frozen=True)
class Round:
    """What a round came to: the start is round 0."""

    likelihood: float
    """Mean log-likelihood of the recorded orders, out of fold; a coin has ln ½ = -0.693."""
    scale: float
    """What the out-of-fold scores were multiplied by."""
    level: float
    """What was then added."""
    positive: float
    """The share of the compared items that it calls positive, out of fold."""


@dataclass(frozen=True)
class CalibratedClassifier:
    """A fitted classifier with the scale and level that turn its probabilities into those of the class."""

    estimator: Any
    link: Link

    def decision_function(self, X: Any) -> Array:
        """Log-odds of the positive class."""
        return self.link.log_odds(probability_of(self.estimator, X))

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the negative and of the positive class."""
        positive = sigmoid(self.decision_function(X))
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 where the positive class is likelier, else 0."""
        return (self.decision_function(X) > 0.0).astype(np.int64)


class FromComparisons(Judging, MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Makes a classifier with `predict_proba` and `sample_weight` learn from comparisons.

    Parameters
    ----------
    estimator : the classifier, or a pipeline that ends in one.
    prior : the share of positives in the population, strictly between 0 and 1.
    protocol : "forced-choice" if every pair that was shown is there, "discard" if (negative, positive)
        pairs were dropped.
    labeller_error : how often a pair of a positive and a negative was answered wrongly.
    folds : parts that the items are divided into for out-of-fold probabilities, at least 3.
    rounds : at most so many rounds after the start; 0 keeps the start. With 5 folds the start costs 6 fits,
        the first round 16 more, each further one 31 more.
    random_state : of the folds, and of the estimator where its own `random_state` is None.
    items : the items, for tools such as `GridSearchCV` that hand on only pairs: then `fit(pairs)` and `score(pairs)`
        are about these.

    Attributes
    ----------
    classes_ : [0, 1], the negative and the positive class.
    rounds_ : a `Round` for the start and for each round that was tried.
    kept_round_ : the one that predicts.
    estimator_, start_estimator_ : `CalibratedClassifier` of the kept round and of the start.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from likelier.from_comparisons import FromComparisons
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(600) < 0.3
    >>> X = rng.normal(size=(600, 2)) + 2.0 * truth[:, None]
    >>> first, second = rng.permutation(600).reshape(2, 300)
    >>> turn = np.where(truth[first] == truth[second], rng.random(300) < 0.5, truth[second])
    >>> pairs = np.column_stack([np.where(turn, second, first), np.where(turn, first, second)])
    >>> model = FromComparisons(LogisticRegression(), prior=0.3, random_state=0).fit(X, pairs)
    >>> bool(model.score(X, truth) > 0.85)
    True
    """

    def __init__(
        self,
        estimator: Any,
        *,
        prior: float,
        protocol: str = "forced-choice",
        labeller_error: float = 0.0,
        folds: int = 5,
        rounds: int = 1,
        random_state: Any = None,
        items: Any = None,
    ) -> None:
        self.estimator = estimator
        self.prior = prior
        self.protocol = protocol
        self.labeller_error = labeller_error
        self.folds = folds
        self.rounds = rounds
        self.random_state = random_state
        self.items = items

    def fit(self, X: Any, pairs: Any = None, *, tie: Any = None, weight: Any = None) -> FromComparisons:
        """Learns from comparisons between rows of `X`.

        `pairs` has a row for each comparison: the row number of the likelier item, then that of the other.
        `tie` marks answers "about the same", which count half each way; `weight` says how much each
        comparison counts.
        """
        collection = Collection(self.prior, self.protocol, self.labeller_error)
        check_estimator(self.estimator)
        for name, least in (("folds", 3), ("rounds", 0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
                raise TypeError(f"{name} must be a whole number, got {value!r}")
            if value < least:
                raise ValueError(f"{name} must be at least {least}, got {value}")
        X, pairs = self._items_and_pairs(X, pairs, "fit")
        X = as_rows(X)
        validate_data(self, X, skip_check_array=True)
        comparisons = Comparisons.read(pairs, _num_samples(X), tie, weight)
        compared = len(comparisons.compared)
        if compared < 2 * self.folds:
            raise ValueError(
                f"{len(comparisons.weight)} comparisons of {compared} items are too few for {self.folds} "
                "folds: give more comparisons, or ask for fewer folds"
            )
        chains = Chains(self.estimator, X, comparisons, self.folds, self.random_state)
        judged = chains.judge()
        link, orders = Link(collection, calibrate_piles(judged, comparisons.wins, comparisons.losses)).fitted(
            judged, comparisons
        )
        self.start_estimator_ = CalibratedClassifier(chains.final(), link)
        self.rounds_, self.kept_round_ = [as_round(link, orders, judged, comparisons)], 0
        self.estimator_ = self.start_estimator_
        for _ in range(self.rounds):
            chains.infer(link)
            judged = chains.judge()
            link, new_orders = Link(collection).fitted(judged, comparisons)
            self.rounds_.append(as_round(link, new_orders, judged, comparisons))
            gain, error = mean_and_error(new_orders - orders, comparisons.weight)
            if gain <= error:
                break
            orders = new_orders
            self.kept_round_ += 1
            self.estimator_ = CalibratedClassifier(chains.final(), link)
        self.classes_ = np.array([0, 1])
        warn_if_nothing_learned(orders, comparisons.weight)
        return self

    def decision_function(self, X: Any) -> Array:
        """Log-odds of the positive class in the population."""
        scores: Array = self._fitted(X).decision_function(as_rows(X))
        return scores

    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the negative and of the positive class."""
        probabilities: Array = self._fitted(X).predict_proba(as_rows(X))
        return probabilities

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 for the positive class, 0 for the negative."""
        labels: NDArray[np.int64] = self._fitted(X).predict(as_rows(X))
        return labels

    def assess(
        self,
        X: Any,
        pairs: Any,
        *,
        tie: Any = None,
        weight: Any = None,
        equals: str = "unknown",
        labeller_error_at_most: float | None = None,
    ) -> Assessment:
        """How good it is without labels, by comparisons between rows of `X`, which should not be those of the fit.

        `equals` and `labeller_error_at_most` are as in `likelier.assess`.
        """
        return assess(
            self.decision_function(X),
            pairs,
            prior=self.prior,
            protocol=self.protocol,
            labeller_error=self.labeller_error,
            equals=equals,
            labeller_error_at_most=labeller_error_at_most,
            tie=tie,
            weight=weight,
        )

    def _assessed(self, X: Any, pairs: Any, **noted: Any) -> Assessment:
        return self.assess(X, pairs, **noted)

    def _fitted(self, X: Any) -> CalibratedClassifier:
        check_is_fitted(self, "estimator_")
        validate_data(self, as_rows(X), reset=False, skip_check_array=True)
        fitted: CalibratedClassifier = self.estimator_
        return fitted

    def __sklearn_clone__(self) -> Any:
        # Without a copy of the items.
        items = self.items
        bare = copy.copy(self)
        bare.items = None
        cloned = super(FromComparisons, bare).__sklearn_clone__()
        cloned.items = items
        return cloned

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.classifier_tags.multi_class = False
        return tags


def as_round(link: Link, orders: Array, judged: Array, comparisons: Comparisons) -> Round:
    """The record of a round."""
    return Round(
        likelihood=float(np.average(orders, weights=comparisons.weight)),
        scale=link.scale,
        level=link.level,
        positive=float((link.log_odds(judged[comparisons.compared]) > 0.0).mean()),
    )


def as_rows(X: Any) -> Any:
    """A table whose rows can be picked: frames and arrays as they are, any sparse format as CSR."""
    if scipy.sparse.issparse(X):
        return X.tocsr()
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(
            f"X must have rows and columns, got shape {tuple(X.shape)}. Reshape your data: "
            "X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one row"
        )
    return X


def mean_and_error(values: Array, weight: Array) -> tuple[float, float]:
    """The weighted mean of a number of each comparison, and its standard error."""
    mean = float(np.average(values, weights=weight))
    return mean, float(np.sqrt(np.sum((weight * (values - mean)) ** 2)) / weight.sum())


def warn_if_nothing_learned(orders: Array, weight: Array) -> None:
    """Says so when the orders are no likelier than by a coin, by two standard errors."""
    gain, error = mean_and_error(orders + np.log(2.0), weight)
    if gain <= 2.0 * error:
        warnings.warn(
            "held-out comparisons are ordered no better than by a coin: the features taught nothing",
            NoBetterThanChanceWarning,
            stacklevel=3,
        )
