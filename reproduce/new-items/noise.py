"""Pure noise that recurs: 300 items with 50 random features, 6,000 forced choices by random classes.

    python3 reproduce/new-items/noise.py noise
    likelier train --items noise/items.csv --comparisons noise/comparisons.csv --out noise.likelier
    likelier evaluate noise.likelier --items noise/test.csv --label label

No feature has anything to do with a class, so no classifier can be better on new items than a constant answer. Still
each item takes part in 40 comparisons, and a model can learn these items by heart.
"""

import json
import random
import sys
from pathlib import Path

ITEMS, FEATURES, CHOICES, TEST, PRIOR = 300, 50, 6000, 4000, 0.4


def main(folder: Path) -> None:
    draw = random.Random(0)
    folder.mkdir(parents=True, exist_ok=True)

    def row(name: int) -> tuple[str, bool]:
        numbers = ",".join(f"{draw.gauss(0, 1):.5f}" for _ in range(FEATURES))
        return f"{name},{numbers}", draw.random() < PRIOR

    head = "id," + ",".join(f"f{k}" for k in range(FEATURES))
    items = [row(k) for k in range(ITEMS)]
    test = [row(k) for k in range(TEST)]
    (folder / "items.csv").write_text("\n".join([head, *(text for text, _ in items)]) + "\n")
    labelled = [f"{text},{int(positive)}" for text, positive in test]
    (folder / "test.csv").write_text("\n".join([head + ",label", *labelled]) + "\n")
    lines = ["likelier,other"]
    for _ in range(CHOICES):
        a, b = draw.sample(range(ITEMS), 2)
        first = items[a][1] if items[a][1] != items[b][1] else draw.random() < 0.5
        lines.append(f"{a},{b}" if first else f"{b},{a}")
    (folder / "comparisons.csv").write_text("\n".join(lines) + "\n")
    card = {"protocol": "forced-choice", "labeller_error": 0.0, "equals": "coin", "prior": PRIOR}
    (folder / "dataset.json").write_text(json.dumps(card) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("give the folder to write")
    main(Path(sys.argv[1]))
