import { encodeBundle, type BundleContent, type BundleFileName } from "anchoreval/bundle";
import { AnchorEvalError } from "anchoreval/core";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { replicateGroups } from "../prepare/replicates.ts";
import { LEAST_MODELS } from "./answering-models.ts";
import { bankTasks, linkedTasks } from "./bank-tasks.ts";
import { bundleContent } from "./bundle-content.ts";
import { checkSecondForms } from "./check-second-forms.ts";
import { checkTaskStrata } from "./check-strata.ts";
import { fitBanks } from "./fit-banks.ts";
import type { FitOptions } from "./fit-options.ts";
import { anchorNumbers, formPlans, withSecondForms } from "./form-plans.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { stopwatch } from "./stopwatch.ts";

/** A fit: what a bundle's files and its report are made from. */
export interface FitResult {
  readonly banks: readonly FittedBank[];
  /** What the files are encoded from; a report can be added before they are. */
  readonly content: BundleContent;
  /**
   * Where the time went, from the end of one stage to the end of the next: of held-out models that were computed beside
   * others, what was left of them. @unit milliseconds
   */
  readonly timings: Readonly<Record<string, number>>;
}

/**
 * Fits a bundle: calibrates, chooses anchors, learns λ and measures every estimator's error on held-out models.
 * @param matrix - columns grouped by scenario and subscenario
 * @throws AnchorEvalError `invalid_data` for fewer than five models, `invalid_option` for sizes that are none or can't be shared;
 *   `unsupported` for second forms of anchors that are not drawn
 */
export async function fitBundle(matrix: ResponseMatrix, options: FitOptions): Promise<FitResult> {
  const { configuration } = options;
  if (matrix.subjects.length < LEAST_MODELS)
    throw new AnchorEvalError(
      "invalid_data",
      `a fit needs at least ${LEAST_MODELS} models, these responses have ${matrix.subjects.length}`,
    );
  const clock = stopwatch();
  const tasks = bankTasks(matrix, configuration, options);
  const scenarios = tasks.flatMap((task) => task.scenarios);
  const first = formPlans(options.sizes, options.totals ?? [], scenarios);
  if (options.secondForms) checkSecondForms(first, scenarios, configuration.selection);
  const forms = options.secondForms ? withSecondForms(first) : first;
  for (const task of tasks) checkTaskStrata(task, anchorNumbers(forms, task.scenarios), configuration);
  const groups = replicateGroups(matrix);
  clock.lap("replicates");
  const banks: FittedBank[] = [];
  for (const linked of linkedTasks(tasks, configuration)) {
    const before = banks.length;
    const onProgress = (share: number, note: string): void =>
      options.onProgress?.(before + share * linked.length, tasks.length, note);
    banks.push(...(await fitBanks(linked, { ...options, forms, groups, clock, onProgress })));
  }
  const content = bundleContent(matrix, banks, forms, options);
  clock.lap("measured errors");
  return { banks, content, timings: clock.laps };
}

/** The bundle's files. */
export function bundleFiles({ content }: FitResult, report?: Uint8Array): Map<BundleFileName, Uint8Array> {
  return encodeBundle({ ...content, ...(report && { report }) });
}
