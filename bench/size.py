"""Makes the data of the runs "size": items with 20 features and as many forced-choice comparisons.

    python bench/size.py DIR [--items 5000000] [--comparisons 5000000] [--features 20] [--parquet-only] [--all-digits]
    (needs numpy and pyarrow)

Writes DIR/items.parquet, DIR/items.csv, DIR/comparisons.parquet, DIR/comparisons.csv and DIR/truth.parquet (the labels,
which training does not see). Two normal clouds, prior 0.4; the best linear rule is right for 0.873 of the items. The
two items of a comparison are drawn at random, so most items occur twice or more. Numbers have five decimals, or with
--all-digits as many as 32 bits have.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

FEATURES = 20
PRIOR = 0.4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dir", type=Path)
    parser.add_argument("--items", type=int, default=5_000_000)
    parser.add_argument("--comparisons", type=int, default=5_000_000)
    parser.add_argument("--features", type=int, default=FEATURES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parquet-only", action="store_true")
    parser.add_argument("--all-digits", action="store_true")
    arguments = parser.parse_args()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(arguments.seed)
    direction = rng.standard_normal(arguments.features)
    direction *= 1.12 / np.linalg.norm(direction)
    labels = rng.random(arguments.items) < PRIOR
    signs = np.where(labels, 1.0, -1.0).astype(np.float32)
    names = ["id"] + [f"f{k}" for k in range(arguments.features)]
    columns = [pa.array(np.arange(arguments.items))]
    for part in direction:
        noise = rng.standard_normal(arguments.items, dtype=np.float32)
        numbers = noise + np.float32(part) * signs
        columns.append(pa.array(numbers if arguments.all_digits else np.round(numbers, 5)))
    items = pa.table(columns, names=names)
    first = rng.integers(0, arguments.items, arguments.comparisons)
    second = (first + rng.integers(1, arguments.items, arguments.comparisons)) % arguments.items
    coin = rng.random(arguments.comparisons) < 0.5
    ahead = np.where(labels[first] == labels[second], coin, labels[first])
    likelier, other = np.where(ahead, first, second), np.where(ahead, second, first)
    comparisons = pa.table([pa.array(likelier), pa.array(other)], names=["likelier", "other"])
    truth = pa.table([columns[0], pa.array(labels.astype(np.int8))], names=["id", "label"])
    for name, table in [("items", items), ("comparisons", comparisons), ("truth", truth)]:
        pq.write_table(table, arguments.dir / f"{name}.parquet")
        if name != "truth" and not arguments.parquet_only:
            pc.write_csv(table, arguments.dir / f"{name}.csv", pc.WriteOptions(quoting_style="none"))


if __name__ == "__main__":
    main()
