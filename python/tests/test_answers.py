"""Answers in every shape that they come in, and what is refused of them."""

from __future__ import annotations

from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import FORM_12

import anchoreval
from anchoreval import AnchorEvalError, Bundle

Scores = dict[str, "float | None"]


def refusal(bundle: Bundle, responses: Any, **options: Any) -> AnchorEvalError:
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.estimate(bundle, responses, **options)
    return caught.value


@pytest.mark.parametrize(
    "shape", ["dict", "ordered", "proxy", "Series", "nullable Series", "shuffled Series", "list", "tuple"]
)
def test_shapes(bundle: Bundle, answers: Scores, shape: str) -> None:
    expected = anchoreval.estimate(bundle, answers)
    series = pd.Series(answers, dtype=float)  # None becomes NaN
    given: dict[str, Any] = {
        "dict": answers,
        "ordered": OrderedDict(reversed(answers.items())),
        "proxy": MappingProxyType(answers),
        "Series": series,
        "nullable Series": series.astype("Float64"),
        "shuffled Series": series.sample(frac=1, random_state=1),
        "list": list(answers.values()),
        "tuple": tuple(answers.values()),
    }
    digest = FORM_12 if shape in ("list", "tuple") else None
    assert anchoreval.estimate(bundle, given[shape], form_digest=digest) == expected
    assert expected.answered == 22  # two are None: never wrong answers


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "object"])
def test_arrays(bundle: Bundle, dtype: str) -> None:
    ids = bundle.anchors("12")
    scores = np.array([k % 3 == 0 for k in range(len(ids))]).astype(dtype)
    by_id = {item_id: int(k % 3 == 0) for k, item_id in enumerate(ids)}
    assert anchoreval.estimate(bundle, scores, form_digest=ids.digest) == anchoreval.estimate(bundle, by_id)


@pytest.mark.parametrize(
    "number", [True, np.float64(1), np.float32(1), np.int8(1), np.bool_(True), np.array(1), Fraction(1), Decimal(1)]
)
def test_numbers(bundle: Bundle, number: Any) -> None:
    ids = bundle.anchors("12")
    assert anchoreval.estimate(bundle, dict.fromkeys(ids, number)) == anchoreval.estimate(bundle, dict.fromkeys(ids, 1))


@pytest.mark.parametrize(
    ("score", "code"),
    [
        (float("nan"), "not_a_number"),
        (np.float32("nan"), "not_a_number"),
        (float("inf"), "out_of_range"),
        (-float("inf"), "out_of_range"),
        (10**400, "out_of_range"),
        (1.5, "out_of_range"),
        (-1, "out_of_range"),
        ("1", "invalid_type"),
        ([2], "out_of_range"),
        ([], "empty"),
        ({"passed": 4, "of": 3}, "out_of_range"),
        ({"passed": 1}, "wrong_type"),
        ({"passed": 1, "of": 2, "failed": 1}, "wrong_type"),
        ({"score": 1}, "invalid_type"),
        (1j, "invalid_type"),
        (object(), "invalid_type"),
    ],
)
def test_bad_scores(bundle: Bundle, answers: Scores, score: Any, code: str) -> None:
    error = refusal(bundle, {**answers, "gsm#3": score})
    assert error.code == "invalid_answers"
    place = ("responses", "gsm#3")
    assert [(issue.path[:2], issue.code) for issue in error.issues] == [(place, code)]
    scores = [score, *list(answers.values())[1:]]
    are_trials = isinstance(score, list) or (isinstance(score, dict) and "passed" in score)
    found = refusal(bundle, scores, form_digest=FORM_12).issues[0].path
    assert found[:2] == (place if are_trials else ("responses", 0))


def test_trials_in_every_shape(bundle: Bundle, answers: Scores) -> None:
    expected = anchoreval.estimate(bundle, {**answers, "gsm#3": [1, 0, 1]})
    assert expected.trials is not None and expected.trials.count == 24
    shapes: list[Any] = [
        np.array([1, 0, 1]),
        np.array([True, False, True]),
        pd.Series([1.0, 0.0, 1.0]),
        [True, np.int8(0), 1.0],
        {"passed": 2, "of": 3},
        {"passed": np.int64(2), "of": np.int64(3)},
        [1, 0, 1, None],
    ]
    for given in shapes:
        assert anchoreval.estimate(bundle, {**answers, "gsm#3": given}) == expected
    by_id = pd.Series({**answers, "gsm#3": [1, 0, 1]}, dtype=object)
    assert anchoreval.estimate(bundle, by_id) == expected


def test_a_tuple_is_neither_trials_nor_counts(bundle: Bundle, answers: Scores) -> None:
    error = refusal(bundle, {**answers, "gsm#3": (1, 1)})
    assert error.code == "invalid_answers" and "passed" in str(error)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"over": "days"}, "invalid_option"),
        ({"metric": "f1"}, "invalid_option"),
        ({"metric": "pass@0"}, "invalid_option"),
        ({"metric": "pass@2", "over": "runs"}, "invalid_option"),
    ],
)
def test_bad_options_of_trials(bundle: Bundle, answers: Scores, options: dict[str, Any], code: str) -> None:
    whole = dict.fromkeys(answers, 1)
    assert refusal(bundle, whole, **options).code == code


