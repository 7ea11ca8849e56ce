#!/usr/bin/env python3
"""Tables of the rows that `real_answers` printed, as Markdown: tables.py ROWS.csv BASE

Each line is a condition. A cell is the mean accuracy of a treatment over data sets, priors and seeds; behind the others stands what BASE
gains over them, with its standard error over paired runs, and in how many of the (data set, prior) cells BASE is behind by more
than two standard errors.
"""

import csv
import sys
from collections import defaultdict
from statistics import mean, stdev


def main(path: str, base: str) -> None:
    runs: dict[str, dict[str, dict[tuple[str, str, str], float]]] = defaultdict(lambda: defaultdict(dict))
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            cell = (row["dataset"], row["prior"], row["seed"])
            runs[row["condition"]][row["treatment"]][cell] = float(row["accuracy"])
    treatments = sorted({name for condition in runs.values() for name in condition}, key=lambda name: name != base)
    print("| condition | runs | " + " | ".join(treatments) + " |")
    print("|---|---|" + "---|" * len(treatments))
    for condition, by_treatment in runs.items():
        ours = by_treatment.get(base, {})
        cells = [condition, str(max(len(values) for values in by_treatment.values()))]
        for name in treatments:
            values = by_treatment.get(name)
            cells.append("–" if not values else shown(values, ours, name == base))
        print("| " + " | ".join(cells) + " |")


def shown(values: dict[tuple[str, str, str], float], ours: dict[tuple[str, str, str], float], is_base: bool) -> str:
    text = f"{mean(values.values()):.3f}"
    common = [cell for cell in values if cell in ours]
    if is_base or len(common) < 2:
        return text
    gains = [ours[cell] - values[cell] for cell in common]
    by_cell = defaultdict(list)
    for cell, gain in zip(common, gains, strict=True):
        by_cell[cell[:2]].append(gain)
    behind = sum(
        len(cell) > 1 and mean(cell) < -2 * stdev(cell) / len(cell) ** 0.5 for cell in by_cell.values()
    )
    return f"{text} ({mean(gains):+.4f} ± {stdev(gains) / len(gains) ** 0.5:.4f}; behind in {behind} of {len(by_cell)})"


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
