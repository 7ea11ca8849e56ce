"""The large runs of docs/scaling.md, each on a Ray cluster of several nodes on this machine.

    python bench/ray_runs.py table3 OUT PROGRAM DATA     Table 3 through three nodes
    python bench/ray_runs.py table3 OUT PROGRAM DATA 60  the same; one of them is killed after 60 seconds
    python bench/ray_runs.py fit OUT                     the same bits for 1, 2 and 3 nodes, and after kills
    python bench/ray_runs.py score OUT ROWS              so many rows of Parquet, a node killed on the way
    python bench/ray_runs.py memory                      a task that takes more memory than there is
    python bench/ray_runs.py cost OUT WORKERS            time, overhead a trial, bytes a step; 0 workers: without Ray

Run it with the Python of target/ray, in a network that has nothing but loopback: Ray listens everywhere.

    unshare -n sh -c 'ip link set lo up && exec "$@"' sh target/ray/bin/python bench/ray_runs.py …
"""

import csv
import json
import logging
import os
import sys
import threading
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "python/tests"))
from ray_cluster import actors_killed, cluster, kill, killed_after  # noqa: E402

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


def table3(out, program, data, kill_after=None):
    retried = []
    handler = logging.Handler()
    handler.emit = lambda record: retried.append(record.getMessage())
    logging.getLogger("likelier").addHandler(handler)
    with cluster(3) as (made, rest):
        start = time.time()
        if kill_after is not None:
            killed_after(made, rest, float(kill_after))
        done = distributed.reproduce("table3", out, program=program, data_dir=data)
        seconds = round(time.time() - start, 1)
        nodes = 1 + len(rest)
        say(
            trials=done.trials,
            retries=done.retries,
            nodes_at_the_end=nodes,
            seconds=seconds,
            said=retried,
        )


def fit(out):
    X, truth, pairs = clouds(200_000, 1_000_000)
    Path(out).mkdir(parents=True, exist_ok=True)
    here = time.time()
    expected = distributed.fit(X, pairs, shards=4, **STATED)
    say(
        nodes=0,
        seconds=round(time.time() - here, 2),
        accuracy=float((expected.predict(X) == truth).mean()),
    )
    expected.save(Path(out, "threads.likelier"))
    for nodes in (1, 2, 3):
        with cluster(nodes, cpus=2, store=400_000_000):
            start = time.time()
            found = distributed.fit(X, pairs, shards=4, cpus=0.5, **STATED)
            seconds = round(time.time() - start, 2)
        same = found.classifier_.to_bytes() == expected.classifier_.to_bytes()
        say(nodes=nodes, shards=4, seconds=seconds, same_bits=same)
    rng = np.random.default_rng(7)
    victims = sorted(rng.choice(np.arange(3, 20), size=3, replace=False).tolist())
    with cluster(3, cpus=2, store=400_000_000), actors_killed(victims, rng) as happened:
        found = distributed.fit(X, pairs, shards=4, cpus=0.5, **STATED)
    same = found.classifier_.to_bytes() == expected.classifier_.to_bytes()
    say(nodes=3, actors_killed_at_asks=victims, **happened, same_bits=same)


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
        own = psutil.Process()
        while watching[0]:
            total = 0
            for process in [own, *own.children(recursive=True)]:
                try:
                    total += process.memory_full_info().pss
                except psutil.Error:
                    pass
            most[0] = max(most[0], total)
            time.sleep(1)

    with cluster(3, cpus=1, store=500_000_000) as (made, rest):
        threading.Thread(target=watch, daemon=True).start()
        start = time.time()
        written = []

        def kill_on_the_way():
            # Other files are being read, scored and written then.
            while not (there := list(folder.glob(".scored.*.partial/*.parquet"))):
                time.sleep(0.2)
            kill(made, rest.pop(0))
            written.append(len(there))

        threading.Thread(target=kill_on_the_way, daemon=True).start()
        distributed.score(items, model, folder / "scored")
        say(
            rows=rows,
            seconds=round(time.time() - start, 1),
            files_at_the_kill=written,
            files_at_the_end=len(list((folder / "scored").glob("*.parquet"))),
        )
        watching[0] = False
    seen = np.zeros(rows, np.uint8)
    wrong = 0
    for file in sorted((folder / "scored").glob("*.parquet")):
        table = pq.read_table(file)
        ids = table.column("id").to_numpy()
        np.add.at(seen, ids, 1)
        values = np.column_stack([table.column(f"f{k}").to_numpy() for k in range(4)])
        for name, expected in (
            ("score", model._scores(values)),
            ("label", model.predict(values)),
            ("probability", model.predict_proba(values)[:, 1]),
        ):
            wrong += int((expected != table.column(name).to_numpy()).sum())
    say(
        ids_once=bool((seen == 1).all()),
        scores_that_differ=wrong,
        most_memory_mb=round(most[0] / 1e6),
    )


