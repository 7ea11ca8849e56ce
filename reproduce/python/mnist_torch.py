"""Table (c): a PyTorch network trained by `likelier.torch` beside the native one, on the same MNIST pairs.

    LIKELIER_DATA=… python reproduce/python/mnist_torch.py OUT.csv [--priors 0.5] [--native]
    python reproduce/python/mnist_torch.py --table OUT.csv

15,000 pairs as in the paper (discard, no item twice), positive: even digits; the test rows are resampled to the
prior. The network is the native one's: three hidden layers of 300 with batch norm. So is the recipe: Adam 1e-3,
weight decay 1e-5, batches of 128 pairs, 20 epochs. At most 10 are a warm-up by the orientation likelihood, which
ends when a tenth of the pairs, held out, has not improved for 5; the rest go by the pair posterior. The teacher
predicts, as it was after the epoch of that phase with the best held-out value; the native run does the same.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import os
import time
from pathlib import Path

import numpy as np
import torch
from likelier import ComparisonClassifier, generate
from likelier.torch import PairPosterior, PcompLoss, Teacher
from tasks import SEEDS, Rows, cell
from torch import nn

COLUMNS = ["prior", "method", "seed", "accuracy", "called_positive", "warm_up_accuracy", "epochs", "seconds"]
PAIRS, BATCH, EPOCHS, WARM_UP, PATIENCE = 15_000, 128, 20, 10, 5


def read(name: str) -> np.ndarray:
    with gzip.open(Path(os.environ["LIKELIER_DATA"]) / "mnist" / f"{name}.gz") as file:
        raw = file.read()
    if "labels" in name:
        return np.frombuffer(raw, np.uint8, offset=8) % 2 == 0
    return np.frombuffer(raw, np.uint8, offset=16).reshape(-1, 784).astype(np.float32) / 255.0


def resampled(truth: np.ndarray, prior: float, rng: np.random.Generator) -> np.ndarray:
    positive, negative = np.flatnonzero(truth), np.flatnonzero(~truth)
    ratio = prior / (1.0 - prior)
    if len(positive) > ratio * len(negative):
        positive = rng.permutation(positive)[: round(ratio * len(negative))]
    else:
        negative = rng.permutation(negative)[: round(len(positive) / ratio)]
    return np.concatenate([positive, negative])


def network() -> nn.Module:
    layers: list[nn.Module] = []
    for inputs in (784, 300, 300):
        layers += [nn.Linear(inputs, 300), nn.BatchNorm1d(300), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(300, 1), nn.Flatten(0))


def train(X: torch.Tensor, pairs: torch.Tensor, prior: float, seed: int) -> tuple[nn.Module, nn.Module, int]:
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
            else:
                value = likelihood(first, second)
            optimiser.zero_grad()
            value.backward()
            optimiser.step()
            teacher.update(student, buffers=not infers)

    def best_of(epochs: int, infers: bool) -> tuple[nn.Module, int]:
        optimiser = torch.optim.Adam(student.parameters(), lr=1e-3, weight_decay=1e-5)
        best, best_value, at = copy.deepcopy(teacher.network), float("inf"), 0
        for done in range(1, epochs + 1):
            epoch(optimiser, infers)
            value = judge(teacher.network)
            if value < best_value:
                best, best_value, at = copy.deepcopy(teacher.network), value, done
            if done >= at + PATIENCE:
                break
        return best, done

    warmed_up, done = best_of(WARM_UP, infers=False)
    student.load_state_dict(warmed_up.state_dict())
    teacher.network.load_state_dict(warmed_up.state_dict())
    final, more = best_of(EPOCHS - done, infers=True)
    return warmed_up, final, done + more


def run(rows: Rows, data: list[np.ndarray], prior: float, seed: int, native: bool) -> None:
    X, truth, new, new_truth = data
    drawn = generate(
        truth, PAIRS, prior=prior, protocol="discard", no_item_twice=True, random_state=seed
    ).pairs
    chosen = resampled(new_truth, prior, np.random.default_rng(seed))

    def accuracy(labels: np.ndarray) -> tuple[float, float]:
        return float((labels == new_truth[chosen]).mean()), float(labels.mean())

    if native and not rows.has(prior, "native", seed):
        started = time.perf_counter()
        model = ComparisonClassifier(
            prior=prior, protocol="discard", model="mlp", hidden=[300, 300, 300], hold_out=0.0, random_state=seed,
            threads=1,
        )  # fmt: skip
        labels = model.fit(X, drawn).predict(new[chosen])
        rows.add(prior, "native", seed, *accuracy(labels), "", model.n_iter_, time.perf_counter() - started)
    if not rows.has(prior, "torch", seed):
        started = time.perf_counter()
        warmed_up, final, epochs = train(torch.from_numpy(X), torch.from_numpy(drawn), prior, seed)
        seconds = time.perf_counter() - started
        tested = torch.from_numpy(new[chosen])
        with torch.no_grad():
            labels, before = ((model.eval()(tested) > 0).numpy() for model in (final, warmed_up))
        rows.add(prior, "torch", seed, *accuracy(labels), accuracy(before)[0], epochs, seconds)


def table(path: Path) -> None:
    found = list(Rows(path, COLUMNS, 3).read())
    print("| prior | native | torch | seeds |\n|---|---|---|---|")
    for prior in sorted({row[0] for row in found}):
        of = {name: [float(r[3]) for r in found if r[:2] == [prior, name]] for name in ("native", "torch")}
        seeds = f"{len(of['native'])}, {len(of['torch'])}"
        print(f"| {prior} | {cell(of['native'])} | {cell(of['torch'])} | {seeds} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--priors", type=float, nargs="+", default=[0.5])
    parser.add_argument("--native", action="store_true")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        table(given.out)
    else:
        torch.set_num_threads(1)
        loaded = [read(f"{part}-{kind}-ubyte") for part in ("train", "t10k") for kind in ("images-idx3", "labels-idx1")]
        results = Rows(given.out, COLUMNS, 3)
        for prior in given.priors:
            for seed in SEEDS:
                run(results, loaded, prior, seed, given.native)
