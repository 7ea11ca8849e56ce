"""A softmax with the labels of the items that `ten_questions` compared: what full labels would give on the same rows.

    python softmax.py DATA_FOLDER ROWS_FOLDER > softmax.csv

Scikit-learn's multinomial logistic regression on features from 0 to 1. The strength of its penalty is chosen by a tenth of the
items that is held out, and the model is then fitted to all of them.
"""

import csv
import gzip
import sys
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression


def optdigits(folder):
    rows = np.concatenate([np.loadtxt(folder / "optdigits" / name, delimiter=",") for name in ("optdigits.tra", "optdigits.tes")])
    return rows[:, :-1] / 16.0, rows[:, -1].astype(int)


def idx(path, header):
    return np.frombuffer(gzip.open(path).read(), np.uint8)[header:]


def mnist(folder):
    parts = [folder / "mnist" / part for part in ("train", "t10k")]
    images = [idx(f"{part}-images-idx3-ubyte.gz", 16).reshape(-1, 784) for part in parts]
    labels = [idx(f"{part}-labels-idx1-ubyte.gz", 8) for part in parts]
    return np.concatenate(images).astype(np.float32) / 255.0, np.concatenate(labels).astype(int)


def fitted(penalty, rows, labels):
    return LogisticRegression(C=penalty, max_iter=200, tol=1e-3).fit(rows, labels)


def main():
    data, chosen = map(Path, sys.argv[1:3])
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["dataset", "seed", "items", "penalty", "accuracy"])
    for name, load in (("optdigits", optdigits), ("mnist", mnist)):
        rows, labels = load(data)
        best = None
        for path in sorted(chosen.glob(f"{name}-*.csv")):
            seed = int(path.stem.split("-")[-1])
            with path.open() as file:
                parts = [(line["part"], int(line["row"])) for line in csv.DictReader(file)]
            items = np.array([row for part, row in parts if part == "items"])
            test = np.array([row for part, row in parts if part == "test"])
            if best is None:
                # Once for each data set: it hardly differs between seeds, and takes the most time.
                shuffled = np.random.default_rng(seed).permutation(items)
                held, rest = np.split(shuffled, [len(items) // 10])
                scores = {c: fitted(c, rows[rest], labels[rest]).score(rows[held], labels[held]) for c in (0.01, 0.1, 1.0, 10.0)}
                best = max(scores, key=scores.get)
            accuracy = fitted(best, rows[items], labels[items]).score(rows[test], labels[test])
            out.writerow([name, seed, len(items), best, f"{accuracy:.4f}"])
            sys.stdout.flush()


main()
