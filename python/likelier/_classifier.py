"""The native models, as scikit-learn's conventions have it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

from numpy.typing import ArrayLike

from . import _native
from ._answers import Labels, Noted, answers_of, labels_of
from ._assessment import Assessment, assessment_of
from ._functions import assess
from ._items import items_of
from ._judging import Judging
from ._params import NotFittedError as NotFittedError
from ._progress import Shown, log
from ._replies import replies_of
from ._seed import RandomState
from ._stated import belief, options_of
from ._trained import TrainedModel
from ._warnings import warn

_Self = TypeVar("_Self", bound="ComparisonClassifier")
#: What a native fit is told: items, answers, belief, labels, options, ids, and what the report is called.
Arguments = tuple[Any, Any, Any, Any, Any, Any, Any]


class ComparisonClassifier(TrainedModel, Judging):
    """A yes/no classifier that learns from "this one is likelier" comparisons.

    Parameters
    ----------
    prior : float, optional
        The share of positives in the population; estimated from the comparisons where it is not given.
    protocol : {"forced-choice", "discard"}
        What became of the pairs that people saw: all were kept, or those whose second item was likelier were
        dropped. It must be stated.
    labeller_error : float
        How often labellers get a mixed pair wrong, if that is known.
    equals : {"unknown", "coin", "degree"}
        How labellers ordered two items of one class. Unless it was by a coin, numbers without labels are ranges.
    labeller_error_at_most : float, optional
        The largest share of mixed pairs that labellers may have got wrong; 0.2 unless it is given.
    method : str, optional
        How to learn; "pair-posterior" unless it is given.
    model : {"linear", "mlp", "resnet34", "resnet32"}
        Which model.
    hidden : list of int, optional
        Units of the hidden layers of an mlp.
    image : (channels, height, width), optional
        The shape of the images that the rows are.
    move_images : int, optional
        Pixels by which images are moved at most, at random, whenever a network learns from them.
    epochs, learning_rate, weight_decay : optional
        What the method recommends, unless they are given.
    batch : int, optional
        Rows in a mini-batch, counting both items of a comparison: 256, or more for linear models from 250,000
        comparisons.
    select : bool
        Choose method, weight decay and learning rate, unless given, by cross-validation.
    hold_out : float, optional
        Hold out items that this share of the comparisons is about, and judge by them; 0 judges nothing. Unless it is
        given, a fifth for networks and with ``select``; of linear models with more than 500,000 items, enough for
        100,000.
    folds : int, optional
        Train on everything, and judge by so many more models that each leave out a part of the items: 5 for linear
        models of up to 500,000 items, unless it is given.
    calibrate : bool
        Fit the map from scores to probabilities.
    random_state : int, generator or None
        The seed of all random choices.
    threads : int, optional
        Threads to use; all, unless it is given. The model is the same for any number.
    progress : bool
        Show how the work goes: a bar where tqdm is installed, else lines in the log.
    items : array or frame, optional
        The items, for tools such as ``GridSearchCV`` that pass on only pairs: then ``fit(pairs)`` and
        ``score(pairs)`` are about these.

    Attributes
    ----------
    classes_ : array of 0 and 1
    n_features_in_ : int
    feature_names_in_ : array of str
        Where X had names for its columns.
    classifier_ : the trained model
    assessment_ : Assessment or None
        How good it is, without labels; None where that could not be told.
    replies_ : Replies or None
        How people answered, as training took it; None where nothing is told of it.
    prior_ : float
        The share of positives that was used.
    n_iter_ : int
        Epochs that were trained.

    Examples
    --------
    >>> import numpy as np
    >>> from likelier import ComparisonClassifier, generate
    >>> rng = np.random.default_rng(1)
    >>> truth = rng.random(500) < 0.5
    >>> X = rng.normal(size=(500, 2)) + 2 * truth[:, None]
    >>> pairs = generate(truth, 2000).pairs
    >>> model = ComparisonClassifier(prior=0.5, protocol="forced-choice", equals="coin").fit(X, pairs)
    >>> print(f"{model.score(X, truth):.2f}")
    0.91
    """

    _shared: ClassVar[tuple[str, ...]] = ("items",)

    def __init__(
        self,
        *,
        prior: float | None = None,
        protocol: str | None = None,
        labeller_error: float = 0.0,
        equals: str = "unknown",
        labeller_error_at_most: float | None = None,
        method: str | None = None,
        model: str = "linear",
        hidden: Sequence[int] | None = None,
        image: Sequence[int] | None = None,
        move_images: int | None = None,
        epochs: int | None = None,
        batch: int | None = None,
        learning_rate: float | None = None,
        weight_decay: float | None = None,
        select: bool = False,
        hold_out: float | None = None,
        folds: int | None = None,
        calibrate: bool = False,
        random_state: RandomState = 0,
        threads: int | None = None,
        progress: bool = False,
        items: Any = None,
    ) -> None:
        self.prior = prior
        self.protocol = protocol
        self.labeller_error = labeller_error
        self.equals = equals
        self.labeller_error_at_most = labeller_error_at_most
        self.method = method
        self.model = model
        self.hidden = hidden
        self.image = image
        self.move_images = move_images
        self.epochs = epochs
        self.batch = batch
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.select = select
        self.hold_out = hold_out
        self.folds = folds
        self.calibrate = calibrate
        self.random_state = random_state
        self.threads = threads
        self.progress = progress
        self.items = items

    def fit(
        self: _Self,
        X: Any,
        pairs: ArrayLike | None = None,
        *,
        ids: ArrayLike | None = None,
        tie: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        annotator: Noted | None = None,
        side: Noted | None = None,
        time: Noted | None = None,
        group: Noted | None = None,
        propensity: Noted | None = None,
        labels: Labels | None = None,
        labels_chosen: str | None = None,
        labels_train: bool = False,
    ) -> _Self:
        """Learns from comparisons between the rows of X.

        ``pairs`` holds the row of the likelier item and that of the other, for each answer. Where the items have
        ids (``ids=``, or the index of a pandas frame unless it only counts the rows), it holds ids instead. ``tie``
        marks answers that say "about the same", ``weight`` says how much each counts, ``annotator`` who gave it,
        ``side`` where the likelier item stood ("left" or "right"), ``time`` when it was given, and ``group`` within
        which topic or batch the two items were chosen. ``propensity`` says how probable it was to ask each pair, as
        ``likelier next`` wrote it, None where it was drawn uniformly.

        ``labels`` are the true classes of a few items, to judge by: nothing is trained on them, unless
        ``labels_train``. They are a dict from row (or id) to 1 or 0, or one for each row, None where it is not known.
        ``labels_chosen`` says how these items were chosen: "random" ones can judge the classifier
        (``assess().audit``), "other" ones cannot.
        """
        X, pairs = self._items_and_pairs(X, pairs, "fit")
        return self._fit(
            self._here,
            X,
            pairs,
            ids=ids,
            tie=tie,
            weight=weight,
            annotator=annotator,
            side=side,
            time=time,
            group=group,
            propensity=propensity,
            labels=labels,
            labels_chosen=labels_chosen,
            labels_train=labels_train,
        )

    def _here(self, arguments: Arguments) -> _native.Fitted:
        with Shown(self.progress) as progress:
            return _native.fit(*arguments, progress)

    def _fit(
        self: _Self,
        run: Callable[[Arguments], _native.Fitted],
        X: Any,
        pairs: ArrayLike,
        *,
        ids: ArrayLike | None = None,
        labels: Labels | None = None,
        labels_chosen: str | None = None,
        labels_train: bool = False,
        **noted: Any,
    ) -> _Self:
        """Fits by whoever does the work."""
        items = items_of(X, ids)
        given = answers_of(pairs, items.count, items.ids, **noted)
        audit = labels_of(labels, labels_chosen, items.count, items.ids, labels_train)
        names = None if items.ids is None else [str(name) for name in items.ids]
        title = (type(self).__name__, f"{self!r}.fit(X, pairs)")
        options = options_of(self, items.names)
        fitted = run((items.native, given, self._belief(), audit, options, names, title))
        self._take(fitted.classifier)
        self.assessment_ = None if fitted.assessment is None else assessment_of(fitted.assessment)
        people = None if given["annotator"] is None else given["annotator"][0]
        self.replies_ = None if fitted.replies is None else replies_of(fitted.replies, people)
        self.n_iter_ = fitted.epochs
        self._report = fitted.report
        log.info("%s was fitted to %d comparisons of %d items", self, len(given["pairs"]), items.count)
        warn(fitted.warnings, 4)
        return self

    def assess(
        self,
        X: Any = None,
        pairs: ArrayLike | None = None,
        *,
        ids: ArrayLike | None = None,
        tie: ArrayLike | None = None,
        weight: ArrayLike | None = None,
        group: Noted | None = None,
        propensity: Noted | None = None,
    ) -> Assessment:
        """How good the classifier is, without labels: on new items as the fit found, or by further comparisons."""
        self._fitted()
        if X is None:
            if self.assessment_ is None:
                raise ValueError("nothing is known about the accuracy: give X and pairs to judge by")
            return self.assessment_
        if pairs is None:
            raise TypeError("assess() needs pairs beside X")
        return self._assessed(X, pairs, ids=ids, tie=tie, weight=weight, group=group, propensity=propensity)

    @classmethod
    def load(cls: type[_Self], path: str | os.PathLike[str]) -> _Self:
        """Reads a model file, of this package or of the command line."""
        classifier = _native.Classifier.load(path)
        model = cls(
            prior=classifier.prior,
            protocol=classifier.protocol,
            labeller_error=classifier.labeller_error,
            method=classifier.method,
        )
        model._take(classifier)
        model.assessment_ = None
        model.replies_ = None
        model._report = None
        return model

    def _assessed(
        self,
        X: Any,
        pairs: ArrayLike,
        ids: ArrayLike | None = None,
        **noted: Any,
    ) -> Assessment:
        return assess(
            self._scores(X, ids),
            pairs,
            prior=self.prior_,
            protocol=self.classifier_.protocol,
            labeller_error=self.classifier_.labeller_error,
            equals=self.equals,
            labeller_error_at_most=self.labeller_error_at_most,
            threshold=self.classifier_.threshold,
            ids=items_of(X, ids).ids,
            **noted,
        )

    def _belief(self) -> dict[str, Any]:
        return belief(
            prior=self.prior,
            protocol=self.protocol,
            labeller_error=self.labeller_error,
            equals=self.equals,
            labeller_error_at_most=self.labeller_error_at_most,
        )
