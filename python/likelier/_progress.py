"""How long work goes: a bar where tqdm is installed, else lines in the log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

Progress = Callable[[str, int, int, str], None]

log = logging.getLogger("likelier")


class _Bars:
    """One bar after the other, for what is done now."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._stage = ""
        self._bar: Any = None

    def __call__(self, stage: str, done: int, of: int, words: str) -> None:
        if stage != self._stage:
            self.close()
            self._stage, self._bar = stage, self._tqdm(total=of, desc=stage, leave=False)
        self._bar.set_postfix_str(words, refresh=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _logged(stage: str, done: int, of: int, words: str) -> None:
    log.info("%s: %d of %d%s", stage, done, of, f", {words}" if words else "")


class Shown:
    """Shows progress while a ``with`` block runs, if that is wanted."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._bars: _Bars | None = None

    def __enter__(self) -> Progress | None:
        if not self._wanted:
            return None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return _logged
        self._bars = _Bars(tqdm)
        return self._bars

    def __exit__(self, *_: object) -> None:
        if self._bars is not None:
            self._bars.close()
