"""What must be said beside a result: a category for each warning of the library."""

from __future__ import annotations

import warnings
from collections.abc import Iterable


class LikelierWarning(UserWarning):
    """A remark that a result needs."""


class BothOrdersWarning(LikelierWarning):
    """Pairs were answered both ways."""


class RepeatedPairsWarning(LikelierWarning):
    """Answers repeat earlier ones."""


class PriorEstimatedWarning(LikelierWarning):
    """The share of positives was not stated, and was estimated."""


class ProtocolContradictedWarning(LikelierWarning):
    """The comparisons do not look as the protocol says."""


class ImpossibleEstimateWarning(LikelierWarning):
    """An estimate that no classifier can have."""


class WorseThanConstantWarning(LikelierWarning):
    """The classifier is worse than always giving the same answer."""


class NoBetterThanChanceWarning(LikelierWarning):
    """Nothing shows that the classifier has learnt anything."""


class LabelsContradictWarning(LikelierWarning):
    """Labels and comparisons cannot both be right about the accuracy."""


class LabelsOfOneClassWarning(LikelierWarning):
    """All labels are alike."""


class LabelsNotUsedWarning(LikelierWarning):
    """Labels were given that cannot judge the classifier."""


class NotJudgedWarning(LikelierWarning):
    """Nothing is known about the accuracy."""


class NotCalibratedWarning(LikelierWarning):
    """Calibration was asked for, and there is nothing to calibrate by."""


class ShiftedOnlyWarning(LikelierWarning):
    """Calibration could only shift the scores."""


class PicksBySideWarning(LikelierWarning):
    """More is wrong by leanings to a side alone than was stated."""


class FellBackWarning(LikelierWarning):
    """The pair posterior was given up for its warm-up."""


def _code(category: type[LikelierWarning]) -> str:
    """``NotJudgedWarning`` → ``not-judged``, the library's name for it."""
    words = category.__name__.removesuffix("Warning")
    return "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in words)[1:]


CATEGORIES = {_code(category): category for category in LikelierWarning.__subclasses__()}


def warn(warned: Iterable[tuple[str, str, str]], stacklevel: int = 3) -> None:
    """Passes on the library's warnings: code, message and advice."""
    for code, message, advice in warned:
        text = f"{message}. {advice}" if advice else message
        warnings.warn(text, CATEGORIES.get(code, LikelierWarning), stacklevel=stacklevel)
