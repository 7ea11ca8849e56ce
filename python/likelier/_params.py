"""What scikit-learn expects of an estimator, without scikit-learn."""

from __future__ import annotations

import copy
import inspect
import sys
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from sklearn.utils import Tags

_Self = TypeVar("_Self", bound="Parameters")


class NotFittedError(ValueError, AttributeError):
    """The estimator must be fitted first."""


def not_fitted(name: str) -> Exception:
    """The error for it: scikit-learn's own where that is loaded, so that its tools recognise it."""
    theirs = sys.modules.get("sklearn.exceptions")
    kind: type[Exception] = NotFittedError if theirs is None else theirs.NotFittedError
    return kind(f"This {name} instance is not fitted yet. Call 'fit' first.")


class Parameters:
    """Parameters are the arguments of ``__init__``, which stores them and does nothing else."""

    #: Parameters that a clone shares instead of copying.
    _shared: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def _names(cls) -> list[str]:
        arguments = inspect.signature(cls.__init__).parameters.values()
        return sorted(argument.name for argument in arguments if argument.name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name. ``deep`` has no effect: none of them is an estimator."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self: _Self, **params: Any) -> _Self:
        """Sets parameters by name."""
        known = self._names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: {known!r}.")
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self: _Self) -> _Self:
        params = self.get_params()
        return type(self)(
            **{name: value if name in self._shared else copy.deepcopy(value) for name, value in params.items()}
        )

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        shown = []
        for name in defaults:
            if name == "self":
                continue
            value = getattr(self, name)
            if name in self._shared:
                shown += [f"{name}=..."] if value is not None else []
            elif value is not defaults[name].default and repr(value) != repr(defaults[name].default):
                shown.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"

    def __sklearn_tags__(self) -> Tags:
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=False),
            classifier_tags=ClassifierTags(multi_class=False),
            input_tags=InputTags(sparse=True),
        )
