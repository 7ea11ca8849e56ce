"""What was stated, in the kinds that the library takes; anything else is refused by its name."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from ._seed import seed_of


def whole(name: str, value: object, least: int = 1) -> int:
    """A whole number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if not least <= int(value) < 2**63:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    return int(value)


def real(name: str, value: object) -> float:
    """A number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    return float(value)


def text(name: str, value: object) -> str:
    """A name."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a name, got {value!r}")
    return value


def flag(name: str, value: object) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def optional_whole(name: str, value: object, least: int = 1) -> int | None:
    """A whole number, or nothing stated."""
    return None if value is None else whole(name, value, least)


def optional_real(name: str, value: object) -> float | None:
    """A number, or nothing stated."""
    return None if value is None else real(name, value)


def optional_text(name: str, value: object) -> str | None:
    """A name, or nothing stated."""
    return None if value is None else text(name, value)


def optional_wholes(name: str, value: object, count: int | None = None) -> list[int] | None:
    """Some whole numbers, or nothing stated."""
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, (Sequence, np.ndarray)):
        raise TypeError(f"{name} must be a list of whole numbers, got {value!r}")
    if count is not None and len(value) != count:
        raise ValueError(f"{name} must hold {count} numbers, got {value!r}")
    return [whole(name, one) for one in value]


def belief(
    *,
    prior: object,
    protocol: object,
    labeller_error: object,
    equals: object = "unknown",
    labeller_error_at_most: object = None,
    kept_of_shown: object = None,
) -> dict[str, object]:
    """What is believed about answers."""
    kept = optional_wholes("kept_of_shown", kept_of_shown, 2)
    return {
        "prior": optional_real("prior", prior),
        "protocol": optional_text("protocol", protocol),
        "labeller_error": real("labeller_error", labeller_error),
        "equals": text("equals", equals),
        "labeller_error_at_most": optional_real("labeller_error_at_most", labeller_error_at_most),
        "kept_of_shown": None if kept is None else tuple(kept),
    }


def options_of(classifier: Any, names: list[str] | None) -> dict[str, object]:
    """How to fit, by the parameters of a classifier."""
    return {
        "method": optional_text("method", classifier.method),
        "model": text("model", classifier.model),
        "hidden": optional_wholes("hidden", classifier.hidden),
        "image": optional_wholes("image", classifier.image, 3),
        "move_images": optional_whole("move_images", classifier.move_images),
        "epochs": optional_whole("epochs", classifier.epochs),
        "batch": optional_whole("batch", classifier.batch),
        "learning_rate": optional_real("learning_rate", classifier.learning_rate),
        "weight_decay": optional_real("weight_decay", classifier.weight_decay),
        "select": flag("select", classifier.select),
        "hold_out": optional_real("hold_out", classifier.hold_out),
        "folds": optional_whole("folds", classifier.folds),
        "calibrate": flag("calibrate", classifier.calibrate),
        "threads": optional_whole("threads", classifier.threads),
        "seed": seed_of(classifier.random_state),
        "feature_names": names,
    }
