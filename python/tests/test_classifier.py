"""ComparisonClassifier: what goes in, and what comes out."""

import json
import warnings

import numpy as np
import pytest
from data import blobs

from likelier import ComparisonClassifier, LikelierWarning
from likelier._warnings import (
    CATEGORIES,
    BothOrdersWarning,
    NoBetterThanChanceWarning,
    NotJudgedWarning,
    RepeatedPairsWarning,
)

STATED = {"prior": 0.4, "protocol": "forced-choice", "equals": "coin"}


def fitted(**stated):
    X, truth, pairs = blobs()
    return X, truth, pairs, ComparisonClassifier(**{**STATED, **stated}).fit(X, pairs)


def test_it_learns_and_knows_how_well():
    X, truth, _, model = fitted()
    accuracy = model.assess().new_items.accuracy
    assert accuracy.low < model.score(X, truth) < accuracy.high
    assert model.assess().folds == 5
    assert model.assess() is model.assessment_
    assert list(model.classes_) == [0, 1]
    assert model.n_features_in_ == 3
    assert model.prior_ == 0.4
    assert model.n_iter_ > 0


def test_scores_probabilities_and_calls_agree():
    X, _, _, model = fitted()
    scores, probabilities = model.decision_function(X), model.predict_proba(X)
    np.testing.assert_array_equal(scores > 0, model.predict(X) == 1)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_array_equal(np.argsort(scores), np.argsort(probabilities[:, 1]))
    calibrated = fitted(calibrate=True)[3]
    assert not np.allclose(calibrated.predict_proba(X), probabilities)


def test_further_comparisons_judge_it_too():
    X, truth, _, model = fitted()
    more, labels, pairs = blobs(seed=1, count=1000, pairs=5000)
    found = model.assess(more, pairs)
    assert found.judged_by == "given"
    assert found.new_items.accuracy.low < model.score(more, labels) < found.new_items.accuracy.high
    assert model.score(more, pairs) == found.new_items.accuracy.value


@pytest.mark.parametrize("kind", ["float64", "fortran", "read-only", "strided", "list", "half", "unaligned"])
def test_the_layout_of_an_array_changes_nothing(kind):
    X, _, pairs, model = fitted()
    read_only = X.copy()
    read_only.flags.writeable = False
    raw = np.empty(X.nbytes + 1, np.uint8)
    unaligned = raw[1:].view(np.float32).reshape(X.shape)
    unaligned[:] = X
    other = {
        "float64": X.astype(np.float64),
        "fortran": np.asfortranarray(X),
        "read-only": read_only,
        "strided": np.repeat(X, 2, axis=0)[::2],
        "list": X.tolist(),
        "half": X.astype(np.float16),
        "unaligned": unaligned,
    }[kind]
    again = ComparisonClassifier(**STATED).fit(other, pairs)
    if kind != "half":
        np.testing.assert_array_equal(again.decision_function(other), model.decision_function(X))
    assert again.decision_function(other).shape == (len(X),)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_a_frame_gives_its_columns_names(kind):
    module = pytest.importorskip(kind)
    X, _, pairs, model = fitted()
    names = ["a", "b", "c"]
    columns = {name: X[:, at] for at, name in enumerate(names)}
    frame = module.table(columns) if kind == "pyarrow" else module.DataFrame(columns)
    named = ComparisonClassifier(**STATED).fit(frame, pairs)
    assert list(named.feature_names_in_) == names
    np.testing.assert_array_equal(named.decision_function(frame), model.decision_function(X))
    assert json.loads(named.classifier_.metadata)["features"][0]["name"] == "a"
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        model.predict(frame)


def test_a_frame_with_an_index_is_compared_by_its_ids():
    pandas = pytest.importorskip("pandas")
    X, _, pairs, model = fitted()
    names = np.array([f"wine {number}" for number in range(len(X))])
    by_index = ComparisonClassifier(**STATED).fit(pandas.DataFrame(X, index=names), names[pairs])
    by_ids = ComparisonClassifier(**STATED).fit(X, names[pairs], ids=names)
    shuffled = np.random.default_rng(0).permutation(len(X))
    frame = pandas.DataFrame(X).iloc[shuffled]
    moved = ComparisonClassifier(**STATED).fit(frame, pairs)
    for other in (by_index, by_ids):
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
    np.testing.assert_allclose(moved.decision_function(X), model.decision_function(X), atol=0.05)
    assert moved.assess(frame, pairs).new_items.items == len(np.unique(pairs))


