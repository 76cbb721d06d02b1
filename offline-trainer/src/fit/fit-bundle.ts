import {
  encodeBundle,
  FORMAT_VERSION,
  type AnchorRecord,
  type BundleFileName,
  type FormManifest,
  type FormScenarioManifest,
  type ItemRecord,
  type Manifest,
  type MeasuredErrors,
  type ScenarioContent,
} from "anchoreval/bundle";
import { AnchorEvalError, createRandom, PARAMETERIZATION, type AnchorSet } from "anchoreval/core";
import type { CalibrationBackend } from "../calibrate/types.ts";
import type { ItemInfo, ResponseMatrix } from "../matrix/response-matrix.ts";
import { fullScores } from "../prepare/full-scores.ts";
import { replicateGroups } from "../prepare/replicates.ts";
import { bankTasks } from "./bank-tasks.ts";
import type { Calibrate } from "./checkpoint.ts";
import { resolveDimension } from "./choose-dimension.ts";
import { headlineEstimator, intervalKind, type FitConfiguration } from "./configuration.ts";
import { crossValidate } from "./cross-validate.ts";
import { drawForms } from "./draw-forms.ts";
import type { FittedBank } from "./fitted-bank.ts";
import { drawStream } from "./held-out.ts";
import { interruptible } from "./interruptible.ts";
import { learnLambdas } from "./learn-lambdas.ts";
import { measureErrors, rounded } from "./measured-errors.ts";
import { measureOverall } from "./measure-overall.ts";
import { trainBank } from "./train-bank.ts";

/** What a bundle says about itself and its data. */
export interface BundleDescription {
  readonly benchmark: string;
  readonly version: string;
  /** ISO 8601; never the clock's. */
  readonly created: string;
  readonly benchmarkVersion?: string;
  readonly description?: string;
  readonly protocol?: Manifest["protocol"];
  readonly licence?: string;
  readonly source?: string;
  readonly includeModelNames?: boolean;
  readonly includeText?: boolean;
}

export interface FitOptions extends BundleDescription {
  readonly configuration: FitConfiguration;
  /** Anchors per scenario, one form each. */
  readonly sizes: readonly number[];
  readonly seed: number;
  readonly backend: CalibrationBackend;
  /** What calibrates, say {@link checkpointed} in a folder. */
  readonly calibrator?: Calibrate;
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, of: number, note: string) => void;
}

export interface FitResult {
  readonly banks: readonly FittedBank[];
  /** What the files are encoded from; a report can be added before they are. */
  readonly content: Parameters<typeof encodeBundle>[0];
  /** Where the time went. @unit milliseconds */
  readonly timings: Readonly<Record<string, number>>;
}

/** Models below which nothing is fitted. */
const LEAST_MODELS = 5;

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
    const full = task.scenarios.map((slice) => fullScores(task.matrix, slice).score);
    const rows = matrix.subjects.flatMap((_, m) => (full.some((scores) => !Number.isNaN(scores[m]!)) ? [m] : []));
    if (rows.length < LEAST_MODELS)
      throw new AnchorEvalError(
        "invalid_data",
        `only ${rows.length} models have answers in ${task.id}, at least ${LEAST_MODELS} are needed`,
      );
    const shared = {
      random,
      groups,
      ...(calibrator && { calibrator }),
      ...(signal ? { backend: interruptible(backend), signal } : { backend }),
    };
    const { dims, errors } = await resolveDimension(task, rows, configuration.dims, shared);
    if (errors.length > 0) clock.lap("choice of dimension");
    const held = { ...shared, dims: configuration.dims, selection: configuration.selection, sizes };
    const validation = await crossValidate(task, rows, groups, {
      ...held,
      folds: configuration.folds,
      draws: configuration.draws,
      priorScale: configuration.priorScale,
      random: random.fork("cross-validation"),
      onFold: (done) =>
        onProgress?.(index * steps + done, tasks.length * steps, `${task.id}: models held out, part ${done}`),
    });
    clock.lap("held-out models");
    const trained = await trainBank(task, rows, { ...shared, dims });
    clock.lap("calibration");
    const forms = drawForms(task, rows, trained, configuration.selection, sizes, drawStream(random, 0));
    clock.lap("choice of anchors");
    onProgress?.((index + 1) * steps, tasks.length * steps, task.id);
    banks.push({
      task,
      trained,
      validation,
      forms,
      dimensionErrors: errors,
      lambdas: learnLambdas(task, rows, sizes, validation, configuration.lambda),
    });
  }
  const content = bundleContent(matrix, banks, sizes, options);
  clock.lap("measured errors");
  return { banks, content, timings: clock.laps };
}

