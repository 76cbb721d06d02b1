"""The example of a notebook runs, cell by cell, and shows what it says."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import anchoreval

NOTEBOOK = Path(__file__).parents[2] / "examples" / "python" / "notebook.ipynb"


def shown(source: str, names: dict[str, Any]) -> Any:
    """Runs a cell. Its last expression is what a notebook shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, NOTEBOOK.name, "exec"), names)
    return (
        eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names) if isinstance(last, ast.Expr) else None
    )


@pytest.fixture(scope="module")
def cells() -> dict[str, dict[str, Any]]:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    return {cell["id"]: cell for cell in notebook["cells"]}


def test_it_is_kept_without_outputs(cells: dict[str, dict[str, Any]]) -> None:
    codes = [cell for cell in cells.values() if cell["cell_type"] == "code"]
    assert len(codes) >= 6
    assert [cell["id"] for cell in codes if cell["outputs"] or cell["execution_count"] is not None] == []


def test_it_runs_and_every_result_is_drawn(
    cells: dict[str, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    results = {
        name: shown("".join(cell["source"]), names) for name, cell in cells.items() if cell["cell_type"] == "code"
    }
    kinds = {
        "bundles": anchoreval.Bundles,
        "estimate": anchoreval.Estimate,
        "fit": anchoreval.Bundle,
        "table": anchoreval.Estimates,
        "judged": anchoreval.JudgedEstimate,
    }
    assert {name: type(results[name]) for name in kinds} == kinds
    drawn = {name: results[name]._repr_html_().count("<rect") for name in kinds}
    assert drawn == {"bundles": 0, "estimate": 1, "fit": 0, "table": 10, "judged": 2}
    truth = results["truth"].dropna()
    assert isinstance(truth, pd.DataFrame) and len(truth) == 10
    assert ((truth["low"] <= truth["truth"]) & (truth["truth"] <= truth["high"])).sum() >= 8
