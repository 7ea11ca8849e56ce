"""Functions over arrays: risks, judgements, generated comparisons, plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _native
from ._answers import Noted, answers_of, scores_of
from ._assessment import Assessment, assessment_of
from ._seed import RandomState, seed_of
from ._stated import belief, flag, optional_real, optional_whole, real, text, whole
from ._warnings import warn


class Risk(NamedTuple):
    """A risk, and its derivative by each score."""

    value: float
    grad_likelier: NDArray[np.float32]
    grad_other: NDArray[np.float32]


def risk(
    likelier_scores: ArrayLike,
    other_scores: ArrayLike,
    *,
    prior: float,
    protocol: str = "forced-choice",
    labeller_error: float = 0.0,
    method: str = "pcomp-relu",
    weight: ArrayLike | None = None,
) -> Risk:
    """The risk of the scores of likelier and other items, for a model of your own.

    Arrays of float32 are read where they lie. ``method`` is one whose risk needs scores alone: pcomp-unbiased,
    pcomp-relu, pcomp-abs, noisy-unbiased, binary-biased, rank-quantile or likelihood. ``weight`` says how much each
    comparison counts.

    >>> from likelier import risk
    >>> value, up, down = risk([1.0, 2.0], [-1.0, 0.5], prior=0.3)
    >>> print(f"{value:.4f}", up, down)
    0.2891 [-0.05482939 -0.06605978] [0.1143001 0.2645452]
    """
    scores = [scores_of(likelier_scores, "likelier_scores"), scores_of(other_scores, "other_scores")]
    weights = None if weight is None else [scores_of(weight, "weight")] * 2
    stated = (real("prior", prior), text("protocol", protocol), real("labeller_error", labeller_error))
    return Risk(*_native.risk(scores[0], scores[1], *stated, text("method", method), weights))


def assess(
    scores: ArrayLike,
    pairs: ArrayLike,
    *,
    prior: float,
    protocol: str,
    labeller_error: float = 0.0,
    equals: str = "unknown",
    labeller_error_at_most: float | None = None,
    threshold: float = 0.0,
    ids: Sequence[Any] | None = None,
    tie: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    group: Noted | None = None,
    propensity: Noted | None = None,
) -> Assessment:
    """How good scores are that any model gave to items, by comparisons between these items, without labels.

    A score above ``threshold`` is called positive. The numbers are about new items only if the model was not
    trained on these items.

    >>> import numpy as np
    >>> from likelier import assess, generate
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(1000) < 0.5
    >>> scores = truth - 0.5 + rng.normal(size=1000) / 2
    >>> found = assess(scores, generate(truth, 4000).pairs, prior=0.5, protocol="forced-choice", equals="coin")
    >>> print(f"{found.new_items.accuracy:.2f}, truly {((scores > 0) == truth).mean():.2f}")
    0.82 (0.79 to 0.85), truly 0.83
    """
    array = scores_of(scores, "scores")
    given = answers_of(pairs, len(array), ids, tie=tie, weight=weight, group=group, propensity=propensity)
    believed = belief(
        prior=prior,
        protocol=protocol,
        labeller_error=labeller_error,
        equals=equals,
        labeller_error_at_most=labeller_error_at_most,
    )
    told, warned = _native.assess(array, real("threshold", threshold), given, believed)
    warn(warned)
    return assessment_of(told)


class Comparisons(NamedTuple):
    """Comparisons that were generated."""

    #: The rows of the likelier and of the other item.
    pairs: NDArray[np.int64]
    #: How many pairs were shown; some protocols drop some. None where nobody was shown any.
    shown: int | None


def generate(
    labels: ArrayLike,
    pairs: int,
    *,
    prior: float | None = None,
    protocol: str = "forced-choice",
    labeller_error: float = 0.0,
    degrees: ArrayLike | None = None,
    no_item_twice: bool = False,
    random_state: RandomState = 0,
) -> Comparisons:
    """Comparisons between items whose labels are known, for demonstrations and tests.

    Two items of one class are ordered by ``degrees``, the higher first; by a coin if there are none. ``prior`` is
    the share of positives in the population that pairs are drawn from: that of the labels, unless it is given.

    >>> from likelier import generate
    >>> generate([True, False, False, True], 3).pairs
    array([[0, 3],
           [0, 3],
           [1, 2]])
    """
    truth = np.asarray(labels)
    if truth.ndim != 1 or not (truth.dtype.kind == "b" or np.isin(truth, (0, 1)).all()):
        raise ValueError("labels must be a list of True and False, or of 1 and 0")
    truth = truth.astype(np.bool_)
    wanted = {
        "pairs": whole("pairs", pairs),
        "prior": float(truth.mean()) if prior is None else real("prior", prior),
        "protocol": text("protocol", protocol),
        "labeller_error": real("labeller_error", labeller_error),
        "no_item_twice": flag("no_item_twice", no_item_twice),
        "seed": seed_of(random_state),
    }
    of = None if degrees is None else scores_of(degrees, "degrees")
    drawn, shown = _native.generate(truth, of, wanted)
    return Comparisons(drawn.reshape(-1, 2).astype(np.int64), shown)


class Precision(NamedTuple):
    """So many held-out comparisons tell a metric within ± ``half_width``, at 95 %."""

    metric: str
    comparisons: int
    half_width: float


def plan(
    *,
    prior: float,
    protocol: str,
    labeller_error: float = 0.0,
    accuracy: float = 0.9,
    half_width: float | None = None,
    comparisons: int | None = None,
) -> list[Precision]:
    """How many held-out comparisons are enough for a half-width, or which half-width so many give.

    >>> from likelier import plan
    >>> plan(prior=0.3, protocol="forced-choice", half_width=0.03)[0]
    Precision(metric='accuracy', comparisons=1327, half_width=0.03)
    """
    if (half_width is None) == (comparisons is None):
        raise ValueError("give either half_width or comparisons")
    rows = _native.plan(
        real("prior", prior),
        text("protocol", protocol),
        real("labeller_error", labeller_error),
        real("accuracy", accuracy),
        optional_real("half_width", half_width),
        optional_whole("comparisons", comparisons),
    )
    return [Precision(*row) for row in rows]
