"""Results: frozen dataclasses with the fields of the SDK's types, in snake_case. Scores are fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

Estimator = Literal[
    "anchor-mean",
    "p-irt",
    "gp-irt",
    "p-irt-dr",
    "gaussian",
    "ridge-gap",
    "aipw",
    "stack",
    "gate",
    "score-map",
]
Verdict = Literal["a-better", "b-better", "no-difference", "undecided"]
Over = Literal["runs", "tasks", "these-answers"]
CheckVerdict = Literal["passed", "regressed", "undecided"]
PlanBasis = Literal["measured", "between", "beyond", "predicted"]


@dataclass(frozen=True)
class Interval:
    """For the score that this run would have got on all items of this benchmark version."""

    low: float
    high: float
    level: float
    """Confidence level, in (0,1)."""
    method: Literal["design-based", "conformal", "cross-validated", "exact", "predicted"]


@dataclass(frozen=True)
class EstimateWarning:
    """Something that a reader of the score should know, in plain words; `code` is stable."""

    code: str
    message: str
    scenario: str | None = None
    count: int | None = None


@dataclass(frozen=True)
class Outside:
    """Probability that the full score lies above or below every source model's."""

    above: float
    below: float


@dataclass(frozen=True)
class ScenarioPattern:
    """How the answers lie against what the ability predicts, and what is odd about them."""

    lz_star: float | None
    infit: float | None
    outfit: float | None
    preknowledge: float | None
    broken_run: float
    suspicions: tuple[Literal["memorised", "guessing", "broken"], ...] | None
    disorder: float | None = None


@dataclass(frozen=True)
class ScenarioDetails:
    """How a scenario's score came about."""

    theta: tuple[float, ...]
    theta_standard_error: tuple[float, ...]
    theta_status: Literal["converged", "max-iterations"]
    evidence: Literal["alone", "together"]
    # `lambda` is a word of Python
    lambda_: float
    estimator: Estimator
    estimators: Mapping[Estimator, float]
    outside: Outside
    pattern: ScenarioPattern


@dataclass(frozen=True)
class ScenarioResult:
    """One scenario's score."""

    score: float | None
    interval: Interval | None
    reason: str | None
    """Why `score` or `interval` is None."""
    exact: bool
    answered: int
    of: int
    answered_share: float
    range: Literal["inside", "edge", "outside"] | None
    percentile: float | None
    details: ScenarioDetails | None
    predicted: bool = False
    """The scenario wasn't asked: its score comes from the other scenarios'."""


@dataclass(frozen=True)
class TrialIntervals:
    """A score's intervals by what they are for; None where there is none."""

    run: Interval | None
    """For the score that this run would have got on all items."""
    expected: Interval | None
    """For the model's expected score over runs on these items."""
    tasks: Interval | None
    """For the model's expected score on tasks like these."""
    run_deviation: float | None
    """Standard deviation of the score of all items from run to run."""
    basis: Literal["trials", "components", "bound"] | None


@dataclass(frozen=True)
class Trials:
    """How well a score is known over runs and over tasks."""

    count: int
    """Trials with a score, over all items."""
    per_item: float
    """Trials an item, the harmonic mean."""
    overall: TrialIntervals
    scenarios: Mapping[str, TrialIntervals]


@dataclass(frozen=True)
class AnswerCost:
    """What the answers cost, and as many trials of all items would have cost."""

    unit: str | None
    answered: int
    cost: float
    items: int
    whole: float


@dataclass(frozen=True)
class Subscore:
    """The score of a group of items inside a scenario."""

    scenario: str
    name: str
    items: int
    answered: int
    score: float | None
    interval: Interval | None
    status: Literal["exact", "measured", "too_few_items", "too_few_models"]
    reason: str | None
    """Why `score` or `interval` is None."""


@dataclass(frozen=True)
class BridgedValue:
    """A score as an earlier version would have given it."""

    score: float
    interval: PassInterval | None
    """Of the estimate, wider by the line's own error."""


