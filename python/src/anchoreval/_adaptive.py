from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from ._answers import encode
from ._bridge import call
from ._bundle import Source, loaded
from ._decode import decode
from ._errors import AnchorEvalError, Issue, with_items
from ._request import sent_options
from ._result import Result, Sheet, sheet
from ._results import AdaptiveItem, AdaptiveModel, AdaptiveScenario, AdaptiveStop, EstimateWarning
from ._sheets import bar, bounds, messages
from ._warnings import warn
from ._words import counted, interval_words, points, score_words


class AdaptiveSession(Result):
    """An adaptive evaluation of one model: asks an item, takes its answer, and stops when the answer is sure. Made by
    `adaptive`. It may be pickled in the middle and goes on with the same items.

    Example:
        session = anchoreval.adaptive("gsm8k", half_width=0.05)
        while not session.done:
            item = session.next()
            session.answer(item.item_id, ask(item.item_id))
        print(session.estimate.score, session.stopped.message)
    """

    def __init__(self, bundle: Source, seed: str, **options: Any) -> None:
        self.bundle = loaded(bundle)
        """The benchmark that is asked."""
        self.seed = seed
        """Of the draws: the same seed and answers give the same items."""
        self._answers: dict[str, Any] = {}
        self._step = self._take({"options": sent_options(options)})

    def _take(self, request: dict[str, Any]) -> dict[str, Any]:
        step: dict[str, Any] = call({"call": "adaptive", "bundle": self.bundle._named, "seed": self.seed, **request})
        return step

    @property
    def items(self) -> tuple[AdaptiveItem, ...]:
        """The items of this batch that have no answer yet, which may be asked in any order, or all at once."""
        asked = [decode(AdaptiveItem, item) for item in self._step["items"]]
        return tuple(item for item in asked if item.item_id not in self._answers)

    def next(self) -> AdaptiveItem:
        """The item to ask now: the same one until it is answered.

        Raises:
            AnchorEvalError: `invalid_option` once the session is done
        """
        if self.done:
            raise AnchorEvalError("invalid_option", f"nothing is left to ask: {self._step['stopped']['message']}")
        return self.items[0]

    def answer(self, item_id: str, score: float | None) -> None:
        """Takes an item's score in [0,1], None where there is no answer. An answer counts when its batch is complete,
        and may be replaced until then.

        Raises:
            AnchorEvalError: `invalid_answers` for an item that isn't asked now, and for what is no score
        """
        if item_id not in {item["item_id"] for item in self._step["items"]}:
            issue = Issue(("responses", item_id), "unknown_item", f"{item_id}: this item isn't asked now")
            raise AnchorEvalError("invalid_answers", issue.message, (issue,))
        one = {"responses": encode({item_id: score})}
        try:
            call({"call": "adaptive-answers", "bundle": self.bundle._named, "models": [one]})
        except AnchorEvalError as error:
            raise with_items(error) from None
        self._answers[item_id] = score
        if not self.items:
            self._complete(self._answers)
            if self.done:
                warn(self.warnings)

    def _complete(self, answers: Mapping[str, Any]) -> None:
        """Takes the answers to a whole batch, and draws the next one."""
        self._step = self._take({"state": self._step["state"], "models": [{"responses": encode(answers)}]})
        self._answers = {}

    @property
    def done(self) -> bool:
        """Whether a rule, or the budget, has ended it."""
        return self._step["state"] is None

    @property
    def stopped(self) -> AdaptiveStop | None:
        """Why it ended; None while it goes on."""
        return None if self._step["stopped"] is None else decode(AdaptiveStop, self._step["stopped"])

    @property
    def estimate(self) -> AdaptiveModel:
        """The running score of the whole benchmark with its interval, from all complete batches."""
        return decode(AdaptiveModel, self._step["model"])

    @property
    def asked(self) -> int:
        """Items of all complete batches."""
        return int(self._step["asked"])

    @property
    def warnings(self) -> tuple[EstimateWarning, ...]:
        """What a reader of the score should know."""
        return tuple(decode(EstimateWarning, warning) for warning in self._step["warnings"])


def adaptive(
    bundle: Source,
    *,
    half_width: float | None = None,
    threshold: float | None = None,
    budget: int | None = None,
    batch: int | None = None,
    level: float | None = None,
    scenarios: Sequence[str] | None = None,
    seed: str | int | None = None,
) -> AdaptiveSession:
    """Begins an evaluation that asks only as many items as it takes (docs/adaptive.md).

    Args:
        bundle: a bundle, or what `load` takes: a name, a folder or an address
        half_width: stop as soon as the interval is this narrow to either side; a fraction in (0,1)
        threshold: stop as soon as the score is surely above it, or below; a fraction
        budget: items at most, 200 unless set
        batch: items at once, 10 unless set
        level: confidence level of the interval, 0.95 unless set
        scenarios: ask these only; the score is their weighted mean
        seed: of the draws: the same seed and answers give the same items

    Raises:
        AnchorEvalError: `invalid_option`, `unknown_scenario`

    Example:
        session = anchoreval.adaptive("gsm8k", half_width=0.05)
    """
    stop = sent_options({"half_width": half_width, "threshold": threshold})
    chosen = str(uuid4()) if seed is None else str(seed)
    options = {"budget": budget, "batch": batch, "level": level, "scenarios": scenarios}
    return AdaptiveSession(bundle, chosen, stop=stop, **options)


@sheet.register
def _(result: AdaptiveSession) -> Sheet:
    model = result.estimate
    parts: dict[str, AdaptiveModel | AdaptiveScenario] = {"overall": model, **model.scenarios}
    stopped = result.stopped
    ends = f"next: {result.items[0].item_id}" if stopped is None else f"done: {stopped.message}"
    said = f"{score_words(model.score, model.interval, model.reason)}; {counted(result.asked, 'item')} asked"
    return Sheet(
        (f"AdaptiveSession: {result.bundle.benchmark} {result.bundle.version}", said, ends),
        "scenario",
        tuple(
            {
                "scenario": name,
                "score": part.score,
                **bounds(part.interval),
                "answered": part.answered,
                "reason": part.reason,
            }
            for name, part in parts.items()
        ),
        tuple(
            {
                "": name,
                "score": points(part.score),
                "interval": interval_words(part.interval),
                "0 to 100": bar(part.score, part.interval),
                "answered": str(part.answered),
            }
            for name, part in parts.items()
            if len(parts) > 2 or name != "overall"
        ),
        messages(result.warnings),
    )