function bundleContent(
  matrix: ResponseMatrix,
  banks: readonly FittedBank[],
  sizes: readonly number[],
  options: FitOptions,
): FitResult["content"] {
  const { configuration, seed, backend } = options;
  const estimator = headlineEstimator(configuration.selection);
  const interval = intervalKind(configuration.selection);
  const scenarios = banks.flatMap((bank) =>
    bank.task.scenarios.map((slice, s) => ({ bank, slice, s, trained: bank.trained.scenarios[s]! })),
  );
  const measured = (n: number): Record<string, MeasuredErrors> =>
    Object.fromEntries(
      scenarios.map(({ bank, slice, s }) => [
        slice.id,
        measureErrors({
          matrix: bank.task.matrix,
          slice,
          n,
          estimator,
          interval,
          lambda: bank.lambdas[s]!.get(n)!,
          lambdaRule: configuration.lambda,
          interpolation: bank.validation.interpolation[s]!.get(n)!,
          extrapolation: bank.validation.extrapolation[s]!.get(n)!,
          random: createRandom(seed).fork("measured errors"),
        }),
      ]),
    );
  const forms = sizes.map((n): Omit<FormManifest, "digest"> => {
    const errors = measured(n);
    return {
      id: String(n),
      selection: configuration.selection,
      estimator,
      interval,
      scenarios: Object.fromEntries(
        scenarios.map(({ bank, slice, s }): [string, FormScenarioManifest] => {
          const items = bank.forms[s]!.get(n)!.items.length;
          return [
            slice.id,
            {
              items,
              whole: items === slice.count,
              lambda: rounded(bank.lambdas[s]!.get(n)!),
              measured: errors[slice.id]!,
            },
          ];
        }),
      ),
      overall:
        scenarios.length > 1
          ? { measured: measureOverall(banks, n, estimator, configuration.lambda, randomMaes(errors)) }
          : null,
    };
  });
  const manifest: FitResult["content"]["manifest"] = {
    formatVersion: FORMAT_VERSION,
    benchmark: options.benchmark,
    version: options.version,
    benchmarkVersion: options.benchmarkVersion ?? null,
    created: options.created,
    description: options.description ?? null,
    parameterization: PARAMETERIZATION,
    weighting: configuration.weighting,
    banks: banks.map(({ task, trained }) => ({
      id: task.id,
      scenarios: task.scenarios.map((slice) => slice.id),
      irtModel: "2pl",
      dims: trained.dims,
      prior: {
        mean: Array.from(trained.abilities.mean),
        covariance: Array.from(trained.abilities.covariance),
        scale: configuration.priorScale,
      },
    })),
    scenarios: scenarios.map(({ slice, trained }) => ({
      id: slice.id,
      weight: 1,
      items: slice.count,
      subscenarios: slice.subscenarios,
      threshold: trained.threshold,
      scoreMap: trained.scoreMap && { x: Array.from(trained.scoreMap.x), y: Array.from(trained.scoreMap.y) },
    })),
    forms,
    defaultForm: defaultForm(sizes),
    sources: { models: matrix.subjects.length, names: options.includeModelNames ? matrix.subjects : null, note: null },
    protocol: options.protocol ?? {},
    fit: {
      ...configuration,
      seed,
      backend: backend.name,
      precision: backend.precision,
      dimensionErrors: Object.fromEntries(
        banks.filter((bank) => bank.dimensionErrors.length > 0).map((bank) => [bank.task.id, bank.dimensionErrors]),
      ),
      calibration: Object.fromEntries(
        banks.map(({ task, trained: { calibration } }) => [
          task.id,
          {
            converged: calibration.converged,
            evaluations: calibration.evaluations,
            gradientNorm: rounded(calibration.gradientNorm),
            value: rounded(calibration.value),
          },
        ]),
      ),
    },
    data: { licence: options.licence ?? null, source: options.source ?? null },
  };
  return {
    manifest,
    scenarios: scenarios.map(({ bank, slice, s, trained }): ScenarioContent => {
      const sets = new Map(sizes.map((n) => [String(n), bank.forms[s]!.get(n)!]));
      const items = bank.task.matrix.items.slice(slice.begin, slice.begin + slice.count);
      const scores = fullScores(bank.task.matrix, slice).score;
      return {
        bank: trained.bank,
        sourceScores: scores.filter((score) => !Number.isNaN(score)),
        forms: sets,
        anchors: anchorRecords(items, sets, options.includeText ?? false),
        items: items.map(itemRecord),
      };
    }),
  };
}

function randomMaes(errors: Readonly<Record<string, MeasuredErrors>>): number[] {
  return Object.values(errors).map(({ interpolation }) => interpolation?.randomMae ?? 0);
}

/** The form that is asked by default: 100 anchors a scenario, else the next smaller, else the smallest. */
function defaultForm(sizes: readonly number[]): string {
  return String(sizes.filter((n) => n <= 100).at(-1) ?? sizes[0]!);
}

function itemRecord({ item_id, scenario, subscenario, hash }: ItemInfo): ItemRecord {
  return { item_id, scenario, ...(subscenario !== undefined && { subscenario }), ...(hash !== undefined && { hash }) };
}

/** Anchors in the order in which they are asked: the smallest form's first, so that nested forms are prefixes. */
function anchorRecords(
  items: readonly ItemInfo[],
  sets: ReadonlyMap<string, AnchorSet>,
  includeText: boolean,
): AnchorRecord[] {
  const members = new Map<number, string[]>();
  for (const [form, set] of sets)
    for (const index of Array.from(set.items).sort((x, y) => x - y)) {
      const forms = members.get(index);
      if (forms) forms.push(form);
      else members.set(index, [form]);
    }
  return Array.from(members, ([index, forms]) => {
    const item = items[index]!;
    const { task, doc_id: docId, text } = item;
    return {
      ...itemRecord(item),
      index,
      ...(task !== undefined && { task }),
      ...(docId !== undefined && { doc_id: docId }),
      ...(includeText && text !== undefined && { text }),
      forms,
    };
  });
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
