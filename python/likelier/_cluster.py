"""Work on a Ray cluster: tasks with retries, actors that are made again, errors in our own words."""

from __future__ import annotations

import builtins
import logging
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from . import _native
from ._progress import Progress

log = logging.getLogger("likelier")

#: What workers must have, too.
VERSION: str = _native.__version__
_ALONE = "no machine of the cluster is left: the trials wait until one joins it, and Ctrl-C ends the call"


@contextmanager
def stopped_with(kept: Callable[[], str]) -> Iterator[None]:
    """Ctrl-C within it says what was kept, without the calls that were under way."""
    try:
        yield
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped: {kept()}") from None


def guarded(version: str, work: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
    """What a worker does: the result, or the kind of an error and its words."""
    if version != _native.__version__:
        words = (
            f"the worker on {socket.gethostname()} has likelier {_native.__version__}, and you have {version}: install "
            "the same version on every machine"
        )
        return "RuntimeError", words
    try:
        return "", work(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


def result_of(name: str, answer: tuple[str, Any]) -> Any:
    """A worker's result; its error is raised here in the same words, with the name of the work."""
    kind, value = answer
    if not kind:
        return value
    known = getattr(builtins, kind, None)
    if isinstance(known, type) and issubclass(known, Exception) and known is not KeyError:
        raise known(f"{name}: {value}")
    raise RuntimeError(f"{name}: {kind}: {value}")


def lost(ray: Any, name: str, error: Exception) -> str:
    """Why a worker is gone, if it is: then the work can be done again. Anything else is raised."""
    gone = ray.exceptions
    if isinstance(error, gone.OutOfMemoryError):
        raise MemoryError(
            f"{name}: the worker ran out of memory and Ray ended it: use machines with more memory, fewer CPUs on "
            "each of them, or more and smaller shards"
        ) from error
    deaths = (gone.NodeDiedError, gone.WorkerCrashedError, gone.RayActorError, gone.ObjectLostError)
    if isinstance(error, deaths):
        return type(error).__name__
    if isinstance(error, gone.RayError):
        raise RuntimeError(f"{name}: a worker failed: {str(error).strip().splitlines()[-1]}") from error
    raise error


def run_tasks(
    ray: Any,
    work: Callable[..., Any],
    shared: Sequence[Any],
    tasks: Sequence[tuple[str, Any]],
    *,
    retries: int,
    progress: Progress | None,
) -> Iterator[tuple[int, Any, int]]:
    """Runs ``work(*shared, task)`` for each named task, and gives each result as soon as it is there.

    With it come its place and how often it had to be run again because its worker had died. After Ctrl-C or an error no
    more are begun. Those that have begun are not cancelled: Ray 2.60 aborts this process ("Tried to complete task that
    was not pending") if one is finished at that moment. They end with this process, or when they are done.
    """
    remote = ray.remote(max_retries=0, num_cpus=1)(guarded)
    # As many again wait as run, so that no worker waits for this process.
    at_once = 2 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    waiting = list(range(len(tasks)))[::-1]
    attempts = [0] * len(tasks)
    running: dict[Any, int] = {}
    done = 0
    alone = False
    while waiting or running:
        while waiting and len(running) < at_once:
            at = waiting.pop()
            running[remote.remote(VERSION, work, *shared, tasks[at][1])] = at
        ready, _ = ray.wait(list(running), num_returns=1, timeout=1.0)
        if not ready and alone != (alone := ray.cluster_resources().get("CPU", 0) < 1):
            log.warning(_ALONE if alone else "a machine has joined the cluster: the trials go on")
        for reference in ready:
            at = running.pop(reference)
            name = tasks[at][0]
            try:
                answer = ray.get(reference)
            except Exception as error:
                why = lost(ray, name, error)
                attempts[at] += 1
                if attempts[at] > retries:
                    raise RuntimeError(f"{name}: its worker died {attempts[at]} times ({why})") from error
                log.warning("%s is run again: its worker died (%s)", name, why)
                waiting.append(at)
                continue
            result = result_of(name, answer)
            done += 1
            if progress is not None:
                progress("trials", done, len(tasks), name)
            yield at, result, attempts[at]


class Answering:
    """One actor for each of several pieces of data. One that dies is made again: it remembers nothing but its data."""

    def __init__(
        self, ray: Any, make: Callable[..., Any], pieces: Sequence[Sequence[Any]], *, cpus: float, retries: int
    ) -> None:
        self._ray = ray
        self._pieces = pieces
        self._retries = retries
        # All must live at once. Where there are fewer places than shards, they share the CPUs.
        nodes = [node["Resources"].get("CPU", 0) for node in ray.nodes() if node["Alive"]]
        places = sum(int(of_node / cpus) for of_node in nodes)
        own = cpus if places >= len(pieces) else 0
        self._class = ray.remote(num_cpus=own, max_restarts=0, max_task_retries=0)(_Actor)
        self._make = make
        self._deaths = [0] * len(pieces)
        self.restarts = 0
        #: Bytes that were sent and that came back, and in how many rounds.
        self.traffic = [0, 0, 0]
        self.actors = [self._class.remote() for _ in pieces]
        self._each(self._load)

    def __call__(self, ask: bytes) -> list[bytes]:
        """Sends an ask to all, and gives their answers in order."""
        answers: list[bytes] = self._each(lambda at: self.actors[at].ask.remote(ask))
        self.traffic[0] += len(ask) * len(answers)
        self.traffic[1] += sum(len(answer) for answer in answers)
        self.traffic[2] += 1
        return answers

    def close(self) -> None:
        """Ends the actors."""
        for actor in self.actors:
            self._ray.kill(actor)

    def _load(self, at: int) -> Any:
        return self.actors[at].load.remote(VERSION, self._make, *self._pieces[at])

    def _each(self, call: Callable[[int], Any]) -> list[Any]:
        calls = [call(at) for at in range(len(self.actors))]
        answers = []
        for at, reference in enumerate(calls):
            name = f"shard {at + 1} of {len(calls)}"
            while True:
                try:
                    answers.append(result_of(name, self._ray.get(reference)))
                    break
                except self._ray.exceptions.RayError as error:
                    why = lost(self._ray, name, error)
                    self._deaths[at] += 1
                    self.restarts += 1
                    if self._deaths[at] > self._retries:
                        raise RuntimeError(f"{name}: its worker died {self._deaths[at]} times ({why})") from error
                    log.warning("%s is loaded again: its worker died (%s)", name, why)
                    # Anywhere: the CPUs that it had may be gone with its machine.
                    self.actors[at] = self._class.options(num_cpus=0).remote()
                    loading = self._load(at)
                    reference = loading if call == self._load else call(at)
        return answers


class _Actor:
    def __init__(self) -> None:
        self._data: Any = None
        self._trouble: tuple[str, Any] = ("", None)

    def load(self, version: str, make: Callable[..., Any], *arguments: Any) -> tuple[str, Any]:
        kind, value = guarded(version, make, *arguments)
        if kind:
            self._trouble = (kind, value)
            return kind, value
        self._data = value
        return "", None

    def ask(self, ask: bytes) -> tuple[str, Any]:
        if self._trouble[0]:
            return self._trouble
        return guarded(VERSION, self._data.partial, ask)
