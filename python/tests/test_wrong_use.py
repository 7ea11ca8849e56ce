"""Wrong use: a clear error of Python's, never a crash."""

import os
import subprocess
import sys

import numpy as np
import pytest
from data import blobs

from likelier import ComparisonClassifier, NotFittedError, assess, check, generate, risk

STATED = {"prior": 0.4, "protocol": "forced-choice"}


def fit(X=None, pairs=None, *, stated=None, **noted):
    good, _, answers = blobs()
    model = ComparisonClassifier(**{**STATED, **(stated or {})})
    return model.fit(good if X is None else X, answers if pairs is None else pairs, **noted)


@pytest.mark.parametrize(
    ("pairs", "error", "words"),
    [
        ([[0, 400]], ValueError, "refers to item 400, but there are only 400 items"),
        ([[0, -1]], ValueError, "refers to item -1"),
        ([[2**40, 1]], ValueError, "refers to item 1099511627776"),
        ([[0.0, 1.0]], TypeError, "float64"),
        ([[True, False]], TypeError, "bool"),
        ([["a", "b"]], TypeError, "give the ids"),
        ([0, 1], ValueError, r"shape \(n, 2\)"),
        ([[0, 1, 2]], ValueError, r"shape \(n, 2\)"),
        (np.empty((0, 2), int), ValueError, "empty"),
        ("ab", ValueError, r"shape \(n, 2\)"),
    ],
)
def test_pairs_that_are_none(pairs, error, words):
    with pytest.raises(error, match=words):
        fit(pairs=pairs)


@pytest.mark.parametrize(
    ("X", "error", "words"),
    [
        (np.zeros(5), ValueError, "Reshape your data"),
        (np.zeros((2, 2, 2)), ValueError, "two dimensions"),
        (np.zeros((0, 3)), ValueError, "0 sample"),
        (np.zeros((5, 0)), ValueError, "0 feature"),
        (np.array([["a", "b"]]), ValueError, "must hold numbers"),
        (np.array([["a", 1.0]], dtype=object), ValueError, "holds text"),
        (np.array([[{}, 1.0]], dtype=object), TypeError, "argument must be"),
        (np.zeros((5, 2), complex), ValueError, "Complex data not supported"),
        (np.zeros((5, 2), "datetime64[s]"), ValueError, "must hold numbers"),
        (np.array([[1.0, np.nan]]), ValueError, "row 0, column 1 .* holds NaN"),
        (np.array([[1.0, 2.0], [-np.inf, 0.0]]), ValueError, "row 1, column 0 .* holds -inf"),
        (np.array([[1e300, 0.0]]), ValueError, "holds inf"),
        (None, ValueError, "dimensions"),
        (object(), ValueError, "dimensions"),
    ],
)
def test_items_that_are_none(X, error, words):
    model = ComparisonClassifier(**STATED)
    with pytest.raises(error, match=words):
        model.fit(X, [[0, 1]] if np.ndim(X) == 2 and len(X) > 1 else [[0, 0]])


@pytest.mark.parametrize("rows", [2**32, 2**33])
def test_more_rows_than_can_be_numbered(rows):
    X = np.broadcast_to(np.zeros((1, 3), np.float32), (rows, 3))
    with pytest.raises(ValueError, match=f"at most 4294967295 items, got {rows}"):
        fit(X=X)
    with pytest.raises(ValueError, match="at most"):
        fit().predict(X)


@pytest.mark.parametrize(
    ("stated", "error", "words"),
    [
        ({"protocol": None}, ValueError, "no protocol was stated"),
        ({"protocol": "forced"}, ValueError, "unknown protocol 'forced'"),
        ({"prior": 1.2}, ValueError, "strictly between 0 and 1, got 1.2"),
        ({"prior": float("nan")}, ValueError, "strictly between"),
        ({"prior": "half"}, TypeError, "prior"),
        ({"method": "pcomp-rule"}, ValueError, "did you mean 'pcomp-relu'"),
        ({"method": "supervised"}, ValueError, "true labels"),
        ({"model": "forest"}, ValueError, "unknown model"),
        ({"equals": "maybe"}, ValueError, "order of equals"),
        ({"hold_out": 1.5}, ValueError, "held-out share"),
        ({"folds": 1}, ValueError, "number of folds"),
        ({"hidden": [3]}, ValueError, "for an mlp only"),
        ({"move_images": 1}, ValueError, "for networks only"),
        ({"move_images": 1, "model": "mlp"}, ValueError, "at most half of the height"),
        ({"move_images": 1, "model": "mlp", "image": (1, 2, 2)}, ValueError, "3 numbers are not images of 1 × 2 × 2"),
        ({"move_images": 0, "model": "mlp"}, ValueError, "move_images must be at least 1, got 0"),
        ({"epochs": -1}, ValueError, "epochs must be at least 1, got -1"),
        ({"epochs": 0}, ValueError, "epochs"),
        ({"batch": 0}, ValueError, "batch"),
        ({"learning_rate": -1.0}, ValueError, "learning rate"),
        ({"labeller_error": 0.6}, ValueError, "labeller error"),
        ({"random_state": -1}, ValueError, "random_state"),
        ({"random_state": "one"}, TypeError, "random_state"),
        ({"threads": 0}, ValueError, "threads"),
        ({"image": (1, 2)}, ValueError, "image must hold 3 numbers"),
        ({"epochs": 1.5}, TypeError, "epochs must be a whole number, got 1.5"),
        ({"select": "yes"}, TypeError, "select must be True or False"),
        ({"hidden": 3, "model": "mlp"}, TypeError, "hidden must be a list"),
    ],
)
def test_statements_that_cannot_be(stated, error, words):
    with pytest.raises(error, match=words):
        fit(stated=stated)


