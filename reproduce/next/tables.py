"""The tables of reproduce/runs/*-next, from the rows that the example `next_pairs` prints.

    python3 reproduce/next/tables.py rules.csv shares.csv
"""

import csv
import statistics
import sys
from collections import defaultdict

SHOWN = [300, 400, 500, 700, 1000]
UNIFORM = ("uniform", "1")


def mean_error(values):
    return statistics.mean(values), statistics.stdev(values) / len(values) ** 0.5


def needed(curve, wanted):
    """Questions at which a curve first reaches an accuracy, between two counts by a straight line."""
    counts = sorted(curve)
    for before, after in zip(counts, counts[1:]):
        if curve[after] >= wanted:
            share = (wanted - curve[before]) / (curve[after] - curve[before])
            return before + max(share, 0) * (after - before)
    return None


def main(files):
    rows = [row for file in files for row in csv.DictReader(open(file))]
    runs = defaultdict(dict)
    judged = defaultdict(list)
    for row in rows:
        rule, cell = (row["rule"], row["uniform"]), (row["dataset"], row["prior"])
        if row["treatment"] == "weighted":
            runs[rule][*cell, row["seed"], int(row["answers"])] = float(row["accuracy"])
        if row["low"]:
            judged[rule, row["treatment"], int(row["answers"])].append([float(row[name]) for name in ("accuracy", "estimate", "low", "high")])
    rules = sorted(runs, key=lambda rule: (rule != UNIFORM, rule[0], -float(rule[1])))
    print("| pairs after the first 200 | runs |", *(f" {count} |" for count in SHOWN), " behind in |", sep="")
    print("|---|---|" + "---|" * (len(SHOWN) + 1))
    for rule in rules:
        cells, behind = [], 0
        for count in SHOWN:
            here = {key[:3]: value for key, value in runs[rule].items() if key[3] == count}
            if rule == UNIFORM:
                cells.append(f"{statistics.mean(here.values()):.4f}")
                continue
            gains = {key: value - runs[UNIFORM][*key, count] for key, value in here.items()}
            cells.append("{:+.4f} ± {:.4f}".format(*mean_error(list(gains.values()))))
            by_cell = defaultdict(list)
            for key, gain in gains.items():
                by_cell[key[:2]].append(gain)
            behind += sum(mean < -2 * error for mean, error in map(mean_error, by_cell.values()))
        name = "uniform" if rule == UNIFORM else f"{rule[0]}, {rule[1]} uniform"
        last = "" if rule == UNIFORM else f"{behind} of {len(SHOWN) * len(by_cell)}"
        print(f"| {name} | {len(here)} | {' | '.join(cells)} | {last} |")
    print("\n| data set | prior | uniform at 1,000 |", *(f" {rule[0]}, {rule[1]} uniform |" for rule in rules[1:]), sep="")
    print("|---|---|---|" + "---|" * (len(rules) - 1))
    cells = list(dict.fromkeys((row["dataset"], row["prior"]) for row in rows))
    for cell in [*cells, None]:
        curves = {}
        for rule in rules:
            at = defaultdict(list)
            for key, value in runs[rule].items():
                if cell in (None, key[:2]):
                    at[key[3]].append(value)
            curves[rule] = {count: statistics.mean(values) for count, values in at.items()}
        wanted = curves[UNIFORM][1000]
        found = [needed(curves[rule], wanted) for rule in rules[1:]]
        texts = ["more" if count is None else f"{count:.0f}" for count in found]
        print(f"| {' | '.join(cell or ('all', ''))} | {wanted:.4f} | {' | '.join(texts)} |")
    print("\n| pairs | answers | with propensities: held | off by | width | without: held | off by | width |")
    print("|---|---|---|---|---|---|---|---|")
    for rule in rules:
        for count in sorted({key[2] for key in judged}):
            cells = []
            for treatment in ("weighted", "plain"):
                found = judged.get((rule, treatment, count), [])
                if not found:
                    cells += ["", "", ""]
                    continue
                held = sum(low <= truth <= high for truth, _, low, high in found)
                off = statistics.mean(estimate - truth for truth, estimate, _, _ in found)
                width = statistics.mean(high - low for _, _, low, high in found)
                cells += [f"{held} of {len(found)} ({held / len(found):.3f})", f"{off:+.4f}", f"{width:.3f}"]
            name = "uniform" if rule == UNIFORM else f"{rule[0]}, {rule[1]} uniform"
            print(f"| {name} | {count} | {' | '.join(cells)} |")


main(sys.argv[1:])
