"""A few labels judge, and what was noted of people is seen: both as on the command line."""

import csv
import datetime
import json

import numpy as np
import pytest
from data import blobs
from test_parity import command

import likelier
from likelier import ComparisonClassifier, check

STATED = {"prior": 0.4, "protocol": "forced-choice"}
FLAGS = ["--prior", 0.4, "--protocol", "forced-choice"]


def labelled(count=100, seed=0):
    """Items, answers, and the labels of some items that were drawn at random."""
    X, truth, pairs = blobs(count=800, pairs=4000)
    drawn = np.random.default_rng(seed).choice(len(X), count, replace=False)
    return X, pairs, {int(row): int(truth[row]) for row in drawn}


def write(folder, X, pairs, **notes):
    """Items and answers as the command reads them."""
    np.save(folder / "items.npy", X)
    with open(folder / "pairs.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["likelier", "other", *notes])
        rows.writerows(zip(*np.transpose(pairs), *notes.values(), strict=True))
    return ["--items", folder / "items.npy", "--comparisons", folder / "pairs.csv"]


def write_labels(folder, labels):
    lines = ["id,label", *(f"{row},{label}" for row, label in labels.items())]
    (folder / "labels.csv").write_text("\n".join(lines) + "\n")
    return ["--labels", folder / "labels.csv"]


def plain(audit):
    """An audit as JSON has it."""
    told = {**vars(audit)}
    for name in ("accuracy", "prior", "labeller_error"):
        told[name] = None if told[name] is None else vars(told[name])
    return json.loads(json.dumps(told))


def test_labels_say_what_they_say_on_the_command_line(tmp_path):
    X, pairs, labels = labelled()
    model = ComparisonClassifier(**STATED).fit(X, pairs, labels=labels, labels_chosen="random")
    files = [*write(tmp_path, X, pairs), *write_labels(tmp_path, labels), "--labels-chosen", "random"]
    said = command("train", *files, *FLAGS, "--json", "--no-report", "--out", tmp_path / "m")
    told = json.loads(said)["result"]
    assert plain(model.assess().audit) == told["audit"]
    assert model.assess().audit.labels == 100
    assert model.assess().new_items.accuracy.value == told["label_free"]["accuracy"]["value"]
    assert model.classifier_.to_bytes() == (tmp_path / "m").read_bytes()


def test_labels_only_judge():
    X, pairs, labels = labelled()
    with_labels = ComparisonClassifier(**STATED).fit(X, pairs, labels=labels, labels_chosen="random")
    without = ComparisonClassifier(**STATED).fit(X, pairs)
    assert with_labels.classifier_.to_bytes() == without.classifier_.to_bytes()
    assert without.assess().audit is None
    audit = with_labels.assess().audit
    assert audit.combined[0] >= audit.without_labels[0]
    assert audit.combined[1] <= audit.without_labels[1]
    assert "by 100 random labels" in str(with_labels.assess())
    assert "what both allow" in with_labels.assess()._repr_html_()
    assert "random labels" in with_labels._report[0]


def test_labels_may_be_one_for_each_row_or_by_id():
    X, pairs, labels = labelled()
    by_row = ComparisonClassifier(**STATED).fit(X, pairs, labels=labels, labels_chosen="random").assess().audit
    listed = [labels.get(row) for row in range(len(X))]
    numbers = [float("nan") if label is None else float(label) for label in listed]
    for same in (listed, numbers, np.array(listed, dtype=object)):
        assert (
            ComparisonClassifier(**STATED).fit(X, pairs, labels=same, labels_chosen="random").assess().audit == by_row
        )
    names = np.array([f"wine {row}" for row in range(len(X))])
    named = {f"wine {row}": bool(label) for row, label in labels.items()}
    model = ComparisonClassifier(**STATED).fit(X, names[pairs], ids=names, labels=named, labels_chosen="random")
    assert model.assess().audit == by_row


def test_labels_that_contradict_the_comparisons_are_a_warning_of_their_own():
    X, pairs, labels = labelled(count=400)
    turned = {row: 1 - label for row, label in labels.items()}
    with pytest.warns(likelier.LabelsContradictWarning, match="CONTRADICT.*`labeller_error_at_most`"):
        model = ComparisonClassifier(**STATED).fit(X, pairs, labels=turned, labels_chosen="random")
    assert model.assess().audit.combined is None
    assert "contradict each other" in str(model.assess())


def test_labels_that_cannot_judge_are_a_warning():
    X, pairs, labels = labelled()
    with pytest.warns(likelier.LabelsNotUsedWarning, match="not chosen at random"):
        model = ComparisonClassifier(**STATED).fit(X, pairs, labels=labels, labels_chosen="other")
    assert model.assess().audit is None
    ones = {row: 1 for row in labels if labels[row] == 1}
    with pytest.warns(likelier.LabelsOfOneClassWarning, match="labels are"):
        ComparisonClassifier(**STATED).fit(X, pairs, labels=ones, labels_chosen="random")


def test_random_labels_tell_the_prior_where_it_is_not_stated():
    X, pairs, labels = labelled()
    model = ComparisonClassifier(protocol="forced-choice")
    with pytest.warns(likelier.PriorEstimatedWarning):
        model.fit(X, pairs, labels=labels, labels_chosen="random")
    assert model.prior_ == pytest.approx(np.mean(list(labels.values())))


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"labels": {0: 1}}, ValueError, 'labels_chosen="random" or "other"'),
        ({"labels_chosen": "random"}, ValueError, "no labels are"),
        ({"labels": {0: 1}, "labels_chosen": "some"}, ValueError, "unknown way of choosing labels 'some'"),
        ({"labels": {900: 1}, "labels_chosen": "random"}, ValueError, "labels has 900, .* a row from 0 to 799"),
        ({"labels": {0: 2}, "labels_chosen": "random"}, ValueError, "label of row 0 must be 1, 0.* got 2"),
        ({"labels": {0: "yes"}, "labels_chosen": "random"}, ValueError, "got 'yes'"),
        ({"labels": [1, 0], "labels_chosen": "random"}, ValueError, "2 labels do not match 800 items"),
        ({"labels": [None] * 800, "labels_chosen": "random"}, ValueError, "no label"),
        ({"labels": {0: 1}, "labels_chosen": 1}, TypeError, "labels_chosen must be a name"),
        ({"side": ["middle"] * 3}, ValueError, "unknown side 'middle'"),
        ({"side": ["left"]}, ValueError, "do not match"),
        ({"time": [1.0]}, ValueError, "do not match"),
        ({"group": ["a"]}, ValueError, "do not match"),
        ({"group": "monday"}, TypeError, "a list with an entry for each pair, got 'monday'"),
    ],
)
def test_labels_and_notes_that_are_none(given, error, words):
    X, pairs, _ = labelled()
    with pytest.raises(error, match=words):
        ComparisonClassifier(**STATED).fit(X, pairs, **given)