def test_notes_of_the_wrong_length_or_kind():
    _, _, pairs = blobs()
    for noted in ({"weight": [1.0]}, {"tie": [True]}, {"annotator": ["ann"]}):
        with pytest.raises(ValueError, match="do not match"):
            fit(**noted)
    with pytest.raises(ValueError, match="weight"):
        fit(weight=np.full(len(pairs), -1.0))
    with pytest.raises(ValueError, match="weight"):
        fit(weight=np.full(len(pairs), np.nan))
    with pytest.raises(TypeError, match="tie must hold True and False"):
        fit(tie=np.full(len(pairs), 0.5))
    with pytest.raises(TypeError, match="weight must hold numbers"):
        fit(weight=np.full(len(pairs), "much"))
    with pytest.raises(ValueError, match="ids do not match"):
        fit(ids=["a"])
    with pytest.raises(ValueError, match="'a' occurs twice"):
        fit(ids=["a"] * 400, pairs=[["a", "b"]])
    with pytest.raises(ValueError, match="'z', which is not the id"):
        fit(ids=[str(number) for number in range(400)], pairs=[["1", "z"]])


def test_what_needs_a_fit_says_so():
    X, truth, pairs = blobs()
    model = ComparisonClassifier(**STATED)
    calls = [
        lambda: model.predict(X),
        lambda: model.predict_proba(X),
        lambda: model.decision_function(X),
        lambda: model.score(X, truth),
        lambda: model.score(X, pairs),
        lambda: model.assess(),
        lambda: model.report("never.html"),
        lambda: model.save("never.likelier"),
        lambda: model.to_onnx(),
    ]
    for call in calls:
        with pytest.raises((ValueError, AttributeError), match="not fitted yet"):
            call()
    assert issubclass(NotFittedError, ValueError)
    with pytest.raises(TypeError, match="needs pairs"):
        model.fit(X)


def test_items_of_another_kind_than_those_of_the_fit():
    X, truth, _ = blobs()
    model = fit()
    with pytest.raises(ValueError, match="X has 2 features, but ComparisonClassifier is expecting 3"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match="holds NaN"):
        model.predict(np.full((2, 3), np.nan))
    with pytest.raises(ValueError, match="1 or 0"):
        model.score(X, truth.astype(int) + 1)
    with pytest.raises(ValueError, match="3 labels do not match 400 items"):
        model.score(X, [0, 1, 1])


def test_scores_that_are_none():
    with pytest.raises(ValueError, match="score 1 .* of the other pile is NaN"):
        risk([0.0, 1.0], [0.0, np.nan], prior=0.5)
    with pytest.raises(ValueError, match="likelier pile is empty"):
        risk([], [], prior=0.5)
    with pytest.raises(ValueError, match="one dimension"):
        risk([[0.0]], [0.0], prior=0.5)
    with pytest.raises(TypeError, match="must hold numbers"):
        risk(["a"], [0.0], prior=0.5)
    with pytest.raises(ValueError, match="do not match"):
        risk([0.0, 1.0], [0.0], prior=0.5, method="likelihood")
    with pytest.raises(ValueError, match="do not match"):
        risk([0.0, 1.0], [0.0, 1.0], prior=0.5, weight=[1.0])
    with pytest.raises(ValueError, match="at least 0"):
        risk([0.0], [1.0], prior=0.5, weight=[-1.0])
    with pytest.raises(ValueError, match="a score must be finite"):
        assess([np.inf, 0.0], [[0, 1]], **STATED)
    with pytest.raises(ValueError, match="too few"):
        assess([1.0, 0.0], [[0, 1]], **STATED)


def test_labels_of_one_class_or_none():
    with pytest.raises(ValueError, match="strictly between 0 and 1"):
        generate([True, True], 3)
    with pytest.raises(ValueError, match="True and False"):
        generate([0, 1, 2], 3)
    with pytest.raises(ValueError, match="from 1 to"):
        generate([True, False, True, False], 10**9)
    with pytest.raises(ValueError, match="pairs must be at least 1, got -1"):
        generate([True, False], -1)


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="model.likelier"):
        ComparisonClassifier.load(tmp_path / "model.likelier")
    (tmp_path / "text").write_text("nothing of the kind")
    with pytest.raises(ValueError, match="text"):
        ComparisonClassifier.load(tmp_path / "text")
    with pytest.raises(OSError, match="nowhere"):
        fit().save(tmp_path / "nowhere" / "model.likelier")


def test_few_answers_are_enough_to_say_that_they_are_few():
    X, _, pairs = blobs()
    found = check(X, pairs[:5], protocol="forced-choice")
    assert found.verdict == "unknown"


def test_nothing_is_written_where_it_should_not_be():
    """Once more with Python's own checks of its memory."""
    code = """
import numpy as np, pytest, pickle
from data import blobs
from likelier import ComparisonClassifier, assess, risk
X, truth, pairs = blobs()
stated = dict(prior=0.4, protocol="forced-choice")
model = pickle.loads(pickle.dumps(ComparisonClassifier(**stated).fit(np.asfortranarray(X), pairs)))
model.predict(X); assess(model.decision_function(X), pairs, **stated); risk(X[:, 0], X[:, 1], prior=0.5)
for bad in (np.full((400, 3), np.nan), X[:, :0], X[:2]):
    with pytest.raises(ValueError):
        ComparisonClassifier(**stated).fit(bad, pairs)
print("whole")
"""
    environment = {**os.environ, "PYTHONMALLOC": "debug", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], env=environment, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.split() == [b"whole"]
