"""Golden values for tests/estimates.rs: label-free metrics and their intervals, by brute force.

Nothing here is shared with the Rust code. Every sum runs over all pairs: of comparisons for variances, of
scores for the AUC. The interval of a share is drawn from the comparisons plus one success and one failure in
each pile, spread evenly over the four outcomes (Agresti and Min).

    python crates/likelier/tests/golden/estimates.py > crates/likelier/tests/golden/estimates.json
    python crates/likelier/tests/golden/estimates.py --check crates/likelier/tests/golden/estimates.json
"""


import numpy as np
from compare import finish

Z = 1.959963984540054
state = 20210719


def unit():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return (state >> 40) / 2**24


def shares(protocol, pi, error):
    """θ₊ and θ₋ from the acceptance matrix."""
    same = 1.0 if protocol == "discard" else 0.5
    joint = np.outer([pi, 1 - pi], [pi, 1 - pi]) * np.array([[same, 1 - error], [error, same]])
    joint /= joint.sum()
    return joint[0].sum(), joint[:, 0].sum()


def dependence(case):
    """related[c][d]: how comparisons c and d enter the sum of products, leaving-out factors included."""
    n = len(case["likelier"])
    w = np.array(case["weights"])
    total = w.sum()
    items = case["items"]
    flat = [k for pair in items for k in pair]
    if len(set(flat)) == len(flat):
        scale = (n - 1) / n / (1 - w / total) ** 2
        return np.diag(scale), None, w / total
    m = len(set(flat))

    def scale(members):
        return (m - 1) / m / max(1 - w[members].sum() / total, 0.5) ** 2

    related = np.zeros((n, n))
    for item in set(flat):
        members = [c for c in range(n) if item in items[c]]
        related[np.ix_(members, members)] += scale(members)
    for dyad in {frozenset(pair) for pair in items}:
        members = [c for c in range(n) if set(items[c]) == dyad]
        related[np.ix_(members, members)] -= scale(members)
    plain = (n - 1) / n / (1 - w / total) ** 2
    return np.diag(plain), (related, m), w / total


def covariances(case, u, v):
    """Means, the covariance of independent comparisons, that of shared items, and the size."""
    plain, shared, p = dependence(case)
    values = np.stack([np.array(u), np.array(v)])
    means = values @ p
    deviations = (values - means[:, None]) * p
    size = 1 / (p**2).sum()
    cov_shared = None
    if shared is not None:
        related, m = shared
        cov_shared = sum(
            related[c, d] * np.outer(deviations[:, c], deviations[:, d])
            for c in range(len(p)) for d in range(len(p)) if related[c, d]
        )
        size = min(size, m)
    return means, deviations @ plain @ deviations.T, cov_shared, size


def smooth(means, cov, size):
    """Four more comparisons of weight ½, one of each outcome."""
    outcomes = np.array([[1, 1], [1, 0], [0, 1], [0, 0]], dtype=float)
    centre = (size * means + 0.5 * outcomes.sum(0)) / (size + 2)
    shift = means - centre
    added = 0.5 * sum(np.outer(o - centre, o - centre) for o in outcomes)
    return centre, (size**2 * cov + size * np.outer(shift, shift) + added) / (size + 2) ** 2


def pick(plain, shared, direction):
    if shared is not None and direction @ shared @ direction > 0.5 * (direction @ plain @ direction):
        return shared
    return plain


def affine(case, means, plain, shared, size, constant, weights):
    weights = np.array(weights)
    centre, plain = smooth(means, plain, size)
    if shared is not None:
        shared = smooth(means, shared, size)[1]
    variance = weights @ pick(plain, shared, weights) @ weights
    middle, half = constant + weights @ centre, Z * np.sqrt(variance)
    return [constant + weights @ means, middle - half, middle + half]


