"""The numbers are the SDK's, to the last bit: floats are compared by ==, never nearly."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from conftest import FORM_12, golden, plain

import anchoreval
from anchoreval import Bundle, _bridge
from anchoreval._decode import decode
from anchoreval._request import sent as encoded

Scores = dict[str, "float | None"]


def test_estimate(bundle: Bundle, answers: Scores) -> None:
    assert plain(anchoreval.estimate(bundle, answers)) == golden("estimate.json")


def test_estimate_of_a_scenario_that_was_not_asked(bundle: Bundle, answers: Scores) -> None:
    asked = {item_id: score for item_id, score in answers.items() if not item_id.startswith("gsm#")}
    result = anchoreval.estimate(bundle, asked, form=12)
    assert plain(result) == golden("unasked.json")
    assert result.predicted and result.scenarios["gsm"].predicted
    assert result.scenarios["gsm"].details is None


@pytest.mark.parametrize("case", golden("repeated.json"), ids=lambda case: case["name"])
def test_estimates_from_trials(bundle: Bundle, case: dict[str, Any]) -> None:
    result = anchoreval.estimate(bundle, case["responses"], **case["options"])
    assert plain(result) == case["estimate"]
    if "metric" in case["options"]:
        assert isinstance(result, anchoreval.PassEstimate) and result.metric == case["options"]["metric"]
    else:
        assert result.trials is not None and result.trials.overall.expected is not None


def test_trials_in_the_form_s_order(bundle: Bundle) -> None:
    trials = golden("repeated.json")[0]["responses"]
    ids = bundle.anchors("12")
    result = anchoreval.estimate(bundle, [trials[item_id] for item_id in ids], form_digest=ids.digest)
    assert result == anchoreval.estimate(bundle, trials)


def test_comparison(bundle: Bundle, answers: Scores) -> None:
    assert plain(anchoreval.compare(bundle, answers, golden("other-answers.json"))) == golden("comparison.json")


def raw(bundle: Bundle, call: str, models: list[Any], options: dict[str, Any], baselines: tuple[Any, ...] = ()) -> Any:
    sent = {"models": [encoded(each) for each in models], "baselines": [encoded(each) for each in baselines]}
    return _bridge.call({"call": call, "bundle": bundle._named, **sent, "options": options})


def test_rank_check_and_plan_lose_nothing(bundle: Bundle, answers: Scores) -> None:
    other = golden("other-answers.json")
    ranking = anchoreval.rank(bundle, {"new": other, "old": answers})
    named = [anchoreval.Run(other, "new"), anchoreval.Run(answers, "old")]
    assert plain(ranking) == raw(bundle, "rank", named, {})
    assert {model.name for model in ranking.models} == {"new", "old"}

    checked = anchoreval.check(bundle, [other], baselines=[answers], max_drop=0.02, min_score=0.1)
    options = {"maxDrop": 0.02, "minScore": 0.1}
    assert plain(checked) == raw(bundle, "check", [other], options, (answers,))
    assert checked.drop is not None and checked.minimum is not None and checked.minimum.verdict == "passed"

    plans: list[tuple[dict[str, Any], dict[str, Any]]] = [
        ({}, {}),
        ({"half_width": 0.1}, {"halfWidth": 0.1}),
        ({"gap": 0.1}, {"gap": 0.1}),
    ]
    for wanted, sent in plans:
        planned = anchoreval.plan(bundle, **wanted)
        assert plain(planned) == raw(bundle, "plan", [], sent)
        assert [form.form for form in planned.forms] == ["6", "12"]


def test_plans_over_trials_and_within_a_budget(bundle: Bundle, priced: Bundle) -> None:
    planned = anchoreval.plan(priced, half_width=0.1, budget=3)
    assert plain(planned) == raw(priced, "plan", [], {"halfWidth": 0.1, "budget": 3})
    assert planned.whole is not None and planned.chosen in planned.choices
    over = anchoreval.plan(priced, trials=[1, 3], half_width=0.2)
    assert plain(over) == raw(priced, "plan", [], {"trials": [1, 3], "halfWidth": 0.2})
    assert [choice.trials for choice in over.forms[0].choices] == [1, 3]
    with pytest.raises(anchoreval.AnchorEvalError, match="fitted by any"):
        anchoreval.plan(bundle, budget=3)
    with pytest.raises(anchoreval.AnchorEvalError, match="nothing of trials"):
        anchoreval.plan(bundle, trials=[1])
    ids = priced.anchors("12")
    cost = anchoreval.estimate(priced, {item_id: [1, 0] for item_id in ids}).cost
    assert cost is not None and cost.answered == 24 and cost.unit == "usd" and cost.cost == 48 * 0.25
    assert cost.beside == (anchoreval.CostOfWhole(unit="seconds", cost=cost.cost, whole=cost.whole),)


def test_numbers_have_the_types_that_they_are_declared_with(bundle: Bundle) -> None:
    right = dict.fromkeys(bundle.anchors("6"), 1)
    result = anchoreval.estimate(bundle, right, level=0.8)
    for value in (result.score, result.interval and result.interval.high, result.scenarios["gsm"].percentile):
        assert type(value) is float
    assert type(result.answered) is int
    assert result.interval is not None and result.interval.level == 0.8


def test_anchors(bundle: Bundle, answers: Scores) -> None:
    ids = bundle.anchors(form="12")
    assert list(ids) == list(answers)
    assert (ids.form, ids.digest) == ("12", FORM_12)
    assert list(ids.scenarios) == ["gsm", "größe/数学"] == list(bundle.scenarios)
    assert ids.scenarios["gsm"] + ids.scenarios["größe/数学"] == ids
    first = ids.items[0]
    assert (first.item_id, first.scenario, first.task, first.doc_id) == ("gsm#3", "gsm", "task", "doc 3")
    assert bundle.anchors() == ids and bundle.default_form == "12"
    assert bundle.forms["12"].digest == ids.digest and bundle.forms["12"].items == len(ids) == 24


@pytest.mark.parametrize("value", ["bundle", "anchors", "estimate", "error"])
def test_all_that_is_given_out_can_be_pickled(bundle: Bundle, answers: Scores, value: str) -> None:
    if value == "error":
        with pytest.raises(anchoreval.AnchorEvalError) as caught:
            bundle.anchors("13")
        copy = pickle.loads(pickle.dumps(caught.value))
        assert (copy.code, str(copy), copy.issues) == ("unknown_form", str(caught.value), ())
        return
    given = {"bundle": bundle, "anchors": bundle.anchors(), "estimate": anchoreval.estimate(bundle, answers)}[value]
    copy = pickle.loads(pickle.dumps(given))
    assert copy == given
    if value == "bundle":
        assert anchoreval.estimate(copy, answers) == anchoreval.estimate(bundle, answers)
    if value == "anchors":
        assert copy.digest == FORM_12 and copy.items == bundle.anchors().items


def test_what_a_comparison_is_said_of(bundle: Bundle, answers: Scores) -> None:
    other = golden("other-answers.json")
    assert anchoreval.compare(bundle, answers, other).over == "tasks"
    assert anchoreval.compare(bundle, answers, other, over="these-answers").over == "these-answers"
    tried = {item_id: [score, 1] for item_id, score in other.items() if score is not None}
    assert anchoreval.compare(bundle, answers, tried).over == "runs"
    assert anchoreval.rank(bundle, {"new": tried, "old": answers}).over == "runs"
    with pytest.raises(anchoreval.AnchorEvalError, match="over runs needs"):
        anchoreval.compare(bundle, answers, other, over="runs")


def test_subscores_are_asked_for_as_everywhere(bundle: Bundle, answers: Scores) -> None:
    with pytest.raises(anchoreval.AnchorEvalError, match="groups") as refused:
        anchoreval.estimate(bundle, answers, form=12, subscores=True)
    assert refused.value.code == "invalid_option"
    group = {"scenario": "gsm", "name": "hard", "items": 9, "answered": 1, "score": None, "interval": None}
    said = {**golden("estimate.json"), "subscores": [{**group, "status": "too_few_items", "reason": "one answer"}]}
    (subscore,) = decode(anchoreval.Estimate, said).subscores or ()
    assert (subscore.name, subscore.status, subscore.score) == ("hard", "too_few_items", None)
