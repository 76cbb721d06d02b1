from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._answers import Table
from ._bundle import Bundle, load
from ._decode import decode
from ._program import run_command
from ._result import Result, Sheet, sheet
from ._results import RecipeRow
from ._words import counted, few

Tabular = Table | str | os.PathLike[str]
"""A DataFrame of pandas, or the file of a table."""


def fit(
    responses: Tabular,
    *,
    items: Tabular | None = None,
    name: str,
    out: str | os.PathLike[str],
    anchors: int | Sequence[int] | None = None,
    total: int | Sequence[int] | None = None,
    recipe: str | None = None,
    settings: Mapping[str, Any] | None = None,
    families: Tabular | None = None,
    seed: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Bundle:
    """Makes a bundle of a leaderboard: calibrates items, chooses anchors, measures the error, as `anchoreval fit` does.

    Args:
        responses: a row for each model, a column for each item, scores in [0,1], NaN where there is none; or a long
            table with the columns model, item_id and score, and trial where items were tried several times
        items: a row for each item: item_id (or as the index), scenario, and what else is known of it
        name: of the bundle, `BENCHMARK@X.Y.Z`
        out: the folder of the bundle
        anchors: items per scenario, a form for each number
        total: items over all scenarios, a form for each number
        recipe: "recommended" unless set; docs/methods.md has the others
        settings: of the method, such as `{"dims": 1, "weighting": "items"}`
        families: a row for each model: model (or as the index) and family; families are held out as a whole
        seed: of all draws, 1 unless set
        progress: whether it says how far it is; in a terminal and in a notebook unless set
        options: all others of `anchoreval fit --help-all` in snake_case, such as `pool="all"`, `force=True`

    Raises:
        AnchorEvalError: `invalid_data` with an issue for each bad cell, `invalid_option`

    Example:
        bundle = anchoreval.fit(scores, items=items, name="mine@1.0.0", anchors=50, out="out/mine")
    """
    named = {
        "name": name,
        "out": out,
        "anchors": anchors,
        "total": total,
        "recipe": recipe,
        "set": settings,
        "seed": seed,
    }
    tables = {"responses": responses, "items": items, "families": families}
    run_command("fit", tables, {**named, **options}, progress)
    return load(os.path.abspath(out))


@dataclass(frozen=True, repr=False)
class Backtest(Result):
    """Errors of estimates for models that the fit didn't see.

    Attributes:
        header: What was asked: digest of the data, split, weighting, version.
        rows: Errors in points by scenario, form, recipe and estimator.
    """

    header: Mapping[str, Any]
    rows: tuple[RecipeRow, ...]


def backtest(
    responses: Tabular,
    *,
    items: Tabular | None = None,
    anchors: int | Sequence[int] | None = None,
    recipe: str | Sequence[str] | None = None,
    split: str | Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    families: Tabular | None = None,
    seeds: int | None = None,
    seed: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Backtest:
    """Repeats the whole fit without some models and measures the error of their estimates: `anchoreval backtest`.

    Args:
        responses: as of `fit`
        items: as of `fit`
        anchors: items per scenario, 10, 30, 50 and 100 unless set
        recipe: a method, or several, which are compared
        split: who is held out: "interpolation", "extrapolation", "family", "newest", or several of them
        settings: of the method
        families: as of `fit`
        seeds: repetitions, 5 unless set
        seed: the first one, 0 unless set
        progress: as of `fit`
        options: all others of `anchoreval backtest --help-all` in snake_case

    Raises:
        AnchorEvalError: `invalid_data`, `invalid_option`

    Example:
        anchoreval.backtest(scores, items=items, anchors=[30, 100], seeds=3).to_frame()
    """
    named = {"anchors": anchors, "recipe": recipe, "split": split, "set": settings, "seeds": seeds, "seed": seed}
    tables = {"responses": responses, "items": items, "families": families}
    document = run_command("backtest", tables, {**named, **options}, progress)
    return Backtest(document["header"], tuple(decode(RecipeRow, row) for row in document["rows"]))


@sheet.register
def _(result: Backtest) -> Sheet:
    served = [row for row in result.rows if row.headline]
    said = [f"{row.scenario} {row.n} items ± {row.mae:.1f}" for row in served]
    seeds = counted(max((row.seeds for row in result.rows), default=0), "seed")
    return Sheet(
        (
            f"Backtest: {result.header['split']}, {seeds}, {counted(len(result.rows), 'row')}",
            f"mean error in points: {few(said, 4)}",
        ),
        "scenario",
        tuple({field: getattr(row, field) for field in RecipeRow.__dataclass_fields__} for row in result.rows),
        tuple(
            {
                "scenario": row.scenario,
                "split": row.split,
                "items": str(row.n),
                "recipe": row.recipe,
                "estimator": row.estimator,
                "error": f"{row.mae:.2f}",
                "random": f"{row.random_mae:.2f}",
                "coverage": "" if row.coverage95 is None else f"{row.coverage95:.3f}",
                "half-width": "" if row.half_width95 is None else f"{row.half_width95:.1f}",
            }
            for row in served
        ),
        ("Errors in points, of what a bundle serves as the score.",),
    )
