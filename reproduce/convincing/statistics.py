"""What the answers of UKPConvArg1 say about the people who gave them.

    python statistics.py [--data DIR] [--topics N] [--json]

DIR is a folder with items.csv.gz and answers.csv.gz [default: $LIKELIER_DATA/convincing]. It uses nothing of likelier,
so that `likelier check` can be compared with it. Nothing but Python 3.10 or later is needed; it takes a minute.

How it counts:

- A *decided* answer names one item; the others are ties.
- Every pair was shown to everybody with the same item on the left, so an answer is L, R or T (tie).
- Intervals are 95 %, from a bootstrap over pairs or, wider, over topics. The seed is fixed.
- "Chance", for people, is a shuffle of the answers within each pair: each pair keeps its answers, and only who gave
  which is drawn anew. So a person is compared with others on the very same pairs. z is a person's distance from what
  the shuffle expects, in standard deviations; the number of people beyond 3 stands beside its mean over 20 shuffles.
"""

import argparse
import csv
import gzip
import itertools
import json
import math
import os
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

FEWEST = 20  # answers of a person, for anything said about single people
MANY = 100  # the same, where a person's own share has to be known well
SHUFFLES = 20
REPLICATES = 400
Pair = tuple[str, str]  # the left and the right item
Section = tuple[dict, list[str]]  # for --json, for the reader


class Answer(NamedTuple):
    pair: Pair
    person: str
    choice: str  # L, R or T
    time: datetime


class Split(NamedTuple):
    """The answers to one pair, counted."""

    left: int
    right: int
    ties: int

    @property
    def decided(self) -> int:
        return self.left + self.right

    @property
    def answers(self) -> int:
        return self.decided + self.ties


class Data:
    """The files, with answers grouped in the ways that are needed."""

    def __init__(self, folder: Path, topics: int | None) -> None:
        def read(name: str) -> Iterable[dict[str, str]]:
            with gzip.open(folder / name, "rt", encoding="utf-8", newline="") as file:
                yield from csv.DictReader(file)

        items = list(read("items.csv.gz"))
        self.topics = list(dict.fromkeys(item["topic"] for item in items))[:topics]
        self.text = {item["id"]: item["text"] for item in items if item["topic"] in set(self.topics)}
        self.topic = {item["id"]: item["topic"] for item in items if item["id"] in self.text}
        rows = [row for row in read("answers.csv.gz") if row["likelier"] in self.text]
        self.duplicates = len(rows) - len({tuple(row.values()) for row in rows})
        self.answers = [self.answer(row) for row in rows]
        self.crossing = sum(self.topic[answer.pair[0]] != self.topic[answer.pair[1]] for answer in self.answers)
        self.of_pair: dict[Pair, list[Answer]] = group(self.answers, lambda answer: answer.pair)
        self.of_person: dict[str, list[Answer]] = group(self.answers, lambda answer: answer.person)
        self.split = {pair: count_split(a.choice for a in answers) for pair, answers in self.of_pair.items()}
        self.pages = group(self.answers, lambda answer: (answer.person, answer.time))

    @staticmethod
    def answer(row: dict[str, str]) -> Answer:
        if row["tie"] == "1":
            pair, choice = (row["likelier"], row["other"]), "T"
        elif row["side"] == "left":
            pair, choice = (row["likelier"], row["other"]), "L"
        else:
            pair, choice = (row["other"], row["likelier"]), "R"
        return Answer(pair, row["annotator"], choice, datetime.strptime(row["time"], "%Y-%m-%d %H:%M:%S.0 UTC"))


def group(rows: Iterable, key: Callable) -> dict:
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(groups)


def count_split(choices: Iterable[str]) -> Split:
    counts = Counter(choices)
    return Split(counts["L"], counts["R"], counts["T"])


def quantiles(numbers: Iterable[float], at: Sequence[float] = (0.05, 0.25, 0.5, 0.75, 0.95)) -> list[float]:
    ordered = sorted(numbers)
    return [ordered[min(int(q * len(ordered)), len(ordered) - 1)] for q in at]


def mean(numbers: Sequence[float]) -> float:
    return ratio(sum(numbers), len(numbers))


def ratio(top: float, bottom: float) -> float:
    return top / bottom if bottom else math.nan


def percent(share: float, digits: int = 1) -> str:
    return f"{100 * share:.{digits}f} %"


# Agreement


def couples(n: int) -> int:
    return n * (n - 1) // 2


def alike(split: Split) -> float:
    """How often two decided answers to a pair agree."""
    return (couples(split.left) + couples(split.right)) / couples(split.decided) if split.decided > 1 else 0.0


# Each measure is a sum over pairs divided by another. The first three differ in how much a pair counts; the third is
# what holding each answer against the one before it comes to.
MEASURES: dict[str, Callable[[Split], tuple[float, float]]] = {
    "two decided answers agree": lambda s: (couples(s.left) + couples(s.right), couples(s.decided)),
    "  every pair counting the same": lambda s: (alike(s), float(s.decided > 1)),
    "  a pair counting decided answers - 1": lambda s: ((s.decided - 1) * alike(s), max(s.decided - 1, 0)),
    "two answers agree, ties included": lambda s: (sum(map(couples, s)), couples(s.answers)),
    "after a tie, another answer is a tie": lambda s: (s.ties * (s.ties - 1), s.ties * (s.answers - 1)),
    "ties among answers": lambda s: (s.ties, s.answers),
    "left among decided answers": lambda s: (s.left, s.decided),
}


