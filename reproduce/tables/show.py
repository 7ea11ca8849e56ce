"""Three tables that nobody prepared, from files to a judged model.

    python3 reproduce/tables/show.py PROGRAM DATA FOLDER > show.csv

PROGRAM is the built `likelier`, DATA the folder of data sets, FOLDER a place for files. Needs scikit-learn, pandas and
Pillow. Answers are made from the labels (forced choice, equals by a coin, 5 % of mixed pairs wrong); the labels
themselves are used at the very end, to see how many of the items that were not compared are called right.

  breast-cancer   scikit-learn's table as CSV
  people          10 % missing cells, dates, categories, free text and headers in other scripts, as JSON Lines
  images          2,000 digits of MNIST as PNG and JPEG, even ones positive
"""
import csv, gzip, json, random, subprocess, sys
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.datasets import load_breast_cancer

PROGRAM, DATA, FOLDER = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])


def answers(path, ids, labels, count, draw):
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["winner", "loser"])
        for _ in range(count):
            a, b = draw.sample(range(len(ids)), 2)
            first = draw.random() < 0.5 if labels[a] == labels[b] else (labels[a] > labels[b]) == (draw.random() < 0.95)
            out.writerow([ids[a], ids[b]] if first else [ids[b], ids[a]])


def breast_cancer(draw):
    """The table, and how its columns are named to `train`."""
    data = load_breast_cancer(as_frame=True)
    table, labels = data.data, [int(label) for label in data.target]
    table.insert(0, "id", [f"case {row}" for row in range(len(table))])
    return table.to_dict("records"), labels, "csv", []


def people(draw):
    good = ["friendly staff", "quick reply", "would come again", "great value", "spotless rooms"]
    bad = ["rude staff", "no reply for weeks", "never again", "overpriced", "dirty rooms"]
    records, labels = [], []
    for row in range(3000):
        label = int(draw.random() < 0.4)
        words = [draw.choice(good if draw.random() < (0.7 if label else 0.3) else bad) for _ in range(3)]
        record = {
            "id": f"käse/{row}",
            "größe": round(draw.gauss(180 + 4 * label, 8), 1),
            "価格": round(draw.gauss(100 - 15 * label, 20), 2),
            "город": draw.choice(["Киев", "Praha", "東京"]) if draw.random() < 0.7 else ("Praha" if label else "東京"),
            "joined": f"20{draw.randrange(15, 22) + 2 * label:02}-{draw.randrange(1, 13):02}-{draw.randrange(1, 29):02}",
            "member": draw.random() < (0.6 if label else 0.4),
            "what they wrote": ". ".join(words).capitalize() + ".",
        }
        for column in list(record)[1:]:
            if draw.random() < 0.1:
                record[column] = None
        records.append(record)
        labels.append(label)
    return records, labels, "jsonl", ["--categories", "город", "--dates", "joined", "--text", "what they wrote"]


def images(draw):
    def idx(name):
        with gzip.open(next((DATA / "mnist").glob(f"{name}*.gz"))) as file:
            return file.read()
    pixels = np.frombuffer(idx("train-images")[16:], np.uint8).reshape(-1, 28, 28)
    digits = np.frombuffer(idx("train-labels")[8:], np.uint8)
    rows = draw.sample(range(len(digits)), 2000)
    return [(f"{row}.{'png' if at % 2 else 'jpg'}", pixels[row]) for at, row in enumerate(rows)], [int(digits[row] % 2 == 0) for row in rows], "images", []


def write(kind, records, place):
    if kind == "images":
        place.mkdir(exist_ok=True)
        for name, pixels in records:
            Image.fromarray(pixels).save(place / name, quality=90)
    elif kind == "jsonl":
        place.write_text("\n".join(json.dumps(record, ensure_ascii=False) for record in records) + "\n")
    else:
        with open(place, "w", newline="") as file:
            out = csv.DictWriter(file, records[0])
            out.writeheader()
            out.writerows(records)


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    print("$ likelier", *arguments, "\n" + done.stdout + done.stderr, file=sys.stderr, flush=True)
    assert done.returncode == 0
    return done.stdout


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    print("table,model,items,comparisons,printed_low,printed_high,right_on_other_items,labels")
    for name, make, model, count in [
        ("breast-cancer", breast_cancer, ["--model", "linear"], 2000),
        ("people", people, ["--model", "linear"], 4000),
        ("images", images, ["--model", "mlp", "--image", "1,28,28"], 4000),
    ]:
        draw = random.Random(7)
        records, labels, kind, options = make(draw)
        half = len(records) * 2 // 3
        prior = sum(labels) / len(labels)
        ids = [record[0] if kind == "images" else record["id"] for record in records]
        trained, others = (FOLDER / f"{name}-{part}{'' if kind == 'images' else '.' + kind}" for part in ("items", "others"))
        write(kind, records[:half], trained)
        write(kind, records[half:], others)
        comparisons = FOLDER / f"{name}-comparisons.csv"
        answers(comparisons, ids[:half], labels[:half], count, draw)
        out = FOLDER / f"{name}.likelier"
        said = json.loads(run("train", "--items", trained, "--comparisons", comparisons, "--prior", f"{prior:.3f}", "--protocol", "forced-choice",
                              "--equals", "coin", "--labeller-error", "0.05", *model, *options, "--out", out, "--json"))
        accuracy = said["result"]["label_free"]["accuracy"]
        scores = FOLDER / f"{name}-scores.csv"
        run("predict", out, others, "--out", scores)
        with open(scores, newline="") as file:
            said = {row["id"]: int(row["label"]) for row in csv.DictReader(file)}
        assert len(said) == len(ids) - half, "every item has a score"
        right = np.mean([said[id] == label for id, label in zip(ids[half:], labels[half:])])
        print(f"{name},{model[1]},{half},{count},{accuracy['low']:.3f},{accuracy['high']:.3f},{right:.3f},{len(ids) - half}", flush=True)


main()
