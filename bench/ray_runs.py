"""The large runs of docs/scaling.md, each on a Ray cluster of several nodes on this machine.

    python bench/ray_runs.py table3 OUT PROGRAM DATA     Table 3 through three nodes, one of them killed while busy
    python bench/ray_runs.py fit OUT                     the same bits for 1, 2 and 3 nodes, and after kills
    python bench/ray_runs.py score OUT ROWS              so many rows of Parquet, a node killed on the way
    python bench/ray_runs.py memory                      a task that takes more memory than there is
    python bench/ray_runs.py cost OUT                    time against workers, overhead a trial, bytes a step

Run it with the Python of target/ray, in a network that has nothing but loopback: Ray listens everywhere.

    unshare -n sh -c 'ip link set lo up && exec "$@"' sh target/ray/bin/python bench/ray_runs.py …
"""

import csv
import json
import logging
import sys
import threading
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "python/tests"))
from ray_cluster import cluster, kill  # noqa: E402

from likelier import ComparisonClassifier, _cluster, distributed, generate  # noqa: E402

STATED = {"prior": 0.4, "protocol": "forced-choice"}


def clouds(count, pairs, width=16, seed=0):
    """Two clouds of items, and comparisons between them."""
    rng = np.random.default_rng(seed)
    truth = rng.random(count) < STATED["prior"]
    X = rng.normal(size=(count, width)).astype(np.float32)
    X[:, :3] += truth[:, None]
    return X, truth, generate(truth, pairs, random_state=seed).pairs


def say(**values):
    print(json.dumps(values), flush=True)


def table3(out, program, data):
    retried = []
    handler = logging.Handler()
    handler.emit = lambda record: retried.append(record.getMessage())
    logging.getLogger("likelier").addHandler(handler)
    with cluster(3) as (made, rest):

        def busy():
            time.sleep(60)
            kill(made, rest.pop(0))
            say(killed_after_seconds=round(time.time() - start, 1))

        start = time.time()
        threading.Thread(target=busy, daemon=True).start()
        done = distributed.reproduce("table3", out, program=program, data_dir=data)
        say(trials=done.trials, retries=done.retries, seconds=round(time.time() - start, 1), said=retried)


def fit(out):
    X, truth, pairs = clouds(200_000, 1_000_000)
    Path(out).mkdir(parents=True, exist_ok=True)
    here = time.time()
    expected = distributed.fit(X, pairs, shards=4, **STATED)
    say(nodes=0, seconds=round(time.time() - here, 2), accuracy=float((expected.predict(X) == truth).mean()))
    expected.save(Path(out, "threads.likelier"))
    for nodes in (1, 2, 3):
        with cluster(nodes, cpus=2, store=400_000_000):
            start = time.time()
            found = distributed.fit(X, pairs, shards=4, cpus=0.5, **STATED)
            seconds = round(time.time() - start, 2)
        same = found.classifier_.to_bytes() == expected.classifier_.to_bytes()
        say(nodes=nodes, shards=4, seconds=seconds, same_bits=same)
    rng = np.random.default_rng(7)
    victims = sorted(rng.choice(np.arange(3, 30), size=3, replace=False).tolist())
    asked, restarts, real = [0], [0], _cluster.Answering.__call__

    def killing(self, ask):
        import ray

        asked[0] += 1
        if asked[0] in victims:
            ray.kill(self.actors[int(rng.integers(4))], no_restart=True)
        answers = real(self, ask)
        restarts[0] = self.restarts
        return answers

    _cluster.Answering.__call__ = killing
    with cluster(3, cpus=2, store=400_000_000):
        found = distributed.fit(X, pairs, shards=4, cpus=0.5, **STATED)
    _cluster.Answering.__call__ = real
    same = found.classifier_.to_bytes() == expected.classifier_.to_bytes()
    say(nodes=3, actors_killed_at_asks=victims, asks=asked[0], restarts=restarts[0], same_bits=same)


