"""The data of the tables, split and compared the same way for every method.

Of each data set, items to train on and rows to test on are drawn by the seed, classes in proportion; at most
2,500 items. Two comparisons per item: random pairs of items, forced choice, no labeller error, equals by a coin.
The prior told to every method is the share of positives among the items.
"""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split

ROOT = Path(__file__).resolve().parents[2]
WINE = ROOT / "crates/likelier-tables/data/winequality-red.csv.gz"
MOST_ITEMS = 2_500
SEEDS = range(5)


class Task(NamedTuple):
    items: np.ndarray
    truth: np.ndarray
    pairs: np.ndarray
    new: np.ndarray
    new_truth: np.ndarray

    @property
    def prior(self) -> float:
        return float(self.truth.mean())


def wine(good: int) -> tuple[np.ndarray, np.ndarray]:
    with gzip.open(WINE, "rt") as file:
        first = file.readline()
        table = np.loadtxt(file, delimiter=";" if ";" in first else ",")
    return table[:, :-1], table[:, -1] >= good


def digits(name: str) -> tuple[np.ndarray, np.ndarray]:
    folder = Path(os.environ["LIKELIER_DATA"]) / name
    table = np.concatenate([np.loadtxt(folder / f"{name}.{part}", delimiter=",") for part in ("tra", "tes")])
    return table[:, :-1], table[:, -1] % 2 == 0


def breast_cancer() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_breast_cancer(return_X_y=True)
    return X, y == 0  # malignant


def diabetes() -> tuple[np.ndarray, np.ndarray]:
    X, y = load_diabetes(return_X_y=True)
    return X, y > 140  # progression above about the median


DATA = {
    "wine": lambda: wine(6),
    "wine-7": lambda: wine(7),  # the rarer class: graded 7 or better
    "pendigits": lambda: digits("pendigits"),
    "optdigits": lambda: digits("optdigits"),
    "breast-cancer": breast_cancer,
    "diabetes": diabetes,
}


def task(name: str, seed: int) -> Task:
    X, y = DATA[name]()
    count = min(MOST_ITEMS, round(0.7 * len(y)))
    items, new, truth, new_truth = train_test_split(
        X, y.astype(int), train_size=count, random_state=seed, stratify=y
    )
    rng = np.random.default_rng(1000 + seed)
    first = rng.integers(count, size=2 * count)
    second = (first + rng.integers(1, count, size=2 * count)) % count
    turn = np.where(truth[first] == truth[second], rng.random(2 * count) < 0.5, truth[second] == 1)
    pairs = np.column_stack([np.where(turn, second, first), np.where(turn, first, second)])
    return Task(items, truth, pairs, new, new_truth)


class Rows:
    """A table of results that is continued where it ended."""

    def __init__(self, path: Path, columns: list[str], keys: int) -> None:
        self.path, self.columns, self.keys = path, columns, keys
        self.done = {tuple(row[:keys]) for row in self.read()}
        if not path.exists():
            path.write_text(",".join(columns) + "\n")

    def read(self) -> Iterator[list[str]]:
        if self.path.exists():
            with self.path.open() as file:
                yield from list(csv.reader(file))[1:]

    def has(self, *key: object) -> bool:
        return tuple(map(str, key)) in self.done

    def add(self, *values: object) -> None:
        text = [f"{value:.5f}" if isinstance(value, float) else str(value) for value in values]
        with self.path.open("a") as file:
            file.write(",".join(text) + "\n")
        print(*text, flush=True)


def cell(values: list[float]) -> str:
    """Mean ± sample standard deviation."""
    return f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}" if len(values) > 1 else "–"
