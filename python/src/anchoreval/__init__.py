"""A language model's score on a whole benchmark, from its answers to a few dozen items.

    import anchoreval

    bundle = anchoreval.load("out/mine")
    result = anchoreval.estimate(bundle, {item_id: ask(item_id) for item_id in bundle.anchors(form="50")})
    print(result.score, result.interval, [warning.message for warning in result.warnings])

The numbers are the SDK's to the last bit: one Node process of this interpreter computes them.
"""

from importlib.metadata import version as _version

from . import _plan_sheets, _results  # noqa: F401
from ._adaptive import AdaptiveSession, adaptive
from ._answers import Responses
from ._bundle import Anchor, Anchors, Bundle, Bundles, Form, bundles, load
from ._calls import check, compare, plan, rank
from ._errors import AnchorEvalError, Issue
from ._estimate import estimate
from ._estimates import Estimates
from ._fit import Backtest, backtest, fit
from ._judged import estimate_judged
from ._request import Run
from ._results import *  # noqa: F403
from ._warnings import AnchorEvalWarning

__version__ = _version("anchoreval")

__all__ = [
    "AdaptiveSession",
    "Anchor",
    "AnchorEvalError",
    "AnchorEvalWarning",
    "Anchors",
    "Backtest",
    "Bundle",
    "Bundles",
    "Estimates",
    "Form",
    "Issue",
    "Responses",
    "Run",
    "adaptive",
    "backtest",
    "bundles",
    "check",
    "compare",
    "estimate",
    "estimate_judged",
    "fit",
    "load",
    "plan",
    "rank",
]
__all__ += _results.__all__
