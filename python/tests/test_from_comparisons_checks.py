"""scikit-learn's own checks of `FromComparisons`, by a class that turns labels into comparisons.

The package has no such path.
"""

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_X_y

from likelier import FromComparisons, LikelierWarning, generate


class FromLabels(FromComparisons):
    """Turns y into comparisons."""

    def __init__(self, estimator, *, folds=3, random_state=0):
        self.estimator, self.folds, self.random_state = estimator, folds, random_state

    protocol, labeller_error, rounds = "forced-choice", 0.0, 1

    @property
    def prior(self):
        return self._share

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X, y):
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        # What is wrong with y is said by scikit-learn; X goes to the package as it is.
        numbers = np.zeros((X.shape[0] if hasattr(X, "shape") else len(np.asarray(X)), 1))
        _, labels = check_X_y(numbers, y)
        check_classification_targets(labels)
        classes, of = np.unique(labels, return_inverse=True)
        if len(classes) > 2:
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {type_of_target(labels)}."
            )
        if len(classes) < 2:
            raise ValueError("a classifier needs two classes, and y has 1 class")
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
