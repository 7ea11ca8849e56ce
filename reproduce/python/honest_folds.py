"""What out-of-fold likelihoods say after a round of the pair posterior, and what is true.

    OMP_NUM_THREADS=1 python reproduce/python/honest_folds.py OUT.csv
    python reproduce/python/honest_folds.py --table OUT.csv

1,500 simulated items, 2,000 forced choices, LightGBM with 40 trees of 15 leaves, 5 folds. "plain" leaves an item out
of each fit, but infers targets from scores that its answers have taught; "chains" is what `FromComparisons` does. The
truth: the same judges on 20,000 comparisons between 4,000 new items.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from likelier._pairs_chains import Chains
from likelier._pairs_data import Comparisons
from likelier._pairs_link import Link, calibrate_piles
from likelier._pairs_protocol import Array, Collection
from likelier._pairs_sklearn import probability_of
from tasks import SEEDS, Rows, cell

COLUMNS = ["problem", "folds", "seed", "round", "out_of_fold", "judges_on_new_items", "final_accuracy"]
PROBLEMS = {"crossed": 0.2, "linear": 0.3}


class Judges(Chains):
    """Remembers the model that judges each fold."""

    def fit(self, weights: tuple[Array, Array], left_out: tuple[int, ...] = ()) -> Any:
        model = super().fit(weights, left_out)
        if len(left_out) == 1:
            self.__dict__.setdefault("models", {})[left_out[0]] = model
        return model


class Plain(Judges):
    """One set of targets, from scores out of fold, for every fold."""

    def infer(self, link: Link) -> None:
        self.targets = [self._posterior(link, self.judged)] * (self.folds + 1)
        self.started = True


def draw(rng: np.random.Generator, problem: str, rows: int) -> tuple[np.ndarray, np.ndarray]:
    truth = rng.random(rows) < PROBLEMS[problem]
    X = rng.normal(size=(rows, 6))
    if problem == "linear":
        X[:, :2] += np.where(truth, 0.9, -0.9)[:, None]
    else:
        X[:, 0] += np.where(truth, 1.3, -1.3) * np.sign(X[:, 2])
        X[:, 1] += np.where(truth, 0.8, -0.8)
    return X, truth


def answers(rng: np.random.Generator, truth: np.ndarray, count: int) -> np.ndarray:
    first = rng.integers(len(truth), size=count)
    second = (first + rng.integers(1, len(truth), size=count)) % len(truth)
    turn = np.where(truth[first] == truth[second], rng.random(count) < 0.5, truth[second])
    return np.column_stack([np.where(turn, second, first), np.where(turn, first, second)])


def run(rows: Rows, problem: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, truth = draw(rng, problem, 1500)
    pairs = Comparisons.read(answers(rng, truth, 2000), 1500)
    new, new_truth = draw(rng, problem, 4000)
    likelier, other = answers(rng, new_truth, 20_000).T
    collection = Collection(PROBLEMS[problem], "forced-choice")
    forest = LGBMClassifier(n_estimators=40, num_leaves=15, n_jobs=1, verbose=-1)
    for name, kind in (("plain", Plain), ("chains", Judges)):
        folds = kind(forest, X, pairs, 5, seed)
        for at in range(2):
            judged = folds.judge()
            pile = calibrate_piles(judged, pairs.wins, pairs.losses) if at == 0 else None
            link, orders = Link(collection, pile).fitted(judged, pairs)
            values = []
            for model in folds.models.values():
                z = link.log_odds(probability_of(model, new))
                values.append(collection.log_orientation(z[likelier], z[other]).mean())
            final = link.log_odds(probability_of(folds.final(), new)) > 0
            rows.add(problem, name, seed, at, orders.mean(), float(np.mean(values)), float((final == new_truth).mean()))
            if at == 0:
                folds.infer(link)


def table(path: Path) -> None:
    found = list(Rows(path, COLUMNS, 4).read())
    print("| problem | folds | round | out of fold | the same judges on new items | accuracy of the final classifier |")
    print("|---|---|---|---|---|---|")
    for problem in PROBLEMS:
        for name in ("plain", "chains"):
            for at in "01":
                rows = [r for r in found if r[:2] == [problem, name] and r[3] == at]
                cells = [cell([float(r[column]) for r in rows]) for column in (4, 5, 6)]
                print(f"| {problem} | {name} | {at} | {' | '.join(cells)} |")


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    if sys.argv[1] == "--table":
        table(Path(sys.argv[2]))
    else:
        results = Rows(Path(sys.argv[1]), COLUMNS, 4)
        for problem in PROBLEMS:
            for seed in SEEDS:
                if not results.has(problem, "chains", seed, 1):
                    run(results, problem, seed)
