"""How often are people's answers on unseen topics predicted?

    python topics.py LIKELIER DIR [--folds 5] [--seen] [--json] [-- OPTION …]

LIKELIER is the program, DIR a folder made by prepare.py. The two sides of a debate use the same words, so whole debates
are held out: debate k of the file belongs to fold k % FOLDS. For each fold a model learns from all answers
of the other debates, and scores the items of the held-out ones. OPTIONs after -- go to `likelier train`, for example
`-- --model mlp`. Counted are

- answers: decided answers that name the item with the higher score (equal scores count half),
- majorities: the same for the majority of each pair's decided answers; pairs without one are left out,
- unanimous: the same for pairs with at least three decided answers that are all alike.

With --seen, every FOLDSth answer is held out instead: the model has seen the items, and what other people said about
the same pair. Only answers are counted then. The difference is what a split of the answers hides.

Intervals are 95 %, from a bootstrap over the topics.
"""

import argparse
import csv
import json
import os
import random
import shutil
import subprocess
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

KINDS = ("answers", "majorities", "unanimous")
Table = list[dict[str, str]]
Tally = dict[str, dict[str, list[float]]]  # kind → topic → [right, counted]


def read(path: Path) -> Table:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: Table) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def tally(answers: Table, scores: dict[str, float]) -> Tally:
    """Right and counted, for each kind and topic."""
    pairs: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    result: Tally = {kind: defaultdict(lambda: [0.0, 0.0]) for kind in KINDS}

    def count(kind: str, topic: str, winner: str, loser: str) -> None:
        difference = scores[winner] - scores[loser]
        result[kind][topic][0] += 0.5 if difference == 0 else float(difference > 0)
        result[kind][topic][1] += 1

    topic_of = {}
    for row in answers:
        topic_of[row["likelier"]] = row["group"]
        topic_of[row["other"]] = row["group"]
        if row["tie"] == "0":
            count("answers", row["group"], row["likelier"], row["other"])
            first, second = sorted((row["likelier"], row["other"]))
            pairs[first, second][row["likelier"]] += 1
    for (first, second), votes in pairs.items():
        if votes[first] == votes[second]:
            continue
        winner, loser = (first, second) if votes[first] > votes[second] else (second, first)
        count("majorities", topic_of[winner], winner, loser)
        if votes[loser] == 0 and votes[winner] >= 3:
            count("unanimous", topic_of[winner], winner, loser)
    return result


def summary(counts: dict[str, list[float]], replicates: int = 2000) -> dict[str, float]:
    """The share that is right, with an interval from a bootstrap over the topics."""
    numbers = list(counts.values())
    draw = random.Random(0)
    shares = []
    for _ in range(replicates):
        sample = draw.choices(numbers, k=len(numbers))
        shares.append(sum(right for right, _ in sample) / sum(counted for _, counted in sample))
    shares.sort()
    right, counted = (sum(number[i] for number in numbers) for i in (0, 1))
    return {
        "share": right / counted,
        "low": shares[int(0.025 * replicates)],
        "high": shares[int(0.975 * replicates)],
        "counted": int(counted),
    }


def learn(program: str, items: Table, answers: Table, unseen: Table, extra: list[str]) -> dict[str, float]:
    """The scores of the items of `unseen`, by a model that learned from the answers about `items`."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        for name, rows in (("seen.csv", items), ("unseen.csv", unseen), ("answers.csv", answers)):
            write(here / name, rows)
        stated = ["--prior", "0.5", "--protocol", "forced-choice", "--hold-out", "0", "--no-report"]
        files = ["--items", "seen.csv", "--comparisons", "answers.csv", "--out", "model"]
        for command in (
            ["train", "--quiet", *files, *stated, *extra],
            ["predict", "--quiet", "model", "unseen.csv", "--out", "scores.csv"],
        ):
            subprocess.run([program, *command], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        return {row["id"]: float(row["score"]) for row in read(here / "scores.csv")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program likelier")
    parser.add_argument("folder", type=Path, help="a folder made by prepare.py")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seen", action="store_true", help="hold out answers, not debates")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("extra", nargs="*", help="options of `likelier train`, after --")
    options = parser.parse_args()
    program = shutil.which(options.program)
    if program is None:
        parser.error(f"no such program: {options.program}")
    program = os.path.abspath(program)

    items, answers = read(options.folder / "items.csv"), read(options.folder / "comparisons.csv")
    features = [name for name in items[0] if name != "id"]
    words = [name for name in features if name[0] == "h" and name[1:].isdigit()]
    named = [name for name in features if name not in words]
    topic = {item: row["group"] for row in answers for item in (row["likelier"], row["other"])}
    debates = list(dict.fromkeys(row["group"].split("_")[0] for row in answers))
    debate_fold = {debate: number % options.folds for number, debate in enumerate(debates)}

    def fold(number: int, row: dict[str, str]) -> int:
        return number % options.folds if options.seen else debate_fold[row["group"].split("_")[0]]

    folds = [fold(number, row) for number, row in enumerate(answers)]
    kinds = KINDS[:1] if options.seen else KINDS

    longer = {row["id"]: float(row["log_words"]) for row in items}
    results = {"the longer text wins, nothing learned": {k: summary(c) for k, c in tally(answers, longer).items()}}
    for name, chosen in (
        ("learned: number of words alone", ["words", "log_words"]),
        ("learned: named features", named),
        ("learned: hashed words", words),
        ("learned: both", [*named, *words] if words else []),
    ):
        if not chosen:
            continue
        pooled: Tally = {kind: defaultdict(lambda: [0.0, 0.0]) for kind in kinds}
        table = [{column: row[column] for column in ("id", *chosen)} for row in items]
        for held in range(options.folds):
            train, test = ([row for row, f in zip(answers, folds) if (f == held) == side] for side in (False, True))
            topics = [{row["group"] for row in rows} for rows in (train, test)]
            seen, unseen = ([row for row in table if topic[row["id"]] in of] for of in topics)
            counts = tally(test, learn(program, seen, train, unseen, options.extra))
            for kind in kinds:
                for name_of, numbers in counts[kind].items():
                    pooled[kind][name_of] = [a + b for a, b in zip(pooled[kind][name_of], numbers)]
        results[name] = {kind: summary(counts) for kind, counts in pooled.items()}

    if options.json:
        print(json.dumps(results, indent=2))
        return
    held_out = "answers" if options.seen else f"debates of {len(debates)}"
    print(f"{len(answers)} answers, {len(set(topic.values()))} topics; {options.folds} folds of {held_out}\n")
    print(f"{'ordered rightly':40}" + "".join(f"{kind:24}" for kind in kinds))
    for name, of in results.items():
        cells = (f"{r['share']:.3f} ({r['low']:.3f} to {r['high']:.3f})" for r in (of[kind] for kind in kinds))
        print(f"{name:40}" + "".join(f"{cell:24}" for cell in cells))
    print(f"{'counted':40}" + "".join(f"{of[kind]['counted']:<24}" for kind in kinds))


if __name__ == "__main__":
    main()
