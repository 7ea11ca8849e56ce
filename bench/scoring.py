"""Scoring a large Parquet file: `likelier predict` beside ONNX Runtime fed by pyarrow.

    python bench/scoring.py LIKELIER OUT [--rows 5000000] [--repeats 3]     (needs pyarrow, onnxruntime, numpy)

Makes Parquet files of 20 float32 columns (snappy, pyarrow's default row groups) with a fifth of the rows and with
all, trains a linear model on a few comparisons, exports it to ONNX, and lets both sides turn each file into the same
CSV table (id, score, probability, label), in turns, each in a process of its own. The peer is as good as we could
make it: several batch sizes are tried first and the fastest kept; columns go to ONNX Runtime as one float32 matrix;
pyarrow writes the CSV. Raw rows go to OUT/raw.csv.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from pathlib import Path

COLUMNS = 20


def make(path, rows):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [f"f{k}" for k in range(COLUMNS)]
    schema = pa.schema([(name, pa.float32()) for name in names])
    rng = np.random.default_rng(1)
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, 1 << 20):
            count = min(1 << 20, rows - start)
            values = rng.standard_normal((COLUMNS, count), dtype=np.float32)
            writer.write_table(pa.table([pa.array(column) for column in values], schema=schema))


def train(likelier, folder):
    import numpy as np

    rng = np.random.default_rng(2)
    rows = rng.standard_normal((400, COLUMNS))
    scores = rows @ rng.standard_normal(COLUMNS)
    with open(folder / "items.csv", "w") as file:
        file.write("id," + ",".join(f"f{k}" for k in range(COLUMNS)) + "\n")
        for at, row in enumerate(rows):
            file.write(f"{at}," + ",".join(f"{value:.6f}" for value in row) + "\n")
    with open(folder / "comparisons.csv", "w") as file:
        file.write("likelier,other\n")
        for at in range(0, 400, 2):
            first, second = (at, at + 1) if scores[at] > scores[at + 1] else (at + 1, at)
            file.write(f"{first},{second}\n")
    model = folder / "model.likelier"
    subprocess.run([likelier, "train", "--items", folder / "items.csv", "--comparisons", folder / "comparisons.csv",
                    "--prior", "0.5", "--protocol", "forced-choice", "--out", model], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([likelier, "export", model, "--out", folder / "model.onnx"], check=True, stdout=subprocess.DEVNULL)


def prepare(likelier, work, sizes):
    train(likelier, work)
    for rows in sizes:
        make(work / f"{rows}.parquet", rows)


def peer(onnx, parquet, out, batch):
    """The other side, in a process of its own."""
    import numpy as np
    import onnxruntime
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet as pq

    session = onnxruntime.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    schema = pa.schema([("id", pa.int64()), ("score", pa.float32()), ("probability", pa.float32()), ("label", pa.int64())])
    first = 0
    with pa.csv.CSVWriter(out, schema, write_options=pa.csv.WriteOptions(quoting_style="none")) as writer:
        for part in pq.ParquetFile(parquet).iter_batches(batch_size=batch, use_threads=True):
            features = np.empty((part.num_rows, part.num_columns), dtype=np.float32)
            for k in range(part.num_columns):
                features[:, k] = part.column(k).to_numpy()
            score, probability, label = session.run(["score", "probability", "label"], {"features": features})
            ids = np.arange(first, first + part.num_rows)
            columns = [ids, score.ravel(), probability.ravel(), label.ravel()]
            writer.write_batch(pa.record_batch([pa.array(column) for column in columns], schema=schema))
            first += part.num_rows


def measured(command):
    """Seconds of a command, and the most memory it had, in bytes."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"failed: {command}")
    return time.perf_counter() - start, usage.ru_maxrss * 1024


def main():
    if sys.argv[1:2] == ["--peer"]:
        return peer(sys.argv[2], sys.argv[3], sys.argv[4], int(sys.argv[5]))
    if sys.argv[1:2] == ["--prepare"]:
        return prepare(sys.argv[2], Path(sys.argv[3]), [int(rows) for rows in sys.argv[4:]])
    parser = argparse.ArgumentParser()
    parser.add_argument("likelier")
    parser.add_argument("out", type=Path)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    out, likelier = arguments.out, arguments.likelier
    work = out / "work"
    work.mkdir(parents=True, exist_ok=True)
    sizes = (arguments.rows // 5, arguments.rows)
    # In a process of its own: a child's peak memory counts from that of the process that started it.
    subprocess.run([sys.executable, __file__, "--prepare", likelier, work, *map(str, sizes)], check=True)
    model = work / "model.likelier"
    files = {rows: work / f"{rows}.parquet" for rows in sizes}
    ours = lambda path: [likelier, "predict", model, path, "--out", work / "ours.csv"]
    theirs = lambda path, batch: [sys.executable, __file__, "--peer", work / "model.onnx", path, work / "theirs.csv", batch]
    small = files[arguments.rows // 5]
    best = min((1 << 14, 1 << 16, 1 << 18, 1 << 20), key=lambda batch: measured(theirs(small, batch))[0])
    print(f"ONNX Runtime + pyarrow are fastest in batches of {best} rows")
    raw = [("rows", "side", "repeat", "seconds", "rows_per_second", "peak_bytes")]
    for repeat in range(1, arguments.repeats + 1):
        for rows, path in files.items():
            for side, command in (("likelier", ours(path)), ("onnxruntime", theirs(path, best))):
                seconds, peak = measured(command)
                raw.append((rows, side, repeat, f"{seconds:.3f}", round(rows / seconds), peak))
                print(*raw[-1])
    compare(work)
    with open(out / "raw.csv", "w", newline="") as file:
        csv.writer(file).writerows(raw)
    for path in work.iterdir():
        path.unlink()
    work.rmdir()


def compare(work):
    """Both sides must have written the same table, to float32's precision."""
    import numpy as np

    tables = [np.loadtxt(work / name, delimiter=",", skiprows=1, max_rows=100_000) for name in ("ours.csv", "theirs.csv")]
    apart = np.abs(tables[0] - tables[1]).max(axis=0)
    print(f"first 100,000 rows differ by at most {apart[1]:.1e} in score and {apart[2]:.1e} in probability")
    assert apart[0] == 0 and apart[1] < 1e-5 and apart[2] < 1e-5


if __name__ == "__main__":
    main()
