"""Answers of one model as they come in Python, as the bridge takes them. Missing stays missing: never 0."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from ._errors import AnchorEvalError, Issue


@runtime_checkable
class Array(Protocol):
    """An array of numpy, or what looks like one."""

    @property
    def ndim(self) -> int: ...
    def tolist(self) -> Any: ...


@runtime_checkable
class Series(Array, Protocol):
    """A Series of pandas, or what looks like one."""

    @property
    def index(self) -> Any: ...


@runtime_checkable
class Table(Protocol):
    """A DataFrame of pandas, or what looks like one."""

    @property
    def ndim(self) -> int: ...
    @property
    def index(self) -> Any: ...
    @property
    def columns(self) -> Any: ...
    def to_numpy(self) -> Any: ...
    def iterrows(self) -> Iterable[tuple[Any, Any]]: ...


Responses = Mapping[Any, Any] | Series | Array | Sequence[Any]
"""Scores in [0,1] by item id (None: no answer): a mapping, or a Series of pandas with the ids as its index (NaN: no
answer). Or the scores alone in the order of a form's anchors, a list or an array of one dimension, with its digest.
For `estimate` an item that was tried several times has a list or an array of scores in place of one, or the counts
`{"passed": 3, "of": 5}`."""


def encode(responses: Responses) -> Any:
    """As cli/src/sent-answers.ts takes them: `{"byId": [[id, score or trials], …]}`, or a list."""
    if isinstance(responses, Mapping):
        return _entries(responses.items(), _answer)
    if isinstance(responses, Array):
        if responses.ndim != 1:
            raise AnchorEvalError(
                "invalid_answers", f"answers are of one model, in one dimension; got {responses.ndim} of an array"
            )
        if isinstance(responses, Series) and not callable(responses.index):
            return _entries(zip(responses.index.tolist(), responses.tolist(), strict=True), series_score)
        return [_answer(value) for value in responses.tolist()]
    if callable(getattr(responses, "to_list", None)):  # of polars, which has no index
        return [_answer(value) for value in responses.to_list()]  # type: ignore[attr-defined]
    if isinstance(responses, Sequence) and not isinstance(responses, (str, bytes, bytearray)):
        return [_answer(value) for value in responses]
    if isinstance(responses, Table):
        raise AnchorEvalError(
            "invalid_answers", "answers are of one model: give its row of the DataFrame, df.loc[model]"
        )
    raise AnchorEvalError(
        "invalid_answers",
        "answers are a mapping of item id → score, a pandas Series with the ids as its index, or a list or array with "
        f"form_digest; got {type(responses).__name__}",
    )


def encode_table(table: Table) -> tuple[list[str], list[list[Any]]]:
    """The ids of its columns, and the scores of each row."""
    if table.ndim != 2 or not hasattr(table.index, "tolist"):
        raise AnchorEvalError(
            "invalid_answers", "a table of answers is a DataFrame of pandas: a row a model, a column an item"
        )
    ids = _item_ids(table.columns.tolist())
    values = table.to_numpy()
    kind = values.dtype.kind
    if kind in "biu":
        return ids, (values + 0).tolist()  # true is 1
    if kind == "f" and not (abs(values) == math.inf).any():
        return ids, [[None if score != score else score for score in row] for row in values.tolist()]
    return ids, [[series_score(value) for value in row] for row in values.tolist()]


def _entries(pairs: Iterable[tuple[Any, Any]], score: Any) -> dict[str, list[list[Any]]]:
    entries = list(pairs)
    ids = _item_ids([label for label, _ in entries])
    return {"byId": [[item, score(value)] for item, (_, value) in zip(ids, entries, strict=True)]}


def _item_ids(labels: Sequence[Any]) -> list[str]:
    """Item ids as text, each of them once."""
    ids: dict[str, None] = {}
    issues: list[Issue] = []
    for each in labels:
        name = _item_id(each)
        if name is None:
            message = f"an item id must be text, got {each!r} ({type(each).__name__})"
            issues.append(Issue(("responses", repr(each)), "invalid_type", message))
        elif name in ids:
            issues.append(Issue(("responses", name), "duplicate", f"item {name} is there twice"))
        else:
            ids[name] = None
    if issues:
        count = "1 answer" if len(issues) == 1 else f"{len(issues)} answers"
        more = "" if len(issues) == 1 else ", …"
        raise AnchorEvalError("invalid_answers", f"{count} cannot be scored: {issues[0].message}{more}", tuple(issues))
    return list(ids)


def _item_id(given: Any) -> str | None:
    """Benchmarks number their items, too, and pandas reads such ids as integers."""
    if isinstance(given, str):
        return str(given)
    if isinstance(given, numbers.Integral) and not isinstance(given, bool):
        return str(int(given))
    return None


def _answer(value: Any) -> Any:
    """A score, or the trials of an item."""
    if type(value) in _PLAIN:
        return _score(value)
    if isinstance(value, Mapping):
        return {str(name): _score(count) for name, count in value.items()} if "passed" in value or "of" in value else {}
    if isinstance(value, tuple):
        raise AnchorEvalError(
            "invalid_answers",
            f"{value!r} may be trials or counts: give a list of scores, one a trial, or {{'passed': 3, 'of': 5}}",
        )
    if isinstance(value, Series):
        return [series_score(score) for score in value.tolist()]
    if isinstance(value, Array) and value.ndim == 1:
        return [_score(score) for score in value.tolist()]
    return [_score(score) for score in value] if isinstance(value, list) else _score(value)


def _score(value: Any) -> Any:
    kind = type(value)
    if kind is float:
        return value if math.isfinite(value) else {"number": _NOT_FINITE[str(value)]}
    if value is None or kind is int or kind is str:
        return value
    if kind is bool:
        return int(value)
    if isinstance(value, numbers.Number) and not isinstance(value, numbers.Complex) or isinstance(value, numbers.Real):
        return _score(float(value))  # type: ignore[arg-type]
    if kind.__name__ == "NAType" and kind.__module__.startswith("pandas."):
        return None
    if callable(getattr(value, "item", None)) and getattr(value, "ndim", None) == 0:
        return _score(value.item())  # a number of numpy, torch, jax
    return str(value) if isinstance(value, str) else {}  # refused there, as every bad score is


def series_score(value: Any) -> Any:
    """In a Series NaN is how pandas writes that there is nothing."""
    return None if isinstance(value, float) and math.isnan(value) else _answer(value)


_PLAIN = {float, int, bool, str, type(None)}
_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
