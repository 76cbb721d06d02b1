import { createRandom, type RandomSource, type StreamName } from "anchoreval/internal/core/numeric/random";
import type { Pooling } from "anchoreval/internal/core/scoring/scoring-model";
import type { ResolvedBackend } from "../backends/resolve-backend.ts";
import { checkpointed } from "../calibrate/checkpoint.ts";
import type { FitBankOptions } from "../calibrate/bank.ts";
import type { CalibrationWork } from "../calibrate/calibration-work.ts";
import { answeringDevice, type DeviceDescription } from "../calibrate/asked-device.ts";
import { sharedDevices } from "../calibrate/shared-devices.ts";
import type { CalibrationBackend } from "../calibrate/types.ts";
import { onlyModels, type Benchmark } from "../matrix/benchmark.ts";
import { type ResponseMatrix, sharedMatrix } from "../matrix/response-matrix.ts";
import { sentMethod, type Method, type SentMethod } from "../methods/method.ts";
import type { FitSettings } from "../methods/settings.ts";
import { sourceSplits } from "../matrix/source-splits.ts";
import type { BenchmarkSplit } from "../matrix/splits.ts";
import { runOnThreads } from "../threads/run-on-threads.ts";
import type { FormPlan } from "./form-plans.ts";
import { type Observers, type SentObservers, sentObservers } from "./observer.ts";
import { drawsOfModel, estimateTargets, type HeldOutEstimate, type HeldOutTable } from "./held-out.ts";
import { learn, learningWork } from "./learn.ts";

/** Threads that held-out models are computed on. */
export interface FoldThreads {
  /** The caller's own among them, which computes folds when it has fitted all models. */
  readonly count: number;
  /** The provider of the fit's own backend, which calibrates there. */
  readonly provider: ResolvedBackend["provider"];
}

/** Models below which none can be held out. Chosen, not measured. */
export const LEAST_HELD_OUT_FROM = 8;

/** Held-out source models by both kinds of folds: like the others, and stronger than those learned from. */
export interface CrossValidation {
  readonly interpolation: readonly HeldOutEstimate[];
  readonly extrapolation: readonly HeldOutEstimate[];
}

/** The cross-validation of every scenario and form. */
export type Validation = ReadonlyMap<string, ReadonlyMap<string, Readonly<Record<Pooling, CrossValidation>>>>;

/** How often a fit learns: from all models, without each fold of the held-out ones, and from the weaker models. */
export function learnings({ settings }: Pick<Method, "settings">, models: number): number {
  return models < LEAST_HELD_OUT_FROM ? 1 : settings.folds + 2;
}

/** The calibrations of a fit, folds and all models on a core each. */
export function fitWork(
  matrix: Pick<ResponseMatrix, "subjects" | "items">,
  method: Pick<Method, "settings">,
): CalibrationWork {
  const times = learnings(method, matrix.subjects.length);
  return learningWork(matrix, method, { times, cores: times });
}

/** The data of the folds. */
interface FoldPlan {
  readonly benchmark: Benchmark;
  readonly method: Method;
  readonly forms: readonly FormPlan[];
  /** @default none */
  readonly observers?: Observers;
  /** Folder of the calibrations' states ({@link checkpointed}). */
  readonly checkpoint?: string | undefined;
}

/** The plain data of a {@link FoldPlan}, which a thread gets once. */
export interface FoldThreadData {
  readonly plan: Omit<FoldPlan, "method" | "observers"> & {
    readonly method: SentMethod;
    readonly observers: SentObservers;
  };
  readonly provider: ResolvedBackend["provider"];
  /** The caller's, which calibrates for all threads; null where each calibrates for itself. */
  readonly device: DeviceDescription | null;
}

/** A split with the number and the stream that its estimates have. Plain data, too. */
export interface Fold {
  readonly fold: number;
  readonly split: BenchmarkSplit;
  readonly stream: StreamName;
  /** Its models are like those that it learns from: differences between them are measured. */
  readonly isLike: boolean;
}

/** How far a fold is. */
export interface FoldNote {
  /** Of the fold, in [0,1], about. */
  readonly share: number;
  /** Loss of the calibration that it was at last; null before the first. @unit nats */
  readonly loss: number | null;
}

