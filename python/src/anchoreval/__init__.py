"""A language model's score on a whole benchmark, from its answers to a few dozen items.

    import anchoreval

    bundle = anchoreval.load("out/mine")
    result = anchoreval.estimate(bundle, {item_id: ask(item_id) for item_id in bundle.anchors(form="50")})
    print(result.score, result.interval, [warning.message for warning in result.warnings])

The numbers are the SDK's to the last bit: one Node process of this interpreter computes them.
"""

from importlib.metadata import version as _version

from ._answers import Responses
from ._bundle import Anchor, Anchors, Bundle, Form, load
from ._calls import Run, check, compare, estimate, plan, rank
from ._errors import AnchorEvalError, Issue
from ._results import (
    Alarms,
    AnswerCost,
    BridgedScore,
    CheckResult,
    Comparison,
    Difference,
    DropCheck,
    Estimate,
    EstimateWarning,
    Interval,
    ItemsByTrials,
    MinimumCheck,
    ModelScore,
    PassEstimate,
    PassInterval,
    PassResult,
    Plan,
    PlannedForm,
    Precision,
    RankedModel,
    Ranking,
    ScenarioChoice,
    ScenarioDetails,
    ScenarioPattern,
    ScenarioResult,
    Subscore,
    TrialIntervals,
    TrialPlan,
    TrialPlannedForm,
    Trials,
)

__version__ = _version("anchoreval")

__all__ = [
    "Alarms",
    "Anchor",
    "AnchorEvalError",
    "Anchors",
    "AnswerCost",
    "BridgedScore",
    "Bundle",
    "CheckResult",
    "Comparison",
    "Difference",
    "DropCheck",
    "Estimate",
    "EstimateWarning",
    "Form",
    "Interval",
    "Issue",
    "ItemsByTrials",
    "MinimumCheck",
    "ModelScore",
    "PassEstimate",
    "PassInterval",
    "PassResult",
    "Plan",
    "PlannedForm",
    "Precision",
    "RankedModel",
    "Ranking",
    "Responses",
    "Run",
    "ScenarioChoice",
    "ScenarioDetails",
    "ScenarioPattern",
    "ScenarioResult",
    "Subscore",
    "TrialIntervals",
    "TrialPlan",
    "TrialPlannedForm",
    "Trials",
    "check",
    "compare",
    "estimate",
    "load",
    "plan",
    "rank",
]
