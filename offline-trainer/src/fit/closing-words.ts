import { figureOf } from "anchoreval/core";
import { servedBlend, type Manifest } from "anchoreval/bundle";

const points = (fraction: number): string => (100 * fraction).toFixed(1);

/** Held-out models below which coverage says nothing. */
const LEAST_MODELS = 20;

/**
 * What a fit ends with, in plain words: one sentence a form and scenario, with the errors of what is served where all
 * scenarios are answered, as `anchoreval show` has them.
 * @example "gsm, 50 items, 60 models: typical error 2.4 points, 95 % within 5.6; 50 random items: 3.9. Models stronger than any seen: 3.3."
 */
export function closingWords(manifest: Manifest): string[] {
  return manifest.forms.flatMap((form) =>
    manifest.scenarios.map(({ id }): string => {
      const { items, whole } = form.scenarios[id]!;
      const { measured } = servedBlend(form.scenarios[id]!);
      const asked = `${items}${form.disjointFrom === undefined ? "" : " other"} items`;
      if (whole) return `${id}, all ${items} items: the score is exact.`;
      const { interpolation, extrapolation } = measured;
      if (interpolation === null)
        return `${id}, ${asked}, ${manifest.sources.models} models: too few models to hold any out; the error is not measured.`;
      const own = figureOf(interpolation.estimators, form.estimator).mae;
      const within = interpolation.absoluteError[3] ?? null;
      const spread =
        interpolation.models < LEAST_MODELS || within === null
          ? "coverage not measured (too few models)"
          : `95 % within ${points(within)}`;
      const stronger = extrapolation
        ? ` Models stronger than any seen: ${points(figureOf(extrapolation.estimators, form.estimator).mae)}.`
        : "";
      const worse = own >= interpolation.randomMae ? " This form is no better than random items." : "";
      return `${id}, ${asked}, ${interpolation.models} models: typical error ${points(own)} points, ${spread}; ${items} random items: ${points(interpolation.randomMae)}.${stronger}${worse}`;
    }),
  );
}
