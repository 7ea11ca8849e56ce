"""scikit-learn's own checks of `FromComparisons`, by a class that turns labels into comparisons.

The package has no such path.
"""

import warnings

import pytest

pytest.importorskip("sklearn")

from adapter import two_classes
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from likelier import FromComparisons, LikelierWarning, generate


class FromLabels(FromComparisons):
    """Turns y into comparisons."""

    def __init__(self, estimator, *, folds=3, random_state=0):
        self.estimator, self.folds, self.random_state = estimator, folds, random_state

    protocol, labeller_error, rounds, items = "forced-choice", 0.0, 1, None

    @property
    def prior(self):
        return self._share

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X, y):
        classes, of = two_classes(self, X, y)
        self._share = float(of.mean())
        pairs = generate(of == 1, 20 * max(len(of), 10)).pairs
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LikelierWarning)
            super().fit(X, pairs)
        self.classes_ = classes
        return self

    def predict(self, X):
        labels = super().predict(X)
        return self.classes_[labels]


@parametrize_with_checks([FromLabels(LogisticRegression())])
def test_scikit_learns_checks(estimator, check):
    check(estimator)
