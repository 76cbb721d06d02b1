"""The Python in the documentation runs, on the golden bundle: its form 12 stands for form 50."""

from __future__ import annotations

import dataclasses
import re
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from conftest import GOLDEN

import anchoreval

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["docs/python.md", "python/README.md"])
def test_code(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(GOLDEN / "bundle", tmp_path / "out" / "mine")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {
        "ask": lambda item_id: 1,
        "scores": pd.DataFrame({item_id: {"my-model": 1.0} for item_id in anchoreval.load("out/mine").anchors()}),
    }
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.M | re.S)
    assert blocks
    for code in blocks:
        exec(code.replace('"50"', '"12"'), names)
    assert "Interval(low=" in capsys.readouterr().out


def test_every_public_name_is_documented_where_it_is_defined() -> None:
    for name in anchoreval.__all__:
        value = getattr(anchoreval, name)
        if name != "Responses":
            assert value.__doc__ and not value.__doc__.startswith(f"{name}("), name


def test_help_has_each_field_in_the_words_of_the_sdk() -> None:
    said = " ".join((anchoreval.Estimate.__doc__ or "").split())
    assert "score: Overall score; None where a scenario has no estimate, and `reason` says which." in said
    assert "subscores: The score of a group of items inside a scenario" in said  # a feature's


def test_help_has_every_field_of_what_the_package_makes_itself() -> None:
    kinds: list[Any] = [anchoreval.Anchor, anchoreval.Bundle, anchoreval.Form, anchoreval.Issue, anchoreval.Run]
    for kind in [*kinds, anchoreval.Estimates, anchoreval.Backtest]:
        for field in dataclasses.fields(kind):
            assert field.name.startswith("_") or f"\n        {field.name}: " in (kind.__doc__ or ""), (kind, field.name)
