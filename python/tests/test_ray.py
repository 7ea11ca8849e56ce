"""The same results through Ray, on a cluster of three nodes on this machine, and after one of them was killed.

`cargo xtask ray` runs this file in a network of its own that has nothing but loopback.
"""

import faulthandler
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from data import blobs
from ray_cluster import STORE, actors_killed, cluster, kill
from test_distributed import STATED, column_of, columns_of, parquet

ray = pytest.importorskip("ray")

from likelier import ComparisonClassifier, _cluster, _stages, distributed  # noqa: E402

pytestmark = [
    pytest.mark.skipif("LIKELIER_RAY" not in os.environ, reason="cargo xtask ray runs this where no network is"),
    pytest.mark.filterwarnings("ignore"),
]
FEW = {**STATED, "epochs": 5, "learning_rate": 0.01}


#: Seconds that a test may take, also on a busy machine.
LONGEST = 300


@pytest.fixture(autouse=True)
def limited():
    """Ends a test that waits for ever: by an error, or with the whole run if even that is not heard."""

    def over(*_):
        raise TimeoutError(f"the test took more than {LONGEST} seconds")

    before = signal.signal(signal.SIGALRM, over)
    signal.alarm(LONGEST)
    faulthandler.dump_traceback_later(LONGEST + 30, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def three():
    """Three nodes; a test that kills one adds another."""
    with cluster(3) as (made, rest):
        yield made, rest


def run(work, shared, tasks, retries):
    return list(_cluster.run_tasks(ray, work, shared, tasks, retries=retries, progress=None))


#: Here the node that is to be killed is named, and says when it has work.
MARKS = Path(tempfile.gettempdir()) / "likelier-ray-marks"


class Killer(threading.Thread):
    """Kills a node when some time has passed, or when it has work to do; `mend` puts another in its place."""

    def __init__(self, three, after=None):
        super().__init__(daemon=True)
        self._three, self._after = three, after
        self.killed = False
        shutil.rmtree(MARKS, ignore_errors=True)
        if after is None:
            MARKS.mkdir()
            (MARKS / "victim").write_text(three[1][0].node_id)

    def run(self):
        made, rest = self._three
        if self._after is None:
            while not (MARKS / "busy").exists():
                time.sleep(0.05)
        else:
            time.sleep(self._after)
        kill(made, rest.pop(0))
        self.killed = True

    def mend(self):
        """From the thread of the tests: a node ends with the thread that began it."""
        made, rest = self._three
        assert self.killed
        rest.append(made.add_node(num_cpus=1, object_store_memory=STORE))


def slowly(version, work, *arguments):
    """What a worker does; on the node that is to be killed, so slowly that it is killed while it does it."""
    victim = MARKS / "victim"
    if victim.exists() and victim.read_text() == ray.get_runtime_context().get_node_id():
        (MARKS / "busy").touch()
        time.sleep(60)
    return _cluster.guarded(version, work, *arguments)


def test_a_fit_has_the_same_bits_on_any_number_of_actors_and_after_one_was_killed(three, caplog, monkeypatch):
    X, _, pairs = blobs(count=600, pairs=3000)
    expected = distributed.fit(X, pairs, shards=3, **STATED, address=None).classifier_.to_bytes()
    monkeypatch.setattr(distributed, "connected", lambda _: None)
    assert distributed.fit(X, pairs, shards=3, **STATED).classifier_.to_bytes() == expected
    monkeypatch.undo()

    # An actor is killed at a random step, again and again.
    rng = np.random.default_rng(0)
    victims = set(rng.integers(5, 120, size=3).tolist())
    with actors_killed(victims, rng), caplog.at_level(logging.WARNING, "likelier"):
        found = distributed.fit(X, pairs, shards=3, **STATED)
    assert found.classifier_.to_bytes() == expected
    assert sum("is loaded again: its worker died" in line for line in caplog.messages) == len(victims)


def test_more_shards_than_cpus_do_not_wait_for_ever(three):
    X, _, pairs = blobs()
    few = distributed.fit(X, pairs, shards=7, **STATED)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distributed, "connected", lambda _: None)
        assert distributed.fit(X, pairs, shards=7, **STATED).classifier_.to_bytes() == few.classifier_.to_bytes()


