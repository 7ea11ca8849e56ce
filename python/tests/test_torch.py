"""`likelier.torch` against the values that the Rust core is tested with, and against its own laws."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from likelier.torch import METHODS, PairPosterior, PcompLoss, Teacher  # noqa: E402

GOLDEN = Path(__file__).resolve().parents[2] / "crates/likelier/tests/golden/values.json"
CASES = json.loads(GOLDEN.read_text())["risks"]
PROTOCOLS = [("discard", 0.0), ("discard", 0.1), ("forced-choice", 0.0), ("forced-choice", 0.1)]


def tensor(values: Any) -> Any:
    return torch.tensor(values, dtype=torch.float64)


def pair(values: Any) -> Any:
    return tensor(values[0]), tensor(values[1])


def arguments(method: str, case: dict[str, Any]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    if method in ("rank-pruning", "pcomp-teacher"):
        given["selected"] = pair(case["selected"])
    if method == "pcomp-teacher":
        given["teacher"] = pair(case["teacher"])
    if method in ("pair-posterior", "supervised"):
        given["targets"] = pair(case["targets"])
    return given


def test_every_method_has_the_golden_value_and_gradient() -> None:
    seen = set()
    for case in CASES:
        method = case["method"]
        loss = PcompLoss(
            method,
            case["prior"],
            case["protocol"],
            labeller_error=case["labeller_error"],
            consistency_weight=10.0,
        )
        likelier, other = tensor(case["likelier"]).requires_grad_(), tensor(case["other"]).requires_grad_()
        value = loss(likelier, other, **arguments(method, case))
        assert abs(value.item() - case["value"]) < 1e-9, case
        value.backward()
        for scores, expected in zip((likelier, other), case["gradient"], strict=True):
            torch.testing.assert_close(scores.grad, tensor(expected), rtol=0, atol=1e-9)
        seen.add(method)
    assert seen == set(METHODS)


def test_targets_are_the_golden_posteriors() -> None:
    cases = [case for case in CASES if case["method"] == "pair-posterior"]
    assert len(cases) == 24
    for case in cases:
        posterior = PairPosterior(case["prior"], case["protocol"], labeller_error=case["labeller_error"])
        for ours, theirs in zip(posterior.targets(*pair(case["teacher"])), case["targets"], strict=True):
            torch.testing.assert_close(ours, tensor(theirs), rtol=0, atol=1e-9)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loss", ["logistic", "squared", "sigmoid"])
def test_gradcheck(method: str, loss: str) -> None:
    generator = torch.Generator().manual_seed(1)
    scores = [torch.randn(7, dtype=torch.float64, generator=generator).requires_grad_() for _ in range(2)]
    weight = torch.rand(7, dtype=torch.float64, generator=generator)
    case = {
        "selected": [[1, 0, 1, 1, 0, 1, 1]] * 2,
        "teacher": [[0.3] * 7] * 2,
        "targets": [[0.2, 0.4, 0.9, 0.1, 0.5, 0.6, 0.7]] * 2,
    }
    for protocol, error in PROTOCOLS:
        risk = PcompLoss(method, 0.3, protocol, labeller_error=error, loss=loss)
        given = arguments(method, case)
        assert torch.autograd.gradcheck(lambda a, b, risk=risk, given=given: risk(a, b, weight=weight, **given), scores)


def test_weights_count_rows() -> None:
    likelier, other = tensor([0.5, -1.0, 2.0]), tensor([0.0, 0.7, -0.3])
    repeated = torch.tensor([0, 1, 1, 2, 2, 2])
    for method in METHODS:
        case = {
            "selected": [[1, 0, 1]] * 2,
            "teacher": [[0.1, 0.2, 0.3]] * 2,
            "targets": [[0.2, 0.9, 0.4]] * 2,
        }
        given = arguments(method, case)
        risk = PcompLoss(method, 0.3, "forced-choice", labeller_error=0.1)
        weighted = risk(likelier, other, weight=tensor([1.0, 2.0, 3.0]), **given)
        many = {name: (parts[0][repeated], parts[1][repeated]) for name, parts in given.items()}
        counted = risk(likelier[repeated], other[repeated], **many)
        torch.testing.assert_close(weighted, counted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_far_scores_stay_finite(dtype: Any) -> None:
    far = torch.tensor([-1e4, 1e4, -1e4, 1e4, 0.0], dtype=dtype)
    other = torch.tensor([1e4, -1e4, -1e4, 1e4, 1e4], dtype=dtype)
    for protocol, error in PROTOCOLS:
        for targets in PairPosterior(0.2, protocol, labeller_error=error).targets(far, other):
            assert bool(((targets >= 0) & (targets <= 1)).all()), targets
        likelier = far.clone().requires_grad_()
        value = PcompLoss("likelihood", 0.2, protocol, labeller_error=error)(likelier, other)
        value.backward()
        assert bool(torch.isfinite(value))
        assert bool(torch.isfinite(likelier.grad).all())


@pytest.mark.parametrize(("protocol", "error"), PROTOCOLS)
@pytest.mark.parametrize("prior", [0.05, 0.2, 0.8])
def test_the_level_is_the_smallest_shift_that_holds_the_mean(protocol: str, error: float, prior: float) -> None:
    generator = torch.Generator().manual_seed(3)
    posterior = PairPosterior(prior, protocol, labeller_error=error)
    for away in (-20.0, -1.0, 0.0, 5.0):
        scores = 3.0 * torch.randn(200, dtype=torch.float64, generator=generator) + away
        weight = torch.rand(200, dtype=torch.float64, generator=generator)
        level = posterior.level(scores, weight)
        below, above = posterior.collection.tolerance(200)

        def mean(shift: Any, scores: Any = scores, weight: Any = weight) -> float:
            return float((weight * torch.sigmoid(scores + posterior.shift + shift)).sum() / weight.sum())

        low, high = posterior.pooled - below, posterior.pooled + above
        assert low - 1e-8 < mean(level) < high + 1e-8
        shrunk = 0.99 * level - 1e-4 * level.sign()
        assert float(level) == 0.0 or not low <= mean(shrunk) <= high


def test_the_level_of_nothing_is_zero() -> None:
    posterior = PairPosterior(0.3, "discard")
    assert float(posterior.level(tensor([]))) == 0.0
    assert float(posterior.level(tensor([1.0]), tensor([0.0]))) == 0.0


def test_infer_remembers_eight_batches() -> None:
    posterior = PairPosterior(0.3, "forced-choice")
    for batch in range(10):
        posterior.infer(tensor([float(batch)] * 4), tensor([0.0] * 4))
    scores = torch.cat([part for part, _ in posterior._recent])
    assert len(posterior._recent) == 8
    assert float(scores[0]) == 2.0
    level = posterior.level(scores)
    assert float(level) < -0.5, "scores far too high are brought down"


def test_the_teacher_is_a_plain_average_at_first_and_a_moving_one_later() -> None:
    network = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(network.weight)
    teacher = Teacher(network, smoothing=0.75)
    for new, expected in [(1.0, 0.5), (2.0, 1.0), (3.0, 1.5), (1.5, 1.5), (5.5, 2.5)]:
        torch.nn.init.constant_(network.weight, new)
        teacher.update(network)
        assert abs(float(teacher.network.weight) - expected) < 1e-6
    assert not teacher.network.weight.requires_grad
    assert network.weight.requires_grad


def test_the_teacher_averages_buffers_when_asked() -> None:
    network = torch.nn.BatchNorm1d(1)
    teacher = Teacher(network)
    network.running_mean.fill_(1.0)
    teacher.update(network)
    assert float(teacher.network.running_mean) == 0.0
    teacher.update(network, buffers=True)
    assert abs(float(teacher.network.running_mean) - 1.0 / 3.0) < 1e-6


def test_selection_keeps_what_belongs_and_ties_go_to_the_earlier_row() -> None:
    loss = PcompLoss("rank-pruning", 0.5, "forced-choice")  # three quarters of each pile
    likelier, other = loss.select(tensor([3.0, -1.0, 2.0, 0.0]), tensor([3.0, -1.0, 2.0, 0.0]))
    assert likelier.tolist() == [True, False, True, True]
    assert other.tolist() == [False, True, True, True]
    likelier, other = loss.select(tensor([1.0] * 4), tensor([1.0] * 4), tensor([1.0] * 4))
    assert likelier.tolist() == other.tolist() == [True, True, True, False]


def test_the_threshold_parts_scores_at_the_prior() -> None:
    loss = PcompLoss("likelihood", 0.5, "forced-choice")
    assert loss.threshold(tensor([4.0, 3.0]), tensor([1.0, 2.0])) == 2.5
    assert PcompLoss("pcomp-abs", 0.5, "discard").threshold(tensor([4.0]), tensor([1.0])) == 0.0


def test_wrong_use_is_told() -> None:
    with pytest.raises(ValueError, match="unknown method 'pcomp'"):
        PcompLoss("pcomp", 0.5, "discard")
    with pytest.raises(ValueError, match="unknown protocol"):
        PcompLoss("pcomp-abs", 0.5, "keep")
    with pytest.raises(ValueError, match=r"strictly between 0 and 1, got 1\.2"):
        PcompLoss("pcomp-abs", 1.2, "discard")
    with pytest.raises(ValueError, match="2 likelier items but 1 other"):
        PcompLoss("likelihood", 0.5, "discard")(tensor([1.0, 2.0]), tensor([1.0]))
    with pytest.raises(ValueError, match="one dimension"):
        PcompLoss("pcomp-abs", 0.5, "discard")(tensor([[1.0]]), tensor([[1.0]]))
    with pytest.raises(ValueError, match="needs targets"):
        PcompLoss("pair-posterior", 0.5, "discard")(tensor([1.0]), tensor([1.0]))
    column = tensor([[0.5], [0.5]])
    supervised = PcompLoss("supervised", 0.5, "discard")
    with pytest.raises(ValueError, match="targets have shapes"):
        supervised(tensor([1.0, 2.0]), tensor([1.0, 2.0]), targets=(column, column))


def test_a_network_learns_from_pairs() -> None:
    generator = torch.Generator().manual_seed(0)
    truth = torch.rand(1200, generator=generator) < 0.2
    rows = torch.randn(1200, 2, generator=generator) + 1.5 * truth[:, None] * torch.tensor([1.0, -1.0])
    first, second = torch.randperm(1200, generator=generator).view(2, -1)
    swap = torch.where(truth[first] == truth[second], torch.rand(600, generator=generator) < 0.5, truth[second])
    likelier, other = torch.where(swap, second, first), torch.where(swap, first, second)
    torch.manual_seed(0)
    network = torch.nn.Linear(2, 1)
    warm_up, posterior = PcompLoss("likelihood", 0.2, "forced-choice"), PairPosterior(0.2, "forced-choice")
    optimiser = torch.optim.Adam(network.parameters(), lr=0.05)

    def step(value: Any) -> None:
        optimiser.zero_grad()
        value.backward()
        optimiser.step()

    for _ in range(100):
        step(warm_up(network(rows[likelier]).squeeze(1), network(rows[other]).squeeze(1)))
    teacher = Teacher(network)
    for _ in range(150):
        with torch.no_grad():
            targets = posterior.infer(teacher(rows[likelier]).squeeze(1), teacher(rows[other]).squeeze(1))
        step(posterior.loss(network(rows[likelier]).squeeze(1), network(rows[other]).squeeze(1), targets))
        teacher.update(network)
    called = teacher(rows).squeeze(1) > 0
    accuracy = float((called == truth).double().mean())
    assert accuracy > 0.87, accuracy  # all negative: 0.8; the best possible: 0.91
    assert math.isclose(float(called.double().mean()), 0.2, abs_tol=0.06)
