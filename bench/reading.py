"""How long it takes to read items and comparisons, beside polars and pyarrow, in turns.

    python bench/size.py DATA
    cargo build --release -p likelier-tables --example read
    python bench/reading.py DATA OUT [--repeats 3] [--reader target/release/examples/read …]

Needs polars and pyarrow. Every reading has a process of its own, and the seconds are those from the first byte to the
table in memory, without the start of the process. likelier reads rows of 32-bit numbers and ids that can be looked up, and
of comparisons the rows of their items; the others read columns. Writes OUT/raw.csv.
"""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

PEERS = {
    ("polars", "csv"): "import polars; read = polars.read_csv",
    ("polars", "parquet"): "import polars; read = polars.read_parquet",
    ("pyarrow", "csv"): "import pyarrow.csv; read = pyarrow.csv.read_csv",
    ("pyarrow", "parquet"): "import pyarrow.parquet; read = pyarrow.parquet.read_table",
}
MEASURE = """
import json, resource, sys, time
seconds = []
tables = []
for file in sys.argv[1:]:
    start = time.perf_counter()
    tables.append(read(file))
    seconds.append(time.perf_counter() - start)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1000
print(json.dumps({"items_seconds": seconds[0], "comparisons_seconds": seconds[1], "peak_mb": peak}))
"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--reader", type=Path, nargs="+", default=[Path("target/release/examples/read")])
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with open(arguments.out / "raw.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["format", "reader", "repeat", "items_s", "comparisons_s", "peak_mb"])
        for repeat in range(arguments.repeats):
            for form in ("csv", "parquet"):
                files = [str(arguments.data / f"{name}.{form}") for name in ("items", "comparisons")]
                commands = {reader.name: [str(reader), *files] for reader in arguments.reader}
                for peer in ("polars", "pyarrow"):
                    commands[peer] = [sys.executable, "-c", PEERS[peer, form] + MEASURE, *files]
                for name, command in commands.items():
                    found = json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)
                    seconds = [f"{found[part]:.3f}" for part in ("items_seconds", "comparisons_seconds")]
                    row = [form, name, repeat, *seconds, found["peak_mb"]]
                    rows.writerow(row)
                    file.flush()
                    print(*row, flush=True)


if __name__ == "__main__":
    main()
