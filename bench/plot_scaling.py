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
drawn = (
    ("select", "select: 150 trainings", {"select": "one thread, no Ray", "select on all threads": "two threads, no Ray"}),
    ("fit", "fit: 1,000,000 comparisons", {"fit": "two threads, no Ray"}),
)
for panel, (what, title, alone) in zip(panels, drawn, strict=True):
    size = max(int(row["size"]) for row in rows if row["what"] == what)
    points = [row for row in rows if int(row["size"]) == size]
    ray = sorted((int(row["workers"]), float(row["seconds"])) for row in points if row["what"] == what and row["workers"] != "0")
    panel.plot(*zip(*ray, strict=True), "o-", label="Ray, on two cores")
    panel.plot([at for at, _ in ray], [ray[0][1] / at for at, _ in ray], ":", color="grey", label="if each worker had a core")
    for (name, words), colour in zip(alone.items(), ("tab:orange", "tab:green"), strict=False):
        seconds = [float(row["seconds"]) for row in points if row["what"] == name and row["workers"] == "0"]
        panel.axhline(seconds[0], ls="--", color=colour, label=words)
    panel.set(title=title, xlabel="workers", ylabel="seconds", xticks=[at for at, _ in ray])
    panel.set_ylim(0, 1.6 * panel.get_ylim()[1])
    panel.legend(loc="upper right")
figure.tight_layout()
figure.savefig(sys.argv[2], dpi=110)
