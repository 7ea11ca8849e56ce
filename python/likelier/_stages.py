"""Fits as trials: values that say what to train, which anybody can run. Finished ones are kept in a folder."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from . import _native
from ._classifier import Arguments
from ._cluster import VERSION, run_tasks
from ._progress import Progress


class Stages:
    """Fits stage by stage: asks which trials are needed next, has them run, and asks again."""

    def __init__(self, ray: Any, resume: Any, retries: int, progress: Progress | None) -> None:
        self._ray = ray
        self._kept = None if resume is None else Path(resume)
        self._retries = retries
        self._progress = progress

    def kept(self) -> str:
        """What a call that was stopped has left."""
        if self._kept is None:
            return "nothing was kept (resume= names a folder that keeps finished trials)"
        finished = len(list(self._kept.glob("*.json")))
        return f"{finished} finished trials are in {self._kept}: the same call runs the others"

    def __call__(self, arguments: Arguments) -> _native.Fitted:
        done: dict[str, list[Any]] = {}
        items = arguments[0]
        digest = _digest(items if isinstance(items, tuple) else (items,))
        shared = None
        while True:
            found = _native.fit_stage(*arguments, done)
            if isinstance(found, _native.Fitted):
                return found
            lists = found.comparisons
            of_stage = _digest((digest, VERSION, *lists))
            open_ones = []
            for name, sent in found.trials:
                kept = self._read(of_stage, sent)
                if kept is None:
                    open_ones.append((name, sent))
                else:
                    done[sent] = kept
            if self._ray is None:
                for at, (name, sent) in enumerate(open_ones):
                    done[sent] = self._write(of_stage, sent, _native.run_trial(items, lists, sent, None))
                    if self._progress is not None:
                        self._progress("trials", at + 1, len(open_ones), name)
                continue
            if shared is None:
                shared = [self._ray.put(items)]
            sharing = [*shared, self._ray.put(lists)]
            for at, result, _ in run_tasks(
                self._ray, run_trial, sharing, open_ones, retries=self._retries, progress=self._progress
            ):
                sent = open_ones[at][1]
                done[sent] = self._write(of_stage, sent, result)

    def _place(self, of_stage: bytes, sent: str) -> Path | None:
        return None if self._kept is None else self._kept / f"{_digest((of_stage, sent)).hex()[:32]}.json"

    def _read(self, of_stage: bytes, sent: str) -> list[Any] | None:
        place = self._place(of_stage, sent)
        if place is None or not place.exists():
            return None
        found = json.loads(place.read_text())
        return [(None if model is None else base64.b64decode(model), broke and tuple(broke)) for model, broke in found]

    def _write(self, of_stage: bytes, sent: str, result: list[Any]) -> list[Any]:
        place = self._place(of_stage, sent)
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
            content = [(None if model is None else base64.b64encode(model).decode(), broke) for model, broke in result]
            partial = place.with_suffix(".partial")
            partial.write_text(json.dumps(content))
            os.replace(partial, place)
        return result


def run_trial(items: Any, lists: Any, sent: str) -> list[Any]:
    """What a worker does."""
    return _native.run_trial(items, lists, sent, 1)


def _digest(parts: Sequence[Any]) -> bytes:
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            total.update(f"{part.dtype}{part.shape}".encode())
            total.update(np.ascontiguousarray(part).data)
        else:
            total.update(part if isinstance(part, bytes) else repr(part).encode())
        total.update(b"\0")
    return total.digest()
