import { encodeBundle, type BundleContent, type BundleFileName } from "anchoreval/bundle";
import { AnchorEvalError, createRandom } from "anchoreval/core";
import type { CalibrationStep } from "../calibrate/calibrate.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";
import { replicateGroups } from "../prepare/replicates.ts";
import { answeringModels, LEAST_MODELS } from "./answering-models.ts";
import { bankTasks, linkedTasks } from "./bank-tasks.ts";
import { bundleContent } from "./bundle-content.ts";
import { headlineEstimator } from "./configuration.ts";
import { crossValidate } from "./cross-validate.ts";
import { drawForms, prepareForms } from "./draw-forms.ts";
import type { FitOptions } from "./fit-options.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { drawStream } from "./held-out.ts";
import { interruptible } from "./interruptible.ts";
import { learnEvidence } from "./learn-evidence.ts";
import { linkBanks } from "./link-banks.ts";
import { resolveModel } from "./resolve-model.ts";
import { trainBank, type TrainedBank } from "./train-bank.ts";

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
  const parts = tasks.length * (configuration.folds + 2);
  let part = 0;
  for (const linked of linkedTasks(tasks, configuration)) {
    const random = createRandom(seed).fork(linked.length > 1 ? "all" : linked[0]!.id);
    const rows = linked.map(answeringModels);
    const names = linked.map(({ id }) => id).join(", ");
    const report = (share: number, what: string): void => onProgress?.(part + share, parts, what);
    const shared = {
      random,
      irtModel: configuration.irtModel,
      estimation: configuration.estimation,
      onStep: ({ share, value }: CalibrationStep) =>
        report(share, `${names}, part ${part + 1} of ${parts}: loss ${Math.round(value)} nats`),
      groups,
      ...(calibrator && { calibrator }),
      ...(signal ? { backend: interruptible(backend), signal } : { backend }),
    };
    const resolved = [];
    for (const [b, task] of linked.entries())
      resolved.push(await resolveModel(task, rows[b]!, configuration, { ...shared, random: random.fork(task.id) }));
    if ([configuration.dims, configuration.link, configuration.shrinkage].includes("auto"))
      clock.lap("choice of the model");
    const all = [...new Set(rows.flat())].sort((x, y) => x - y);
    const before = part;
    const validation = await crossValidate(linked, all, groups, {
      ...configuration,
      ...shared,
      sizes,
      random: random.fork("cross-validation"),
      onFold: (done) => {
        part = before + done * linked.length;
        report(0, names);
      },
    });
    clock.lap("held-out models");
    const trained: TrainedBank[] = [];
    for (const [b, task] of linked.entries()) {
      trained.push(await trainBank(task, rows[b]!, { ...shared, ...resolved[b]!.model, random: random.fork(task.id) }));
      part = before + (configuration.folds + 1) * linked.length + b + 1;
      report(0, task.id);
    }
    const { common, factors } = linkBanks(trained, random.fork("links"));
    clock.lap("calibration");
    for (const [b, task] of linked.entries()) {
      const prepared = prepareForms(task, rows[b]!, trained[b]!, {
        selection: configuration.selection,
        sizes,
        backend: shared.backend,
        random,
        simulatedProposals: SIMULATED_PROPOSALS,
      });
      const { model, dimensionErrors } = resolved[b]!;
      banks.push({
        task,
        link: model.link,
        shrinkage: model.shrinkage,
        trained: trained[b]!,
        forms: await drawForms(prepared, drawStream(random, 0)),
        factors: factors[b]!,
        loadings: common && common.loadings[b]!,
        dimensionErrors,
        evidence: learnEvidence(task, rows[b]!, sizes, validation[b]!, {
          lambda: configuration.lambda,
          estimator: headlineEstimator(configuration.selection),
        }),
      });
    }
    part = before + (configuration.folds + 2) * linked.length;
    report(0, names);
    clock.lap("choice of anchors");
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
