"""The command and the package are one program: the same data and seed give the same bytes.

The program that cargo builds is another binary. Where LIKELIER_PROGRAM names it, it must write the same bytes too.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from data import blobs

from likelier import ComparisonClassifier

WHEEL = (sys.executable, "-m", "likelier._command")


@pytest.fixture(params=["of the wheel", "of cargo"])
def program(request):
    """The program `likelier`."""
    if request.param == "of the wheel":
        return WHEEL
    if "LIKELIER_PROGRAM" not in os.environ:
        pytest.skip("LIKELIER_PROGRAM does not name the program that cargo built")
    return (os.environ["LIKELIER_PROGRAM"],)


def command(*arguments, program=WHEEL, codes=(0,), **options):
    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True, **options)
    assert done.returncode in codes, done.stderr
    return done.stdout


def wine(folder):
    """The command's own example, read as simply as can be."""
    command("demo", "--out", folder)
    lines = (folder / "items.csv").read_text().splitlines()
    names = lines[0].split(",")[1:]
    cells = [line.split(",") for line in lines[1:]]
    ids = [row[0] for row in cells]
    X = np.array([row[1:] for row in cells], dtype=np.float32)
    pairs = np.loadtxt(folder / "comparisons.csv", delimiter=",", skiprows=1, usecols=(0, 1), dtype=str)
    return names, ids, X, pairs


@pytest.mark.parametrize(
    ("flags", "stated"),
    [
        ([], {}),
        (["--seed", 7, "--method", "pcomp-relu"], {"random_state": 7, "method": "pcomp-relu"}),
        (["--calibrate"], {"calibrate": True}),
        (
            ["--model", "mlp", "--hidden", "16,8", "--epochs", 12, "--batch", 64],
            {"model": "mlp", "hidden": [16, 8], "epochs": 12, "batch": 64},
        ),
        (["--select", "--epochs", 10], {"select": True, "epochs": 10}),
    ],
)
@pytest.mark.filterwarnings("ignore::likelier.LikelierWarning")
def test_both_write_the_same_bytes_from_the_same_wines(tmp_path, program, flags, stated):
    pandas = pytest.importorskip("pandas")
    names, ids, X, pairs = wine(tmp_path / "wine")
    prior = 0.5347
    files = ["--items", tmp_path / "wine/items.csv", "--comparisons", tmp_path / "wine/comparisons.csv"]
    command("train", *files, "--prior", prior, *flags, "--out", tmp_path / "by-command.likelier", program=program)
    frame = pandas.DataFrame(X, columns=names, index=ids)
    model = ComparisonClassifier(prior=prior, protocol="forced-choice", equals="coin", **stated).fit(frame, pairs)
    model.save(tmp_path / "by-package.likelier")
    theirs, ours = ((tmp_path / f"by-{who}.likelier").read_bytes() for who in ("command", "package"))
    assert ours == theirs
    loaded = ComparisonClassifier.load(tmp_path / "by-command.likelier")
    np.testing.assert_array_equal(loaded.decision_function(frame), model.decision_function(frame))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8])
def test_both_write_the_same_bytes_from_the_same_array(tmp_path, program, dtype):
    X, _, pairs = blobs()
    X = (X * 20 + 100).clip(0, 255).astype(dtype)
    np.save(tmp_path / "items.npy", X)
    np.savetxt(tmp_path / "pairs.csv", pairs, fmt="%d", delimiter=",", header="likelier,other", comments="")
    stated = {"prior": 0.4, "protocol": "forced-choice"}
    flags = ["--prior", 0.4, "--protocol", "forced-choice", "--no-report", "--out", tmp_path / "model.likelier"]
    files = ["--items", tmp_path / "items.npy", "--comparisons", tmp_path / "pairs.csv"]
    command("train", *files, *flags, program=program)
    model = ComparisonClassifier(**stated).fit(X, pairs)
    assert model.classifier_.to_bytes() == (tmp_path / "model.likelier").read_bytes()


def test_the_command_scores_as_the_package_does(tmp_path):
    X, _, pairs = blobs()
    model = ComparisonClassifier(prior=0.4, protocol="forced-choice").fit(X, pairs)
    model.save(tmp_path / "model.likelier")
    np.save(tmp_path / "items.npy", X)
    command("predict", tmp_path / "model.likelier", tmp_path / "items.npy", "--out", tmp_path / "scores.csv")
    told = np.loadtxt(tmp_path / "scores.csv", delimiter=",", skiprows=1)
    np.testing.assert_array_equal(told[:, 3], model.predict(X))
    np.testing.assert_allclose(told[:, 2], model.predict_proba(X)[:, 1], atol=1e-6)
    threshold = model.classifier_.threshold
    np.testing.assert_allclose(told[:, 1], model.decision_function(X) + threshold, atol=1e-5)
