"""Scores of more rows than fit into memory: batch by batch, here or over Ray Data."""

from __future__ import annotations

import os
import re
import shutil
import uuid
from collections.abc import Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from ._cluster import VERSION, guarded, log, result_of
from ._progress import Progress
from ._tables import BATCH, arrow, features_of, files_of, matrix, rows_in, schema_of

#: What is added to the columns of the data set.
ADDED = ("score", "probability", "label")
#: Around the words of a worker.
_BEGIN, _END = "likelier|", "|likelier"


class Scorer:
    """Adds scores to a table of items. It is made once by each worker."""

    def __init__(self, content: bytes, id_column: str, kept: Sequence[str] | None, version: str = VERSION) -> None:
        self._content = content
        self._id = id_column
        self._kept = kept
        self._version = version
        self._classifier: _native.Classifier | None = None

    def __call__(self, table: Any) -> Any:
        """The kept columns, and three more."""
        return result_of("scoring", self.guarded(table))

    def guarded(self, table: Any) -> tuple[str, Any]:
        """The same, or the kind of an error and its words."""
        return guarded(self._version, self._scored, table)

    def _scored(self, table: Any) -> Any:
        if self._classifier is None:
            self._classifier = _native.Classifier(self._content)
        classifier = self._classifier
        scores = classifier.scores(matrix(table, features_for(classifier, table.schema, self._id)))
        slope, offset = (np.float32(number) for number in classifier.probability)
        odds = (slope * scores + offset).astype(np.float64)
        columns = [scores, 1.0 / (1.0 + np.exp(-odds)), (scores > np.float32(classifier.threshold)).astype(np.int64)]
        table = table if self._kept is None else table.select([self._id, *self._kept])
        for name, column in zip(ADDED, columns, strict=True):
            table = table.append_column(name, arrow().array(column))
        return table


def features_for(classifier: _native.Classifier, schema: Any, id_column: str) -> list[str]:
    """The columns that a classifier reads: those of its features' names, or every number but the id."""
    names = features_of(schema, id_column, classifier.feature_names)
    if len(names) != classifier.width:
        raise ValueError(
            f"the model has {classifier.width} features without names, and the data set has {len(names)} columns "
            f"beside {id_column!r}"
        )
    return names


class Output:
    """A folder that is written under another name, and takes its own when it is whole."""

    def __init__(self, out: str | os.PathLike[str]) -> None:
        self.out = Path(out)
        if self.out.exists():
            raise FileExistsError(f"{self.out} already exists: name another folder, or remove it")
        self.partial = self.out.with_name(f".{self.out.name}.{uuid.uuid4().hex[:8]}.partial")

    def __enter__(self) -> Output:
        self.partial.mkdir(parents=True)
        return self

    def whole(self, rows: int) -> None:
        """Gives the folder its name, if it has as many rows as there were."""
        written = rows_in(files_of(self.partial)) if rows else 0
        if written != rows:
            raise RuntimeError(f"only {written} of {rows} rows were written: nothing was kept")
        os.rename(self.partial, self.out)

    def empty(self) -> None:
        """Takes back what was written."""
        shutil.rmtree(self.partial, ignore_errors=True)
        self.partial.mkdir(parents=True)

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.partial, ignore_errors=True)


def check(classifier: _native.Classifier, files: Sequence[str], id_column: str, kept: Sequence[str] | None) -> None:
    """Refuses what no worker could score, before any work."""
    schema = schema_of(files[0])
    features_for(classifier, schema, id_column)
    for name in kept or ():
        if name not in schema.names:
            raise ValueError(f"the data set has no column {name!r}: it has {', '.join(schema.names)}")
    taken = [name for name in ADDED if name in (schema.names if kept is None else kept)]
    if taken:
        raise ValueError(
            f"the data set already has a column {taken[0]!r}, which the scores would overwrite: rename it, or leave it "
            "out (columns=)"
        )


def score_here(files: Sequence[str], scorer: Scorer, output: Output, progress: Progress | None) -> None:
    """File by file with the threads of this machine."""
    parquet = arrow().parquet
    done = 0

    def one(at: int) -> None:
        nonlocal done
        with parquet.ParquetFile(files[at]) as file:
            writer = None
            target = output.partial / f"{at:06}-{Path(files[at]).name}"
            try:
                for batch in file.iter_batches(BATCH):
                    scored = scorer(arrow().Table.from_batches([batch]))
                    writer = writer or parquet.ParquetWriter(target, scored.schema)
                    writer.write_table(scored)
            finally:
                if writer is not None:
                    writer.close()
        done += 1
        if progress is not None:
            progress("scoring", done, len(files), Path(files[at]).name)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = [pool.submit(one, at) for at in range(len(files))]
        try:
            finished, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in finished:
                future.result()
        finally:
            for future in futures:
                future.cancel()


def score_on(
    ray: Any, path: str, scorer: Scorer, output: Output, *, workers: int | None, batch: int, retries: int
) -> None:
    """Over Ray Data: read, a pool of actors, write.

    Ray Data makes blocks again that were lost with a node. What it cannot do without is begun again.
    """
    data_of = import_module("ray.data")
    context = data_of.DataContext.get_current()
    context.enable_progress_bars = False
    # The newer reader lists files in an actor, and waits for ever if that is lost with its node.
    context.use_datasource_v2 = False
    for attempt in range(retries + 1):
        size = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        try:
            data = data_of.read_parquet(path)
            data = data.map_batches(
                _Pool,
                fn_constructor_args=[scorer],
                batch_format="pyarrow",
                batch_size=batch,
                compute=data_of.ActorPoolStrategy(min_size=1, max_size=size),
                # They reserve nothing: what is left of a cluster after nodes died might be one CPU each, and then
                # nobody could read or write, and all would wait for ever.
                num_cpus=0,
            )
            data.write_parquet(str(output.partial))
            return
        except Exception as error:
            if attempt == retries or not _died(error):
                raise_of(error)
            log.warning("scoring starts over: a worker died that Ray Data cannot replace")
            output.empty()


def _chain(error: BaseException) -> list[BaseException]:
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        seen.append(cause)
        cause = getattr(cause, "cause", None) or cause.__cause__
    return seen


def _died(error: BaseException) -> bool:
    deaths = ("ActorDiedError", "NodeDiedError", "WorkerCrashedError", "ObjectLostError", "OwnerDiedError")
    words = " ".join(f"{type(one).__name__} {one}" for one in _chain(error))
    return _BEGIN not in words and any(death in words for death in deaths)


class _Pool:
    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer

    def __call__(self, table: Any) -> Any:
        kind, value = self._scorer.guarded(table)
        if kind:
            # Ray puts its own words around those of a worker: these are found again.
            raise RuntimeError(f"{_BEGIN}{kind}|{value}{_END}")
        return value


def raise_of(error: Exception) -> None:
    """Raises the error of a worker in the words in which it was raised there."""
    seen = _chain(error)
    for one in seen:
        found = re.search(f"{re.escape(_BEGIN)}(\\w+)\\|(.*?){re.escape(_END)}", str(one), re.DOTALL)
        if found:
            result_of("scoring", (found[1], found[2]))
    for one in seen:
        if isinstance(one, MemoryError) or type(one).__name__ == "OutOfMemoryError":
            raise MemoryError("scoring: a worker ran out of memory: score smaller batches (batch=)") from error
    raise RuntimeError(
        f"scoring: {type(seen[-1]).__name__}: {(str(seen[-1]).strip() or '?').splitlines()[0]}"
    ) from error
