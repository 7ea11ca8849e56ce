"""Losses on comparisons for PyTorch, in torch operations: they stay on the device and in autograd.

A loss needs the scores of the two piles, aligned where they are pairs, and nothing else; any network that
ends in one number per row can be trained with it.

    >>> import torch
    >>> from likelier.torch import PcompLoss
    >>> loss = PcompLoss("pcomp-relu", prior=0.5, protocol="discard")
    >>> scores = torch.tensor([2.0, -1.0, 0.5, -0.5], requires_grad=True)
    >>> value = loss(scores[:2], scores[2:])
    >>> value.backward()
    >>> round(value.item(), 4)
    0.4721

`PairPosterior` and `Teacher` are the parts of the library's own method, which infers the labels of each
pair from the scores of a moving average of the network. A training step with them:

    >>> from likelier.torch import PairPosterior, Teacher
    >>> network = torch.nn.Linear(3, 1)
    >>> teacher, posterior = Teacher(network), PairPosterior(prior=0.5, protocol="discard")
    >>> optimiser = torch.optim.Adam(network.parameters())
    >>> likelier, other = torch.randn(8, 3), torch.randn(8, 3)
    >>> with torch.no_grad():
    ...     targets = posterior.infer(teacher(likelier).squeeze(1), teacher(other).squeeze(1))
    >>> value = posterior.loss(network(likelier).squeeze(1), network(other).squeeze(1), targets)
    >>> optimiser.zero_grad()
    >>> value.backward()
    >>> optimiser.step()
    >>> teacher.update(network)

Before it, train for a few epochs with `PcompLoss("likelihood", …)` until held-out comparisons stop
improving: the pair posterior refines a scorer, it does not find one.
"""

from __future__ import annotations

import copy
from collections import deque
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from ._pairs_protocol import Collection, check_number
from ._pairs_torch import (
    Pair,
    check_aligned,
    check_scores,
    choose,
    hold_level,
    keep_agreeing,
    label_posterior,
    log_likelihood,
    prior_quantile,
    weighted_mean,
)

__all__ = ["METHODS", "PairPosterior", "PcompLoss", "Teacher"]

METHODS = (
    "pcomp-unbiased",
    "pcomp-relu",
    "pcomp-abs",
    "pcomp-teacher",
    "rank-pruning",
    "noisy-unbiased",
    "binary-biased",
    "rank-quantile",
    "likelihood",
    "pair-posterior",
    "supervised",
)
PAIRWISE = ("rank-quantile", "likelihood")
WITH_TARGETS = ("pair-posterior", "supervised")
PRUNING = ("rank-pruning", "pcomp-teacher")
RECENT_BATCHES = 8


