import { setImmediate as turn } from "node:timers/promises";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { createRandom, type RandomSource } from "anchoreval/internal/core/numeric/random";
import { textTable, thousandths } from "anchoreval/internal/words/figures";
import { interruptible } from "../../../offline-trainer/src/backends/interruptible.ts";
import { dimsFor } from "../../../offline-trainer/src/calibrate/bank.ts";
import { type CalibrationWork, calibrationWork } from "../../../offline-trainer/src/calibrate/calibration-work.ts";
import { calibratedModels, matrixScenarios, type Scenario } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { binarizeResponses, codeResponses } from "../../../offline-trainer/src/matrix/code-responses.ts";
import { eachScore, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { AuditOptions } from "./audit-leaderboard.ts";
import { abilityCovariances, fittedAnswers } from "./fitted-answers.ts";
import { abilityReliability, heldOutLikelihood, scoreReliability } from "./item-statistics.ts";

/**
 * How answers are shuffled. `items`: each item's among the models, so that no model is better than another. `models`: each
 * model's among a scenario's items, so that no item is harder than another.
 */
export const SHUFFLES = ["items", "models"] as const;
export type Shuffle = (typeof SHUFFLES)[number];

/** Held-out log-likelihood an answer, in nats, above that of means, and its standard error. */
interface Gain {
  readonly gain: number;
  readonly gainError: number;
}

/** Standard errors by which a gain must exceed nothing, and what shuffled answers gain. */
const CLEAR = 2;

/** Figures of a calibration, of answers as they are or shuffled. */
interface Figures {
  /** By what a shuffle takes away: above the items' means, what is told of the models; above the models', of the items. */
  readonly gains: Readonly<Record<Shuffle, Gain>>;
  /** Of every dimension, the largest first. */
  readonly dimensions: readonly number[];
  /** Of the scenario's score; null where none is known. */
  readonly score: number | null;
}

/** One scenario beside the same answers shuffled. */
export interface NegativeControl {
  readonly scenario: string;
  readonly observed: Figures;
  readonly shuffled: Readonly<Record<Shuffle, readonly Figures[]>>;
  /** Dimensions of the calibration. */
  readonly dims: number;
  /** Dimensions whose reliability no shuffle of the items' answers reached, counted from the largest (parallel analysis). */
  readonly dimsBeyondChance: number;
  /**
   * Told no better than by shuffled answers, or not at all: of the models (no score means anything), or of the
   * items (chosen anchors are worth no more than random ones). Held-out answers of a small board tell little however good it
   * is: where their means differ by more than any of {@link MEAN_SHUFFLES} shuffles', they are told.
   */
  readonly asGoodAsNoise: readonly Shuffle[];
}

export interface NegativeControlOptions extends Pick<
  AuditOptions,
  "configuration" | "dims" | "seed" | "backend" | "heldOut" | "signal" | "onProgress"
> {
  /** How often the answers are shuffled, either way: at least 1. */
  readonly shuffles: number;
}

/** The calibrations of an audit and its negative controls. */
export function auditWork(
  matrix: Pick<ResponseMatrix, "subjects" | "items">,
  { dims, heldOut, shuffles }: Pick<NegativeControlOptions, "dims" | "heldOut" | "shuffles">,
): CalibrationWork {
  const controls = shuffles > 0 ? 1 + SHUFFLES.length * shuffles : 0;
  const calibrations = 1 + Number(heldOut > 0) + controls;
  return calibrationWork(matrix, { dims: dimsFor(dims, matrix.subjects.length), calibrations });
}

/**
 * Calibrates a leaderboard on its answers and on shuffled ones, from which nothing can be learned: an audit's figures are
 * worth what they exceed those by.
 * @see Horn (1965), Psychometrika 30, 179–185 (parallel analysis)
 * @throws AnchorEvalError `invalid_data` for fewer than five models, `aborted`
 */
export async function negativeControls(
  matrix: ResponseMatrix,
  options: NegativeControlOptions,
): Promise<NegativeControl[]> {
  const scenarios = matrixScenarios(matrix, options.configuration);
  const runs = 1 + SHUFFLES.length * options.shuffles;
  const controls: NegativeControl[] = [];
  for (const [s, scenario] of scenarios.entries()) {
    const rows = calibratedModels(scenario);
    const { threshold } = binarizeResponses(scenario.matrix, rows);
    const random = createRandom(options.seed).fork(scenario.id).fork("negative control");
    let done = 0;
    const pause = async (): Promise<void> => {
      await turn();
      if (options.signal?.aborted) throw new AnchorEvalError("aborted", "the negative control was stopped");
    };
    const figures = async (answers: ResponseMatrix): Promise<Figures> => {
      await pause();
      options.onProgress?.(s + done++ / runs, scenarios.length, `${scenario.id}: negative control`);
      return calibrationFigures({ ...scenario, matrix: answers }, rows, threshold, options);
    };
    const observed = await figures(scenario.matrix);
    const shuffled = { items: [] as Figures[], models: [] as Figures[] };
    for (const kind of SHUFFLES)
      for (let k = 0; k < options.shuffles; k++)
        shuffled[kind].push(await figures(shuffledAnswers(scenario.matrix, rows, kind, random.fork(`${kind} ${k}`))));
    const asGoodAsNoise: Shuffle[] = [];
    for (const kind of SHUFFLES) {
      const noise = [0, ...shuffled[kind].map(({ gains }) => gains[kind].gain)];
      const isUnclear = noise.some((gain) => !isClear(observed.gains[kind], gain));
      if (isUnclear && !(await meansDiffer(scenario.matrix, rows, kind, random.fork(`means of ${kind}`), pause)))
        asGoodAsNoise.push(kind);
    }
    controls.push({
      scenario: scenario.id,
      observed,
      shuffled,
      dims: observed.dimensions.length,
      dimsBeyondChance: countLeading(observed.dimensions, (dimension, d) =>
        shuffled.items.every(({ dimensions }) => dimension > (dimensions[d] ?? 0)),
      ),
      asGoodAsNoise,
    });
  }
  return controls;
}

/** Shuffles that the spread of models' or items' means must exceed: one board of noise in a thousand does. */
const MEAN_SHUFFLES = 999;

/** Whether models (or items) have means that differ by more than where a shuffle made all alike. @param pause - before each */
async function meansDiffer(
  matrix: ResponseMatrix,
  rows: readonly number[],
  kind: Shuffle,
  random: RandomSource,
  pause: () => Promise<void>,
): Promise<boolean> {
  const observed = meanSpread(matrix, rows, kind);
  for (let k = 0; k < MEAN_SHUFFLES; k++) {
    await pause();
    if (meanSpread(shuffledAnswers(matrix, rows, kind, random), rows, kind) >= observed) return false;
  }
  return true;
}

/** Σ n·ȳ² over the models, or the items: of the same answers the greater the more the means differ. */
function meanSpread(matrix: ResponseMatrix, rows: readonly number[], kind: Shuffle): number {
  const size = kind === "items" ? rows.length : matrix.items.length;
  const [sums, counts] = [new Float64Array(size), new Float64Array(size)];
  eachScore(matrix, rows, (score, k, i) => {
    const at = kind === "items" ? k : i;
    sums[at]! += score;
    counts[at]!++;
  });
  return sums.reduce((total, sum, at) => (counts[at]! > 0 ? total + sum ** 2 / counts[at]! : total), 0);
}

function isClear({ gain, gainError }: Gain, noise: number): boolean {
  return gain - CLEAR * gainError > noise;
}

async function calibrationFigures(
  scenario: Scenario,
  rows: readonly number[],
  threshold: number | null,
  { dims, seed, backend, heldOut, signal }: NegativeControlOptions,
): Promise<Figures> {
  const { id, matrix } = scenario;
  const held = (await heldOutLikelihood(codeResponses(matrix, rows, threshold), {
    dims: dimsFor(dims, rows.length),
    backend: interruptible(backend),
    random: createRandom(seed).fork(id).fork("held-out answers"),
    share: heldOut,
    signal,
  }))!;
  const answers = fittedAnswers(held.seen, held.calibration);
  return {
    gains: { items: { gain: held.gain, gainError: held.gainError }, models: held.overModels },
    dimensions: [...abilityReliability(answers, abilityCovariances(answers))].sort((x, y) => y - x),
    score: scoreReliability(answers, matrix, rows, scenario, threshold === null).model,
  };
}

/** The same matrix with the observed answers of its calibrated models in another order; missing ones stay where they are. */
export function shuffledAnswers(
  matrix: ResponseMatrix,
  rows: readonly number[],
  kind: Shuffle,
  random: RandomSource,
): ResponseMatrix {
  const { items, stride } = matrix;
  const scores = matrix.scores.slice();
  const mix = (places: number[]): void => {
    const seen = matrix.observed === null ? places : places.filter((at) => matrix.observed![at] !== 0);
    random.shuffle(seen.slice()).forEach((from, k) => (scores[seen[k]!] = matrix.scores[from]!));
  };
  if (kind === "items") for (let i = 0; i < items.length; i++) mix(rows.map((m) => m * stride + i));
  else for (const m of rows) mix(items.map((_, i) => m * stride + i));
  return { ...matrix, scores };
}

/** How many values from the first on pass a test. */
function countLeading(values: readonly number[], test: (value: number, place: number) => boolean): number {
  const first = values.findIndex((value, place) => !test(value, place));
  return first === -1 ? values.length : first;
}

/** The controls as a table, and in a sentence what no better than noise is. */
export function* controlLines(controls: readonly NegativeControl[]): Generator<string> {
  if (controls.length === 0) return;
  const times = controls[0]!.shuffled.items.length;
  yield "";
  yield `Negative control: the same answers shuffled ${times === 1 ? "once" : `${times} times`} within items (no model is better), and within models (no item is harder)`;
  const header = [
    "scenario",
    "reliability",
    "shuffled",
    "of models",
    "shuffled",
    "of items",
    "shuffled",
    "dims",
    "beyond",
  ];
  const rows = controls.map(({ scenario, observed, shuffled, dims, dimsBeyondChance }) => [
    scenario,
    figure(observed.score),
    range(shuffled.items.map(({ score }) => score)),
    signed(observed.gains.items.gain),
    range(shuffled.items.map(({ gains }) => gains.items.gain)),
    signed(observed.gains.models.gain),
    range(shuffled.models.map(({ gains }) => gains.models.gain)),
    String(dims),
    String(dimsBeyondChance),
  ]);
  yield* textTable([header, ...rows], "lrrrrrrrr");
  yield "of models, of items: what a held-out answer's log-likelihood gains over the items' means, and over the models'. beyond: dimensions more reliable than any of shuffled answers.";
  for (const kind of SHUFFLES) {
    const noisy = controls.filter(({ asGoodAsNoise }) => asGoodAsNoise.includes(kind));
    if (noisy.length > 0) yield `${noisy.map(({ scenario }) => scenario).join("; ")}: ${NOISE[kind]}`;
  }
}

const NOISE: Readonly<Record<Shuffle, string>> = {
  items: "these answers tell no more of the models than shuffled ones: that one is better than another isn't shown",
  models:
    "these answers tell no more of the items than shuffled ones: chosen anchors are worth no more than random items",
};

function figure(value: number | null): string {
  return value === null ? "" : thousandths(value);
}

function range(values: readonly (number | null)[]): string {
  const numbers = values.filter((value) => value !== null);
  if (numbers.length === 0) return "";
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)].map(thousandths) as [string, string];
  return least === most ? least : `${least} to ${most}`;
}

function signed(value: number): string {
  return `${value > 0 ? "+" : ""}${thousandths(value)}`;
}