def measure(splits: dict[Split, int], name: str) -> float:
    top = bottom = 0.0
    for split, times in splits.items():
        a, b = MEASURES[name](split)
        top += times * a
        bottom += times * b
    return top / bottom


def with_intervals(data: Data, draw: random.Random) -> Section:
    """Every measure, with a bootstrap over pairs and one over topics."""
    whole = Counter(data.split.values())
    by_topic: dict[str, Counter[Split]] = defaultdict(Counter)
    for (left, _), split in data.split.items():
        by_topic[data.topic[left]][split] += 1
    kinds, times = list(whole), list(whole.values())
    over_pairs = [Counter(draw.choices(kinds, times, k=len(data.split))) for _ in range(REPLICATES)]
    over_topics = []
    for _ in range(REPLICATES):
        total: Counter[Split] = Counter()
        for counts in draw.choices(list(by_topic.values()), k=len(by_topic)):
            total.update(counts)
        over_topics.append(total)

    result: dict = {}
    lines = [f"{'':40}share     over pairs          over topics"]
    for name in MEASURES:
        value = measure(whole, name)
        pairs, topics = (quantiles((measure(s, name) for s in o), (0.025, 0.975)) for o in (over_pairs, over_topics))
        result[name.strip()] = {"share": value, "over_pairs": pairs, "over_topics": topics}
        lines.append(f"{name:40}{value:.4f}    {pairs[0]:.4f} to {pairs[1]:.4f}    {topics[0]:.4f} to {topics[1]:.4f}")
    each = sorted(measure(counts, "two decided answers agree") for counts in by_topic.values())
    result["topics"] = {"lowest": each[0], "highest": each[-1]}
    lines.append(f"two decided answers agree, by topic: from {percent(each[0])} to {percent(each[-1])}")
    return result, lines


def lopsided(data: Data) -> Section:
    """One answer against the margin of the other answers to its pair: nobody is compared with himself."""
    rows: dict[int, Counter[str]] = defaultdict(Counter)
    for answer in data.answers:
        split = data.split[answer.pair]
        left, right = split.left - (answer.choice == "L"), split.right - (answer.choice == "R")
        row = rows[abs(left - right)]
        row["answers"] += 1
        row["ties"] += answer.choice == "T"
        if answer.choice != "T" and left != right:
            row["decided"] += 1
            row["with"] += (answer.choice == "L") == (left > right)
    total = sum((row for margin, row in rows.items() if margin), Counter())
    lines = ["margin of the others   answers   ties      decided answers with their majority"]
    result: dict = {}
    for margin, row in sorted(rows.items()):
        agreed = row["with"] / row["decided"] if row["decided"] else None
        result[margin] = {"answers": row["answers"], "ties": row["ties"] / row["answers"], "with_majority": agreed}
        shown = "-" if agreed is None else percent(agreed)
        lines.append(f"{margin:<23}{row['answers']:<10}{percent(row['ties'] / row['answers']):10}{shown}")
    overall = total["with"] / total["decided"]
    lines.append(f"any but 0: {percent(overall)} of decided answers are with the majority of the others")
    return {"by_margin": result, "any": overall}, lines


def five_split(p: float) -> list[float]:
    """How likely five answers are to split 5-0, 4-1 and 3-2, if each falls on one side with probability p."""
    return [math.comb(5, k) * (p**k * (1 - p) ** (5 - k) + (1 - p) ** k * p ** (5 - k)) for k in (5, 4, 3)]


def unanimity(data: Data) -> Section:
    """How pairs split, and what kinds of pairs would split like that."""
    splits = Counter(data.split.values())
    sizes = Counter(split.answers for split in data.split.values())
    pairs = len(data.split)
    agreed = sum(times for s, times in splits.items() if s.decided >= 2 and min(s.left, s.right) == 0)
    several = sum(times for s, times in splits.items() if s.decided >= 2)
    everybody = sum(times for s, times in splits.items() if max(s) == s.answers)
    majority = sum(times for s, times in splits.items() if s.left != s.right)
    full: Counter[int] = Counter()
    for s, times in splits.items():
        if s.decided == s.answers == 5:
            full[max(s.left, s.right)] += times
    five = sum(full.values())
    observed = [full[k] / five for k in (5, 4, 3)]
    coins = five_split(0.5)

    def kinds(share: float, error: float) -> list[float]:
        """A share of pairs is decided by coins; on the others each answer errs with the given probability."""
        return [share * a + (1 - share) * b for a, b in zip(coins, five_split(error))]

    def likelihood(at: tuple[float, float]) -> float:
        return sum(o * math.log(p) if p else -math.inf for o, p in zip(observed, kinds(*at)))

    grid = [(share / 200, error / 400) for share in range(201) for error in range(201)]
    share, error = max(grid, key=likelihood)
    result: dict = {
        "answers_per_pair": dict(sorted(sizes.items())),
        "majority": majority / pairs,
        "everybody_the_same": everybody / pairs,
        "decided_unanimous": agreed / several,
        "five_decided": {"pairs": five, "5-0": observed[0], "4-1": observed[1], "3-2": observed[2]},
        "two_kinds": {"coin_share": share, "error": error, "fitted": kinds(share, error)},
    }
    lines = [
        f"pairs with a majority of decided answers: {percent(majority / pairs)} of {pairs}",
        f"all answers the same, ties included: {percent(everybody / pairs)}",
        f"all decided answers the same, of {several} pairs with two or more: {percent(agreed / several)}",
        f"pairs with five decided answers: {five}",
        "  split           5-0       4-1       3-2",
        "  observed        " + "".join(f"{percent(o):10}" for o in observed),
        "  five coins      " + "".join(f"{percent(o):10}" for o in coins),
        "  two kinds       " + "".join(f"{percent(o):10}" for o in kinds(share, error)),
        f"  two kinds: {percent(share)} of the pairs are a coin toss, on the others {percent(error)} of answers err",
    ]
    return result, lines


