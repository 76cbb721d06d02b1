from __future__ import annotations

import json
import math
from typing import Any

import pytest
from conftest import plain

import anchoreval
from anchoreval import AnchorEvalError, AnchorEvalWarning, JudgedEstimate

IDS = [f"q-{k}" for k in range(200)]
JUDGE = {item: (k * 7 % 10) / 10 for k, item in enumerate(IDS)}
LABELS: dict[str, float | None] = {item: float(k % 3 > 0) for k, item in enumerate(IDS[:60])}


def test_from_no_label_to_an_interval_by_what_is_to_label_next() -> None:
    first = anchoreval.estimate_judged(JUDGE, half_width=0.1)
    assert first.score is None and first.interval is None and first.next is not None
    assert first.next.labels == len(first.next.items) and set(first.next.items) <= set(IDS)
    labels = {item: JUDGE[item] > 0.4 for item in first.next.items}
    result = anchoreval.estimate_judged(JUDGE, labels, half_width=0.1)
    assert isinstance(result, JudgedEstimate) and result.interval is not None and result.labels is not None
    assert result.interval.low < result.interval.high and result.judge.used
    assert result.interval.high - result.interval.low < result.labels.interval.high - result.labels.interval.low
    assert (result.items, result.labelled) == (200, len(labels))
    assert anchoreval.estimate_judged(JUDGE, half_width=0.1, seed=2).next != first.next


def test_columns_of_a_table_are_the_same_as_dicts() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"judge": JUDGE, "person": {item: LABELS.get(item, math.nan) for item in IDS}})
    assert anchoreval.estimate_judged(frame["judge"], frame["person"]) == anchoreval.estimate_judged(JUDGE, LABELS)
    numbered = frame.reset_index(drop=True)
    assert anchoreval.estimate_judged(numbered["judge"], numbered["person"]).labelled == 60


def test_none_is_no_label_and_several_count_by_their_mean() -> None:
    said = {**LABELS, "q-100": None, "q-0": [1, 0], "q-1": {"passed": 1, "of": 1}, "q-2": True}
    result = anchoreval.estimate_judged(JUDGE, said)
    assert result.labelled == 60 and result.labels is not None
    assert result.labels.score == pytest.approx((sum(v or 0 for v in LABELS.values()) + 0.5) / 60)


def test_shown_in_two_lines_and_as_a_table() -> None:
    result = anchoreval.estimate_judged(JUDGE, LABELS)
    lines = repr(result).split("\n")
    assert lines[0] == "JudgedEstimate: 60 of 200 items labelled"
    assert "95 % interval" in lines[1] and "labels alone" in lines[1] and "the judge's own mean 45.0" in lines[1]
    assert "to go in next.items" in repr(anchoreval.estimate_judged(JUDGE, LABELS, half_width=0.05))
    page = result._repr_html_()
    assert page.count("<rect") == 2 and page.count("<circle") == 3
    stars = anchoreval.estimate_judged({item: 10 * score for item, score in JUDGE.items()}, LABELS)
    assert stars.judge.bias is None and stars._repr_html_().count("<circle") == 2
    frame = result.to_frame()
    assert list(frame.index) == ["people", "labels alone", "the judge's own mean"]
    assert result.interval is not None and frame.loc["people", "low"] == result.interval.low
    assert "no score: two labels" in repr(anchoreval.estimate_judged(JUDGE))


def test_its_remarks_are_warnings() -> None:
    with pytest.warns(AnchorEvalWarning, match="judge counts from 10 on") as caught:
        result = anchoreval.estimate_judged(JUDGE, dict(list(LABELS.items())[:5]))
    assert [str(each.message)[-12:] for each in caught] == ["[few_labels]"] and caught[0].filename == __file__
    assert "1 warning: few_labels" in repr(result)


REFUSED: list[tuple[Any, Any, dict[str, Any], str, str]] = [
    ([1, 0], {}, {}, "invalid_answers", "judge goes by item id: a mapping, or a pandas Series"),
    (JUDGE, [1, 0], {}, "invalid_answers", "labels goes by item id"),
    ({**JUDGE, "q-3": None}, LABELS, {}, "invalid_answers", 'no score of 1 item: "q-3"'),
    ({**JUDGE, "q-3": math.nan}, LABELS, {}, "invalid_answers", "isn't a finite number"),
    (JUDGE, {"other": 1}, {}, "invalid_answers", "of items without a score of the judge"),
    (JUDGE, {"q-1": 4}, {}, "invalid_answers", "isn't a number in [0,1]"),
    ({}, {}, {}, "invalid_answers", "the judge has scored no item"),
    (JUDGE, {}, {"half_width": 3}, "invalid_option", "`half_width` must be above 0 and below 0.5"),
    (JUDGE, {}, {"level": 95}, "invalid_option", "level"),
]


@pytest.mark.parametrize(("judge", "labels", "options", "code", "words"), REFUSED)
def test_refused_in_the_words_of_python(judge: Any, labels: Any, options: Any, code: str, words: str) -> None:
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.estimate_judged(judge, labels, **options)
    assert caught.value.code == code and words in caught.value.message


def test_findings_say_where_they_stand() -> None:
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.estimate_judged(JUDGE, {"q-1": 4, "q-2": -1})
    assert [issue.path for issue in caught.value.issues] == [("labels", "q-1"), ("labels", "q-2")]


def test_the_same_numbers_as_json_has_them() -> None:
    from anchoreval._bridge import call

    models = [{"responses": {"byId": list(map(list, scores.items()))}} for scores in (JUDGE, LABELS)]
    answer = call({"call": "judge", "models": models, "options": {"halfWidth": 0.05}})
    result = anchoreval.estimate_judged(JUDGE, LABELS, half_width=0.05)
    assert plain(result) == json.loads(json.dumps(answer))
