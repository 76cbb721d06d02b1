"""What is shown of a plan."""

from __future__ import annotations

from ._result import Bar, Sheet, sheet
from ._results import Plan, PlannedForm, TrialPlan, WantedGap
from ._sheets import heading
from ._words import counted, points


@sheet.register
def _(result: Plan) -> Sheet:
    needed = [] if result.needed is None else [result.needed]
    named = [(form.form or "needed", form) for form in (*result.forms, *needed)]
    said = [_precision_words(form) for form in result.forms]
    wanted = [] if result.needed is None else [_wanted_words(result, result.needed)]
    return Sheet(
        (heading(result), "; ".join(said[:3]) + ("; …" if len(said) > 3 else ""), *wanted),
        "form",
        tuple(
            {
                "form": name,
                "items": form.overall.items,
                "of": form.overall.of,
                "half_width": form.overall.half_width,
                "gap": form.overall.gap,
                "basis": form.overall.basis,
            }
            for name, form in named
        ),
        tuple(
            {
                "form": name,
                "items": f"{form.overall.items} of {form.overall.of}",
                "half-width": f"± {points(form.overall.half_width)}",
                "drawn": Bar(form.overall.half_width, 0, form.overall.half_width),
                "gap": points(form.overall.gap),
                "by": form.overall.basis,
            }
            for name, form in named
        ),
    )


def _precision_words(form: PlannedForm) -> str:
    return f"form {form.form}: {form.overall.items} items ± {points(form.overall.half_width)}"


def _wanted_words(result: Plan, needed: PlannedForm) -> str:
    enough = "no form is enough" if result.enough is None else f"form {result.enough} is enough"
    by_gap = isinstance(result.wanted, WantedGap)
    reached = f"gap {points(needed.overall.gap)}" if by_gap else f"± {points(needed.overall.half_width)}"
    return f"wanted: {counted(needed.overall.items, 'item')} ({reached}), {enough}"


@sheet.register
def _(result: TrialPlan) -> Sheet:
    named = [(form, choice) for form in result.forms for choice in form.choices]
    enough = [f"{choice.items} items × {choice.trials:g} trials" for choice in result.enough[:3]]
    wanted = [] if result.wanted is None else [f"± {points(result.wanted)} takes {', or '.join(enough) or 'more'}"]
    return Sheet(
        (heading(result), f"{counted(len(result.forms), 'form')} in {len(named)} choices of trials", *wanted),
        "form",
        tuple(
            {
                "form": form.form,
                "items": choice.items,
                "trials": choice.trials,
                "answers": choice.answers,
                "price": choice.price,
                "half_width": choice.half_width,
                "basis": form.basis,
            }
            for form, choice in named
        ),
        tuple(
            {
                "form": form.form,
                "items": str(choice.items),
                "trials": f"{choice.trials:g}",
                "answers": str(choice.answers),
                "half-width": f"± {points(choice.half_width)}",
            }
            for form, choice in named
        ),
    )
