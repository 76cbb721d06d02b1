"""How results show themselves: text, the table of a notebook, rows for pandas."""

from __future__ import annotations

import dataclasses
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import golden

import anchoreval
from anchoreval import Bundle

Scores = dict[str, "float | None"]
Make = Callable[[Bundle, Scores], Any]

RESULTS: dict[str, Make] = {
    "Estimate": anchoreval.estimate,
    "PassEstimate": lambda bundle, answers: anchoreval.estimate(
        bundle, {item: [1, 0] for item in answers}, metric="pass@2"
    ),
    "Comparison": lambda bundle, answers: anchoreval.compare(bundle, answers, golden("other-answers.json")),
    "Ranking": lambda bundle, answers: anchoreval.rank(bundle, {"new": golden("other-answers.json"), "old": answers}),
    "CheckResult": lambda bundle, answers: anchoreval.check(bundle, [answers], baselines=[answers], min_score=0.5),
    "Plan": lambda bundle, answers: anchoreval.plan(bundle, half_width=0.1),
}


@pytest.fixture(params=RESULTS)
def result(request: pytest.FixtureRequest, bundle: Bundle, answers: Scores) -> Any:
    return RESULTS[request.param](bundle, answers)


def table(result: Any) -> ElementTree.Element:
    """The table of a notebook, which is well-formed."""
    return ElementTree.fromstring(result._repr_html_().replace("<br>", "<br/>"))


def texts(result: Any) -> list[str]:
    return [cell.text or "" for cell in table(result).iter("td")]


def test_three_lines_at_most_and_no_long_figure(result: Any) -> None:
    lines = repr(result).split("\n")
    assert len(lines) <= 3 and all(len(line) < 160 for line in lines)
    assert lines[0].startswith(type(result).__name__) and "golden 1.2.3-rc.1" in lines[0]
    assert not re.search(r"\d\.\d{2,}", repr(result).replace("1.2.3", ""))


def parts(value: Any) -> list[Any]:
    """All that is inside of a result, on every level."""
    if dataclasses.is_dataclass(value):
        inside = [getattr(value, field.name) for field in dataclasses.fields(value)]
        return [value, *(part for each in inside for part in parts(each))]
    inside = list(value.values()) if isinstance(value, dict) else list(value) if isinstance(value, tuple) else []
    return [part for each in inside for part in parts(each)]


def test_each_part_is_one_line(result: Any) -> None:
    _, *inside = parts(result)
    assert inside
    for part in inside:
        assert len(repr(part)) <= 120 and "\n" not in repr(part) and repr(part).startswith(f"{type(part).__name__}(")
        assert not re.search(r"\b0\.0*[1-9]\d{4,}|\b[1-9]\d*\.\d{4,}", repr(part))


def test_a_part_says_what_it_knows_first() -> None:
    interval = anchoreval.Interval(0.4512345, 0.59, 0.95, "conformal")
    assert repr(interval) == "Interval(low=0.4512, high=0.59, level=0.95, method='conformal')"
    anchor = anchoreval.Anchor("q-1", "math", text="Which of these? " * 50)
    assert (
        repr(anchor).startswith("Anchor(item_id='q-1', scenario='math', text='Which of these?")
        and len(repr(anchor)) < 120
    )
    run = anchoreval.Run(dict.fromkeys(map(str, range(999)), 1), "mine")
    assert repr(run) == "Run(responses={'0': 1, '1': 1, '10': 1, ...}, name='mine')"


def test_it_is_still_the_frozen_dataclass_that_it_was(result: Any) -> None:
    assert pickle.loads(pickle.dumps(result)) == result
    assert dataclasses.replace(result) == result and dataclasses.replace(result, version="0.0.0") != result
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.version = "0.0.0"


def test_the_words_are_those_of_the_program(bundle: Bundle, answers: Scores) -> None:
    said = repr(anchoreval.estimate(bundle, answers)).split("\n")
    assert said[0] == "Estimate: golden 1.2.3-rc.1, form 12"
    expected = golden("estimate.json")
    score, low, high = (
        100 * each for each in (expected["score"], *(expected["interval"][key] for key in ("low", "high")))
    )
    assert said[1] == f"{score:.1f}, 95 % interval {low:.1f} to {high:.1f}; 22 of 24 items answered"
    warnings = anchoreval.estimate(bundle, answers).warnings
    assert said[2].startswith(f"{len(warnings)} warnings: ") and warnings[0].code in said[2]