def people(count):
    """Who answered, where the likelier item stood, when, and in which batch: ann leans to the left and hurries."""
    rng = np.random.default_rng(0)
    who = rng.choice(["ann", "ben", "cem"], count)
    side = np.where(rng.random(count) < np.where(who == "ann", 0.9, 0.5), "left", "right").astype(object)
    side[::50] = None
    seconds = np.cumsum(np.where(who == "ann", 1, 20))
    start = datetime.datetime(2026, 11, 17, 8)
    time = [start + datetime.timedelta(seconds=int(second)) for second in seconds]
    return who, side, time


def test_a_check_sees_people_as_the_command_line_does(tmp_path):
    X, _, pairs = blobs()
    who, side, time = people(len(pairs))
    found = check(X, pairs, protocol="forced-choice", annotator=who, side=side, time=time)
    stamps = [one.isoformat() for one in time]
    files = write(tmp_path, X, pairs, annotator=who, side=["" if one is None else one for one in side], time=stamps)
    said = command("check", *files, "--protocol", "forced-choice", "--json", codes=(0, 1))
    assert found.details == json.loads(said)["result"]
    assert any("left" in finding.message and "ann" in finding.message for finding in found.findings)
    as_numpy = np.array(stamps, dtype="datetime64[s]")
    again = check(X, pairs, protocol="forced-choice", annotator=who, side=side, time=as_numpy)
    assert again.details == found.details
    assert check(X, pairs, protocol="forced-choice", annotator=who).details != found.details


def test_groups_are_seen_as_on_the_command_line(tmp_path):
    X, truth, _ = blobs(count=1200, apart=2.0)
    rng = np.random.default_rng(0)
    # Pairs within batches, each of which has a share of positives of its own.
    batch = np.where(truth, rng.integers(0, 3, 1200), rng.integers(1, 4, 1200))
    first = rng.integers(0, 1200, 6000)
    second = rng.integers(0, 1200, 6000)
    kept = (batch[first] == batch[second]) & (first != second)
    first, second = first[kept], second[kept]
    turn = np.where(truth[first] == truth[second], rng.random(len(first)) < 0.5, truth[second])
    pairs = np.where(turn[:, None], np.column_stack([second, first]), np.column_stack([first, second]))
    group = [f"batch {number}" for number in batch[first]]
    found = check(X, pairs, protocol="forced-choice", group=group)
    files = write(tmp_path, X, pairs, group=group)
    said = json.loads(command("check", *files, "--protocol", "forced-choice", "--json", codes=(0, 1)))
    assert found.details == said["result"]
    assert found.details != check(X, pairs, protocol="forced-choice").details
    with pytest.warns(likelier.LikelierWarning) as ours:
        ComparisonClassifier(**STATED).fit(X, pairs, group=group)
    said = json.loads(command("train", *files, *FLAGS, "--json", "--no-report", "--out", tmp_path / "m"))
    theirs = [one["message"] for one in said["warnings"]]
    assert theirs
    assert all(str(one.message).startswith(message) for one, message in zip(ours, theirs, strict=True))


@pytest.mark.parametrize("equals", ["unknown", "coin"])
def test_an_error_of_half_or_more_is_refused_everywhere(equals):
    X, pairs, _ = labelled()
    stated = {**STATED, "equals": equals, "labeller_error_at_most": 0.9}
    words = "the largest labeller error must be at least 0 and below 0.5, got 0.9"
    with pytest.raises(ValueError, match=words):
        ComparisonClassifier(**stated).fit(X, pairs)
    with pytest.raises(ValueError, match=words):
        likelier.assess(X[:, 0], pairs, **stated)
