"""What people said: pairs of rows or ids, and what was noted with each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def answers_of(
    pairs: ArrayLike,
    items: int,
    ids: Sequence[Any] | None = None,
    *,
    tie: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    annotator: Sequence[object] | None = None,
) -> dict[str, Any]:
    """Answers as the library reads them."""
    rows = rows_of(pairs, items, ids)
    return {
        "pairs": rows,
        "tie": None if tie is None else _ties(tie),
        "weight": None if weight is None else _floats(weight, "weight"),
        "annotator": None if annotator is None else _annotators(annotator),
    }


def rows_of(pairs: ArrayLike, items: int, ids: Sequence[Any] | None = None) -> NDArray[np.uint32]:
    """The rows of the two items of each pair."""
    array = _array(pairs)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(f"pairs must have the shape (n, 2), the likelier item and then the other, got {array.shape}")
    if ids is not None:
        array = _looked_up(array, ids)
    elif array.dtype.kind not in "iu":
        raise TypeError(
            f"pairs must hold the numbers of rows, counted from 0, and hold {array.dtype}; if they are ids, "
            "give the ids of the items too (ids=)"
        )
    outside = array[(array < 0) | (array >= items)]
    if outside.size:
        raise ValueError(f"a pair refers to item {outside[0]}, but there are only {items} items (counted from 0)")
    return np.require(array, np.uint32, ["C", "A"])


def _looked_up(array: NDArray[Any], ids: Sequence[Any]) -> NDArray[np.int64]:
    places: dict[Any, int] = {}
    for row, name in enumerate(ids):
        if places.setdefault(name, row) != row:
            raise ValueError(f"ids must differ from each other, and {name!r} is twice among them")
    try:
        rows = [places[name] for name in array.ravel().tolist()]
    except KeyError as error:
        raise ValueError(f"a pair refers to {error.args[0]!r}, which is not the id of an item") from None
    return np.array(rows, np.int64).reshape(-1, 2)


def _ties(tie: ArrayLike) -> NDArray[np.bool_]:
    array = _array(tie)
    if array.dtype.kind != "b" and not (array.dtype.kind in "iu" and np.isin(array, (0, 1)).all()):
        raise TypeError(f"tie must hold True and False, and holds {array.dtype}")
    return _line(array, "tie").astype(np.bool_)


def _floats(values: ArrayLike, what: str) -> NDArray[np.float32]:
    array = _line(_array(values), what)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{what} must hold numbers, and holds {array.dtype}")
    return np.require(array, np.float32, ["C", "A"])


def _annotators(annotator: Sequence[object]) -> tuple[list[str], NDArray[np.uint32]]:
    places: dict[str, int] = {}
    # Nobody in particular is an empty name; what is not equal to itself is not a number.
    names = ("" if who is None or who != who else str(who) for who in annotator)
    of = [places.setdefault(name, len(places)) for name in names]
    return list(places), np.array(of, np.uint32)


def scores_of(scores: ArrayLike, what: str) -> NDArray[np.float32]:
    """Scores as the library reads them."""
    return _floats(scores, what)


def _line(array: NDArray[Any], what: str) -> NDArray[Any]:
    if array.ndim != 1:
        raise ValueError(f"{what} must have one dimension, and has {array.ndim}")
    return array


def _array(values: Any) -> NDArray[Any]:
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
