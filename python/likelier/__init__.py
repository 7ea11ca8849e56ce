"""A yes/no classifier from "this one is likelier" comparisons, without a single label.

>>> import numpy as np
>>> from likelier import ComparisonClassifier, generate
>>> rng = np.random.default_rng(0)
>>> good = rng.random(600) < 0.4                       # nobody tells the classifier
>>> X = rng.normal(size=(600, 3)) + good[:, None]
>>> pairs = generate(good, 3000).pairs                 # "this one is likelier", 3,000 times
>>> model = ComparisonClassifier(prior=0.4, protocol="forced-choice", equals="coin").fit(X, pairs)
>>> print(f"{model.assess().new_items.accuracy:.2f}")  # without a single label
0.80 (0.76 to 0.84)
>>> print(f"{(model.predict(X) == good).mean():.2f}")  # the truth
0.81

Everything is loaded when it is first used, so that ``import likelier`` takes no time.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._native import __version__

if TYPE_CHECKING:
    from ._assessment import Assessment, Interval, Judgement, LabelAudit, Range, Ranges
    from ._checkup import Checkup, Finding, PriorReport, check, estimate_prior
    from ._classifier import ComparisonClassifier, NotFittedError
    from ._functions import Comparisons, Precision, Risk, assess, generate, plan, risk
    from ._replies import Rate, Replies
    from ._splitting import ComparisonSplit, label_free_accuracy
    from ._warnings import (
        BothOrdersWarning,
        FellBackWarning,
        ImpossibleEstimateWarning,
        LabelsContradictWarning,
        LabelsNotUsedWarning,
        LabelsOfOneClassWarning,
        LikelierWarning,
        NoBetterThanChanceWarning,
        NotCalibratedWarning,
        NotJudgedWarning,
        PicksBySideWarning,
        PriorEstimatedWarning,
        ProtocolContradictedWarning,
        RepeatedPairsWarning,
        ShiftedOnlyWarning,
        WorseThanConstantWarning,
    )
    from .from_comparisons import FromComparisons

_PLACES = {
    "_assessment": ["Assessment", "Interval", "Judgement", "LabelAudit", "Range", "Ranges"],
    "_checkup": ["Checkup", "Finding", "PriorReport", "check", "estimate_prior"],
    "_classifier": ["ComparisonClassifier", "NotFittedError"],
    "_functions": ["Comparisons", "Precision", "Risk", "assess", "generate", "plan", "risk"],
    "_replies": ["Rate", "Replies"],
    "_splitting": ["ComparisonSplit", "label_free_accuracy"],
    "_warnings": [
        "BothOrdersWarning",
        "FellBackWarning",
        "ImpossibleEstimateWarning",
        "LabelsContradictWarning",
        "LabelsNotUsedWarning",
        "LabelsOfOneClassWarning",
        "LikelierWarning",
        "NoBetterThanChanceWarning",
        "NotCalibratedWarning",
        "NotJudgedWarning",
        "PicksBySideWarning",
        "PriorEstimatedWarning",
        "ProtocolContradictedWarning",
        "RepeatedPairsWarning",
        "ShiftedOnlyWarning",
        "WorseThanConstantWarning",
    ],
    "from_comparisons": ["FromComparisons"],
}
_PLACE = {name: place for place, names in _PLACES.items() for name in names}

__all__ = [
    "Assessment",
    "BothOrdersWarning",
    "Checkup",
    "ComparisonClassifier",
    "ComparisonSplit",
    "Comparisons",
    "FellBackWarning",
    "Finding",
    "FromComparisons",
    "ImpossibleEstimateWarning",
    "Interval",
    "Judgement",
    "LabelAudit",
    "LabelsContradictWarning",
    "LabelsNotUsedWarning",
    "LabelsOfOneClassWarning",
    "LikelierWarning",
    "NoBetterThanChanceWarning",
    "NotCalibratedWarning",
    "NotFittedError",
    "NotJudgedWarning",
    "PicksBySideWarning",
    "Precision",
    "PriorEstimatedWarning",
    "PriorReport",
    "ProtocolContradictedWarning",
    "Range",
    "Ranges",
    "Rate",
    "RepeatedPairsWarning",
    "Replies",
    "Risk",
    "ShiftedOnlyWarning",
    "WorseThanConstantWarning",
    "__version__",
    "assess",
    "check",
    "estimate_prior",
    "generate",
    "label_free_accuracy",
    "plan",
    "risk",
]


def __getattr__(name: str) -> object:
    place = _PLACE.get(name)
    if place is None:
        raise AttributeError(f"module 'likelier' has no attribute {name!r}")
    try:
        value = getattr(import_module(f".{place}", __name__), name)
    except ModuleNotFoundError as error:
        raise ImportError(f"{name} needs the package {error.name}, which is not installed") from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
