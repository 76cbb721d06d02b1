"""JSON of the SDK as the dataclasses of this package: the types of their fields say how."""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")


def decode(kind: type[T], data: Any) -> T:
    """A dataclass of `kind` from an object with the same fields in camelCase. Numbers keep every bit."""
    return cast("T", _reader(cast(Any, kind))(data))


def key_of(name: str) -> str:
    """`half_width` → `halfWidth`, `lambda_` → `lambda`."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(word.capitalize() for word in rest)


def _as_is(data: Any) -> Any:
    return data


@cache
def _reader(kind: Any) -> Callable[[Any], Any]:
    origin, parameters = get_origin(kind), get_args(kind)
    if kind is float:  # JSON doesn't tell 1.0 from 1
        return float
    if is_dataclass(kind):
        return _dataclass_reader(kind)
    if origin in (Union, types.UnionType):
        read = [_reader(parameter) for parameter in parameters if parameter is not type(None)]
        if len(read) == 1:
            return lambda data: None if data is None else read[0](data)
        keys = [
            {key_of(field.name) for field in fields(parameter)} for parameter in parameters if is_dataclass(parameter)
        ]
        if not keys:
            return _as_is
        return lambda data: None if data is None else read[keys.index(set(data))](data)
    if origin is tuple:
        each = _reader(parameters[0])
        return lambda data: tuple(each(item) for item in data)
    if origin is Mapping:
        value = _reader(parameters[1])
        return lambda data: {key: value(item) for key, item in data.items()}
    return _as_is


def _dataclass_reader(kind: Any) -> Callable[[Any], Any]:
    """Fills an instance's fields at once: of a frozen dataclass the initialiser sets one by one, at twice the time."""
    hints = get_type_hints(kind)
    read = [(field.name, key_of(field.name), _reader(hints[field.name])) for field in fields(kind)]
    absent = {field.name: field.default for field in fields(kind) if field.default is not MISSING}

    def decoded(data: Any) -> Any:
        values = dict(absent)
        for name, key, reader in read:
            if key in data:
                values[name] = reader(data[key])
            elif name in data:  # `item_id` is one there, too
                values[name] = reader(data[name])
        result = object.__new__(kind)
        result.__dict__.update(values)
        return result

    return decoded
