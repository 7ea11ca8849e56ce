"""Draws growth.png from a run's growth.csv: python bench/plot_growth.py DIR (needs matplotlib)."""

import csv
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

folder = pathlib.Path(sys.argv[1])
with open(folder / "growth.csv") as file:
    rows = list(csv.DictReader(file))
figure, panels = plt.subplots(1, 3, figsize=(11, 4.2), sharey=True)
for panel, axis in zip(panels, ("rows", "features", "epochs")):
    for model, mark in (("linear", "o-"), ("mlp", "s--")):
        points = [(float(r["value"]), float(r["seconds"])) for r in rows if (r["model"], r["axis"]) == (model, axis)]
        first = points[0]
        panel.loglog(*zip(*points), mark, label=f"{model}, measured")
        panel.loglog(
            [p[0] for p in points], [first[1] * p[0] / first[0] for p in points], ":", color="grey",
            label="proportional" if model == "mlp" else None,
        )
    panel.set_xlabel(axis)
    sizes = sorted({float(r["value"]) for r in rows if r["axis"] == axis})
    panel.set_xticks(sizes, [f"{size:,.0f}" for size in sizes], rotation=45)
    panel.minorticks_off()
panels[0].set_ylabel("seconds")
panels[0].legend()
panels[1].set_title("Cost of training against its size, two cores; a straight line of slope 1 is proportional growth")
figure.tight_layout()
figure.savefig(folder / "growth.png", dpi=90)
