"""A command of the program, for which tables of Python are written into a temporary folder."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._answers import Table, series_score
from ._errors import AnchorEvalError, program_words, refusal
from ._node import node, sdk
from ._warnings import AnchorEvalWarning

_LONG = {"model", "item_id", "score"}
_NAMES = {"responses": "model", "families": "model"}
"""What names a row of a table, where that isn't the item's id."""
_REPEATED = ("scenario",)
"""Options that are given once for each value; others take a list with commas."""


def run_command(command: str, tables: Mapping[str, Any], options: Mapping[str, Any], progress: bool | None) -> Any:
    """The command's JSON document.

    Args:
        tables: by option, a DataFrame or a file
        options: by their names in snake_case; those that are None are left to their defaults
        progress: whether the program's words are shown; by default where somebody looks on, in a terminal or a notebook

    Raises:
        AnchorEvalError: what the program refuses, in Python's words
    """
    shown = _has_viewer() if progress is None else progress
    with tempfile.TemporaryDirectory(prefix="anchoreval-") as folder:
        arguments = [node(), str(sdk() / "bin" / "anchoreval.js"), command, "--json", *([] if shown else ["--quiet"])]
        for name, table in tables.items():
            if table is not None:
                arguments += [_flag(name), _file(Path(folder, f"{name}.csv"), name, table)]
        for name, value in options.items():
            arguments += _arguments(name, value)
        document = Path(folder, "document.json")
        remarks = _run(arguments, document)
        said = json.loads(document.read_text("utf-8") or "null")
    if said is None:
        raise AnchorEvalError("unavailable", f"the program ended before it answered: {' '.join(remarks[-3:])}")
    if "error" in said:
        raise program_words(refusal(said["error"]), folder)
    return said


def _run(arguments: Sequence[str], document: Path) -> list[str]:
    """Runs the program and shows what it says. Returns the last of it."""
    remarks: list[str] = []
    width = 0
    with (
        document.open("wb") as output,
        subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            env={**os.environ, "ANCHOREVAL_PROGRESS": "lines"},
        ) as process,
    ):
        assert process.stderr is not None
        try:
            for line in process.stderr:
                text = line.decode("utf-8", "replace").rstrip("\n")
                if text.startswith("warning: "):
                    warnings.warn(AnchorEvalWarning("remark", text.removeprefix("warning: ")), stacklevel=4)
                elif text.startswith("\r"):  # the line of progress, which is written over
                    print(f"\r{text[1:].ljust(width)}", end="", file=sys.stderr, flush=True)
                    width = len(text)
                else:
                    remarks.append(text)
                    print(("\r" + " " * width + "\r" if width else "") + text, file=sys.stderr)
                    width = 0
        except BaseException:  # interrupted: it leaves nothing behind
            process.terminate()
            raise
    if width:
        print(file=sys.stderr)
    return remarks


def _has_viewer() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _flag(name: str) -> str:
    return f"--{name.rstrip('_').replace('_', '-')}"


def _arguments(name: str, value: Any) -> list[str]:
    flag = _flag(name)
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, Mapping):
        return [part for key, each in value.items() for part in ("--set", f"{str(key).replace('_', '-')}={each}")]
    if isinstance(value, Iterable) and not isinstance(value, str):
        if name in _REPEATED:
            return [part for each in value for part in (flag, str(each))]
        return [flag, ",".join(map(str, value))]
    return [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]


def _file(path: Path, name: str, table: Any) -> str:
    """A DataFrame as a CSV file; the path of a file as it is."""
    if isinstance(table, (str, os.PathLike)):
        return os.path.abspath(table)
    if not isinstance(table, Table) or table.ndim != 2:
        raise AnchorEvalError("invalid_data", f"{name} is a DataFrame of pandas, or a file; got {type(table).__name__}")
    columns = [str(column) for column in table.columns.tolist()]
    rows = [[_cell(value) for value in row] for row in table.to_numpy().tolist()]
    label = _NAMES.get(name, "item_id")
    if label not in columns and not _LONG <= set(columns):
        columns.insert(0, label)
        rows = [[index, *row] for index, row in zip(table.index.tolist(), rows, strict=True)]
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([columns, *rows])
    return str(path)


def _cell(value: Any) -> Any:
    """A score, or what is known of an item; nothing is an empty cell."""
    if isinstance(value, (list, tuple, Mapping)):
        raise AnchorEvalError(
            "invalid_data",
            f"a cell is one score, got {value!r}: trials go in a long table: model, item_id, trial, score",
        )
    read = series_score(value)
    if isinstance(read, dict):  # no number that JSON has, or no number
        return read.get("number", str(value))
    return "" if read is None else read