def test_a_fit_goes_on_after_a_node_was_killed(three, caplog):
    X, _, pairs = blobs(count=600, pairs=3000)
    expected = distributed.fit(X, pairs, shards=3, **STATED).classifier_.to_bytes()
    killer = Killer(three, 0.0)
    real = _cluster.Answering.__call__
    asked = [0]

    def killing(self, ask):
        asked[0] += 1
        if asked[0] == 20:
            killer.run()
            # Its processes outlive it for a moment; from here on the cluster knows.
            while sum(node["Alive"] for node in ray.nodes()) > 2:
                time.sleep(0.1)
        return real(self, ask)

    with pytest.MonkeyPatch.context() as patch, caplog.at_level(logging.WARNING, "likelier"):
        patch.setattr(_cluster.Answering, "__call__", killing)
        found = distributed.fit(X, pairs, shards=3, **STATED)
    killer.mend()
    assert found.classifier_.to_bytes() == expected
    assert any("is loaded again" in line for line in caplog.messages)


def test_select_and_cross_assess_are_the_same_while_a_node_is_killed(three, caplog, monkeypatch, tmp_path):
    X, _, pairs = blobs(count=200, pairs=400)
    expected = ComparisonClassifier(**FEW, select=True).fit(X, pairs).classifier_.to_bytes()
    assert distributed.select(X, pairs, **FEW).classifier_.to_bytes() == expected
    assert distributed.cross_assess(X, pairs, folds=3, **STATED) == (
        ComparisonClassifier(**STATED, folds=3).fit(X, pairs).assess()
    )
    monkeypatch.setattr(_cluster, "guarded", slowly)
    killer = Killer(three)
    killer.start()
    with caplog.at_level(logging.WARNING, "likelier"):
        found = distributed.select(X, pairs, resume=tmp_path, **FEW)
    killer.join()
    killer.mend()
    assert found.classifier_.to_bytes() == expected
    assert any("is run again: its worker died" in line for line in caplog.messages), "no trial was hit"
    assert len(list(tmp_path.iterdir())) == 50


def test_errors_of_workers_are_said_in_the_same_words_with_the_trial_named(three, monkeypatch, tmp_path):
    X, _, pairs = blobs(count=200, pairs=400)
    lists = np.ascontiguousarray(pairs.T.astype(np.uint32))
    sent = [("judging, fold 1 of 5", "nonsense")]
    with pytest.raises(RuntimeError, match=r"^judging, fold 1 of 5: expected ident at line 1 column 2$"):
        run(_stages.run_trial, [X, (lists[0], lists[1], None, None)], sent, retries=0)
    # Shards: comparisons that name unknown ids, in the words of one machine.
    items = parquet(tmp_path / "items", **columns_of(X, [f"item-{row}" for row in range(len(X))]))
    answers = parquet(tmp_path / "pairs", likelier=["item-1", "item-2", "item-3"], other=["item-4", "nobody", "item-5"])
    words = "^shard 2 of 3: comparison 2 names 'nobody', which is not the id of an item$"
    with pytest.raises(ValueError, match=words):
        distributed.fit(items, answers, shards=3, **STATED)
    # Another version.
    monkeypatch.setattr(_cluster, "VERSION", "9.9.9")
    monkeypatch.setattr(distributed, "VERSION", "9.9.9")
    words = "the worker on .* has likelier .*, and you have 9.9.9: install the same version on every machine"
    with pytest.raises(RuntimeError, match=f"^judging, fold . of 3: {words}"):
        distributed.cross_assess(X, pairs, folds=3, **STATED)
    with pytest.raises(RuntimeError, match=f"^shard 1 of 2: {words}"):
        distributed.fit(X, pairs, shards=2, **STATED)
    monkeypatch.undo()
    monkeypatch.setattr(distributed, "VERSION", "9.9.9")
    model = distributed.fit(X, pairs, shards=2, **STATED)
    with pytest.raises(RuntimeError, match=words):
        distributed.score(items, model, tmp_path / "never")
    assert sorted(os.listdir(tmp_path)) == ["items", "pairs"]


