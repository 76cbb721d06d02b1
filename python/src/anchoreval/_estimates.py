from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from ._answers import Table, encode_table
from ._bridge import call
from ._bundle import Bundle
from ._decode import decode
from ._errors import AnchorEvalError, Issue, refusal, with_items
from ._request import sent_options
from ._result import Result, Sheet, sheet
from ._results import Estimate, EstimateWarning, PassEstimate
from ._sheets import bounds, cells
from ._words import counted, few, points

_CELLS = 1_000_000
"""Of a table in one message: a larger one goes in several, so that other threads get their turn in between."""


@dataclass(frozen=True, repr=False)
class Estimates(Result):
    """The estimates of a table of models, in its order. A model whose answers are refused is in `errors`.

    Attributes:
        benchmark: The bundle's benchmark.
        version: The bundle's version.
        models: All rows' labels, in order.
        results: Estimates by model, the row's label.
        errors: Why there is no estimate, by model.

    Example:
        estimates = anchoreval.estimate(bundle, leaderboard)
        estimates.to_frame().sort_values("score")
        pandas.concat({model: result.to_frame() for model, result in estimates.results.items()})  # with every scenario
    """

    benchmark: str
    version: str
    models: tuple[Hashable, ...]
    results: Mapping[Hashable, Estimate | PassEstimate]
    errors: Mapping[Hashable, AnchorEvalError] = field(default_factory=dict)


def ask_estimates(bundle: Bundle, table: Table, kind: type[Estimate | PassEstimate], **options: Any) -> Estimates:
    """The estimates of a DataFrame's rows."""
    ids, rows = encode_table(table)
    models = tuple(table.index.tolist())
    if not models:
        raise AnchorEvalError("invalid_answers", "the table has no row, and so no model")
    twice = [model for model, count in Counter(models).items() if count > 1]
    if twice:
        issues = tuple(Issue(("index", str(model)), "duplicate", f"model {model} is there twice") for model in twice)
        raise AnchorEvalError("invalid_answers", f"{issues[0].message}: a table has one row for each model", issues)
    results: dict[Hashable, Estimate | PassEstimate] = {}
    errors: dict[Hashable, AnchorEvalError] = {}
    step = max(1, _CELLS // max(1, len(ids)))
    request = {"call": "estimates", "bundle": bundle._named, "options": sent_options(options)}
    for first in range(0, len(rows), step):
        part = call({**request, "table": {"items": ids, "rows": rows[first : first + step]}})
        for model, answer in zip(models[first:], part, strict=False):
            if "result" in answer:
                results[model] = decode(kind, answer["result"])
            else:
                errors[model] = with_items(refusal(answer["error"]))
    return Estimates(bundle.benchmark, bundle.version, models, results, errors)


def table_warnings(table: Estimates) -> list[EstimateWarning]:
    """The warnings of all models, each kind once, and the models without an estimate."""
    count = counted(len(table.models), "model")
    by_code: dict[Any, list[str]] = {}
    for result in table.results.values():
        for code, message in {warning.code: warning.message for warning in result.warnings}.items():
            by_code.setdefault(code, []).append(message)
    for error in table.errors.values():
        by_code.setdefault(error.code, []).append(f"no estimate: {error.message}")
    return [EstimateWarning(code, f"{len(said)} of {count}: {said[0]}") for code, said in by_code.items()]


@sheet.register
def _(result: Estimates) -> Sheet:
    estimates = result.results
    forms = dict.fromkeys(each.form for each in estimates.values())
    named = f", form{'s' if len(forms) > 1 else ''} {', '.join(forms)}" if forms else ""
    refused = [f"{model} ({error.code})" for model, error in result.errors.items()]
    without = [f"{counted(len(refused), 'model')} without an estimate: {few(refused, 3)}"] if refused else []
    return Sheet(
        (
            f"Estimates: {result.benchmark} {result.version}{named}",
            _summary(len(result.models), estimates),
            *without,
        ),
        "model",
        tuple({"model": model, **_fields(estimates.get(model), result.errors.get(model))} for model in result.models),
        tuple(
            {"": str(model), **cells(each.score, each.interval, each.answered, each.of)}
            for model, each in estimates.items()
        ),
        tuple(f"{model}: {error}" for model, error in result.errors.items()),
    )


def _summary(count: int, estimates: Mapping[Hashable, Estimate | PassEstimate]) -> str:
    words = f"{len(estimates)} of {counted(count, 'model')} estimated"
    scores = [each.score for each in estimates.values() if each.score is not None]
    if scores:
        words += f", {points(min(scores))} to {points(max(scores))}"
    widths = [each.interval.high - each.interval.low for each in estimates.values() if each.interval]
    if widths:
        words += f", intervals ± {points(fmean(widths) / 2)} on the mean"
    warned = sum(bool(each.warnings) for each in estimates.values())
    return words + (f"; {warned} with warnings" if warned else "")


def _fields(each: Estimate | PassEstimate | None, error: AnchorEvalError | None) -> dict[str, Any]:
    return {
        "score": each and each.score,
        **bounds(each.interval if each else None),
        "answered": each and each.answered,
        "of": each and each.of,
        "form": each and each.form,
        "warnings": tuple(warning.code for warning in each.warnings) if each else (),
        "error": error and error.code,
        "reason": error.message if error else each and each.reason,
    }
