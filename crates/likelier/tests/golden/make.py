"""Golden values for tests/golden.rs, from PyTorch's autograd in float64.

Nothing here is shared with the Rust code: every risk is written out from the paper's formulas, the
gradients are autograd's, and the optimiser is torch.optim's.

    python crates/likelier/tests/golden/make.py > crates/likelier/tests/golden/values.json
    python crates/likelier/tests/golden/make.py --check crates/likelier/tests/golden/values.json
"""

import math

import torch
from compare import finish

torch.set_default_dtype(torch.float64)
softplus = torch.nn.functional.softplus

# A small generator of our own, so that the inputs do not hang on a version of PyTorch.
state = 20210718


def unit():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 40) / 2**24


def numbers(count, low, high):
    # On a grid of 2^-12: exact in float32 and as decimal text.
    return [round((low + (high - low) * unit()) * 4096) / 4096 for _ in range(count)]


def plus(z):
    return softplus(-z)


def minus(z):
    return softplus(z)


def correct(kind, column):
    return {"none": lambda c: c, "relu": torch.relu, "abs": torch.abs}[kind](column)


def risk(method, z, zo, pi, extra):
    """A batch's risk, written from the paper (discard)."""
    pn = 1 - pi
    t = pi**2 + pn**2 + pi * pn
    rho_p, rho_n = pi / (1 + pi), pn / (1 + pn)
    if method in ("pcomp-unbiased", "pcomp-relu", "pcomp-abs"):
        kind = {"pcomp-unbiased": "none", "pcomp-relu": "relu", "pcomp-abs": "abs"}[method]
        first = plus(z).mean() - pn * plus(zo).mean()
        second = minus(zo).mean() - pi * minus(z).mean()
        return correct(kind, first) + correct(kind, second)
    if method == "binary-biased":
        return (plus(z).sum() + minus(zo).sum()) / (len(z) + len(zo))
    if method == "noisy-unbiased":
        d = 1 - rho_p - rho_n
        of_positive = ((1 - rho_n) * plus(z) - rho_p * minus(z)) / d
        of_negative = ((1 - rho_p) * minus(zo) - rho_n * plus(zo)) / d
        return (of_positive.sum() + of_negative.sum()) / (len(z) + len(zo))
    if method in ("rank-pruning", "pcomp-teacher"):
        keep, keep_other = extra["selected"]
        value = (plus(z) * keep).sum() / len(z) / (1 - rho_p)
        value = value + (minus(zo) * keep_other).sum() / len(zo) / (1 - rho_n)
        if method == "pcomp-teacher":
            f = torch.cat([z, zo])
            teacher = torch.cat(extra["teacher"])
            value = value + extra["consistency_weight"] * ((f - teacher) ** 2).mean()
        return value
    if method == "rank-quantile":
        return softplus(zo - z).mean()
    if method == "likelihood":
        p, q = torch.sigmoid(z), torch.sigmoid(zo)
        if extra["protocol"] == "discard":
            e = extra["labeller_error"]
            forward = p * q + (1 - e) * p * (1 - q) + e * (1 - p) * q + (1 - p) * (1 - q)
            backward = p * q + (1 - e) * q * (1 - p) + e * (1 - q) * p + (1 - p) * (1 - q)
            return -torch.log(forward / (forward + backward)).mean()
        return -torch.log(0.5 + (1 - 2 * extra["labeller_error"]) * (p - q) / 2).mean()
    if method == "pair-posterior":
        # The M-step: cross-entropy of the scores, shifted from the population to the piles, to the posterior.
        w = acceptance(extra["protocol"], extra["labeller_error"])
        kept = [[pi * pi * w[0][0], pi * pn * w[0][1]], [pn * pi * w[1][0], pn * pn * w[1][1]]]
        total = sum(map(sum, kept))
        pooled = (2 * kept[0][0] + kept[0][1] + kept[1][0]) / (2 * total)
        delta = math.log(pooled / (1 - pooled)) - math.log(pi / pn)
        f, target = torch.cat([z, zo]) + delta, torch.cat(extra["targets"])
        return torch.nn.functional.binary_cross_entropy_with_logits(f, target)
    if method == "supervised":
        pooled = pi * (1 + pi) / (2 * t)
        y, yo = extra["targets"]
        f, target = torch.cat([z, zo]), torch.cat([y, yo])
        weighted = target * pi / pooled * plus(f) + (1 - target) * pn / (1 - pooled) * minus(f)
        return weighted.mean()
    raise ValueError(method)


def acceptance(protocol, error):
    same = {"discard": 1.0, "forced-choice": 0.5}[protocol]
    return [[same, 1 - error], [error, same]]


