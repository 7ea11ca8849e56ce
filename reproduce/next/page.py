"""Questions saved by the labelling page's active mode: simulated people answer through the real server.

    LIKELIER_DATA=… python3 reproduce/next/page.py target/release/likelier [SEEDS] [FIRST-SEED] > page.csv
    python3 reproduce/next/page.py tables page.csv

1,500 digits are drawn at a prior ("is it even?"), forced choice, equals by a coin, no errors, one person. The page is opened with `--active 0` (uniform
pairs) and with `--active 0.75`. After every hundred answers the script waits until the live estimate knows all but the last few, as people are slower
than it. At some counts `likelier train --answers` is run; the truth is the accuracy on rows that were not drawn, resampled to the prior.
Needs NumPy.
"""

import csv
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

ITEMS, COUNTS, JUDGED = 1500, [200, 300, 400, 500, 700, 1000], [500, 1000]
SHARES = [0, 0.75]


def optdigits(folder):
    rows = np.concatenate([np.loadtxt(folder / "optdigits" / f"optdigits.{part}", delimiter=",") for part in ("tra", "tes")])
    return rows[:, :-1], rows[:, -1] % 2 == 0


def usps(folder):
    rows = np.concatenate([np.loadtxt(folder / "usps" / f"zip.{part}.gz") for part in ("train", "test")])
    return rows[:, 1:], rows[:, 0] % 2 == 0


SETS = {"optdigits": optdigits, "usps": usps}


def at_prior(rows, even, prior, rng):
    """As many rows as there can be with this share of even digits."""
    yes, no = rng.permutation(rows[even[rows]]), rng.permutation(rows[~even[rows]])
    count = int(min(len(yes) / prior, len(no) / (1 - prior)))
    return rng.permutation(np.concatenate([yes[: round(count * prior)], no[: round(count * (1 - prior))]]))


class Page:
    """The page, and the owner's connection to it."""

    def __init__(self, program, folder, arguments):
        command = [program, "label", "items.csv", "--port", "0", "--json", *arguments]
        self.server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        told = ""
        while True:
            told += self.server.stdout.readline()
            try:
                link = json.loads(told)["result"]["links"][0]["link"]
                break
            except json.JSONDecodeError:
                continue
        place, self.token = link.removeprefix("http://").split("/#")
        self.connection = http.client.HTTPConnection(place, timeout=120)
        self.keys = 0

    def ask(self, method, path, body=None):
        head = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        self.connection.request(method, path, None if body is None else json.dumps(body), head)
        reply = self.connection.getresponse()
        text = reply.read()
        assert reply.status == 200, text
        return json.loads(text)

    def answer(self, hand, choice):
        self.keys += 1
        body = {"key": f"key-{self.keys:08}", "pair": hand["pairs"][0]["pair"], "choice": choice, "took": 900}
        return self.ask("POST", "/api/answer", body)

    def wait(self, answers):
        """Until an estimate knows so many answers."""
        while True:
            seen = self.ask("GET", "/api/overview")
            if seen["live"]["answers"] >= answers and not seen["live"]["training"]:
                return seen
            time.sleep(0.05)

    def stop(self):
        self.server.terminate()
        self.server.wait()


