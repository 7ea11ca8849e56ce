"""The same items written by pandas, polars and pyarrow in every type that is read: one model, the same scores.

    python3 reproduce/tables/round_trips.py PROGRAM FOLDER

A model is trained on one CSV file. Every other file holds the same rows, and `predict` must give the same table, to the
last digit. Needs pandas, polars, pyarrow and zstandard.
"""
import csv, random, subprocess, sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
FOLDER.mkdir(parents=True, exist_ok=True)
ROWS = 200


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def trained(name, frame, options):
    """A model of a CSV file, and the scores that it gives to that file."""
    frame.to_csv(FOLDER / f"{name}.csv", index=False)
    draw = random.Random(1)
    with open(FOLDER / "pairs.csv", "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["likelier", "other"])
        for _ in range(600):
            a, b = draw.sample(range(ROWS), 2)
            out.writerow([f"i{a}", f"i{b}"] if frame["x"].fillna(0)[a] > frame["x"].fillna(0)[b] else [f"i{b}", f"i{a}"])
    run("train", "--items", FOLDER / f"{name}.csv", "--comparisons", FOLDER / "pairs.csv", "--prior", 0.5, "--protocol", "forced-choice", "--no-report",
        *options, "--out", FOLDER / f"{name}.likelier")
    return FOLDER / f"{name}.likelier", scores(FOLDER / f"{name}.likelier", FOLDER / f"{name}.csv")


def scores(model, file):
    return run("predict", model, file, "--out", "-")


def main():
    rng = np.random.default_rng(1)
    ids = [f"i{row}" for row in range(ROWS)]
    # Quarters are exact in 16 bits.
    quarters = rng.integers(-40, 40, (ROWS, 3)) / 4
    x = pd.Series(quarters[:, 0])
    gone = rng.random(ROWS) < 0.1
    days = pd.Series(pd.to_datetime("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, ROWS), unit="D"))
    yes = rng.random(ROWS) < 0.5
    colour = rng.choice(["red", "blue", "grün"], ROWS)
    words = [" ".join(rng.choice(["good", "bad", "wine", "früh"], 4)) for _ in ids]
    lists = pd.DataFrame({"id": ids, "x": x, **{f"v[{at}]": quarters[:, at] for at in range(3)}})
    cases = {
        "float16": (pd.DataFrame({"id": ids, "x": x}), []),
        "lists": (lists, []),
        "booleans": (pd.DataFrame({"id": ids, "x": x, "yes": yes}), []),
        "missing": (pd.DataFrame({"id": ids, "x": x.mask(gone)}), []),
        "dates": (pd.DataFrame({"id": ids, "x": x, "seen": days.dt.strftime("%Y-%m-%d")}), ["--dates", "seen"]),
        "categories": (pd.DataFrame({"id": ids, "x": x, "colour": colour}), ["--categories", "colour"]),
        "text": (pd.DataFrame({"id": ids, "x": x, "words": words}), ["--text", "words"]),
    }

    def same(case, library, form, frame, write):
        model, expected = models[case]
        path = FOLDER / f"{case}-{library}.{form}"
        write(frame, path)
        found = scores(model, path)
        results.append((case, library, form, found == expected))
        print(f"{case},{library},{form},{'the same' if found == expected else 'DIFFERENT'}", flush=True)

    models = {case: trained(case, frame, options) for case, (frame, options) in cases.items()}
    results = []
    print("type,library,format,scores")
    vectors = [list(row) for row in quarters]
    frames = {
        "float16": pd.DataFrame({"id": ids, "x": x.astype("float16")}),
        "lists": pd.DataFrame({"id": ids, "x": x, "v": vectors}),
        "booleans": cases["booleans"][0],
        "missing": cases["missing"][0],
        "dates": pd.DataFrame({"id": ids, "x": x, "seen": days}),
        "categories": pd.DataFrame({"id": ids, "x": x, "colour": pd.Categorical(colour)}),
        "text": cases["text"][0],
    }
    arrow = {case: pa.Table.from_pandas(frame, preserve_index=False) for case, frame in frames.items()}
    fixed = pa.FixedSizeListArray.from_arrays(pa.array(quarters.ravel(), pa.float32()), 3)
    for case, frame in frames.items():
        same(case, "pandas", "parquet", frame, lambda frame, path: frame.to_parquet(path))
        same(case, "pyarrow", "parquet", arrow[case], lambda table, path: pq.write_table(table, path, compression="zstd"))
        polars = pl.from_arrow(arrow[case])
        same(case, "polars", "parquet", polars, lambda frame, path: frame.write_parquet(path))
        if case != "float16":
            plain = frame.assign(seen=frame["seen"].dt.strftime("%Y-%m-%d")) if case == "dates" else frame
            same(case, "pandas", "jsonl", plain, lambda frame, path: frame.to_json(path, orient="records", lines=True))
            same(case, "polars", "ndjson", polars, lambda frame, path: frame.write_ndjson(path))
        if case not in ("lists", "float16", "dates"):
            same(case, "pandas", "csv.zst", frame, lambda frame, path: frame.to_csv(path, index=False))
            same(case, "polars", "csv", polars, lambda frame, path: frame.write_csv(path))
    same("lists", "pyarrow", "fixed.parquet", pa.table({"id": ids, "x": x, "v": fixed}), lambda table, path: pq.write_table(table, path))
    same("lists", "polars", "array.parquet", pl.from_arrow(arrow["lists"]).with_columns(pl.col("v").list.to_array(3)), lambda frame, path: frame.write_parquet(path))
    same("missing", "pandas", "comma.csv", frames["missing"], lambda frame, path: frame.to_csv(path, index=False, sep=";", decimal=","))
    assert all(ok for *_, ok in results), [row for row in results if not row[3]]


main()