def ratio(means, plain, shared, size, top, bottom):
    """Fieller by a fine search: all r for which N − rD is within z standard errors of 0."""
    (c, w), (d, v) = [(x[0], np.array(x[1])) for x in (top, bottom)]
    value = (c + w @ means) / (d + v @ means)
    centre, plain = smooth(means, plain, size)
    if shared is not None:
        shared = smooth(means, shared, size)[1]
    cov = pick(plain, shared, w - value * v)

    def outside(r):
        along = w - r * v
        return (c - r * d + along @ centre) ** 2 - Z**2 * (along @ cov @ along)

    below = d + v @ centre
    if d + v @ means <= 0 or below <= 0 or below**2 <= Z**2 * (v @ cov @ v):
        return None  # the denominator cannot be told from 0: the range has no end
    inside = (c + w @ centre) / below

    def edge(step):
        near, far = inside, inside + step
        while outside(far) < 0:
            far += step
        for _ in range(200):
            middle = (near + far) / 2
            near, far = (middle, far) if outside(middle) < 0 else (near, middle)
        return near

    return [value, edge(-0.01), edge(0.01)]


def estimates(case):
    pi = case["prior"]
    t, o = shares(case["protocol"], pi, case["labeller_error"])
    delta = t - o
    x, y = np.array(case["likelier"]), np.array(case["other"])
    u, v = (x > case["threshold"]).astype(float), (y > case["threshold"]).astype(float)
    parts = covariances(case, u, v)
    tpr = np.array([(1 - o) / delta, -(1 - t) / delta])
    fpr = np.array([-o / delta, t / delta])
    called = pi * tpr + (1 - pi) * fpr
    result = {
        "true_positive_rate": affine(case, *parts, 0.0, tpr),
        "false_positive_rate": affine(case, *parts, 0.0, fpr),
        "accuracy": affine(case, *parts, 1 - pi, pi * tpr - (1 - pi) * fpr),
        "balanced_accuracy": affine(case, *parts, 0.5, (tpr - fpr) / 2),
        "called_positive": affine(case, *parts, 0.0, called),
        "precision": ratio(*parts, (0.0, pi * tpr), (0.0, called)),
        "f1": ratio(*parts, (0.0, 2 * pi * tpr), (pi, called)),
    }
    # All cross-pile pairs, and the projections of the statistic on each score.
    p = np.array(case["weights"]) / np.sum(case["weights"])
    kernel = (x[:, None] > y[None, :]) + 0.5 * (x[:, None] == y[None, :])
    means, plain, shared, size = covariances(case, kernel @ p, p @ kernel)
    exceeds = p @ kernel @ p
    one = np.ones(2)

    def only(cov):
        return None if cov is None else np.array([[one @ cov @ one, 0.0], [0.0, 0.0]])

    result["auc"] = affine(
        case, np.array([exceeds, 0.5]), only(plain), only(shared), size, 0.5 - 0.5 / delta, [1 / delta, 0.0]
    )
    return {key: value and [float(number) for number in value] for key, value in result.items()}


def cases():
    made = []
    for protocol, error in (("discard", 0.0), ("forced-choice", 0.1)):
        for pi in (0.2, 0.5, 0.8):
            for reuse in ("none", "some", "much"):
                n = 24
                weights = [1.0 if reuse == "none" and pi == 0.5 else 0.5 + round(unit() * 8) / 8 for _ in range(n)]
                if reuse == "none":
                    items = [[2 * c, 2 * c + 1] for c in range(n)]
                    scores = [round(unit() * 32) / 8 - 2 for _ in range(2 * n)]
                else:
                    pool = 30 if reuse == "some" else 7
                    scores = [round(unit() * 32) / 8 - 2 for _ in range(pool)]
                    items = []
                    while len(items) < n:
                        a, b = int(unit() * pool), int(unit() * pool)
                        if a != b:
                            items.append([a, b] if scores[a] + unit() > scores[b] else [b, a])
                case = {
                    "protocol": protocol, "labeller_error": error, "prior": pi, "threshold": -0.25,
                    "likelier": [scores[a] + (0.75 if reuse == "none" else 0) for a, _ in items],
                    "other": [scores[b] for _, b in items],
                    "items": items, "weights": weights,
                }
                made.append({**case, "estimates": estimates(case)})
    return made


def same(_path, old, new):
    return abs(old - new) <= 1e-9 * max(1, abs(old))


result = {"cases": cases()}
finish(result, same, f"{len(result['cases'])} sets of comparisons")
