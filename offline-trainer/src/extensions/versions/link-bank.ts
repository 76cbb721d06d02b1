import type { BundleScenario } from "anchoreval/bundle";
import { type AbilityPrior, AnchorEvalError, itemBank, mapAbility, type RandomSource } from "anchoreval/core";
import type { ScoreLink } from "../../fit/configuration.ts";
import type { BankTask } from "../../fit/train-bank.ts";
import type { BaseBundle } from "./link-version.ts";
import { scoreAt } from "../../matrix/response-matrix.ts";
import { chance, drawnParameters, itemPriors, moderation, placeItem, scoreSides } from "./link-item.ts";

/** A bank on its base's scale: parameters of all its items, and answers for models that gave none to the placed ones. */
export interface ScaledBank {
  readonly dims: number;
  readonly link: ScoreLink;
  /** By scenario, where scores are cut as the base's were; null where they aren't. */
  readonly thresholds: readonly (number | null)[];
  /** Discriminations, N×D row-major, in the order of the bank's columns. */
  readonly a: Float64Array;
  /** Intercepts, N. */
  readonly b: Float64Array;
  /** Scores drawn where a placed item has no answer, M×N; NaN elsewhere. */
  readonly drawn: Float64Array;
  /** Scores expected in the same places. */
  readonly expected: Float64Array;
  /** By scenario: standard deviation of the mean score that is left open by where the placed items lie. A fraction. */
  readonly placementErrors: readonly number[];
}

interface ScaleInput {
  readonly base: BaseBundle;
  /** Id in the base of every item that stands, by its id now. */
  readonly standing: ReadonlyMap<string, string>;
  /** Coordinates of texts by item id, all as long; null without. */
  readonly coordinates: ReadonlyMap<string, Float64Array> | null;
}

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
  const theta = standingAbilities(answers, known, dims, models);

  const a = new Float64Array(count * dims);
  const b = new Float64Array(count);
  const drawn = new Float64Array(models * count).fill(NaN);
  const expected = new Float64Array(models * count).fill(NaN);
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
        expected[m * count + i] = sides.expected(chance(at, a.subarray(i * dims, (i + 1) * dims), b[i]));
        drawn[m * count + i] = sides.draw(chance(at, once.a, once.b), stream);
      }
    });
    return Math.sqrt(variance);
  });
  return { dims, link: links.get(task.id)!, thresholds, a, b, drawn, expected, placementErrors };
}

/** Share of a scenario's items that must stand. */
const LEAST_STANDING = 0.5;

/** Parameters of a bank's standing items. */
interface KnownParameters {
  /** 1 where an item stands. */
  readonly is: Uint8Array;
  readonly a: Float64Array;
  readonly b: Float64Array;
}

/**
 * Looks the standing items of a bank up in its base.
 * @param standing - id in the base of every item that stands, by its id now
 * @throws AnchorEvalError `invalid_data` where fewer than half of a scenario's items stand
 */
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
function standingAbilities(
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
