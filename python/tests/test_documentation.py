"""What the pages show is true."""

import contextlib
import io
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from data import blobs
from test_parity import command

import likelier

ROOT = Path(__file__).parents[2]


def code(page, number=0):
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    return blocks[number]


def run(text, names):
    with contextlib.redirect_stdout(io.StringIO()) as said, warnings.catch_warnings():
        warnings.simplefilter("ignore", likelier.LikelierWarning)
        exec(text, names)
    return said.getvalue().splitlines()


def test_the_lines_of_the_readme_print_what_it_says(tmp_path, monkeypatch):
    pd = pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    command("demo", "--out", "wine")
    lines = code("README.md")
    assert run(lines, {"pd": pd, "likelier": likelier}) == re.findall("print.*# (.*)", lines)


@pytest.mark.parametrize("page", ["docs/python.md", "python/README.md"])
def test_the_first_example_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, _, pairs = blobs()
    said = run(code(page), {"X": X, "X_new": X[:5], "pairs": pairs})
    assert said[0].startswith("for new items, without labels")


def test_the_grid_search_of_the_page_runs():
    sklearn = pytest.importorskip("sklearn")
    X, _, pairs = blobs(count=600, pairs=6000)
    names = {"X": X, "pairs": pairs, "ComparisonClassifier": likelier.ComparisonClassifier}
    run(code("docs/python.md", 2), names)
    assert names["search"].best_score_ > 0.7
    names["tie"] = np.arange(len(pairs)) % 5 == 0
    with sklearn.config_context():
        run(code("docs/python.md", 3), names)
    assert names["search"].best_score_ > 0.5


def test_the_labels_of_the_page_are_heard():
    X, truth, pairs = blobs()
    model = likelier.ComparisonClassifier(prior=0.4, protocol="forced-choice")
    said = run(
        code("docs/python.md", 1), {"X": X, "pairs": pairs, "model": model, "labels": dict(enumerate(truth[:50]))}
    )
    assert said == [str(model.assess().audit.accuracy)]
    assert model.assess().audit.labels == 50


def test_the_forest_of_the_page_runs():
    pytest.importorskip("sklearn")
    X, truth, pairs = blobs(count=300, pairs=600)
    names = {"X": X, "pairs": pairs}
    run(code("docs/python.md", 4), names)
    assert (names["model"].predict(X) == truth).mean() > 0.6


def test_the_page_lists_every_method_that_has_a_risk_of_scores_alone():
    page = (ROOT / "docs/python.md").read_text()
    for method in likelier._native.stateless_methods():
        assert f"`{method}`" in page
        assert method in likelier.risk.__doc__.replace("\n    ", " ")
        assert np.isfinite(likelier.risk([1.0], [0.0], prior=0.5, method=method).value)
