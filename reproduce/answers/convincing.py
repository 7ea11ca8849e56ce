#!/usr/bin/env python3
"""What ties and names add with real people: answers on topics that training never saw.

    python3 reproduce/answers/convincing.py PROGRAM DATA FOLDER [COLUMNS …] > convincing.csv

PROGRAM is the built `likelier`, DATA the folder of data sets, FOLDER a place for files. The 32 topics are dealt to four folds, as in
reproduce/text/convincing.py; texts are hashed (`--text`). `decided` knows decided answers alone, `ties` ties as well, `people` who
answered, too. `right` is the share of the decided answers on held-out topics that the scores put in order, with its standard error by topic.
`likelihood` is the mean ln P(answer) of all answers on held-out topics, ties included, by the scores and rates that training gave; scores are levelled
to the prior and stretched by `factor`, the one that suits `ties` best. `gain` is what `people` gains over `ties`, with standard errors by topic and
by person, `gain_same_scores` the same with the scores of `ties`. Who was not seen in training errs as all do together.
"""

import csv
import gzip
import json
import math
import random
import subprocess
import sys
import time
from pathlib import Path

PROGRAM, DATA, FOLDER = sys.argv[1], Path(sys.argv[2]) / "convincing", Path(sys.argv[3])
COLUMNS = sys.argv[4:] or ["decided", "ties", "people"]
FOLDS = 4
PRIOR = 0.5
FACTORS = (0.2, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)


def rows(name):
    with gzip.open(DATA / f"{name}.csv.gz", "rt", newline="") as file:
        return list(csv.DictReader(file))


def write(path, header, lines):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *lines])


def sigmoid(score):
    return 1.0 / (1.0 + math.exp(-max(-700.0, min(700.0, score))))


def levelled(scores, answers, factor):
    """Log-odds whose mean probability over the items of these answers is the prior."""
    stretched = [factor * scores[answer[side]] for answer in answers for side in ("likelier", "other")]
    low, high = -200.0, 200.0
    for _ in range(50):
        middle = (low + high) / 2
        above = sum(sigmoid(score + middle) for score in stretched) > PRIOR * len(stretched)
        low, high = (low, middle) if above else (middle, high)
    return {item: factor * score + low for item, score in scores.items()}


def log_likelihoods(odds, answers, rates, error_of):
    """ln P of each answer: the model of docs/files.md."""
    same_tied, mixed_tied = rates["ties"]["same_class"], rates["ties"]["mixed"]
    values = []
    for answer in answers:
        first, second = odds[answer["likelier"]], odds[answer["other"]]
        p, q = sigmoid(first), sigmoid(second)
        same = p * q + (1 - p) * (1 - q)
        if answer["tie"] == "1":
            value = same_tied * same + mixed_tied * (1 - same)
        else:
            error = error_of(answer["annotator"])
            mixed = (1 - error) * p * (1 - q) + error * (1 - p) * q
            value = (1 - same_tied) * same * sigmoid(rates["degree"] * (first - second)) + (1 - mixed_tied) * mixed
        values.append(math.log(value))
    return values


def clustered(gains, names):
    """The standard error of a mean of values that go together by name."""
    mean, sums = sum(gains) / len(gains), {}
    for gain, name in zip(gains, names, strict=True):
        sums[name] = sums.get(name, 0.0) + gain - mean
    return sum(value**2 for value in sums.values()) ** 0.5 / len(gains)


def errors_of(rates, trained):
    """The error of a person, by name."""
    errors = rates["errors"]
    people = list(dict.fromkeys(answer["annotator"] for answer in trained))
    if len(errors) == 1:
        return lambda _: errors[0]
    assert len(errors) == len(people)
    of = dict(zip(people, errors, strict=True))
    everyone = sum(of[answer["annotator"]] for answer in trained) / len(trained)
    return lambda name: of.get(name, everyone)


