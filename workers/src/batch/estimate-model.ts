import { AnchorEvalError, estimateFromAnchors, type BatchResult, type Bundle, type EstimateRequest } from "anchoreval";
import { refuseDuplicates } from "../http/request-body.ts";
import { problemWords } from "../problem.ts";

/** What all models of a batch are estimated with. */
export interface BatchBundle {
  readonly bundle: Bundle;
  /** Adds the warning of a yanked version. */
  readonly warned: <Result extends Extract<BatchResult, { estimate: unknown }>["estimate"]>(estimate: Result) => Result;
}

/**
 * Estimates one model of many: what can't be scored is that model's problem and no error.
 * @param duplicates - paths, from the model's own root, of keys that stood twice in the text
 */
export function estimateModel(
  { bundle, warned }: BatchBundle,
  { model, responses, ...options }: EstimateRequest & { readonly model: string },
  duplicates: readonly (readonly (string | number)[])[],
): BatchResult {
  try {
    refuseDuplicates(duplicates);
    return { model, estimate: warned(estimateFromAnchors(bundle, responses, options)) };
  } catch (error) {
    if (!(error instanceof AnchorEvalError)) throw error;
    return { model, problem: problemWords(error) };
  }
}
