#!/usr/bin/env python3
"""What ties and names add with real people: answers on topics that training never saw.

    python3 reproduce/answers/convincing.py PROGRAM DATA FOLDER > convincing.csv

PROGRAM is the built `likelier`, DATA the folder of data sets, FOLDER a place for files. The 32 topics are dealt to four folds, as in
reproduce/text/convincing.py; texts are hashed (`--text`). `decided` knows decided answers alone, `ties` ties as well, `people` who
answered, too. `right` is the share of the decided answers on held-out topics that the scores put in order, with its standard error by topic.
"""

import csv
import gzip
import json
import random
import subprocess
import sys
import time
from pathlib import Path

PROGRAM, DATA, FOLDER = sys.argv[1], Path(sys.argv[2]) / "convincing", Path(sys.argv[3])
FOLDS = 4


def rows(name):
    with gzip.open(DATA / f"{name}.csv.gz", "rt", newline="") as file:
        return list(csv.DictReader(file))


def write(path, header, lines):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *lines])


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
    print("fold,columns,answers,tested,right,standard_error,seconds,ties_same,ties_mixed,people,lowest,highest,degree", flush=True)
    for fold in range(FOLDS):
        held = set(topics[fold::FOLDS])
        FOLDER.mkdir(parents=True, exist_ok=True)
        for side in ("train", "test"):
            part = [(item["id"], item["text"]) for item in items if (item["topic"] in held) == (side == "test")]
            write(FOLDER / f"{side}.csv", ["id", "text"], part)
        inside = {item["id"] for item in items if item["topic"] in held}
        trained = [answer for answer in answers if answer["likelier"] not in inside]
        tested = [answer for answer in answers if answer["likelier"] in inside and answer["tie"] != "1"]
        for columns in ("decided", "ties", "people"):
            given = [answer for answer in trained if columns != "decided" or answer["tie"] != "1"]
            header = ["likelier", "other"] + ["tie"] * (columns != "decided") + ["annotator"] * (columns == "people")
            write(FOLDER / "answers.csv", header, [[answer[name] for name in header] for answer in given])
            started = time.perf_counter()
            train = [PROGRAM, "train", "--items", FOLDER / "train.csv", "--comparisons", FOLDER / "answers.csv", "--text", "text"]
            train += ["--protocol", "forced-choice", "--prior", "0.5", "--hold-out", "0", "--no-report", "--json"]
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
            print(
                f"{fold},{columns},{len(given)},{len(tested)},{right:.4f},{error:.4f},{seconds:.1f},{ties['same_class']},{ties['mixed']},"
                f"{len(errors)},{min(errors):.3f},{max(errors):.3f},{rates['degree']}",
                flush=True,
            )


main()
