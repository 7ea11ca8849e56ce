"""Whether items have the features that a model was fitted with, in scikit-learn's words."""

from __future__ import annotations

import warnings

from ._items import Items

#: More would not help.
_SHOWN = 5


def check_features(name: str, width: int, fitted: list[str] | None, items: Items) -> None:
    """Refuses items with other features than those of the fit."""
    found = items.names
    if fitted is None and found is not None:
        warnings.warn(f"X has feature names, but {name} was fitted without feature names", stacklevel=4)
    elif fitted is not None and found is None:
        warnings.warn(f"X does not have valid feature names, but {name} was fitted with feature names", stacklevel=4)
    elif fitted is not None and found is not None and fitted != found:
        raise ValueError(_differences(fitted, found))
    if items.width != width:
        raise ValueError(f"X has {items.width} features, but {name} is expecting {width} features as input.")


def _differences(fitted: list[str], found: list[str]) -> str:
    def listed(names: list[str]) -> str:
        lines = [f"- {name}\n" for name in names[:_SHOWN]]
        return "".join(lines) + ("- ...\n" if len(names) > _SHOWN else "")

    message = "The feature names should match those that were passed during fit.\n"
    unseen, missing = sorted(set(found) - set(fitted)), sorted(set(fitted) - set(found))
    if unseen:
        message += f"Feature names unseen at fit time:\n{listed(unseen)}"
    if missing:
        message += f"Feature names seen at fit time, yet now missing:\n{listed(missing)}"
    if not unseen and not missing:
        message += "Feature names must be in the same order as they were in fit.\n"
    return message
