"""Chosen pairs, labels that train, and how people answered: all as on the command line."""

import json

import numpy as np
import pytest
from data import blobs
from test_labels import FLAGS, STATED, labelled, write, write_labels
from test_parity import command

from likelier import ComparisonClassifier, Interval, PicksBySideWarning, assess, check, estimate_prior


def chosen(seed=1):
    """Items, answers, and how probable each pair was to be asked: items near the boundary came up more often."""
    X, truth, _ = blobs(count=300)
    rng = np.random.default_rng(seed)
    near = np.exp(-np.abs(X @ np.ones(X.shape[1]) - 1.0))
    uniform = 2 / (300 * 299)
    pairs, propensity = [], []
    for at in range(1500):
        preferred = at >= 300 and rng.random() < 0.7
        one, two = rng.choice(300, 2, replace=False, p=near / near.sum() if preferred else None)
        both = sum(near[a] / near.sum() * near[b] / (near.sum() - near[a]) for a, b in ((one, two), (two, one)))
        first = truth[one] > truth[two] or (truth[one] == truth[two] and rng.random() < 0.5)
        pairs.append((one, two) if first else (two, one))
        propensity.append(None if at < 300 else 0.3 * uniform + 0.7 * both)
    return X, truth, np.array(pairs), propensity


def written(propensity):
    return ["" if one is None else repr(float(one)) for one in propensity]


def test_propensities_say_what_they_say_on_the_command_line(tmp_path):
    X, _, pairs, propensity = chosen()
    files = write(tmp_path, X, pairs, propensity=written(propensity))
    model = ComparisonClassifier(**STATED).fit(X, pairs, propensity=propensity)
    said = command("train", *files, *FLAGS, "--json", "--no-report", "--out", tmp_path / "m")
    told = json.loads(said)["result"]
    assert model.classifier_.to_bytes() == (tmp_path / "m").read_bytes()
    assert vars(model.assess().new_items.accuracy) == told["label_free"]["accuracy"]
    without = ComparisonClassifier(**STATED).fit(X, pairs)
    assert without.assess().new_items.accuracy != model.assess().new_items.accuracy
    found = check(X, pairs, prior=0.4, protocol="forced-choice", propensity=propensity)
    told = json.loads(command("check", *files, *FLAGS, "--json", codes=(0, 1)))["result"]
    assert found.details == told
    share = estimate_prior(X, pairs, protocol="forced-choice", propensity=propensity)
    told = json.loads(command("prior", *files, "--protocol", "forced-choice", "--json"))["result"]
    assert vars(share.prior) == told["prior"]
    assert share.details != estimate_prior(X, pairs, protocol="forced-choice").details


def test_blank_propensities_are_those_of_uniform_pairs_and_all_blank_says_nothing():
    X, truth, pairs, propensity = chosen()
    model = ComparisonClassifier(**STATED).fit(X, pairs, propensity=propensity)
    uniform = 2 / (300 * 299)
    spelled = [uniform if one is None else one for one in propensity]
    blanks = np.array([np.nan if one is None else one for one in propensity])
    for same in (spelled, blanks, np.array(propensity, dtype=object)):
        again = ComparisonClassifier(**STATED).fit(X, pairs, propensity=same)
        assert again.classifier_.to_bytes() == model.classifier_.to_bytes()
        assert again.assess() == model.assess()
    plain = ComparisonClassifier(**STATED).fit(X, pairs)
    nothing = ComparisonClassifier(**STATED).fit(X, pairs, propensity=[None] * len(pairs))
    assert nothing.assess() == plain.assess()
    scores = X @ np.ones(X.shape[1]) - 1.0
    judged = assess(scores, pairs, propensity=propensity, **STATED)
    assert judged.new_items.accuracy != assess(scores, pairs, **STATED).new_items.accuracy
    assert model.assess(X, pairs, propensity=propensity) != model.assess(X, pairs)


def test_a_column_of_a_frame_is_taken():
    pandas = pytest.importorskip("pandas")
    X, _, pairs, propensity = chosen()
    frame = pandas.DataFrame({"likelier": pairs[:, 0], "other": pairs[:, 1], "propensity": propensity})
    model = ComparisonClassifier(**STATED).fit(X, frame[["likelier", "other"]], propensity=frame["propensity"])
    same = ComparisonClassifier(**STATED).fit(X, pairs, propensity=propensity)
    assert model.assess() == same.assess()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"propensity": [0.5]}, ValueError, "do not match"),
        ({"propensity": lambda count: [0.0] * count}, ValueError, "propensity of a comparison must be above 0"),
        ({"propensity": lambda count: [2.0] * count}, ValueError, "propensity of a comparison must be above 0"),
        ({"propensity": lambda count: ["much"] * count}, TypeError, "propensity must hold numbers.* holds 'much'"),
        ({"propensity": 0.5}, TypeError, "propensity must be a list"),
        ({"labels_train": True}, ValueError, "labels_train is given, but no labels are"),
        ({"labels": {0: 1}, "labels_chosen": "random", "labels_train": 1}, TypeError, "must be True or False"),
    ],
)
def test_what_cannot_be(given, error, words):
    X, pairs, _ = labelled()
    given = {name: value(len(pairs)) if callable(value) else value for name, value in given.items()}
    with pytest.raises(error, match=words):
        ComparisonClassifier(**STATED).fit(X, pairs, **given)


