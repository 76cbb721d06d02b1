from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._answers import Series, encode
from ._bridge import call
from ._decode import decode
from ._errors import AnchorEvalError
from ._request import sent_options
from ._result import Bar, Sheet, sheet
from ._results import Interval, JudgedEstimate
from ._sheets import bar, bounds, messages
from ._warnings import warn
from ._words import bounds_words, counted, interval_words, points, score_words, warnings_words

Scores = Mapping[Any, Any] | Series
"""Scores by item id: a mapping, or a Series of pandas with the ids as its index (NaN: none), such as a DataFrame's
column. Of a list of scores the mean counts."""


def estimate_judged(
    judge: Scores,
    labels: Scores | None = None,
    *,
    level: float | None = None,
    half_width: float | None = None,
    seed: int | None = None,
) -> JudgedEstimate:
    """The score that people would give on all items, from a judge's scores of all and people's labels of some: unbiased
    whatever the judge does, and no interval wider than the labels' alone.

    Args:
        judge: the judge's score of every item, any finite numbers
        labels: people's labels of some of these items, drawn at random, in [0,1]; None where there is none
        level: confidence level of the intervals, 0.95 unless set
        half_width: the half-width that is wanted: `next.items` of the result then are those to label for it
        seed: of the draw of these items, 1 unless set

    Raises:
        AnchorEvalError: `invalid_answers` (with an issue for each bad score), `invalid_option`

    Example:
        result = anchoreval.estimate_judged(frame["judge"], frame["person"], half_width=0.03)
        print(result.score, result.interval, result.judge.bias, result.next.items)
    """
    options: dict[str, Any] = {"level": level, "half_width": half_width, "seed": seed}
    models = [{"responses": _by_id("judge", judge)}, {"responses": _by_id("labels", {} if labels is None else labels)}]
    answer = call({"call": "judge", "models": models, "options": sent_options(options)})
    result = decode(JudgedEstimate, answer)
    warn(result.warnings)
    return result


def _by_id(name: str, scores: Scores) -> Any:
    if isinstance(scores, Mapping) or isinstance(scores, Series) and not callable(scores.index):
        return encode(scores)
    raise AnchorEvalError(
        "invalid_answers",
        f"{name} goes by item id: a mapping, or a pandas Series with the ids as its index; got {type(scores).__name__}",
    )


@sheet.register
def _(result: JudgedEstimate) -> Sheet:
    scores: dict[str, tuple[float | None, Interval | None]] = {"people": (result.score, result.interval)}
    if result.labels is not None:
        scores["labels alone"] = (result.labels.score, result.labels.interval)
    scores["the judge's own mean"] = (result.judge.score, None)
    reason = None if result.interval is not None else "two labels at least are needed"
    return Sheet(
        (
            f"JudgedEstimate: {result.labelled} of {counted(result.items, 'item')} labelled",
            f"{score_words(result.score, result.interval, reason)}; {_judge_words(result)}",
            *([] if result.next is None else [_next_words(result)]),
            *warnings_words(result.warnings),
        ),
        "by",
        tuple({"by": name, "score": score, **bounds(interval)} for name, (score, interval) in scores.items()),
        tuple(
            {
                "": name,
                "score": points(score),
                "interval": interval_words(interval) if interval else "",
                "0 to 100": bar(score, interval) if score is not None and 0 <= score <= 1 else Bar(None, None, None),
            }
            for name, (score, interval) in scores.items()
        ),
        messages(result.warnings),
    )


def _judge_words(result: JudgedEstimate) -> str:
    said = f"the judge's own mean {points(result.judge.score)}"
    if result.labels is None:
        return said
    alone = f"labels alone {bounds_words(result.labels.interval.low, result.labels.interval.high)}"
    return f"{alone}, {said}"


def _next_words(result: JudgedEstimate) -> str:
    assert result.next is not None
    return f"{counted(result.next.labels, 'label')} expected in all, {len(result.next.items)} to go in next.items"
