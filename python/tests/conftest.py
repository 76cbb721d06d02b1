from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import anchoreval
from anchoreval._decode import key_of

GOLDEN = Path(__file__).parents[2] / "test" / "fixtures" / "golden-bundle"
PRICE_FIELDS = ("unit", "budget", "whole", "choices", "chosen", "predicting")
FORM_12 = "edbc267bb41484a3b691877ab6f5c2a92a07d4d41e0225fcfaabf947910455f6"


def golden(name: str) -> Any:
    return json.loads((GOLDEN / name).read_text("utf-8"))


def plain(value: Any) -> Any:
    """A result as the SDK's JSON. Fields that are only there where they say something are left out where they don't."""
    if is_dataclass(value):
        own = {field.name: getattr(value, field.name) for field in fields(value)}
        if own.get("predicted") is False:
            del own["predicted"]
        if isinstance(value, anchoreval.Plan) and value.whole is None:
            own = {name: own[name] for name in own if name not in PRICE_FIELDS}
        absent = ("trials", "cost", "bridged", "subscores", "with_known_scores", "disorder", "beside")
        own = {name: each for name, each in own.items() if each is not None or name not in absent}
        if isinstance(value, anchoreval.EstimateWarning):
            own = {name: each for name, each in own.items() if each is not None}
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
def priced(tmp_path_factory: pytest.TempPathFactory) -> anchoreval.Bundle:
    """The golden bundle, as if every item cost a quarter of a dollar, and the source models had been tried twice."""
    folder = tmp_path_factory.mktemp("priced") / "bundle"
    shutil.copytree(GOLDEN / "bundle", folder)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    anchors = [json.loads(line) for line in (folder / "anchors.jsonl").read_text("utf-8").splitlines()]
    counts = {own["id"]: sum(anchor["scenario"] == own["id"] for anchor in anchors) for own in manifest["scenarios"]}
    components = {"model": 0.02, "item": 0.04, "modelItem": 0.06, "trial": 0.12, "trials": 2, "repeated": 90}
    manifest["fit"]["varianceComponents"] = dict.fromkeys(counts, components)
    prices = {
        "unit": "usd",
        "whole": {own["id"]: own["items"] / 4 for own in manifest["scenarios"]},
        "forms": {
            form["id"]: {name: own["items"] / 4 for name, own in form["scenarios"].items()}
            for form in manifest["forms"]
        },
        "anchors": {name: [0.25] * count for name, count in counts.items()},
    }
    manifest["fit"]["prices"] = {**prices, "beside": [{**prices, "unit": "seconds"}]}
    del manifest["checksum"]
    rest = json.dumps(manifest)[1:].encode()
    checksum = hashlib.sha256(rest).hexdigest()
    (folder / "manifest.json").write_bytes(b'{"checksum":"' + checksum.encode() + b'",' + rest)
    return anchoreval.load(folder)


@pytest.fixture(scope="session")
def answers() -> dict[str, float | None]:
    found: dict[str, float | None] = golden("answers.json")
    return found
