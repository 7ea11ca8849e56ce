"""Which of two readings of the paper its numbers speak for: a likelihood ratio over all cells that both have.

    python reproduce/readings.py FIRST/raw.csv SECOND/raw.csv [--experiment table2] [--most-trials N]

A cell is a data set, a prior and a method. The paper prints a mean over five trials and their deviation. Under a reading
that mean is expected at ours, with the standard error of both means; a deviation of fewer than three trials is the paper's.
Neither reading is the truth in every detail, so besides the normal distribution there is Student's t with four degrees of
freedom, in which a cell that is far from both says little. Above 0 speaks for the second.
"""

import argparse
import csv
import math
from pathlib import Path
from statistics import mean, stdev

PAPER = Path(__file__).parent.parent / "crates/likelier-paper/experiments/paper.csv"
TRIALS = 5
FREEDOM = 4


def cells(path, most):
    """The accuracies of each cell, of the variant `paper`."""
    found = {}
    with open(path) as file:
        for row in csv.DictReader(file):
            if row["settings"].split()[0] == "paper" and int(row["trial"]) < most:
                cell = (row["dataset"], row["prior"], row["method"])
                found.setdefault(cell, []).append(float(row["accuracy"]))
    return found


def printed(table):
    with open(PAPER) as file:
        rows = [row for row in csv.DictReader(file) if row["table"] == table]
    return {
        (row["dataset"], row["prior"], row["method"].lower()): (float(row["mean_accuracy"]), float(row["std"]))
        for row in rows
    }


def distance(ours, paper):
    """How many standard errors the paper's mean is above ours, and the standard error."""
    theirs, deviation = paper
    own = stdev(ours) if len(ours) > 2 else deviation
    error = math.hypot(deviation / TRIALS**0.5, own / len(ours) ** 0.5)
    return (theirs - mean(ours)) / error, error


def normal(z, error):
    return -0.5 * z * z - math.log(error)


def student(z, error):
    return -0.5 * (FREEDOM + 1) * math.log1p(z * z / FREEDOM) - math.log(error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("--experiment", default="table2")
    parser.add_argument("--most-trials", type=int, default=5)
    given = parser.parse_args()
    readings = [cells(path, given.most_trials) for path in (given.first, given.second)]
    paper = printed(given.experiment)
    totals, by_method = [0.0, 0.0], {}
    agree = [0, 0]
    print("| data | π | method | paper | first | second | ln of the ratio, normal | t |\n|---|---|---|---|---|---|---|---|")
    shared = sorted(readings[0].keys() & readings[1].keys() & paper.keys(), key=lambda cell: (cell[0], cell[2], cell[1]))
    for cell in shared:
        far = [distance(reading[cell], paper[cell]) for reading in readings]
        ratios = [law(*far[1]) - law(*far[0]) for law in (normal, student)]
        sums = by_method.setdefault(cell[2], [0.0, 0.0])
        for at, ratio in enumerate(ratios):
            totals[at] += ratio
            sums[at] += ratio
        for at, (z, _) in enumerate(far):
            agree[at] += abs(z) <= 3
        shown = [f"{mean(reading[cell]):.3f} ({len(reading[cell])}, {-z:+.1f})" for reading, (z, _) in zip(readings, far)]
        print(f"| {cell[0]} | {cell[1]} | {cell[2]} | {paper[cell][0]:.3f} | {' | '.join(shown)} | {ratios[0]:+.1f} | {ratios[1]:+.1f} |")
    print("\n| method | normal | t |\n|---|---|---|")
    for method, sums in sorted(by_method.items(), key=lambda item: -item[1][1]):
        print(f"| {method} | {sums[0]:+.1f} | {sums[1]:+.1f} |")
    print(f"| all {len(shared)} cells | {totals[0]:+.1f} | {totals[1]:+.1f} |")
    print(f"\nAgree within three standard errors: {agree[0]} in the first reading, {agree[1]} in the second.")


if __name__ == "__main__":
    main()
