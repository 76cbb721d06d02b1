import { lookUp } from "../../sdk/core/bundle/names.ts";
import { partAt, type PartPlace } from "../../sdk/core/bundle/part.ts";
import { type Infer, nullable, object, record } from "../../sdk/core/bundle/schema.ts";
import { count, positive, reals, share, size } from "../../sdk/core/bundle/values.ts";
import { cholesky } from "../../sdk/core/numeric/dense.ts";

/** How scenarios' scores go together over the source models, and what predictions of one from the others err by. */
const unasked = /* @__PURE__ */ object({
  /** Source models with a full score in every scenario. */
  models: count,
  /** Of the scenarios' logits log((S + .01)/(1.01 − S)), S the full score, in the manifest's order. */
  mean: reals,
  /** Their covariance, S×S in rows. */
  covariance: reals,
  /** By form, then by the scenario that wasn't asked, all others being: where it was measured. */
  forms: /* @__PURE__ */ record(
    /* @__PURE__ */ record(
      /* @__PURE__ */ object({
        /** f: half-width of intervals relative to the Gaussian's own. */
        factor: positive,
        /** Mean absolute error of predicted scores on held-out models. */
        mae: size,
        /** Share of 95 % intervals that hold the full score, by factors learned without the model's fold; or null. */
        coverage95: /* @__PURE__ */ nullable(share),
      }),
    ),
  ),
});

/** How scenarios' scores go together, and what predictions of one from the others err by. @interface */
export type UnaskedManifest = Infer<typeof unasked>;

/** Where a manifest has the model that predicts scenarios that aren't asked from the others. */
export const unaskedPlace: PartPlace<UnaskedManifest> = { key: "unasked", at: "manifest" };

/** That model. */
export const unaskedPart = /* @__PURE__ */ partAt(unaskedPlace, {
  bears: "beside",
  title: "UnaskedScenarios",
  schema: unasked,
  problems: ({ mean, covariance, forms }, manifest) => {
    const ids = manifest.scenarios.length;
    if (mean.length !== ids || covariance.length !== ids ** 2)
      return [`${ids} scenarios have as many means and ${ids ** 2} covariances`];
    if (cholesky(Float64Array.from(covariance), ids) === null) return ["a covariance is positive definite"];
    return Object.entries(forms).flatMap(([id, scenarios]) => {
      const form = manifest.forms.find((candidate) => candidate.id === id);
      return form && Object.keys(scenarios).every((scenario) => lookUp(form.scenarios, scenario))
        ? []
        : [`there is no form ${id}, or it has other scenarios`];
    });
  },
});
