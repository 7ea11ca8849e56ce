"""Prints golden values, or holds them against a committed file: `--check FILE`."""

import json
import sys


def differences(old, new, same, path):
    """Where two results differ by more than `same(path, old, new)` allows; the version of PyTorch may."""
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        keys = [key for key in old if key != "torch"]
        return [d for key in keys for d in differences(old[key], new[key], same, f"{path}.{key}")]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new))
        return [d for k, pair in pairs for d in differences(*pair, same, f"{path}[{k}]")]
    if isinstance(old, (int, float)) and isinstance(new, (int, float)):
        return [] if same(path, old, new) else [f"{path}: {old} committed, {new} now"]
    return [] if old == new else [f"{path}: {old!r} committed, {new!r} now"]


def finish(result, same, of):
    """Ends the script; `of` says what there is."""
    if sys.argv[1:2] == ["--check"]:
        with open(sys.argv[2]) as file:
            found = differences(json.load(file), json.loads(json.dumps(result)), same, "values")
        print("\n".join(found[:20]))
        print(f"{of}, {len(found)} differences")
        sys.exit(bool(found))
    json.dump(result, sys.stdout, indent=None, separators=(",", ":"))
    sys.stdout.write("\n")
