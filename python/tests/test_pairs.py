"""The algebra of pairs that the Python faces share, against draws and against other implementations."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn.linear_model import LogisticRegression
from test_from_comparisons import CELLS, answers

from likelier._pairs_data import Comparisons
from likelier._pairs_link import Link, calibrate_piles
from likelier._pairs_protocol import Collection, level_for_mean, sigmoid


@pytest.mark.parametrize(("protocol", "error"), CELLS)
@pytest.mark.parametrize("prior", [0.2, 0.8])
def test_the_pile_probability_is_inverted(protocol: str, error: float, prior: float) -> None:
    collection = Collection(prior, protocol, error)
    p = np.linspace(0.0, 1.0, 11)
    # The densities of the two piles at a point, relative to the population, from the labels in them.
    piles = [share * p / prior + (1 - share) * (1 - p) / (1 - prior) for share in collection.mixture]
    np.testing.assert_allclose(collection.probability_from_pile(piles[0] / sum(piles)), p, atol=1e-12)
    if protocol == "forced-choice":
        eta = prior * error + (1 - prior) / 2 + p * (0.5 - error)
        np.testing.assert_allclose(piles[0] / sum(piles), eta, atol=1e-12)


@pytest.mark.parametrize(("protocol", "error"), CELLS)
def test_posterior_and_orientation_are_those_of_drawn_comparisons(protocol: str, error: float) -> None:
    rng = np.random.default_rng(1)
    p, q, count = 0.7, 0.4, 200_000
    labels = np.column_stack([rng.random(count) < p, rng.random(count) < q]).astype(int)
    collection = Collection(0.5, protocol, error)
    accept = np.array(collection.acceptance)
    recorded = rng.random(count) < accept[1 - labels[:, 0], 1 - labels[:, 1]]
    turned = rng.random(count) < accept[1 - labels[:, 1], 1 - labels[:, 0]]
    z, other = np.log([p / (1 - p)]), np.log([q / (1 - q)])
    posterior = np.concatenate(collection.label_posterior(z, other))
    np.testing.assert_allclose(posterior, labels[recorded].mean(axis=0), atol=0.006)
    share = recorded.sum() / (recorded.sum() + turned.sum())
    assert abs(np.exp(collection.log_orientation(z, other)[0]) - share) < 0.006


@pytest.mark.parametrize(("protocol", "error"), CELLS)
def test_scale_and_level_are_found_again(protocol: str, error: float) -> None:
    rng = np.random.default_rng(2)
    scores = rng.normal(-1.0, 2.0, size=20_000)
    truth = (rng.random(20_000) < sigmoid(scores)).astype(int)
    pairs = Comparisons.read(answers(rng, truth, 60_000, protocol, error), 20_000)
    shrunk = sigmoid(0.5 * scores + 1.0)
    link, _ = Link(Collection(truth.mean(), protocol, error)).fitted(shrunk, pairs)
    assert abs(link.scale - 2.0) < 0.25, link
    assert np.abs(link.log_odds(shrunk) - scores).mean() < 0.3, link


def test_the_level_has_the_mean_it_is_asked_for() -> None:
    rng = np.random.default_rng(3)
    for centre in (-50.0, 0.0, 30.0):
        scores, weight = centre + 5.0 * rng.normal(size=100), rng.random(100)
        for mean in (0.01, 0.5, 0.9):
            level = level_for_mean(scores, weight, mean)
            assert abs(np.average(sigmoid(scores + level), weights=weight) - mean) < 1e-8


def test_calibration_of_the_piles_is_logistic_regression() -> None:
    rng = np.random.default_rng(4)
    z = rng.normal(size=4000)
    pile = rng.random(4000) < sigmoid(0.5 * z)
    slope, offset = calibrate_piles(sigmoid(z), pile.astype(float), (~pile).astype(float))
    equal = np.where(pile, 1 / pile.mean(), 1 / (~pile).mean())
    model = LogisticRegression(C=np.inf).fit(z[:, None], pile, sample_weight=equal)
    assert abs(slope - model.coef_[0, 0]) < 1e-3
    assert abs(offset - model.intercept_[0]) < 1e-3


def test_folds_keep_linked_items_together_and_split_large_groups() -> None:
    rng = np.random.RandomState(0)
    matched = Comparisons.read(np.arange(400).reshape(200, 2), 400)
    folds = matched.folds(5, rng)
    assert (folds[::2] == folds[1::2]).all()
    assert sorted(np.bincount(folds)) == [80] * 5
    chain = Comparisons.read(np.column_stack([np.arange(99), np.arange(1, 100)]), 120)
    folds = chain.folds(5, rng)
    assert (folds[100:] == -1).all()
    assert sorted(np.bincount(folds[:100])) == [20] * 5
