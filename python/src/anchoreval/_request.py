"""A request to the bridge: a bundle, models' answers and options."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ._answers import Responses, encode
from ._bridge import call
from ._bundle import Bundle, Source, loaded
from ._decode import key_of
from ._errors import AnchorEvalError, with_items
from ._result import Part

OnChangedItem = Literal["error", "drop"]


@dataclass(frozen=True, repr=False)
class Run(Part):
    """One model's answers with what belongs to them; where nothing does, the answers alone are enough.

    Attributes:
        responses: Scores by item id, or in a form's order.
        name: The model's, as results and errors have it.
        form_digest: Digest of the form whose order a list of scores has.
        hashes: Content hashes of the answered items.
    """

    responses: Responses
    name: str | None = None
    form_digest: str | None = None
    hashes: Mapping[str, str] | None = None


Model = Run | Responses


def ask(name: str, bundle: Source, runs: Sequence[Model], baselines: Sequence[Model] = (), **options: Any) -> Any:
    """What the bridge answers. Options that are None are left to their defaults."""
    of = loaded(bundle)
    models, before = ([sent(run) for run in each] for each in (runs, baselines))
    try:
        return call(
            {
                "call": name,
                "bundle": of._named,
                "models": models,
                "baselines": before,
                "options": sent_options(options),
            }
        )
    except AnchorEvalError as error:
        raise with_items(error, _listed(of, error, [*models, *before])) from None


def _listed(bundle: Bundle, error: AnchorEvalError, models: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    """The items of a form whose answers came as a list, where a finding names one by its place."""
    digests = {model["formDigest"] for model in models if "formDigest" in model}
    forms = [form.id for form in bundle.forms.values() if digests == {form.digest}]
    by_place = any(isinstance(part, int) for issue in error.issues for part in issue.path[1:2])
    return bundle.anchors(forms[0]) if forms and by_place else ()


def run_of(model: Model, name: str | None = None) -> Run:
    if not isinstance(model, Run):
        return Run(model, name)
    return model if name is None else Run(model.responses, name, model.form_digest, model.hashes)


def sent(model: Model) -> dict[str, Any]:
    run = run_of(model)
    terms = {"name": run.name, "formDigest": run.form_digest, "hashes": run.hashes and dict(run.hashes)}
    return {"responses": encode(run.responses), **{key: value for key, value in terms.items() if value is not None}}


def sent_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key_of(name): _option(name, value) for name, value in options.items() if value is not None}


def _option(name: str, value: Any) -> Any:
    """As JSON has it: a form's name as text, numbers of numpy as Python's; what is no number there is refused."""
    if name == "form":
        return str(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_option(name, each) for each in value]
    if callable(getattr(value, "item", None)):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        raise AnchorEvalError("invalid_option", f"{name} must be a finite number, got {value}")
    return value
