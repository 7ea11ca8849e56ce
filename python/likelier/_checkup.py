"""Whether answers are what they are said to be, and the share of positives that they tell."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from . import _native
from ._answers import Noted, answers_of
from ._assessment import Interval, interval_of
from ._items import items_of
from ._progress import Shown
from ._seed import RandomState, seed_of
from ._stated import belief, flag, optional_whole, text


@dataclass(frozen=True)
class Finding:
    """Something that was found in the answers."""

    severity: str
    message: str


@dataclass(frozen=True)
class Checkup:
    """What was found in the answers.

    ``details`` has every number, as ``likelier check --json`` prints them.
    """

    #: Whether nothing speaks against training on these answers as stated.
    sound: bool
    #: How pairs were collected, by the looks of them: discard, forced-choice, neither or unknown.
    verdict: str
    findings: tuple[Finding, ...]
    details: dict[str, Any]

    def __str__(self) -> str:
        said = "nothing speaks against training on these answers" if self.sound else "do not train on these answers yet"
        return "\n".join([said, *(f"- {finding.severity}: {finding.message}" for finding in self.findings)])


@dataclass(frozen=True)
class PriorReport:
    """The share of positives, as comparisons tell it.

    ``details`` has what each estimator says, as ``likelier prior --json`` prints it.
    """

    prior: Interval
    #: Who estimated it; None where the comparisons do not tell, and ``prior`` is all that it may be.
    estimator: str | None
    reasons: tuple[str, ...]
    details: dict[str, Any]

    def __str__(self) -> str:
        if self.estimator is None:
            return "\n".join(["the share of positives is not known from these comparisons", *self.reasons])
        return f"share of positives {self.prior}, by {self.estimator}"


def check(
    X: Any,
    pairs: ArrayLike,
    *,
    prior: float | None = None,
    protocol: str | None = None,
    labeller_error: float = 0.0,
    model: str = "linear",
    ids: ArrayLike | None = None,
    tie: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    annotator: Noted | None = None,
    side: Noted | None = None,
    time: Noted | None = None,
    group: Noted | None = None,
    propensity: Noted | None = None,
    random_state: RandomState = 0,
    threads: int | None = None,
    progress: bool = False,
) -> Checkup:
    """Looks for what is wrong with answers, before a model is trained on them.

    What was noted with each answer is as in ``ComparisonClassifier.fit``. With ``annotator``, ``side`` and ``time`` it
    also looks at people: who errs, copies others, leans to one side, or answers too fast.

    >>> import numpy as np
    >>> from likelier import check, generate
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(800) < 0.5
    >>> X = rng.normal(size=(800, 2)) + 2 * truth[:, None]
    >>> pairs = generate(truth, 2000, protocol="discard").pairs
    >>> check(X, pairs, protocol="forced-choice").verdict
    'discard'
    """
    believed = belief(prior=prior, protocol=protocol, labeller_error=labeller_error)
    scorer = _scorer(model, random_state, False, threads)
    items = items_of(X, ids)
    given = answers_of(
        pairs,
        items.count,
        items.ids,
        tie=tie,
        weight=weight,
        annotator=annotator,
        side=side,
        time=time,
        group=group,
        propensity=propensity,
    )
    with Shown(progress) as shown:
        told = json.loads(_native.check(items.native, given, believed, scorer, shown))
    findings = tuple(Finding(one["severity"], one["message"]) for one in told["findings"])
    return Checkup(told["sound"], told["protocol"]["verdict"], findings, told)


def estimate_prior(
    X: Any,
    pairs: ArrayLike,
    *,
    protocol: str,
    labeller_error: float = 0.0,
    kept_of_shown: tuple[int, int] | None = None,
    pool: bool = False,
    model: str = "linear",
    ids: ArrayLike | None = None,
    tie: ArrayLike | None = None,
    weight: ArrayLike | None = None,
    propensity: Noted | None = None,
    random_state: RandomState = 0,
    threads: int | None = None,
    progress: bool = False,
) -> PriorReport:
    """Estimates the share of positives in the population from comparisons, by every way that the data allow.

    ``kept_of_shown`` is how many pairs were kept and how many were shown. ``pool`` says that X has all items that
    pairs were drawn from.

    >>> import numpy as np
    >>> from likelier import estimate_prior, generate
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.random(2000) < 0.3
    >>> X = rng.normal(size=(2000, 2)) + 4 * truth[:, None]
    >>> drawn = generate(truth, 8000, protocol="discard")
    >>> found = estimate_prior(X, drawn.pairs, protocol="discard", kept_of_shown=(8000, drawn.shown))
    >>> print(f"{found.prior:.2f}, truly {truth.mean():.2f}")
    0.31 (0.29 to 0.33), truly 0.30
    """
    believed = belief(prior=None, protocol=protocol, labeller_error=labeller_error, kept_of_shown=kept_of_shown)
    scorer = _scorer(model, random_state, pool, threads)
    items = items_of(X, ids)
    given = answers_of(pairs, items.count, items.ids, tie=tie, weight=weight, propensity=propensity)
    with Shown(progress) as shown:
        told = json.loads(_native.estimate_prior(items.native, given, believed, scorer, shown))
    prior = interval_of(told["prior"])
    assert prior is not None
    return PriorReport(prior, told["recommended"], tuple(told["reasons"]), told)


def _scorer(model: str, random_state: RandomState, pool: bool, threads: int | None) -> dict[str, Any]:
    return {
        "model": text("model", model),
        "seed": seed_of(random_state),
        "pool": flag("pool", pool),
        "threads": optional_whole("threads", threads),
    }
