import { encodeBundle, type BundleContent, type BundleFileName } from "anchoreval/bundle";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import type { CalibrationStep } from "../calibrate/calibrate.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { replicateGroups } from "../prepare/replicates.ts";
import { answeringModels, LEAST_MODELS } from "./answering-models.ts";
import { bankTasks } from "./bank-tasks.ts";
import { bundleContent } from "./bundle-content.ts";
import { crossValidate } from "./cross-validate.ts";
import { drawForms, prepareForms } from "./draw-forms.ts";
import type { FitOptions } from "./fit-options.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { drawStream } from "./held-out.ts";
import { interruptible } from "./interruptible.ts";
import { learnBlends } from "./learn-blends.ts";
import { resolveModel } from "./resolve-model.ts";
import { trainBank } from "./train-bank.ts";

/**
 * Proposals simulated for the inclusion probabilities of a bundle's form, where they have no formula: ten times what a
 * fold's forms have, once for each scenario (2 s for 1000 items).
 */
const SIMULATED_PROPOSALS = 100_000;

export interface FitResult {
  readonly banks: readonly FittedBank[];
  /** What the files are encoded from; a report can be added before they are. */
  readonly content: BundleContent;
  /** Where the time went. @unit milliseconds */
  readonly timings: Readonly<Record<string, number>>;
}

/**
 * Fits a bundle: calibrates, chooses anchors, learns λ and measures every estimator's error on held-out models.
 * @param matrix - columns grouped by scenario and subscenario
 * @throws AnchorEvalError `invalid_data` for fewer than five models, `invalid_option` for sizes that are none
 */
export async function fitBundle(matrix: ResponseMatrix, options: FitOptions): Promise<FitResult> {
  const { configuration, seed, backend, calibrator, signal, onProgress } = options;
  if (matrix.subjects.length < LEAST_MODELS)
    throw new AnchorEvalError(
      "invalid_data",
      `a fit needs at least ${LEAST_MODELS} models, these responses have ${matrix.subjects.length}`,
    );
  const sizes = [...new Set(options.sizes)].sort((x, y) => x - y);
  if (sizes.length === 0 || sizes.some((n) => !Number.isInteger(n) || n < 1))
    throw new AnchorEvalError(
      "invalid_option",
      `anchors are whole numbers of at least 1, got ${options.sizes.join(", ")}`,
    );

  const clock = stopwatch();
  const groups = replicateGroups(matrix);
  clock.lap("replicates");
  const tasks = bankTasks(matrix, configuration);
  const banks: FittedBank[] = [];
  const steps = configuration.folds + 2;
  for (const [index, task] of tasks.entries()) {
    const random = createRandom(seed).fork(task.id);
    const rows = answeringModels(task);
    let part = 0;
    const report = (share: number, loss: string): void =>
      onProgress?.(
        index * steps + part + share,
        tasks.length * steps,
        `${task.id}, part ${part + 1} of ${steps}${loss}`,
      );
    const shared = {
      random,
      irtModel: configuration.irtModel,
      estimation: configuration.estimation,
      onStep: ({ share, value }: CalibrationStep) => report(share, `: loss ${Math.round(value)} nats`),
      groups,
      ...(calibrator && { calibrator }),
      ...(signal ? { backend: interruptible(backend), signal } : { backend }),
    };
    const { model, dimensionErrors } = await resolveModel(task, rows, configuration, shared);
    if ([configuration.dims, configuration.link, configuration.shrinkage].includes("auto"))
      clock.lap("choice of the model");
    const validation = await crossValidate(task, rows, groups, {
      ...configuration,
      ...shared,
      sizes,
      random: random.fork("cross-validation"),
      onFold: (done) => {
        part = done;
        report(0, "");
      },
    });
    clock.lap("held-out models");
    const trained = await trainBank(task, rows, { ...shared, ...model });
    clock.lap("calibration");
    const prepared = prepareForms(task, rows, trained, {
      selection: configuration.selection,
      sizes,
      backend: shared.backend,
      random,
      simulatedProposals: SIMULATED_PROPOSALS,
    });
    const forms = await drawForms(prepared, drawStream(random, 0));
    clock.lap("choice of anchors");
    onProgress?.((index + 1) * steps, tasks.length * steps, task.id);
    banks.push({
      task,
      link: model.link,
      shrinkage: model.shrinkage,
      trained,
      validation,
      forms,
      dimensionErrors,
      blends: learnBlends(task, rows, sizes, validation, configuration.lambda),
    });
  }
  const content = bundleContent(matrix, banks, sizes, options);
  clock.lap("measured errors");
  return { banks, content, timings: clock.laps };
}

function stopwatch(): { lap(name: string): void; readonly laps: Record<string, number> } {
  const laps: Record<string, number> = {};
  let last = performance.now();
  return {
    laps,
    lap: (name) => {
      const now = performance.now();
      laps[name] = (laps[name] ?? 0) + (now - last);
      last = now;
    },
  };
}

/** The bundle's files. */
export function bundleFiles({ content }: FitResult, report?: Uint8Array): Map<BundleFileName, Uint8Array> {
  return encodeBundle({ ...content, ...(report && { report }) });
}