def test_labels_train_as_on_the_command_line(tmp_path):
    X, pairs, labels = labelled()
    audited = {"labels": labels, "labels_chosen": "random"}
    model = ComparisonClassifier(**STATED).fit(X, pairs, **audited, labels_train=True)
    files = [*write(tmp_path, X, pairs), *write_labels(tmp_path, labels), "--labels-chosen", "random"]
    train = ["train", *files, *FLAGS, "--labels-train", "--json", "--no-report", "--out", tmp_path / "m"]
    told = json.loads(command(*train))["result"]
    assert model.classifier_.to_bytes() == (tmp_path / "m").read_bytes()
    assert vars(model.assess().audit.accuracy) == told["audit"]["accuracy"]
    without = ComparisonClassifier(**STATED).fit(X, pairs, **audited)
    assert without.classifier_.to_bytes() != model.classifier_.to_bytes()


def people():
    """Three people who err differently, ties, and a fifth of the pairs asked again."""
    X, truth, pairs = blobs(count=600, pairs=2500)
    rng = np.random.default_rng(3)
    pairs = np.concatenate([pairs, pairs[:500][:, ::-1]])
    equal = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    who = rng.choice(["ann", "ben", "cem"], len(pairs))
    error = np.select([who == "ann", who == "ben"], [0.02, 0.15], 0.35)
    right = truth[pairs[:, 0]] > truth[pairs[:, 1]]
    swap = np.where(equal, rng.random(len(pairs)) < 0.5, right == (rng.random(len(pairs)) < error))
    pairs[swap] = pairs[swap][:, ::-1]
    tie = rng.random(len(pairs)) < np.where(equal, 0.3, 0.05)
    return X, pairs, who, tie


def test_how_people_answered_is_told_as_on_the_command_line(tmp_path):
    X, pairs, who, tie = people()
    model = ComparisonClassifier(**STATED).fit(X, pairs, annotator=who, tie=tie)
    files = write(tmp_path, X, pairs, annotator=who, tie=tie.astype(int))
    train = ["train", *files, *FLAGS, "--json", "--no-report", "--out", tmp_path / "m"]
    told = json.loads(command(*train))["result"]["replies"]
    found = model.replies_
    assert [rate.value for rate in found.errors.values()] == told["errors"]
    assert list(found.errors) == list(dict.fromkeys(who))
    assert found.errors["ann"].value < found.errors["ben"].value < found.errors["cem"].value
    assert {rate.source for rate in found.errors.values()} == {told["errors_from"]}
    assert [vars(rate.interval) for rate in found.errors.values()] == told["error_intervals"]
    assert (found.people_differ, found.degree, found.degree_known) == (True, told["degree"], told["degree_known"])
    assert found.ties_same_class.value == told["ties"]["same_class"]
    assert vars(found.ties_mixed.interval) == told["tie_intervals"]["mixed"]
    assert isinstance(found.ties_same_class.interval, Interval)
    assert found.degree_known
    assert (found.leanings, found.by_side) == ({}, None)
    assert found.not_identified() == ()
    assert "wrong on mixed pairs, ann:" in str(found)
    assert "ties on pairs of one class:" in str(found)


def test_a_leaning_to_a_side_is_told_as_on_the_command_line(tmp_path):
    X, _, pairs = blobs(count=600, pairs=1500)
    rng = np.random.default_rng(4)
    left = rng.random(len(pairs)) < 0.5
    blind = rng.random(len(pairs)) < 0.5
    swap = blind & ~left
    pairs[swap] = pairs[swap][:, ::-1]
    side = np.where(left | blind, "left", "right")
    with pytest.warns(PicksBySideWarning, match="numbers without labels come out too low"):
        model = ComparisonClassifier(**STATED).fit(X, pairs, side=side)
    files = write(tmp_path, X, pairs, side=side)
    train = ["train", *files, *FLAGS, "--json", "--no-report", "--out", tmp_path / "m"]
    told = json.loads(command(*train))["result"]["replies"]
    found = model.replies_
    assert found.by_side == told["by_side"]
    assert [rate.value for rate in found.leanings.values()] == told["leanings"]
    assert [vars(rate.interval) for rate in found.leanings.values()] == told["leaning_intervals"]
    (leaning,) = found.leanings.values()
    assert 0.3 < leaning.value < 0.7
    assert "picks the left item, whatever it is:" in str(found)


def test_what_answers_do_not_tell_is_said():
    X, pairs, who, _ = people()
    once = slice(0, 2500)
    found = ComparisonClassifier(**STATED).fit(X, pairs[once], annotator=who[once]).replies_
    assert not found.degree_known
    assert all(rate.interval is None for rate in found.errors.values())
    assert "how good people are together: only how they differ is known" in found.not_identified()
    assert "whether equals are ordered by a coin: that needs pairs asked again" in found.not_identified()
    assert "not known: how good people are together" in str(found)
    assert found.ties_mixed is None


def test_a_loaded_model_knows_nothing_of_people(tmp_path):
    X, pairs, who, tie = people()
    ComparisonClassifier(**STATED).fit(X, pairs, annotator=who, tie=tie).save(tmp_path / "m")
    assert ComparisonClassifier.load(tmp_path / "m").replies_ is None
