"""What scikit-learn expects of an estimator, without scikit-learn."""

from __future__ import annotations

import copy
import inspect
import sys
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

if TYPE_CHECKING:
    from sklearn.utils import Tags
    from sklearn.utils.metadata_routing import MetadataRequest

_Self = TypeVar("_Self", bound="Parameters")

#: Methods that scikit-learn's tools hand further arguments to.
_ROUTED = ("fit", "score")


class NotFittedError(ValueError, AttributeError):
    """The estimator must be fitted first."""


def not_fitted(name: str) -> Exception:
    """The error for it: scikit-learn's own where that is loaded, so that its tools recognise it."""
    theirs = sys.modules.get("sklearn.exceptions")
    kind: type[Exception] = NotFittedError if theirs is None else theirs.NotFittedError
    return kind(f"This {name} instance is not fitted yet. Call 'fit' first.")


class Parameters:
    """Parameters are the arguments of ``__init__``, which stores them and does nothing else."""

    #: What was requested of scikit-learn's routing, by method and argument.
    _requests: dict[tuple[str, str], bool | str | None] = {}
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
        cloned = type(self)(
            **{name: value if name in self._shared else copy.deepcopy(value) for name, value in params.items()}
        )
        cloned._requests = self._requests
        return cloned

    def set_fit_request(self: _Self, **requested: bool | str | None) -> _Self:
        """States which of the further arguments of ``fit`` tools such as ``GridSearchCV`` shall hand on."""
        return self._request("fit", requested)

    def set_score_request(self: _Self, **requested: bool | str | None) -> _Self:
        """The same for ``score``."""
        return self._request("score", requested)

    def get_metadata_routing(self) -> MetadataRequest:
        """What was requested, as scikit-learn asks for it."""
        from sklearn.utils.metadata_routing import MetadataRequest

        routing = MetadataRequest(owner=type(self).__name__)
        for method in _ROUTED:
            for name in self._routed(method):
                getattr(routing, method).add_request(param=name, alias=self._requests.get((method, name)))
        return routing

    def _routed(self, method: str) -> list[str]:
        arguments = inspect.signature(getattr(type(self), method)).parameters.values()
        return [argument.name for argument in arguments if argument.kind is argument.KEYWORD_ONLY]

    def _request(self: _Self, method: str, requested: dict[str, bool | str | None]) -> _Self:
        import sklearn

        if not sklearn.get_config()["enable_metadata_routing"]:
            raise RuntimeError(
                "set_fit_request and set_score_request need scikit-learn's metadata routing: call "
                "sklearn.set_config(enable_metadata_routing=True) first"
            )
        known = self._routed(method)
        for name in requested:
            if name not in known:
                raise TypeError(f"{method} of {type(self).__name__} has no argument {name!r} to request: {known}")
        # A new one: that of the class, or one that a copy shares, is left as it is.
        self._requests = {**self._requests, **{(method, name): value for name, value in requested.items()}}
        return self

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
