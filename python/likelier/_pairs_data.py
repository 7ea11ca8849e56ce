"""Comparisons as arrays: checked once, ties halved, items put into folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._pairs_protocol import Array

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Comparisons:
    """Comparisons between rows of a table; a tie is there twice, half a comparison each way."""

    likelier: Rows
    other: Rows
    weight: Array
    rows: int

    @classmethod
    def read(cls, pairs: Any, rows: int, tie: Any = None, weight: Any = None) -> Comparisons:
        """Checks what a caller gave; `rows` is how many rows the table has."""
        table = row_numbers(pairs, rows)
        weights = check_weights(weight, len(table))
        if tie is not None:
            tied = check_ties(tie, len(table))
            turned = table[tied][:, ::-1]
            weights = np.where(tied, 0.5 * weights, weights)
            table, weights = np.concatenate([table, turned]), np.concatenate([weights, weights[tied]])
        counted = weights > 0.0
        if not counted.any():
            raise ValueError("every comparison has weight 0")
        return cls(table[counted, 0], table[counted, 1], weights[counted], rows)

    @property
    def wins(self) -> Array:
        """How often each row was the likelier one, counted in weights."""
        return summed(self.likelier, self.weight, self.rows)

    @property
    def losses(self) -> Array:
        """How often each row was the other one, counted in weights."""
        return summed(self.other, self.weight, self.rows)

    @property
    def compared(self) -> Rows:
        """The rows that occur."""
        return np.flatnonzero(self.wins + self.losses > 0.0)

    def by_row(self, of_likelier: Array, of_other: Array) -> Array:
        """A number for each side of each comparison, summed by row with the comparison's weight."""
        first = summed(self.likelier, self.weight * of_likelier, self.rows)
        return first + summed(self.other, self.weight * of_other, self.rows)

    def only(self, kept: NDArray[np.bool_]) -> Comparisons:
        """The marked comparisons."""
        return Comparisons(self.likelier[kept], self.other[kept], self.weight[kept], self.rows)

    def groups(self) -> Rows:
        """A number for each row that is the same exactly for rows linked by a chain of comparisons."""
        group = np.arange(self.rows)
        while True:
            least = np.minimum(group[self.likelier], group[self.other])
            before = group.copy()
            np.minimum.at(group, self.likelier, least)
            np.minimum.at(group, self.other, least)
            group = group[group]
            if np.array_equal(group, before):
                return group

    def folds(self, count: int, rng: np.random.RandomState) -> Rows:
        """A fold for each row; rows that are linked share one, where links leave groups small enough."""
        compared = self.compared
        group = self.groups()[compared]
        sizes = np.bincount(group, minlength=self.rows)[group]
        # A group of its own for each row of a large one.
        group = np.where(sizes * 2 * count > len(compared), self.rows + compared, group)
        _, group = np.unique(group, return_inverse=True)
        place = rng.permutation(int(group.max()) + 1)[group]
        order = np.argsort(place, kind="stable")
        folds = np.full(self.rows, -1, dtype=np.int64)
        starts = np.searchsorted(place[order], place[order])
        folds[compared[order]] = starts * count // len(compared)
        return folds

    def hold_out(self, share: float, rng: np.random.RandomState) -> tuple[Comparisons, Comparisons]:
        """Comparisons to train on, and some to judge by whose two items occur in none of them.

        Comparisons with one such item are left aside. At most two fifths are kept from training, unless
        `share` itself is larger; so fewer than the wanted share may be held out where items occur often.
        """
        order = rng.permutation(len(self.weight))
        ordered = np.column_stack([self.likelier, self.other])[order]
        least, most = 0, len(order)
        while least < most:
            drawn = (least + most + 1) // 2
            out = np.zeros(self.rows, dtype=np.bool_)
            out[ordered[:drawn]] = True
            first, second = out[self.likelier], out[self.other]
            total = float(self.weight.sum())
            held, touched = self.weight[first & second].sum(), self.weight[first | second].sum()
            fits = held <= share * total and touched <= max(0.4, share) * total
            least, most = (drawn, most) if fits else (least, drawn - 1)
        out = np.zeros(self.rows, dtype=np.bool_)
        out[ordered[:least]] = True
        first, second = out[self.likelier], out[self.other]
        return self.only(~first & ~second), self.only(first & second)


def summed(at: Rows, values: Array, rows: int) -> Array:
    """The sum of the values at each row."""
    result: Array = np.bincount(at, values, rows).astype(np.float64)
    return result


def row_numbers(pairs: Any, rows: int) -> Rows:
    """Pairs as an (n, 2) array of row numbers."""
    table = np.asarray(pairs)
    if table.dtype.kind not in "iu":
        if table.size == 0:
            raise ValueError("there are no comparisons")
        raise TypeError(f"pairs must be row numbers, whole numbers such as int64, got {table.dtype}")
    if table.ndim != 2 or table.shape[1] != 2:
        raise ValueError(f"pairs must have the shape (comparisons, 2): likelier row, other row; got {table.shape}")
    if len(table) == 0:
        raise ValueError("there are no comparisons")
    if int(table.min()) < 0:
        raise ValueError(f"row numbers count from 0, got {int(table.min())}")
    if int(table.max()) >= rows:
        raise ValueError(f"row {int(table.max())} is compared, but X has only {rows} rows, counted from 0")
    same = table[:, 0] == table[:, 1]
    if same.any():
        at = int(same.argmax())
        raise ValueError(f"comparison {at} compares row {int(table[at, 0])} with itself")
    return table.astype(np.int64)


def check_weights(weight: Any, count: int) -> Array:
    """One weight for each comparison; 1 if absent."""
    if weight is None:
        return np.ones(count)
    weights = np.asarray(weight)
    if weights.dtype.kind not in "iufb":
        raise TypeError(f"weight must be numbers, got {weights.dtype}")
    if weights.shape != (count,):
        raise ValueError(f"{count} comparisons but weight has shape {weights.shape}")
    weights = weights.astype(np.float64)
    if not np.isfinite(weights).all() or (weights < 0.0).any():
        raise ValueError("weights must be finite and not negative")
    return weights


def check_ties(tie: Any, count: int) -> NDArray[np.bool_]:
    """One mark for each comparison."""
    tied = np.asarray(tie)
    if tied.shape != (count,):
        raise ValueError(f"{count} comparisons but tie has shape {tied.shape}")
    if tied.dtype.kind not in "biu" or not np.isin(tied, (0, 1)).all():
        raise TypeError("tie must be True or False for each comparison")
    return tied.astype(np.bool_)
