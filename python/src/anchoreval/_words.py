"""Figures in the words of the program's tables: scores in points, hundredths of the whole."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Protocol

from ._results import EstimateWarning, JudgeWarning


class Bounds(Protocol):
    """An interval of any kind."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def level(self) -> float: ...


def points(score: float | None) -> str:
    """A fraction in points with one decimal: 0.6243 → "62.4"; "–" for none."""
    if score is None:
        return "–"
    text = f"{100 * score:.1f}"
    return text.replace("-", "−" if float(text) else "")


def signed_points(difference: float | None) -> str:
    """A difference with its sign: 0.0312 → "+3.1"."""
    text = points(difference)
    return f"+{text}" if difference is not None and difference > 0 and float(text) else text


def interval_words(interval: Bounds | None) -> str:
    """ "58.1 to 66.0"; "exact" where every item was answered."""
    if interval is None:
        return "none"
    return "exact" if getattr(interval, "method", "") == "exact" else bounds_words(interval.low, interval.high)


def bounds_words(low: float, high: float, signed: bool = False) -> str:
    figure = signed_points if signed else points
    return f"{figure(low)} to {figure(high)}"


def score_words(score: float | None, interval: Bounds | None, reason: str | None) -> str:
    """ "62.4, 95 % interval 58.1 to 66.0"; without a score or an interval why there is none."""
    words = "no score" if score is None else points(score)
    if interval is None:
        return f"{words}, no interval" if reason is None else f"{words}: {reason}"
    exact = interval_words(interval) == "exact"
    return f"{words}, exact" if exact else f"{words}, {percent(interval.level)} interval {interval_words(interval)}"


def percent(share: float) -> str:
    """0.95 → "95 %"."""
    return f"{round(100 * share, 1):g} %"


def few(words: Sequence[str], most: int = 6) -> str:
    """The first ones, and … where there are more."""
    return ", ".join([*words[:most], *(["…"] if len(words) > most else [])])


def counted(number: int, noun: str) -> str:
    """ "1 warning", "2 warnings"."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def warnings_words(warnings: Collection[EstimateWarning | JudgeWarning]) -> list[str]:
    """How many warnings there are, and of which kinds."""
    if not warnings:
        return []
    return [f"{counted(len(warnings), 'warning')}: {', '.join(dict.fromkeys(each.code for each in warnings))}"]
