"""The command ``likelier``: the same program as the one that Rust builds."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Runs the program with the arguments of this process."""
    return _native.command(["likelier", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
