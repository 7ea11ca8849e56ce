"""A trained model in use."""

from __future__ import annotations

import os
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._items import items_of
from ._names import check_features
from ._params import Parameters, not_fitted

_Self = TypeVar("_Self", bound="TrainedModel")


class TrainedModel(Parameters):
    """What a classifier can do once it is fitted."""

    #: The report as a page, as plain text, and as numbers; None for a model that was loaded from a file.
    _report: tuple[str, str, str] | None

    def decision_function(self, X: Any) -> NDArray[np.float32]:
        """How far the score of each row lies above the threshold."""
        above: NDArray[np.float32] = self._scores(X) - np.float32(self.classifier_.threshold)
        return above

    def predict(self, X: Any) -> NDArray[np.int64]:
        """1 for each row that is called positive, else 0."""
        positive: NDArray[np.bool_] = self._scores(X) > np.float32(self.classifier_.threshold)
        return positive.astype(np.int64)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probabilities of 0 and of 1 for each row."""
        scores = self._scores(X)
        slope, offset = (np.float32(number) for number in self.classifier_.probability)
        positive = 1.0 / (1.0 + np.exp(-(slope * scores + offset).astype(np.float64)))
        return np.column_stack([1.0 - positive, positive])

    def report(self, path: str | os.PathLike[str]) -> None:
        """Writes the report of the fit: a page (.html), plain text (.md) or numbers (.json)."""
        self._fitted()
        if self._report is None:
            raise ValueError("a model that was loaded from a file has no report: it is made by fit")
        ending = os.path.splitext(os.fspath(path))[1].lower()
        forms = {".html": 0, ".htm": 0, ".md": 1, ".json": 2}
        if ending not in forms:
            raise ValueError(f"the report must be a file that ends in .html, .md or .json, got {os.fspath(path)}")
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(self._report[forms[ending]])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the command line's model file."""
        self._fitted().classifier_.save(path)

    def to_onnx(self, path: str | os.PathLike[str] | None = None) -> bytes:
        """The model as the bytes of an ONNX file, which is also written if a path is given."""
        content = self._fitted().classifier_.to_onnx()
        if path is not None:
            with open(path, "wb") as file:
                file.write(content)
        return content

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "classifier_")

    def _fitted(self: _Self) -> _Self:
        if not hasattr(self, "classifier_"):
            raise not_fitted(type(self).__name__)
        return self

    def _take(self, classifier: _native.Classifier) -> None:
        self.classifier_ = classifier
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = classifier.width
        self.prior_ = classifier.prior
        names = classifier.feature_names
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _scores(self, X: Any, ids: ArrayLike | None = None) -> NDArray[np.float32]:
        self._fitted()
        items = items_of(X, ids)
        names = list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None
        check_features(type(self).__name__, self.n_features_in_, names, items)
        return self.classifier_.scores(items.native)