@dataclass(frozen=True)
class BridgedScore:
    """The scores on the scale of the earlier version that the bundle stands on."""

    benchmark: str
    version: str
    """The earlier version."""
    overall: BridgedValue | None
    scenarios: Mapping[str, BridgedValue | None]


@dataclass(frozen=True)
class Estimate:
    """A model's score on the whole benchmark."""

    benchmark: str
    version: str
    form: str
    digest: str
    score: float | None
    interval: Interval | None
    reason: str | None
    """Why `score` or `interval` is None."""
    answered: int
    of: int
    warnings: tuple[EstimateWarning, ...]
    scenarios: Mapping[str, ScenarioResult]
    predicted: bool = False
    """`score` counts scenarios that weren't asked."""
    estimand: str | None = None
    """What the scores are, where that isn't the plain mean over the items."""
    trials: Trials | None = None
    """There where an item has trials, with `over`, or of a bundle of several trials."""
    cost: AnswerCost | None = None
    """There where the bundle was fitted by prices."""
    bridged: BridgedScore | None = None
    """There where the bundle stands on an earlier version."""
    subscores: tuple[Subscore, ...] | None = None
    """Where they were asked for."""


@dataclass(frozen=True)
class PassInterval:
    """Without a method: for the chances themselves, on all items of this benchmark version, or for a bridged score."""

    low: float
    high: float
    level: float


@dataclass(frozen=True)
class PassResult:
    """A score of several trials."""

    score: float | None
    interval: PassInterval | None
    reason: str | None
    """Why `score` or `interval` is None."""
    answered: int
    of: int


@dataclass(frozen=True)
class PassEstimate(PassResult):
    """pass@k, pass^k or best-of-k on the whole benchmark."""

    benchmark: str
    version: str
    form: str
    digest: str
    metric: str
    basis: Literal["unbiased", "spread"]
    """From unbiased estimates, or from how chances vary about the response model's."""
    warnings: tuple[EstimateWarning, ...]
    scenarios: Mapping[str, PassResult]
    cost: AnswerCost | None = None
    bridged: BridgedScore | None = None


def standard_error(interval: Interval | None) -> float | None:
    """The half-width over the normal quantile of the level: what harnesses print behind ±."""
    if interval is None:
        return None
    return (interval.high - interval.low) / 2 / NormalDist().inv_cdf((1 + interval.level) / 2)


@dataclass(frozen=True)
class McNemar:
    """Mid-p McNemar test on the raw answers: items on which A's, or B's, score is the higher."""

    a_higher: int
    b_higher: int
    p_value: float


@dataclass(frozen=True)
class ModelScore:
    """A compared model's own score, and the design-weighted mean of its answers alone."""

    score: float | None
    interval: Interval | None
    stratified_mean: float | None


@dataclass(frozen=True)
class ComparedScores:
    """Both models' scores, from the items that both answered."""

    a: ModelScore
    b: ModelScore


@dataclass(frozen=True)
class ComparedNames:
    """The models' names in messages."""

    a: str
    b: str


@dataclass(frozen=True)
class Difference:
    """Score of B less score of A, above 0 where B's is the higher."""

    difference: float | None
    interval: Interval | None
    reason: str | None
    one_sided_confidence: float | None
    mcnemar: McNemar
    scores: ComparedScores
    subtraction: float | None
    answered: int
    of: int


@dataclass(frozen=True)
class Comparison(Difference):
    """Two models on the same anchors."""

    benchmark: str
    version: str
    form: str
    digest: str
    warnings: tuple[EstimateWarning, ...]
    names: ComparedNames
    margin: float
    over: Over
    verdict: Verdict | None
    more_items: int | None
    scenarios: Mapping[str, Difference]


@dataclass(frozen=True)
class RankInterval:
    """Places that a model may have, all models' intervals together."""

    low: int
    high: int


@dataclass(frozen=True)
class RankedModel(ModelScore):
    """A model with its place among those that were ranked, 1 the best; `index` is its position in what was given."""

    name: str
    index: int
    rank: int | None
    rank_interval: RankInterval | None


