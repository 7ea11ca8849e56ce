"""More than one machine, on one: what the threads of this machine do, and what is refused. Ray is not needed."""

import contextlib
import os
import socket
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
from data import blobs
from test_documentation import code

import likelier
from likelier import ComparisonClassifier, _connecting, distributed

STATED = {"prior": 0.4, "protocol": "forced-choice"}


def test_shards_on_threads_give_the_accuracy_of_a_fit():
    X, truth, pairs = blobs(count=1000, pairs=5000)
    with pytest.warns(likelier.LikelierWarning):
        whole = ComparisonClassifier(**STATED, hold_out=0.0).fit(X, pairs)
    one = distributed.fit(X, pairs, **STATED)
    three = distributed.fit(X, pairs, shards=3, **STATED)
    accuracies = [(model.predict(X) == truth).mean() for model in (whole, one, three)]
    error = np.sqrt(accuracies[0] * (1 - accuracies[0]) / len(X))
    assert max(accuracies) - min(accuracies) < 2 * error
    again = distributed.fit(X, pairs, shards=3, **STATED)
    assert three.classifier_.to_bytes() == again.classifier_.to_bytes()
    # A model like any other.
    assert three.assess(X, pairs).new_items.accuracy.value > 0.7
    with pytest.raises(ValueError, match="nothing is known about the accuracy"):
        three.assess()


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        ({"prior": 1.5}, ValueError, "class prior must lie strictly between 0 and 1, got 1.5"),
        ({"shards": 0}, ValueError, "shards must be at least 1, got 0"),
        ({"shards": 10**6}, ValueError, "shards must be at most the number of comparisons"),
        ({"weight_decay": -1.0}, ValueError, "the weight decay must be a number from 0 up"),
        ({"retries": -1}, ValueError, "retries must be at least 0"),
        ({"cpus": 0}, ValueError, "cpus must be above 0, got 0"),
        ({"address": 7}, TypeError, "address must be"),
    ],
)
def test_what_is_wrong_is_said(changed, kind, words):
    X, _, pairs = blobs()
    with pytest.raises(kind, match=words):
        distributed.fit(X, pairs, **{**STATED, **changed})


def test_without_ray_an_address_says_which_extra_to_install():
    code = (
        "import sys; sys.modules['ray'] = None\n"
        "from likelier import distributed\n"
        "distributed.cross_assess([[0.0]], [[0, 0]], prior=0.5, protocol='discard', address='auto')"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stderr
    assert "address='auto' asks for a Ray cluster, and Ray is not installed: pip install 'likelier[ray]'" in said


class Listener:
    """A server that says the same words to whoever connects, and then hangs up or holds the line."""

    def __init__(self, said, hangs_up=False):
        self._said, self._hangs_up, self._held = said, hangs_up, []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self._server.getsockname()[1]}"
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self):
        with contextlib.suppress(OSError):
            while True:
                wire, _ = self._server.accept()
                wire.sendall(self._said)
                wire.close() if self._hangs_up else self._held.append(wire)

    def close(self):
        for wire in (self._server, *self._held):
            wire.close()


class PretendedRay:
    """What is asked of Ray when a process connects."""

    def __init__(self, error=None):
        self._error = error

    def is_initialized(self):
        return False

    def init(self, **_):
        raise self._error or AssertionError("Ray would try for minutes")


#: What a server that speaks HTTP/2 says first: its settings.
SETTINGS = _connecting.SETTINGS
ITS_PORT = r"\. Use the address that 'ray start --head' prints: its port is 6379 unless --port says otherwise$"


