import {
  AnchorEvalError,
  cholesky,
  itemBank,
  mapAbility,
  type AbilityPrior,
  type FloatArray,
  type RandomSource,
} from "anchoreval/core";
import type { BundleScenario } from "anchoreval/bundle";
import type { ScoreLink } from "../fit/configuration.ts";
import type { BankTask } from "../fit/train-bank.ts";
import { scoreAt, submatrix, type ResponseMatrix } from "../matrix/response-matrix.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import type { BaseBundle } from "./read-base.ts";
import { itemPriors } from "./item-prior.ts";
import { placeItem, type PlacedItem } from "./place-item.ts";

/** A bank whose items all have their parameters: the standing ones the base's, the others placed among them. */
export interface StandingBank {
  readonly dims: number;
  readonly link: ScoreLink;
  /** By scenario, where scores are cut as the base's were; null where they aren't. */
  readonly thresholds: readonly (number | null)[];
  /** Discriminations, N×D row-major, in the order of the bank's columns. */
  readonly a: Float64Array;
  /** Intercepts, N. */
  readonly b: Float64Array;
  /** Chances of a score above the threshold (or expected scores) where a placed item has no answer; NaN elsewhere; M×N. */
  readonly chances: Float64Array;
  /** By scenario: standard deviation of the mean score that is left open by where the placed items lie. A fraction. */
  readonly placementErrors: readonly number[];
}

/** A bank on its base's scale, and answers for models that gave none to the placed items. */
export interface ScaledBank {
  readonly bank: StandingBank;
  /** M×N, in the order of the task's matrix: scores drawn where a placed item has no answer; NaN elsewhere. */
  readonly drawn: Float64Array;
}

export interface ScaleInput {
  readonly base: BaseBundle;
  /** Id in the base of every item that stands, by its id now. */
  readonly standing: ReadonlyMap<string, string>;
  /** Coordinates of texts by item id, all as long; null without. */
  readonly coordinates: ReadonlyMap<string, Float64Array> | null;
}

/** Share of a scenario's items that must stand. */
const LEAST_STANDING = 0.5;

/**
 * Puts a bank on the scale that its base has: parameters of the standing items are the base's, models' abilities follow
 * from their answers to them (MAP under N(0, I), as in every calibration), and each other item is placed by its own answers
 * and what its scenario's items, or its text, tell beforehand ({@link itemPriors}). Parameters that are uncertain are
 * moderated (z/√(1 + πv/8), v the mean variance of z), so that chances are right on average.
 *
 * Answers that models didn't give to placed items are drawn from their chances, with the items' parameters drawn once from
 * their posterior: what is measured on them varies as if they had been given (a single proper imputation).
 * @throws AnchorEvalError `unsupported` for a bank or scenario that the base doesn't have; `invalid_data` where fewer than
 * half of a scenario's items stand
 * @see MacKay (1992), Neural Computation 4, 720–736 (moderated outputs); Rubin (1987), Multiple Imputation
 */
