"""How good a classifier is, without labels: numbers with their intervals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

_TOLD = {
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced accuracy",
    "true_positive_rate": "true positive rate",
    "false_positive_rate": "false positive rate",
    "precision": "precision",
    "f1": "F1",
    "called_positive": "called positive",
    "auc": "AUC",
}


@dataclass(frozen=True)
class Interval:
    """An estimate with the range that holds the truth with probability ``level``. Nothing is clipped.

    >>> f"{Interval(0.73, 0.682, 0.778, 0.95):.2f}"
    '0.73 (0.68 to 0.78)'
    """

    value: float
    low: float
    high: float
    level: float

    def __format__(self, spec: str) -> str:
        value, low, high = (format(number, spec or ".3f") for number in (self.value, self.low, self.high))
        return f"{value} ({low} to {high})"

    def __str__(self) -> str:
        return format(self, "")


@dataclass(frozen=True)
class Range:
    """A number that is only known to lie between two, each with its own sampling error."""

    low_end: Interval
    high_end: Interval

    def __format__(self, spec: str) -> str:
        ends = (self.low_end.value, self.high_end.value, self.low_end.low, self.high_end.high)
        low, high, lowest, highest = (format(number, spec or ".3f") for number in ends)
        return f"{low} to {high} ({lowest} to {highest} with sampling error)"

    def __str__(self) -> str:
        return format(self, "")


@dataclass(frozen=True)
class Ranges:
    """The same numbers where it is not known how labellers ordered two items of one class."""

    error_at_most: float
    asked_again: int
    recurring_items: int
    more_errors: bool
    accuracy: Range
    balanced_accuracy: Range
    true_positive_rate: Range
    false_positive_rate: Range
    precision: Range
    f1: Range
    called_positive: Range
    auc: Range


@dataclass(frozen=True)
class Judgement:
    """How good a classifier is on some items.

    The intervals hold if labellers ordered two items of one class by a coin toss. Where that is not known,
    ``ranges`` holds either way.
    """

    items: int
    accuracy: Interval
    balanced_accuracy: Interval
    true_positive_rate: Interval
    false_positive_rate: Interval
    precision: Interval | None
    f1: Interval | None
    called_positive: Interval
    auc: Interval
    notes: tuple[str, ...]
    ranges: Ranges | None

    def lines(self) -> Iterator[tuple[str, str]]:
        """Name and text of each number that can be trusted: the range, where there is one."""
        for field, name in _TOLD.items():
            number = getattr(self if self.ranges is None else self.ranges, field)
            yield name, "not known" if number is None else str(number)


@dataclass(frozen=True)
class LabelAudit:
    """What labels of random items say, beside what is known without any."""

    #: How many labelled items it could be judged by: those that a model has not seen.
    labels: int
    #: How they were chosen.
    chosen: str
    #: The share of right calls among them.
    accuracy: Interval
    #: The accuracies that both the labels and the comparisons allow; None if they contradict each other.
    combined: tuple[float, float] | None
    #: The accuracies that the comparisons alone allow, at the same level.
    without_labels: tuple[float, float]
    #: The share of positives among the labels.
    prior: Interval
    #: How often labellers got a pair wrong whose items have different labels; None where there are few such pairs.
    labeller_error: Interval | None

    def lines(self) -> Iterator[tuple[str, str]]:
        """Name and text of each number."""
        yield "accuracy", str(self.accuracy)
        if self.combined is None:
            yield "together", "nothing: labels and comparisons contradict each other"
        else:
            low, high = (min(max(end, 0.0), 1.0) for end in self.combined)
            yield "together", f"{low:.3f} to {high:.3f}: what both allow"
        yield "share of positives", str(self.prior)
        if self.labeller_error is not None:
            yield "labeller error", str(self.labeller_error)


@dataclass(frozen=True)
class Assessment:
    """How good a classifier is, without a label.

    ``new_items`` is about items that no model which scored them has seen, unless ``judged_by`` is "given": then
    it is about the comparisons that were given. ``these_items`` is about the items that it was trained on. ``audit``
    is what labels say, where the fit was given some that can judge.
    """

    prior: float
    protocol: str
    labeller_error: float
    judged_by: str
    folds: int | None
    new_items: Judgement
    these_items: Judgement | None
    audit: LabelAudit | None = None

    def __str__(self) -> str:
        parts: list[tuple[str, Judgement | LabelAudit]] = [(self._whose(), self.new_items)]
        if self.these_items is not None:
            parts.append(("for the items at hand, which it was trained on", self.these_items))
        if self.audit is not None:
            parts.append((self._by_labels(self.audit), self.audit))
        told = []
        for whose, judgement in parts:
            told.append(f"{whose}:")
            told.extend(f"  {name:<20} {text}" for name, text in judgement.lines())
        return "\n".join(told)

    def _repr_html_(self) -> str:
        columns = [self.new_items] if self.these_items is None else [self.new_items, self.these_items]
        heads = ["new items" if self.judged_by != "given" else "these comparisons", "the items at hand"]
        head = "".join(f"<th>{text}</th>" for text in heads[: len(columns)])
        rows = zip(*(judgement.lines() for judgement in columns), strict=True)
        body = "".join(
            f"<tr><th>{escape(row[0][0])}</th>" + "".join(f"<td>{escape(text)}</td>" for _, text in row) + "</tr>"
            for row in rows
        )
        if self.audit is not None:
            said = "; ".join(f"{name} {text}" for name, text in self.audit.lines())
            whole = f"{self._by_labels(self.audit)}: {said}"
            body += f'<tr><td colspan="{1 + len(columns)}">{escape(whole)}</td></tr>'
        return (
            f"<table><caption>{escape(self._whose())}; prior {self.prior:.4g}, {escape(self.protocol)}</caption>"
            f"<thead><tr><th></th>{head}</tr></thead><tbody>{body}</tbody></table>"
        )

    @staticmethod
    def _by_labels(audit: LabelAudit) -> str:
        return f"by {audit.labels} random labels"

    def _whose(self) -> str:
        items = self.new_items.items
        if self.folds is not None:
            return (
                f"for new items, without labels, by {self.folds} models that each left out a part of these "
                f"{items} items"
            )
        if self.judged_by == "held-out":
            return f"for new items, without labels, by {items} items that were held out"
        return f"without labels, by {items} items"


def assessment_of(text: str) -> Assessment:
    """From the library's JSON."""
    told = json.loads(text)
    by = told["judged_by"]
    folds = by["folds"] if isinstance(by, dict) else None
    these = told["these_items"]
    return Assessment(
        prior=told["prior"],
        protocol=told["protocol"],
        labeller_error=told["labeller_error"],
        judged_by="folds" if folds else by,
        folds=folds,
        new_items=_judgement(told["new_items"]),
        these_items=None if these is None else _judgement(these),
        audit=None if told["audit"] is None else _audit(told["audit"]),
    )