class PcompLoss(nn.Module):
    """The risk that a method makes small, as a function of the scores of both piles.

    Called with the scores of the likelier and of the other items, two tensors of one dimension. Further arguments,
    each a pair of tensors aligned with them: `selected` (which rows count, for the pruning methods; `select`
    makes it), `teacher` (the teacher's scores, for "pcomp-teacher"), `targets` (the probability of +1, for
    "pair-posterior" and "supervised"); and `weight`, one tensor, how much each comparison counts.
    """

    def __init__(
        self,
        method: str,
        prior: float,
        protocol: str,
        *,
        labeller_error: float = 0.0,
        loss: str = "logistic",
        pruning_weights: str = "paper",
        consistency_weight: float = 1.0,
        sample_prior: float | None = None,
    ) -> None:
        super().__init__()
        choose("method", method, METHODS)
        choose("loss", loss, ("logistic", "squared", "sigmoid"))
        choose("pruning weights", pruning_weights, ("paper", "exact"))
        check_number("consistency weight", consistency_weight)
        self.method, self.loss = method, loss
        self.collection = Collection(prior, protocol, labeller_error)
        self.consistency_weight = consistency_weight
        self.shift = self.collection.shift if method == "pair-posterior" else 0.0
        self.table = self._table(pruning_weights, sample_prior)

    def _table(
        self, pruning_weights: str, sample_prior: float | None
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """Coefficients of the loss at +1 and at -1, for each pile; for targets, of each class."""
        collection = self.collection
        likelier, other = collection.mixture
        prior, pooled = collection.prior, collection.pooled
        if self.method == "supervised":
            sample = pooled if sample_prior is None else Collection(sample_prior, "discard").prior
            of_class = (prior / sample, (1.0 - prior) / (1.0 - sample))
            return of_class, of_class
        if self.method == "pair-posterior":
            return (1.0, 1.0), (1.0, 1.0)
        if self.method == "binary-biased":
            return (0.5, 0.0), (0.0, 0.5)
        if self.method == "noisy-unbiased":
            return collection.unbiased_table(pooled)
        if self.method in PRUNING:
            if pruning_weights == "exact":
                return (prior / likelier, 0.0), (0.0, (1.0 - prior) / (1.0 - other))
            flipped_positive = other / (likelier + other)
            flipped_negative = (1.0 - likelier) / (2.0 - likelier - other)
            return (1.0 / (1.0 - flipped_positive), 0.0), (0.0, 1.0 / (1.0 - flipped_negative))
        return collection.unbiased_table(prior)

    def forward(
        self,
        likelier: Tensor,
        other: Tensor,
        *,
        weight: Tensor | None = None,
        selected: Pair | None = None,
        teacher: Pair | None = None,
        targets: Pair | None = None,
    ) -> Tensor:
        """The risk of a batch."""
        check_scores(likelier, other, aligned=self.method in PAIRWISE or weight is not None)
        for what, given in (
            ("selection marks", selected),
            ("teacher scores", teacher),
            ("targets", targets),
        ):
            check_aligned(what, given, likelier, other)
        if self.method in PAIRWISE:
            return weighted_mean(self._of_pairs(likelier, other), weight)
        if self.method in WITH_TARGETS:
            if targets is None:
                raise ValueError(f"{self.method} needs targets: the probability that each row is positive")
            return self._of_targets(likelier, other, targets, weight)
        columns = [likelier.new_zeros(()), likelier.new_zeros(())]
        for pile, scores in enumerate((likelier, other)):
            for column, values in enumerate(self._losses(scores)):
                coefficient = self.table[pile][column]
                if coefficient != 0.0 and len(scores) > 0:
                    kept = values if selected is None else values * selected[pile].to(values.dtype)
                    columns[column] = columns[column] + coefficient * weighted_mean(kept, weight)
        value = self._corrected(columns[0]) + self._corrected(columns[1])
        if self.method == "pcomp-teacher":
            if teacher is None:
                raise ValueError("pcomp-teacher needs the teacher's scores of both piles")
            apart = torch.cat([likelier - teacher[0], other - teacher[1]]).square()
            both = None if weight is None else torch.cat([weight, weight])
            value = value + self.consistency_weight * weighted_mean(apart, both)
        return value

    def select(self, likelier: Tensor, other: Tensor, weight: Tensor | None = None) -> Pair:
        """Which rows rank pruning keeps: those whose pile agrees with their score."""
        return keep_agreeing(self.collection, likelier, other, weight)

    def threshold(self, likelier: Tensor, other: Tensor, weight: Tensor | None = None) -> float:
        """Where a score turns positive: 0, or the prior's quantile for a method that only orders."""
        if self.method not in PAIRWISE:
            return 0.0
        return prior_quantile(self.collection, likelier, other, weight)

    def _of_pairs(self, likelier: Tensor, other: Tensor) -> Tensor:
        if self.method == "rank-quantile":
            return functional.softplus(other - likelier)
        recorded = log_likelihood(self.collection, likelier, other)
        return functional.softplus(log_likelihood(self.collection, other, likelier) - recorded)

    def _of_targets(self, likelier: Tensor, other: Tensor, targets: Pair, weight: Tensor | None) -> Tensor:
        positive, negative = self._losses(torch.cat([likelier, other]) + self.shift)
        target = torch.cat([targets[0], targets[1]]).to(positive.dtype)
        of_positive, of_negative = self.table[0]
        both = None if weight is None else torch.cat([weight, weight])
        return weighted_mean(of_positive * target * positive + of_negative * (1.0 - target) * negative, both)

    def _losses(self, scores: Tensor) -> Pair:
        """The loss at +1 and at -1."""
        if self.loss == "squared":
            return 0.25 * (1.0 - scores).square(), 0.25 * (1.0 + scores).square()
        if self.loss == "sigmoid":
            return torch.sigmoid(-scores), torch.sigmoid(scores)
        return functional.softplus(-scores), functional.softplus(scores)

    def _corrected(self, column: Tensor) -> Tensor:
        if self.method == "pcomp-relu":
            return column.relu()
        return column.abs() if self.method == "pcomp-abs" else column


class PairPosterior:
    """What a comparison says of its two labels, its level held by the prior.

    `infer` is the E-step, from the scores of a teacher; `loss` the M-step. The scores of the last few
    batches are remembered, because they tell where the level is.
    """

    def __init__(self, prior: float, protocol: str, *, labeller_error: float = 0.0) -> None:
        self.collection = Collection(prior, protocol, labeller_error)
        self._loss = PcompLoss("pair-posterior", prior, protocol, labeller_error=labeller_error)
        self._recent: deque[Pair] = deque(maxlen=RECENT_BATCHES)

    @property
    def shift(self) -> float:
        """What turns log-odds in the population into log-odds in the piles."""
        return self.collection.shift

    @property
    def pooled(self) -> float:
        """The share of positives in both piles together."""
        return self.collection.pooled

    def level(self, scores: Tensor, weight: Tensor | None = None, rows: float | None = None) -> Tensor:
        """The smallest shift of these scores that puts their mean probability in the piles near its share.

        Near is within two standard errors of a share among `rows` rows (as many as scores, unless told).
        """
        return hold_level(self.collection, scores, weight, rows)

    def targets(self, likelier: Tensor, other: Tensor, level: Tensor | float = 0.0) -> Pair:
        """P(y = +1) of the likelier and of the other items, from their log-odds and the level."""
        return label_posterior(self.collection, likelier + level, other + level)

    def infer(self, likelier: Tensor, other: Tensor, weight: Tensor | None = None) -> Pair:
        """The E-step of a batch, from the teacher's scores."""
        check_scores(likelier, other, aligned=True)
        scores = torch.cat([likelier, other]).detach()
        both = torch.ones_like(scores) if weight is None else torch.cat([weight, weight]).to(scores.dtype)
        self._recent.append((scores, both))
        recent, weights = (torch.cat(list(part)) for part in zip(*self._recent, strict=True))
        return self.targets(likelier.detach(), other.detach(), self.level(recent, weights))

    def loss(self, likelier: Tensor, other: Tensor, targets: Pair, weight: Tensor | None = None) -> Tensor:
        """The M-step: cross-entropy of the scores, shifted to the piles, to the inferred labels."""
        result: Tensor = self._loss(likelier, other, targets=targets, weight=weight)
        return result


class Teacher(nn.Module):
    """A moving average of a network: plain at first, with memory `smoothing` later."""

    def __init__(self, network: nn.Module, smoothing: float = 0.97) -> None:
        super().__init__()
        check_number("smoothing", smoothing)
        if not 0.0 <= smoothing < 1.0:
            raise ValueError(f"smoothing must lie in [0, 1), got {smoothing}")
        self.network = copy.deepcopy(network).requires_grad_(False)
        self.smoothing, self.steps = smoothing, 0

    def forward(self, *inputs: Any) -> Any:
        """The average's output."""
        return self.network(*inputs)

    @torch.no_grad()
    def update(self, network: nn.Module, *, buffers: bool = False) -> None:
        """Takes the network in after a step; `buffers` too when the teacher makes no pass of its own."""
        self.steps += 1
        keep = min(1.0 - 1.0 / (self.steps + 1.0), self.smoothing)
        pairs: list[Pair] = list(zip(self.network.parameters(), network.parameters(), strict=True))
        if buffers:
            pairs += list(zip(self.network.buffers(), network.buffers(), strict=True))
        for own, new in pairs:
            if own.is_floating_point():
                own.mul_(keep).add_(new.detach(), alpha=1.0 - keep)
            else:
                own.copy_(new)