def likelihoods(models, trained, tested):
    """Of `ties` and of `people`, on the same answers."""
    of = {name: errors_of(rates, trained) for name, (_, rates) in models.items()}
    best = None
    for factor in FACTORS:
        odds = levelled(models["ties"][0], tested, factor)
        values = log_likelihoods(odds, tested, models["ties"][1], of["ties"])
        if best is None or sum(values) > sum(best[1]):
            best = (factor, values, odds)
    factor, pooled, odds = best
    own = levelled(models["people"][0], tested, factor)
    each = log_likelihoods(own, tested, models["people"][1], of["people"])
    same = log_likelihoods(odds, tested, models["people"][1], of["people"])
    cells = [f"{factor}", f"{sum(pooled) / len(pooled):.5f}", f"{sum(each) / len(each):.5f}"]
    for values in (each, same):
        gains = [value - before for value, before in zip(values, pooled, strict=True)]
        topics = clustered(gains, [answer["likelier"].split("/")[0] for answer in tested])
        people = clustered(gains, [answer["annotator"] for answer in tested])
        cells += [f"{sum(gains) / len(gains):.5f}", f"{topics:.5f}", f"{people:.5f}"]
    return cells


def in_order(scores, answers):
    """The share that is in order, and its standard error: answers of one topic go together."""
    topics = {}
    for answer in answers:
        gap = scores[answer["likelier"]] - scores[answer["other"]]
        topics.setdefault(answer["likelier"].split("/")[0], []).append(1.0 if gap > 0 else 0.5 if gap == 0 else 0.0)
    count = sum(map(len, topics.values()))
    right = sum(map(sum, topics.values())) / count
    return right, sum((sum(one) - right * len(one)) ** 2 for one in topics.values()) ** 0.5 / count


def main():
    items, answers = rows("items"), rows("answers")
    topics = sorted({item["topic"] for item in items})
    random.Random(1).shuffle(topics)
    print(
        "fold,columns,answers,tested,right,standard_error,seconds,ties_same,ties_mixed,people,lowest,highest,degree,"
        "factor,likelihood_ties,likelihood_people,gain,gain_error_by_topic,gain_error_by_person,"
        "gain_same_scores,same_error_by_topic,same_error_by_person",
        flush=True,
    )
    for fold in range(FOLDS):
        held = set(topics[fold::FOLDS])
        FOLDER.mkdir(parents=True, exist_ok=True)
        for side in ("train", "test"):
            part = [(item["id"], item["text"]) for item in items if (item["topic"] in held) == (side == "test")]
            write(FOLDER / f"{side}.csv", ["id", "text"], part)
        inside = {item["id"] for item in items if item["topic"] in held}
        trained = [answer for answer in answers if answer["likelier"] not in inside]
        all_tested = [answer for answer in answers if answer["likelier"] in inside]
        tested = [answer for answer in all_tested if answer["tie"] != "1"]
        models = {}
        for columns in COLUMNS:
            given = [answer for answer in trained if columns != "decided" or answer["tie"] != "1"]
            header = ["likelier", "other"] + ["tie"] * (columns != "decided") + ["annotator"] * (columns == "people")
            write(FOLDER / "answers.csv", header, [[answer[name] for name in header] for answer in given])
            started = time.perf_counter()
            train = [PROGRAM, "train", "--items", FOLDER / "train.csv", "--comparisons", FOLDER / "answers.csv", "--text", "text"]
            train += ["--protocol", "forced-choice", "--prior", str(PRIOR), "--hold-out", "0", "--no-report", "--json"]
            said = subprocess.run([*train, "--out", FOLDER / "model.likelier"], check=True, capture_output=True)
            seconds = time.perf_counter() - started
            predict = [PROGRAM, "predict", FOLDER / "model.likelier", FOLDER / "test.csv", "--out", FOLDER / "scores.csv"]
            subprocess.run(predict, check=True, capture_output=True)
            with open(FOLDER / "scores.csv", newline="") as file:
                scores = {row["id"]: float(row["score"]) for row in csv.DictReader(file)}
            right, error = in_order(scores, tested)
            rates = json.loads(said.stdout)["result"]["replies"] or {"errors": [0.0], "ties": None, "degree": 0.0}
            ties = rates["ties"] or {"same_class": "", "mixed": ""}
            errors = rates["errors"]
            models[columns] = (scores, rates)
            cells = likelihoods({name: models[name] for name in ("ties", "people")}, given, all_tested) if columns == "people" else []
            print(
                f"{fold},{columns},{len(given)},{len(tested)},{right:.4f},{error:.4f},{seconds:.1f},{ties['same_class']},{ties['mixed']},"
                f"{len(errors)},{min(errors):.3f},{max(errors):.3f},{rates['degree']},{','.join(cells or [''] * 9)}",
                flush=True,
            )


main()
