"""From whatever holds items to what the library reads: dense arrays, sparse matrices, frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Rows are numbered in 32 bits.
MOST_ROWS = 2**32 - 1


@dataclass(frozen=True)
class Items:
    """Items as the library reads them."""

    #: A dense array, or the parts of a sparse one.
    native: Any
    count: int
    width: int
    #: The names of the features, where they have some.
    names: list[str] | None
    #: The names of the items, where they have some.
    ids: Sequence[Any] | None


def items_of(X: Any, ids: ArrayLike | None = None) -> Items:
    """Reads items. A C-contiguous array of float32 (or uint8, taken for images) is not copied."""
    _check_size(X)
    if hasattr(X, "tocsr"):
        return _sparse(X, _listed(ids))
    names, given = None, None
    if hasattr(X, "iloc") and hasattr(X, "columns"):  # pandas
        names, given = _names(X.columns), _own_ids(X.index)
        array = _of_columns([X.iloc[:, at].to_numpy() for at in range(X.shape[1])], list(X.columns), len(X))
    elif hasattr(X, "get_columns"):  # polars
        names = _names(X.columns)
        array = _of_columns([column.to_numpy() for column in X.get_columns()], X.columns, len(X))
    elif hasattr(X, "column_names"):  # pyarrow
        names = _names(X.column_names)
        array = _of_columns([column.to_numpy() for column in X.columns], X.column_names, len(X))
    else:
        array = dense(X)
    listed = _listed(ids)
    if listed is not None and len(listed) != len(array):
        raise ValueError(f"{len(listed)} ids do not match {len(array)} items")
    return Items(array, len(array), array.shape[1], names, given if listed is None else listed)


def dense(X: ArrayLike) -> NDArray[Any]:
    """A matrix of float32, or of bytes if it is one already, that lies row after row."""
    array = np.asarray(X)
    _check_size(array)
    if array.ndim != 2:
        raise ValueError(
            f"X must have two dimensions, items and features, but has {array.ndim}. Reshape your data: "
            "X.reshape(-1, 1) if it is one feature, X.reshape(1, -1) if it is one item"
        )
    if array.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    if array.shape[1] == 0:
        raise ValueError(f"Found array with 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    kept = np.uint8 if array.dtype == np.uint8 else np.float32
    return np.require(_numbers(array, "X"), kept, ["C", "A"])


def _numbers(array: NDArray[Any], what: str) -> NDArray[Any]:
    """Refuses what is not a number; what does not fit into float32 becomes infinite, and is refused later."""
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} is of {array.dtype}")
    if array.dtype.kind in "USmM":
        raise ValueError(f"{what} must hold numbers, and holds {array.dtype}")
    if array.dtype.kind == "O":
        if any(isinstance(value, str) for value in array.flat):
            raise ValueError(f"{what} must hold numbers, and holds text")
        array = array.astype(np.float64)
    if array.dtype.kind == "f" and array.dtype.itemsize > 4:
        with np.errstate(over="ignore"):
            return array.astype(np.float32)
    return array


def _of_columns(columns: list[NDArray[Any]], names: Sequence[object], count: int) -> NDArray[Any]:
    if not columns or count == 0:
        return dense(np.empty((count, len(columns)), np.float32))
    array = np.empty((count, len(columns)), np.float32)
    for at, (column, name) in enumerate(zip(columns, names, strict=True)):
        array[:, at] = _numbers(np.asarray(column), f"column {name!r}")
    return array


def _sparse(X: Any, ids: Sequence[Any] | None) -> Items:
    rows = X.tocsr()
    count, width = rows.shape
    if count == 0 or width == 0:
        dense(np.empty(rows.shape, np.float32))
    _numbers(np.empty(0, rows.dtype), "X")
    if not rows.has_canonical_format:
        rows = rows.copy()
        rows.sum_duplicates()
    values = np.require(_numbers(rows.data, "X"), np.float32, ["C", "A"])
    parts = (values, rows.indices.astype(np.uint32), rows.indptr.astype(np.int64), int(width))
    return Items(parts, int(count), int(width), None, ids)


def _check_size(X: object) -> None:
    shape = getattr(X, "shape", ())
    if isinstance(shape, tuple) and shape and isinstance(shape[0], int) and shape[0] > MOST_ROWS:
        raise ValueError(f"there can be at most {MOST_ROWS} items, got {shape[0]}")


def _names(columns: Any) -> list[str] | None:
    """Names only if all are text, as in scikit-learn."""
    listed = list(columns)
    kinds = {isinstance(name, str) for name in listed}
    if kinds == {True, False}:
        raise TypeError("the names of the columns must all be text, or none of them")
    return listed if kinds == {True} else None


def _own_ids(index: Any) -> Sequence[Any] | None:
    """The index of a frame, unless it only counts."""
    counted = np.arange(len(index))
    values = index.to_numpy()
    return None if values.dtype.kind in "iu" and np.array_equal(values, counted) else values.tolist()


def _listed(ids: ArrayLike | None) -> Sequence[Any] | None:
    if ids is None:
        return None
    array = ids.to_numpy() if hasattr(ids, "to_numpy") else np.asarray(ids)
    if array.ndim != 1:
        raise ValueError(f"ids must be a list, one for each item, but have {array.ndim} dimensions")
    listed: list[Any] = array.tolist()
    return listed
