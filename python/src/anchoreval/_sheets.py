"""What is shown of each kind of result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._result import Bar, Row, Sheet, sheet
from ._results import (
    CheckResult,
    Comparison,
    Difference,
    Estimate,
    EstimateWarning,
    JudgeWarning,
    ModelScore,
    PassEstimate,
    PassResult,
    Ranking,
    ScenarioResult,
)
from ._words import (
    Bounds,
    bounds_words,
    counted,
    few,
    interval_words,
    percent,
    points,
    score_words,
    signed_points,
    warnings_words,
)


def bounds(interval: Bounds | None) -> dict[str, Any]:
    """An interval as fields of a row."""
    names = ("low", "high", "level", "method")
    return {name: getattr(interval, name, None) for name in names}


def cells(score: float | None, interval: Bounds | None, answered: int, of: int) -> dict[str, str | Bar]:
    """A score as cells of a notebook's row."""
    return {
        "score": points(score),
        "interval": interval_words(interval),
        "0 to 100": bar(score, interval),
        "answered": f"{answered} of {of}",
    }


def bar(score: float | None, interval: Bounds | None) -> Bar:
    return Bar(score, interval.low if interval else None, interval.high if interval else None)


def messages(warnings: Sequence[EstimateWarning | JudgeWarning]) -> tuple[str, ...]:
    return tuple(warning.message for warning in warnings)


def heading(result: Any, kind: str | None = None) -> str:
    form = f", form {result.form}" if hasattr(result, "form") else ""
    return f"{kind or type(result).__name__}: {result.benchmark} {result.version}{form}"


def _answered(result: Any) -> str:
    return f"{result.answered} of {result.of} items answered"


@sheet.register
def _(result: Estimate) -> Sheet:
    parts: dict[str, Estimate | ScenarioResult] = {"overall": result, **result.scenarios}
    rows = [
        {
            "scenario": name,
            "score": part.score,
            **bounds(part.interval),
            "answered": part.answered,
            "of": part.of,
            "predicted": part.predicted,
            "percentile": getattr(part, "percentile", None),
            "range": getattr(part, "range", None),
            "reason": part.reason,
        }
        for name, part in parts.items()
    ]
    return _scores(result, parts, rows, heading(result))


@sheet.register
def _(result: PassEstimate) -> Sheet:
    parts: dict[str, PassResult] = {"overall": result, **result.scenarios}
    rows = [
        {
            "scenario": name,
            "score": part.score,
            **bounds(part.interval),
            "answered": part.answered,
            "of": part.of,
            "reason": part.reason,
        }
        for name, part in parts.items()
    ]
    return _scores(result, parts, rows, heading(result, f"PassEstimate of {result.metric}"))


def _scores(result: Estimate | PassEstimate, parts: dict[str, Any], rows: Sequence[Row], title: str) -> Sheet:
    said = f"{score_words(result.score, result.interval, result.reason)}; {_answered(result)}"
    return Sheet(
        (title, said, *warnings_words(result.warnings)),
        "scenario",
        tuple(rows),
        tuple(
            {"": name, **cells(part.score, part.interval, part.answered, part.of)}
            for name, part in parts.items()
            if len(parts) > 2 or name != "overall"
        ),
        messages(result.warnings),
    )


_VERDICTS = {"a-better": "{a} is better", "b-better": "{b} is better", "no-difference": "no difference that matters"}


@sheet.register
def _(result: Comparison) -> Sheet:
    parts: dict[str, Difference] = {"overall": result, **result.scenarios}
    names = {"a": result.names.a, "b": result.names.b}
    verdict = _VERDICTS.get(result.verdict or "", "undecided").format(**names)
    figures = f"{signed_points(result.difference)}, {_difference_words(result)}"
    over = result.over.replace("-", " ")
    return Sheet(
        (
            heading(result, f"Comparison of {names['b']} with {names['a']}"),
            f"{verdict}: {figures}, over {over}; {_answered(result)} by both",
            *warnings_words(result.warnings),
        ),
        "scenario",
        tuple(
            {
                "scenario": name,
                "difference": part.difference,
                **bounds(part.interval),
                "one_sided_confidence": part.one_sided_confidence,
                "a": part.scores.a.score,
                "b": part.scores.b.score,
                "answered": part.answered,
                "of": part.of,
                "reason": part.reason,
            }
            for name, part in parts.items()
        ),
        tuple(
            {
                "": name,
                f"A: {names['a']}": points(part.scores.a.score),
                f"B: {names['b']}": points(part.scores.b.score),
                "B − A": signed_points(part.difference),
                "interval": interval_words(part.interval)
                if part.interval is None
                else bounds_words(part.interval.low, part.interval.high, signed=True),
                "drawn": bar(part.difference, part.interval),
                "answered": f"{part.answered} of {part.of}",
            }
            for name, part in parts.items()
            if len(parts) > 2 or name != "overall"
        ),
        messages(result.warnings),
    )


def _difference_words(result: Difference) -> str:
    if result.interval is None:
        return f"no interval: {result.reason}"
    bounded = bounds_words(result.interval.low, result.interval.high, signed=True)
    return f"{percent(result.interval.level)} interval {bounded}"


@sheet.register
def _(result: Ranking) -> Sheet:
    first = few([f"{model.name} {points(model.score)}" for model in result.models], 3)
    said = f"{counted(len(result.models), 'model')}, {_answered(result)} by all: {first}"
    return Sheet(
        (heading(result), said, *warnings_words(result.warnings)),
        "model",
        tuple(
            {
                "model": model.name,
                "rank": model.rank,
                "rank_low": model.rank_interval and model.rank_interval.low,
                "rank_high": model.rank_interval and model.rank_interval.high,
                **_model_fields(model),
            }
            for model in result.models
        ),
        tuple(
            {
                "place": "–" if model.rank is None else str(model.rank),
                "may be": f"{model.rank_interval.low} to {model.rank_interval.high}" if model.rank_interval else "–",
                "model": model.name,
                "score": points(model.score),
                "interval": interval_words(model.interval),
                "0 to 100": bar(model.score, model.interval),
            }
            for model in result.models
        ),
        messages(result.warnings),
    )


def _model_fields(model: ModelScore) -> Row:
    return {"score": model.score, **bounds(model.interval), "stratified_mean": model.stratified_mean}


@sheet.register
def _(result: CheckResult) -> Sheet:
    rows: list[dict[str, Any]] = []
    if result.drop is not None:
        drop = result.drop
        figures = {"value": drop.drop, "low": drop.low, "high": drop.high, "limit": drop.max_drop}
        rows.append({"rule": "drop", "verdict": drop.verdict, **figures, "reason": drop.reason})
    if result.minimum is not None:
        least = result.minimum
        figures = {"value": least.score, "low": least.low, "high": least.high, "limit": least.min_score}
        rows.append({"rule": "score", "verdict": least.verdict, **figures, "reason": least.reason})
    said = ", ".join(f"{row['rule']} {points(row['value'])} (limit {points(row['limit'])})" for row in rows)
    return Sheet(
        (heading(result), f"{result.verdict}: {said}; {_answered(result)}", *warnings_words(result.warnings)),
        "rule",
        tuple(rows),
        tuple(
            {
                "": row["rule"],
                "verdict": row["verdict"],
                "value": points(row["value"]),
                "surely above": points(row["low"]),
                "surely below": points(row["high"]),
                "drawn": Bar(row["value"], row["low"], row["high"]),
                "limit": points(row["limit"]),
            }
            for row in rows
        ),
        messages(result.warnings),
    )
