"""Table (b): boosting by our objective beside the libraries' own ranking objectives, cut at the prior.

    LIKELIER_DATA=… python reproduce/python/boosters.py OUT.csv [DATA …]
    python reproduce/python/boosters.py --table OUT.csv

All have learning rate 0.1, depth 6, at most 300 trees, and stop when the same held-out comparisons (a tenth, as
far as items allow) have not improved for 20: ours by the likelihood of their orders, XGBoost's `rank:pairwise` and
CatBoost's PairLogit by the logistic loss of score differences. (XGBoost has no such metric of its own; by its
NDCG@1 of groups of two, which is noisy, it stopped after the first tree in some runs.) A ranking is cut where the
prior's share of the items lies above. Ours is shown both with its own level and cut the same way.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import catboost
import numpy as np
import xgboost
from likelier.boosting import PairObjective
from tasks import DATA, SEEDS, Rows, Task, cell, task

TREES, PATIENCE = 300, 20
PARAMETERS = {"eta": 0.1, "max_depth": 6, "nthread": 1}
COLUMNS = ["data", "method", "seed", "prior", "accuracy", "called_positive", "trees"]
METHODS = [
    "XGBoost, likelihood, own level", "XGBoost, likelihood, cut at the prior",
    "XGBoost, pair-posterior, own level", "XGBoost, pair-posterior, cut at the prior",
    "XGBoost, rank:pairwise, cut at the prior", "CatBoost, PairLogit, cut at the prior",
    "XGBoost, all labels",
]  # fmt: skip


def cut(drawn: Task, items: np.ndarray, new: np.ndarray) -> np.ndarray:
    return new > np.quantile(items, 1.0 - drawn.prior)


def ours(drawn: Task, objective: PairObjective) -> tuple[list[np.ndarray], int]:
    matrix = xgboost.DMatrix(drawn.items)
    booster = xgboost.train(
        {**PARAMETERS, "disable_default_eval_metric": True}, matrix, TREES, obj=objective,
        custom_metric=objective.xgboost_metric, evals=[(matrix, "items")], early_stopping_rounds=PATIENCE,
        verbose_eval=False,
    )  # fmt: skip
    items, new = scores(booster, drawn)
    return [objective.calibrated(items)(new) > 0, cut(drawn, items, new)], booster.best_iteration + 1


def scores(booster: Any, drawn: Task) -> list[np.ndarray]:
    trees = (0, booster.best_iteration + 1)
    return [
        booster.predict(xgboost.DMatrix(rows), output_margin=True, iteration_range=trees)
        for rows in (drawn.items, drawn.new)
    ]


def ranked(drawn: Task, objective: PairObjective) -> tuple[np.ndarray, int]:
    def groups(pairs: Any) -> xgboost.DMatrix:
        rows = np.column_stack([pairs.likelier, pairs.other]).ravel()
        count = len(pairs.likelier)
        return xgboost.DMatrix(
            drawn.items[rows], label=np.tile([1, 0], count), qid=np.repeat(np.arange(count), 2)
        )

    def metric(found: np.ndarray, _: xgboost.DMatrix) -> tuple[str, float]:
        return "pair_logit", float(np.logaddexp(0.0, found[1::2] - found[::2]).mean())

    booster = xgboost.train(
        {**PARAMETERS, "objective": "rank:pairwise", "disable_default_eval_metric": True},
        groups(objective.trained), TREES, custom_metric=metric, evals=[(groups(objective.held_out), "held")],
        early_stopping_rounds=PATIENCE, verbose_eval=False,
    )  # fmt: skip
    return cut(drawn, *scores(booster, drawn)), booster.best_iteration + 1


def pair_logit(drawn: Task, objective: PairObjective, seed: int) -> tuple[np.ndarray, int]:
    def pool(pairs: Any) -> catboost.Pool:
        rows, compared = np.unique(np.concatenate([pairs.likelier, pairs.other]), return_inverse=True)
        return catboost.Pool(
            drawn.items[rows], group_id=np.zeros(len(rows), dtype=int), pairs=compared.reshape(2, -1).T
        )

    model = catboost.CatBoost({
        "loss_function": "PairLogit", "iterations": TREES, "learning_rate": 0.1, "depth": 6, "thread_count": 1,
        "random_seed": seed, "verbose": False, "early_stopping_rounds": PATIENCE, "allow_writing_files": False,
    })  # fmt: skip
    model.fit(pool(objective.trained), eval_set=pool(objective.held_out))
    return cut(drawn, model.predict(drawn.items), model.predict(drawn.new)), model.tree_count_


def labelled(drawn: Task) -> tuple[np.ndarray, int]:
    """The same trees with all labels, of which a tenth stop it."""
    order = np.random.default_rng(0).permutation(len(drawn.truth))
    out, kept = np.split(order, [len(order) // 10])
    matrices = [xgboost.DMatrix(drawn.items[rows], label=drawn.truth[rows]) for rows in (kept, out)]
    booster = xgboost.train(
        {**PARAMETERS, "objective": "binary:logistic"}, matrices[0], TREES, evals=[(matrices[1], "held")],
        early_stopping_rounds=PATIENCE, verbose_eval=False,
    )  # fmt: skip
    return scores(booster, drawn)[1] > 0, booster.best_iteration + 1


def run(rows: Rows, data: str, seed: int) -> None:
    drawn = task(data, seed)
    results: list[tuple[np.ndarray, int]] = []
    for kind in ("likelihood", "pair-posterior"):
        objective = PairObjective(
            drawn.pairs, len(drawn.items), prior=drawn.prior, objective=kind, held_out=0.1, random_state=seed
        )
        both, trees = ours(drawn, objective)
        results += [(labels, trees) for labels in both]
    results += [ranked(drawn, objective), pair_logit(drawn, objective, seed), labelled(drawn)]
    for method, (labels, trees) in zip(METHODS, results, strict=True):
        accuracy = float((labels == drawn.new_truth).mean())
        rows.add(data, method.replace(",", ";"), seed, drawn.prior, accuracy, float(labels.mean()), trees)


def table(path: Path) -> None:
    found = list(Rows(path, COLUMNS, 3).read())
    names = [name for name in DATA if any(row[0] == name for row in found)]
    print("| | " + " | ".join(names) + " |\n|---" * 1 + "|---" * len(names) + "|")
    for method in METHODS:
        key = method.replace(",", ";")
        cells = [cell([float(r[4]) for r in found if r[:2] == [name, key]]) for name in names]
        print(f"| {method} | {' | '.join(cells)} |")


if __name__ == "__main__":
    if sys.argv[1] == "--table":
        table(Path(sys.argv[2]))
    else:
        results = Rows(Path(sys.argv[1]), COLUMNS, 3)
        for data in sys.argv[2:] or DATA:
            for seed in SEEDS:
                if not results.has(data, METHODS[-1].replace(",", ";"), seed):
                    run(results, data, seed)
