"""More than one machine: many trainings, more comparisons than one can train on, more rows than one can score.

Every function takes ``address=``. Without it the work is done by the Ray cluster that this process is connected to,
or by the threads of this machine if it is connected to none. ``"local"`` starts Ray on this machine, ``"auto"`` or
``"10.0.0.1:6379"`` connects to a cluster; ``pip install 'likelier[ray]'`` installs Ray. The results are the same
wherever the work is done.

>>> import numpy as np
>>> from likelier import generate
>>> from likelier.distributed import cross_assess, fit
>>> rng = np.random.default_rng(0)
>>> good = rng.random(600) < 0.4
>>> X = rng.normal(size=(600, 3)) + good[:, None]
>>> pairs = generate(good, 3000).pairs
>>> judged = cross_assess(X, pairs, prior=0.4, protocol="forced-choice", equals="coin")
>>> print(f"{judged.new_items.accuracy:.2f}")
0.80 (0.76 to 0.84)
>>> model = fit(X, pairs, prior=0.4, protocol="forced-choice", shards=2)
>>> print(f"{(model.predict(X) == good).mean():.2f}")
0.81

`docs/scaling.md` says what it costs and from which size on more machines stop helping.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _native
from ._answers import Noted, answers_of
from ._assessment import Assessment
from ._classifier import ComparisonClassifier
from ._cluster import VERSION, Answering, log, run_tasks, stopped_with
from ._connecting import connected
from ._items import items_of
from ._progress import Shown
from ._scoring import Output, Scorer, check, score_here, score_on
from ._stages import Stages
from ._stated import belief, optional_real, optional_whole, real, text, whole
from ._tables import arrow, comparisons_in, features_of, files_of, joined, rows_in, schema_of
from ._warnings import warn

__all__ = ["Reproduced", "cross_assess", "fit", "reproduce", "score", "select"]


def select(
    X: Any,
    pairs: ArrayLike,
    *,
    address: str | None = None,
    resume: str | os.PathLike[str] | None = None,
    retries: int = 3,
    progress: bool = False,
    ids: ArrayLike | None = None,
    tie: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    group: Noted | None = None,
    **parameters: Any,
) -> ComparisonClassifier:
    """Chooses method, weight decay and learning rate, and fits: ``ComparisonClassifier(select=True, …).fit(X, pairs)``.

    Each training is one task. ``parameters`` are those of `ComparisonClassifier`. ``resume`` names a folder that keeps
    finished trainings: the same call continues with those that are missing. If its worker dies, a task is run again, at
    most ``retries`` times. Ctrl-C raises a ``KeyboardInterrupt`` that says what was kept.
    """
    model = ComparisonClassifier(**{**parameters, "select": True})
    noted = {"ids": ids, "tie": tie, "weight": weight, "group": group}
    return _fitted(model, X, pairs, noted, address, resume, retries, progress)


def cross_assess(
    X: Any,
    pairs: ArrayLike,
    *,
    folds: int = 5,
    address: str | None = None,
    resume: str | os.PathLike[str] | None = None,
    retries: int = 3,
    progress: bool = False,
    ids: ArrayLike | None = None,
    tie: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    group: Noted | None = None,
    **parameters: Any,
) -> Assessment:
    """How good a classifier is on new items, without labels, by one model for each fold of the items.

    It is ``ComparisonClassifier(folds=folds, …).fit(X, pairs).assess()``, with one task for each fold. ``resume`` and
    ``retries`` are those of `select`.
    """
    model = ComparisonClassifier(**{**parameters, "folds": folds})
    noted = {"ids": ids, "tie": tie, "weight": weight, "group": group}
    return _fitted(model, X, pairs, noted, address, resume, retries, progress).assess()


def _fitted(
    model: ComparisonClassifier,
    X: Any,
    pairs: ArrayLike,
    noted: dict[str, Any],
    address: str | None,
    resume: str | os.PathLike[str] | None,
    retries: int,
    progress: bool,
) -> ComparisonClassifier:
    ray = connected(address)
    whole("retries", retries, 0)
    if ray is None and resume is None:
        model.progress = progress
        return model.fit(X, pairs, **noted)
    with Shown(progress) as shown:
        stages = Stages(ray, resume, retries, shown)
        with stopped_with(stages.kept):
            return model._fit(stages, X, pairs, **noted)


@dataclass(frozen=True)
class Reproduced:
    """A run of an experiment."""

    #: The folder with raw.csv, summary.md and report.html.
    out: Path
    #: Trials that were run now.
    trials: int
    #: How often one was run again because its worker had died.
    retries: int


def reproduce(
    experiment: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    address: str | None = None,
    program: str = "likelier-paper",
    data_dir: str | os.PathLike[str] | None = None,
    datasets: Sequence[str] = (),
    priors: Sequence[float] = (),
    methods: Sequence[str] = (),
    variants: Sequence[str] = (),
    trials: int | None = None,
    epochs: int | None = None,
    retries: int = 3,
    progress: bool = False,
) -> Reproduced:
    """Runs an experiment of the paper, one task a trial: ``likelier-paper reproduce EXPERIMENT --out OUT``.

    Every machine needs the program (``program=``) and the data sets (``data_dir=``) at the same place. Each finished
    trial is added to ``raw.csv`` at once, so the same call continues where it was stopped.
    """
    ray = connected(address)
    whole("retries", retries, 0)
    flags = []
    for flag, values in [("datasets", datasets), ("priors", priors), ("methods", methods), ("variants", variants)]:
        flags += [f"--{flag}", ",".join(str(value) for value in values)] if values else []
    for flag, number in [("trials", optional_whole("trials", trials)), ("epochs", optional_whole("epochs", epochs))]:
        flags += [] if number is None else [f"--{flag}", str(number)]
    flags += [] if data_dir is None else ["--data-dir", str(Path(data_dir).absolute())]
    begin = [program, "reproduce", os.fspath(experiment), *flags]
    plan = [line.split("\t") for line in _said([*begin, "--out", os.fspath(out), "--plan"]).splitlines()]
    kept = stopped_with(lambda: f"finished trials are in {Path(out, 'raw.csv')}: the same call runs the others")
    if ray is None:
        with kept:
            _said([*begin, "--out", os.fspath(out)])
        return Reproduced(Path(out), len(plan), 0)
    text_of = Path(experiment).read_text() if os.fspath(experiment).endswith(".toml") else None
    work = (program, os.fspath(experiment), text_of, flags)
    again = 0
    # It alone writes to the folder. Ctrl-C is for this process: the other ends when it is told nothing more.
    with (
        kept,
        Shown(progress) as shown,
        tempfile.TemporaryFile("w+") as said,
        subprocess.Popen(
            [*begin, "--out", os.fspath(out), "--take"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
            text=True,
            start_new_session=True,
        ) as taking,
    ):
        assert taking.stdin is not None
        try:
            tasks = [(name, int(number)) for number, name in plan]
            for _, row, attempts in run_tasks(ray, _reproduced, work, tasks, retries=retries, progress=shown):
                taking.stdin.write(row + "\n")
                taking.stdin.flush()
                again += attempts
        except BrokenPipeError:
            # It has refused a row, and says why.
            log.info("%s ended before all rows were handed over", program)
        finally:
            with contextlib.suppress(BrokenPipeError):
                taking.stdin.close()
            taking.wait()
        if taking.returncode != 0:
            said.seek(0)
            raise RuntimeError(_words(said.read()))
    return Reproduced(Path(out), len(plan), again)


def _reproduced(program: str, experiment: str, text_of: str | None, flags: list[str], number: int) -> str:
    """Runs a trial alone, and gives its row."""
    with tempfile.TemporaryDirectory() as folder:
        if text_of is not None:
            experiment = str(Path(folder, Path(experiment).name))
            Path(experiment).write_text(text_of)
        out = str(Path(folder, "out"))
        _said([program, "reproduce", experiment, *flags, "--only", str(number), "--jobs", "1", "--out", out])
        return Path(out, "raw.csv").read_text().splitlines()[1]


def _said(command: list[str]) -> str:
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no program {command[0]!r}: name it with program=; "
            "cargo build --release --package likelier-paper builds it"
        ) from None
    if found.returncode != 0:
        raise RuntimeError(_words(found.stderr))
    return found.stdout


def _words(said: str) -> str:
    lines = [line for line in said.splitlines() if line.strip()]
    first = next((at for at, line in enumerate(lines) if line.startswith("error: ")), 0)
    return "; ".join(line.removeprefix("error: ") for line in lines[first:]) or "the program said nothing"


def fit(
    items: Any,
    comparisons: Any,
    *,
    prior: float,
    protocol: str,
    labeller_error: float = 0.0,
    weight_decay: float | None = None,
    shards: int | None = None,
    id: str = "id",
    features: Sequence[str] | None = None,
    ids: ArrayLike | None = None,
    address: str | None = None,
    cpus: float = 1,
    retries: int = 3,
    progress: bool = False,
) -> ComparisonClassifier:
    """Fits a linear model to more comparisons than one machine can train on, by the default method, pair-posterior.

    ``items`` is a folder of Parquet files (or one file) with the column ``id``, or a data set of Ray Data; its other
    columns, or those of ``features``, are numbers. ``comparisons`` is a folder of Parquet files (or one) with the
    columns ``likelier`` and ``other``, which hold ids, and ``weight`` if answers differ in how much they count. Small
    data may be given as arrays and frames, as to `ComparisonClassifier.fit`.

    The comparisons are cut into ``shards`` runs, by default one for each 250,000; each is held by an actor of its own.
    Every step sees all comparisons. For a given number of shards the weights are the same to the last bit on any number
    of machines, even if some die on the way. Nothing is held out: judge the model by other comparisons
    (``model.assess(X, pairs)``).
    """
    ray = connected(address)
    whole("retries", retries, 0)
    stated = belief(prior=prior, protocol=protocol, labeller_error=labeller_error)
    if not real("cpus", cpus) > 0:
        raise ValueError(f"cpus must be above 0, got {cpus}")
    decay = optional_real("weight_decay", weight_decay)
    wanted = optional_whole("shards", shards)
    names: list[str] | None
    if isinstance(comparisons, (str, os.PathLike)):
        names, make, pieces = _from_files(ray, items, comparisons, wanted, text("id", id), features)
    else:
        names, make, pieces = _from_arrays(items, comparisons, wanted, ids)
    with stopped_with(lambda: "nothing was kept"), Shown(progress) as shown:
        if ray is None:
            loaded = [make(*piece) for piece in pieces]
            found = _native.fit_shards(
                lambda ask: [shard.partial(ask) for shard in loaded], stated, decay, names, shown
            )
        else:
            sent = [[ray.put(part) if isinstance(part, np.ndarray) else part for part in piece] for piece in pieces]
            answering = Answering(ray, make, sent, cpus=cpus, retries=retries)
            try:
                found = _native.fit_shards(answering, stated, decay, names, shown)
            finally:
                answering.close()
            out, back, rounds = answering.traffic
            log.info("%d shards were asked %d times; %d bytes out, %d back", len(sent), rounds, out, back)
    classifier, warnings = found
    model = ComparisonClassifier(
        prior=prior, protocol=protocol, labeller_error=labeller_error, weight_decay=weight_decay, hold_out=0.0
    )
    model._take(classifier)
    model.assessment_ = None
    model._report = None
    warn(warnings)
    return model


def _cuts(count: int, shards: int | None) -> list[tuple[int, int]]:
    """Runs of nearly equal length."""
    if count == 0:
        raise ValueError("there is no comparison")
    number = _native.shards_for(count) if shards is None else shards
    if number > count:
        raise ValueError(f"shards must be at most the number of comparisons, {count}, got {number}")
    return [(at * count // number, (at + 1) * count // number) for at in range(number)]


def _from_files(
    ray: Any, items: Any, comparisons: Any, shards: int | None, id_column: str, features: Sequence[str] | None
) -> tuple[list[str], Any, list[list[Any]]]:
    listed = files_of(comparisons)
    columns = schema_of(listed[0]).names
    for name in ("likelier", "other"):
        if name not in columns:
            raise ValueError(f"the comparisons have no column {name!r}: they have {', '.join(columns)}")
    if isinstance(items, (str, os.PathLike)):
        pieces: list[Any] = list(files_of(items))
        schema = schema_of(pieces[0])
    elif hasattr(items, "to_arrow_refs"):
        pieces = items.to_arrow_refs()
        schema = ray.get(pieces[0]).schema
    else:
        raise TypeError("with comparisons in files, the items must be in files, too, or a data set of Ray Data")
    names = features_of(schema, id_column, features)
    cuts = _cuts(rows_in(listed), shards)
    return names, _shard_from_files, [[listed, start, stop, pieces, id_column, names] for start, stop in cuts]


def _shard_from_files(
    listed: list[str], start: int, stop: int, pieces: list[Any], id_column: str, names: list[str]
) -> _native.Shard:
    table = comparisons_in(listed, start, stop, ["likelier", "other", "weight"])
    rows, pairs = joined(table, start, pieces, id_column, names, _fetched)
    weight = table.column("weight").to_numpy() if "weight" in table.column_names else None
    return _native.Shard(rows, answers_of(pairs, len(rows), weight=weight))


def _fetched(reference: Any) -> Any:
    import ray

    found = ray.get(reference)
    return found if hasattr(found, "select") else arrow().Table.from_pandas(found)


def _from_arrays(
    X: Any, pairs: Any, shards: int | None, ids: ArrayLike | None
) -> tuple[list[str] | None, Any, list[list[Any]]]:
    items = items_of(X, ids)
    if isinstance(items.native, tuple):
        raise TypeError("sparse items cannot be split into shards: give a dense array, or Parquet files")
    rows = answers_of(pairs, items.count, items.ids)["pairs"]
    cut = []
    for start, stop in _cuts(len(rows), shards):
        needed, local = np.unique(rows[start:stop], return_inverse=True)
        cut.append([items.native[needed], np.require(local.reshape(-1, 2), np.uint32, ["C"])])
    return items.names, _shard_from_arrays, cut


def _shard_from_arrays(rows: Any, pairs: Any) -> _native.Shard:
    import sys

    ray = sys.modules.get("ray")
    if ray is not None and not isinstance(rows, np.ndarray):
        rows, pairs = ray.get([rows, pairs])
    return _native.Shard(rows, answers_of(pairs, len(rows)))


def score(
    items: str | os.PathLike[str],
    model: Any,
    out: str | os.PathLike[str],
    *,
    id: str = "id",
    columns: Sequence[str] | None = None,
    address: str | None = None,
    workers: int | None = None,
    batch: int = 65_536,
    retries: int = 3,
    progress: bool = False,
) -> Path:
    """Scores a folder of Parquet files (or one file) into another, batch by batch.

    ``model`` is a fitted classifier or a model file. ``out`` keeps the id and all columns, or the id and ``columns``,
    and gets three more: ``score``, ``probability`` and ``label`` (1 or 0), as `likelier predict` has them. The folder
    appears only when every row is written.
    """
    ray = connected(address)
    arrow()
    files = files_of(items)
    classifier = model.classifier_ if hasattr(model, "classifier_") else _native.Classifier.load(model)
    kept = None if columns is None else [name for name in columns if name != id]
    check(classifier, files, text("id", id), kept)
    scorer = Scorer(classifier.to_bytes(), id, kept, VERSION)
    size = whole("batch", batch)
    whole("retries", retries, 0)
    with stopped_with(lambda: f"{out} was not written"), Output(out) as output, Shown(progress) as shown:
        if ray is None:
            score_here(files, scorer, output, shown)
        else:
            pool = optional_whole("workers", workers)
            score_on(ray, os.fspath(items), scorer, output, workers=pool, batch=size, retries=retries)
        output.whole(rows_in(files))
    return Path(out)
