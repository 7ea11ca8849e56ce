"""What `FromComparisons` asks of a scikit-learn classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from ._pairs_data import Rows
from ._pairs_protocol import Array

# Of a row's weight of about 1; less is left out.
LEAST_WEIGHT = 1e-9


def last_step(estimator: Any) -> tuple[str, Any]:
    """The classifier at the end of (nested) pipelines, and the prefix of its fit parameters."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    return prefix, estimator


def check_estimator(estimator: Any) -> None:
    """Refuses what cannot learn from weights or does not tell probabilities, and says what to do."""
    name = type(last_step(estimator)[1]).__name__
    if isinstance(estimator, type) or not hasattr(estimator, "fit"):
        raise TypeError(f"estimator must be a classifier such as LogisticRegression(), got {estimator!r}")
    if not hasattr(estimator, "predict_proba"):
        raise TypeError(
            f"{name} has no predict_proba: choose a classifier that tells probabilities "
            "(SVC(probability=True), or wrap it: CalibratedClassifierCV(estimator))"
        )
    if not has_fit_parameter(last_step(estimator)[1], "sample_weight"):
        raise TypeError(
            f"{name} does not take sample_weight, by which it would be told the inferred labels: "
            "choose one that does, such as LogisticRegression, RandomForestClassifier or "
            "HistGradientBoostingClassifier (a search goes around FromComparisons, not inside)"
        )


def seed_estimator(estimator: Any, random: np.random.RandomState) -> None:
    """Seeds every part whose `random_state` is None."""
    for name, value in sorted(estimator.get_params(deep=True).items()):
        if value is None and (name == "random_state" or name.endswith("__random_state")):
            estimator.set_params(**{name: int(random.randint(np.iinfo(np.int32).max))})


def fit_weighted(estimator: Any, X: Any, rows: Rows, positive: Array, negative: Array) -> Any:
    """Fits each row as positive and as negative with these weights, scaled to a mean of 1 per row."""
    scale = len(rows) / float((positive + negative).sum())
    positive, negative = positive * scale, negative * scale
    as_positive, as_negative = positive > LEAST_WEIGHT, negative > LEAST_WEIGHT
    chosen = np.concatenate([rows[as_positive], rows[as_negative]])
    labels = np.repeat([1, 0], [int(as_positive.sum()), int(as_negative.sum())])
    weight = np.concatenate([positive[as_positive], negative[as_negative]])
    # In the order of the rows, so that a fit that looks at consecutive ones sees both classes.
    order = np.argsort(chosen, kind="stable")
    prefix, _ = last_step(estimator)
    selected = _safe_indexing(X, chosen[order])
    return estimator.fit(selected, labels[order], **{f"{prefix}sample_weight": weight[order]})


def probability_of(estimator: Any, X: Any) -> Array:
    """P(class 1) of each row."""
    found = np.asarray(estimator.predict_proba(X), dtype=np.float64)
    column = int(np.flatnonzero(np.asarray(estimator.classes_) == 1)[0])
    if not np.isfinite(found).all():
        raise ValueError(f"{type(last_step(estimator)[1]).__name__} gave probabilities that are not numbers")
    result: Array = found[:, column]
    return result
