"""Pieces of `likelier.torch`: means, evidence of a pair, rank pruning, the cut at the prior."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from ._pairs_protocol import Collection

Pair = tuple[Tensor, Tensor]


def choose(what: str, given: str, allowed: tuple[str, ...]) -> None:
    """Refuses a name that is not in the list."""
    if given not in allowed:
        raise ValueError(f"unknown {what} {given!r}: use one of {', '.join(allowed)}")


def check_scores(likelier: Tensor, other: Tensor, aligned: bool) -> None:
    """Refuses scores of the wrong shape."""
    for scores in (likelier, other):
        if scores.dim() != 1:
            raise ValueError(f"scores must have one dimension, got shape {tuple(scores.shape)}")
    if aligned and len(likelier) != len(other):
        raise ValueError(f"{len(likelier)} likelier items but {len(other)} other items")


def check_aligned(what: str, given: Pair | None, likelier: Tensor, other: Tensor) -> None:
    """Refuses a pair of tensors that does not go with the scores, which would be broadcast in silence."""
    if given is not None and (given[0].shape != likelier.shape or given[1].shape != other.shape):
        shapes = [tuple(part.shape) for part in (*given, likelier, other)]
        raise ValueError(f"{what} have shapes {shapes[0]} and {shapes[1]}, the scores {shapes[2]} and {shapes[3]}")


def weighted_mean(values: Tensor, weight: Tensor | None) -> Tensor:
    """The mean; 0 where there is nothing to average."""
    if values.numel() == 0:
        return values.sum()
    if weight is None:
        return values.mean()
    weight = weight.to(values.dtype)
    return (values * weight).sum() / weight.sum().clamp_min(torch.finfo(values.dtype).tiny)


def label_cells(collection: Collection, likelier: Tensor, other: Tensor) -> tuple[Tensor, list[tuple[bool, bool]]]:
    """ln P(y)P(y')w(y, y') of each pair of labels that can occur, up to a term that both orders share."""
    cells, labels = [], []
    for positive, row in zip((True, False), collection.acceptance, strict=True):
        for other_positive, accept in zip((True, False), row, strict=True):
            if accept > 0.0:
                exponent = torch.zeros_like(likelier)
                exponent = exponent + likelier if positive else exponent
                exponent = exponent + other if other_positive else exponent
                cells.append(exponent + math.log(accept))
                labels.append((positive, other_positive))
    return torch.stack(cells), labels


def log_likelihood(collection: Collection, likelier: Tensor, other: Tensor) -> Tensor:
    """ln L(p, p') from log-odds, up to a term that both orders share."""
    return torch.logsumexp(label_cells(collection, likelier, other)[0], dim=0)


def label_posterior(collection: Collection, likelier: Tensor, other: Tensor) -> Pair:
    """P(y = +1) of both items of each comparison: Bayes over the four pairs of labels."""
    cells, labels = label_cells(collection, likelier, other)
    shares = torch.softmax(cells, dim=0)
    first = [at for at, (positive, _) in enumerate(labels) if positive]
    second = [at for at, (_, positive) in enumerate(labels) if positive]
    return shares[first].sum(dim=0), shares[second].sum(dim=0)


@torch.no_grad()
def keep_agreeing(collection: Collection, likelier: Tensor, other: Tensor, weight: Tensor | None) -> Pair:
    """Marks the top of the likelier pile and the bottom of the other: as many as truly belong there."""
    likelier_share, other_share = collection.mixture
    return (
        keep_smallest(-likelier, likelier_share, weight),
        keep_smallest(other, 1.0 - other_share, weight),
    )


def keep_smallest(keys: Tensor, share: float, weight: Tensor | None) -> Tensor:
    """Marks the share of rows with the smallest keys; equal keys are taken in the order of the rows."""
    order = torch.argsort(keys, stable=True)
    kept = torch.zeros(len(keys), dtype=torch.bool, device=keys.device)
    if weight is None:
        kept[order[: math.floor(share * len(keys) + 0.5)]] = True
        return kept
    weight = weight.to(torch.float64)[order]
    # A row is kept when at least half of it lies inside the share, as counts are rounded.
    kept[order] = weight.cumsum(0) - 0.5 * weight <= share * weight.sum()
    return kept


@torch.no_grad()
def prior_quantile(collection: Collection, likelier: Tensor, other: Tensor, weight: Tensor | None) -> float:
    """The cut above which the population's share is closest to the prior, half-way between two scores."""
    scores = torch.cat([likelier, other]).to(torch.float64)
    if scores.numel() == 0:
        return 0.0
    each = torch.ones(len(likelier), dtype=torch.float64) if weight is None else weight.to(torch.float64)
    each = each.to(scores.device)
    if len(likelier) != len(other):
        raise ValueError(f"{len(likelier)} likelier items but {len(other)} other items")
    a, b = collection.population_weights
    total = each.sum().clamp_min(torch.finfo(torch.float64).tiny)
    shares = torch.cat([a * each, b * each]) / total
    scores, order = scores.sort(descending=True)
    above = shares[order].cumsum(0)
    below = torch.cat([scores[1:], scores[-1:] - 1.0])
    distance = (above - collection.prior).abs()
    # Equal scores cannot be parted.
    distance = torch.where(below < scores, distance, torch.inf)
    best = int(distance.argmin())
    if float(distance[best]) >= collection.prior:
        return float(scores[0])
    return float((below[best] + scores[best]) / 2.0)


@torch.no_grad()
def hold_level(collection: Collection, scores: Tensor, weight: Tensor | None, rows: float | None) -> Tensor:
    """The smallest shift that puts the mean probability within two standard errors of the piles' share."""
    scores = scores.detach()
    if scores.numel() == 0:
        return scores.new_zeros(())
    weight = torch.ones_like(scores) if weight is None else weight.to(scores.dtype)
    weight = weight / weight.sum()
    below, above = collection.tolerance(scores.numel() if rows is None else rows)

    def at(level: Tensor) -> Pair:
        probability = torch.sigmoid(scores + (collection.shift + level))
        return (weight * probability).sum(), (weight * probability * (1.0 - probability)).sum()

    start, slope = at(scores.new_zeros(()))
    goal = start.clamp(collection.pooled - below, collection.pooled + above)
    reach = scores.abs().max() + abs(collection.shift) + 40.0
    low, high = -reach, reach
    enough = max(1e-9, 4.0 * torch.finfo(scores.dtype).eps)
    level = (goal - start) / slope
    # Off the CPU a fixed number of steps, so that nothing has to be read back from the device.
    for _ in range(60):
        level = torch.where((level > low) & (level < high), level, (low + high) / 2.0)
        mean, slope = at(level)
        if scores.device.type == "cpu" and abs(float(mean - goal)) < enough:
            break
        low = torch.where(mean > goal, low, level)
        high = torch.where(mean > goal, level, high)
        level = level + (goal - mean) / slope
    level = torch.where((level >= low) & (level <= high), level, (low + high) / 2.0)
    # Inside already, or weights that are all 0: nothing to hold.
    return torch.where((goal == start) | start.isnan(), torch.zeros_like(level), level)
