"""What the Python package costs: starting it, and training on an array without a copy of it.

    target/python/bin/python bench/python_cost.py

It prints the time of `import likelier` beside that of NumPy alone (the least of 7 fresh interpreters, in CPU time), which libraries it loads,
and how far the memory of this process rises while `fit` works on 1 GB of float32.
"""

import os
import resource
import subprocess
import sys
import threading
import time

import likelier
import numpy as np

ROWS, WIDTH, PAIRS = 2_500_000, 100, 20_000
LATER = ("torch", "pandas", "sklearn", "scipy", "polars", "pyarrow", "xgboost", "lightgbm", "tqdm")


def seconds(code):
    """CPU time of a fresh interpreter."""

    def one():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(one() for _ in range(7))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main():
    numpy, ours = seconds("import numpy"), seconds("import likelier")
    print(f"import numpy: {1000 * numpy:.0f} ms; import likelier, NumPy included: {1000 * ours:.0f} ms")
    loaded = f"import likelier, sys; print([name for name in {LATER!r} if name in sys.modules])"
    print("loaded by it:", subprocess.check_output([sys.executable, "-c", loaded], text=True).strip())

    random = np.random.default_rng(1)
    items = np.empty((ROWS, WIDTH), dtype=np.float32)
    for start in range(0, ROWS, 100_000):
        items[start : start + 100_000] = random.standard_normal((100_000, WIDTH), dtype=np.float32)
    pairs = random.integers(0, ROWS, (PAIRS, 2))
    score = items[:, 0] + items[:, 1]
    swap = score[pairs[:, 0]] < score[pairs[:, 1]]
    pairs[swap] = pairs[swap][:, ::-1]
    del score
    before, peak, done = resident(), [0], threading.Event()

    def watch():
        while not done.is_set():
            peak[0] = max(peak[0], resident())
            time.sleep(0.005)

    watcher = threading.Thread(target=watch)
    watcher.start()
    likelier.ComparisonClassifier(prior=0.5, protocol="forced-choice").fit(items, pairs)
    done.set()
    watcher.join()
    print(f"X: {items.nbytes / 1e9:.2f} GB; memory rises by {(peak[0] - before) / 1e6:.0f} MB while fit works")


main()