export function putOnScale(
  task: Omit<BankTask, "families">,
  { base, standing, coordinates }: ScaleInput,
  random: RandomSource,
): ScaledBank {
  const { bundle, links } = base;
  const described = bundle.manifest.banks.find(
    ({ id, scenarios }) => id === task.id && scenarios.join("\n") === task.scenarios.map((own) => own.id).join("\n"),
  );
  if (!described)
    throw new AnchorEvalError(
      "unsupported",
      `the base has no bank ${task.id} of ${task.scenarios.map(({ id }) => id).join(", ")}: it has ${bundle.manifest.banks.map(({ id, scenarios }) => `${id} (${scenarios.join(", ")})`).join("; ")}; a new scenario needs a fit without --base`,
    );
  const { dims } = described;
  const { matrix } = task;
  const [models, count] = [matrix.subjects.length, matrix.items.length];
  const known = knownParameters(task, base, standing, dims);
  const thresholds = described.scenarios.map(
    (id) => bundle.manifest.scenarios.find((scenario) => scenario.id === id)!.threshold,
  );
  const answers = calibratedAnswers(task, thresholds);
  const theta = abilities(answers, known, dims, models);

  const a = new Float64Array(count * dims);
  const b = new Float64Array(count);
  const drawn = new Float64Array(models * count).fill(NaN);
  const chances = new Float64Array(models * count).fill(NaN);
  const placementErrors = task.scenarios.map((slice, s) => {
    const columns = Array.from({ length: slice.count }, (_, i) => slice.begin + i);
    const [stand, fresh] = [columns.filter((i) => known.is[i]), columns.filter((i) => !known.is[i])];
    for (const i of stand) {
      a.set(known.a.subarray(i * dims, (i + 1) * dims), i * dims);
      b[i] = known.b[i]!;
    }
    if (fresh.length === 0) return 0;
    const ordered = [...stand, ...fresh];
    const priors = itemPriors(
      {
        dims,
        parameters: Float64Array.from(stand.flatMap((i) => [...a.subarray(i * dims, (i + 1) * dims), b[i]!])),
        subscenarios: ordered.map((i) => matrix.items[i]!.subscenario),
        coordinates:
          coordinates &&
          Float64Array.from(ordered.flatMap((i) => Array.from(coordinates.get(matrix.items[i]!.item_id)!))),
      },
      random.fork(`texts of ${slice.id}`),
    );
    const sides = scoreSides(matrix, slice, thresholds[s]!);
    let variance = 0;
    fresh.forEach((i, k) => {
      const own = Float64Array.from({ length: models }, (_, m) => (theta.known[m] ? answers[m * count + i]! : NaN));
      const placed = placeItem(theta.values, own, priors(stand.length + k));
      const { scale, spread } = moderation(placed, theta.values, theta.known);
      for (let d = 0; d < dims; d++) a[i * dims + d] = scale * placed.a[d]!;
      b[i] = scale * placed.b;
      variance += slice.weights[i - slice.begin]! ** 2 * spread;
      const stream = random.fork(matrix.items[i]!.item_id);
      const once = drawnParameters(placed, stream);
      for (let m = 0; m < models; m++) {
        if (!theta.known[m] || !Number.isNaN(answers[m * count + i]!)) continue;
        const at = theta.values.subarray(m * dims, (m + 1) * dims);
        chances[m * count + i] = chance(at, a.subarray(i * dims, (i + 1) * dims), b[i]);
        drawn[m * count + i] = sides.score(chance(at, once.a, once.b), stream);
      }
    });
    return Math.sqrt(variance);
  });
  return {
    bank: { dims, link: links.get(task.id)!, thresholds, a, b, chances, placementErrors },
    drawn,
  };
}

interface KnownParameters {
  /** 1 where an item stands. */
  readonly is: Uint8Array;
  readonly a: Float64Array;
  readonly b: Float64Array;
}

function knownParameters(
  { matrix, scenarios }: Omit<BankTask, "families">,
  { bundle, items }: BaseBundle,
  standing: ReadonlyMap<string, string>,
  dims: number,
): KnownParameters {
  const count = matrix.items.length;
  const known = { is: new Uint8Array(count), a: new Float64Array(count * dims), b: new Float64Array(count) };
  const own = new Map<string, { scenario: BundleScenario; index: number }>();
  let line = 0;
  for (const { id, items: size } of bundle.manifest.scenarios)
    for (let index = 0; index < size; index++)
      own.set(items[line++]!.item_id, { scenario: bundle.scenarios.get(id)!, index });
  for (const { id, begin, count: size } of scenarios) {
    let stand = 0;
    for (let i = begin; i < begin + size; i++) {
      const old = standing.get(matrix.items[i]!.item_id);
      if (old === undefined) continue;
      const { scenario, index } = own.get(old)!;
      stand++;
      known.is[i] = 1;
      known.b[i] = scenario.bank.b[index]!;
      for (let d = 0; d < dims; d++) known.a[i * dims + d] = scenario.bank.a[index * dims + d]!;
    }
    if (stand < LEAST_STANDING * size)
      throw new AnchorEvalError(
        "invalid_data",
        `${id}: ${stand} of its ${size} items are the base's; fewer than half carry no scale: fit anew, without --base`,
      );
  }
  return known;
}

/** Scores as they are calibrated: 0 and 1 by the base's threshold, or as they are; NaN where missing; M×N. */
function calibratedAnswers(
  { matrix, scenarios }: Omit<BankTask, "families">,
  thresholds: readonly (number | null)[],
): Float64Array {
  const count = matrix.items.length;
  const answers = new Float64Array(matrix.subjects.length * count).fill(NaN);
  scenarios.forEach(({ begin, count: size }, s) => {
    const threshold = thresholds[s] ?? null;
    for (let m = 0; m < matrix.subjects.length; m++)
      for (let i = begin; i < begin + size; i++) {
        const score = scoreAt(matrix, m, i);
        answers[m * count + i] = threshold === null || Number.isNaN(score) ? score : Number(score > threshold);
      }
  });
  return answers;
}

