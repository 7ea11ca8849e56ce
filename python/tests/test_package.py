"""The package as a whole: start-up, Ctrl-C, progress, threads, processes, the command."""

import logging
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from data import blobs

import likelier
from likelier import ComparisonClassifier

STATED = {"prior": 0.4, "protocol": "forced-choice", "equals": "coin"}
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def python(code, **options):
    return subprocess.run(
        [sys.executable, "-c", code], env=ENVIRONMENT, capture_output=True, text=True, timeout=120, **options
    )


def test_an_import_takes_no_time_and_loads_nothing_that_is_not_used():
    code = """
import sys, time
start = time.perf_counter()
import likelier
took = time.perf_counter() - start
heavy = {"numpy", "torch", "pandas", "sklearn", "scipy", "polars", "pyarrow", "tqdm"} & set(sys.modules)
print(took, *sorted(heavy))
from likelier import ComparisonClassifier
ComparisonClassifier(prior=0.5, protocol="discard").get_params()
print(*sorted({"torch", "pandas", "sklearn", "scipy", "polars", "pyarrow", "tqdm"} & set(sys.modules)))
"""
    runs = [python(code).stdout.splitlines() for _ in range(3)]
    times = [float(first.split()[0]) for first, _ in runs]
    assert min(times) < 0.1, times
    assert all(len(first.split()) == 1 and second == "" for first, second in runs), runs


SLOW = """
import numpy as np, signal, sys, time
from likelier import ComparisonClassifier
# What is started in the background of a shell ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
rng = np.random.default_rng(0)
X = rng.normal(size=(20000, 400)).astype(np.float32)
pairs = rng.permutation(20000).reshape(-1, 2)
model = ComparisonClassifier(prior=0.4, protocol="forced-choice", model="mlp", epochs=10_000)
print("ready", flush=True)
try:
    model.fit(X, pairs)
except KeyboardInterrupt:
    print("interrupted", hasattr(model, "classifier_"), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_ctrl_c_ends_a_fit_within_a_second():
    with subprocess.Popen([sys.executable, "-c", SLOW], env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "ready\n"
        time.sleep(2)
        start = time.perf_counter()
        run.send_signal(signal.SIGINT)
        assert run.stdout.readline() == "interrupted False\n"
        took = time.perf_counter() - start
        assert run.wait(10) == 0
    assert took < 1, took


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_ctrl_c_ends_the_command_and_leaves_no_half_written_model(tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "items.npy", rng.normal(size=(20000, 400)).astype(np.float32))
    pairs = rng.permutation(20000).reshape(-1, 2)
    np.savetxt(tmp_path / "pairs.csv", pairs, fmt="%d", delimiter=",", header="likelier,other", comments="")
    arguments = "train --items items.npy --comparisons pairs.csv --prior 0.4 --protocol forced-choice"
    arguments = [*arguments.split(), *["--model", "mlp", "--epochs", "10000", "--out", "model.likelier"]]
    call = [sys.executable, "-m", "likelier._command", *arguments]
    with subprocess.Popen(call, env=ENVIRONMENT, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        time.sleep(3)
        run.send_signal(signal.SIGINT)
        said = run.stderr.read()
        assert run.wait(20) == 2
    assert "stopped" in said, said
    assert not (tmp_path / "model.likelier").exists()


def test_the_command_is_the_program():
    call = [sys.executable, "-m", "likelier._command"]
    version = subprocess.run([*call, "--version"], env=ENVIRONMENT, capture_output=True, text=True)
    assert version.stdout == f"likelier {likelier.__version__}\n"
    bad = subprocess.run([*call, "train"], env=ENVIRONMENT, capture_output=True, text=True)
    assert bad.returncode == 2
    assert "--items" in bad.stderr


def test_the_command_has_every_verb_the_labelling_page_too():
    call = [sys.executable, "-m", "likelier._command"]
    told = subprocess.run([*call, "label", "--help"], env=ENVIRONMENT, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    assert "--question" in told.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to one process")
def test_the_labelling_page_is_served_and_ctrl_c_ends_it(tmp_path):
    (tmp_path / "texts.csv").write_text("id,text\na,good\nb,bad\nc,fine\n")
    arguments = ["label", "texts.csv", "--question", "Which is better?", "--port", "0"]
    call = [sys.executable, "-m", "likelier._command", *arguments]
    with subprocess.Popen(
        call, env=ENVIRONMENT, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        said = ""
        while "http://" not in said:
            line = run.stdout.readline()
            assert line, said
            said += line
        address = re.search(r"http://\S+", said).group()
        with urllib.request.urlopen(address, timeout=10) as page:
            assert page.headers.get_content_type() == "text/html"
        run.send_signal(signal.SIGINT)
        assert run.wait(20) == 0, run.stdout.read()


def test_progress_is_shown_by_bars_or_in_the_log(monkeypatch, caplog):
    X, _, pairs = blobs()
    tqdm = pytest.importorskip("tqdm.auto")
    seen = []

    class Bar(tqdm.tqdm):
        def update(self, n=1):
            seen.append((self.desc, self.n + n, self.total))
            return super().update(n)

    monkeypatch.setattr(tqdm, "tqdm", Bar)
    slow = {**STATED, "model": "mlp", "hidden": [256], "epochs": 30}
    ComparisonClassifier(**slow, progress=True).fit(X, pairs)
    assert seen
    assert all(done <= total for _, done, total in seen)
    assert "training" in {stage for stage, _, _ in seen}
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with caplog.at_level(logging.INFO, logger="likelier"):
        ComparisonClassifier(**slow, progress=True).fit(X, pairs)
    assert any(message.startswith("training: ") for message in caplog.messages), caplog.messages


def test_an_error_in_a_progress_bar_stops_the_work(monkeypatch):
    X, _, pairs = blobs()
    tqdm = pytest.importorskip("tqdm.auto")

    def broken(*_, **__):
        raise RuntimeError("no bar today")

    monkeypatch.setattr(tqdm, "tqdm", broken)
    with pytest.raises(RuntimeError, match="no bar today"):
        ComparisonClassifier(**STATED, model="mlp", epochs=10_000, progress=True).fit(X, pairs)


def test_nothing_is_printed(capfd):
    X, _, pairs = blobs()
    ComparisonClassifier(**STATED).fit(X, pairs).predict(X)
    assert capfd.readouterr() == ("", "")


def test_threads_fit_side_by_side():
    X, _, pairs = blobs()
    with ThreadPoolExecutor(4) as pool:
        models = list(pool.map(lambda _: ComparisonClassifier(**STATED).fit(X, pairs), range(8)))
    assert len({model.classifier_.to_bytes() for model in models}) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes can be forked")
def test_a_forked_process_can_fit_too():
    code = """
import os, sys
from data import blobs
from likelier import ComparisonClassifier
X, _, pairs = blobs()
model = ComparisonClassifier(prior=0.4, protocol="forced-choice").fit(X, pairs)
child = os.fork()
if child == 0:
    again = ComparisonClassifier(prior=0.4, protocol="forced-choice").fit(X, pairs)
    os._exit(0 if again.classifier_.to_bytes() == model.classifier_.to_bytes() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert python(code).stdout == "0\n"
