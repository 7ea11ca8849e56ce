"""Draws curves.png from the CSV files beside it: python plot.py (needs matplotlib)."""

import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

here = pathlib.Path(__file__).parent
paper = {"pcomp-relu": 0.875, "pcomp-teacher": 0.942}
marks = {"pcomp-relu": ("C0", "-"), "pcomp-teacher": ("C1", "--")}
figure, (top, bottom) = plt.subplots(2, 1, sharex=True, figsize=(8, 7), height_ratios=[3, 2])
for method, value in paper.items():
    with open(here / f"{method}.csv") as file:
        rows = list(csv.DictReader(file))
    epochs = [int(row["epoch"]) for row in rows]
    colour, style = marks[method]
    top.plot(epochs, [float(row["accuracy"]) for row in rows], style, color=colour, label=f"{method}, this run")
    top.axhline(value, linestyle=":", color=colour, label=f"{method}, the paper ({value})")
    column = [float(row["column_positive"]) for row in rows]
    bottom.plot(epochs, column, style, color=colour, label=f"{method}: part of the risk at +1")
top.set_ylabel("accuracy on the test set (share)")
top.set_title("MNIST, even against odd digits, 15,000 comparisons, π = 0.5")
top.set_ylim(0.76, 0.97)
top.legend(loc="lower right", ncols=2)
bottom.axhline(0, color="grey", linewidth=0.8)
bottom.set_xlabel("epoch")
bottom.set_ylabel("risk part before correction")
bottom.legend()
figure.tight_layout()
figure.savefig(here / "curves.png", dpi=90)
