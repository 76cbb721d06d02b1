from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._bridge import call
from ._decode import decode
from ._result import Part, Result, Sheet, sheet
from ._results import ListedBundle
from ._words import counted, few, points


@dataclass(frozen=True, repr=False)
class Anchor(Part):
    """An item of a form, with what the bundle knows of it.

    Attributes:
        item_id: The item's id, under which its answer is given.
        scenario: The scenario that it belongs to.
        subscenario: The part of the scenario, where it has parts.
        hash: Content hash, where items have one.
        task: The harness's task.
        doc_id: The document's number in the task.
        text: What is asked, where the bundle has texts.
    """

    item_id: str
    scenario: str
    subscenario: str | None = None
    hash: str | None = None
    task: str | None = None
    doc_id: str | int | None = None
    text: str | None = None


class Anchors(tuple[str, ...]):
    """Item ids of a form in the order in which they are asked, and in which a list of scores goes with `digest`.

    Attributes:
        form: The form's id.
        digest: Of the form: what it asks, and in which order.
        items: The same items with scenario, task, document, hash and text, where the bundle has them.

    Example:
        ids = bundle.anchors(form="50")
        scores = [ask(item_id) for item_id in ids]
        anchoreval.estimate(bundle, scores, form_digest=ids.digest)
    """

    form: str
    digest: str
    items: tuple[Anchor, ...]

    @property
    def scenarios(self) -> dict[str, tuple[str, ...]]:
        """Item ids by scenario."""
        found: dict[str, list[str]] = {}
        for item in self.items:
            found.setdefault(item.scenario, []).append(item.item_id)
        return {scenario: tuple(ids) for scenario, ids in found.items()}

    def __getnewargs__(self) -> tuple[tuple[str, ...]]:
        return (tuple(self),)


@dataclass(frozen=True, repr=False)
class Form(Part):
    """A list of anchors that are asked together.

    Attributes:
        id: The form's name, by which it is asked for.
        digest: Of what it asks, and in which order.
        scenarios: Items asked, by scenario.
    """

    id: str
    digest: str = field(repr=False)
    scenarios: Mapping[str, int]

    @property
    def items(self) -> int:
        """Items asked in all."""
        return sum(self.scenarios.values())


@dataclass(frozen=True, repr=False)
class Bundle(Result):
    """A benchmark's anchors and all that estimates need, checked. It may be pickled, and used from any thread.

    Attributes:
        benchmark: The benchmark's name.
        version: The bundle's version.
        digest: Names the bundle's content, `sha256:…`.
        scenarios: Items of the whole benchmark, by scenario.
        forms: Lists of anchors that are asked together, by id, the smallest first.
        default_form: The form that is taken where none is named.
    """

    benchmark: str
    version: str
    digest: str
    scenarios: Mapping[str, int]
    forms: Mapping[str, Form]
    default_form: str
    _named: Mapping[str, Any] = field(repr=False, compare=False)

    def anchors(self, form: str | int | None = None) -> Anchors:
        """Item ids of a form, the default one unless named.

        Raises:
            AnchorEvalError: `unknown_form`
        """
        wanted = self.default_form if form is None else str(form)
        found = call({"call": "anchors", "bundle": self._named, "form": wanted})
        items = tuple(
            Anchor(**{name: record[name] for name in Anchor.__dataclass_fields__ if name in record})
            for record in found["items"]
        )
        anchors = Anchors(item.item_id for item in items)
        anchors.form, anchors.digest, anchors.items = found["form"], found["digest"], items
        return anchors


