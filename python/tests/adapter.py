"""For tests alone: labels become comparisons, so that scikit-learn's checks can run. The package has no such path."""

import warnings

import numpy as np
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_X_y

from likelier import ComparisonClassifier, LikelierWarning, generate


def two_classes(estimator, X, y):
    """The two classes in y, and which of them each row has."""
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
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
    return classes, of


class FromLabels(ComparisonClassifier):
    """Turns y into comparisons: feature_names_in_, n_features_in_ and classes_ as in ComparisonClassifier."""

    def __init__(self, *, method=None, model="linear", hidden=None, hold_out=0.0, random_state=0, epochs=None):
        super().__init__(
            method=method,
            model=model,
            hidden=hidden,
            hold_out=hold_out,
            random_state=random_state,
            epochs=epochs,
        )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X, y):
        classes, of = two_classes(self, X, y)
        self._share = float(of.mean())
        pairs = generate(of == 1, 40 * max(len(of), 10)).pairs
        with warnings.catch_warnings():
            # It is not judged, and pairs of few items recur.
            warnings.simplefilter("ignore", LikelierWarning)
            super().fit(X, pairs)
        self.classes_ = classes
        return self

    def _belief(self):
        return {**super()._belief(), "prior": self._share, "protocol": "forced-choice"}

    def predict(self, X):
        return self._fitted().classes_[super().predict(X)]

    def score(self, X, y):
        return float(np.mean(self.predict(X) == np.asarray(y)))