@pytest.mark.parametrize(
    ("said", "hangs_up", "of_ray", "words"),
    [
        (b"HTTP/1.0 505 HTTP Version not supported\r\n", True, None, f"is a web server, not a Ray cluster{ITS_PORT}"),
        (b"SSH-2.0-OpenSSH_9.2p1\r\n", False, None, f"is something else, not a Ray cluster{ITS_PORT}"),
        (b"hi", False, None, f"is something else, not a Ray cluster{ITS_PORT}"),
        (b"", True, None, f"is something else, not a Ray cluster{ITS_PORT}"),
        (b"", False, None, f"has answered for 1 seconds: the cluster hangs, or it is no Ray cluster{ITS_PORT}"),
        (SETTINGS, False, ConnectionError("refused"), f"^no Ray cluster answers at 127.0.0.1:[0-9]+{ITS_PORT}"),
        (
            SETTINGS,
            False,
            RuntimeError("Version mismatch: the cluster has\n    Ray: 2.40.0"),
            "^Ray does not connect to .*: Version mismatch: the cluster has Ray: 2.40.0$",
        ),
    ],
)
def test_an_address_where_no_ray_cluster_answers_is_refused_soon(said, hangs_up, of_ray, words, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", PretendedRay(of_ray))
    monkeypatch.setattr(_connecting, "PATIENCE", 1.0)
    listener = Listener(said, hangs_up)
    begun = time.monotonic()
    try:
        with pytest.raises(ConnectionError, match=words) as raised:
            distributed.fit([[0.0]], [[0, 0]], **STATED, address=listener.address)
    finally:
        listener.close()
    assert listener.address in str(raised.value)
    assert time.monotonic() - begun < 10


def test_select_and_cross_assess_are_those_of_the_classifier(tmp_path):
    X, _, pairs = blobs(count=200, pairs=400)
    few = {**STATED, "epochs": 5, "learning_rate": 0.01}
    expected = ComparisonClassifier(**few, select=True).fit(X, pairs).classifier_.to_bytes()
    assert distributed.select(X, pairs, **few).classifier_.to_bytes() == expected
    kept = tmp_path / "kept"
    assert distributed.select(X, pairs, resume=kept, **few).classifier_.to_bytes() == expected
    trials = sorted(kept.iterdir())
    assert len(trials) == 50

    # Another run takes what is there, and trains what is not.
    times = [trial.stat().st_mtime_ns for trial in trials]
    trials[7].unlink()
    assert distributed.select(X, pairs, resume=kept, **few).classifier_.to_bytes() == expected
    changed = [trial.stat().st_mtime_ns != time for trial, time in zip(trials, times, strict=True)]
    assert changed == [at == 7 for at in range(50)]

    judged = distributed.cross_assess(X, pairs, folds=3, resume=tmp_path / "folds", **STATED)
    assert judged == ComparisonClassifier(**STATED, folds=3).fit(X, pairs).assess()
    assert len(list((tmp_path / "folds").iterdir())) == 3


def parquet(folder, **columns):
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    folder.mkdir(exist_ok=True)
    table = pa.table(columns)
    for at in range(3):
        start, stop = at * len(table) // 3, (at + 1) * len(table) // 3
        parquet.write_table(table.slice(start, stop - start), folder / f"{at}.parquet", row_group_size=50)
    return folder


def columns_of(X, ids):
    return {"id": ids, **{f"x{at}": X[:, at] for at in range(X.shape[1])}}


@pytest.fixture
def files(tmp_path):
    """Items and comparisons as folders of Parquet files."""
    X, truth, pairs = blobs()
    ids = [f"item-{row}" for row in range(len(X))]
    items = parquet(tmp_path / "items", **columns_of(X, ids))
    named = np.array(ids)[pairs]
    comparisons = parquet(tmp_path / "pairs", likelier=named[:, 0], other=named[:, 1])
    return X, truth, pairs, items, comparisons


def test_files_are_fitted_as_arrays_are(files):
    X, _, pairs, items, comparisons = files
    expected = distributed.fit(X, pairs, shards=2, **STATED)
    found = distributed.fit(items, comparisons, shards=2, **STATED)
    assert list(found.feature_names_in_) == ["x0", "x1", "x2"]
    assert (found._scores(X) == expected._scores(X)).all()
    # Weights of 1 change nothing, others do.
    weighted = parquet(comparisons.with_name("weighted"), **_weighted(comparisons, 1.0))
    assert (distributed.fit(items, weighted, shards=2, **STATED)._scores(X) == expected._scores(X)).all()
    weighted = parquet(comparisons.with_name("other"), **_weighted(comparisons, np.arange(len(pairs)) % 4))
    assert (distributed.fit(items, weighted, shards=2, **STATED)._scores(X) != expected._scores(X)).any()


def _weighted(comparisons, weight):
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(comparisons)
    columns = {name: table.column(name) for name in table.column_names}
    return {**columns, "weight": np.full(len(table), weight, np.float32) * 1.0}


def test_bad_files_are_refused_in_words(files, tmp_path):
    X, _, _, items, comparisons = files
    cases = [
        (items, comparisons, {"id": "key"}, r"the data set has no column 'key' \(id=\): it has id, x0, x1, x2"),
        (items, comparisons, {"features": ["x9"]}, "the data set has no column 'x9': it has id, x0, x1, x2"),
        (items, items, {}, "the comparisons have no column 'likelier': they have id, x0, x1, x2"),
        (
            items,
            parquet(
                tmp_path / "unknown", likelier=["item-1", "item-2", "item-3"], other=["item-4", "nobody", "item-5"]
            ),
            {},
            "comparison 2 names 'nobody', which is not the id of an item",
        ),
        (
            items,
            parquet(tmp_path / "blank", likelier=["item-1", "item-2", "item-3"], other=["item-4", None, "item-5"]),
            {},
            "comparison 2 lacks the id of an item",
        ),
        (
            parquet(tmp_path / "twice", **columns_of(X, ["item-1"] * len(X))),
            comparisons,
            {},
            "ids must differ from each other, and 'item-1' occurs twice",
        ),
        (
            parquet(tmp_path / "text", **columns_of(X, list(range(len(X)))), name=["a"] * len(X)),
            comparisons,
            {},
            "column 'name' holds string and not numbers",
        ),
        (
            parquet(
                tmp_path / "gaps", **{**columns_of(X, [f"item-{row}" for row in range(len(X))]), "x1": [None] * len(X)}
            ),
            comparisons,
            {"features": ["x0", "x1"]},
            "column 'x1' has .* missing values",
        ),
    ]
    for listed, answers, changed, words in cases:
        with pytest.raises(ValueError, match=words):
            distributed.fit(listed, answers, **{**STATED, **changed})
    with pytest.raises(FileNotFoundError, match="there is no such file or folder"):
        distributed.fit(tmp_path / "nowhere", comparisons, **STATED)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match="holds no file that ends in .parquet"):
        distributed.fit(tmp_path / "empty", comparisons, **STATED)


