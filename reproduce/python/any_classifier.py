"""Table (a): `FromComparisons` beside the same estimator with all labels, and the native models.

    LIKELIER_DATA=… OMP_NUM_THREADS=1 python reproduce/python/any_classifier.py OUT.csv [DATA …]
    python reproduce/python/any_classifier.py --table OUT.csv

Every estimator has its library's own defaults; logistic regression has standardised features.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np
from lightgbm import LGBMClassifier
from likelier import ComparisonClassifier, FromComparisons
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from tasks import DATA, SEEDS, Rows, cell, task
from xgboost import XGBClassifier

ESTIMATORS = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    "random forest": RandomForestClassifier(n_jobs=1),
    "HistGradientBoosting": HistGradientBoostingClassifier(),
    "XGBoost": XGBClassifier(n_jobs=1),
    "LightGBM": LGBMClassifier(n_jobs=1, verbose=-1),
}
NATIVE = {"native linear": "linear", "native MLP": "mlp"}
COLUMNS = [
    "data", "estimator", "seed", "items", "comparisons", "prior", "test_rows", "from_comparisons", "start",
    "piles_as_labels", "all_labels", "called_positive", "kept_round", "start_likelihood", "round_likelihood", "seconds",
]  # fmt: skip


def run(rows: Rows, data: str, name: str, seed: int) -> None:
    if rows.has(data, name, seed):
        return
    drawn = task(data, seed)
    about = (len(drawn.truth), len(drawn.pairs), drawn.prior, len(drawn.new_truth))

    def accuracy(labels: np.ndarray) -> float:
        return float((np.asarray(labels) == drawn.new_truth).mean())

    started = time.perf_counter()
    if name in NATIVE:
        native = ComparisonClassifier(
            prior=drawn.prior, protocol="forced-choice", model=NATIVE[name], hold_out=0.0, random_state=seed,
            threads=1,
        )  # fmt: skip
        labels = native.fit(drawn.items.astype(np.float32), drawn.pairs).predict(drawn.new.astype(np.float32))
        seconds = time.perf_counter() - started
        rows.add(data, name, seed, *about, accuracy(labels), "", "", "", labels.mean(), "", "", "", seconds)
        return
    estimator = clone(ESTIMATORS[name])
    key = "logisticregression__random_state" if name == "logistic regression" else "random_state"
    estimator.set_params(**{key: seed})
    model = FromComparisons(estimator, prior=drawn.prior, random_state=seed).fit(drawn.items, drawn.pairs)
    seconds = time.perf_counter() - started
    labels = model.predict(drawn.new)
    piles = clone(estimator).fit(drawn.items[drawn.pairs.T.ravel()], np.repeat([1, 0], len(drawn.pairs)))
    oracle = clone(estimator).fit(drawn.items, drawn.truth)
    rows.add(
        data, name, seed, *about, accuracy(labels), accuracy(model.start_estimator_.predict(drawn.new)),
        accuracy(piles.predict(drawn.new)), accuracy(oracle.predict(drawn.new)), float(labels.mean()),
        model.kept_round_, model.rounds_[0].likelihood, model.rounds_[-1].likelihood, seconds,
    )  # fmt: skip


def table(path: Path) -> None:
    found = list(Rows(path, COLUMNS, 3).read())
    print("| data | prior | estimator | from comparisons | its start | piles taken for labels | all labels | seeds |")
    print("|---|---|---|---|---|---|---|---|")
    for data in DATA:
        for name in [*NATIVE, *ESTIMATORS]:
            rows = [row for row in found if row[:2] == [data, name]]
            if rows:
                cells = [cell([float(row[at]) for row in rows if row[at]]) for at in (7, 8, 9, 10)]
                print(f"| {data} | {float(rows[0][5]):.3f} | {name} | {' | '.join(cells)} | {len(rows)} |")


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    if sys.argv[1] == "--table":
        table(Path(sys.argv[2]))
    else:
        results = Rows(Path(sys.argv[1]), COLUMNS, 3)
        for seed in SEEDS:
            for data in sys.argv[2:] or DATA:
                for name in [*NATIVE, *ESTIMATORS]:
                    run(results, data, name, seed)