STOPPED = """
import pathlib, signal, sys, warnings
from data import blobs
from likelier import distributed
from test_distributed import STATED

warnings.simplefilter("ignore")
# What is started in the background of a shell ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
what, out, result, address, program, data = sys.argv[1:]
try:
    if what == "select":
        X, _, pairs = blobs(count=2000, pairs=4000)
        few = {**STATED, "epochs": 100, "learning_rate": 0.01}
        model = distributed.select(X, pairs, **few, address=address, resume=out)
        pathlib.Path(result).write_bytes(model.classifier_.to_bytes())
    else:
        parts = {"datasets": ["pendigits"], "methods": ["pair-posterior", "pcomp-relu"], "trials": 4}
        done = distributed.reproduce("table3", out, program=program, data_dir=data, address=address, **parts)
        pathlib.Path(result).write_text(str(done.trials))
except KeyboardInterrupt as stopped:
    sys.exit(str(stopped))
"""


def finished(what, out):
    """Trials that are on the disk."""
    if what == "select":
        return len(list(out.glob("*.json")))
    return max(0, len((out / "raw.csv").read_text().splitlines()) - 1) if (out / "raw.csv").exists() else 0


@pytest.mark.parametrize(("what", "where"), [("select", "cluster"), ("select", "local"), ("reproduce", "cluster")])
def test_ctrl_c_ends_a_process_and_a_second_start_runs_the_rest(three, what, where, tmp_path):
    if what == "reproduce" and "LIKELIER_DATA" not in os.environ:
        pytest.skip("LIKELIER_DATA is not set")
    # Not standard output, where Ray may say that a node of another test has died.
    out, result = tmp_path / "out", tmp_path / "result"
    # Ray's sockets want a short path, and a Ray of its own wants a folder of its own.
    own = tempfile.mkdtemp(prefix="ray")
    address = three[0].address if where == "cluster" else "local"
    paper = [os.environ.get(name, "") for name in ("LIKELIER_PAPER", "LIKELIER_DATA")]
    call = {
        "args": [sys.executable, "-c", STOPPED, what, str(out), str(result), address, *paper],
        "env": {**os.environ, "RAY_TMPDIR": own} if where == "local" else None,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        # As in a terminal: Ctrl-C is sent to all processes of a group.
        "start_new_session": True,
    }
    try:
        with subprocess.Popen(**call) as process:
            while finished(what, out) < 3:
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGINT)
            said = process.communicate(timeout=20)[1].decode()
        kept = finished(what, out)
        # Ray says two things of its own when it begins, and more of nodes that have died.
        own_words = ("network_util.cc", "authentication_token_setup.py", "raylet")
        lines = [line for line in said.splitlines() if not any(word in line for word in own_words)]
        words = (
            f"stopped: {kept} finished trials are in {out}" if what == "select" else "stopped: finished trials are in"
        )
        assert process.returncode == 1, said
        assert len(lines) == 1, said
        assert lines[0].startswith(words), said
        assert lines[0].endswith(": the same call runs the others"), said
        if where == "cluster":
            # Nothing of it is left on the cluster.
            while ray.available_resources().get("CPU") != 3.0:
                time.sleep(0.1)
        times = {place: place.stat().st_mtime_ns for place in out.glob("*.json")}
        subprocess.run(call["args"], env=call["env"], capture_output=True, timeout=120, check=True)
    finally:
        shutil.rmtree(own, ignore_errors=True)
    if what == "select":
        assert 3 <= kept < 50
        assert all(place.stat().st_mtime_ns == time for place, time in times.items())
        X, _, pairs = blobs(count=2000, pairs=4000)
        expected = ComparisonClassifier(**STATED, epochs=100, learning_rate=0.01, select=True).fit(X, pairs)
        assert result.read_bytes() == expected.classifier_.to_bytes()
    else:
        assert 3 <= kept < 36
        assert int(result.read_text()) == 36 - kept


