"""Prints what `real_data.rs` expects of the real files, read here by other means.

Run as `python3 real_data.py DATA_DIR`; needs the standard library only and takes a minute. For each data
set: the rows of the training and the test file(s), the rows of each class, the sum of all features, the
same sum with each feature times (1 + its column) or times the class of its row, which notice what is in the
wrong column or has the wrong class, and the largest cell of five rows, which notices a wrong order.
"""

import gzip
import lzma
import struct
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(sys.argv[1])


def report(name, parts):
    """Each part is (list of rows, list of classes)."""
    rows = [row for part in parts for row in part[0]]
    classes = [each for part in parts for each in part[1]]
    width = len(rows[0])
    assert len(rows) == len(classes) and all(len(row) == width for row in rows)
    sums = [sum(row[at] for row in rows) for at in range(width)]
    print(name)
    print("  rows", [len(part[0]) for part in parts], "features", width)
    print("  rows of each class", sorted(Counter(classes).items()))
    print("  sum", repr(sum(sums)), "by column", repr(sum((at + 1) * each for at, each in enumerate(sums))))
    print("  by class", repr(sum(each * sum(row) for each, row in zip(classes, rows))))
    probes = [len(rows) * quarter // 4 for quarter in range(4)] + [len(rows) - 1]
    largest = [max(rows[row]) for row in probes]
    print("  largest", [(row, rows[row].index(cell), cell) for row, cell in zip(probes, largest)])


def idx(folder, images, labels):
    data = gzip.open(ROOT / folder / images).read()
    magic, count, high, wide = struct.unpack(">IIII", data[:16])
    assert magic == 0x803 and len(data) == 16 + count * high * wide
    size = high * wide
    rows = [data[16 + at * size : 16 + (at + 1) * size] for at in range(count)]
    data = gzip.open(ROOT / folder / labels).read()
    magic, marked = struct.unpack(">II", data[:8])
    assert magic == 0x801 and len(data) == 8 + marked
    return rows, list(data[8 : 8 + count])


def cifar(name):
    data = lzma.open(ROOT / "cifar10" / name).read()
    assert len(data) == 10_000 * 3073
    records = [data[at : at + 3073] for at in range(0, len(data), 3073)]
    return [record[1:] for record in records], [record[0] for record in records]


def text(path, separator, class_at):
    opener = gzip.open if path.endswith(".gz") else open
    rows, classes = [], []
    for line in opener(ROOT / path, "rt").read().splitlines():
        values = [float(value) for value in line.split(separator)]
        classes.append(int(values.pop(class_at)))
        rows.append(values)
    return rows, classes


for folder, train in [
    ("mnist", "train-images-idx3-ubyte.gz"),
    ("fashion-mnist", "train-images-idx3-ubyte.gz"),
    ("kuzushiji-mnist", "train-images-first7011-idx3-ubyte.gz"),
]:
    report(
        folder,
        [
            idx(folder, train, "train-labels-idx1-ubyte.gz"),
            idx(folder, "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte.gz"),
        ],
    )
report("usps", [text("usps/zip.train.gz", None, 0), text("usps/zip.test.gz", None, 0)])
report("pendigits", [text("pendigits/pendigits.tra", ",", -1), text("pendigits/pendigits.tes", ",", -1)])
digits = [text("optdigits/optdigits.tra", ",", -1), text("optdigits/optdigits.tes", ",", -1)]
every = digits[0][0] + digits[1][0]
varied = [at for at in range(64) if len({row[at] for row in every}) > 1]
report("optdigits", [([[row[at] for at in varied] for row in rows], classes) for rows, classes in digits])
report("cnae9", [text("cnae9/CNAE-9.data", ",", 0)])
batches = [cifar("data_batch_%d.bin.xz" % at) for at in range(1, 6)]
train = ([row for batch in batches for row in batch[0]], [each for batch in batches for each in batch[1]])
report("cifar10", [train, cifar("test_batch.bin.xz")])
