"""Networks and the items that nobody compared: does a consistency term on them help?

    LIKELIER_DATA=… python reproduce/answers/pool_networks.py rows OUT.csv [--seeds 5] [--first 0] [--priors 0.5]
    python reproduce/answers/pool_networks.py table OUT.csv

Kuzushiji-MNIST, the 7,011 training images that could be had: 1,753 pairs as in the paper (discard, no item twice),
the other half of the images compared by nobody. The network and the recipe are those of
reproduce/python/mnist_torch.py; a tenth of the pairs is held out. In the phase of the pair posterior a step also takes as many
rows of the pool as it has compared rows, and adds to the risk, on these rows alone:

    none         nothing
    agree        the mean squared distance between the student's and the teacher's probability
    noisy        the same, the student's rows with normal noise (deviation 0.2 of a pixel's range)
    shifted      the same, the student's images moved by up to two pixels either way
    taught       cross-entropy to the teacher's probability, its level held on the pool at the prior

A row has the accuracy on the test rows, resampled to the prior, and the value on held-out pairs (the mean negative
log-likelihood of their orientation) by which a user without labels would have to choose. (needs likelier and torch)
"""

from __future__ import annotations

import argparse
import copy
import csv
import gzip
import os
import sys
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import torch
from likelier import generate
from likelier.torch import PairPosterior, PcompLoss, Teacher
from torch import Tensor, nn

sys.path.insert(0, str(Path(__file__).parent.parent / "python"))
from mnist_torch import BATCH, PATIENCE, WARM_UP, network, resampled  # noqa: E402

IMAGES = 7_011
TERMS = ("none", "agree", "noisy", "shifted", "taught")
EPOCHS = 100
WEIGHT = {"none": 0.0, "agree": 10.0, "noisy": 10.0, "shifted": 10.0, "taught": 1.0}
FIELDS = ["prior", "seed", "term", "accuracy", "held_out", "epochs"]


def read(name: str) -> bytes:
    with gzip.open(Path(os.environ["LIKELIER_DATA"]) / "kuzushiji-mnist" / f"{name}.gz") as file:
        return file.read()


def data() -> list[np.ndarray]:
    def pixels(name: str) -> np.ndarray:
        return np.frombuffer(read(name), np.uint8, offset=16).reshape(-1, 784).astype(np.float32) / 255.0

    def even(name: str) -> np.ndarray:
        return np.frombuffer(read(name), np.uint8, offset=8) % 2 == 0

    known = even("train-labels-idx1-ubyte")[:IMAGES]
    return [
        pixels(f"train-images-first{IMAGES}-idx3-ubyte"),
        known,
        pixels("t10k-images-idx3-ubyte"),
        even("t10k-labels-idx1-ubyte"),
    ]


def moved(rows: Tensor) -> Tensor:
    """Images moved by up to two pixels: one way for the whole batch, as what matters is the mean over steps."""
    down, right = (int(torch.randint(-2, 3, ())) for _ in range(2))
    return torch.roll(rows.view(-1, 28, 28), (down, right), (1, 2)).reshape(-1, 784)


def term_on_pool(term: str, student: nn.Module, teacher: Teacher, rows: Tensor, posterior: PairPosterior) -> Tensor:
    with torch.no_grad():
        scores = teacher(rows)
        wanted = torch.sigmoid(scores)
    if term == "taught":
        # The smallest shift is not looked for: the one that puts the mean at the prior, by bisection.
        low, high = -20.0, 20.0
        for _ in range(40):
            middle = (low + high) / 2
            if float(torch.sigmoid(scores + middle).mean()) < posterior.collection.prior:
                low = middle
            else:
                high = middle
        return nn.functional.binary_cross_entropy_with_logits(student(rows), torch.sigmoid(scores + low))
    if term == "noisy":
        rows = rows + 0.2 * torch.randn_like(rows)
    elif term == "shifted":
        rows = moved(rows)
    return (torch.sigmoid(student(rows)) - wanted).square().mean()