DESERTED = """
import pathlib, signal, sys, threading, time, warnings
import ray
from data import blobs
from ray.cluster_utils import Cluster
from ray_cluster import STORE, kill
from likelier import distributed
from test_distributed import STATED

warnings.simplefilter("ignore")
signal.signal(signal.SIGINT, signal.default_int_handler)
out = pathlib.Path(sys.argv[1])
head = {"num_cpus": 0, "object_store_memory": STORE, "include_dashboard": False}
made = Cluster(initialize_head=True, head_node_args=head)
only = made.add_node(num_cpus=1, object_store_memory=STORE)
ray.init(address=made.address, log_to_driver=False, logging_level="error")

def killing():
    while len(list(out.glob("*.json"))) < 3:
        time.sleep(0.05)
    kill(made, only)

threading.Thread(target=killing, daemon=True).start()
X, _, pairs = blobs(count=2000, pairs=4000)
try:
    distributed.select(X, pairs, **STATED, epochs=100, learning_rate=0.01, resume=out)
except KeyboardInterrupt as stopped:
    sys.exit(str(stopped))
"""


def test_without_a_machine_trials_wait_and_say_so_and_ctrl_c_keeps_what_is_finished(tmp_path):
    out, said = tmp_path / "out", tmp_path / "said"
    own = tempfile.mkdtemp(prefix="ray")
    words = "no machine of the cluster is left: the trials wait until one joins it, and Ctrl-C ends the call"
    try:
        with (
            said.open("w") as errors,
            subprocess.Popen(
                [sys.executable, "-c", DESERTED, str(out)],
                env={**os.environ, "RAY_TMPDIR": own},
                stderr=errors,
                start_new_session=True,
            ) as process,
        ):
            while words not in said.read_text():
                assert process.poll() is None, said.read_text()
                time.sleep(0.1)
            os.killpg(process.pid, signal.SIGINT)
            process.wait(30)
    finally:
        shutil.rmtree(own, ignore_errors=True)
    kept = finished("select", out)
    assert process.returncode == 1, said.read_text()
    assert 3 <= kept < 50
    assert f"stopped: {kept} finished trials are in {out}: the same call runs the others" in said.read_text()
    # The threads of this machine run the others.
    X, _, pairs = blobs(count=2000, pairs=4000)
    few = {**STATED, "epochs": 100, "learning_rate": 0.01}
    times = {place: place.stat().st_mtime_ns for place in out.glob("*.json")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distributed, "connected", lambda _: None)
        found = distributed.select(X, pairs, **few, resume=out)
    assert all(place.stat().st_mtime_ns == before for place, before in times.items())
    expected = ComparisonClassifier(**few, select=True).fit(X, pairs)
    assert found.classifier_.to_bytes() == expected.classifier_.to_bytes()