@pytest.mark.parametrize("kind", ["csr_matrix", "csc_array", "coo_array"])
def test_a_sparse_matrix_is_learned_from_as_it_is(kind):
    sparse = pytest.importorskip("scipy.sparse")
    X, truth, pairs = blobs()
    X = np.where(X > 0.5, X, 0)
    model = ComparisonClassifier(**STATED).fit(getattr(sparse, kind)(X), pairs)
    assert model.score(sparse.csr_matrix(X), truth) > 0.7
    np.testing.assert_allclose(model.decision_function(X), model.decision_function(sparse.csr_matrix(X)), atol=1e-5)


def test_ties_weights_and_annotators_are_heard():
    X, _, pairs, model = fitted()
    ones = ComparisonClassifier(**STATED).fit(X, pairs, weight=np.ones(len(pairs)), tie=np.zeros(len(pairs), bool))
    np.testing.assert_array_equal(ones.decision_function(X), model.decision_function(X))
    weights = np.random.default_rng(0).random(len(pairs))
    weighted = ComparisonClassifier(**STATED).fit(X, pairs, weight=weights)
    tied = ComparisonClassifier(**STATED).fit(X, pairs, tie=weights < 0.5)
    for other in (weighted, tied):
        assert not np.array_equal(other.decision_function(X), model.decision_function(X))
    who = np.where(weights < 0.5, "ann", None)
    noted = ComparisonClassifier(**STATED).fit(X, pairs, annotator=who)
    assert "ann" in noted._report[2]


def test_every_model_and_seed_can_be_asked_for():
    X, truth, _, model = fitted(model="mlp", hidden=[16], epochs=20)
    assert model.score(X, truth) > 0.7
    assert model.assess().judged_by == "held-out"
    linear = [fitted(random_state=state, hold_out=0.0)[3].decision_function(X) for state in (0, 0, 1)]
    np.testing.assert_array_equal(linear[0], linear[1])
    assert not np.array_equal(linear[0], linear[2])
    rng = np.random.default_rng(5)
    drawn = [fitted(random_state=rng, hold_out=0.0)[3].decision_function(X) for _ in range(2)]
    assert not np.array_equal(*drawn)
    assert fitted(random_state=None, hold_out=0.0)[3].n_iter_ > 0


def test_bytes_are_taken_for_images():
    rng = np.random.default_rng(0)
    _, truth, pairs = blobs()
    images = (rng.integers(0, 100, size=(400, 64)) + 30 * truth[:, None]).astype(np.uint8)
    model = ComparisonClassifier(**STATED).fit(images, pairs)
    assert model.score(images, truth) > 0.9
    np.testing.assert_allclose(
        model.decision_function(images.astype(float)), model.decision_function(images), atol=1e-5
    )


def test_the_threads_change_nothing():
    X, _, _, model = fitted(threads=1)
    assert model.classifier_.to_bytes() == fitted(threads=2)[3].classifier_.to_bytes()


def test_a_report_comes_in_three_forms(tmp_path):
    _, _, _, model = fitted()
    for ending, begins in [("html", "<!"), ("md", "# "), ("json", "{")]:
        path = tmp_path / f"model.{ending}"
        model.report(path)
        text = path.read_text()
        assert text.startswith(begins)
        assert "ComparisonClassifier" in text
    assert json.loads(text)["result"]["prior"] == 0.4
    with pytest.raises(ValueError, match="ends in"):
        model.report(tmp_path / "model.txt")


def test_a_saved_model_is_loaded_and_an_onnx_file_is_one(tmp_path):
    X, _, _, model = fitted()
    model.save(tmp_path / "model.likelier")
    again = ComparisonClassifier.load(tmp_path / "model.likelier")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.prior == 0.4
    with pytest.raises(ValueError, match="no report"):
        again.report(tmp_path / "model.html")
    with pytest.raises(ValueError, match="nothing is known"):
        again.assess()
    assert model.to_onnx(tmp_path / "model.onnx") == (tmp_path / "model.onnx").read_bytes()


def test_warnings_have_a_category_each():
    X, _, pairs = blobs()
    with pytest.warns(NotJudgedWarning, match="no comparisons were held out.*`hold_out`"):
        ComparisonClassifier(**STATED, hold_out=0.0).fit(X, pairs)
    with pytest.warns(BothOrdersWarning), pytest.warns(RepeatedPairsWarning):
        ComparisonClassifier(**STATED).fit(X, np.concatenate([pairs, pairs[:3], pairs[:3, ::-1]]))
    noise = np.random.default_rng(0).normal(size=X.shape)
    with pytest.warns(NoBetterThanChanceWarning):
        ComparisonClassifier(**STATED).fit(noise, pairs)
    assert CATEGORIES["not-judged"] is NotJudgedWarning
    assert len(CATEGORIES) == len(LikelierWarning.__subclasses__()) == 15
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ComparisonClassifier(**STATED).fit(X, pairs)