def cost(out, workers):
    workers = int(workers)
    Path(out).mkdir(parents=True, exist_ok=True)
    place = Path(out, "cost.csv")
    new = not place.exists()
    many, few = clouds(100_000, 1_000_000), clouds(2_000, 4_000)
    choice = clouds(4_000, 8_000)
    small = {**STATED, "epochs": 30}
    with place.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(
                [
                    "what",
                    "workers",
                    "size",
                    "seconds",
                    "out_bytes",
                    "back_bytes",
                    "rounds",
                ]
            )

        def timed(what, size, work, traffic=("", "", "")):
            start = time.perf_counter()
            work()
            values = [
                what,
                workers,
                size,
                round(time.perf_counter() - start, 3),
                *traffic,
            ]
            writer.writerow(values)
            file.flush()
            say(row=values)

        def fits(cpus):
            for X, _, pairs in (many, few):
                traffic = []
                _cluster.Answering.close = lambda self, traffic=traffic: (
                    traffic.extend(self.traffic),
                    real(self),
                )
                # The second time: processes that Ray keeps for actors are there.
                distributed.fit(X, pairs, shards=4, cpus=cpus, **STATED)
                timed(
                    "fit",
                    len(pairs),
                    lambda: distributed.fit(X, pairs, shards=4, cpus=cpus, **STATED),
                    traffic[:3] or [""] * 3,
                )

        real = _cluster.Answering.close
        if workers == 0:
            alone = ComparisonClassifier(**small, select=True, threads=1)
            timed("select", len(choice[2]), lambda: alone.fit(choice[0], choice[2]))
            both = ComparisonClassifier(**small, select=True)
            timed(
                "select on all threads",
                len(choice[2]),
                lambda: both.fit(choice[0], choice[2]),
            )
            fits(1)
            return
        start = time.perf_counter()
        with cluster(1, cpus=workers, store=600_000_000):
            import ray

            say(cluster_seconds=round(time.perf_counter() - start, 2))
            nothing = [(str(at), at) for at in range(500)]

            def empty(tasks=nothing):
                list(_cluster.run_tasks(ray, abs, [], tasks, retries=0, progress=None))

            empty()
            timed("empty trials", len(nothing), empty)
            timed(
                "select",
                len(choice[2]),
                lambda: distributed.select(choice[0], choice[2], **small),
            )
            fits(workers / 4)


def greedy(_):
    """Takes 3 GB, a little at a time."""
    held = []
    for _ in range(60):
        held.append(np.ones(50_000_000, np.uint8))
        time.sleep(0.1)
    return len(held)


def memory():
    import psutil

    whole = psutil.virtual_memory()
    os.environ["RAY_memory_usage_threshold"] = str(round((whole.total - whole.available + 1.5e9) / whole.total, 3))
    os.environ["RAY_memory_monitor_refresh_ms"] = "100"
    with cluster(1):
        import ray

        tasks = [("choosing: likelihood, fold 3 of 5", 0)]
        try:
            list(_cluster.run_tasks(ray, greedy, [], tasks, retries=3, progress=None))
        except MemoryError as error:
            say(raised="MemoryError", words=str(error))


if __name__ == "__main__":
    try:
        {"memory": memory, "table3": table3, "fit": fit, "score": score, "cost": cost}[sys.argv[1]](*sys.argv[2:])
    except KeyboardInterrupt as stopped:
        sys.exit(str(stopped))
