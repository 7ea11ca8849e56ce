"""Makes the two files that `likelier` reads from the answers of UKPConvArg1.

    python prepare.py OUT [--data DIR] [--topics N] [--width 64]

DIR is a folder with items.csv.gz and answers.csv.gz [default: $LIKELIER_DATA/convincing]. OUT gets items.csv and
comparisons.csv. --topics keeps the first N topics in the order of the file. The same input and options always give the
same bytes. Nothing but Python 3.10 or later is needed.

items.csv: `id`, then features that are made from the text of the argument alone. `rank_score` is never read: it was
made from the answers.

- Plain features, see `plain`.
- Hashed words `h000`, `h001`, …: a word is a run of letters, digits and apostrophes, in lower case. c is
  zlib.crc32 of "w:" and the word in UTF-8. The word belongs to column (c >> 1) % width and counts +1 if c is even and
  -1 if c is odd, so that words that share a column do not all push the same way. With s the sum of a column,
  the column holds sign(s) · ln(1 + |s|) / sqrt(words in the text).

comparisons.csv: likelier, other, tie, annotator, side, time, group. The group is the topic: both items of a pair always
belong to it. Times are ISO 8601. A tie names the item shown on the left first; its side is empty.
"""

import argparse
import csv
import gzip
import math
import os
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
SENTENCE_END = re.compile(r"[.!?]+(?:\s|$)")
REASONS = {"because", "since", "therefore", "thus", "so", "hence", "if", "but", "although", "however", "while", "would"}


def read(path: Path) -> Iterator[dict[str, str]]:
    """The rows of a compressed CSV file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def plain(text: str) -> dict[str, float]:
    """The features that can be named."""
    words = WORD.findall(text)
    number = max(len(words), 1)
    letters = [c for c in text if c.isalpha()]
    sentences = max(len(SENTENCE_END.findall(text + " ")), 1)
    lower = [word.lower() for word in words]

    def log_count(characters: str) -> float:
        return math.log1p(sum(text.count(c) for c in characters))

    return {
        "log_words": math.log1p(len(words)),
        "words": len(words),
        "log_characters": math.log1p(len(text)),
        "mean_word": sum(map(len, words)) / number,
        "long_words": sum(len(word) >= 7 for word in words) / number,
        "different_words": len(set(lower)) / number,
        "log_different_words": math.log1p(len(set(lower))),
        "log_sentences": math.log1p(sentences),
        "words_per_sentence": math.log1p(len(words) / sentences),
        "capitals": sum(c.isupper() for c in letters) / max(len(letters), 1),
        "shouted_words": sum(len(word) > 2 and word.isupper() for word in words) / number,
        "starts_with_capital": float(text.lstrip("\"'( ")[:1].isupper()),
        "ends_with_stop": float(text.rstrip("\"') ")[-1:] in tuple(".!?")),
        "log_commas": log_count(","),
        "log_stops": log_count("."),
        "log_questions": log_count("?"),
        "log_exclamations": log_count("!"),
        "log_quotes": log_count('"“”'),
        "log_colons": log_count(":;"),
        "log_brackets": log_count("()"),
        "log_apostrophes": log_count("'’"),
        "log_digits": math.log1p(sum(c.isdigit() for c in text)),
        "link": float("http" in text or "www." in text),
        "repeated_marks": math.log1p(len(re.findall(r"[.!?,]{2,}", text))),
        "small_i": math.log1p(words.count("i")),
        "says_i": lower.count("i") / number,
        "says_you": (lower.count("you") + lower.count("your")) / number,
        "reasons": math.log1p(sum(word in REASONS for word in lower)),
    }


def hashed(text: str, width: int) -> list[float]:
    """The words of a text, counted with signs in `width` columns."""
    words = WORD.findall(text.lower())
    sums = [0] * width
    for word in words if width else []:
        code = zlib.crc32(f"w:{word}".encode())
        sums[(code >> 1) % width] += -1 if code & 1 else 1
    scale = math.sqrt(max(len(words), 1))
    return [math.copysign(math.log1p(abs(s)), s) / scale for s in sums]


def iso(time: str) -> str:
    """2016-01-31 16:59:52.0 UTC → 2016-01-31T16:59:52Z"""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\.0 UTC", time)
    if not match:
        sys.exit(f"a time of another form than expected: {time!r}")
    return f"{match[1]}T{match[2]}Z"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, help="the folder to write")
    parser.add_argument("--data", type=Path, help="the folder to read [default: $LIKELIER_DATA/convincing]")
    parser.add_argument("--topics", type=int, help="the first N topics only")
    parser.add_argument("--width", type=int, default=64, help="columns of hashed words; 0 for none [default: 64]")
    options = parser.parse_args()
    if options.data is None:
        if "LIKELIER_DATA" not in os.environ:
            parser.error("give --data, or set LIKELIER_DATA")
        options.data = Path(os.environ["LIKELIER_DATA"]) / "convincing"
    if options.width < 0 or (options.topics is not None and options.topics < 1):
        parser.error("--width must be at least 0 and --topics at least 1")

    items = list(read(options.data / "items.csv.gz"))
    kept = list(dict.fromkeys(item["topic"] for item in items))[: options.topics]
    topic = {item["id"]: item["topic"] for item in items if item["topic"] in set(kept)}
    options.out.mkdir(parents=True, exist_ok=True)

    with open(options.out / "items.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["id", *plain(""), *(f"h{column:03}" for column in range(options.width))])
        for item in items:
            if item["id"] in topic:
                numbers = [*plain(item["text"]).values(), *hashed(item["text"], options.width)]
                table.writerow([item["id"], *(f"{number:.6g}" for number in numbers)])

    answers = 0
    with open(options.out / "comparisons.csv", "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["likelier", "other", "tie", "annotator", "side", "time", "group"])
        for row in read(options.data / "answers.csv.gz"):
            if row["likelier"] in topic:
                fields = [row[name] for name in ("likelier", "other", "tie", "annotator", "side")]
                table.writerow([*fields, iso(row["time"]), topic[row["likelier"]]])
                answers += 1

    features = len(plain("")) + options.width
    print(f"{options.out}: {len(topic)} items with {features} features, {answers} answers, {len(kept)} topics")


if __name__ == "__main__":
    main()
