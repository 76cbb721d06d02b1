import { type Bundle, formItemIds } from "../core/bundle/bundle.ts";
import { resolveAnswers } from "../estimate/resolve-answers.ts";
import type { EstimateOptions, Responses } from "../estimate/types.ts";
import type { TrialResponses } from "./item-trials.ts";
import type { ItemTrials } from "./types.ts";

/** Scores or trials, by item id or in the order of a form. */
export type AnyResponses = Responses | TrialResponses | readonly (number | null | ItemTrials)[];

/** An array of answers by item id, with the form whose order it has. @throws AnchorEvalError as `estimateFromAnchors` */
export function namedAnswers(
  bundle: Bundle,
  responses: readonly (number | null | ItemTrials)[],
  { form: asked, formDigest }: Pick<EstimateOptions, "form" | "formDigest">,
): { readonly form: string; readonly responses: ReadonlyMap<string, number | null | ItemTrials> } {
  const known = asked ?? bundle.manifest.forms.find(({ digest }) => digest === formDigest)?.id;
  // For its checks of an array: the answers themselves are checked with all others, by their ids.
  const { form } = resolveAnswers(bundle, new Array<number>(responses.length).fill(0), {
    ...(known !== undefined && { form: known }),
    ...(formDigest !== undefined && { formDigest }),
  });
  const ids = [...bundle.scenarios.values()].flatMap((scenario) => formItemIds(scenario, form));
  return { form, responses: new Map(ids.map((id, index) => [id, responses[index]!])) };
}