def posterior(score, other, protocol, error):
    """P(y = +) and P(y' = +) of a recorded pair, by Bayes over the four pairs of labels."""
    w = acceptance(protocol, error)
    p, q = 1 / (1 + math.exp(-score)), 1 / (1 + math.exp(-other))
    joint = [[p * q * w[0][0], p * (1 - q) * w[0][1]], [(1 - p) * q * w[1][0], (1 - p) * (1 - q) * w[1][1]]]
    total = sum(map(sum, joint))
    return sum(joint[0]) / total, (joint[0][0] + joint[1][0]) / total


METHODS = [
    "pcomp-unbiased", "pcomp-relu", "pcomp-abs", "pcomp-teacher", "rank-pruning",
    "noisy-unbiased", "binary-biased", "rank-quantile", "likelihood", "pair-posterior", "supervised",
]


def tensor(values):
    return torch.tensor(values)


def risks():
    cases = []
    for pi in (0.2, 0.5, 0.8):
        for shift in (0.0, 3.0):  # the second batch has negative columns
            rows = 9
            likelier = numbers(rows, -3 + shift, 3 + shift)
            other = numbers(rows, -3 - shift, 3 - shift)
            teacher = [numbers(rows, -3, 3), numbers(rows, -3, 3)]
            selected = [[int(unit() < 0.7) for _ in range(rows)] for _ in range(2)]
            targets = [[int(unit() < 0.5) for _ in range(rows)] for _ in range(2)]
            for method in METHODS:
                protocols = [("discard", 0.0)]
                if method in ("likelihood", "pair-posterior"):
                    protocols += [("discard", 0.1), ("forced-choice", 0.0), ("forced-choice", 0.1)]
                for protocol, error in protocols:
                    known = targets
                    if method == "pair-posterior":
                        pairs = [posterior(s, o, protocol, error) for s, o in zip(*teacher)]
                        known = [list(side) for side in zip(*pairs)]
                    z = tensor(likelier).requires_grad_()
                    zo = tensor(other).requires_grad_()
                    extra = {
                        "protocol": protocol,
                        "labeller_error": error,
                        "selected": [tensor([float(k) for k in s]) for s in selected],
                        "targets": [tensor([float(k) for k in s]) for s in known],
                        "teacher": [tensor(s) for s in teacher],
                        "consistency_weight": 10.0,
                    }
                    value = risk(method, z, zo, pi, extra)
                    value.backward()
                    zero = [0.0] * rows
                    cases.append({
                        "method": method, "prior": pi, "protocol": protocol, "labeller_error": error,
                        "likelier": likelier, "other": other, "teacher": teacher,
                        "selected": selected, "targets": known,
                        "value": value.item(),
                        "gradient": [
                            z.grad.tolist() if z.grad is not None else zero,
                            zo.grad.tolist() if zo.grad is not None else zero,
                        ],
                    })
    return cases


def steps():
    """Ten optimiser steps of a linear model on a full batch of 12 pairs, in float32 as a user would."""
    cases = []
    width, pairs = 5, 12
    x = [numbers(width, -2, 2) for _ in range(pairs)]
    xo = [numbers(width, -2, 2) for _ in range(pairs)]
    weights, bias = numbers(width, -0.4, 0.4), numbers(1, -0.4, 0.4)
    for method in ("pcomp-unbiased", "pcomp-relu", "pcomp-abs", "rank-quantile", "likelihood"):
        for optimiser in ("adam", "adamw", "sgd"):
            w = tensor(weights).float().requires_grad_()
            b = tensor(bias).float().requires_grad_()
            kind = {"adam": torch.optim.Adam, "adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}[optimiser]
            momentum = {"momentum": 0.9} if optimiser == "sgd" else {}
            opt = kind([w, b], lr=0.05, weight_decay=0.1, **momentum)
            values = []
            for _ in range(10):
                opt.zero_grad()
                z = tensor(x).float() @ w + b
                zo = tensor(xo).float() @ w + b
                value = risk(method, z, zo, 0.3, {"protocol": "discard", "labeller_error": 0.0})
                value.backward()
                opt.step()
                values.append(value.item())
            cases.append({
                "method": method, "optimiser": optimiser, "prior": 0.3,
                "learning_rate": 0.05, "weight_decay": 0.1,
                "likelier": x, "other": xo, "weights": weights, "bias": bias[0],
                "values": values, "final_weights": w.tolist(), "final_bias": b.item(),
            })
    return cases


def same(path, old, new):
    """But for rounding, in float32 or float64."""
    return abs(old - new) <= (1e-6 if path.startswith("values.steps") else 1e-10)


result = {"torch": torch.__version__.split("+")[0], "risks": risks(), "steps": steps()}
assert all(math.isfinite(case["value"]) for case in result["risks"])
finish(result, same, f"{len(result['risks'])} risks and {len(result['steps'])} optimiser runs")
