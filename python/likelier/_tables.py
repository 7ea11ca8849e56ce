"""Parquet files, a batch at a time: items by their ids, and ranges of comparisons."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Rows that are read at a time.
BATCH = 65_536


def arrow() -> Any:
    """pyarrow, which reads and writes Parquet."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError("Parquet files need the package pyarrow: pip install 'likelier[ray]'") from error
    return pyarrow


def files_of(path: str | os.PathLike[str]) -> list[str]:
    """The Parquet files of a folder in the order of their names, or the file itself."""
    place = Path(path)
    if place.is_file():
        return [str(place)]
    if not place.is_dir():
        raise FileNotFoundError(f"{place}: there is no such file or folder")
    files = sorted(str(file) for file in place.rglob("*.parquet"))
    if not files:
        raise ValueError(f"{place}: the folder holds no file that ends in .parquet")
    return files


def rows_in(files: Sequence[str]) -> int:
    """How many rows files have, by what they say at their ends."""
    parquet = arrow().parquet
    return sum(parquet.read_metadata(file).num_rows for file in files)


def schema_of(piece: Any) -> Any:
    """The columns of a file or of a table."""
    return arrow().parquet.read_schema(piece) if isinstance(piece, str) else piece.schema


def features_of(schema: Any, id_column: str, wanted: Sequence[str] | None) -> list[str]:
    """The columns of features: those that are wanted, or every number but the id."""
    if id_column not in schema.names:
        raise ValueError(f"the data set has no column {id_column!r} (id=): it has {', '.join(schema.names)}")
    if wanted is not None:
        missing = [name for name in wanted if name not in schema.names]
        if missing:
            raise ValueError(f"the data set has no column {missing[0]!r}: it has {', '.join(schema.names)}")
        return list(wanted)
    types = arrow().types
    names = [name for name in schema.names if name != id_column]
    for name in names:
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise ValueError(f"column {name!r} holds {kind} and not numbers: name the features (features=)")
    if not names:
        raise ValueError(f"the data set has no column beside {id_column!r}")
    return names


def matrix(table: Any, names: Sequence[str]) -> NDArray[np.float32]:
    """Columns of a table as float32, row after row."""
    found = np.empty((table.num_rows, len(names)), np.float32)
    for at, name in enumerate(names):
        column = table.column(name)
        if column.null_count:
            raise ValueError(f"column {name!r} has {column.null_count} missing values among {table.num_rows} rows")
        found[:, at] = column.to_numpy() if hasattr(column, "chunks") else column.to_numpy(zero_copy_only=False)
    return found


def batches(pieces: Sequence[Any], columns: Sequence[str], fetch: Callable[[Any], Any]) -> Iterator[Any]:
    """Tables of files, or of pieces that are fetched from a cluster."""
    for piece in pieces:
        if isinstance(piece, str):
            with arrow().parquet.ParquetFile(piece) as file:
                for batch in file.iter_batches(BATCH, columns=list(columns)):
                    yield arrow().Table.from_batches([batch])
        else:
            yield fetch(piece).select(list(columns))


def comparisons_in(files: Sequence[str], start: int, stop: int, columns: Sequence[str]) -> Any:
    """The comparisons from one place to another in the rows of all files, one after the other."""
    pa = arrow()
    found, before = [], 0
    for path in files:
        with pa.parquet.ParquetFile(path) as file:
            for group in range(file.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                first, last = max(start - before, 0), min(stop - before, rows)
                before += rows
                if first < last:
                    known = [name for name in columns if name in file.schema_arrow.names]
                    found.append(file.read_row_group(group, columns=known).slice(first, last - first))
    return pa.concat_tables(found)


def joined(
    comparisons: Any,
    start: int,
    pieces: Sequence[Any],
    id_column: str,
    features: Sequence[str],
    fetch: Callable[[Any], Any],
) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    """The rows that comparisons name, and the comparisons as places among these rows."""
    pa = arrow()
    named = [comparisons.column(name).combine_chunks() for name in ("likelier", "other")]
    blank = next((at for names in named for at, known in enumerate(names.is_valid().to_pylist()) if not known), None)
    if blank is not None:
        raise ValueError(f"comparison {start + blank + 1} lacks the id of an item")
    needed = pa.compute.unique(pa.concat_arrays(named))
    rows = np.zeros((len(needed), len(features)), np.float32)
    seen = np.zeros(len(needed), bool)
    for table in batches(pieces, [id_column, *features], fetch):
        ids = table.column(id_column)
        if ids.type != needed.type:
            try:
                ids = ids.cast(needed.type)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                raise ValueError(
                    f"comparisons name items by {needed.type}, and column {id_column!r} of the items holds {ids.type}"
                ) from None
        places = pa.compute.index_in(ids, value_set=needed)
        here = places.is_valid().to_numpy()
        places = places.drop_null().to_numpy()
        again = places[seen[places]]
        if len(np.unique(places)) < len(places):
            again = np.concatenate([again, _repeated(places)])
        if len(again):
            raise ValueError(f"ids must differ from each other, and {needed[int(again[0])].as_py()!r} occurs twice")
        seen[places] = True
        if len(places):
            rows[places] = matrix(table.filter(pa.array(here)), features)
    pairs = np.column_stack([pa.compute.index_in(names, value_set=needed).to_numpy() for names in named])
    if not seen.all():
        at = int(np.argmax(~seen[pairs].all(axis=1)))
        unknown = next(needed[int(place)].as_py() for place in pairs[at] if not seen[place])
        raise ValueError(f"comparison {start + at + 1} names {unknown!r}, which is not the id of an item")
    return rows, np.require(pairs, np.uint32, ["C"])


def _repeated(places: NDArray[Any]) -> NDArray[Any]:
    values, counts = np.unique(places, return_counts=True)
    repeated: NDArray[Any] = values[counts > 1]
    return repeated
