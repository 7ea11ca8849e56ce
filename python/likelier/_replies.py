"""How people answered, as training took it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ._assessment import Interval, interval_of


@dataclass(frozen=True)
class Rate:
    """A share, how it is known, and how far it may be off.

    ``source`` is "stated" (or the default), "estimated", "around-stated" (how people differ is estimated, their mean
    stated) or "up-to-a-level" (how they differ is estimated, how good they are together is not known).
    """

    value: float
    source: str
    #: None where the answers do not tell it.
    interval: Interval | None

    def __str__(self) -> str:
        if self.interval is None:
            return f"{self.value:.3f}, {self.source}"
        return f"{self.value:.3f} ({self.interval.low:.3f} to {self.interval.high:.3f}), {self.source}"


@dataclass(frozen=True)
class Replies:
    """How people answered, as training took it: how often they err, and tie."""

    #: The share of mixed pairs that people get wrong, by name; where they are not told apart, of all under None. If
    #: people lean to a side, of the pairs that they look at.
    errors: dict[str | None, Rate]
    #: Whether people differ, by pairs that were left aside; None where one person answered, or nobody is named.
    people_differ: bool | None
    #: The share of ties on pairs of one class, and on mixed pairs; None where ties are not modelled.
    ties_same_class: Rate | None
    ties_mixed: Rate | None
    #: How strongly items of one class are ordered by degree; 0 is a coin.
    degree: float
    #: Whether pairs that were asked again tell the degree; else it is 0 because nothing tells it.
    degree_known: bool
    #: The share of answers that pick the left item, whatever it is (below 0: the right one), by name; of all under None
    #: where people are not told apart. Empty where nobody leans, or sides are not known.
    leanings: dict[str | None, Rate]
    #: The share of all answers that were given by the side; None where sides are not known.
    by_side: float | None

    def not_identified(self) -> tuple[str, ...]:
        """What these answers do not tell, in words."""
        return tuple(self._not_identified())

    def _not_identified(self) -> Iterator[str]:
        sources = {rate.source for rate in self.errors.values()}
        if "up-to-a-level" in sources:
            yield "how good people are together: only how they differ is known"
        elif sources == {"stated"}:
            yield "how often people are wrong: it is taken as stated"
        if not self.degree_known:
            yield "whether equals are ordered by a coin: that needs pairs asked again"

    def __str__(self) -> str:
        lines = [
            f"wrong on mixed pairs{'' if name is None else ', ' + name}: {rate}" for name, rate in self.errors.items()
        ]
        for what, rate in (("one class", self.ties_same_class), ("two classes", self.ties_mixed)):
            if rate is not None:
                lines.append(f"ties on pairs of {what}: {rate}")
        if self.degree_known:
            lines.append("equals are ordered by " + ("degree" if self.degree > 0 else "a coin"))
        for name, rate in self.leanings.items():
            side = "right" if rate.value < 0 else "left"
            who = "" if name is None else ", " + name
            lines.append(f"picks the {side} item, whatever it is{who}: {abs(rate.value):.3f}")
        if self.by_side == 0:
            lines.append("no sign that people lean to a side")
        return "\n".join([*lines, *(f"not known: {what}" for what in self.not_identified())])


def replies_of(told: str, people: Sequence[str] | None) -> Replies:
    """From the library's JSON, and the names in the order in which they first occur."""
    read: dict[str, Any] = json.loads(told)

    def by_name(rates: list[float], intervals: list[Any] | None, source: str) -> dict[str | None, Rate]:
        names: list[str | None] = [None] * len(rates) if len(rates) < 2 or people is None else list(people)
        ranges = [None] * len(rates) if intervals is None else intervals
        return {
            name: Rate(rate, source, interval_of(known)) for name, rate, known in zip(names, rates, ranges, strict=True)
        }

    ties, tied = read["ties"], read["tie_intervals"] or {}

    def tie(name: str) -> Rate | None:
        return None if ties is None else Rate(ties[name], read["ties_from"], interval_of(tied.get(name)))

    return Replies(
        errors=by_name(read["errors"], read["error_intervals"], read["errors_from"]),
        people_differ=read["people_differ"],
        ties_same_class=tie("same_class"),
        ties_mixed=tie("mixed"),
        degree=read["degree"],
        degree_known=read["degree_known"],
        leanings=by_name(read["leanings"], read["leaning_intervals"], "estimated"),
        by_side=read["by_side"],
    )
