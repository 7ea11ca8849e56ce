"""scikit-learn's own checks, its tools, and its conventions."""

import pickle

import numpy as np
import pytest
from adapter import FromLabels
from data import blobs
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from likelier import ComparisonClassifier, ComparisonSplit, label_free_accuracy


@parametrize_with_checks([FromLabels(), FromLabels(model="mlp", hidden=[16], epochs=30)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def test_parameters_are_the_arguments_and_a_clone_has_them():
    model = ComparisonClassifier(prior=0.3, protocol="discard", hidden=[8, 8])
    assert model.get_params()["hidden"] == [8, 8]
    copied = clone(model)
    assert copied is not model
    assert copied.get_params() == model.get_params()
    assert copied.set_params(prior=0.4).prior == 0.4
    assert repr(model) == "ComparisonClassifier(prior=0.3, protocol='discard', hidden=[8, 8])"
    with pytest.raises(ValueError, match="Invalid parameter 'priors'"):
        model.set_params(priors=0.4)
    assert is_classifier(model)


def test_a_clone_shares_its_items_and_is_not_fitted():
    X, _, pairs = blobs()
    model = ComparisonClassifier(prior=0.4, protocol="forced-choice", items=X).fit(pairs)
    copied = clone(model)
    assert copied.items is X
    assert not hasattr(copied, "classifier_")


def test_a_grid_search_needs_no_labels_and_judges_by_other_items():
    X, truth, pairs = blobs(count=800, pairs=6000)
    model = ComparisonClassifier(prior=0.4, protocol="forced-choice", hold_out=0.0, items=X)
    grid = {"learning_rate": [0.01, 1e-6]}
    search = GridSearchCV(model, grid, cv=ComparisonSplit(3), scoring=label_free_accuracy).fit(pairs)
    assert search.best_params_ == {"learning_rate": 0.01}
    good, bad = search.cv_results_["mean_test_score"]
    assert abs(good - search.best_estimator_.score(X, truth)) < 0.1
    assert good > bad + 0.05
    assert len(cross_val_score(model, pairs, cv=ComparisonSplit(3), scoring=label_free_accuracy)) == 3


def test_folds_keep_items_apart_and_each_comparison_is_judged_by_at_most_once():
    _, _, pairs = blobs()
    seen = np.zeros(len(pairs), int)
    for train, test in ComparisonSplit(4).split(pairs):
        assert not set(pairs[train].ravel()) & set(pairs[test].ravel())
        assert len(train) > len(pairs) / 4
        seen[test] += 1
    assert seen.max() == 1
    names = np.array([f"item {number}" for number in range(pairs.max() + 1)])
    named = list(ComparisonSplit(4).split(names[pairs]))
    assert len(named) == ComparisonSplit(4).get_n_splits() == 4
    with pytest.raises(ValueError, match="number of folds"):
        next(ComparisonSplit(100).split(pairs[:10]))


def test_a_pipeline_scales_the_items_first():
    X, truth, pairs = blobs()
    pipeline = make_pipeline(StandardScaler(), ComparisonClassifier(prior=0.4, protocol="forced-choice"))
    pipeline.fit(X * [1, 1000, 1], pairs)
    assert pipeline.score(X * [1, 1000, 1], truth) > 0.7


def test_a_pickled_model_is_the_same_model():
    X, _, pairs = blobs()
    model = ComparisonClassifier(prior=0.4, protocol="forced-choice").fit(X, pairs)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.assess() == model.assess()
    assert again.get_params() == model.get_params()
