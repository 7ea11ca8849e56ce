"""`likelier.risk` beside the same formula in NumPy and PyTorch, taking turns on 1,000,000 scores.

    target/python/bin/python bench/risk.py

It prints the least CPU time of 30 turns each, on one thread, and stops if the three disagree.
"""

import time

import likelier
import numpy as np
import torch

PRIOR = 0.3
torch.set_num_threads(1)


def table(count):
    """Coefficients of the losses at +1 and at -1, for likelier and other scores, under forced choice."""
    share = [PRIOR + PRIOR * (1 - PRIOR), PRIOR - PRIOR * (1 - PRIOR)]
    contrast = (share[0] - share[1]) * count
    positive = [PRIOR * (1 - share[1]) / contrast, -PRIOR * (1 - share[0]) / contrast]
    negative = [-(1 - PRIOR) * share[1] / contrast, (1 - PRIOR) * share[0] / contrast]
    return positive, negative


def in_numpy(likelier_scores, other_scores):
    scores = [one.astype(np.float64) for one in (likelier_scores, other_scores)]
    positive, negative = table(len(scores[0]))
    losses = [np.logaddexp(0, -one) for one in scores]
    columns = [
        sum(c * loss.sum() for c, loss in zip(positive, losses, strict=True)),
        sum(c * (loss + one).sum() for c, loss, one in zip(negative, losses, scores, strict=True)),
    ]
    slopes = [float(column > 0) for column in columns]
    calls = [1 / (1 + np.exp(-one)) for one in scores]
    gradients = [
        (slopes[0] * p * (call - 1) + slopes[1] * n * call).astype(np.float32)
        for p, n, call in zip(positive, negative, calls, strict=True)
    ]
    return sum(max(column, 0) for column in columns), *gradients


def in_torch(likelier_scores, other_scores):
    scores = [torch.from_numpy(one).double().requires_grad_() for one in (likelier_scores, other_scores)]
    positive, negative = table(len(likelier_scores))
    up = sum(c * torch.nn.functional.softplus(-one).sum() for c, one in zip(positive, scores, strict=True))
    down = sum(c * torch.nn.functional.softplus(one).sum() for c, one in zip(negative, scores, strict=True))
    value = torch.relu(up) + torch.relu(down)
    value.backward()
    return value.item(), *(one.grad.float().numpy() for one in scores)


def main():
    likelier_scores, other_scores = np.random.default_rng(0).normal(size=(2, 500_000)).astype(np.float32)
    ways = {
        "likelier": lambda: likelier.risk(likelier_scores, other_scores, prior=PRIOR),
        "NumPy": lambda: in_numpy(likelier_scores, other_scores),
        "PyTorch": lambda: in_torch(likelier_scores, other_scores),
    }
    expected = ways["likelier"]()
    least = dict.fromkeys(ways, np.inf)
    for _turn in range(30):
        for name, way in ways.items():
            start = time.process_time()
            value, up, _ = way()
            least[name] = min(least[name], time.process_time() - start)
            assert abs(value - expected.value) < 1e-6, (name, value)
            np.testing.assert_allclose(up, expected.grad_likelier, atol=1e-9, err_msg=name)
    for name, seconds in least.items():
        print(f"{name:<9} {1000 * seconds:6.2f} ms   {seconds / least['likelier']:.1f} times")


if __name__ == "__main__":
    main()
