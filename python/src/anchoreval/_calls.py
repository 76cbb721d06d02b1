from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

from ._answers import Responses, encode
from ._bridge import call
from ._bundle import Bundle
from ._decode import decode
from ._errors import AnchorEvalError
from ._results import CheckResult, Comparison, Estimate, PassEstimate, Plan, Ranking, TrialPlan

OnChangedItem = Literal["error", "drop"]
Over = Literal["runs", "tasks", "these-answers"]
EstimateOver = Literal["runs", "tasks"]


@dataclass(frozen=True)
class Run:
    """One model's answers with what belongs to them; where nothing does, the answers alone are enough."""

    responses: Responses
    name: str | None = None
    form_digest: str | None = None
    """Digest of the form whose order a list of scores has."""
    hashes: Mapping[str, str] | None = None
    """Content hashes of the answered items."""


Model = Run | Responses


@overload
def estimate(
    bundle: Bundle,
    responses: Responses,
    *,
    form: str | int | None = None,
    form_digest: str | None = None,
    level: float | None = None,
    hashes: Mapping[str, str] | None = None,
    on_changed_item: OnChangedItem | None = None,
    over: EstimateOver | None = None,
    clusters: Mapping[str, str] | None = None,
    subscores: bool | Sequence[str] | None = None,
    metric: None = None,
) -> Estimate: ...
@overload
def estimate(
    bundle: Bundle,
    responses: Responses,
    *,
    form: str | int | None = None,
    form_digest: str | None = None,
    level: float | None = None,
    hashes: Mapping[str, str] | None = None,
    on_changed_item: OnChangedItem | None = None,
    metric: str,
) -> PassEstimate: ...
def estimate(
    bundle: Bundle,
    responses: Responses,
    *,
    form: str | int | None = None,
    form_digest: str | None = None,
    level: float | None = None,
    hashes: Mapping[str, str] | None = None,
    on_changed_item: OnChangedItem | None = None,
    over: EstimateOver | None = None,
    clusters: Mapping[str, str] | None = None,
    subscores: bool | Sequence[str] | None = None,
    metric: str | None = None,
) -> Estimate | PassEstimate:
    """A model's score on the whole benchmark, from its answers to the anchors of one form.

    Args:
        responses: scores in [0,1] by item id, None where there is no answer; or a list or an array in the form's order.
            An item that was tried several times has a list of scores, or `{"passed": 3, "of": 5}`, in place of one
        form: the form that was asked; else the one that the answered items leave no doubt about
        form_digest: `bundle.anchors(form).digest`; needed with a list or an array
        level: confidence level of the intervals, 0.95 unless set
        hashes: content hashes of the answered items; another content than the calibrated one is an error
        on_changed_item: "drop": such answers count as missing instead
        over: "runs" or "tasks": intervals over both in `trials` for single answers, too; trials have them anyway
        clusters: the group of each item whose answers go together, such as its repository, for intervals over tasks
        subscores: True, or names of some: the scores of the bundle's groups of items in `subscores`
        metric: "pass@16", "pass^4" or "best-of-8": that score in place of the mean, and not with `over`

    Raises:
        AnchorEvalError: `invalid_answers` (with an issue for each bad answer), `ambiguous_form`, `unknown_form`,
            `digest_mismatch`, `item_changed`, `invalid_option`; `unsupported` for a metric that the bundle has no
            answer to

    Example:
        result = anchoreval.estimate(bundle, {item_id: ask(item_id) for item_id in bundle.anchors(form="50")})
        print(result.score, result.interval)
        print(anchoreval.estimate(bundle, {item_id: [ask(item_id) for _ in range(4)] for item_id in ids}).trials)
    """
    run = Run(responses, form_digest=form_digest, hashes=hashes)
    options = {
        "form": _text(form),
        "level": level,
        "onChangedItem": on_changed_item,
        "over": over,
        "clusters": clusters and dict(clusters),
        "subscores": subscores if subscores is None or isinstance(subscores, bool) else list(subscores),
        "metric": metric,
    }
    found = _ask("estimate", bundle, [run], options)
    return decode(Estimate, found) if metric is None else decode(PassEstimate, found)


def compare(
    bundle: Bundle,
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
    options = {"form": _text(form), "level": level, "margin": margin, "over": over, "onChangedItem": on_changed_item}
    return decode(Comparison, _ask("compare", bundle, [a, b], options))


def rank(
    bundle: Bundle,
    models: Mapping[str, Model] | Sequence[Model],
    *,
    form: str | int | None = None,
    level: float | None = None,
    over: Over | None = None,
    on_changed_item: OnChangedItem | None = None,
) -> Ranking:
    """Several models on the same anchors, with the places that each may have.

    Args:
        models: answers by model's name, or a list of them
        over: what the places are said of, as in `compare`
    """
    runs: list[Model]
    if isinstance(models, Mapping):
        runs = [_run(given, name) for name, given in models.items()]
    else:
        runs = list(models)
    options = {"form": _text(form), "level": level, "over": over, "onChangedItem": on_changed_item}
    return decode(Ranking, _ask("rank", bundle, runs, options))


def check(
    bundle: Bundle,
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
    options = {
        "form": _text(form),
        "level": level,
        "maxDrop": max_drop,
        "minScore": min_score,
        "alarmsPerYear": alarms_per_year,
        "runsPerYear": runs_per_year,
        "onChangedItem": on_changed_item,
    }
    return decode(CheckResult, _ask("check", bundle, _list(current), options, _list(baselines)))


@overload
def plan(
    bundle: Bundle,
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
    bundle: Bundle, *, half_width: float | None = None, level: float | None = None, trials: Sequence[int]
) -> TrialPlan: ...
def plan(
    bundle: Bundle,
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
    options = {
        "halfWidth": half_width,
        "gap": gap,
        "level": level,
        "rankedRight": ranked_right,
        "budget": budget,
        "trials": trials and [_option("trials", count) for count in trials],
    }
    found = _ask("plan", bundle, [], options)
    return decode(Plan, found) if trials is None else decode(TrialPlan, found)


def _ask(
    name: str,
    bundle: Bundle,
    runs: Sequence[Model],
    options: Mapping[str, Any],
    baselines: Sequence[Model] = (),
) -> Any:
    given = {key: _option(key, value) for key, value in options.items() if value is not None}
    return call(
        {
            "call": name,
            "bundle": bundle._named,
            "models": [_sent(run) for run in runs],
            "baselines": [_sent(run) for run in baselines],
            "options": given,
        }
    )


def _run(given: Model, name: str | None = None) -> Run:
    if not isinstance(given, Run):
        return Run(given, name)
    return given if name is None else Run(given.responses, name, given.form_digest, given.hashes)


def _sent(given: Model) -> dict[str, Any]:
    run = _run(given)
    own = {"name": run.name, "formDigest": run.form_digest, "hashes": run.hashes and dict(run.hashes)}
    return {"responses": encode(run.responses), **{key: value for key, value in own.items() if value is not None}}


def _list(runs: Sequence[Model]) -> Sequence[Model]:
    if isinstance(runs, (list, tuple)) and all(not isinstance(run, (int, float)) for run in runs):
        return runs
    raise AnchorEvalError("invalid_option", f"runs are a list of each run's answers; got {type(runs).__name__}")


def _option(name: str, value: Any) -> Any:
    """As JSON has it: numbers of numpy become Python's, and what is no number there is refused."""
    if callable(getattr(value, "item", None)):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise AnchorEvalError("invalid_option", f"{name} must be a finite number, got {value}")
    return value


def _text(form: str | int | None) -> str | None:
    return None if form is None else str(form)
