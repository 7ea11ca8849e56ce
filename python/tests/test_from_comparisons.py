"""`FromComparisons`: any classifier, no label, correct at skewed priors."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")

import scipy.sparse
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from likelier import NoBetterThanChanceWarning
from likelier._pairs_data import Comparisons
from likelier._pairs_protocol import Collection
from likelier.from_comparisons import FromComparisons

CELLS = [(p, e) for p in ("forced-choice", "discard") for e in (0.0, 0.1)]


def draw(rng: Any, prior: float, rows: int) -> tuple[Any, Any]:
    truth = rng.random(rows) < prior
    return rng.normal(size=(rows, 4)) + np.where(truth[:, None], [1.1, 0.8, 0.0, 0.0], 0.0), truth.astype(int)


def answers(rng: Any, truth: Any, count: int, protocol: str = "forced-choice", error: float = 0.0) -> Any:
    """Comparisons of random pairs, drawn from the acceptance matrix itself."""
    first = rng.integers(len(truth), size=count)
    second = (first + rng.integers(1, len(truth), size=count)) % len(truth)
    accept = np.array(Collection(0.5, protocol, error).acceptance)
    in_order = rng.random(count) < accept[1 - truth[first], 1 - truth[second]]
    pairs = np.column_stack([first, second])
    return pairs[in_order] if protocol == "discard" else np.where(in_order[:, None], pairs, pairs[:, ::-1])


def problem(prior: float = 0.3, rows: int = 600, count: int = 900, seed: int = 0, **protocol: Any) -> Any:
    rng = np.random.default_rng(seed)
    X, truth = draw(rng, prior, rows)
    return X, answers(rng, truth, count, **protocol), *draw(rng, prior, 2000)


def linear(**given: Any) -> FromComparisons:
    return FromComparisons(LogisticRegression(), random_state=0, **{"prior": 0.3, **given})


@pytest.mark.parametrize(("protocol", "error"), CELLS)
@pytest.mark.parametrize("prior", [0.2, 0.5, 0.8])
def test_it_learns_at_every_prior(protocol: str, error: float, prior: float) -> None:
    X, pairs, new, truth = problem(prior, 1500, 3000, protocol=protocol, error=error)
    model = linear(prior=prior, protocol=protocol, labeller_error=error).fit(X, pairs)
    # Log-odds of the true posterior: 1.1 x + 0.8 y - (1.1² + 0.8²)/2 + logit prior.
    best = new @ [1.1, 0.8, 0.0, 0.0] - 0.925 + np.log(prior / (1 - prior)) > 0
    assert model.score(new, truth) > (best == truth).mean() - 0.025
    assert abs(model.predict_proba(new)[:, 1].mean() - truth.mean()) < 0.05


@pytest.mark.parametrize(
    "estimator",
    [RandomForestClassifier(30, min_samples_leaf=3), HistGradientBoostingClassifier(max_iter=20)],
    ids=["forest", "boosting"],
)
@pytest.mark.parametrize("prior", [0.2, 0.8])
def test_trees_beat_the_piles_taken_for_labels_and_never_collapse(estimator: Any, prior: float) -> None:
    gains = []
    for seed in range(3):
        X, pairs, new, truth = problem(prior, 800, 1600, seed)
        model = FromComparisons(estimator, prior=prior, folds=3, random_state=seed).fit(X, pairs)
        rows, pile = pairs.T.ravel(), np.repeat([1, 0], len(pairs))
        naive = clone(estimator).set_params(random_state=seed).fit(X[rows], pile)
        accuracy = model.score(new, truth)
        assert accuracy > max(prior, 1 - prior) - 0.02, "one class would be as good"
        assert 0.01 < model.predict(new).mean() < 0.99
        gains.append(accuracy - (naive.predict(new) == truth).mean())
    gains = np.array(gains)
    # One-sided, 5 %, two degrees of freedom.
    assert gains.mean() > max(0.05, 2.92 * gains.std(ddof=1) / np.sqrt(3)), gains


def test_judged_scores_are_not_flattered() -> None:
    # A forest of deep trees learns by heart. Without a chain for each fold it would be judged -0.649 here;
    # on fresh comparisons it has -0.676.
    X, pairs, new, truth = problem(0.2, 700, 1200, seed=2)
    forest = RandomForestClassifier(20)
    model = FromComparisons(forest, prior=0.2, rounds=1, folds=4, random_state=0).fit(X, pairs)
    fresh = answers(np.random.default_rng(9), truth, 20_000)
    scores = model.decision_function(new)
    kept = model.rounds_[model.kept_round_].likelihood
    likelihood = Collection(0.2, "forced-choice").log_orientation(scores[fresh[:, 0]], scores[fresh[:, 1]]).mean()
    assert kept < likelihood + 0.012, (kept, likelihood)


def test_noise_is_told() -> None:
    rng = np.random.default_rng(5)
    pairs = answers(rng, (rng.random(300) < 0.4).astype(int), 400)
    with pytest.warns(NoBetterThanChanceWarning, match="no better than by a coin"):
        linear(prior=0.4).fit(rng.normal(size=(300, 5)), pairs)


def test_a_tie_is_half_a_comparison_each_way() -> None:
    X, pairs, new, _ = problem()
    tie = np.arange(len(pairs)) % 4 == 0
    tied = Comparisons.read(pairs, len(X), tie)
    np.testing.assert_allclose(tied.wins + tied.losses, Comparisons.read(pairs, len(X)).by_row(1.0, 1.0))
    both = np.concatenate([pairs, pairs[tie][:, ::-1]])
    weight = np.concatenate([np.where(tie, 0.5, 1.0), np.full(tie.sum(), 0.5)])
    a = linear().fit(X, pairs, tie=tie).decision_function(new)
    b = linear().fit(X, both, weight=weight).decision_function(new)
    c = linear().fit(X, pairs).decision_function(new)
    np.testing.assert_allclose(a, b)
    assert np.abs(a - c).max() > 1e-3


def test_weights_scale_away_and_zero_means_absent() -> None:
    X, pairs, new, _ = problem()
    plain = linear().fit(X, pairs).decision_function(new)
    np.testing.assert_allclose(plain, linear().fit(X, pairs, weight=np.full(len(pairs), 3.0)).decision_function(new))
    extra, weight = np.concatenate([pairs, pairs[:50, ::-1]]), np.repeat([1.0, 0.0], [len(pairs), 50])
    np.testing.assert_allclose(plain, linear().fit(X, extra, weight=weight).decision_function(new))


def test_frames_sparse_and_pipelines_give_the_same() -> None:
    pd = pytest.importorskip("pandas")
    X, pairs, new, _ = problem()
    plain = linear().fit(X, pairs)
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(len(X))[::-1])
    named = linear().fit(frame, pd.DataFrame(pairs))
    assert list(named.feature_names_in_) == list("abcd")
    assert named.n_features_in_ == 4
    np.testing.assert_allclose(named.predict_proba(pd.DataFrame(new, columns=list("abcd"))), plain.predict_proba(new))
    sparse = linear().fit(scipy.sparse.coo_matrix(X), pairs)
    scores = sparse.decision_function(scipy.sparse.csc_matrix(new))
    np.testing.assert_allclose(scores, plain.decision_function(new), atol=1e-3)
    pipeline = FromComparisons(make_pipeline(StandardScaler(), LogisticRegression()), prior=0.3, random_state=0)
    assert (pipeline.fit(X, pairs).predict(new) == plain.predict(new)).mean() > 0.98
    with pytest.raises(ValueError, match="expecting 4 features"):
        plain.predict(new[:, :3])


def test_the_same_seed_gives_the_same_and_it_can_be_copied() -> None:
    X, pairs, new, _ = problem()
    model = FromComparisons(RandomForestClassifier(5, max_depth=3), prior=0.3, folds=3, random_state=7)
    copy = clone(model)
    assert copy.get_params()["estimator__n_estimators"] == 5
    first = model.fit(X, pairs).predict_proba(new)
    np.testing.assert_array_equal(first, copy.fit(X, pairs).predict_proba(new))
    np.testing.assert_array_equal(first, pickle.loads(pickle.dumps(model)).predict_proba(new))
    assert (copy.set_params(random_state=8).fit(X, pairs).predict_proba(new) != first).any()
    assert list(model.classes_) == [0, 1]
    assert len(model.rounds_) == 2
    np.testing.assert_allclose(first.sum(axis=1), 1.0)
    assert ((model.decision_function(new) > 0) == model.predict(new)).all()


@pytest.mark.parametrize(
    ("library", "name", "given"),
    [
        ("xgboost", "XGBClassifier", {"n_estimators": 10, "n_jobs": 1}),
        ("lightgbm", "LGBMClassifier", {"n_estimators": 10, "n_jobs": 1, "verbose": -1}),
        ("catboost", "CatBoostClassifier", {"iterations": 10, "thread_count": 1, "verbose": False}),
    ],
)
def test_the_boosting_libraries_own_classifiers_learn(library: str, name: str, given: Any) -> None:
    given = given | ({"allow_writing_files": False} if library == "catboost" else {})
    estimator = getattr(pytest.importorskip(library), name)(**given)
    X, pairs, new, truth = problem(0.2, 800, 1600)
    model = FromComparisons(estimator, prior=0.2, folds=3, random_state=0)
    first = model.fit(X, pairs).decision_function(new)
    assert model.score(new, truth) > 0.8
    np.testing.assert_array_equal(first, clone(model).fit(X, pairs).decision_function(new))


def test_no_rounds_is_the_start() -> None:
    X, pairs, new, truth = problem()
    model = linear(rounds=0).fit(X, pairs)
    assert model.estimator_ is model.start_estimator_
    assert model.kept_round_ == 0
    assert len(model.rounds_) == 1
    assert (model.start_estimator_.predict(new) == truth).mean() > 0.75


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (KNeighborsClassifier(), "does not take sample_weight"),
        (RidgeClassifier(), "has no predict_proba"),
        (SVC(), "CalibratedClassifierCV"),
        (
            make_pipeline(StandardScaler(), KNeighborsClassifier()),
            "KNeighborsClassifier does not take sample_weight",
        ),
        (GridSearchCV(LogisticRegression(), {"C": [1, 2]}), "around FromComparisons"),
        (LogisticRegression, "must be a classifier"),
        ("forest", "must be a classifier"),
    ],
)
def test_estimators_that_cannot_are_refused(estimator: Any, message: str) -> None:
    X, pairs, _, _ = problem()
    with pytest.raises(TypeError, match=message):
        FromComparisons(estimator, prior=0.3).fit(X, pairs)


def test_the_ways_out_work() -> None:
    X, pairs, new, truth = problem(rows=300, count=300)
    wrapped = CalibratedClassifierCV(RidgeClassifier(), cv=2)
    assert FromComparisons(wrapped, prior=0.3, folds=3, random_state=0).fit(X, pairs).score(new, truth) > 0.7


@pytest.mark.parametrize(
    ("pairs", "error", "message"),
    [
        ([[0, 600]], ValueError, "row 600 is compared, but X has only 600 rows"),
        ([[0, -1]], ValueError, "count from 0, got -1"),
        ([[0, 1, 2]], ValueError, r"shape \(comparisons, 2\)"),
        ([0, 1], ValueError, r"shape \(comparisons, 2\)"),
        ([[0.0, 1.0]], TypeError, "got float64"),
        ([[0.0, np.nan]], TypeError, "got float64"),
        ([["a", "b"]], TypeError, "got <U1"),
        ([[0, 1], [3, 3]], ValueError, "comparison 1 compares row 3 with itself"),
        ([[0, 1], [2, 3]], ValueError, "too few for 5 folds"),
        (np.empty((0, 2), dtype=int), ValueError, "no comparisons"),
        ([], ValueError, "no comparisons"),
        (np.array([[0, 2**33]]), ValueError, "row 8589934592 is compared"),
        (np.array([[0, 2**63]], dtype=np.uint64), ValueError, "row 9223372036854775808"),
    ],
)
def test_bad_pairs_are_told(pairs: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        linear().fit(np.zeros((600, 2)), pairs)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"prior": 0.0}, ValueError, "strictly between 0 and 1, got 0.0"),
        ({"prior": float("nan")}, ValueError, "strictly between 0 and 1, got nan"),
        ({"prior": "0.3"}, TypeError, "must be a number"),
        ({"labeller_error": 0.5}, ValueError, r"\[0, 0.5\), got 0.5"),
        ({"protocol": "keep"}, ValueError, "use one of discard, forced-choice"),
        ({"folds": 2}, ValueError, "folds must be at least 3"),
        ({"folds": 5.0}, TypeError, "folds must be a whole number"),
        ({"rounds": -1}, ValueError, "rounds must be at least 0"),
    ],
)
def test_bad_parameters_are_told(given: Any, error: Any, message: str) -> None:
    X, pairs, _, _ = problem()
    with pytest.raises(error, match=message):
        linear(**given).fit(X, pairs)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"weight": [1.0]}, ValueError, "900 comparisons but weight has shape"),
        ({"weight": np.full(900, -1.0)}, ValueError, "not negative"),
        ({"weight": np.full(900, np.nan)}, ValueError, "finite"),
        ({"weight": np.zeros(900)}, ValueError, "weight 0"),
        ({"weight": ["a"] * 900}, TypeError, "must be numbers"),
        ({"tie": [True]}, ValueError, "900 comparisons but tie has shape"),
        ({"tie": np.full(900, 2)}, TypeError, "True or False"),
        ({"tie": np.full(900, 0.5)}, TypeError, "True or False"),
    ],
)
def test_bad_weights_and_ties_are_told(given: Any, error: Any, message: str) -> None:
    X, pairs, _, _ = problem()
    with pytest.raises(error, match=message):
        linear().fit(X, pairs, **given)


def test_not_fitted_yet() -> None:
    with pytest.raises(NotFittedError):
        linear().predict(np.zeros((3, 2)))