interface FoldTools extends Pick<FitBankOptions, "backend" | "signal"> {
  /** @default none but the caller's */
  readonly threads?: FoldThreads | undefined;
  /** When the caller's own thread is free for folds. @default at once */
  readonly free?: Promise<unknown> | undefined;
  /** @param done - folds, parts of those that are being computed too @param loss - of a calibration, in nats */
  readonly onFold?: (done: number, of: number, loss: number | null) => void;
}

/**
 * Cross-validates source models: random fifths (replicates and families together), and the strongest by the weakest over
 * all scenarios.
 * @param rows - the source models' positions in the benchmark; no other's answers are read
 */
export async function crossValidate(
  plan: FoldPlan,
  rows: readonly number[],
  random: RandomSource,
  tools: FoldTools,
): Promise<Validation> {
  const { benchmark, method, forms } = plan;
  const { scenarios, replicates } = benchmark;
  const among = sourceSplits(scenarios, rows, replicates, method.settings.folds, random.fork("folds"));
  const enough = rows.length >= LEAST_HELD_OUT_FROM;
  const trains = ({ scenarios }: BenchmarkSplit, least: number): boolean =>
    enough &&
    scenarios.every(({ sources }) => sources.length >= least) &&
    scenarios.some(({ targets }) => targets.length > 0);
  const like = among.folds.filter((split) => trains(split, 1));
  const strong = [among.strong].filter((split) => trains(split, 4));
  const folds = [...like, ...strong].map((split, fold): Fold => ({
    fold,
    split,
    stream: random.fork(`fold ${fold}`).name,
    isLike: fold < like.length,
  }));
  const tables = await runFolds(plan, folds, rows, tools);
  const joined = (from: readonly HeldOutTable[], id: string, form: string, pooling: Pooling): HeldOutEstimate[] =>
    from.flatMap((table) => table.get(id)?.get(form)?.[pooling] ?? []);
  const validation = (id: string, form: string, pooling: Pooling): CrossValidation => ({
    interpolation: joined(tables.slice(0, like.length), id, form, pooling),
    extrapolation: joined(tables.slice(like.length), id, form, pooling),
  });
  const ofForm = (id: string, form: string) =>
    [form, { separate: validation(id, form, "separate"), pooled: validation(id, form, "pooled") }] as const;
  return new Map(scenarios.map(({ id }) => [id, new Map(forms.map((form) => ofForm(id, form.id)))]));
}

/**
 * Computes folds, one after the other or on threads; the tables don't depend on it. Threads share the responses, and so does
 * a device.
 * @param rows - all models of the folds
 * @returns tables in the order of the folds
 */
async function runFolds(
  plan: FoldPlan,
  folds: readonly Fold[],
  rows: readonly number[],
  { backend, threads, free, signal, onFold }: FoldTools,
): Promise<HeldOutTable[]> {
  const shares = new Float64Array(folds.length);
  const onNote = (index: number, { share, loss }: FoldNote): void => {
    shares[index] = Math.max(shares[index]!, share); // a choice of the model calibrates a bank several times
    const done = shares.reduce((sum, share) => sum + share, 0);
    onFold?.(done, folds.length, loss);
  };
  const { scenarios } = plan.benchmark;
  const matrices = scenarios.map(({ matrix }) => matrix);
  const devices = sharedDevices(backend, matrices, rows);
  const backendOf = ({ split }: Fold): CalibrationBackend => devices.among(split.sources);
  try {
    if (threads !== undefined)
      return await runOnFoldThreads(plan, folds, threads, { backend, backendOf, free, signal, onNote });
    const tables: HeldOutTable[] = [];
    for (const [index, fold] of folds.entries())
      tables.push(await computeFold(plan, fold, backendOf(fold), (note) => onNote(index, note), signal));
    return tables;
  } finally {
    await devices.dispose();
  }
}

interface ThreadTools extends Pick<FoldTools, "backend" | "free" | "signal"> {
  /** Of a fold's calibrations where a device computes them. */
  readonly backendOf: (fold: Fold) => CalibrationBackend;
  readonly onNote: (index: number, note: FoldNote) => void;
}

