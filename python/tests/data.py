"""Two clouds of items, and comparisons between them."""

import numpy as np

from likelier import generate


def blobs(count=400, pairs=2000, prior=0.4, apart=1.0, seed=0):
    """Items of float32, their true labels, and pairs in which no answer repeats another."""
    rng = np.random.default_rng(seed)
    truth = rng.random(count) < prior
    X = (rng.normal(size=(count, 3)) + apart * truth[:, None]).astype(np.float32)
    drawn = generate(truth, pairs, random_state=seed).pairs
    _, first = np.unique(np.sort(drawn, axis=1), axis=0, return_index=True)
    return X, truth, drawn[np.sort(first)]
