"""Values for replies with ties, and for tables of several piles, by NumPy alone: replies.json.

    python crates/likelier/tests/golden/replies.py > crates/likelier/tests/golden/replies.json
    python crates/likelier/tests/golden/replies.py --check crates/likelier/tests/golden/replies.json

Nothing here follows the formulas of the library. Probabilities are counted over the two labels of a pair and over what
a person then does; tables of least variance come from a constrained least-squares problem solved as a linear system.
"""

import itertools
import math

import numpy as np
from compare import finish


def outcomes(first: int, second: int, kept: str, error: float, same: float, mixed: float) -> dict[str, float]:
    """What a person says of a pair with these labels (1 is positive), step by step."""
    found = {"first": 0.0, "second": 0.0, "tie": 0.0, "dropped": 0.0}
    tied = same if first == second else mixed
    found["tie"] += tied
    if first == second:
        orders = {"first": 1.0} if kept == "discard" else {"first": 0.5, "second": 0.5}
    else:
        right, wrong = ("first", "second") if first > second else ("second", "first")
        orders = {right: 1 - error, wrong: error}
    for order, share in orders.items():
        name = "dropped" if kept == "discard" and order == "second" else order
        found[name] += (1 - tied) * share
    return found


def leaned(first: int, second: int, left_first: bool, leaning: float, **looking: float) -> dict[str, float]:
    """The same of somebody who now and then picks what stands on a side, whatever it is."""
    side = "left" if leaning > 0 else "right"
    picked = "first" if (side == "left") == left_first else "second"
    found = {
        name: (1 - abs(leaning)) * share
        for name, share in outcomes(first, second, "forced-choice", **looking).items()
    }
    found[picked] += abs(leaning)
    return found


def table(shares: np.ndarray, sizes: np.ndarray, prior: float) -> np.ndarray:
    """Least sum of c²/size subject to the shares' equations, by Lagrange multipliers."""
    count = len(shares)
    columns = []
    for wanted in ([prior, 0.0], [0.0, 1 - prior]):
        m = np.stack([shares, 1 - shares], axis=1)
        system = np.block([[np.diag(2 / sizes), m], [m.T, np.zeros((2, 2))]])
        columns.append(np.linalg.solve(system, np.concatenate([np.zeros(count), wanted]))[:count])
    return np.stack(columns, axis=1)


def risk(rows: np.ndarray, z: np.ndarray) -> float:
    """The logistic risk of rows with a coefficient pair each, as a mean over all; its two columns are cut at 0."""
    losses = np.stack([np.logaddexp(0, -z), np.logaddexp(0, z)], axis=1)
    return float(np.maximum((rows * losses).mean(axis=0), 0).sum())


def alike(_path: str, old: float, new: float) -> bool:
    return abs(old - new) <= 1e-7 * max(1, abs(old))


def main() -> None:
    rng = np.random.default_rng(7)
    models, tables, posteriors, risks = [], [], [], []
    for kept, error, same, mixed, prior in itertools.product(
        ("discard", "forced-choice"), (0.0, 0.15), (0.0, 0.5), (0.0, 0.2), (0.2, 0.5)
    ):
        joint = {}
        for a, b in itertools.product((1, 0), (1, 0)):
            weight = (prior if a else 1 - prior) * (prior if b else 1 - prior)
            for name, share in outcomes(a, b, kept, error, same, mixed).items():
                joint.setdefault(name, np.zeros((2, 2)))[1 - a, 1 - b] = weight * share
        case = {
            "protocol": kept,
            "error": error,
            "same": same,
            "mixed": mixed,
            "prior": prior,
        }
        models.append({**case, "joint": {name: cells.tolist() for name, cells in joint.items()}})
        z = rng.normal(0, 2, 2)
        p = 1 / (1 + np.exp(-z))
        for name in ("first", "tie"):
            cells = np.array([[outcomes(a, b, kept, error, same, mixed)[name] for b in (1, 0)] for a in (1, 0)])
            cells = cells * np.outer([p[0], 1 - p[0]], [p[1], 1 - p[1]])
            if cells.sum() > 0:
                posteriors.append(
                    {
                        **case,
                        "reply": name,
                        "scores": z.tolist(),
                        "joint": (cells / cells.sum()).tolist(),
                    }
                )
    leanings = []
    for error, (same, mixed), leaning, first in itertools.product(
        (0.0, 0.15), ((0.0, 0.0), (0.5, 0.2)), (0.3, -0.3, 0.8), ("left", "right")
    ):
        rates = {"error": error, "same": same, "mixed": mixed}
        acceptance = {
            name: [[leaned(a, b, first == "left", leaning, **rates)[name] for b in (1, 0)] for a in (1, 0)]
            for name in ("first", "second", "tie")
        }
        leanings.append({**rates, "leaning": leaning, "first": first, "acceptance": acceptance})
    for count, prior in itertools.product((2, 3, 4, 5), (0.2, 0.5, 0.7)):
        shares, sizes = rng.uniform(0, 1, count), rng.uniform(10, 500, count)
        found = table(shares, sizes, prior)
        tables.append(
            {
                "prior": prior,
                "shares": shares.tolist(),
                "sizes": sizes.tolist(),
                "table": found.tolist(),
            }
        )
        # Rows of these piles, and the slope of their risk as a difference of values.
        pile = np.concatenate([np.arange(count), rng.integers(0, count, 6)])
        scores = rng.normal(0, 1.5, len(pile)).astype(np.float32).astype(float)
        rows = (found * (sizes.sum() / sizes)[:, None])[pile].astype(np.float32).astype(float)
        step = 1e-5
        slopes = [
            (risk(rows, scores + step * e) - risk(rows, scores - step * e)) / (2 * step) for e in np.eye(len(scores))
        ]
        risks.append(
            {
                "coefficients": rows.tolist(),
                "scores": scores.tolist(),
                "risk": risk(rows, scores),
                "slopes": slopes,
            }
        )
    assert all(math.isclose(sum(np.sum(c) for c in m["joint"].values()), 1) for m in models)
    result = {"models": models, "posteriors": posteriors, "leanings": leanings, "tables": tables, "risks": risks}
    finish(result, alike, f"{len(models)} models of replies and {len(tables)} tables")


if __name__ == "__main__":
    main()
