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
import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from inspect_ai import SampleSource
from inspect_ai.dataset import Dataset, MemoryDataset, Sample
from inspect_ai.log import EvalSample
from inspect_ai.scorer import Metric, SampleScore, Value, ValueToFloat, metric, value_to_float

from ._adaptive import AdaptiveSession
from ._adaptive import adaptive as begin
from ._bridge import call
from ._bundle import Bundle, load
from ._errors import AnchorEvalError
from ._estimate import quiet_estimate
from ._results import Estimate, ScenarioResult
from ._standard_error import standard_error
from ._words import Bounds

_log = logging.getLogger(__name__)

_INSPECTS = value_to_float()

_WORDS = {"C", "P", "I", "N"}
_TRUTH = {"yes", "true", "no", "false"}
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


def _to_float(value: Value) -> float:
    """A score's value as a number, as Inspect reads it; NaN for text that it doesn't know, of which it makes 0."""
    if not isinstance(value, str) or value in _WORDS:
        return float(_INSPECTS(value))
    known = value.lower() in _TRUTH or _NUMBER.fullmatch(value.strip())
    return float(_INSPECTS(value)) if known else math.nan


_ITEM = "anchoreval"
"""Of a sample's metadata: the item that it is."""


@metric
def anchored(
    bundle: str | os.PathLike[str],
    scenario: str | None = None,
    *,
    form: str | int | None = None,
    to_float: ValueToFloat = _to_float,
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
        to_float: a score's value as a number in [0,1], NaN for none; Inspect's own, without 0 for unknown words

    Raises:
        AnchorEvalError: before anything is asked, as `load`
    """
    loaded = _load(bundle, scenario, form)
    name = _form(loaded, form)
    said = _Said(loaded.benchmark)

    def compute(scores: list[SampleScore]) -> Any:
        answers: dict[str, float] = {}
        try:
            answers, unread = _answers(loaded, name, scores, to_float)
            result = quiet_estimate(loaded, answers, name)
        except AnchorEvalError as error:  # the samples' own scores are not to be lost with it
            said.last([f"no score: {error}"], complete=False)
            return {}
        shown: Estimate | ScenarioResult = result if scenario is None else result.scenarios[scenario]
        if scenario is not None and shown.interval is None:  # as of the whole: too few answers make no score
            shown = replace(shown, score=None)
        warnings = [own.message for own in result.warnings if scenario is None or own.scenario == scenario]
        words = [*unread, *([] if shown.reason is None else [shown.reason]), *warnings]
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
    samples = _seen(dataset)
    items = _find(loaded, name, samples)
    wanted = loaded.anchors(name)
    _refuse_missing(set(wanted) - set(items), len(wanted), "anchors")
    kept = [
        _marked(one, sample["id"], item)
        for one, sample, item in zip(dataset, samples, items, strict=True)
        if item is not None
    ]
    return MemoryDataset(kept, name=dataset.name, location=dataset.location, shuffled=dataset.shuffled)


class AdaptiveSamples(SampleSource):
    """Samples of an adaptive evaluation, a task's `dataset`: after each batch the next ones are drawn by what the
    answers so far predict, until a rule ends it. Made by `adaptive`."""

    def __init__(
        self,
        samples: Mapping[str, Sample],
        session: AdaptiveSession,
        *,
        scorer: str | None,
        to_float: ValueToFloat,
    ) -> None:
        self._samples = samples
        self._session = session
        self._scorer = scorer
        self._to_float = to_float
        self._values: dict[str, list[float]] = {}

    @property
    def stopped(self) -> str | None:
        """Why it ended; None while it goes on."""
        stop = self._session.stopped
        return None if stop is None else stop.message

    def metric(self) -> Metric:
        """The running score with its interval, and the number of items: one of the task's metrics."""

        @metric(name="adaptive")
        def adaptive_score() -> Metric:
            return lambda scores: self._figures()

        return adaptive_score()

    def _figures(self) -> dict[str, float | None]:
        model = self._session.estimate
        return _numbers("adaptive", model.score, model.interval) | {"adaptive_items": self._session.asked}

    def _batch(self) -> list[Sample]:
        return [self._samples[item.item_id] for item in self._session.items]

    def initial_samples(self) -> list[Sample]:
        return self._batch()

    async def sample_complete(self, sample: EvalSample) -> None:
        scores = sample.scores or {}
        if self._scorer is None and len(scores) > 1:
            raise AnchorEvalError(
                "invalid_option",
                f"which score counts? scorer= is one of {', '.join(scores)} for an adaptive evaluation",
            )
        score = next(iter(scores.values()), None) if self._scorer is None else scores.get(self._scorer)
        if sample.error is None and score is not None:
            value = self._to_float(score.value)
            if not math.isnan(value):
                self._values.setdefault(sample.metadata[_ITEM], []).append(value)

    async def next_samples(self) -> list[Sample] | None:
        if self._session.done:
            return None
        asked = [item.item_id for item in self._session.items]
        self._session._complete({item: fmean(self._values[item]) if item in self._values else None for item in asked})
        if not self._session.done:
            return self._batch()
        for warning in self._session.warnings:
            _log.warning("%s: %s", self._session.bundle.benchmark, warning.message)
        return None


def adaptive(
    dataset: Dataset,
    bundle: str | os.PathLike[str],
    scenario: str | None = None,
    *,
    half_width: float | None = None,
    threshold: float | None = None,
    budget: int | None = None,
    batch: int | None = None,
    level: float | None = None,
    seed: str | int | None = None,
    scorer: str | None = None,
    to_float: ValueToFloat = _to_float,
) -> AdaptiveSamples:
    """Asks only as many samples of a dataset as it takes (docs/adaptive.md); all of the bundle's items are in it.

    Args:
        half_width: stop as soon as the interval is this narrow to either side; a fraction
        threshold: stop as soon as the score is surely above it, or below
        budget: samples at most, 200 unless set
        batch: samples at once, 10 unless set
        level: confidence level of the interval, 0.95 unless set
        seed: of the draws: the same seed and answers give the same samples, so that a retry takes up answered ones
        scorer: whose score counts, where the task has several

    Raises:
        AnchorEvalError: `item_changed` where an item isn't in the dataset, or has another content; `invalid_option`

    Example:
        samples = adaptive(whole.dataset, "mine", half_width=0.03)
        Task(dataset=samples, solver=whole.solver, scorer=whole.scorer, metrics=[samples.metric()])
    """
    loaded = _load(bundle, scenario, None)
    seen = _seen(dataset)
    sent = json.dumps(seen, ensure_ascii=False)
    told = call({"call": "adaptive-samples", "bundle": loaded._named, "samples": sent})
    _refuse_missing(set(told["items"]) - set(told["found"]), len(told["items"]), "items")
    named = {item: _marked(one, own["id"], item) for one, own, item in zip(dataset, seen, told["found"], strict=True)}
    session = begin(
        loaded,
        half_width=half_width,
        threshold=threshold,
        budget=budget,
        batch=batch,
        level=level,
        scenarios=None if scenario is None else [scenario],
        seed=seed,
    )
    return AdaptiveSamples(named, session, scorer=scorer, to_float=to_float)


def _seen(dataset: Dataset) -> list[dict[str, Any]]:
    """Samples as the package is asked about them."""
    return [
        {"id": place + 1 if one.id is None else one.id}
        | one.model_dump(mode="json", include={"input", "choices", "target"})
        for place, one in enumerate(dataset)
    ]


def _marked(sample: Sample, id_: Any, item: str) -> Sample:
    marked: Sample = sample.model_copy(update={"id": id_, "metadata": {**(sample.metadata or {}), _ITEM: item}})
    return marked


def _refuse_missing(missing: set[str], count: int, what: str) -> None:
    if missing:
        raise AnchorEvalError(
            "item_changed",
            f"{len(missing)} of {count} {what} aren't in the dataset: {', '.join(sorted(missing)[:5])}"
            f"{', …' if len(missing) > 5 else ''}; the bundle was fitted on another version of it",
        )


def _load(bundle: str | os.PathLike[str], scenario: str | None, form: str | int | None) -> Bundle:
    return load(bundle, scenarios=None if scenario is None else [scenario], form=form)


def _form(bundle: Bundle, form: str | int | None) -> str:
    return bundle.default_form if form is None else str(form)


def _find(bundle: Bundle, form: str, samples: Sequence[Mapping[str, Any]]) -> list[str | None]:
    sent = json.dumps(samples, ensure_ascii=False)
    found: list[str | None] = call({"call": "anchored-samples", "bundle": bundle._named, "form": form, "samples": sent})
    return found


def _answers(
    bundle: Bundle, form: str, scores: list[SampleScore], to_float: ValueToFloat
) -> tuple[dict[str, float], list[str]]:
    """The answers by item, and what is to be said of values that are no score."""
    unnamed = {own.sample_id for own in scores if _ITEM not in (own.sample_metadata or {})} - {None}
    ids = list(unnamed)
    by_id = dict(zip(ids, _find(bundle, form, [{"id": own} for own in ids]), strict=True))
    values: dict[str, list[float]] = {}
    unread: Counter[str] = Counter()
    asked = set(bundle.anchors(form))
    for own in scores:
        item = (own.sample_metadata or {}).get(_ITEM, by_id.get(own.sample_id))
        if item in asked:
            values.setdefault(item, [])
            value = to_float(own.score.value)
            if not math.isnan(value):
                values[item].append(value)
            elif isinstance(own.score.value, str):
                unread[own.score.value] += 1
    if not values:
        raise AnchorEvalError(
            "invalid_answers",
            "no sample is an anchor of the bundle by its id: anchoreval.inspect.anchors finds them by their content",
        )
    words = ", ".join(f"{json.dumps(word)} ({count})" for word, count in unread.most_common(5))
    answers = {item: fmean(own) for item, own in values.items() if own}
    if unread and not answers:
        raise AnchorEvalError("invalid_answers", f"there is no score: {words}")
    return answers, [f"{unread.total()} values are no score, and count as missing: {words}"] if unread else []


def _numbers(name: str, score: float | None, interval: Bounds | None) -> dict[str, float | None]:
    """A score and its interval, as the log names them."""
    return {
        name: score,
        f"{name}_stderr": standard_error(interval),
        f"{name}_low": None if interval is None else interval.low,
        f"{name}_high": None if interval is None else interval.high,
    }


def _figures(result: Estimate | ScenarioResult) -> dict[str, float | None]:
    """Inspect leaves out those that are None."""
    figures = _numbers("anchored", result.score, result.interval)
    scenarios = result.scenarios if isinstance(result, Estimate) else {}
    for scenario, own in scenarios.items() if len(scenarios) > 1 else ():
        figures[f"anchored:{scenario}"] = own.score
        figures[f"anchored:{scenario}_stderr"] = standard_error(own.interval)
    return figures
