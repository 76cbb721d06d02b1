from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from ._answers import Table
from ._bundle import Source
from ._decode import decode
from ._errors import AnchorEvalError
from ._request import Model, OnChangedItem, Run, ask, run_of
from ._results import CheckResult, Comparison, Plan, Ranking, TrialPlan
from ._warnings import warn

Over = Literal["runs", "tasks", "these-answers"]


def compare(
    bundle: Source,
    a: Model,
    b: Model,
    *,
    form: str | int | None = None,
    level: float | None = None,
    margin: float | None = None,
    over: Over | None = None,
    on_changed_item: OnChangedItem | None = None,
) -> Comparison:
    """Two models on the same anchors: the difference of their full scores, B less A, and which is better.

    Args:
        over: what is said: "runs" or "tasks" of the models, or "these-answers" of these scores alone; "runs" where
            trials tell of a model (lists of scores by item id), else "tasks"
        margin: the largest difference of scores that doesn't matter, a fraction in [0,1)

    Raises:
        AnchorEvalError: as `estimate`, naming the model
    """
    options: dict[str, Any] = {
        "form": form,
        "level": level,
        "margin": margin,
        "over": over,
        "on_changed_item": on_changed_item,
    }
    result = decode(Comparison, ask("compare", bundle, [a, b], **options))
    warn(result.warnings)
    return result


def rank(
    bundle: Source,
    models: Mapping[str, Model] | Sequence[Model] | Table,
    *,
    form: str | int | None = None,
    level: float | None = None,
    over: Over | None = None,
    on_changed_item: OnChangedItem | None = None,
) -> Ranking:
    """Several models on the same anchors, with the places that each may have.

    Args:
        models: answers by model's name, or a list of them; or a DataFrame, a row a model
        over: what the places are said of, as in `compare`
    """
    runs: list[Model]
    if isinstance(models, Mapping):
        runs = [run_of(model, name) for name, model in models.items()]
    elif isinstance(models, Table):
        runs = [Run(row, str(label)) for label, row in models.iterrows()]
    else:
        runs = list(models)
    options: dict[str, Any] = {"form": form, "level": level, "over": over, "on_changed_item": on_changed_item}
    result = decode(Ranking, ask("rank", bundle, runs, **options))
    warn(result.warnings)
    return result


def check(
    bundle: Source,
    current: Sequence[Model],
    *,
    baselines: Sequence[Model] = (),
    max_drop: float | None = None,
    min_score: float | None = None,
    form: str | int | None = None,
    level: float | None = None,
    alarms_per_year: float | None = None,
    runs_per_year: float | None = None,
    on_changed_item: OnChangedItem | None = None,
) -> CheckResult:
    """Whether a model got worse than its baselines, or is worse than allowed: docs/check.md says what is promised.

    Args:
        current: the model's runs, a list of one or more; of several each item's mean counts
        baselines: earlier runs on the same form
        max_drop: the largest drop that is allowed, a fraction in [0,1), 0.01 unless set
        min_score: the lowest score that is allowed
    """
    options: dict[str, Any] = {
        "form": form,
        "level": level,
        "max_drop": max_drop,
        "min_score": min_score,
        "alarms_per_year": alarms_per_year,
        "runs_per_year": runs_per_year,
        "on_changed_item": on_changed_item,
    }
    result = decode(CheckResult, ask("check", bundle, _list(current), _list(baselines), **options))
    warn(result.warnings)
    return result


@overload
def plan(
    bundle: Source,
    *,
    half_width: float | None = None,
    gap: float | None = None,
    level: float | None = None,
    ranked_right: float | None = None,
    budget: float | None = None,
    trials: None = None,
) -> Plan: ...
@overload
def plan(
    bundle: Source, *, half_width: float | None = None, level: float | None = None, trials: Sequence[int]
) -> TrialPlan: ...
def plan(
    bundle: Source,
    *,
    half_width: float | None = None,
    gap: float | None = None,
    level: float | None = None,
    ranked_right: float | None = None,
    budget: float | None = None,
    trials: Sequence[int] | None = None,
) -> Plan | TrialPlan:
    """How many items a precision takes: a half-width of the intervals, or a gap between two models.

    Args:
        budget: the most that the answers may cost, of a bundle that was fitted by prices, in their unit
        trials: trials an item, such as [1, 3, 5]: the plan is for the expected score over runs, by items and trials
    """
    options: dict[str, Any] = {
        "half_width": half_width,
        "gap": gap,
        "level": level,
        "ranked_right": ranked_right,
        "budget": budget,
        "trials": trials,
    }
    answer = ask("plan", bundle, [], **options)
    return decode(Plan, answer) if trials is None else decode(TrialPlan, answer)


def _list(runs: Sequence[Model]) -> Sequence[Model]:
    if isinstance(runs, (list, tuple)) and all(not isinstance(run, (int, float)) for run in runs):
        return runs
    raise AnchorEvalError("invalid_option", f"runs are a list of each run's answers; got {type(runs).__name__}")
