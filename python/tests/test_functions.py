"""Functions over arrays."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from data import blobs

import likelier
from likelier import _native, assess, check, estimate_prior, generate, plan, risk

GOLDEN = Path(__file__).parents[2] / "crates/likelier/tests/golden/values.json"


def test_risks_and_gradients_are_the_golden_values():
    cases = [case for case in json.loads(GOLDEN.read_text())["risks"] if case["method"] in _native.stateless_methods()]
    assert {case["method"] for case in cases} == set(_native.stateless_methods())
    for case in cases:
        stated = {name: case[name] for name in ("prior", "protocol", "labeller_error", "method")}
        found = risk(np.float32(case["likelier"]), np.float32(case["other"]), **stated)
        assert found.value == pytest.approx(case["value"], abs=1e-6), stated
        np.testing.assert_allclose(found.grad_likelier, case["gradient"][0], atol=1e-6)
        np.testing.assert_allclose(found.grad_other, case["gradient"][1], atol=1e-6)


def test_a_gradient_is_the_slope_of_the_risk():
    rng = np.random.default_rng(0)
    up, down = rng.normal(size=(2, 50))
    at = risk(up, down, prior=0.3)
    step = 2**-6
    moved = up.copy()
    moved[7] += step
    back = up.copy()
    back[7] -= step
    slope = (risk(moved, down, prior=0.3).value - risk(back, down, prior=0.3).value) / (2 * step)
    assert slope == pytest.approx(at.grad_likelier[7], abs=1e-4)


def test_a_comparison_of_weight_2_counts_as_two():
    up, down = [0.5, -1.0], [0.25, 1.5]
    doubled = risk([0.5, -1.0, -1.0], [0.25, 1.5, 1.5], prior=0.3)
    assert risk(up, down, prior=0.3, weight=[1, 2]).value == pytest.approx(doubled.value)


@pytest.mark.parametrize("method", ["rank-pruning", "pcomp-teacher", "pair-posterior", "supervised"])
def test_a_method_with_state_has_no_risk_of_scores_alone(method):
    with pytest.raises(ValueError, match="needs scores alone"):
        risk([1.0], [0.0], prior=0.5, method=method)


def test_the_accuracy_of_any_scores_is_told_without_labels():
    X, truth, pairs = blobs(count=1000, pairs=6000)
    scores = X.sum(axis=1) - 1.5
    found = assess(scores, pairs, prior=0.4, protocol="forced-choice", equals="coin")
    accuracy = found.new_items.accuracy
    assert accuracy.low < ((scores > 0) == truth).mean() < accuracy.high
    assert found.judged_by == "given"
    assert found.new_items.ranges is None
    open_ = assess(scores, pairs, prior=0.4, protocol="forced-choice")
    assert open_.new_items.ranges.accuracy.low_end.value < accuracy.value
    assert open_.new_items.accuracy == accuracy
    assert "<td>" in open_._repr_html_()
    assert "with sampling error" in str(open_)


def test_generated_comparisons_are_those_of_the_protocol_and_of_the_seed():
    truth = np.arange(1000) < 300
    drawn = generate(truth, 5000, protocol="discard", random_state=3)
    likelier_, other = truth[drawn.pairs].T
    assert not (~likelier_ & other).any()
    assert drawn.shown > 5000
    again = generate(truth, 5000, protocol="discard", random_state=3)
    np.testing.assert_array_equal(drawn.pairs, again.pairs)
    assert generate(truth, 300, no_item_twice=True, protocol="discard").pairs.size == 600
    degrees = np.random.default_rng(0).random(1000)
    graded = generate(truth, 2000, degrees=degrees).pairs
    same = truth[graded[:, 0]] == truth[graded[:, 1]]
    assert (degrees[graded[same, 0]] > degrees[graded[same, 1]]).all()


def test_a_plan_and_its_answer_belong_together():
    rows = plan(prior=0.3, protocol="discard", half_width=0.05)
    assert [row.metric for row in rows][:2] == ["accuracy", "balanced_accuracy"]
    for row in rows:
        back = {one.metric: one for one in plan(prior=0.3, protocol="discard", comparisons=row.comparisons)}
        assert back[row.metric].half_width == pytest.approx(0.05, rel=0.01)
    with pytest.raises(ValueError, match="either"):
        plan(prior=0.3, protocol="discard")


def test_a_check_finds_out_that_pairs_were_dropped():
    X, truth, _ = blobs(count=2000, apart=2.0)
    pairs = generate(truth, 4000, protocol="discard").pairs
    found = check(X, pairs, protocol="forced-choice")
    assert not found.sound
    assert found.verdict == "discard"
    assert found.findings
    assert str(found).startswith("do not train")
    assert check(X, pairs, protocol="discard").sound


def test_the_prior_is_estimated_with_an_interval():
    X, truth, _ = blobs(count=4000, apart=4.0, prior=0.3)
    drawn = generate(truth, 8000, protocol="discard")
    found = estimate_prior(X, drawn.pairs, protocol="discard", kept_of_shown=(8000, drawn.shown))
    assert found.estimator is not None
    assert found.prior.low < truth.mean() < found.prior.high
    assert {one["estimator"] for one in found.details["estimates"]} >= {"kept-share", "best-bin"}


def test_everything_that_is_promised_is_there():
    for name in likelier.__all__:
        if name == "FromComparisons" and importlib.util.find_spec("sklearn") is None:
            with pytest.raises(ImportError, match="FromComparisons needs the package"):
                getattr(likelier, name)
        else:
            assert getattr(likelier, name) is not None
    assert set(dir(likelier)) == set(likelier.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = likelier.nothing
