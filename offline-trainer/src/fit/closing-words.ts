import type { Manifest } from "anchoreval/bundle";
import { formTotals, type MeasuredManifest } from "anchoreval/internal/words/measured-forms";
import { servedBlend } from "anchoreval/internal/core/bundle/bundle";
import type { MeasuredErrors } from "anchoreval/internal/core/bundle/manifest";
import { estimatorFigure } from "anchoreval/internal/core/estimators/types";
import { answeredWords } from "anchoreval/internal/words/bundle-words";
import { points } from "anchoreval/internal/words/figures";
import { LEAST_MODELS_FOR_COVERAGE } from "./errors.ts";
import { LEAST_HELD_OUT_FROM } from "./folds.ts";
import { HELD_OUT_OBSERVED } from "../matrix/splits.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/**
 * The last words of a fit: a sentence for each form and scenario, and one for the overall score. Errors are
 * those of a form that is answered whole.
 * @example "gsm, 50 items, 60 models: typical error 2.4 points, 95 % within 5.6; 50 random items: 3.9. Models stronger than any seen: 3.3."
 */
export function closingWords({ forms, scenarios, sources }: MeasuredManifest & Pick<Manifest, "sources">): string[] {
  return forms.flatMap((form) => {
    const sentences = scenarios.map(({ id }) => {
      const part = lookUp(form.scenarios, id)!;
      return part.whole
        ? `${id}, all ${part.items} items: the score is exact.`
        : sentence(id, part.items, servedBlend(part).measured, form, sources.models);
    });
    const { items, whole } = formTotals(form);
    if (scenarios.length === 1 || form.overall === null || whole) return sentences;
    return [...sentences, sentence("overall", items, form.overall.measured, form, sources.models)];
  });
}

function sentence(
  subject: string,
  items: number,
  { interpolation, extrapolation }: MeasuredErrors,
  form: MeasuredManifest["forms"][number],
  models: number,
): string {
  const asked = `${items}${form.disjointFrom === undefined ? "" : " other"} items`;
  if (interpolation === null)
    return `${subject}, ${asked}, ${models} models: too few models to hold any out (${LEAST_HELD_OUT_FROM} are needed, with answers to ${100 * HELD_OUT_OBSERVED} % of the items); the error is not measured.`;
  const mae = estimatorFigure(interpolation.estimators, form.estimator).mae;
  const within = interpolation.absoluteError[3] ?? null;
  const spread =
    interpolation.models < LEAST_MODELS_FOR_COVERAGE || within === null
      ? "coverage not measured (too few models)"
      : `95 % within ${points(within)}`;
  const stronger = extrapolation
    ? ` Models stronger than any seen: ${points(estimatorFigure(extrapolation.estimators, form.estimator).mae)}.`
    : "";
  const worse = mae >= interpolation.randomMae ? " This form is no better than random items." : "";
  return `${subject}, ${asked}, ${interpolation.models} models${answeredWords(interpolation)}: typical error ${points(mae)} points, ${spread}; ${items} random items: ${points(interpolation.randomMae)}.${stronger}${worse}`;
}
