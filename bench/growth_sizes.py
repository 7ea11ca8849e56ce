"""How time and memory of the program grow with comparisons and with features, and the figure of it.

    python bench/growth_sizes.py run LIKELIER DATA OUT [--most-comparisons 10000000] [--most-features 10000]
    python bench/growth_sizes.py draw OUT          (needs matplotlib)

`run` makes data with bench/size.py in the folder DATA (needs numpy and pyarrow), as many items as comparisons: 1,000 to
10,000,000 comparisons with 20 features, then 10 to 10,000 features with 5,000 comparisons. It runs `train`, `check`,
`prior` and `predict` on each, one after the other, writes OUT/raw.csv, and prints the slopes: 1 is proportional growth.
CPU seconds are those of all threads; memory is the most that the process had. `draw` writes OUT/growth.svg.
"""

import argparse
import csv
import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

FIELDS = ["axis", "value", "work", "wall_s", "cpu_s", "peak_mb", "exit"]
LIMIT = 600
WORKS = ["train", "check", "prior", "predict"]
COMPARISONS = [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
FEATURES = [10, 100, 1_000, 10_000]
FEW = {"comparisons": 5_000, "features": 20}


def measured(command):
    """Runs a command and gives its wall time, CPU seconds, peak in MB and exit code."""
    start = time.time()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    stopper = subprocess.Popen(["sh", "-c", f"sleep {LIMIT}; kill {process.pid} 2>/dev/null"])
    error = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    stopper.kill()
    stopper.wait()
    if process.returncode not in (0, 1):
        print(f"{' '.join(map(str, command))}: {process.returncode}: {error[-300:]}", file=sys.stderr)
    cpu = usage.ru_utime + usage.ru_stime
    return [f"{time.time() - start:.3f}", f"{cpu:.3f}", f"{usage.ru_maxrss / 1000:.1f}", process.returncode]


def commands(program, data):
    model, scores = data / "model.likelier", data / "scores.csv"
    said = ["--items", data / "items.parquet", "--comparisons", data / "comparisons.parquet"]
    said += ["--protocol", "forced-choice"]
    return {
        "train": [program, "train", *said, "--prior", "0.4", "--seed", "1", "--out", model],
        "check": [program, "check", *said],
        "prior": [program, "prior", *said],
        "predict": [program, "predict", model, data / "items.parquet", "--out", scores],
    }


def run(arguments):
    arguments.out.mkdir(parents=True, exist_ok=True)
    cases = [("comparisons", n) for n in COMPARISONS if n <= arguments.most_comparisons]
    cases += [("features", n) for n in FEATURES if n <= arguments.most_features]
    with open(arguments.out / "raw.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(FIELDS)
        for axis, value in cases:
            comparisons, features = (value, FEW["features"]) if axis == "comparisons" else (FEW["comparisons"], value)
            data = arguments.data / f"{axis}-{value}"
            # In a process of its own: what this one has had is counted for those that it starts.
            maker = [sys.executable, Path(__file__).parent / "size.py", data, "--parquet-only"]
            sizes = ["--items", comparisons, "--comparisons", comparisons, "--features", features]
            subprocess.run([*maker, *map(str, sizes)], check=True)
            for work, command in commands(arguments.likelier, data).items():
                row = [axis, value, work, *measured(command)]
                rows.writerow(row)
                file.flush()
                print(*row, flush=True)
            shutil.rmtree(data)
    print_slopes(arguments.out)


def read(out):
    with open(out / "raw.csv") as file:
        return [row for row in csv.DictReader(file) if row["exit"] in ("0", "1")]


def points(rows, axis, work, field):
    return [(float(r["value"]), float(r[field])) for r in rows if (r["axis"], r["work"]) == (axis, work)]


def print_slopes(out):
    """Prints by how much each grows from one size to the next: the power of the size."""
    rows = read(out)
    for axis in ("comparisons", "features"):
        for field in ("cpu_s", "peak_mb"):
            for work in WORKS:
                found = points(rows, axis, work, field)
                slopes = [
                    f"{math.log(b[1] / a[1]) / math.log(b[0] / a[0]):.2f}"
                    for a, b in zip(found, found[1:])
                    if a[1] > 0
                ]
                print(f"{axis:12} {field:8} {work:8} slopes {' '.join(slopes)}")


def draw(arguments):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    rows = read(arguments.out)
    figure, panels = plt.subplots(2, 2, figsize=(10, 7.5), sharex="col", sharey="row")
    labels = {"cpu_s": "CPU seconds, reading included", "peak_mb": "most memory, MB"}
    few = {"comparisons": "comparisons (20 features)", "features": "features (5,000 comparisons)"}
    for column, axis in enumerate(("comparisons", "features")):
        for line, field in enumerate(("cpu_s", "peak_mb")):
            panel = panels[line][column]
            for work, mark in zip(WORKS, ("o-", "s-", "^-", "D-")):
                found = points(rows, axis, work, field)
                panel.loglog(*zip(*found), mark, label=work, markersize=5)
            last = points(rows, axis, "train", field)
            (low, _), (high, top) = last[0], last[-1]
            panel.loglog([low, high], [top * low / high, top], ":", color="grey", label="proportional")
            panel.grid(True, which="major", color="#dddddd", linewidth=0.6)
            if line == 1:
                panel.set_xlabel(few[axis])
            if column == 0:
                panel.set_ylabel(labels[field])
    floor = min(p[1] for axis in few for work in WORKS for p in points(rows, axis, work, "cpu_s"))
    panels[0][0].set_ylim(bottom=max(floor / 2, 1e-3))
    panels[1][0].set_ylim(bottom=3)
    panels[0][0].legend()
    figure.tight_layout()
    figure.savefig(arguments.out / "growth.svg", metadata={"Date": None})
    figure.savefig(arguments.out / "growth.png", dpi=80)


def main():
    parser = argparse.ArgumentParser()
    verbs = parser.add_subparsers(required=True)
    runs = verbs.add_parser("run")
    runs.add_argument("likelier", type=Path)
    runs.add_argument("data", type=Path)
    runs.add_argument("out", type=Path)
    runs.add_argument("--most-comparisons", type=int, default=COMPARISONS[-1])
    runs.add_argument("--most-features", type=int, default=FEATURES[-1])
    runs.set_defaults(verb=run)
    draws = verbs.add_parser("draw")
    draws.add_argument("out", type=Path)
    draws.set_defaults(verb=draw)
    arguments = parser.parse_args()
    arguments.verb(arguments)


if __name__ == "__main__":
    main()
