import type { BundleContent, BundleFileName } from "anchoreval/bundle";
import { encodeBundle } from "anchoreval/internal/core/bundle/encode";
import { AnchorEvalError, checkNames } from "anchoreval/internal/core/errors";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { checkpointed } from "../calibrate/checkpoint.ts";
import {
  answeringModels,
  calibratedModels,
  describeBenchmark,
  onlyModels,
  pooledParts,
  type Benchmark,
} from "../matrix/benchmark.ts";
import { replicateNames } from "../matrix/alike/replicates.ts";
import { LEAST_MODELS, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { recommended, withKnowledge, type Method } from "../methods/method.ts";
import { learnBlends } from "./blends.ts";
import { bundleContent } from "./bundle.ts";
import { crossValidate } from "./folds.ts";
import { planForms, type FormPlan } from "./form-plans.ts";
import { dropIdleMemory } from "../numeric/vectors.ts";
import { interruptible } from "../backends/interruptible.ts";
import { learn } from "./learn.ts";
import { FIT_OPTIONS, type FitOptions, type FittedPart } from "./options.ts";
import { EVERY_FIT } from "../../../features/fit-parts.ts";
import { progressOf, sideBySide, stopwatch, type PartProgress } from "../threads/stages.ts";

/** A fit: what a bundle's files and its report are made from. */
export interface Fit {
  readonly method: Method;
  readonly forms: readonly FormPlan[];
  readonly parts: readonly FittedPart[];
  /** Models that answer every item as an earlier one does: they count as one with it. */
  readonly copies: readonly string[];
  /** Models whose answers agree beyond chance, in groups: they are held out together. */
  readonly replicates: readonly (readonly string[])[];
  /** The content of the files before they are encoded; a report can be added to it. */
  readonly content: BundleContent;
  /**
   * Where the time went, from the end of one stage to the end of the next: of held-out models that were computed beside
   * others, what was left of them. @unit milliseconds
   */
  readonly timings: Readonly<Record<string, number>>;
}

/**
 * Fits a bundle: describes the benchmark, plans the forms, and of scenarios that are pooled learns on folds what blends
 * estimates and what they err by, and from all models what the bundle serves with; then its parts add what they have.
 * @param responses - columns grouped by scenario and subscenario
 * @throws AnchorEvalError `invalid_data` for fewer than five models, `invalid_option` for sizes that are none or can't be
 *   shared; `unsupported` for second forms of anchors that are drawn; `aborted`
 * @example
 * const { content } = await fit(matrix, { benchmark: "gsm", version: "1.0.0", created, sizes: [50], seed: 1, backend });
 */
export async function fit(responses: ResponseMatrix, options: FitOptions): Promise<Fit> {
  checkNames(options, FIT_OPTIONS);
  const clock = stopwatch();
  const { parts: beside = [] } = options;
  const chosen = beside.reduce((before, part) => part.method?.(before) ?? before, options.method ?? recommended);
  const { settings } = chosen;
  const benchmark = describeBenchmark(responses, { ...settings, ...options });
  const { models, copies } = benchmark;
  if (models.length < LEAST_MODELS) {
    const alike = copies.size > 0 ? ` that don't answer every item alike` : "";
    throw new AnchorEvalError(
      "invalid_data",
      `a fit needs at least ${LEAST_MODELS} models, these responses have ${models.length}${alike}`,
    );
  }
  const method = withKnowledge(chosen, benchmark);
  const others = beside.flatMap((part) => part.forms ?? []);
  const forms = planForms(benchmark.scenarios, method, options, others);
  clock.lap("replicates");
  const parts: FittedPart[] = [];
  for (const part of pooledParts(benchmark, settings.linked)) {
    const before = parts.reduce((count, { benchmark: { scenarios } }) => count + scenarios.length, 0);
    const onProgress = (share: number, note: string): void =>
      options.onProgress?.(before + share * part.scenarios.length, benchmark.scenarios.length, note);
    parts.push(await fitPart(part, method, forms, { ...options, onProgress }, clock));
  }
  dropIdleMemory();
  let content = await bundleContent(parts, method, forms, options);
  clock.lap("measured errors");
  const learned = parts.flatMap((part) => part.learned.scenarios);
  for (const { stage, add } of [...EVERY_FIT, ...beside]) {
    if (add === undefined) continue;
    content = await add({ content, learned, parts, method, forms });
    clock.lap(stage);
  }
  const replicates = replicateNames(models, benchmark.replicates);
  return { method, forms, parts, content, copies: [...copies.keys()], replicates, timings: clock.laps };
}

/** Fits scenarios that are pooled: where there are threads for the held-out models, both at once. */
async function fitPart(
  benchmark: Benchmark,
  method: Method,
  forms: readonly FormPlan[],
  options: Omit<FitOptions, "onProgress"> & { readonly onProgress: PartProgress },
  clock: ReturnType<typeof stopwatch>,
): Promise<FittedPart> {
  const { seed, threads, checkpoint, backend, parts = [], onProgress } = options;
  const { scenarios } = benchmark;
  const random = createRandom(seed).fork(scenarios.length > 1 ? "all" : scenarios[0]!.id);
  for (const scenario of scenarios) calibratedModels(scenario);
  const rows = [...new Set(scenarios.flatMap(answeringModels))].sort((x, y) => x - y);
  const report = progressOf(scenarios.map(({ id }) => id).join(", "), method.settings.folds + 1, onProgress);
  const tools = (signal?: AbortSignal) => ({ backend: signal ? interruptible(backend) : backend, signal });

  const validate = async (signal?: AbortSignal, free?: Promise<unknown>) => {
    const observers = Object.fromEntries(
      parts.flatMap(({ stage, observer }) => (observer ? [[stage, observer] as const] : [])),
    );
    const plan = { benchmark, method, forms, observers, checkpoint };
    const onFold = (done: number, of: number, loss: number | null): void => report({ folds: done / of, loss });
    const stream = random.fork("cross-validation");
    const validation = await crossValidate(plan, rows, stream, { ...tools(signal), threads, free, onFold });
    clock.lap("held-out models");
    return validation;
  };
  const finish = async (signal?: AbortSignal) => {
    const learned = await learn(onlyModels(benchmark, rows), method, forms, random, {
      ...tools(signal),
      final: true,
      ...(checkpoint !== undefined && { calibrator: checkpointed(checkpoint) }),
      fixed: new Map(parts.flatMap(({ fixed = [] }) => [...fixed])),
      onStep: ({ share, value }) => report({ final: share / 2, loss: value }),
    });
    clock.lap("calibration");
    const drawn = await learned.draw(0);
    clock.lap("choice of anchors");
    return { learned, forms: drawn };
  };
  const [fitted, validation] = threads
    ? await sideBySide(finish, validate, options.signal)
    : [await finish(options.signal), await validate(options.signal)];
  const blends = learnBlends(benchmark, rows, method, forms, validation);
  report({ folds: 1, final: 1 });
  clock.lap("blends");
  return { benchmark, ...fitted, blends };
}

/** The bundle's files. */
export function bundleFiles({ content }: Pick<Fit, "content">, report?: Uint8Array): Map<BundleFileName, Uint8Array> {
  return encodeBundle({ ...content, ...(report && { report }) });
}