def run(program, folder, arguments):
    done = subprocess.run([program, *arguments, "--json"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["result"]


def simulate(program, name, X, even, prior, seed, share):
    rng = np.random.default_rng([seed, round(100 * prior)])
    drawn = at_prior(np.arange(len(X)), even, prior, rng)[:ITEMS]
    rest = at_prior(np.setdiff1d(np.arange(len(X)), drawn), even, prior, rng)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        columns = [f"p{at}" for at in range(X.shape[1])]
        for file, rows, label in (("items.csv", drawn, False), ("test.csv", rest, True)):
            with open(folder / file, "w", newline="") as table:
                out = csv.writer(table)
                out.writerow(["id", *columns, *(["label"] if label else [])])
                for at, row in enumerate(rows):
                    out.writerow([at, *(f"{cell:g}" for cell in X[row]), *([int(even[row])] if label else [])])
        stated = ["--prior", str(prior), "--again", "0", "--shared", "0", "--seed", str(seed), "--show", "id"]
        page = Page(program, folder, [*stated, "--active", str(share), "--features", ",".join(columns)])
        hand, answered = page.ask("GET", "/api/start"), 0
        while answered < COUNTS[-1]:
            left, right = (even[drawn[int(hand["pairs"][0][side]["cells"][0])]] for side in ("left", "right"))
            first = rng.random() < 0.5 if left == right else left
            hand, answered = page.answer(hand, "left" if first else "right"), answered + 1
            if answered % 100 == 0 and answered >= 200:
                # An estimate is trained after every 25 to 100 answers.
                active = page.wait(answered - 99)["active"]
            if answered in COUNTS:
                options = [] if answered in JUDGED else ["--hold-out", "0"]
                train = ["train", "--answers", "items.likelier-label", "--equals", "coin", "--out", "model", "--no-report", *options]
                judged = run(program, folder, train).get("label_free") or {}
                truth = run(program, folder, ["evaluate", "model", "--items", "test.csv", "--label", "label"])
                found = judged.get("accuracy") or {}
                numbers = [truth["labelled"]["accuracy"]["value"], *(found.get(part) for part in ("value", "low", "high"))]
                told = ["" if number is None else f"{number:.4f}" for number in numbers]
                chosen = active["chosen"] if active else 0
                print(name, prior, seed, share, answered, chosen, *told, sep=",", flush=True)
        page.stop()


def simulations(program, seeds, first):
    folder = Path(os.environ["LIKELIER_DATA"])
    data = {name: read(folder) for name, read in SETS.items()}
    print("dataset,prior,seed,active,answers,chosen,accuracy,estimate,low,high")
    for seed in range(first, first + seeds):
        for name, (X, even) in data.items():
            for prior in (0.2, 0.5):
                for share in SHARES:
                    simulate(program, name, X, even, prior, seed, share)


def tables(path):
    rows = list(csv.DictReader(open(path)))
    of = defaultdict(dict)
    for row in rows:
        of[row["dataset"], row["prior"], int(row["answers"])][row["active"], row["seed"]] = row
    # Only seeds that have both.
    def paired(cell):
        seeds = {seed for _, seed in cell}
        return sorted(seed for seed in seeds if all((str(share), seed) in cell for share in SHARES))

    print("| data set | prior | runs | " + " | ".join(f"uniform {n} | active {n}" for n in COUNTS) + " | answers for what uniform has at 1,000 |")
    print("|---|---|---|" + "---|" * (2 * len(COUNTS) + 1))
    cells = sorted({key[:2] for key in of})
    for cell in [*cells, None]:
        curves, runs = defaultdict(list), 0
        for count in COUNTS:
            for key in cells if cell is None else [cell]:
                here = of[*key, count]
                seeds = paired(of[*key, COUNTS[-1]])
                runs += len(seeds) if count == COUNTS[0] else 0
                for share in SHARES:
                    curves[share, count] += [float(here[str(share), seed]["accuracy"]) for seed in seeds]
        mean = {key: statistics.mean(values) for key, values in curves.items()}
        wanted, needed = mean[0, COUNTS[-1]], None
        for before, after in zip(COUNTS, COUNTS[1:]):
            if mean[0.75, after] >= wanted:
                part = (wanted - mean[0.75, before]) / (mean[0.75, after] - mean[0.75, before])
                needed = before + max(part, 0) * (after - before)
                break
        told = " | ".join(f"{mean[0, n]:.4f} | {mean[0.75, n]:.4f}" for n in COUNTS)
        where = "all | " if cell is None else " | ".join(cell)
        print(f"| {where} | {runs} | {told} | {'more' if needed is None else round(needed)} |")
    gains = defaultdict(list)
    for key in cells:
        for count in COUNTS:
            here = of[*key, count]
            gains[count] += [
                float(here["0.75", seed]["accuracy"]) - float(here["0", seed]["accuracy"]) for seed in paired(of[*key, COUNTS[-1]])
            ]
    print("\nGains, with standard errors over paired runs: " + ", ".join(
        f"{count}: {statistics.mean(values):+.4f} ± {statistics.stdev(values) / len(values) ** 0.5:.4f}" for count, values in gains.items()))
    print("\n| pairs | answers | held | off by | width |\n|---|---|---|---|---|")
    for share in SHARES:
        for count in JUDGED:
            judged = [
                [float(of[*key, count][str(share), seed][name]) for name in ("accuracy", "estimate", "low", "high")]
                for key in cells for seed in paired(of[*key, COUNTS[-1]]) if of[*key, count][str(share), seed]["low"]
            ]
            held = sum(low <= truth <= high for truth, _, low, high in judged)
            off = statistics.mean(estimate - truth for truth, estimate, _, _ in judged)
            width = statistics.mean(high - low for *_, low, high in judged)
            print(f"| {'active ' + str(share) if share else 'uniform'} | {count} | {held} of {len(judged)} | {off:+.4f} | {width:.3f} |")


if __name__ == "__main__":
    if sys.argv[1] == "tables":
        tables(sys.argv[2])
    else:
        program, *numbers = sys.argv[1:]
        seeds, first = int(numbers[0]) if numbers else 10, int(numbers[1]) if len(numbers) > 1 else 0
        simulations(os.path.abspath(program), seeds, first)
