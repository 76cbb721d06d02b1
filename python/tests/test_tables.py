"""A DataFrame with a row for each model: the same estimates as one by one, and no model dropped."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import GOLDEN

import anchoreval
from anchoreval import AnchorEvalError, Bundle, _bridge, _estimates

Scores = dict[str, "float | None"]


@pytest.fixture(scope="session")
def board(bundle: Bundle) -> Any:
    """Six models on the anchors of form 12."""
    random = np.random.default_rng(1)
    ids = bundle.anchors("12")
    right = random.random((6, len(ids))) < np.linspace(0.3, 0.9, 6)[:, None]
    return pd.DataFrame(right.astype(float), index=[f"model-{k}" for k in range(6)], columns=list(ids))


def test_a_row_is_estimated_as_it_is_by_itself(bundle: Bundle, board: Any) -> None:
    estimates = anchoreval.estimate(bundle, board)
    assert (
        isinstance(estimates, anchoreval.Estimates)
        and estimates.models == tuple(board.index)
        and estimates.errors == {}
    )
    for model, result in estimates.results.items():
        assert result == anchoreval.estimate(bundle, board.loc[model])
    narrower = anchoreval.estimate(bundle, board, form="12", level=0.8)
    assert narrower.results["model-3"] == anchoreval.estimate(bundle, board.loc["model-3"], level=0.8)
    tries = board.astype(object).map(lambda score: [score, 1])
    passed = anchoreval.estimate(bundle, tries, metric="pass@2").results["model-0"]
    assert passed == anchoreval.estimate(bundle, tries.loc["model-0"], metric="pass@2")


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "Float64", "object"])
def test_columns_of_any_type(bundle: Bundle, board: Any, dtype: str) -> None:
    assert anchoreval.estimate(bundle, board.astype(dtype)) == anchoreval.estimate(bundle, board)


def test_what_is_missing_is_missing(bundle: Bundle, board: Any) -> None:
    gaps = board.copy()
    gaps.iloc[2, 3] = np.nan
    result = anchoreval.estimate(bundle, gaps).results["model-2"]
    assert result.answered == 23 and result == anchoreval.estimate(bundle, gaps.loc["model-2"])
    assert anchoreval.estimate(bundle, gaps.astype("Float64")).results["model-2"] == result


def test_a_model_with_a_problem_is_named_with_its_code_and_the_others_stay(bundle: Bundle, board: Any) -> None:
    bad = board.copy()
    bad.iloc[1] = np.nan
    bad.iloc[3, 0] = 7
    estimates = anchoreval.estimate(bundle, bad)
    assert list(estimates.results) == ["model-0", "model-2", "model-4", "model-5"]
    assert {model: error.code for model, error in estimates.errors.items()} == {
        "model-1": "invalid_answers",
        "model-3": "invalid_answers",
    }
    assert estimates.errors["model-3"].issues[0].path == ("responses", board.columns[0])
    frame = estimates.to_frame()
    assert list(frame.index) == list(board.index)
    assert list(frame["error"].notna()) == [False, True, False, True, False, False]
    assert frame.loc["model-0", "score"] == estimates.results["model-0"].score and np.isnan(
        frame.loc["model-1", "score"]
    )
    assert "2 models without an estimate: model-1 (invalid_answers), model-3 (invalid_answers)" in repr(estimates)
    for model, error in estimates.errors.items():
        assert f"{model}: {error.message}" in estimates._repr_html_()


def test_a_whole_row_of_a_leaderboard_is_taken_as_it_is(bundle: Bundle) -> None:
    lines = (GOLDEN / "bundle" / "items.jsonl").read_text("utf-8").splitlines()
    ids = [json.loads(line)["item_id"] for line in lines]
    whole = pd.DataFrame([[1.0] * len(ids), [k % 2 for k in range(len(ids))]], index=["all", "half"], columns=ids)
    estimates = anchoreval.estimate(bundle, whole)
    assert estimates.results["all"].score == pytest.approx(1) and "100.0, exact" in repr(estimates.results["all"])
    assert estimates.results["half"] == anchoreval.estimate(bundle, whole.loc["half"])
    assert estimates.results["half"].interval is not None and estimates.results["half"].interval.method == "exact"


def test_labels_stay_what_they_are(bundle: Bundle, board: Any) -> None:
    numbered = board.set_axis([(1, "a"), (1, "b"), (2, "a"), (2, "b"), 7, "<b>"], axis=0)
    estimates = anchoreval.estimate(bundle, numbered)
    assert estimates.models[0] == (1, "a") and estimates.models[4] == 7
    assert "&lt;b&gt;" in estimates._repr_html_() and "<b>" not in estimates._repr_html_()
    assert pickle.loads(pickle.dumps(estimates)) == estimates


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda board: board.iloc[:0], None),
        (lambda board: pd.concat([board, board]), "duplicate"),
        (lambda board: board.set_axis([*board.columns[:-1], board.columns[0]], axis=1), "duplicate"),
        (lambda board: board.set_axis([*board.columns[:-1], 1.5], axis=1), "invalid_type"),
    ],
)
def test_a_table_that_is_wrong_itself_is_refused(bundle: Bundle, board: Any, change: Any, code: str | None) -> None:
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.estimate(bundle, change(board))
    assert caught.value.code == "invalid_answers"
    assert [issue.code for issue in caught.value.issues[:1]] == ([] if code is None else [code])


def test_a_digest_and_an_option_that_is_wrong(bundle: Bundle, board: Any) -> None:
    with pytest.raises(AnchorEvalError, match="column"):
        anchoreval.estimate(bundle, board, form_digest=bundle.anchors("12").digest)
    refused = anchoreval.estimate(bundle, board, form="13").errors
    assert {error.code for error in refused.values()} == {"unknown_form"} and len(refused) == len(board)


def test_one_message_for_a_table_and_several_for_a_large_one(
    bundle: Bundle, board: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []

    def counted(request: dict[str, Any]) -> Any:
        sent.append(request)
        return _bridge.call(request)

    monkeypatch.setattr(_estimates, "call", counted)
    expected = anchoreval.estimate(bundle, board)
    assert len(sent) == 1
    monkeypatch.setattr(_estimates, "_CELLS", 60)
    assert anchoreval.estimate(bundle, board) == expected and len(sent) == 4


def test_a_long_table_is_cut_in_a_notebook_and_says_so(bundle: Bundle, board: Any) -> None:
    many = pd.concat([board] * 11).set_axis(range(66), axis=0)
    page = anchoreval.estimate(bundle, many)._repr_html_()
    assert page.count("<svg") == 60 and "6 more rows" in page


def test_a_table_is_ranked_by_its_labels(bundle: Bundle, board: Any) -> None:
    ranking = anchoreval.rank(bundle, board)
    assert ranking == anchoreval.rank(bundle, {model: board.loc[model] for model in board.index})
    assert {model.name for model in ranking.models} == set(board.index)