def test_every_row_is_scored_once_while_a_node_is_killed(three, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(1)
    X, _, pairs = blobs()
    model = distributed.fit(X, pairs, **STATED)
    many = rng.normal(size=(600_000, 3)).astype(np.float32)
    items = tmp_path / "items"
    for at in range(4):
        folder = parquet(tmp_path / f"part-{at}", **columns_of(many[at::4], np.arange(at, len(many), 4)))
        items.mkdir(exist_ok=True)
        for file in folder.iterdir():
            file.rename(items / f"{at}-{file.name}")
    expected = model._scores(many)
    for kills in (False, True):
        killer = Killer(three, 2.5)
        if kills:
            killer.start()
        out = distributed.score(items, model, tmp_path / f"scored-{kills}", batch=5_000)
        if kills:
            killer.join()
            killer.mend()
        table = pq.read_table(out)
        ids = table.column("id").to_numpy()
        assert len(ids) == len(many)
        assert len(np.unique(ids)) == len(many)
        assert (table.column("score").to_numpy() == expected[ids]).all()
        assert (np.column_stack([table.column(f"x{at}").to_numpy() for at in range(3)]) == many[ids]).all()
    assert not list(tmp_path.glob(".*partial"))


class Holding:
    """An actor that has a CPU and does nothing with it."""

    def ready(self):
        return True


def test_scoring_does_not_wait_for_ever_where_one_cpu_is_left(three, tmp_path):
    X, _, pairs = blobs()
    model = distributed.fit(X, pairs, **STATED)
    items = parquet(tmp_path / "items", **columns_of(X, np.arange(len(X))))
    holding = [ray.remote(num_cpus=1)(Holding).remote() for _ in range(2)]
    try:
        assert ray.get([one.ready.remote() for one in holding]) == [True, True]
        out = distributed.score(items, model, tmp_path / "scored")
    finally:
        for one in holding:
            ray.kill(one)
    assert len(column_of(out, "id")) == len(X)
    assert (column_of(out, "score") == model._scores(X)[column_of(out, "id")]).all()


def test_a_data_set_of_ray_is_fitted_as_its_files_are(three, tmp_path):
    X, _, pairs = blobs()
    ids = np.arange(len(X))
    items = parquet(tmp_path / "items", **columns_of(X, ids))
    answers = parquet(tmp_path / "pairs", likelier=pairs[:, 0].astype(np.int64), other=pairs[:, 1].astype(np.int64))
    expected = distributed.fit(items, answers, shards=2, **STATED).classifier_.to_bytes()
    data = ray.data.read_parquet(str(items))
    found = distributed.fit(data, answers, shards=2, **STATED)
    assert found.classifier_.to_bytes() == expected


@pytest.mark.skipif("LIKELIER_DATA" not in os.environ, reason="LIKELIER_DATA is not set")
def test_a_table_of_the_paper_has_the_same_rows_while_a_node_is_killed(three, tmp_path, monkeypatch):
    program = os.environ["LIKELIER_PAPER"]
    parts = {
        "program": program,
        "data_dir": os.environ["LIKELIER_DATA"],
        "datasets": ["pendigits"],
        "methods": ["pair-posterior", "pcomp-relu"],
        "trials": 2,
    }

    def rows(folder):
        lines = [line.split(",") for line in (folder / "raw.csv").read_text().splitlines()]
        return sorted(fields[:12] + fields[13:] for fields in lines)

    with monkeypatch.context() as patch:
        patch.setattr(distributed, "connected", lambda _: None)
        assert distributed.reproduce("table3", tmp_path / "here", **parts).trials == 18
    monkeypatch.setattr(_cluster, "guarded", slowly)
    killer = Killer(three)
    killer.start()
    done = distributed.reproduce("table3", tmp_path / "there", **parts)
    killer.join()
    killer.mend()
    assert (done.trials, rows(done.out)) == (18, rows(tmp_path / "here"))
    assert done.retries > 0, "no trial was hit"
    assert "Table 3" in (done.out / "summary.md").read_text()
    assert distributed.reproduce("table3", tmp_path / "there", **parts).trials == 0
    with pytest.raises(RuntimeError, match="the method supervised-x|unknown method"):
        distributed.reproduce("table3", tmp_path / "never", **{**parts, "methods": ["supervised-x"]})
    assert not Path(tmp_path / "never").exists()


def greedy(_):
    raise MemoryError("training needs 9.9 GB of memory, and 1.0 GB is there")


def test_a_worker_without_memory_is_said(three):
    tasks = [("choosing: likelihood, fold 3 of 5", 0)]
    words = "^choosing: likelihood, fold 3 of 5: training needs 9.9 GB of memory, and 1.0 GB is there$"
    with pytest.raises(MemoryError, match=words):
        run(greedy, [], tasks, retries=3)
    # bench/ray_runs.py has a worker that Ray itself ends; here is what is said of it.
    with pytest.raises(MemoryError, match="^shard 1 of 2: the worker ran out of memory and Ray ended it"):
        _cluster.lost(ray, "shard 1 of 2", ray.exceptions.OutOfMemoryError("memory"))


def test_nobody_answers_at_an_address(three):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ray, "is_initialized", lambda: False)
        words = "no Ray cluster answers at 127.0.0.1:9: start one with 'ray start --head', or correct the address"
        with pytest.raises(ConnectionError, match=words):
            distributed.fit([[0.0]], [[0, 0]], **STATED, address="127.0.0.1:9")
        with pytest.raises(ValueError, match="like 10.0.0.1:6379, got 'there'"):
            distributed.fit([[0.0]], [[0, 0]], **STATED, address="there")