def test_nan_in_an_array_is_refused_and_an_infinity_in_a_series(bundle: Bundle) -> None:
    ids = bundle.anchors("12")
    scores = np.ones(len(ids))
    scores[3] = np.nan
    error = refusal(bundle, scores, form_digest=ids.digest)
    assert [(issue.path, issue.code) for issue in error.issues] == [(("responses", 3), "not_a_number")]
    assert "None means no answer" in str(error)
    scores[3] = np.inf
    assert refusal(bundle, pd.Series(scores, index=list(ids))).issues[0].code == "out_of_range"


def test_every_bad_answer_is_named(bundle: Bundle, answers: Scores) -> None:
    error = refusal(bundle, {**answers, "gsm#3": 2, "gsm#13": "right", "elsewhere": 1})
    assert [issue.code for issue in error.issues] == ["out_of_range", "invalid_type"]
    estimate = anchoreval.estimate(bundle, {**answers, "elsewhere": 1})
    assert [(warning.code, warning.count) for warning in estimate.warnings][0] == ("unknown_items", 1)


@pytest.mark.parametrize("key", [1.0, None, True, ("gsm", 3), b"gsm#3"])
def test_ids_that_are_no_text(bundle: Bundle, key: Any) -> None:
    assert [issue.code for issue in refusal(bundle, {key: 1}).issues] == ["invalid_type"]


def test_integer_ids_are_text(bundle: Bundle) -> None:
    for key in (70, np.int64(70)):
        issue = refusal(bundle, {key: 1}).issues[0]
        assert (issue.path, issue.code) == (("responses", "70"), "unknown_item")
    assert [issue.code for issue in refusal(bundle, {70: 1, "70": 0}).issues] == ["duplicate"]


def test_an_item_twice_in_a_series(bundle: Bundle) -> None:
    error = refusal(bundle, pd.Series([1.0, 0.0], index=["gsm#3", "gsm#3"]))
    assert [(issue.path, issue.code) for issue in error.issues] == [(("responses", "gsm#3"), "duplicate")]


@pytest.mark.parametrize(
    "given",
    [None, "gsm#3", b"gsm#3", 1, {"gsm#3"}, (score for score in [1]), np.ones((2, 2))],
)
def test_what_is_no_set_of_answers(bundle: Bundle, given: Any) -> None:
    error = refusal(bundle, given, form_digest=FORM_12)
    assert error.code == "invalid_answers" and "answers are" in str(error)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"form": "13"}, "unknown_form"),
        ({"form": 13}, "unknown_form"),
        ({"level": 2}, "invalid_option"),
        ({"level": float("nan")}, "invalid_option"),
        ({"level": "high"}, "invalid_option"),
        ({"hashes": {"gsm#3": "0" * 64}}, "item_changed"),
        ({"known_scores": {"elsewhere": 0.5}}, "invalid_option"),
    ],
)
def test_bad_options(bundle: Bundle, answers: Scores, options: dict[str, Any], code: str) -> None:
    assert refusal(bundle, answers, **options).code == code


def test_changed_items_can_be_dropped(bundle: Bundle, answers: Scores) -> None:
    result = anchoreval.estimate(bundle, answers, hashes={"gsm#3": "0" * 64}, on_changed_item="drop")
    assert result == anchoreval.estimate(bundle, {**answers, "gsm#3": None}) or result.answered == 21
    assert result.warnings[0].code == "changed_items_dropped"


def test_lists_need_the_digest_of_their_form(bundle: Bundle, answers: Scores) -> None:
    scores = list(answers.values())
    assert [issue.code for issue in refusal(bundle, scores).issues] == ["missing"]
    assert [issue.code for issue in refusal(bundle, scores, form_digest="0").issues] == ["missing"]
    assert "24 anchors, got 23" in str(refusal(bundle, scores[1:], form_digest=FORM_12))


def test_answers_that_fit_two_forms(bundle: Bundle) -> None:
    both = set(bundle.anchors("6")) & set(bundle.anchors("12"))
    assert len(both) > 1
    assert refusal(bundle, dict.fromkeys(sorted(both)[:1], 1)).code == "ambiguous_form"


def test_a_table_is_several_models(bundle: Bundle, answers: Scores) -> None:
    with pytest.raises(AnchorEvalError, match=r"df\.loc\[model\]"):
        anchoreval.compare(bundle, answers, pd.DataFrame({"gsm#3": [1]}))


def test_runs_name_their_model(bundle: Bundle, answers: Scores) -> None:
    with pytest.raises(AnchorEvalError, match="tonight") as caught:
        anchoreval.compare(bundle, answers, anchoreval.Run({**answers, "gsm#3": 7}, "tonight"))
    assert caught.value.code == "invalid_answers"
    with pytest.raises(AnchorEvalError, match="a list of each run's answers"):
        anchoreval.check(bundle, answers, min_score=0.5)  # type: ignore[arg-type]
    with pytest.raises(AnchorEvalError, match="baseline"):
        anchoreval.check(bundle, [answers])
