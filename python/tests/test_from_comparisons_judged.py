"""`FromComparisons`: frames of any kind go through, and pairs judge it without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_from_comparisons import answers, linear, problem

from likelier import FromComparisons


@pytest.mark.parametrize("kind", ["polars", "pyarrow"])
@pytest.mark.parametrize(
    "estimator",
    [make_pipeline(StandardScaler(), LogisticRegression()), HistGradientBoostingClassifier(max_iter=10)],
    ids=["pipeline", "boosting"],
)
def test_frames_without_an_index_go_through(kind: str, estimator: Any) -> None:
    module = pytest.importorskip(kind)
    X, pairs, new, _ = problem()

    def framed(rows: Any) -> Any:
        columns = {name: rows[:, at] for at, name in enumerate("abcd")}
        return module.table(columns) if kind == "pyarrow" else module.DataFrame(columns)

    model = FromComparisons(estimator, prior=0.3, folds=3, random_state=0)
    named = clone(model).fit(framed(X), pairs)
    assert list(named.feature_names_in_) == list("abcd")
    scores = model.fit(X, pairs).decision_function(new)
    np.testing.assert_allclose(named.decision_function(framed(new)), scores, atol=1e-3)


def test_it_is_judged_without_labels_by_pairs() -> None:
    X, pairs, new, truth = problem()
    model = linear().fit(X, pairs)
    fresh = answers(np.random.default_rng(3), truth, 8000)
    found = model.assess(new, fresh, equals="coin")
    accuracy = found.new_items.accuracy
    assert accuracy.low < model.score(new, truth) < accuracy.high
    assert model.score(new, fresh) == accuracy.value
    assert model.assess(new, fresh).new_items.ranges is not None
    tie = np.arange(len(fresh)) % 3 == 0
    assert model.score(new, fresh, tie=tie) == model.assess(new, fresh, tie=tie).new_items.accuracy.value
    assert model.score(new, fresh, tie=tie) != accuracy.value
    assert model.score(new, truth, weight=truth) == pytest.approx((model.predict(new) == truth)[truth == 1].mean())
    with pytest.raises(ValueError, match="tie is for pairs"):
        model.score(new, truth, tie=truth == 1)
    with pytest.raises(TypeError, match="needs pairs beside X"):
        linear().fit(X)