@dataclass(frozen=True)
class Ranking:
    """Models by their stratified mean, the highest first."""

    benchmark: str
    version: str
    form: str
    digest: str
    warnings: tuple[EstimateWarning, ...]
    level: float
    over: Over
    reason: str | None
    answered: int
    of: int
    models: tuple[RankedModel, ...]


@dataclass(frozen=True)
class DropCheck:
    """The drop against the baselines, above 0 where the model got worse."""

    verdict: CheckVerdict
    drop: float | None
    low: float | None
    high: float | None
    reason: str | None
    max_drop: float
    alarms_without_change: float | None
    found: float | None


@dataclass(frozen=True)
class MinimumCheck:
    """The score against the lowest allowed one."""

    verdict: CheckVerdict
    score: float | None
    low: float | None
    high: float | None
    reason: str | None
    min_score: float


@dataclass(frozen=True)
class Alarms:
    """At most so many checks a year fail of a model that is just allowed."""

    per_year: float
    runs_per_year: float
    probability: float


@dataclass(frozen=True)
class CheckResult:
    """`regressed` where one rule says so, `passed` where all do."""

    benchmark: str
    version: str
    form: str
    digest: str
    warnings: tuple[EstimateWarning, ...]
    verdict: CheckVerdict
    drop: DropCheck | None
    minimum: MinimumCheck | None
    alarms: Alarms
    level: float
    answered: int
    of: int


@dataclass(frozen=True)
class Precision:
    """The precision of a number of items."""

    items: int
    of: int
    half_width: float
    gap: float
    basis: PlanBasis


@dataclass(frozen=True)
class PlannedForm:
    """Precision overall and in every scenario; `form` is None for one that the bundle hasn't."""

    form: str | None
    overall: Precision
    scenarios: Mapping[str, Precision]


@dataclass(frozen=True)
class WantedHalfWidth:
    """The half-width that was asked for."""

    half_width: float


@dataclass(frozen=True)
class WantedGap:
    """The gap that was asked for."""

    gap: float


@dataclass(frozen=True)
class ScenarioChoice:
    """A form, and its scenarios to ask; the others are predicted."""

    form: str
    scenarios: tuple[str, ...]
    cost: float
    half_width: float


@dataclass(frozen=True)
class Plan:
    """The precision of every form, and the items that a wanted precision takes.

    Of a bundle that was fitted by prices also what its forms cost, unless a gap is asked for.
    """

    benchmark: str
    version: str
    level: float
    ranked_right: float
    forms: tuple[PlannedForm, ...]
    wanted: WantedHalfWidth | WantedGap | None
    needed: PlannedForm | None
    enough: str | None
    unit: str | None = None
    """Of the prices."""
    budget: float | None = None
    whole: float | None = None
    """The price of all items of the benchmark; None without prices."""
    choices: tuple[ScenarioChoice, ...] = ()
    """The cheapest first, each narrower than all before."""
    chosen: ScenarioChoice | None = None
    """The cheapest that is as narrow as was asked for, else the narrowest within the budget."""
    predicting: bool = False
    """Some scenarios may be left to prediction."""


@dataclass(frozen=True)
class ItemsByTrials:
    """Some items in some trials each, and the half-width of the expected score's interval."""

    items: int
    trials: float
    """Of each item; of all items on the mean, where some are asked once more than others."""
    answers: int
    price: float
    """In prices of an item's first trial."""
    half_width: float


@dataclass(frozen=True)
class TrialPlannedForm:
    """A form in several numbers of trials."""

    form: str
    basis: PlanBasis
    choices: tuple[ItemsByTrials, ...]


@dataclass(frozen=True)
class TrialPlan:
    """Half-widths of the expected score over runs by items and trials."""

    benchmark: str
    version: str
    level: float
    of: int
    forms: tuple[TrialPlannedForm, ...]
    wanted: float | None
    enough: tuple[ItemsByTrials, ...]
    """For each number of trials the fewest items that reach what is wanted, the cheapest first."""
