from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

from ._answers import Responses, Table
from ._bundle import Bundle, Source, loaded
from ._decode import decode
from ._errors import AnchorEvalError
from ._estimates import Estimates, ask_estimates, table_warnings
from ._request import OnChangedItem, Run, ask
from ._results import Estimate, PassEstimate
from ._warnings import warn

EstimateOver = Literal["runs", "tasks"]


@overload
def estimate(
    bundle: Source,
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
    known_scores: Mapping[str, float] | None = None,
    metric: None = None,
) -> Estimate: ...
@overload
def estimate(
    bundle: Source,
    responses: Responses,
    *,
    form: str | int | None = None,
    form_digest: str | None = None,
    level: float | None = None,
    hashes: Mapping[str, str] | None = None,
    on_changed_item: OnChangedItem | None = None,
    metric: str,
) -> PassEstimate: ...
@overload
def estimate(
    bundle: Source,
    responses: Table,
    *,
    form: str | int | None = None,
    level: float | None = None,
    hashes: Mapping[str, str] | None = None,
    on_changed_item: OnChangedItem | None = None,
    over: EstimateOver | None = None,
    clusters: Mapping[str, str] | None = None,
    subscores: bool | Sequence[str] | None = None,
    metric: str | None = None,
) -> Estimates: ...
def estimate(
    bundle: Source,
    responses: Responses | Table,
    *,
    form: str | int | None = None,
    form_digest: str | None = None,
    level: float | None = None,
    hashes: Mapping[str, str] | None = None,
    on_changed_item: OnChangedItem | None = None,
    over: EstimateOver | None = None,
    clusters: Mapping[str, str] | None = None,
    subscores: bool | Sequence[str] | None = None,
    known_scores: Mapping[str, float] | None = None,
    metric: str | None = None,
) -> Estimate | PassEstimate | Estimates:
    """A model's score on the whole benchmark, from its answers to the anchors of one form.

    Args:
        bundle: a bundle, or what `load` takes: a name, a folder or an address
        responses: scores in [0,1] by item id, None where there is no answer; or a list or an array in the form's order.
            An item that was tried several times has a list of scores, or `{"passed": 3, "of": 5}`, in place of one.
            Or a DataFrame of pandas with a row for each model and a column for each item, NaN where there is no answer
        form: the form that was asked; else the one that the answered items leave no doubt about
        form_digest: `bundle.anchors(form).digest`; needed with a list or an array
        level: confidence level of the intervals, 0.95 unless set
        hashes: content hashes of the answered items; another content than the calibrated one is an error
        on_changed_item: "drop": such answers count as missing instead
        over: "runs" or "tasks": intervals over both in `trials` for single answers, too; trials have them anyway
        clusters: the group of each item whose answers go together, such as its repository, for intervals over tasks
        subscores: True, or names of some: the scores of the bundle's groups of items in `subscores`
        known_scores: the model's scores on other benchmarks, in [0,1], of a bundle fitted with such: the score by both
            together in `with_known_scores`; of one model, so not with a DataFrame
        metric: "pass@16", "pass^4" or "best-of-8": that score in place of the mean, and not with `over`

    Raises:
        AnchorEvalError: `invalid_answers` (with an issue for each bad answer), `ambiguous_form`, `unknown_form`,
            `digest_mismatch`, `item_changed`, `invalid_option`; `unsupported` for a metric that the bundle has no
            answer to

    Example:
        result = anchoreval.estimate(bundle, {item_id: ask(item_id) for item_id in bundle.anchors(form="50")})
        print(result.score, result.interval)
        print(anchoreval.estimate(bundle, {item_id: [ask(item_id) for _ in range(4)] for item_id in ids}).trials)
        print(anchoreval.estimate(bundle, leaderboard).to_frame())  # a DataFrame, a row a model
    """
    options: dict[str, Any] = {
        "form": form,
        "level": level,
        "on_changed_item": on_changed_item,
        "over": over,
        "clusters": clusters,
        "subscores": subscores,
        "metric": metric,
    }
    kind: type[Estimate | PassEstimate] = Estimate if metric is None else PassEstimate
    if isinstance(responses, Table):
        if form_digest is not None:
            raise AnchorEvalError("invalid_option", "form_digest goes with a list; a DataFrame's columns are item ids")
        if known_scores is not None:
            raise AnchorEvalError("invalid_option", "known_scores are one model's, and a DataFrame has several")
        estimates = ask_estimates(loaded(bundle), responses, kind, hashes=hashes, **options)
        warn(table_warnings(estimates))
        return estimates
    run = Run(responses, form_digest=form_digest, hashes=hashes)
    result = decode(kind, ask("estimate", bundle, [run], known_scores=known_scores, **options))
    warn(result.warnings)
    return result


def quiet_estimate(bundle: Bundle, responses: Responses, form: str) -> Estimate:
    """For a harness, which says in its own log what a result's warnings say."""
    return decode(Estimate, ask("estimate", bundle, [responses], form=form))