/** Abilities by the answers to standing items; `known` is 0 for models without any. */
function abilities(
  answers: Float64Array,
  { is, a, b }: KnownParameters,
  dims: number,
  models: number,
): { values: Float64Array; known: Uint8Array } {
  const count = is.length;
  const stand = Array.from(is.keys()).filter((i) => is[i]);
  const bank = itemBank(
    Float64Array.from(stand.flatMap((i) => Array.from(a.subarray(i * dims, (i + 1) * dims)))),
    Float64Array.from(stand, (i) => b[i]!),
  );
  const prior = standardNormal(dims);
  const values = new Float64Array(models * dims);
  const known = new Uint8Array(models);
  for (let m = 0; m < models; m++) {
    const scores = stand.map((i) => answers[m * count + i]!);
    const items = scores.flatMap((score, j) => (Number.isNaN(score) ? [] : [j]));
    if (items.length === 0) continue;
    known[m] = 1;
    values.set(mapAbility(bank, { items, scores: items.map((j) => scores[j]!) }, prior).theta, m * dims);
  }
  return { values, known };
}

/** N(0, I), the prior of abilities in every calibration. */
export function standardNormal(dims: number): AbilityPrior {
  const precision = new Float64Array(dims * dims);
  for (let d = 0; d < dims; d++) precision[d * (dims + 1)] = 1;
  return { mean: new Float64Array(dims), precision };
}

/**
 * How far an item's uncertainty pulls chances towards one half, and the variance of its mean chance among the models.
 * v = xᵀCx for x = (θ, −1).
 */
function moderation(
  { a, b, covariance }: PlacedItem,
  theta: Float64Array,
  known: Uint8Array,
): { scale: number; spread: number } {
  const dims = a.length;
  const width = dims + 1;
  let [models, mean, spread] = [0, 0, 0];
  for (let m = 0; m < known.length; m++) {
    if (!known[m]) continue;
    models++;
    const x = Float64Array.from({ length: width }, (_, d) => (d < dims ? theta[m * dims + d]! : -1));
    let variance = 0;
    for (let r = 0; r < width; r++)
      for (let c = 0; c < width; c++) variance += x[r]! * covariance[r * width + c]! * x[c]!;
    const p = chance(x.subarray(0, dims), a, b);
    mean += variance;
    spread += p * (1 - p) * Math.sqrt(variance); // of models together: errors of one item go the same way
  }
  return { scale: 1 / Math.sqrt(1 + (Math.PI / 8) * (mean / models)), spread: (spread / models) ** 2 };
}

/** Parameters drawn from an item's posterior, N((a, b), C). */
function drawnParameters({ a, b, covariance }: PlacedItem, random: RandomSource): { a: Float64Array; b: number } {
  const width = a.length + 1;
  const l = cholesky(covariance, width)!;
  const normal = Float64Array.from({ length: width }, () => random.normal());
  const shift = (row: number): number => {
    let sum = 0;
    for (let c = 0; c <= row; c++) sum += l[row * width + c]! * normal[c]!;
    return sum;
  };
  return { a: a.map((own, d) => own + shift(d)), b: b + shift(a.length) };
}

/** P = σ(a·θ − b). */
function chance(theta: FloatArray, a: FloatArray, b: number): number {
  let z = -b;
  for (let d = 0; d < a.length; d++) z += a[d]! * theta[d]!;
  return 1 / (1 + Math.exp(-z));
}

/**
 * The scores on both sides of a scenario's threshold, as means of those that were given: 0 and 1 of binary scores. A score
 * is drawn from one side or the other, such that its mean is the chance's.
 */
function scoreSides(
  matrix: ResponseMatrix,
  { begin, count }: ScenarioSlice,
  threshold: number | null,
): { score: (chance: number, random: RandomSource) => number } {
  const own = submatrix(
    matrix,
    Array.from(matrix.subjects.keys()),
    Array.from({ length: count }, (_, i) => begin + i),
  );
  const [sum, seen] = [
    [0, 0],
    [0, 0],
  ];
  own.scores.forEach((score, at) => {
    if (own.observed !== null && own.observed[at] === 0) return;
    const side = Number(score > (threshold ?? 0.5));
    sum[side]! += score;
    seen[side]! += 1;
  });
  const [below, above] = [0, 1].map((side) => (seen[side]! > 0 ? sum[side]! / seen[side]! : side)) as [number, number];
  return {
    score: (p, random) => {
      const share = threshold === null ? (p - below) / (above - below) : p;
      return random.next() < share ? above : below;
    },
  };
}