def score(out, rows):
    import psutil
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows, folder = int(rows), Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    X, _, pairs = clouds(20_000, 20_000, width=4)
    model = distributed.fit(X, pairs, **STATED)
    model.save(folder / "model.likelier")
    items = folder / "items"
    items.mkdir(exist_ok=True)
    rng, each = np.random.default_rng(3), 1_000_000
    for at in range(rows // each):
        values = rng.normal(size=(each, 4)).astype(np.float32)
        ids = np.arange(at * each, (at + 1) * each)
        columns = {"id": ids, **{f"f{k}": values[:, k] for k in range(4)}}
        pq.write_table(pa.table(columns), items / f"{at:04}.parquet", row_group_size=250_000)
    most, watching = [0], [True]

    def watch():
        while watching[0]:
            total = 0
            for process in psutil.process_iter(["name", "cmdline"]):
                try:
                    words = " ".join(process.info["cmdline"] or [])
                    if "ray" in words and ("ray_runs" in words or "ray::" in words or "/ray/" in words):
                        total += process.memory_full_info().pss
                except psutil.Error:
                    pass
            most[0] = max(most[0], total)
            time.sleep(1)

    with cluster(3, cpus=1, store=500_000_000) as (made, rest):
        threading.Thread(target=watch, daemon=True).start()

        def busy():
            time.sleep(15)
            kill(made, rest.pop(0))
            say(killed_after_seconds=round(time.time() - start, 1))

        start = time.time()
        threading.Thread(target=busy, daemon=True).start()
        distributed.score(items, model, folder / "scored")
        say(rows=rows, seconds=round(time.time() - start, 1))
        watching[0] = False
    seen = np.zeros(rows, np.uint8)
    wrong = 0
    for file in sorted((folder / "scored").glob("*.parquet")):
        table = pq.read_table(file)
        ids = table.column("id").to_numpy()
        np.add.at(seen, ids, 1)
        values = np.column_stack([table.column(f"f{k}").to_numpy() for k in range(4)])
        wrong += int((model._scores(values) != table.column("score").to_numpy()).sum())
    say(ids_once=bool((seen == 1).all()), scores_that_differ=wrong, most_memory_mb=round(most[0] / 1e6))


def cost(out):
    import ray

    Path(out).mkdir(parents=True, exist_ok=True)
    with Path(out, "cost.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["what", "workers", "size", "seconds", "out_bytes", "back_bytes", "rounds"])

        def row(*values):
            writer.writerow(values)
            file.flush()
            say(row=values)

        X, _, pairs = clouds(4_000, 8_000)
        small = {**STATED, "epochs": 30}
        start = time.time()
        ComparisonClassifier(**small, select=True, threads=1).fit(X, pairs)
        row("select", 0, len(pairs), round(time.time() - start, 3), "", "", "")
        big = clouds(100_000, 1_000_000)
        start = time.time()
        distributed.fit(big[0], big[2], shards=4, **STATED)
        row("fit", 0, len(big[2]), round(time.time() - start, 3), "", "", "")
        for workers in (1, 2, 3, 4):
            with cluster(1, cpus=workers, store=600_000_000):
                nothing = [(str(at), at) for at in range(500)]
                for again in range(2):
                    start = time.time()
                    tasks = _cluster.run_tasks(ray, abs, [], nothing, cpus=1, retries=0, progress=None, stage="nothing")
                    list(tasks)
                    if again:
                        row("empty trials", workers, len(nothing), round(time.time() - start, 3), "", "", "")
                start = time.time()
                distributed.select(X, pairs, **small)
                row("select", workers, len(pairs), round(time.time() - start, 3), "", "", "")
                traffic = []
                real = _cluster.Answering.close

                def close(self, real=real, traffic=traffic):
                    traffic.append(self.traffic)
                    real(self)

                _cluster.Answering.close = close
                start = time.time()
                distributed.fit(big[0], big[2], shards=4, cpus=workers / 4, **STATED)
                row("fit", workers, len(big[2]), round(time.time() - start, 3), *traffic[0])
                few = clouds(2_000, 4_000)
                start = time.time()
                distributed.fit(few[0], few[2], shards=4, cpus=workers / 4, **STATED)
                row("fit", workers, 4_000, round(time.time() - start, 3), *traffic[1])
                _cluster.Answering.close = real


def greedy(_):
    """Takes 3 GB, a little at a time."""
    held = []
    for _ in range(60):
        held.append(np.ones(50_000_000, np.uint8))
        time.sleep(0.1)
    return len(held)


def memory():
    import os

    import psutil

    whole = psutil.virtual_memory()
    os.environ["RAY_memory_usage_threshold"] = str(round((whole.total - whole.available + 1.5e9) / whole.total, 3))
    os.environ["RAY_memory_monitor_refresh_ms"] = "100"
    with cluster(1):
        import ray

        tasks = [("choosing: likelihood, fold 3 of 5", 0)]
        try:
            list(_cluster.run_tasks(ray, greedy, [], tasks, cpus=1, retries=3, progress=None, stage="greed"))
        except MemoryError as error:
            say(raised="MemoryError", words=str(error))


if __name__ == "__main__":
    {"memory": memory, "table3": table3, "fit": fit, "score": score, "cost": cost}[sys.argv[1]](*sys.argv[2:])