def load(
    source: str | os.PathLike[str],
    *,
    scenarios: Sequence[str] | None = None,
    form: str | int | None = None,
    digest: str | None = None,
    trusted_keys: Sequence[str] | None = None,
) -> Bundle:
    """A bundle from its name, a folder, or the address of a Worker's bundle or of a folder on any static host.

    Args:
        source: as `--bundle` of the program takes it; its variables ANCHOREVAL_READ_TOKENS and ANCHOREVAL_TRUSTED_KEYS
            count here, too
        scenarios: read these only, and those that share an ability with them
        form: refuse a bundle that hasn't this form
        digest: the bundle that you mean; another one is refused
        trusted_keys: public keys, one of which must have signed the bundle; or the path of a root.json

    Raises:
        AnchorEvalError: `not_found`, `bundle_corrupt`, `bundle_invalid`, `bundle_format_unsupported`,
            `bundle_untrusted`, `digest_mismatch`, `unknown_form`, `unknown_scenario`, `unavailable`

    Example:
        bundle = anchoreval.load("out/mine")
    """
    place = source if isinstance(source, str) else os.path.abspath(os.fspath(source))
    named: dict[str, Any] = {"place": place, "cwd": os.getcwd()}
    if scenarios is not None:
        named["scenarios"] = [scenarios] if isinstance(scenarios, str) else list(scenarios)
    if trusted_keys is not None:
        named["trustedKeys"] = [trusted_keys] if isinstance(trusted_keys, str) else list(trusted_keys)
    if form is not None:
        named["form"] = str(form)
    if digest is not None:
        named["digest"] = digest
    env = {name: value for name, value in os.environ.items() if name.startswith("ANCHOREVAL_")}
    found = call({"call": "load", "bundle": named, "env": env})
    return Bundle(
        benchmark=found["benchmark"],
        version=found["version"],
        digest=found["digest"],
        scenarios=found["scenarios"],
        forms={own["id"]: decode(Form, own) for own in found["forms"]},
        default_form=found["defaultForm"],
        _named={**named, "digest": found["digest"]},
    )


Source = Bundle | str | os.PathLike[str]
"""A bundle, or the name, folder or address of one, as `load` takes it."""


def loaded(source: Source) -> Bundle:
    return source if isinstance(source, Bundle) else load(source)


class Bundles(Result, tuple[ListedBundle, ...]):
    """A list of bundles."""


def bundles() -> Bundles:
    """The bundles that come with the package, each with its items, the models that it was fitted on, and its error.

    Example:
        anchoreval.bundles()  # in a notebook a table
        anchoreval.estimate("gsm8k", answers)  # loads one by its name
    """
    return Bundles(decode(ListedBundle, listed) for listed in call({"call": "bundles"}))


@sheet.register
def _(result: Bundle) -> Sheet:
    sizes = few([f"{form.id} ({counted(form.items, 'item')})" for form in result.forms.values()])
    items = f"{counted(sum(result.scenarios.values()), 'item')} in {counted(len(result.scenarios), 'scenario')}"
    return Sheet(
        (
            f"Bundle: {result.benchmark} {result.version}",
            f"{items}; form {result.default_form} unless named",
            f"forms {sizes}",
        ),
        "form",
        tuple({"form": form.id, "items": form.items, **form.scenarios} for form in result.forms.values()),
        tuple(
            {"form": form.id, "items": str(form.items), **{name: str(items) for name, items in form.scenarios.items()}}
            for form in result.forms.values()
        ),
    )


@sheet.register
def _(result: Bundles) -> Sheet:
    return Sheet(
        (f"{counted(len(result), 'bundle')}: {few([listed.place for listed in result])}",),
        "bundle",
        tuple(
            {
                "bundle": listed.place,
                "items": listed.items,
                "scenarios": len(listed.scenarios),
                "models": listed.models,
                "asked": listed.form.items,
                "error": listed.error,
                "description": listed.description,
            }
            for listed in result
        ),
        tuple(
            {
                "bundle": listed.place,
                "items": str(listed.items),
                "scenarios": str(len(listed.scenarios)),
                "models": str(listed.models),
                "error": f"{points(listed.error)} at {counted(listed.form.items, 'item')}",
                "": listed.description or "",
            }
            for listed in result
        ),
    )
