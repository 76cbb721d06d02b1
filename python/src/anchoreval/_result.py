"""How a result shows itself: a few lines of text, a small table in a notebook, rows for pandas. All three are read off
one sheet, which `_sheets.py` makes for each kind of result. What is inside of one shows itself in one line."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import singledispatch
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Bar:
    """A score with its interval, to be drawn."""

    score: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Sheet:
    """What is shown of a result."""

    lines: tuple[str, ...]
    """Its text, three lines at most; the first is the heading."""
    index: str
    """The field of `rows` that names a row."""
    rows: tuple[Row, ...]
    """For pandas, a row each: figures as they are, none as None."""
    shown: tuple[Mapping[str, str | Bar], ...]
    """For a notebook, a row each: cells by heading, in words or drawn."""
    notes: tuple[str, ...] = field(default=())
    """Sentences below the table, which are unfolded on demand."""


@singledispatch
def sheet(result: Any) -> Sheet:
    raise TypeError(type(result).__name__)


class Result:
    """What all results have in common."""

    def __repr__(self) -> str:
        return "\n".join(map(printable, sheet(self).lines))

    def _repr_html_(self) -> str:
        return _html(sheet(self))

    def to_frame(self) -> pandas.DataFrame:
        """The result's rows as a DataFrame of pandas; scores are fractions in [0,1], what isn't there is None or NaN.

        Raises:
            ImportError: pandas isn't installed
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "to_frame() makes a DataFrame of pandas, which isn't installed: pip install pandas"
            ) from error
        shown = sheet(self)
        return pandas.DataFrame.from_records(list(shown.rows), index=shown.index)


class Part:
    """What is inside of a result."""

    def __repr__(self) -> str:
        """In one line: figures to four digits, without what isn't there, as many fields as fit."""
        named = [(each.name, getattr(self, each.name)) for each in fields(self) if each.repr]  # type: ignore[arg-type]
        said = [f"{name}={_BRIEF.repr(value)}" for name, value in named if value is not None]
        while (line := f"{type(self).__name__}({', '.join(said)})") and len(line) > _LINE:
            del said[-2 if said[-1] == "…" else -1 :]
            said.append("…")
        return line


_LINE = 120
"""Longest line of a part."""


class _Brief(reprlib.Repr):
    def __init__(self) -> None:
        super().__init__()
        self.maxtuple = self.maxdict = self.maxlist = 3
        self.maxstring, self.maxother = 60, 80

    def repr_float(self, value: float, _: int) -> str:
        return f"{value:.4g}"


_BRIEF = _Brief()

_WIDTH = 160
"""Of a drawn interval, in pixels."""
_ROWS = 60
"""Of a table in a notebook, as many as pandas shows."""


def _html(shown: Sheet) -> str:
    """A table that takes its colours from the notebook."""
    headings = "".join(f"<th>{_text(name)}</th>" for name in (shown.shown[0] if shown.shown else ()))
    axis = _axis([cell for row in shown.shown for cell in row.values() if isinstance(cell, Bar)])
    body = "".join(
        f"<tr>{''.join(f'<td>{_cell(cell, axis)}</td>' for cell in row.values())}</tr>" for row in shown.shown[:_ROWS]
    )
    more = len(shown.shown) - _ROWS
    lines = [*shown.lines, *([f"{more} more rows: to_frame() has all"] if more > 0 else [])]
    notes = "".join(f"<li>{_text(note)}</li>" for note in shown.notes)
    return (
        f'<div class="anchoreval"><p>{"<br>".join(map(_text, lines))}</p>'
        f"<table><thead><tr>{headings}</tr></thead><tbody>{body}</tbody></table>"
        f"{f'<details><summary>In words</summary><ul>{notes}</ul></details>' if notes else ''}</div>"
    )


def _axis(bars: list[Bar]) -> tuple[float, float]:
    """From 0 to 1; as far to either side of 0 as it takes where something lies below."""
    values = [value for bar in bars for value in (bar.score, bar.low, bar.high) if value is not None]
    if min(values, default=0) >= 0:
        return 0, 1
    reach = max(map(abs, values))
    return -reach, reach


def _cell(cell: str | Bar, axis: tuple[float, float]) -> str:
    if isinstance(cell, str):
        return _text(cell)
    first, last = axis

    def place(value: float) -> float:
        return round(_WIDTH * (value - first) / (last - first), 1)

    zero = place(0)
    marks = [f'<path d="M0 7H{_WIDTH}M{zero} 3V11" stroke="currentColor" opacity=".3"/>']
    if cell.low is not None and cell.high is not None:
        low, high = place(cell.low), place(cell.high)
        marks.append(
            f'<rect x="{low}" y="4" width="{round(high - low, 1)}" height="6" fill="currentColor" opacity=".4"/>'
        )
    if cell.score is not None:
        marks.append(f'<circle cx="{place(cell.score)}" cy="7" r="3" fill="currentColor"/>')
    return f'<svg width="{_WIDTH}" height="14" aria-hidden="true" style="overflow:visible">{"".join(marks)}</svg>'


def printable(text: object) -> str:
    """A name from anybody's file in one line: what a terminal would obey is written as its escape."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text))


def _text(text: str) -> str:
    return escape(printable(text))
