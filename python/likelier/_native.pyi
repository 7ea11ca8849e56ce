from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Classifier",
    "Fitted",
    "Open",
    "Shard",
    "__version__",
    "assess",
    "check",
    "command",
    "estimate_prior",
    "fit",
    "fit_shards",
    "fit_stage",
    "folds",
    "generate",
    "plan",
    "risk",
    "run_trial",
    "shards_for",
    "stateless_methods",
]

__version__: str

_Floats = NDArray[np.float32]
_Items = (
    NDArray[np.float32] | NDArray[np.uint8] | tuple[NDArray[np.float32], NDArray[np.uint32], NDArray[np.int64], int]
)
_Progress = Callable[[str, int, int, str], object] | None
_Warned = list[tuple[str, str, str]]

@final
class Classifier:
    def __new__(cls, content: bytes) -> Classifier: ...
    @staticmethod
    def load(path: str | PathLike[str]) -> Classifier: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    def to_onnx(self) -> bytes: ...
    def scores(self, items: _Items) -> _Floats: ...
    def __reduce__(self) -> tuple[type[Classifier], tuple[bytes]]: ...
    @property
    def threshold(self) -> float: ...
    @property
    def probability(self) -> tuple[float, float]: ...
    @property
    def method(self) -> str: ...
    @property
    def prior(self) -> float: ...
    @property
    def protocol(self) -> str: ...
    @property
    def labeller_error(self) -> float: ...
    @property
    def width(self) -> int: ...
    @property
    def feature_names(self) -> list[str] | None: ...
    @property
    def metadata(self) -> str: ...

@final
class Fitted:
    @property
    def classifier(self) -> Classifier: ...
    @property
    def assessment(self) -> str | None: ...
    @property
    def replies(self) -> str | None: ...
    @property
    def warnings(self) -> _Warned: ...
    @property
    def report(self) -> tuple[str, str, str]: ...
    @property
    def epochs(self) -> int: ...

def risk(
    likelier: _Floats,
    other: _Floats,
    prior: float,
    protocol_name: str,
    labeller_error: float,
    method: str,
    weights: Sequence[_Floats] | None,
) -> tuple[float, _Floats, _Floats]: ...
def stateless_methods() -> list[str]: ...
def fit(
    items: _Items,
    given: Mapping[str, Any],
    belief: Mapping[str, Any],
    labels: tuple[NDArray[np.int8], str, bool] | None,
    options: Mapping[str, Any],
    ids: list[str] | None,
    title: tuple[str, str],
    progress: _Progress,
) -> Fitted: ...

@final
class Shard:
    def __new__(cls, items: _Items, given: Mapping[str, Any]) -> Shard: ...
    def partial(self, ask: bytes) -> bytes: ...

_Lists = tuple[NDArray[np.uint32], NDArray[np.uint32], _Floats | None, NDArray[np.uint32] | None]
_Found = tuple[bytes | None, tuple[int, int, str] | None]

@final
class Open:
    @property
    def trials(self) -> list[tuple[str, str]]: ...
    @property
    def comparisons(self) -> _Lists: ...

def shards_for(comparisons: int) -> int: ...
def fit_shards(
    ask: Callable[[bytes], list[bytes]],
    belief: Mapping[str, Any],
    weight_decay: float | None,
    feature_names: list[str] | None,
    progress: _Progress,
) -> tuple[Classifier, _Warned]: ...
def run_trial(items: _Items, comparisons: _Lists, trial: str, threads: int | None) -> list[_Found]: ...
def fit_stage(
    items: _Items,
    given: Mapping[str, Any],
    belief: Mapping[str, Any],
    labels: tuple[NDArray[np.int8], str, bool] | None,
    options: Mapping[str, Any],
    ids: list[str] | None,
    title: tuple[str, str],
    done: Mapping[str, list[_Found]],
) -> Fitted | Open: ...
def assess(
    scores: _Floats, threshold: float, given: Mapping[str, Any], belief: Mapping[str, Any]
) -> tuple[str, _Warned]: ...
def check(
    items: _Items,
    given: Mapping[str, Any],
    belief: Mapping[str, Any],
    scorer: Mapping[str, Any],
    progress: _Progress,
) -> str: ...
def estimate_prior(
    items: _Items,
    given: Mapping[str, Any],
    belief: Mapping[str, Any],
    scorer: Mapping[str, Any],
    progress: _Progress,
) -> str: ...
def folds(given: Mapping[str, Any], items: int, count: int, seed: int) -> NDArray[np.uint32]: ...
def generate(
    labels: NDArray[np.bool_], degrees: _Floats | None, wanted: Mapping[str, Any]
) -> tuple[NDArray[np.uint32], int | None]: ...
def plan(
    prior: float,
    protocol_name: str,
    labeller_error: float,
    accuracy: float,
    half_width: float | None,
    comparisons: int | None,
) -> list[tuple[str, int, float]]: ...
def command(arguments: Sequence[str]) -> int: ...
