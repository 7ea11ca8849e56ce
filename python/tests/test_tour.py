"""The tour: every cell runs, and prints what the notebook shows."""

import contextlib
import io
import json
import os
import shutil
import sysconfig
from pathlib import Path

import pytest

TOUR = Path(__file__).parents[1] / "tour.ipynb"


@pytest.mark.skipif("LIKELIER_TOUR_ALONE" not in os.environ, reason="only where the environment was made for it")
def test_there_is_no_rust_here():
    for tool in ("cargo", "rustc", "rustup", "maturin", "cc"):
        assert shutil.which(tool) is None
    assert shutil.which("likelier") == os.path.join(sysconfig.get_path("scripts"), "likelier")


def test_the_tour_runs_and_prints_what_it_shows(tmp_path, monkeypatch):
    pytest.importorskip("sklearn")
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    if "LIKELIER_TOUR_ALONE" not in os.environ:
        monkeypatch.setenv("PATH", sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"])
    names, printed = {}, 0
    for cell in json.loads(TOUR.read_text())["cells"]:
        if cell["cell_type"] != "code":
            continue
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec("".join(cell["source"]), names)
        shown = "".join("".join(one["text"]) for one in cell["outputs"] if one["output_type"] == "stream")
        assert said.getvalue() == shown
        printed += bool(shown)
    assert printed == 3
    assert {path.name for path in tmp_path.iterdir()} >= {"wine.html", "wine.likelier", "wine.onnx"}
