"""`likelier.boosting`: derivatives by finite differences, and both libraries trained by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from likelier._pairs_data import Comparisons
from likelier._pairs_link import fit_level
from likelier._pairs_protocol import Collection, sigmoid
from likelier.boosting import PairObjective

CELLS = [(p, e) for p in ("forced-choice", "discard") for e in (0.0, 0.1)]


def problem(prior: float, seed: int = 0, rows: int = 1500, count: int = 3000) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    truth = rng.random(rows + 2000) < prior
    X = rng.normal(size=(len(truth), 4)) + np.where(truth[:, None], [1.6, -1.2, 0.0, 0.0], 0.0)
    first = rng.integers(rows, size=count)
    second = (first + rng.integers(1, rows, size=count)) % rows
    turn = np.where(truth[first] == truth[second], rng.random(count) < 0.5, truth[second])
    pairs = np.column_stack([np.where(turn, second, first), np.where(turn, first, second)])
    return X[:rows], pairs, X[rows:], truth[rows:]


@pytest.mark.parametrize(("protocol", "error"), CELLS)
def test_the_gradient_is_that_of_the_likelihood_at_the_held_level(protocol: str, error: float) -> None:
    rng = np.random.default_rng(1)
    pairs = np.column_stack([rng.integers(0, 10, 60), rng.integers(10, 20, 60)])
    weight, scores = rng.random(60), 2.0 * rng.normal(size=21)
    given = {"prior": 0.3, "protocol": protocol, "labeller_error": error, "weight": weight, "held_out": 0.0}
    objective = PairObjective(pairs, 21, **given)
    gradient, hessian = objective(scores, None)
    level = fit_level(objective.collection, scores, objective.trained)

    def surprise(raw: Any) -> float:
        z = raw + level
        return -float(weight @ objective.collection.log_orientation(z[pairs[:, 0]], z[pairs[:, 1]]))

    for row in range(21):
        step = np.zeros(21)
        step[row] = 1e-5
        slope = (surprise(scores + step) - surprise(scores - step)) / 2e-5
        assert abs(gradient[row] - slope) < 1e-7, row
    assert gradient[20] == 0.0
    assert (hessian > 0.0).all()


@pytest.mark.parametrize(("protocol", "error"), CELLS)
def test_the_pair_posterior_is_cross_entropy_to_fixed_targets(protocol: str, error: float) -> None:
    rng = np.random.default_rng(2)
    pairs = np.column_stack([rng.integers(0, 10, 60), rng.integers(10, 20, 60)])
    scores = rng.normal(size=20)
    given = {"prior": 0.2, "protocol": protocol, "labeller_error": error, "held_out": 0.0}
    objective = PairObjective(pairs, 20, objective="pair-posterior", **given)
    gradient, hessian = objective(scores, None)
    z = scores + fit_level(objective.collection, scores, objective.trained)
    r, r_other = objective.collection.label_posterior(z[pairs[:, 0]], z[pairs[:, 1]])

    def entropy(moved: Any) -> float:
        f = moved + objective.collection.shift
        likelier, other = f[pairs[:, 0]], f[pairs[:, 1]]
        total = np.logaddexp(0, likelier) - r * likelier + np.logaddexp(0, other) - r_other * other
        return float(total.sum())

    for row in range(20):
        step = np.zeros(20)
        step[row] = 1e-4
        up, middle, down = entropy(z + step), entropy(z), entropy(z - step)
        assert abs(gradient[row] - (up - down) / 2e-4) < 1e-6
        assert abs(hessian[row] - (up - 2 * middle + down) / 1e-8) < 1e-4
    if protocol == "forced-choice":
        same, _ = PairObjective(pairs, 20, **given)(scores, None)
        np.testing.assert_allclose(gradient, same, atol=1e-9)


def test_the_expected_hessian_is_twice_the_information() -> None:
    # One pair: the mean over both orders of the squared gradient is Fisher's information.
    scores, collection = np.array([0.4, -0.7]), Collection(0.3, "discard")
    squared = np.zeros(2)
    level = fit_level(collection, scores, Comparisons.read([[0, 1]], 2))
    for pair in ([[0, 1]], [[1, 0]]):
        objective = PairObjective(pair, 2, prior=0.3, protocol="discard", held_out=0.0)
        gradient, hessian = objective(scores, None)
        z = (scores + level)[np.array(pair)[0]]
        squared += np.exp(collection.log_orientation(z[:1], z[1:])) * gradient**2
        np.testing.assert_allclose(hessian, objective([0.4, -0.7], None)[1])
    np.testing.assert_allclose(hessian, 2.0 * squared, rtol=1e-6)


def test_held_out_items_take_no_part_and_alone_are_judged() -> None:
    _, pairs, _, _ = problem(0.3)
    objective = PairObjective(pairs, 1500, prior=0.3, held_out=0.1)
    out = objective.held_out.compared
    assert len(out) > 50
    assert np.intersect1d(out, objective.trained.compared).size == 0
    scores = np.random.default_rng(0).normal(size=1500)
    gradient, _ = objective(scores, None)
    assert (gradient[out] == 0.0).all()
    assert (gradient[objective.trained.compared] != 0.0).all()
    value = objective.value(scores)
    elsewhere = np.setdiff1d(np.arange(1500), out)
    scores[elsewhere] += 5.0
    assert objective.value(scores) == value
    kept = len(objective.trained.weight)
    assert kept >= 0.59 * len(pairs), "at most two fifths are kept from training"


def test_matched_pairs_are_held_out_as_asked() -> None:
    pairs = np.random.default_rng(0).permutation(1000).reshape(500, 2)
    objective = PairObjective(pairs, 1000, prior=0.4, held_out=0.2)
    assert len(objective.held_out.weight) == 100
    assert len(objective.trained.weight) == 400


def check(log_odds: Any, new_scores: Any, truth: Any, prior: float) -> None:
    z = log_odds(new_scores)
    accuracy = ((z > 0) == truth).mean()
    assert accuracy > max(prior, 1 - prior) + 0.04, accuracy
    assert abs(sigmoid(z).mean() - truth.mean()) < 0.06


@pytest.mark.parametrize("kind", ["likelihood", "pair-posterior"])
@pytest.mark.parametrize("prior", [0.2, 0.5, 0.8])
def test_xgboost_learns_and_stops(kind: str, prior: float) -> None:
    xgboost = pytest.importorskip("xgboost")
    X, pairs, new, truth = problem(prior)
    objective = PairObjective(pairs, len(X), prior=prior, objective=kind, held_out=0.1)
    matrix = xgboost.DMatrix(X)
    booster = xgboost.train(
        {"eta": 0.1, "max_depth": 3, "nthread": 1, "disable_default_eval_metric": True},
        matrix,
        300,
        obj=objective,
        custom_metric=objective.xgboost_metric,
        evals=[(matrix, "items")],
        early_stopping_rounds=15,
        verbose_eval=False,
    )
    assert 3 < booster.best_iteration < 299
    rounds = (0, booster.best_iteration + 1)

    def scores(rows: Any) -> Any:
        return booster.predict(xgboost.DMatrix(rows), output_margin=True, iteration_range=rounds)

    assert abs(objective.value(scores(X)) - booster.best_score) < 1e-4
    check(objective.calibrated(scores(X)), scores(new), truth, prior)


@pytest.mark.parametrize("kind", ["likelihood", "pair-posterior"])
@pytest.mark.parametrize("prior", [0.2, 0.8])
def test_lightgbm_learns_and_stops(kind: str, prior: float) -> None:
    lightgbm = pytest.importorskip("lightgbm")
    X, pairs, new, truth = problem(prior)
    objective = PairObjective(pairs, len(X), prior=prior, objective=kind, held_out=0.1)
    items = lightgbm.Dataset(X, label=np.zeros(len(X)))
    booster = lightgbm.train(
        {"objective": objective, "metric": "none", "num_leaves": 8, "num_threads": 1, "verbosity": -1},
        items,
        300,
        feval=objective.lightgbm_metric,
        valid_sets=[items.create_valid(X, label=np.zeros(len(X)))],
        callbacks=[lightgbm.early_stopping(15, verbose=False)],
    )
    assert 3 < booster.best_iteration < 299
    log_odds = objective.calibrated(booster.predict(X, raw_score=True))
    check(log_odds, booster.predict(new, raw_score=True), truth, prior)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"prior": 1.0}, ValueError, "strictly between 0 and 1"),
        ({"objective": "rank"}, ValueError, "use one of likelihood, pair-posterior"),
        ({"held_out": 1.0}, ValueError, r"held_out must lie in \[0, 1\)"),
        ({"held_out": "some"}, TypeError, "held_out must be a number"),
        ({"rows": 3}, ValueError, "row 3 is compared, but X has only 3 rows"),
        ({}, ValueError, "too few to hold out 0.2"),
    ],
)
def test_wrong_use_is_told(given: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        PairObjective([[0, 1], [2, 3]], **{"rows": 4, "prior": 0.5, **given})


def test_a_matrix_of_other_rows_is_refused() -> None:
    with pytest.raises(ValueError, match=r"4 rows were announced, but the scores have shape \(5,\)"):
        PairObjective([[0, 1]], 4, prior=0.5, held_out=0.0)(np.zeros(5), None)
