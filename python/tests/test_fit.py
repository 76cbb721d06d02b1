"""Fits and back-tests of tables, by the program's own commands."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import anchoreval
from anchoreval import AnchorEvalError

SETTINGS = {"dims": 1}


@pytest.fixture(scope="session")
def board(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """A drawn leaderboard, a row a model; and its items."""
    out = tmp_path_factory.mktemp("board") / "board"
    drawn = ["simulate", "--models", "24", "--items", "120", "--scenarios", "1", "--seed", "1", "--out", str(out)]
    subprocess.run([sys.executable, "-m", "anchoreval", *drawn], check=True, capture_output=True)
    return pd.read_csv(out / "responses.csv.gz", index_col=0), pd.read_json(out / "items.jsonl.gz", lines=True)


@pytest.fixture(autouse=True)
def no_folder_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert not any(path.name.startswith("anchoreval-") for path in folder.iterdir())


def test_a_fit_of_a_table_is_the_program_s(board: tuple[Any, Any], tmp_path: Path) -> None:
    scores, items = board
    asked: dict[str, Any] = {"name": "mine@1.0.0", "anchors": [5, 10], "settings": SETTINGS, "created": "2026-01-01"}
    bundle = anchoreval.fit(scores, items=items, out=tmp_path / "wide", **asked)
    assert (bundle.benchmark, bundle.version) == ("mine", "1.0.0")
    assert [form.items for form in bundle.forms.values()] == [5, 10] and (tmp_path / "wide/report.html").is_file()
    named = dict.fromkeys(bundle.anchors(5), 1)
    assert anchoreval.estimate(bundle, named) == anchoreval.estimate(tmp_path / "wide", named)

    scores.to_csv(tmp_path / "scores.csv")
    long = scores.copy().rename_axis("model").reset_index().melt("model", var_name="item_id", value_name="score")
    for way, table, described in (
        ("file", tmp_path / "scores.csv", items.set_index("item_id")),
        ("long", long, items),
        ("bool", scores.astype("boolean"), items),
    ):
        same = anchoreval.fit(table, items=described, out=tmp_path / way, **asked)
        assert {form.digest for form in same.forms.values()} == {form.digest for form in bundle.forms.values()}


def test_what_is_missing_stays_missing(board: tuple[Any, Any], tmp_path: Path) -> None:
    scores, items = board
    gaps = scores.astype(float)
    gaps.iloc[0, :60] = np.nan
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.fit(gaps.iloc[:, :60], items=items.iloc[:60], name="mine@1.0.0", anchors=10, out=tmp_path / "mine")
    assert caught.value.code == "invalid_data"  # a model without a single answer


def test_refusals_speak_python_and_of_tables(board: tuple[Any, Any], tmp_path: Path) -> None:
    scores, items = board
    bad = scores.astype(float)
    bad.iloc[2, 3] = 7
    with pytest.raises(AnchorEvalError) as caught:
        anchoreval.fit(bad, items=items, name="mine@1.0.0", anchors=10, out=tmp_path / "mine")
    assert caught.value.code == "invalid_data" and caught.value.issues
    assert "responses.csv" in str(caught.value) and str(tmp_path) not in str(caught.value)
    wrong: list[tuple[dict[str, Any], str]] = [({"anchors": 0}, "anchors"), ({"anchors": 5, "no_such": 1}, "no_such")]
    for options, words in wrong:
        with pytest.raises(AnchorEvalError, match=words) as refused:
            anchoreval.fit(scores, items=items, name="mine@1.0.0", out=tmp_path / "mine", **options)
        assert "--" not in refused.value.message
    with pytest.raises(AnchorEvalError, match="long table"):
        anchoreval.fit(scores.map(lambda score: [score]), name="mine@1.0.0", anchors=5, out=tmp_path / "mine")
    with pytest.raises(AnchorEvalError, match="responses is a DataFrame"):
        anchoreval.fit([[1, 0]], name="mine@1.0.0", anchors=5, out=tmp_path / "mine")  # type: ignore[arg-type]
    assert not (tmp_path / "mine").exists()


def test_progress_is_one_line_that_is_written_over(
    board: tuple[Any, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores, items = board
    asked: dict[str, Any] = {"items": items, "anchors": 10, "seeds": 1, "settings": SETTINGS}
    quiet = anchoreval.backtest(scores, **asked)
    assert capsys.readouterr().err == ""  # nobody looks on
    assert anchoreval.backtest(scores, progress=True, **asked) == quiet
    said = capsys.readouterr()
    assert said.out == "" and "\rback-test " in said.err and " % " in said.err and "\x1b" not in said.err


def test_a_back_test_has_a_row_for_each_estimator(board: tuple[Any, Any]) -> None:
    scores, items = board
    result = anchoreval.backtest(scores, items=items, anchors=[10, 30], seeds=2, settings=SETTINGS)
    served = [row for row in result.rows if row.headline]
    assert [row.n for row in served] == [10, 30] and all(0 < row.mae < 20 for row in served)
    assert served[0].seeds == 2 and type(served[0].seeds) is int
    frame = result.to_frame()
    assert len(frame) == len(result.rows) and list(frame["mae"]) == [row.mae for row in result.rows]
    lines = repr(result).split("\n")
    assert lines[0].startswith("Backtest: interpolation, 2 seeds") and f"{served[0].mae:.1f}" in lines[1]
    assert f"{served[1].mae:.2f}" in result._repr_html_()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_an_interrupted_fit_ends_and_leaves_nothing(board: tuple[Any, Any], tmp_path: Path) -> None:
    scores, items = board
    scores.to_csv(tmp_path / "scores.csv")
    items.to_csv(tmp_path / "items.csv", index=False)
    code = f"""
import tempfile, anchoreval
tempfile.tempdir = {str(tmp_path / "temporary")!r}
print("begun", flush=True)
anchoreval.fit({str(tmp_path / "scores.csv")!r}, items={str(tmp_path / "items.csv")!r}, name="mine@1.0.0", anchors=10,
               out={str(tmp_path / "mine")!r})
"""
    begun = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert begun.stdout is not None and begun.stdout.readline() == "begun\n"
    time.sleep(1)
    begun.send_signal(2)
    _, errors = begun.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and not (tmp_path / "mine").exists()
