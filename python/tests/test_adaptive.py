"""An adaptive evaluation, item by item."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

import anchoreval
from anchoreval import AdaptiveSession, AnchorEvalError, Bundle

Ask = Callable[[str], "float | None"]


def right(item_id: str) -> float:
    """A model that knows two items in three."""
    return float(sum(map(ord, item_id)) % 3 > 0)


def evaluate(session: AdaptiveSession, ask: Ask = right) -> list[str]:
    """Answers all that is asked. @returns the items, in order"""
    asked = []
    while not session.done:
        item = session.next()
        assert session.next() == item
        asked.append(item.item_id)
        session.answer(item.item_id, ask(item.item_id))
    return asked


def test_it_asks_until_the_interval_is_as_narrow_as_wanted() -> None:
    session = anchoreval.adaptive("gsm8k", half_width=0.1, seed=1)
    asked = evaluate(session)
    assert len(asked) == len(set(asked)) == session.asked < 200
    interval, score = session.estimate.interval, session.estimate.score
    assert interval is not None and score is not None and interval.high - interval.low <= 0.2
    assert session.stopped is not None and session.stopped.rule == "half-width"
    assert abs(score - 2 / 3) < 0.15
    assert session.items == ()
    with pytest.raises(AnchorEvalError, match="nothing is left to ask"):
        session.next()


def test_the_budget_and_the_seed(bundle: Bundle) -> None:
    first, again, other = (anchoreval.adaptive(bundle, budget=20, batch=5, seed=seed) for seed in (1, "1", 2))
    asked = evaluate(first)
    assert len(asked) == 20 and first.stopped is not None and first.stopped.rule == "budget"
    assert evaluate(again) == asked and again.estimate == first.estimate
    assert evaluate(other) != asked


def test_a_batch_may_be_answered_in_any_order_and_corrected(bundle: Bundle) -> None:
    one = anchoreval.adaptive(bundle, budget=20, batch=10, seed=3)
    evaluate(one)
    session = anchoreval.adaptive(bundle, budget=20, batch=10, seed=3)
    while not session.done:
        items = session.items
        for item in reversed(items[1:]):
            session.answer(item.item_id, 0.0)
            session.answer(item.item_id, right(item.item_id))
        assert session.items == items[:1]
        session.answer(items[0].item_id, right(items[0].item_id))
    assert session.estimate == one.estimate


def test_a_bad_answer_is_refused_at_once_and_nothing_is_lost(bundle: Bundle) -> None:
    session = anchoreval.adaptive(bundle, budget=20, batch=10, seed=1)
    item = session.next().item_id
    for score in (2, float("nan"), "right", [1, 0]):
        with pytest.raises(AnchorEvalError, match=item) as caught:
            session.answer(item, score)  # type: ignore[arg-type]
        assert caught.value.code == "invalid_answers" and session.next().item_id == item
    with pytest.raises(AnchorEvalError, match="isn't asked now"):
        session.answer("elsewhere", 1)
    session.answer(item, None)
    assert session.next().item_id != item
    evaluate(session)
    assert session.estimate.answered == 19 and "missing_answers" in {each.code for each in session.warnings}


def test_it_goes_on_from_a_pickle(bundle: Bundle) -> None:
    session = anchoreval.adaptive(bundle, budget=20, batch=10, seed=1)
    for item in session.items[:3]:
        session.answer(item.item_id, right(item.item_id))
    copy = pickle.loads(pickle.dumps(session))
    assert evaluate(copy) == evaluate(session) and copy.estimate == session.estimate


def test_scenarios_and_wrong_options(bundle: Bundle) -> None:
    session = anchoreval.adaptive(bundle, scenarios=["gsm"], budget=20, seed=1)
    assert {item.scenario for item in session.items} == {"gsm"}
    for options, words in (({"half_width": 2}, "half_width must be"), ({"budget": 0}, "budget must be")):
        with pytest.raises(AnchorEvalError, match=words):
            anchoreval.adaptive(bundle, **options)  # type: ignore[arg-type]


def test_it_shows_where_it_stands(bundle: Bundle) -> None:
    session = anchoreval.adaptive(bundle, budget=20, seed=1)
    assert repr(session).split("\n")[1:] == [
        f"no score: {session.estimate.reason}; 0 items asked",
        f"next: {session.next().item_id}",
    ]
    evaluate(session)
    assert session.stopped is not None and repr(session).endswith(f"done: {session.stopped.message}")
    frame = session.to_frame()
    assert list(frame.index) == ["overall", "gsm", "größe/数学"]
    assert frame.loc["overall", "score"] == session.estimate.score and "<svg" in session._repr_html_()
