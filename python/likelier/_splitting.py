"""Cross-validation over comparisons: items that are judged by are not trained on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._answers import answers_of
from ._seed import RandomState, seed_of
from ._stated import whole


class ComparisonSplit:
    """Folds of comparisons that keep their items apart, for ``GridSearchCV`` and its kin.

    The items are dealt into folds. A part to train on has the comparisons that touch no item of a fold; the part to
    judge by has those between two items of it. Comparisons across are in neither.

    >>> import numpy as np
    >>> from likelier import ComparisonSplit
    >>> pairs = np.arange(40).reshape(20, 2) % 30
    >>> for train, test in ComparisonSplit(3).split(pairs):
    ...     assert not set(pairs[train].ravel()) & set(pairs[test].ravel())
    """

    def __init__(self, n_splits: int = 5, *, random_state: RandomState = 0) -> None:
        self.n_splits = n_splits
        self.random_state = random_state

    def split(
        self, X: ArrayLike, y: object = None, groups: object = None
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """The places of the comparisons to train on and to judge by. X is the (n, 2) array of pairs."""
        array = np.asarray(X)
        # Whatever names the items: they are numbered here.
        names, numbers = np.unique(array, return_inverse=True)
        given = answers_of(numbers.reshape(array.shape), len(names))
        count = whole("n_splits", self.n_splits)
        of = _native.folds(given, len(names), count, seed_of(self.random_state))[given["pairs"]]
        for fold in range(count):
            inside = of == fold
            train, test = np.flatnonzero(~inside.any(axis=1)), np.flatnonzero(inside.all(axis=1))
            if len(test) == 0:
                raise ValueError(f"a fold of the items has no comparison of its own; ask for fewer than {count}")
            yield train, test

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """The number of folds."""
        return self.n_splits

    def __repr__(self) -> str:
        return f"ComparisonSplit({self.n_splits}, random_state={self.random_state!r})"


def label_free_accuracy(estimator: Any, X: ArrayLike, y: object = None) -> float:
    """A scorer for ``GridSearchCV``: the accuracy by held-out pairs X, without labels.

    The estimator must know its items: ``ComparisonClassifier(items=X)``. It is the estimator's own ``score``, and
    so what is used without a scorer.
    """
    return float(estimator.score(X))