/**
 * Computes folds on threads. Each calibrates for itself, the caller's too once it is free; or all ask the caller, whose device
 * calibrates for one after the other while the others choose anchors and estimate.
 */
async function runOnFoldThreads(
  plan: FoldPlan,
  folds: readonly Fold[],
  { count, provider }: FoldThreads,
  { backend, backendOf, free = Promise.resolve(), signal, onNote }: ThreadTools,
): Promise<HeldOutTable[]> {
  const { scenarios } = plan.benchmark;
  const shared = scenarios.map((scenario) => ({ ...scenario, matrix: sharedMatrix(scenario.matrix) }));
  const device = backend.openOptimizer ? { name: backend.name, precision: backend.precision } : null;
  const data: FoldThreadData = {
    plan: {
      ...plan,
      method: sentMethod(plan.method),
      observers: sentObservers(plan.observers ?? {}),
      benchmark: { ...plan.benchmark, scenarios: shared },
    },
    provider,
    device,
  };
  const caller = {
    free,
    compute: (index: number, say: (note: FoldNote) => void, stopped: AbortSignal) =>
      computeFold(plan, folds[index]!, backend.alone ?? backend, say, stopped),
  };
  const answering = answeringDevice((index) => backendOf(folds[index]!));
  // Every target costs about the same of each item.
  const cost = (index: number): number =>
    folds[index]!.split.scenarios.reduce((sum, { targets }, s) => sum + targets.length * scenarios[s]!.count, 0);
  try {
    return await runOnThreads<HeldOutTable, FoldNote>(new URL("./fold-worker.js", import.meta.url), folds, {
      ...(device ? { threads: count, onAsk: answering.answer } : { threads: count - 1, caller }),
      cost,
      work: "the cross-validation",
      data,
      ...(signal && { signal }),
      onNote,
    });
  } finally {
    await answering.dispose();
  }
}

/** The share of a fold's time that learning takes, about. For progress alone; chosen, not measured. */
const LEARNING = 0.5;

/** Estimates of a fold's models by a form at which more tell little. Chosen, not measured. */
const ENOUGH_ESTIMATES = 1000;

/** Draws of a form by which each model that is like the others is held out. @param models - of all folds */
export function heldOutDraws(models: number, { draws, folds }: Pick<FitSettings, "draws" | "folds">): number {
  return drawsOfModel(draws, Math.ceil(models / folds), ENOUGH_ESTIMATES);
}

/** Learns from the sources of a fold and estimates its targets: the same on every thread. */
export async function computeFold(
  { benchmark, method, forms, observers = {}, checkpoint }: FoldPlan,
  { fold, split, stream, isLike }: Fold,
  backend: FoldTools["backend"],
  onNote: (note: FoldNote) => void,
  signal?: AbortSignal,
): Promise<HeldOutTable> {
  let loss: number | null = null;
  const learned = await learn(onlyModels(benchmark, split.sources), method, forms, createRandom(stream), {
    backend,
    ...(checkpoint !== undefined && { calibrator: checkpointed(checkpoint) }),
    signal,
    onStep: ({ share, value }) => onNote({ share: LEARNING * share, loss: (loss = value) }),
  });
  onNote({ share: LEARNING, loss });
  const table = await estimateTargets(benchmark, split.scenarios, learned, {
    fold,
    draws: method.settings.draws,
    parts: true,
    observers,
    enough: ENOUGH_ESTIMATES,
    answers: isLike,
    signal,
  });
  onNote({ share: 1, loss });
  return table;
}

/** Cells of a leaderboard from which threads are worth their start, a quarter of a second each. */
const THREAD_CELLS = 1 << 16;

/**
 * Threads for the folds of a fit: none where one thread is all there is, where a fold takes no longer than to start one,
 * or where each calibration ends on the CPU, as WebGPU's.
 */
export function foldThreads(
  provider: ResolvedBackend["provider"],
  threads: number,
  cells: number,
): FoldThreads | undefined {
  return provider !== "webgpu" && threads > 1 && cells >= THREAD_CELLS ? { count: threads, provider } : undefined;
}
