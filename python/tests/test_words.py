"""Errors and warnings in Python's words."""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from conftest import FORM_12, golden

import anchoreval
from anchoreval import AnchorEvalError, AnchorEvalWarning, Bundle

Scores = dict[str, "float | None"]


def refusal(work: Callable[[], Any]) -> AnchorEvalError:
    with pytest.raises(AnchorEvalError) as caught:
        work()
    return caught.value


def test_options_are_spelled_as_python_does(bundle: Bundle, answers: Scores) -> None:
    assert "half_width must be" in refusal(lambda: anchoreval.plan(bundle, half_width=2)).message
    assert "max_drop must be" in refusal(lambda: anchoreval.check(bundle, [answers], max_drop=2)).message
    assert refusal(lambda: anchoreval.plan(bundle, ranked_right=float("nan"))).message.startswith(
        "ranked_right must be"
    )
    digest = refusal(lambda: anchoreval.estimate(bundle, list(answers.values())))
    assert "needs form_digest" in digest.message and digest.issues[0].path == ("form_digest",)
    changed = refusal(lambda: anchoreval.estimate(bundle, answers, hashes={"gsm#3": "0" * 64}))
    assert 'on_changed_item="drop"' in changed.message


@pytest.mark.parametrize("shape", ["dict", "Series", "list", "Run"])
def test_a_bad_answer_is_named_by_its_item_in_every_finding(bundle: Bundle, answers: Scores, shape: str) -> None:
    bad = {**answers, "gsm#3": 2.0, "gsm#13": -1.0}
    works: dict[str, Callable[[], Any]] = {
        "dict": lambda: anchoreval.estimate(bundle, bad),
        "Series": lambda: anchoreval.estimate(bundle, pd.Series(bad, dtype=float)),
        "list": lambda: anchoreval.estimate(bundle, list(bad.values()), form_digest=FORM_12),
        "Run": lambda: anchoreval.compare(bundle, answers, anchoreval.Run(list(bad.values()), "new", FORM_12)),
    }
    error = refusal(works[shape])
    assert [issue.message.split(":")[0] for issue in error.issues] == ["gsm#3", "gsm#13"]
    assert "cannot be scored: gsm#3: a score must be in [0,1], got 2" in error.message
    assert error.issues[0].path[1] == (0 if shape in ("list", "Run") else "gsm#3")


def test_item_ids_and_names_stay_what_they_are(bundle: Bundle, answers: Scores) -> None:
    error = refusal(lambda: anchoreval.compare(bundle, answers, anchoreval.Run({"gsm#3": "myModelOutput"}, "myModel")))
    assert "myModel:" in error.message
    odd = refusal(lambda: anchoreval.estimate(bundle, {"someItem": 1}))
    assert odd.issues[0].path == ("responses", "someItem") and "someItem" in odd.message


def test_warnings_of_a_result_are_warnings(bundle: Bundle, answers: Scores) -> None:
    other = golden("other-answers.json")
    works: list[Callable[[], Any]] = [
        lambda: anchoreval.estimate(bundle, answers),
        lambda: anchoreval.compare(bundle, answers, other),
        lambda: anchoreval.rank(bundle, {"new": {**other, "gsm#3": None, "no": 1}, "old": answers}),
        lambda: anchoreval.check(bundle, [other], baselines=[answers]),
    ]
    for work in works:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = work()
        assert [warning.category for warning in caught] == [AnchorEvalWarning] * len(result.warnings)
        assert [warning.message.code for warning in caught] == [each.code for each in result.warnings]  # type: ignore[union-attr]
        assert {warning.filename for warning in caught} <= {__file__}  # the line that asked
        assert all(f"[{warning.message.code}]" in str(warning.message) for warning in caught)  # type: ignore[union-attr]


def test_warnings_can_be_silenced_or_be_errors(bundle: Bundle, answers: Scores) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", AnchorEvalWarning)
        anchoreval.estimate(bundle, answers)
        assert caught == []
        warnings.simplefilter("error", AnchorEvalWarning)
        with pytest.raises(AnchorEvalWarning) as raised:
            anchoreval.estimate(bundle, answers)
    copy = pickle.loads(pickle.dumps(raised.value))
    assert (copy.code, str(copy)) == (raised.value.code, str(raised.value))


def test_a_table_warns_of_each_kind_once_and_of_models_without_an_estimate(bundle: Bundle, answers: Scores) -> None:
    table = pd.DataFrame([answers, answers, {**answers, "gsm#3": 7}], dtype=float)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        anchoreval.estimate(bundle, table)
    said = [str(warning.message) for warning in caught]
    assert len({text.split("[")[-1] for text in said}) == len(said)
    assert any(text.startswith("2 of 3 models: ") and text.endswith("[missing_answers]") for text in said)
    assert any(text.startswith("1 of 3 models: no estimate: ") and text.endswith("[invalid_answers]") for text in said)
