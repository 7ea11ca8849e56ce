"""A program that mypy reads strictly; the tests run it as well."""

import numpy as np
from numpy.typing import NDArray

from likelier import Assessment, ComparisonClassifier, Interval, Risk, assess, check, generate, plan, risk


def main() -> tuple[float, float]:
    rng = np.random.default_rng(0)
    truth: NDArray[np.bool_] = rng.random(400) < 0.4
    X = rng.normal(size=(400, 3)) + truth[:, None]
    pairs: NDArray[np.int64] = generate(truth, 2000, prior=0.4).pairs
    model = ComparisonClassifier(prior=0.4, protocol="forced-choice", hold_out=0.2).fit(X, pairs)
    judged: Assessment = model.assess()
    accuracy: Interval = judged.new_items.accuracy
    probabilities: NDArray[np.float64] = model.predict_proba(X)
    calls: NDArray[np.int64] = model.set_params(prior=0.3).predict(X)
    found: Risk = risk(probabilities[:, 0], probabilities[:, 1], prior=0.4)
    needed: int = plan(prior=0.4, protocol="discard", half_width=0.1)[0].comparisons
    other: Assessment = assess(model.decision_function(X), pairs, prior=0.4, protocol="forced-choice")
    sound: bool = check(X, pairs, protocol="forced-choice").sound
    assert sound
    assert needed > 0
    assert found.value > 0
    assert other.folds is None
    return accuracy.value, float((calls == truth).mean())
