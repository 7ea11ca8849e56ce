"""breast_cancer with 0, 10 and 30 % of its cells missing: left to `train`, and filled in by scikit-learn with the same learner.

    python3 reproduce/tables/missing.py PROGRAM FOLDER > missing.csv

Cells are missing at random. 70 % of the rows are items, the rest tests; 1,000 forced choices between items, equals by a coin. scikit-learn's
imputation is SimpleImputer(strategy="median", add_indicator=True), fitted on the items.
"""
import csv, random, subprocess, sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.impute import SimpleImputer

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])


def write(path, first, matrix):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", *(f"x{column}" for column in range(matrix.shape[1]))])
        out.writerows([first + row, *("" if np.isnan(cell) else repr(float(cell)) for cell in cells)] for row, cells in enumerate(matrix))


def accuracy(name, items, tests, pairs, labels, prior):
    write(FOLDER / "items.csv", 0, items)
    write(FOLDER / "tests.csv", len(items), tests)
    with open(FOLDER / "pairs.csv", "w", newline="") as file:
        csv.writer(file).writerows([("likelier", "other"), *pairs])
    model, scores = FOLDER / f"{name}.likelier", FOLDER / "scores.csv"
    run = lambda *arguments: subprocess.run([PROGRAM, *map(str, arguments)], check=True, capture_output=True)
    run("train", "--items", FOLDER / "items.csv", "--comparisons", FOLDER / "pairs.csv", "--prior", prior, "--protocol", "forced-choice", "--no-report", "--out", model)
    run("predict", model, FOLDER / "tests.csv", "--out", scores)
    with open(scores, newline="") as file:
        called = [int(row["label"]) for row in csv.DictReader(file)]
    return np.mean(np.array(called) == labels)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    data = load_breast_cancer()
    print("missing,seed,likelier,scikit_learn")
    for share in (0, 0.1, 0.3):
        means = []
        for seed in range(5):
            draw, rng = random.Random(seed), np.random.default_rng(seed)
            order = rng.permutation(len(data.target))
            matrix, labels = data.data[order].copy(), data.target[order]
            matrix[rng.random(matrix.shape) < share] = np.nan
            half = int(0.7 * len(labels))
            pairs = []
            for _ in range(1000):
                a, b = draw.sample(range(half), 2)
                first = draw.random() < 0.5 if labels[a] == labels[b] else labels[a] > labels[b]
                pairs.append((a, b) if first else (b, a))
            prior = f"{labels[:half].mean():.3f}"
            filled = SimpleImputer(strategy="median", add_indicator=True).fit(matrix[:half])
            both = [
                accuracy("likelier", matrix[:half], matrix[half:], pairs, labels[half:], prior),
                accuracy("sklearn", filled.transform(matrix[:half]), filled.transform(matrix[half:]), pairs, labels[half:], prior),
            ]
            means.append(both)
            print(f"{share},{seed},{both[0]:.4f},{both[1]:.4f}", flush=True)
        print(share, *np.round(np.mean(means, axis=0), 3), file=sys.stderr, flush=True)


main()