def _audit(told: dict[str, Any]) -> LabelAudit:
    intervals: dict[str, Any] = {name: interval_of(told[name]) for name in ("accuracy", "prior", "labeller_error")}
    combined = told["combined"]
    return LabelAudit(
        labels=told["labels"],
        chosen=told["chosen"],
        combined=None if combined is None else tuple(combined),
        without_labels=tuple(told["without_labels"]),
        **intervals,
    )


def _judgement(told: dict[str, Any]) -> Judgement:
    ranges = told["ranges"]
    read: dict[str, Any] = {name: interval_of(told[name]) for name in _TOLD}
    notes = tuple(note if isinstance(note, str) else note.get("message", str(note)) for note in told["notes"])
    return Judgement(items=told["items"], notes=notes, ranges=None if ranges is None else _ranges(ranges), **read)


def _ranges(told: dict[str, Any]) -> Ranges:
    def ends(one: dict[str, Any]) -> Range:
        return Range(Interval(**one["low_end"]), Interval(**one["high_end"]))

    read: dict[str, Any] = {name: ends(told[name]) for name in _TOLD}
    read |= {name: told[name] for name in ("error_at_most", "asked_again", "recurring_items", "more_errors")}
    return Ranges(**read)


def interval_of(told: dict[str, Any] | None) -> Interval | None:
    """From the library's JSON, where a number that is not finite is null."""
    if told is None:
        return None
    return Interval(**{name: float("nan") if number is None else number for name, number in told.items()})
