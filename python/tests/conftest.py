from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import anchoreval
from anchoreval._decode import key_of

GOLDEN = Path(__file__).parents[2] / "test" / "fixtures" / "golden-bundle"
FORM_12 = "edbc267bb41484a3b691877ab6f5c2a92a07d4d41e0225fcfaabf947910455f6"


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text("utf-8"))


def plain(value: Any) -> Any:
    """A result as the SDK's JSON. Fields that are only there where they say something are left out where they don't."""
    if is_dataclass(value):
        own = {field.name: getattr(value, field.name) for field in fields(value)}
        if own.get("predicted") is False:
            del own["predicted"]
        own = {name: each for name, each in own.items() if each is not None or name not in ("trials", "cost")}
        if isinstance(value, anchoreval.EstimateWarning) and value.scenario is None:
            del own["scenario"]
        return {key_of(name): plain(each) for name, each in own.items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value


@pytest.fixture(scope="session")
def bundle() -> Iterator[anchoreval.Bundle]:
    yield anchoreval.load(GOLDEN / "bundle")


@pytest.fixture(scope="session")
def answers() -> dict[str, float | None]:
    found: dict[str, float | None] = golden("answers.json")
    return found
