"""Draws docs/scaling.png from a run's cost.csv: python bench/plot_scaling.py DIR OUT (needs matplotlib)."""

import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

with open(pathlib.Path(sys.argv[1]) / "cost.csv") as file:
    rows = list(csv.DictReader(file))
figure, panels = plt.subplots(1, 2, figsize=(9, 3.8))
for panel, what, title in ((panels[0], "select", "select: trainings"), (panels[1], "fit", "fit: 1,000,000 comparisons")):
    sizes = [int(row["size"]) for row in rows if row["what"] == what]
    points = [row for row in rows if row["what"] == what and int(row["size"]) == max(sizes)]
    ray = sorted((int(row["workers"]), float(row["seconds"])) for row in points if row["workers"] != "0")
    panel.plot(*zip(*ray), "o-", label="Ray, on two cores")
    panel.plot([at for at, _ in ray], [ray[0][1] / at for at, _ in ray], ":", color="grey", label="as many times faster")
    alone = [float(row["seconds"]) for row in points if row["workers"] == "0"]
    name = "one thread, no Ray" if what == "select" else "threads of one machine, no Ray"
    panel.axhline(alone[0], ls="--", color="tab:orange", label=name)
    panel.set(title=title, xlabel="workers", ylabel="seconds", ylim=(0, 1.5 * max(s for _, s in ray)), xticks=[at for at, _ in ray])
    panel.legend(loc="upper right")
figure.tight_layout()
figure.savefig(sys.argv[2], dpi=110)
