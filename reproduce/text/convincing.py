"""Answers of real people about texts, predicted for topics that training never saw.

    python3 reproduce/text/convincing.py PROGRAM DATA FOLDER [train's options …] > convincing.csv

PROGRAM is the built `likelier`, DATA the folder of data sets, FOLDER a place for files. The 32 topics are dealt to four
folds. Three roads with one learner:

  text      items.csv as it is, `--text text`
  sklearn   scikit-learn's HashingVectorizer (words and pairs of words, pieces of 2 to 4 letters, 2^15 features
            together, each of length 1), written as LIBSVM
  nothing   the length of the text alone

Seconds and the peak of memory are those of `train` (for sklearn with the hashing).
"""
import csv, gzip, os, random, subprocess, sys, time
from pathlib import Path

PROGRAM, DATA, FOLDER = sys.argv[1], Path(sys.argv[2]) / "convincing", Path(sys.argv[3])
OPTIONS = sys.argv[4:] or ["--prior", "0.5"]
FOLDS, ROADS = 4, ("text", "sklearn", "nothing")


def rows(name):
    with gzip.open(DATA / f"{name}.csv.gz", "rt", newline="") as file:
        return list(csv.DictReader(file))


def write(path, header, lines):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *lines])


def run(arguments):
    """The seconds and the peak of memory (MB) of a program."""
    start = time.perf_counter()
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read().decode()
    _, status, usage = os.wait4(child.pid, 0)
    assert status == 0, said
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def hashed(train, test, folder):
    """LIBSVM files by scikit-learn, made in a process of its own; the row number is the id."""
    code = """
import csv, sys
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.pipeline import FeatureUnion
both = FeatureUnion([("words", HashingVectorizer(ngram_range=(1, 2), n_features=2**14)),
                     ("pieces", HashingVectorizer(analyzer="char_wb", ngram_range=(2, 4), n_features=2**14))])
for name in sys.argv[1:]:
    texts = [row["text"] for row in csv.DictReader(open(name, newline=""))]
    dump_svmlight_file(both.transform(texts), [0] * len(texts), name[:-4] + ".libsvm", zero_based=False)
"""
    return run([sys.executable, "-c", code, str(train), str(test)])


def main():
    items, answers = rows("items"), rows("answers")
    topics = sorted({item["topic"] for item in items})
    random.Random(1).shuffle(topics)
    print("fold,road,train_answers,test_answers,right,standard_error,seconds,megabytes", flush=True)
    for fold in range(FOLDS):
        held = set(topics[fold::FOLDS])
        parts = {side: [item for item in items if (item["topic"] in held) == (side == "test")] for side in ("train", "test")}
        place = FOLDER / f"fold{fold}"
        place.mkdir(parents=True, exist_ok=True)
        number = {}
        for side, part in parts.items():
            write(place / f"{side}.csv", ["id", "text"], [(item["id"], item["text"]) for item in part])
            write(place / f"{side}-length.csv", ["id", "length"], [(item["id"], len(item["text"])) for item in part])
            number |= {item["id"]: row for row, item in enumerate(part)}
        kept = {side: [a for a in answers if (a["likelier"] in {i["id"] for i in parts[side]})] for side in parts}
        header = ["likelier", "other", "tie", "annotator"]
        for name, key in (("answers", lambda id: id), ("numbered", lambda id: number[id])):
            lines = [(key(a["likelier"]), key(a["other"]), a["tie"], a["annotator"]) for a in kept["train"]]
            write(place / f"{name}.csv", header, lines)
        for road in ROADS:
            seconds, memory = hashed(place / "train.csv", place / "test.csv", place) if road == "sklearn" else (0, 0)
            files = {"text": ["train.csv", "test.csv"], "sklearn": ["train.libsvm", "test.libsvm"], "nothing": ["train-length.csv", "test-length.csv"]}[road]
            comparisons = "numbered.csv" if road == "sklearn" else "answers.csv"
            words = ["--text", "text"] if road == "text" else []
            model = place / f"{road}.likelier"
            took, most = run([PROGRAM, "train", "--items", place / files[0], "--comparisons", place / comparisons, "--protocol", "forced-choice",
                              *words, *OPTIONS, "--no-report", "--out", model])
            run([PROGRAM, "predict", model, place / files[1], "--out", place / "scores.csv"])
            with open(place / "scores.csv", newline="") as file:
                scores = {row["id"]: float(row["score"]) for row in csv.DictReader(file)}
            key = (lambda id: str(number[id])) if road == "sklearn" else (lambda id: id)
            by_topic = {}
            for answer in kept["test"]:
                if answer["tie"] == "1":
                    continue
                gap = scores[key(answer["likelier"])] - scores[key(answer["other"])]
                by_topic.setdefault(answer["likelier"].split("/")[0], []).append(1.0 if gap > 0 else 0.5 if gap == 0 else 0.0)
            # Answers of one topic go together.
            counts = [len(one) for one in by_topic.values()]
            right = sum(map(sum, by_topic.values())) / sum(counts)
            error = (sum((sum(one) - right * len(one)) ** 2 for one in by_topic.values()) ** 0.5) / sum(counts)
            print(f"{fold},{road},{len(kept['train'])},{sum(counts)},{right:.4f},{error:.4f},{seconds + took:.2f},{max(memory, most):.0f}", flush=True)


main()
