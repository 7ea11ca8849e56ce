"""How good a classifier is: by labels, or by pairs without any."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ._assessment import Assessment


class Judging:
    """``score`` for classifiers that learn from pairs, and items that are stated once."""

    #: The items that pairs alone are about.
    items: Any
    classes_: Any

    def score(
        self, X: Any, y: ArrayLike | None = None, *, tie: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> float:
        """The share of right calls: by labels y, or without labels where y is an (n, 2) array of pairs.

        Without labels it is the estimate that holds if equals are ordered by a coin; it may lie above 1. ``tie`` marks
        pairs that were answered "about the same". ``weight`` says how much each pair counts, or each label.
        """
        X, y = self._items_and_pairs(X, y, "score")
        truth = np.asarray(y)
        if truth.ndim == 2:
            return self._assessed(X, truth, tie=tie, weight=weight).new_items.accuracy.value
        if tie is not None:
            raise ValueError("tie is for pairs, and y holds labels")
        called = self.predict(X)
        if truth.ndim != 1 or not np.isin(truth, self.classes_).all():
            classes = " or ".join(str(name) for name in self.classes_[::-1])
            raise ValueError(f"y must hold a label for each row, {classes}, or be an (n, 2) array of pairs")
        if len(called) != len(truth):
            raise ValueError(f"{len(truth)} labels do not match {len(called)} items")
        right = np.asarray(called == truth, np.float64)
        return float(np.average(right, weights=None if weight is None else np.asarray(weight, np.float64)))

    def predict(self, X: Any) -> Any:
        """The class of each row."""
        raise NotImplementedError

    def _assessed(self, X: Any, pairs: ArrayLike, **noted: Any) -> Assessment:
        raise NotImplementedError

    def _items_and_pairs(self, X: Any, pairs: ArrayLike | None, verb: str) -> tuple[Any, ArrayLike]:
        if pairs is not None:
            return X, pairs
        if self.items is None:
            raise TypeError(f"{verb}() needs pairs beside X; or state the items (items=) and give pairs alone")
        return self.items, X
