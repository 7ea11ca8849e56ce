#!/usr/bin/env python3
"""How far the rates that `real_answers` found are from the truth, as Markdown: rates.py ROWS.csv

For each condition and treatment: in how many runs each person had an error of their own; the mean distance of the ratios (1 − 2ε)/mean and
of the errors ε themselves from the truth, and behind it that of one value for all (the ratio 1, and the mean of the errors found); and how often
a 95 % interval holds the truth: `error` of each person or of all, `same` and `mixed` of ties.
"""

import csv
import sys
from collections import defaultdict
from statistics import mean


def read(text):
    """name → list of (value, low, high)"""
    rates = defaultdict(list)
    for word in text.split():
        name, values = word.split("=")
        rates[name].append([float(value) for value in values.split(":")])
    return rates


def ratios(errors):
    middle = mean(1 - 2 * error for error in errors)
    return [(1 - 2 * error) / middle for error in errors]


def distance(found, truth):
    return mean(abs(one - other) for one, other in zip(found, truth, strict=True))


def main(path):
    groups = defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["found"] and row["truth"]:
                groups[row["condition"], row["treatment"]].append((read(row["found"]), read(row["truth"])))
    print("| condition | treatment | runs | an error each | ratios off by (all alike) | errors off by (all alike) | holds the truth |")
    print("|---|---|---|---|---|---|---|")
    for (condition, treatment), runs in groups.items():
        by_ratio, by_error, held = [], [], defaultdict(list)
        for found, truth in runs:
            errors = [value for value, *_ in found["error"]]
            true = [value for value, *_ in truth["error"]]
            if len(errors) == len(true) > 1:
                by_ratio.append((distance(ratios(errors), ratios(true)), distance([1.0] * len(true), ratios(true))))
                by_error.append((distance(errors, true), distance([mean(errors)] * len(true), true)))
            for name in ("error", "same", "mixed"):
                for one, (value, *_) in zip(found[name], truth[name], strict=False):
                    if len(one) == 3 and len(found[name]) == len(truth[name]):
                        held[name].append(one[1] <= value <= one[2])
        def shown(pairs):
            return "–" if not pairs else f"{mean(one for one, _ in pairs):.3f} ({mean(one for _, one in pairs):.3f})"
        holds = ", ".join(f"{name} {100 * mean(values):.0f} % of {len(values)}" for name, values in held.items() if values)
        print(f"| {condition} | {treatment} | {len(runs)} | {len(by_ratio)} | {shown(by_ratio)} | {shown(by_error)} | {holds or '–'} |")


main(sys.argv[1])
