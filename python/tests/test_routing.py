"""scikit-learn's metadata routing: ties, weights and annotators reach fit and score with the right parts."""

import numpy as np
import pytest
import sklearn
from data import blobs
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from likelier import ComparisonClassifier, ComparisonSplit, FromComparisons

STATED = {"prior": 0.4, "protocol": "forced-choice", "hold_out": 0.0}
pytestmark = pytest.mark.filterwarnings("ignore::likelier.LikelierWarning")


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def noted(count):
    rng = np.random.default_rng(0)
    return {"tie": rng.random(count) < 0.2, "weight": rng.random(count).astype(np.float32)}


def by_hand(model, pairs, notes, heard_by_score):
    """The score of each fold, without scikit-learn's tools."""
    found = []
    for train, test in ComparisonSplit(3).split(pairs):
        fitted = clone(model).fit(pairs[train], **{name: values[train] for name, values in notes.items()})
        kept = {name: values[test] for name, values in notes.items()} if heard_by_score else {}
        found.append(fitted.score(pairs[test], **kept))
    return found


def models(X):
    wrapped = FromComparisons(LogisticRegression(), prior=0.4, folds=3, rounds=0, random_state=0, items=X)
    return [ComparisonClassifier(**STATED, items=X), wrapped]


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("which", [0, 1])
def test_what_is_requested_reaches_fit_and_score_cut_into_the_same_parts(which):
    X, _, pairs = blobs(count=600, pairs=5000)
    notes = noted(len(pairs))
    model = models(X)[which].set_fit_request(tie=True, weight=True).set_score_request(tie=True, weight=True)
    search = GridSearchCV(model, {"labeller_error": [0.0, 0.1]}, cv=ComparisonSplit(3)).fit(pairs, **notes)
    for at, error in enumerate([0.0, 0.1]):
        wanted = by_hand(clone(model).set_params(labeller_error=error), pairs, notes, heard_by_score=True)
        assert [search.cv_results_[f"split{fold}_test_score"][at] for fold in range(3)] == wanted
    assert search.best_estimator_.items is X
    plain = GridSearchCV(model, {"labeller_error": [0.0]}, cv=ComparisonSplit(3)).fit(pairs)
    assert plain.best_score_ != search.cv_results_["mean_test_score"][0]


@pytest.mark.parametrize("which", [0, 1])
def test_without_routing_they_reach_fit_alone(which):
    X, _, pairs = blobs(count=600, pairs=5000)
    notes = noted(len(pairs))
    model = models(X)[which]
    search = GridSearchCV(model, {"labeller_error": [0.0]}, cv=ComparisonSplit(3)).fit(pairs, **notes)
    wanted = by_hand(model, pairs, notes, heard_by_score=False)
    assert [search.cv_results_[f"split{fold}_test_score"][0] for fold in range(3)] == wanted
    assert wanted != by_hand(model, pairs, notes, heard_by_score=True)


@pytest.mark.usefixtures("routing")
def test_annotators_reach_the_fit_of_a_pipeline():
    X, _, pairs = blobs()
    who = np.where(np.arange(len(pairs)) % 2, "ann", "ben")
    last = ComparisonClassifier(prior=0.4, protocol="forced-choice").set_fit_request(annotator=True)
    pipeline = make_pipeline(StandardScaler(), last).fit(X, pairs, annotator=who)
    assert "ann" in pipeline[-1]._report[2]


@pytest.mark.usefixtures("routing")
def test_what_was_neither_requested_nor_refused_is_not_dropped_in_silence():
    X, _, pairs = blobs(count=600, pairs=5000)
    model = models(X)[0]
    tie = np.zeros(len(pairs), bool)
    with pytest.raises(ValueError, match=r"\[tie\] are passed but are not explicitly set as requested"):
        cross_val_score(model, pairs, cv=ComparisonSplit(3), params={"tie": tie})
    stated = clone(model).set_fit_request(tie=True).set_score_request(tie=False)
    assert len(cross_val_score(stated, pairs, cv=ComparisonSplit(3), params={"tie": tie})) == 3


@pytest.mark.usefixtures("routing")
def test_requests_are_kept_by_a_clone_and_belong_to_one_estimator():
    model = ComparisonClassifier(**STATED).set_fit_request(weight=True)
    assert clone(model).get_metadata_routing().fit.requests["weight"] is True
    model.set_fit_request(weight="certainty")
    assert clone(model).get_metadata_routing().fit.requests["weight"] == "certainty"
    assert ComparisonClassifier(**STATED).get_metadata_routing().fit.requests["weight"] is None
    with pytest.raises(TypeError, match="has no argument 'weigth' to request"):
        model.set_fit_request(weigth=True)


def test_requests_need_routing():
    with pytest.raises(RuntimeError, match="enable_metadata_routing=True"):
        ComparisonClassifier(**STATED).set_fit_request(tie=True)
