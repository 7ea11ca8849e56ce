#!/usr/bin/env python3
"""Tables of the rows that `new_items` printed, as Markdown.

    python3 reproduce/new-items/tables.py reproduce/runs/2026-11-17-coverage

Reads coverage.csv, networks.csv, graded.csv and labels.csv where they are there. A cell is "low" if the 99 % interval of its
share of intervals that hold lies wholly below 95 % (Clopper and Pearson).
"""

import csv
import math
import sys
from pathlib import Path

LEVEL = 0.95


def read(path):
    if not path.exists():
        return []
    with path.open() as file:
        return list(csv.DictReader(file))


def number(row, name):
    return float(row[name])


def is_low(share, repeats):
    """Whether so few held intervals of `repeats` would occur in less than 0.5 % of all cases at 95 %."""
    held = round(share * repeats)
    terms = (math.comb(repeats, k) * LEVEL**k * (1 - LEVEL) ** (repeats - k) for k in range(held + 1))
    return sum(terms) < 0.005


def pooled(rows, name):
    repeats = sum(number(row, "judged") for row in rows)
    return sum(number(row, name) * number(row, "judged") for row in rows) / repeats


def percent(share):
    return f"{100 * share:.1f} %"


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def say_low(rows, names):
    low = [
        f"{name} of {row['items']} items, {row['each']} comparisons each, π {row['prior']}, κ {row['grading']}, ε {row['error']}"
        for row in rows
        for name in names
        if is_low(number(row, name), int(row["judged"]))
    ]
    print(f"Cells significantly below 95 %: {len(low)} of {len(rows)}. " + "; ".join(low) + "\n")


def intervals(rows):
    cells = [
        [
            row["items"],
            row["each"],
            "yes" if number(row, "signal") > 0 else "none",
            row["judged"],
            f"{number(row, 'accuracy'):.3f}",
            f"{number(row, 'accuracy_estimate'):.3f}",
            percent(number(row, "accuracy_held")),
            f"{number(row, 'accuracy_width'):.3f}",
            percent(number(row, "auc_held")),
            f"{number(row, 'auc_width'):.3f}",
        ]
        for row in rows
    ]
    head = ["items", "comparisons an item", "signal", "repetitions", "accuracy, true", "printed"]
    table(head + ["95 % interval holds", "width", "AUC: holds", "width"], cells)
    for words, wanted in [("all", lambda _: True), ("signal", lambda s: s > 0), ("no signal", lambda s: s == 0)]:
        some = [row for row in rows if wanted(number(row, "signal"))]
        if some:
            held = [percent(pooled(some, name)) for name in ["accuracy_held", "auc_held"]]
            print(f"Pooled, {words}: accuracy {held[0]}, AUC {held[1]}.")
    say_low(rows, ["accuracy_held", "auc_held"])


def graded(rows):
    once = [row for row in rows if number(row, "again") == 0 and number(row, "error_at_most") == 0.2]
    cells = []
    for grading in sorted({row["grading"] for row in once}, key=float):
        some = [row for row in once if row["grading"] == grading]
        cells.append(
            [
                grading,
                str(len(some)),
                f"{pooled(some, 'accuracy'):.3f}",
                f"{pooled(some, 'range_low'):.3f} to {pooled(some, 'range_high'):.3f}",
                percent(pooled(some, "range_held")),
                percent(min(number(row, "range_held") for row in some)),
                percent(pooled(some, "auc_range_held")),
                percent(pooled(some, "accuracy_held")),
            ]
        )
    head = ["κ", "cells", "true accuracy", "range, means of its ends", "range holds", "lowest cell"]
    table(head + ["AUC's range holds", "coin's interval holds"], cells)
    say_low(rows, ["range_held", "auc_range_held"])
    again = [row for row in rows if number(row, "again") > 0 or number(row, "error_at_most") != 0.2]
    cells = [
        [
            row["items"],
            row["each"],
            row["error_at_most"],
            row["error"],
            row["grading"],
            row["again"],
            f"{number(row, 'range_low'):.3f} to {number(row, 'range_high'):.3f}",
            f"{number(row, 'range_width'):.3f}",
            percent(number(row, "range_held")),
        ]
        for row in again
    ]
    head = ["items", "comparisons an item", "bound on ε", "ε", "κ", "asked again", "range, means of its ends"]
    table(head + ["width with sampling error", "holds"], cells)


FAULTS = {
    "Swapped": "yes and no are swapped in the labels",
    "OtherQuestion": "the labels answer another question",
    "Nothing": "40 % of the answers to mixed pairs are wrong",
}


def labels(rows):
    def is_sound(row):
        return row["fault"] == "Nothing" and number(row, "error") == 0

    cells = [
        [
            row["grading"],
            f"{number(row, 'labels'):.0f}",
            percent(number(row, "combined_held")),
            f"{number(row, 'combined_width'):.3f}",
            percent(number(row, "contradicted")),
            percent(number(row, "accuracy_held")),
        ]
        for row in rows
        if is_sound(row)
    ]
    head = ["κ", "labels", "together holds", "width", "contradiction reported", "coin's interval alone holds"]
    table(head, cells)
    cells = [
        [
            FAULTS[row["fault"]],
            row["signal"],
            row["error_at_most"],
            f"{number(row, 'labels'):.0f}",
            percent(number(row, "contradicted")),
        ]
        for row in rows
        if not is_sound(row)
    ]
    table(["what is wrong", "deviations", "bound", "labels", "contradiction reported"], cells)


def main():
    if len(sys.argv) != 2:
        sys.exit("give the folder of the rows")
    folder = Path(sys.argv[1])
    for name, show in [("coverage", intervals), ("networks", intervals), ("graded", graded), ("labels", labels)]:
        rows = read(folder / f"{name}.csv")
        if rows:
            print(f"{name}.csv\n")
            show(rows)


main()