def train(X: Tensor, pairs: Tensor, pool: Tensor, prior: float, term: str, seed: int) -> tuple[nn.Module, float, int]:
    torch.manual_seed(seed)
    order = torch.randperm(len(pairs))
    held_out, kept = pairs[order[: len(pairs) // 10]], pairs[order[len(pairs) // 10 :]]
    likelihood, posterior = PcompLoss("likelihood", prior, "discard"), PairPosterior(prior, "discard")
    student = network()
    teacher = Teacher(student)

    def judge(model: nn.Module) -> float:
        model.eval()
        with torch.no_grad():
            value = float(likelihood(model(X[held_out[:, 0]]), model(X[held_out[:, 1]])))
        model.train()
        return value

    def epoch(optimiser: torch.optim.Optimizer, infers: bool) -> None:
        for batch in kept[torch.randperm(len(kept))].split(BATCH):
            rows = X[batch.T.reshape(-1)]
            first, second = student(rows).chunk(2)
            if infers:
                with torch.no_grad():
                    targets = posterior.infer(*teacher(rows).chunk(2))
                value = posterior.loss(first, second, targets)
                if term != "none":
                    others = X[pool[torch.randint(len(pool), (len(rows),))]]
                    value = value + WEIGHT[term] * term_on_pool(term, student, teacher, others, posterior)
            else:
                value = likelihood(first, second)
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            teacher.update(student, buffers=not infers)

    def best_of(epochs: int, patience: int, infers: bool) -> tuple[nn.Module, float, int]:
        optimiser = torch.optim.Adam(student.parameters(), lr=1e-3, weight_decay=1e-5)
        best, best_value, at = copy.deepcopy(teacher.network), float("inf"), 0
        for done in range(1, epochs + 1):
            epoch(optimiser, infers)
            value = judge(teacher.network)
            if value < best_value:
                best, best_value, at = copy.deepcopy(teacher.network), value, done
            if done >= at + patience:
                break
        return best, best_value, done

    warmed_up, _, done = best_of(5 * WARM_UP, PATIENCE, infers=False)
    student.load_state_dict(warmed_up.state_dict())
    teacher.network.load_state_dict(warmed_up.state_dict())
    final, value, more = best_of(EPOCHS - done, 4 * PATIENCE, infers=True)
    return final, value, done + more


def rows(given: argparse.Namespace) -> None:
    torch.set_num_threads(1)
    X, truth, new, new_truth = data()
    tensor, tested = torch.from_numpy(X), torch.from_numpy(new)
    with open(given.out, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(FIELDS)
        for seed in range(given.first, given.first + given.seeds):
            for prior in given.priors:
                pairs = generate(
                    truth, 1_753, prior=prior, protocol="discard", no_item_twice=True, random_state=seed
                ).pairs
                pool = np.setdiff1d(np.arange(IMAGES), pairs)
                # The pool is to have the prior: what it would be if pairs had been drawn from the whole table.
                pool = pool[resampled(truth[pool], prior, np.random.default_rng(seed))]
                chosen = resampled(new_truth, prior, np.random.default_rng(seed))
                for term in TERMS:
                    final, value, epochs = train(
                        tensor, torch.from_numpy(pairs), torch.from_numpy(pool), prior, term, seed
                    )
                    with torch.no_grad():
                        labels = (final.eval()(tested[chosen]) > 0).numpy()
                    accuracy = float((labels == new_truth[chosen]).mean())
                    out.writerow([prior, seed, term, f"{accuracy:.4f}", f"{value:.4f}", epochs])
                    file.flush()


def table(given: argparse.Namespace) -> None:
    with open(given.out, newline="") as file:
        found = list(csv.DictReader(file))
    print("| prior | term | seeds | accuracy | gain over none | held-out value, less that of none |\n|---|---|---|---|---|---|")
    for prior in sorted({row["prior"] for row in found}):
        of = {(row["term"], row["seed"]): row for row in found if row["prior"] == prior}
        for term in TERMS:
            seeds = [seed for name, seed in of if name == term and ("none", seed) in of]
            cells = [f"{mean(float(of[term, seed]['accuracy']) for seed in seeds):.3f}"]
            for what in ("accuracy", "held_out"):
                gains = [float(of[term, seed][what]) - float(of["none", seed][what]) for seed in seeds]
                error = stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else float("nan")
                cells.append(f"{mean(gains):+.4f} ± {error:.4f}" if term != "none" else "")
            print(f"| {prior} | {term} | {len(seeds)} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["rows", "table"])
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--priors", type=float, nargs="+", default=[0.5])
    given = parser.parse_args()
    (rows if given.what == "rows" else table)(given)