def degree(data: Data, draw: random.Random) -> Section:
    """Are items of one class ordered by a coin toss? Half of the people rank the items, the others are counted."""
    sides = {person: draw.random() < 0.5 for person in sorted(data.of_person)}
    won: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for answer in data.answers:
        if sides[answer.person] and answer.choice != "T":
            won[answer.pair[answer.choice == "R"]] += 1
            shown.update(answer.pair)
    place = {}
    for items in group(data.topic, data.topic.get).values():
        ranked = sorted(items, key=lambda item: (-won[item] / shown[item], item))
        place.update({item: (rank, 4 * rank // len(ranked)) for rank, item in enumerate(ranked)})
    counts: dict[str, dict[tuple[int, int], Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
    for answer in data.answers:
        if not sides[answer.person]:
            ranks = [place[item] for item in answer.pair]
            cell = counts[data.topic[answer.pair[0]]][min(ranks)[1], max(ranks)[1]]
            cell["answers"] += 1
            cell["ties"] += answer.choice == "T"
            if answer.choice != "T":
                cell["decided"] += 1
                cell["right"] += (answer.choice == "L") == (ranks[0] < ranks[1])

    def total(within: Callable[[int, int], bool]) -> dict:
        """All pairs whose quarters, counted from the top, are as wanted."""
        topics = [sum((cell for at, cell in of.items() if within(*at)), Counter()) for of in counts.values()]
        together = sum(topics, Counter())
        again = (sum(draw.choices(topics, k=len(topics)), Counter()) for _ in range(REPLICATES))
        return {
            "as_ranked": together["right"] / together["decided"],
            "over_topics": quantiles((ratio(c["right"], c["decided"]) for c in again), (0.025, 0.975)),
            "ties": together["ties"] / together["answers"],
            "decided": together["decided"],
        }

    result: dict = {
        "both in the upper half": total(lambda _, lower: lower < 2),
        "both in the lower half": total(lambda higher, _: higher > 1),
        "one in each half": total(lambda higher, lower: higher < 2 <= lower),
        "both in the top quarter": total(lambda _, lower: lower == 0),
        "both in the bottom quarter": total(lambda higher, _: higher == 3),
        "top and bottom quarter": total(lambda higher, lower: (higher, lower) == (0, 3)),
    }
    lines = [f"{'':30}{'as ranked':12}{'over topics':20}{'ties':10}decided answers"]
    for name, row in result.items():
        low, high = map(percent, row["over_topics"])
        interval = f"{low} to {high}"
        lines.append(f"{name:30}{percent(row['as_ranked']):12}{interval:20}{percent(row['ties']):10}{row['decided']}")
    cells = [item for of in counts.values() for item in of.items()]
    same = [cell for at, cell in cells if (at[0] < 2) == (at[1] < 2)]
    of_answers, of_ties = (sum(c[k] for c in same) / sum(c[k] for _, c in cells) for k in ("answers", "ties"))
    result["both in one half"] = {"of_answers": of_answers, "of_ties": of_ties}
    lines.append(f"both in one half: {percent(of_answers)} of all answers, {percent(of_ties)} of all ties")
    return result, lines


# People


class Score(NamedTuple):
    """A person's habit: what was seen beyond what a shuffle expects."""

    z: float
    share: float  # beyond the others' share on the same pairs
    weight: float  # how many events that rests on


def score(events: Sequence[tuple[float, float, float, float]]) -> Score:
    """From (seen, expected, variance, weight of the others in what was expected) of each event.

    The shuffle's expectation has the person's own answer in it. The weight takes it out of `share` again."""
    excess = sum(event[0] - event[1] for event in events)
    variance = sum(event[2] for event in events)
    others = sum(event[3] for event in events)
    return Score(excess / math.sqrt(variance) if variance > 0 else 0.0, excess / others if others else 0.0, others)


HABITS = {
    "ties": "says tie more often (+) or less often (-) than others on the same pairs",
    "left": "decides for the left item more (+) or less (-) often than others on the same pairs",
    "agreement": "agrees with the others more (+) or less (-) than they do among themselves",
    "one side": "of pages without a tie, has more (+) or fewer (-) with all three answers on one side",
}


def person_scores(data: Data, chosen: dict[tuple[str, Pair], str]) -> dict[str, dict[str, Score]]:
    """Every person's score for each habit, by the answers `chosen`."""
    events: dict[str, dict[str, list]] = {name: defaultdict(list) for name in HABITS}
    for answer in data.answers:
        split, choice = data.split[answer.pair], chosen[answer.person, answer.pair]
        p = split.ties / split.answers
        events["ties"][answer.person].append((choice == "T", p, p * (1 - p), 1 - 1 / split.answers))
        if choice != "T":
            p = split.left / split.decided
            events["left"][answer.person].append((choice == "L", p, p * (1 - p), 1 - 1 / split.decided))
            if split.decided > 1:
                if_left, if_right = (split.left - 1) / (split.decided - 1), (split.right - 1) / (split.decided - 1)
                seen = if_left if choice == "L" else if_right
                expected = p * if_left + (1 - p) * if_right
                variance = p * (1 - p) * (if_left - if_right) ** 2
                events["agreement"][answer.person].append((seen, expected, variance, 1 - 2 / split.decided))
    for (person, _), page in data.pages.items():
        choices = [chosen[person, answer.pair] for answer in page]
        if len(page) == 3 and "T" not in choices:
            splits = [data.split[answer.pair] for answer in page]
            p = math.prod(s.left / s.decided for s in splits) + math.prod(s.right / s.decided for s in splits)
            events["one side"][person].append((len(set(choices)) == 1, p, p * (1 - p), 1))
    enough = [person for person, answers in data.of_person.items() if len(answers) >= FEWEST]
    return {name: {person: score(by[person]) for person in enough if by[person]} for name, by in events.items()}


def couple_scores(data: Data, chosen: dict[tuple[str, Pair], str]) -> dict[Pair, tuple[float, float, int]]:
    """For each two people with at least FEWEST pairs that both decided: z of their agreement, its share, the number."""
    events: dict[Pair, list] = defaultdict(list)
    for pair, answers in data.of_pair.items():
        split = data.split[pair]
        decided = sorted(a.person for a in answers if chosen[a.person, pair] != "T")
        if len(decided) > 1:
            p = alike(split)
            for two in itertools.combinations(decided, 2):
                events[two].append((chosen[two[0], pair] == chosen[two[1], pair], p, p * (1 - p), 1))
    return {
        two: (score(rows).z, sum(row[0] for row in rows) / len(rows), len(rows))
        for two, rows in events.items()
        if len(rows) >= FEWEST
    }


def line_through(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float]:
    """Correlation, and the slope of y against x."""
    x, y = mean(xs), mean(ys)
    both = sum((a - x) * (b - y) for a, b in zip(xs, ys))
    square_x, square_y = sum((a - x) ** 2 for a in xs), sum((b - y) ** 2 for b in ys)
    return ratio(both, math.sqrt(square_x * square_y)), ratio(both, square_x)


def beyond(scores: Iterable[float]) -> tuple[int, int]:
    scores = list(scores)
    return sum(z > 3 for z in scores), sum(z < -3 for z in scores)


def people(data: Data, draw: random.Random) -> Section:
    """Habits of single people, and people who answer alike, beside shuffled answers."""
    chosen = {(a.person, a.pair): a.choice for a in data.answers}
    scores, two = person_scores(data, chosen), couple_scores(data, chosen)
    names = [*HABITS, "couples"]
    chance = {name: [0.0, 0.0] for name in names}
    square_by_chance, spread_by_chance = dict.fromkeys(HABITS, 0.0), dict.fromkeys(HABITS, 0.0)

    def mean_square(scores: Iterable[Score]) -> float:
        return mean([score.z**2 for score in scores])

    def spread(scores: Iterable[Score]) -> float:
        scores = list(scores)
        return ratio(sum(s.weight * s.share**2 for s in scores), sum(s.weight for s in scores))

    for _ in range(SHUFFLES):
        shuffled = {}
        for pair, answers in data.of_pair.items():
            choices = [a.choice for a in answers]
            draw.shuffle(choices)
            shuffled.update({(a.person, pair): choice for a, choice in zip(answers, choices)})
        again = person_scores(data, shuffled)
        found = {name: beyond(s.z for s in by.values()) for name, by in again.items()}
        found["couples"] = beyond(z for z, _, _ in couple_scores(data, shuffled).values())
        for name in names:
            for side in (0, 1):
                chance[name][side] += found[name][side] / SHUFFLES
        for name, by in again.items():
            square_by_chance[name] += mean_square(by.values()) / SHUFFLES
            spread_by_chance[name] += spread(by.values()) / SHUFFLES

    result: dict = {}
    lines = [f"people with at least {FEWEST} answers; z beyond 3, and the same after a shuffle of the answers"]
    for name, meaning in HABITS.items():
        of = scores[name]
        seen, square = beyond(s.z for s in of.values()), mean_square(of.values())
        own = math.sqrt(max(spread(of.values()) - spread_by_chance[name], 0))
        most = sorted(of, key=lambda person: -abs(of[person].z))[:6]
        result[name] = {
            "people": len(of),
            "above": seen[0],
            "below": seen[1],
            "above_by_chance": chance[name][0],
            "below_by_chance": chance[name][1],
            "mean_square_z": square,
            "mean_square_z_by_chance": square_by_chance[name],
            "deviation_between_people": own,
            "farthest": {person: of[person]._asdict() for person in most},
        }
        lines += [
            f"{name}: {meaning}",
            (
                f"  {seen[0]} of {len(of)} above (chance {chance[name][0]:.1f}), {seen[1]} below (chance "
                f"{chance[name][1]:.1f}); mean of z² {square:.2f} (chance {square_by_chance[name]:.2f}); "
                f"beyond chance people differ by ±{100 * own:.1f} points"
            ),
            "  farthest: " + ", ".join(f"{p} {of[p].z:+.1f} ({100 * of[p].share:+.0f} points)" for p in most),
        ]
    often = [p for p in scores["agreement"] if len(data.of_person[p]) >= MANY]
    if len(often) > 2:
        habit = [[scores[name][p].share for p in often] for name in ("ties", "agreement")]
        together, slope = line_through(*habit)
        result["ties_and_agreement"] = {"people": len(often), "correlation": together, "slope": slope}
        lines.append(
            f"of {len(often)} people with at least {MANY} answers, those who say tie less agree less: correlation "
            f"{together:.2f}; ten points of ties go with {10 * slope:.1f} points of agreement"
        )
    seen = beyond(z for z, _, _ in two.values())
    most_alike = sorted(two, key=lambda t: -two[t][0])[:5]
    least_alike = sorted(two, key=lambda t: two[t][0])[:5]
    result["couples"] = {
        "couples": len(two),
        "above": seen[0],
        "below": seen[1],
        "above_by_chance": chance["couples"][0],
        "below_by_chance": chance["couples"][1],
        "always_alike": sum(share == 1 for _, share, _ in two.values()),
        "most_alike": [[*t, *two[t]] for t in most_alike],
        "least_alike": [[*t, *two[t]] for t in least_alike],
    }

    def show(couple: Pair) -> str:
        z, share, number = two[couple]
        return f"{couple[0]} and {couple[1]} {percent(share, 0)} of {number} (z {z:+.1f})"

    lines += [
        f"copies: two people who decided at least {FEWEST} pairs in common",
        (
            f"  {seen[0]} of {len(two)} couples agree too much (chance {chance['couples'][0]:.1f}), "
            f"{seen[1]} too little (chance {chance['couples'][1]:.1f}); "
            f"{result['couples']['always_alike']} agree always"
        ),
        "  most alike: " + ", ".join(map(show, most_alike)),
        "  least alike: " + ", ".join(map(show, least_alike)),
    ]
    return result, lines


def shares_of_people(data: Data) -> Section:
    """How people with enough answers differ in ties and sides; what those with many answers are like."""
    enough = {p: Counter(a.choice for a in rows) for p, rows in data.of_person.items() if len(rows) >= FEWEST}
    ties = {p: c["T"] / c.total() for p, c in enough.items()}
    left = {p: c["L"] / (c["L"] + c["R"]) for p, c in enough.items() if c["L"] + c["R"] >= FEWEST}
    never = sorted(p for p, share in ties.items() if share == 0)
    mostly = sorted((p for p, share in ties.items() if share > 0.5), key=lambda p: -ties[p])
    sizes = sorted((len(rows) for rows in data.of_person.values()), reverse=True)
    result: dict = {
        "people": len(sizes),
        "answers_per_person": quantiles(sizes),
        "top_ten_share": sum(sizes[:10]) / len(data.answers),
        "top_hundred_share": sum(sizes[:100]) / len(data.answers),
        "with_enough": len(enough),
        "their_share_of_answers": sum(c.total() for c in enough.values()) / len(data.answers),
        "tie_share": quantiles(ties.values()),
        "never_tie": {"people": len(never), "answers": sum(enough[p].total() for p in never)},
        "mostly_tie": {"people": len(mostly), "answers": sum(enough[p].total() for p in mostly)},
        "left_share": quantiles(left.values()),
    }
    by_size = []
    for low, high in ((1, 3), (4, 19), (20, 99), (100, 499), (500, 10**9)):
        inside = [a for rows in data.of_person.values() if low <= len(rows) <= high for a in rows]
        if not inside:
            continue
        agreement = mean_agreement(data, inside)
        tie = sum(a.choice == "T" for a in inside) / len(inside)
        by_size.append({"from": low, "to": high, "answers": len(inside), "ties": tie, "agreement": agreement})
    result["by_number_of_answers"] = by_size

    def line(numbers: Iterable[float]) -> str:
        return ", ".join(percent(n, 0) for n in numbers)

    lines = [
        (
            f"{len(sizes)} people; answers of a person (5, 25, 50, 75, 95 % of people): "
            f"{result['answers_per_person']}; most {sizes[0]}"
        ),
        (
            f"the ten with the most gave {percent(result['top_ten_share'])} of all answers, "
            f"the first hundred {percent(result['top_hundred_share'])}"
        ),
        (
            f"{len(enough)} people have at least {FEWEST} answers, "
            f"together {percent(result['their_share_of_answers'])} of all answers"
        ),
        f"their tie shares (5, 25, 50, 75, 95 % of people): {line(result['tie_share'])}",
        (
            f"{len(never)} of them never said tie ({result['never_tie']['answers']} answers), "
            f"{len(mostly)} said it more often than not ({result['mostly_tie']['answers']} answers): "
            f"{', '.join(mostly[:6])}"
        ),
        f"their left shares, the same: {line(result['left_share'])}",
        "answers of a person    answers   ties      agree with another decided answer",
    ]
    for row in by_size:
        name = f"{row['from']} to {row['to']}" if row["to"] < 10**9 else f"{row['from']} or more"
        lines.append(f"{name:23}{row['answers']:<10}{percent(row['ties']):10}{percent(row['agreement'])}")
    return result, lines


def mean_agreement(data: Data, answers: Iterable[Answer]) -> float:
    """How often these decided answers agree with another decided answer to the same pair."""
    top = bottom = 0
    for answer in answers:
        split = data.split[answer.pair]
        if answer.choice != "T" and split.decided > 1:
            top += (split.left if answer.choice == "L" else split.right) - 1
            bottom += split.decided - 1
    return ratio(top, bottom)


def identical(data: Data) -> Section:
    """Pairs of word for word the same text: the only right answer is a tie."""
    same = [pair for pair in data.split if data.text[pair[0]] == data.text[pair[1]]]
    total = Split(*(sum(data.split[pair][i] for pair in same) for i in range(3)))
    longer = sum(len(data.text[a].split()) > len(data.text[b].split()) for a, b in data.split)
    unequal = sum(len(data.text[a].split()) != len(data.text[b].split()) for a, b in data.split)
    result: dict = {"pairs": len(same), **total._asdict(), "left_is_longer": longer / unequal}
    lines = [
        f"{len(same)} pairs of identical texts: {total.ties} ties, {total.left} left, {total.right} right",
        f"the left item has more words in {percent(longer / unequal)} of {unequal} pairs of different length",
    ]
    return result, lines


# Circles


def cyclic(winners: dict[str, dict[Pair, str]], topics: dict[str, list[str]]) -> tuple[int, int]:
    """Cyclic triples and all triples whose three pairs have a winner."""
    cycles = triples = 0
    for topic, items in topics.items():
        won = winners[topic]
        beats: dict[str, set[str]] = {item: set() for item in items}
        for (a, b), winner in won.items():
            beats[winner].add(b if winner == a else a)
        for a, b, c in itertools.combinations(items, 3):
            wins = (b in beats[a], c in beats[b], a in beats[c])
            losses = (a in beats[b], b in beats[c], c in beats[a])
            if all(w or x for w, x in zip(wins, losses)):
                triples += 1
                cycles += all(wins) or all(losses)
    return cycles, triples


def strengths(items: list[str], splits: dict[Pair, Split]) -> dict[str, float]:
    """Bradley and Terry's model of one scale, with a tenth of a win and of a loss against a common rival."""
    won = dict.fromkeys(items, 0.1)
    for (a, b), split in splits.items():
        won[a] += split.left
        won[b] += split.right
    value = dict.fromkeys(items, 1.0)
    for _ in range(100):
        weight = {item: 0.2 / (value[item] + 1) for item in items}
        for (a, b), split in splits.items():
            share = split.decided / (value[a] + value[b])
            weight[a] += share
            weight[b] += share
        value = {item: won[item] / weight[item] for item in items}
    return value


def circles(data: Data, draw: random.Random) -> Section:
    topics = group(data.topic, data.topic.get)
    splits = {topic: {p: s for p, s in data.split.items() if data.topic[p[0]] == topic} for topic in topics}

    def winners(of: dict[str, dict[Pair, Split]], margin: int) -> dict[str, dict[Pair, str]]:
        return {
            topic: {p: p[s.left < s.right] for p, s in pairs.items() if abs(s.left - s.right) >= margin}
            for topic, pairs in of.items()
        }

    scale = {topic: strengths(items, splits[topic]) for topic, items in topics.items()}
    simulated = []
    for _ in range(SHUFFLES):
        world: dict[str, dict[Pair, Split]] = {}
        for topic, pairs in splits.items():
            world[topic] = {}
            for (a, b), split in pairs.items():
                p = scale[topic][a] / (scale[topic][a] + scale[topic][b])
                left = sum(draw.random() < p for _ in range(split.decided))
                world[topic][a, b] = Split(left, split.decided - left, split.ties)
        simulated.append(world)
    result: dict = {}
    lines = ["majorities by at least    triples   circles   share     coins     one scale"]
    for margin in (1, 3, 5):
        cycles, triples = cyclic(winners(splits, margin), topics)
        if not triples:
            continue
        shares = [c / t for c, t in (cyclic(winners(world, margin), topics) for world in simulated)]
        scaled = mean(shares)
        result[margin] = {
            "triples": triples,
            "circles": cycles,
            "share": cycles / triples,
            "coins": 0.25,
            "one_scale": scaled,
        }
        lines.append(
            f"{margin:<26}{triples:<10}{cycles:<10}{percent(cycles / triples):10}{'25.0 %':10}{percent(scaled)}"
        )
    agree = top = bottom = 0.0
    for topic, pairs in splits.items():
        for (a, b), split in pairs.items():
            bottom += split.decided
            top += split.left if scale[topic][a] > scale[topic][b] else split.right
            p = scale[topic][a] / (scale[topic][a] + scale[topic][b])
            agree += couples(split.decided) * (p * p + (1 - p) * (1 - p))
    five = [0.0, 0.0, 0.0]
    pairs_of_five = [(topic, p) for topic, pairs in splits.items() for p, s in pairs.items() if s.decided == 5]
    for topic, (a, b) in pairs_of_five:
        shares = five_split(scale[topic][a] / (scale[topic][a] + scale[topic][b]))
        five = [total + share / len(pairs_of_five) for total, share in zip(five, shares)]
    all_couples = sum(couples(s.decided) for s in data.split.values())
    result["one_scale_orders"] = top / bottom
    result["one_scale_agreement"] = agree / all_couples
    result["one_scale_splits"] = five
    lines += [
        f"one scale for each topic, fitted to all answers, orders {percent(top / bottom)} of decided answers rightly",
        f"if there were nothing but that scale, two decided answers would agree in {percent(agree / all_couples)},",
        "  and five decided answers would split 5-0, 4-1, 3-2 in " + ", ".join(map(percent, five)),
    ]
    return result, lines


# Time


def speed(data: Data) -> Section:
    """The time is that of a page of three pairs, so only pages can be timed: since the person's last page."""
    pages = Counter(len(page) for page in data.pages.values())
    same_page = Counter(frozenset(a.pair for a in page) for page in data.pages.values() if len(page) == 3)
    stamps: dict[str, list[datetime]] = defaultdict(list)
    for person, time in sorted(data.pages):
        stamps[person].append(time)
    words = {item: len(text.split()) for item, text in data.text.items()}
    timed, gaps_of = [], defaultdict(list)
    for person, times in stamps.items():
        for before, after in itertools.pairwise(times):
            page, gap = data.pages[person, after], (after - before).total_seconds()
            gaps_of[person].append(gap)
            timed.append((gap, page, sum(words[item] for answer in page for item in answer.pair)))
    known = [("of the page before", 0), ("of the page itself", 1)]
    tells = {name: within_people(data, stamps, words, at) for name, at in known}
    gaps = [gap for gap, _, _ in timed]
    pace = [60 * number / gap for gap, _, number in timed]
    result: dict = {
        "pages": dict(sorted(pages.items())),
        "people_per_page_of_three": dict(sorted(Counter(same_page.values()).items())),
        "correlation_with_words": tells,
        "shortest": min(gaps),
        "seconds": quantiles(gaps),
        "over_400_words_a_minute": sum(p > 400 for p in pace) / len(pace),
        "over_600_words_a_minute": sum(p > 600 for p in pace) / len(pace),
    }
    rows = []
    for low, high in ((0, 30), (30, 60), (60, 120), (120, 300), (300, 900), (900, math.inf)):
        inside = [(page, number) for gap, page, number in timed if low <= gap < high]
        if not inside:
            continue
        answers = [answer for page, _ in inside for answer in page]
        rows.append(
            {
                "from": low,
                "to": high if high < math.inf else None,
                "pages": len(inside),
                "words": sum(number for _, number in inside) / len(inside),
                "ties": sum(a.choice == "T" for a in answers) / len(answers),
                "agreement": mean_agreement(data, answers),
            }
        )
    result["by_seconds"] = rows
    hasty = []
    for person, own in gaps_of.items():
        if len(own) >= 7 and quantiles(own, (0.5,))[0] < 60:
            answers = data.of_person[person]
            hasty.append((quantiles(own, (0.5,))[0], person, len(answers), mean_agreement(data, answers)))
    hasty.sort()
    together = [a for _, person, _, _ in hasty for a in data.of_person[person]]
    result["hasty"] = {"people": len(hasty), "answers": len(together)}
    lines = [
        (
            f"pages by number of answers: {dict(sorted(pages.items()))}; "
            f"pages of three by number of people: {result['people_per_page_of_three']}"
        ),
        "correlation of the seconds since the person's last page, as a logarithm, with the words "
        + ", ".join(f"{name} {value:+.3f}" for name, value in tells.items()),
        (
            f"seconds since the person's last page (5, 25, 50, 75, 95 %): {[int(g) for g in result['seconds']]}; "
            f"shortest {min(gaps):.0f}"
        ),
        (
            f"faster than 400 words a minute: {percent(result['over_400_words_a_minute'])} of pages; "
            f"than 600: {percent(result['over_600_words_a_minute'])}"
        ),
        "seconds           pages     words     ties      agree with another decided answer",
    ]
    for row in rows:
        name = f"{row['from']} to {row['to']}" if row["to"] else f"{row['from']} or more"
        lines.append(
            f"{name:18}{row['pages']:<10}{row['words']:<10.0f}{percent(row['ties']):10}{percent(row['agreement'])}"
        )
    if together:
        result["hasty"]["agreement"] = mean_agreement(data, together)
        lines.append(
            f"{len(hasty)} people with at least 8 pages have a median below 60 seconds; {len(together)} answers, "
            f"agreement {percent(result['hasty']['agreement'])}"
        )
        lines.append(
            "  fastest: " + ", ".join(f"{p} {g:.0f} s ({n} answers, {percent(a, 0)})" for g, p, n, a in hasty[:5])
        )
    return result, lines


def within_people(data: Data, stamps: dict[str, list[datetime]], words: dict[str, int], which: int) -> float:
    """Does the time between two pages grow with the words of the first (0) or of the second (1)? If with those of
    the second, the time is when a page was sent."""
    xs, ys = [], []
    for person, times in stamps.items():
        rows = []
        for two in itertools.pairwise(times):
            gap = (two[1] - two[0]).total_seconds()
            if gap < 600:
                page = data.pages[person, two[which]]
                rows.append((math.log(max(gap, 1)), sum(words[item] for answer in page for item in answer.pair)))
        if len(rows) >= 5:
            means = [sum(column) / len(rows) for column in zip(*rows)]
            xs += [row[0] - means[0] for row in rows]
            ys += [row[1] - means[1] for row in rows]
    return line_through(xs, ys)[0]


def runs(data: Data) -> Section:
    """The longest runs of pages with all answers the same; the order within a page is not known."""
    longest = []
    for person, answers in data.of_person.items():
        run, best, last, what = 0, 0, None, None
        for _, rows in sorted(group(answers, lambda a: a.time).items()):
            choices = {a.choice for a in rows}
            only = choices.pop() if len(choices) == 1 else None
            run = run + len(rows) if only and only == last else (len(rows) if only else 0)
            last = only
            if run > best:
                best, what = run, only
        if best:
            longest.append((best, person, what, len(answers)))
    longest.sort(key=lambda row: (-row[0], row[1]))
    sides = [row for row in longest if row[2] != "T"]
    ties = [row for row in longest if row[2] == "T"]
    result: dict = {"sides": [list(row) for row in sides[:8]], "ties": [list(row) for row in ties[:8]]}
    lines = [
        "longest runs of one side (whole pages): " + ", ".join(f"{p} {n} {what} of {m}" for n, p, what, m in sides[:6]),
        "longest runs of ties (whole pages): " + ", ".join(f"{p} {n} of {m}" for n, p, what, m in ties[:6]),
    ]
    return result, lines


def counts(data: Data) -> Section:
    twice = len(data.answers) - len({(a.person, a.pair) for a in data.answers})
    unordered = len({frozenset(pair) for pair in data.split})
    items = Counter(data.topic.values())
    possible = sum(couples(n) for n in items.values())
    result: dict = {
        "answers": len(data.answers),
        "decided": sum(s.decided for s in data.split.values()),
        "pairs": unordered,
        "possible_pairs": possible,
        "pairs_shown_both_ways": len(data.split) - unordered,
        "items": len(data.text),
        "topics": len(data.topics),
        "answers_across_topics": data.crossing,
        "duplicate_rows": data.duplicates,
        "repeated_by_one_person": twice,
    }
    lines = [
        (
            f"{result['answers']} answers, {result['decided']} of them decided, on {unordered} pairs of "
            f"{result['items']} items in {result['topics']} topics"
        ),
        f"pairs within topics that were possible: {possible}; answers across topics: {data.crossing}",
        f"pairs shown with either item on the left: {result['pairs_shown_both_ways']}",
        f"rows that occur twice: {data.duplicates}; answers of a person to a pair answered before: {twice}",
    ]
    return result, lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="the folder to read [default: $LIKELIER_DATA/convincing]")
    parser.add_argument("--topics", type=int, help="the first N topics only")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.data is None:
        if "LIKELIER_DATA" not in os.environ:
            parser.error("give --data, or set LIKELIER_DATA")
        options.data = Path(os.environ["LIKELIER_DATA"]) / "convincing"
    data = Data(options.data, options.topics)
    sections: dict[str, Callable[[], Section]] = {
        "counts": lambda: counts(data),
        "shares": lambda: with_intervals(data, random.Random(1)),
        "lopsided": lambda: lopsided(data),
        "splits": lambda: unanimity(data),
        "degree": lambda: degree(data, random.Random(2)),
        "circles": lambda: circles(data, random.Random(3)),
        "persons": lambda: shares_of_people(data),
        "habits": lambda: people(data, random.Random(4)),
        "identical": lambda: identical(data),
        "speed": lambda: speed(data),
        "runs": lambda: runs(data),
    }
    results = {}
    for name, section in sections.items():
        results[name], lines = section()
        if not options.json:
            print("\n".join([f"== {name}", *lines, ""]), flush=True)
    if options.json:
        # What cannot be computed is not a number, for which JSON has no sign but null.
        print(json.dumps(json.loads(json.dumps(results), parse_constant=lambda _: None), indent=2))


if __name__ == "__main__":
    main()