def test_scores_of_files_are_those_of_the_model(files, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    X, _, _, items, comparisons = files
    model = distributed.fit(items, comparisons, **STATED)
    out = distributed.score(items, model, tmp_path / "scored")
    table = parquet.read_table(out)
    assert table.column_names == ["id", "x0", "x1", "x2", "score", "probability", "label"]
    assert table.column("id").to_pylist() == [f"item-{row}" for row in range(len(X))]
    assert (table.column("score").to_numpy() == model._scores(X)).all()
    assert (table.column("probability").to_numpy() == model.predict_proba(_frame(X))[:, 1]).all()
    assert (table.column("label").to_numpy() == model.predict(_frame(X))).all()
    model.save(tmp_path / "model.likelier")
    short = distributed.score(items, tmp_path / "model.likelier", tmp_path / "short", columns=["x1"])
    assert parquet.read_table(short).column_names == ["id", "x1", "score", "probability", "label"]

    with pytest.raises(FileExistsError, match="already exists"):
        distributed.score(items, model, tmp_path / "short")
    with pytest.raises(ValueError, match="the data set has no column 'key'"):
        distributed.score(items, model, tmp_path / "never", id="key")
    with pytest.raises(ValueError, match="the data set has no column 'g'"):
        distributed.score(items, model, tmp_path / "never", columns=["g"])
    with pytest.raises(ValueError, match="already has a column 'score'"):
        distributed.score(out, model, tmp_path / "never")
    # One file in the middle is broken: nothing is left behind.
    (items / "1.parquet").write_bytes((items / "1.parquet").read_bytes()[:-40])
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(Exception, match="[Pp]arquet"):
        distributed.score(items, model, tmp_path / "never")
    assert sorted(os.listdir(tmp_path)) == before


def _frame(X):
    pd = pytest.importorskip("pandas")
    return pd.DataFrame(X, columns=["x0", "x1", "x2"])


def test_the_example_of_the_page_runs(files, tmp_path, monkeypatch):
    X, truth, pairs, _, _ = files
    monkeypatch.chdir(tmp_path)
    names = {"X": X, "pairs": pairs}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", likelier.LikelierWarning)
        exec(code("docs/scaling.md"), names)
    assert names["judged"].new_items.accuracy.value > 0.7
    assert (names["model"]._scores(X) == column_of(tmp_path / "scored", "score")).all()


def column_of(folder, name):
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(folder).column(name).to_numpy()


def test_a_program_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no program 'no-such-program': name it with program="):
        distributed.reproduce("table3", tmp_path / "out", program="no-such-program")
