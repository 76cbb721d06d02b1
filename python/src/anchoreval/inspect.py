"""A benchmark's score in the results of Inspect, from samples that are a form's anchors.

    from anchoreval.inspect import anchored, anchors

    @task
    def gsm8k_anchored():
        whole = gsm8k()
        return Task(
            dataset=anchors(whole.dataset, "gsm8k", form=50),
            solver=whole.solver,
            scorer=whole.scorer,
            metrics=[anchored("gsm8k", form=50)],
        )

docs/harnesses.md says what is shown.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from inspect_ai.dataset import Dataset, MemoryDataset
from inspect_ai.scorer import Metric, SampleScore, ValueToFloat, metric, value_to_float

from ._bridge import call
from ._bundle import Bundle, load
from ._calls import estimate
from ._errors import AnchorEvalError
from ._results import Estimate, ScenarioResult, standard_error

_log = logging.getLogger(__name__)

_TO_FLOAT = value_to_float()

_ITEM = "anchoreval"
"""Of a sample's metadata: the item that it is."""


@metric
def anchored(
    bundle: str | os.PathLike[str],
    scenario: str | None = None,
    *,
    form: str | int | None = None,
    to_float: ValueToFloat = _TO_FLOAT,
) -> Metric:
    """The score of the whole benchmark, or of one scenario, with its interval, for any task whose samples are anchors.

    `anchored`, `anchored_low` and `anchored_high` are the numbers of `estimate`; `anchored_stderr` is the interval's
    half-width in standard errors. Where there are several scenarios, each has `anchored:SCENARIO`. A number that can't
    be had isn't there, and the log says why. Samples are known by `anchors`, else by their ids: those of the items, or
    of the samples that the bundle was fitted on. Samples that are no anchors don't count; epochs count by their mean.

    Args:
        bundle: a name, a folder or an address, as `load` takes it
        scenario: the one that the task asks; all of the bundle's unless named
        form: the form that is asked, the default one unless named
        to_float: a score's value as a number in [0,1]

    Raises:
        AnchorEvalError: before anything is asked, as `load`
    """
    loaded = _load(bundle, scenario, form)
    name = _form(loaded, form)
    said = _Said(loaded.benchmark)

    def compute(scores: list[SampleScore]) -> Any:
        answers: dict[str, float] = {}
        try:
            answers = _answers(loaded, name, scores, to_float)
            result = estimate(loaded, answers, form=name)
        except AnchorEvalError as error:  # the samples' own scores are not to be lost with it
            said.last([f"no score: {error}"], complete=False)
            return {}
        shown: Estimate | ScenarioResult = result if scenario is None else result.scenarios[scenario]
        if scenario is not None and shown.interval is None:  # as of the whole: too few answers make no score
            shown = replace(shown, score=None)
        warnings = [own.message for own in result.warnings if scenario is None or own.scenario == scenario]
        words = [*([] if shown.reason is None else [shown.reason]), *warnings]
        said.last(words, complete=len(answers) == len(loaded.anchors(name)))
        return _figures(shown)

    return compute


class _Said:
    """What should be known of a score. Inspect computes metrics while samples are still running, too: what is said of
    some answers is said when the program ends, if no more came."""

    def __init__(self, benchmark: str) -> None:
        self.benchmark = benchmark
        self.told: set[str] = set()
        self.kept: list[str] = []
        atexit.register(lambda: self.tell(self.kept))

    def last(self, words: list[str], *, complete: bool) -> None:
        self.kept = [] if complete else words
        if complete:
            self.tell(words)

    def tell(self, words: list[str]) -> None:
        for own in words:
            if own not in self.told:
                self.told.add(own)
                _log.warning("%s: %s", self.benchmark, own)


def anchors(
    dataset: Dataset,
    bundle: str | os.PathLike[str],
    scenario: str | None = None,
    *,
    form: str | int | None = None,
) -> Dataset:
    """The samples of a dataset that are a form's anchors, by their content where the bundle has its hash, else by id.

    Raises:
        AnchorEvalError: `item_changed` where an anchor isn't there, or has another content than the bundle's item
    """
    loaded = _load(bundle, scenario, form)
    name = _form(loaded, form)
    samples = [
        {"id": place + 1 if one.id is None else one.id}
        | one.model_dump(mode="json", include={"input", "choices", "target"})
        for place, one in enumerate(dataset)
    ]
    items = _find(loaded, name, samples)
    wanted = loaded.anchors(name)
    missing = set(wanted) - set(items)
    if missing:
        raise AnchorEvalError(
            "item_changed",
            f"{len(missing)} of {len(wanted)} anchors aren't in the dataset: {', '.join(sorted(missing)[:5])}"
            f"{', …' if len(missing) > 5 else ''}; the bundle was fitted on another version of it",
        )
    kept = [
        one.model_copy(update={"id": sample["id"], "metadata": {**(one.metadata or {}), _ITEM: item}})
        for one, sample, item in zip(dataset, samples, items, strict=True)
        if item is not None
    ]
    return MemoryDataset(kept, name=dataset.name, location=dataset.location, shuffled=dataset.shuffled)


def _load(bundle: str | os.PathLike[str], scenario: str | None, form: str | int | None) -> Bundle:
    return load(bundle, scenarios=None if scenario is None else [scenario], form=form)


def _form(bundle: Bundle, form: str | int | None) -> str:
    return bundle.default_form if form is None else str(form)


def _find(bundle: Bundle, form: str, samples: Sequence[Mapping[str, Any]]) -> list[str | None]:
    sent = json.dumps(samples, ensure_ascii=False)
    found: list[str | None] = call({"call": "anchored-samples", "bundle": bundle._named, "form": form, "samples": sent})
    return found


def _answers(bundle: Bundle, form: str, scores: list[SampleScore], to_float: ValueToFloat) -> dict[str, float]:
    unnamed = {own.sample_id for own in scores if _ITEM not in (own.sample_metadata or {})} - {None}
    ids = list(unnamed)
    by_id = dict(zip(ids, _find(bundle, form, [{"id": own} for own in ids]), strict=True))
    values: dict[str, list[float]] = {}
    asked = set(bundle.anchors(form))
    for own in scores:
        item = (own.sample_metadata or {}).get(_ITEM, by_id.get(own.sample_id))
        if item in asked:
            values.setdefault(item, []).append(to_float(own.score.value))
    if not values:
        raise AnchorEvalError(
            "invalid_answers",
            "no sample is an anchor of the bundle by its id: anchoreval.inspect.anchors finds them by their content",
        )
    return {item: fmean(own) for item, own in values.items()}


def _figures(result: Estimate | ScenarioResult) -> dict[str, float | None]:
    """Inspect leaves out those that are None."""
    figures = {
        "anchored": result.score,
        "anchored_stderr": standard_error(result),
        "anchored_low": None if result.interval is None else result.interval.low,
        "anchored_high": None if result.interval is None else result.interval.high,
    }
    scenarios = result.scenarios if isinstance(result, Estimate) else {}
    for scenario, own in scenarios.items() if len(scenarios) > 1 else ():
        figures[f"anchored:{scenario}"] = own.score
        figures[f"anchored:{scenario}_stderr"] = standard_error(own)
    return figures