def test_a_score_that_is_not_there_says_why(bundle: Bundle, answers: Scores) -> None:
    asked = {item: score for item, score in answers.items() if item.startswith("gsm#")}
    few = anchoreval.estimate(bundle, dict(list(asked.items())[:1]), form=12)
    assert few.interval is None and few.reason is not None and few.reason in repr(few)
    assert "none" in texts(few)


def test_the_table_of_a_notebook_is_well_formed_and_has_every_scenario_drawn(result: Any) -> None:
    root = table(result)
    assert (root.tag, root.get("class")) == ("div", "anchoreval")
    assert len(list(root.iter("svg"))) == len(list(root.iter("tr"))) - 1
    colours = {each.get(key) for each in root.iter() for key in ("fill", "stroke")} - {None}
    assert colours == {"currentColor"}  # the notebook's, light or dark


def test_the_bar_lies_where_the_interval_does(bundle: Bundle) -> None:
    result = anchoreval.estimate(bundle, dict.fromkeys(bundle.anchors(), 1))
    overall = next(table(result).iter("svg"))
    rect, circle = overall.find("rect"), overall.find("circle")
    assert rect is not None and circle is not None and result.interval is not None and result.score is not None
    width = float(overall.get("width", 0))
    assert float(rect.get("x", 0)) == round(width * result.interval.low, 1)
    assert float(circle.get("cx", 0)) == round(width * result.score, 1)


def test_names_are_text_in_a_page_and_in_a_terminal(bundle: Bundle, answers: Scores) -> None:
    name = "<script>alert(1)</script>\n\x1b[2J&"
    for result in (
        anchoreval.rank(bundle, {name: answers, "b": answers}),
        anchoreval.compare(bundle, anchoreval.Run(answers, name), anchoreval.Run(answers, "b")),
    ):
        page = result._repr_html_()
        assert "<script" not in page and "&lt;script&gt;alert(1)&lt;/script&gt;\\n\\x1b[2J&amp;" in page
        assert "\x1b" not in repr(result) and len(repr(result).split("\n")) <= 3


def test_frames_have_a_row_for_each_row_and_every_bit(bundle: Bundle, answers: Scores) -> None:
    estimate = anchoreval.estimate(bundle, answers)
    frame = estimate.to_frame()
    assert (frame.index.name, list(frame.index)) == ("scenario", ["overall", *estimate.scenarios])
    assert frame.loc["overall", "score"] == estimate.score and estimate.interval is not None
    assert frame.loc["overall", "high"] == estimate.interval.high
    assert list(frame["answered"]) == [22, *(part.answered for part in estimate.scenarios.values())]

    ranking = anchoreval.rank(bundle, {"new": golden("other-answers.json"), "old": answers})
    places = ranking.to_frame()
    assert list(places.index) == [model.name for model in ranking.models] and list(places["rank"]) == [1, 2]

    plan = anchoreval.plan(bundle, half_width=0.1)
    sizes = plan.to_frame()
    assert list(sizes.index) == ["6", "12", "needed"] and plan.needed is not None
    assert sizes.loc["needed", "items"] == plan.needed.overall.items

    compared = anchoreval.compare(bundle, answers, golden("other-answers.json"))
    assert compared.to_frame().loc["overall", "difference"] == compared.difference
    checked = anchoreval.check(bundle, [answers], baselines=[answers], min_score=0.5)
    assert list(checked.to_frame()["verdict"]) == [
        checked.drop and checked.drop.verdict,
        checked.minimum and checked.minimum.verdict,
    ]


def test_a_plan_over_trials(priced: Bundle) -> None:
    plan = anchoreval.plan(priced, trials=[1, 3], half_width=0.2)
    assert list(plan.to_frame()["trials"]) == [1, 3, 1, 3]
    assert len(repr(plan).split("\n")) == 3 and "± 20.0 takes" in repr(plan) and "± 20.0 takes" in plan._repr_html_()


def test_pandas_is_imported_by_a_frame_alone(bundle: Bundle, answers: Scores, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import sys, anchoreval; sys.exit('pandas' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    result = anchoreval.estimate(bundle, answers)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        result.to_frame()
