"""What people said: pairs of rows or ids, and what was noted with each of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._stated import flag, text

#: Something that was noted with each answer, None where it was not.
Noted = Sequence[Any] | ArrayLike
#: The labels of some items, by row or id; or one for each row, None where it is not known.
Labels = Mapping[Any, Any] | Noted


def answers_of(
    pairs: ArrayLike,
    items: int,
    ids: Sequence[Any] | None = None,
    *,
    tie: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    annotator: Noted | None = None,
    side: Noted | None = None,
    time: Noted | None = None,
    group: Noted | None = None,
    propensity: Noted | None = None,
) -> dict[str, Any]:
    """Answers as the library reads them."""
    rows = rows_of(pairs, items, ids)
    return {
        "pairs": rows,
        "tie": None if tie is None else _ties(tie),
        "weight": None if weight is None else _floats(weight, "weight"),
        "annotator": None if annotator is None else _named(annotator, "annotator"),
        "side": None if side is None else _named(side, "side"),
        "time": None if time is None else _times(time),
        "group": None if group is None else _named(group, "group"),
        "propensity": None if propensity is None else _propensities(propensity, items),
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
            raise ValueError(f"ids must differ from each other, and {name!r} occurs twice")
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


def _propensities(values: Any, items: int) -> NDArray[np.float64] | None:
    """How probable it was to ask each pair; a blank is of one that was drawn uniformly. All blank is nothing noted."""
    listed = _listed(values, "propensity")
    wrong = next((one for one in listed if not _is_blank(one) and not isinstance(one, (Real, np.number))), None)
    if wrong is not None:
        raise TypeError(f"propensity must hold numbers, None where a pair was drawn uniformly, and holds {wrong!r}")
    if all(_is_blank(one) for one in listed):
        return None
    uniform = 2.0 / max(items * (items - 1), 2)
    return np.array([uniform if _is_blank(one) else float(one) for one in listed], np.float64)


def labels_of(
    labels: Labels | None, chosen: str | None, items: int, ids: Sequence[Any] | None, train: bool = False
) -> tuple[NDArray[np.int8], str, bool] | None:
    """What is known of the true classes: 1, 0, or -1 where nothing is, for each item; how the items were chosen; and
    whether to train on them."""
    train = flag("labels_train", train)
    if labels is None and train:
        raise ValueError("labels_train is given, but no labels are: give them too (labels=)")
    if labels is None and chosen is None:
        return None
    if labels is None:
        raise ValueError("labels_chosen is given, but no labels are: give them too (labels=)")
    if chosen is None:
        raise ValueError(
            'labels are given, but not how their items were chosen: labels_chosen="random" or "other"; '
            "only random ones can judge the classifier"
        )
    if isinstance(labels, Mapping):
        values: list[Any] = [None] * items
        names = list(labels)
        for name, row in zip(names, _rows_of_labels(names, items, ids), strict=True):
            values[row] = labels[name]
    else:
        values = _line(_array(labels), "labels").tolist()
        if len(values) != items:
            raise ValueError(
                f"{len(values)} labels do not match {items} items: give one for each row, None where it is not known, "
                "or a dict from row (or id) to label"
            )
    known = np.array([_label(value, at) for at, value in enumerate(values)], np.int8)
    if (known < 0).all():
        raise ValueError("labels holds no label: give some that are 1 or 0")
    return known, text("labels_chosen", chosen), train


def _rows_of_labels(names: list[Any], items: int, ids: Sequence[Any] | None) -> list[int]:
    places = {name: row for row, name in enumerate(range(items) if ids is None else ids)}
    unknown = next((name for name in names if name not in places), None)
    if unknown is not None:
        allowed = f"a row from 0 to {items - 1}" if ids is None else "the id of an item"
        raise ValueError(f"labels has {unknown!r}, which is not {allowed}")
    return [places[name] for name in names]


def _label(value: Any, at: int) -> int:
    if _is_blank(value):
        return -1
    if not isinstance(value, str) and value in (0, 1):
        return int(value)
    raise ValueError(f"the label of row {at} must be 1, 0, True, False, or None where it is not known, got {value!r}")


def _is_blank(value: Any) -> bool:
    """Nothing, not a number (which is not equal to itself), or what pandas writes for a missing value."""
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def _listed(values: Any, what: str) -> list[Any]:
    """The values as they were, one for each answer."""
    listed = values.to_numpy() if hasattr(values, "to_numpy") else values
    if isinstance(listed, np.ndarray):
        return list(_line(listed, what))
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise TypeError(f"{what} must be a list with an entry for each pair, got {values!r}")
    return list(listed)


def _named(values: Any, what: str) -> tuple[list[str], NDArray[np.uint32]]:
    """Names in the order in which they first occur, and the place of each answer's; a blank is an empty name."""
    places: dict[str, int] = {}
    names = ("" if _is_blank(name) else str(name) for name in _listed(values, what))
    of = [places.setdefault(name, len(places)) for name in names]
    return list(places), np.array(of, np.uint32)


def _times(values: Any) -> list[str]:
    """Times in a form that the library reads: seconds, or dates as ISO 8601 writes them."""
    return ["" if _is_blank(time) else _time(time) for time in _listed(values, "time")]


def _time(time: Any) -> str:
    return str(time.isoformat() if hasattr(time, "isoformat") else time)


def scores_of(scores: ArrayLike, what: str) -> NDArray[np.float32]:
    """Scores as the library reads them."""
    return _floats(scores, what)


def _line(array: NDArray[Any], what: str) -> NDArray[Any]:
    if array.ndim != 1:
        raise ValueError(f"{what} must have one dimension, and has {array.ndim}")
    return array


def _array(values: Any) -> NDArray[Any]:
    return np.asarray(values.to_numpy() if hasattr(values, "to_numpy") else values)
