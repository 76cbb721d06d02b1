import type { BundleScenario } from "anchoreval/bundle";
import { mapAbility } from "anchoreval/internal/core/ability/map";
import { bankOf } from "anchoreval/internal/core/bundle/bundle";
import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { itemBank } from "anchoreval/internal/core/irt/item-bank";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import type { FixedBank } from "../../../offline-trainer/src/calibrate/bank.ts";
import { standardPrior } from "../../../offline-trainer/src/calibrate/calibrate.ts";
import { type Scenario, overallScores } from "../../../offline-trainer/src/matrix/benchmark.ts";
import type { BaseBundle } from "./base.ts";
import {
  type ResponseMatrix,
  scoreAt,
  LEAST_MODELS,
  submatrix,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { chance, drawnParameters, itemPriors, moderation, linkItem, scoreSides } from "./link-item.ts";
import type { BaseManifest, BridgeManifest } from "anchoreval/internal/features/versions/core";
import type { FitSettings } from "../../../offline-trainer/src/methods/settings.ts";
import { fullScores, scenarioSlices } from "../../../offline-trainer/src/matrix/scenarios.ts";
import { TARGET_OBSERVED } from "../../../offline-trainer/src/matrix/splits.ts";

/** A scenario on its base's scale: parameters of all its items, and answers of models that gave none to the linked ones. */
export interface LinkedScenario {
  readonly fixed: FixedBank;
  /** Scores drawn where a linked item has no answer, M×N; NaN elsewhere. */
  readonly drawn: Float64Array;
  /** Scores expected in the same places. */
  readonly expected: Float64Array;
  /** Standard deviation of the mean score due to the uncertain parameters of the linked items. A fraction. */
  readonly linkingError: number;
}

interface LinkInput {
  readonly base: BaseBundle;
  /** Id in the base of every fixed item, by its id now. */
  readonly fixedIds: ReadonlyMap<string, string>;
  /** Coordinates of texts by item id, all as long; null without. */
  readonly coordinates: ReadonlyMap<string, Float64Array> | null;
}

/**
 * Links a scenario to the scale of its base: the fixed items have the base's parameters, models' abilities follow from their
 * answers to these (MAP under N(0, I), as in every calibration), and each other item is estimated from its own answers and
 * a prior from its scenario's items or its text ({@link itemPriors}). Uncertain parameters are moderated (z/√(1 + πv/8),
 * v the mean variance of z), so that chances are right on average.
 *
 * Answers that models didn't give to linked items are drawn from their chances, with the items' parameters drawn once from
 * their posterior: measurements on them vary as if they had been given (a single proper imputation).
 * @param scenario - of those that the base has
 * @throws AnchorEvalError `invalid_data` where fewer than half of its items are fixed
 * @see MacKay (1992), Neural Computation 4, 720–736 (moderated outputs); Rubin (1987), Multiple Imputation
 */
export function linkScenario(
  scenario: Omit<Scenario, "families">,
  { base, fixedIds, coordinates }: LinkInput,
  random: RandomSource,
): LinkedScenario {
  const { id, matrix } = scenario;
  const { manifest } = base.bundle;
  const { dims } = bankOf(manifest, id);
  const { threshold } = manifest.scenarios.find((described) => described.id === id)!;
  const [models, count] = [matrix.subjects.length, matrix.items.length];
  const parameters = fixedParameters(scenario, base, fixedIds, dims);
  const { isFixed, a, b } = parameters;
  const answers = calibratedAnswers(matrix, threshold);
  const theta = fixedAbilities(answers, parameters, dims, models);

  const drawn = new Float64Array(models * count).fill(NaN);
  const expected = new Float64Array(models * count).fill(NaN);
  const columns = [...matrix.items.keys()];
  const [kept, linked] = [columns.filter((i) => isFixed[i]), columns.filter((i) => !isFixed[i])];
  let variance = 0;
  if (linked.length > 0) {
    const ordered = [...kept, ...linked];
    const priors = itemPriors(
      {
        dims,
        parameters: Float64Array.from(kept.flatMap((i) => [...a.subarray(i * dims, (i + 1) * dims), b[i]!])),
        subscenarios: ordered.map((i) => matrix.items[i]!.subscenario),
        coordinates:
          coordinates &&
          Float64Array.from(ordered.flatMap((i) => Array.from(coordinates.get(matrix.items[i]!.item_id)!))),
      },
      random.fork(`texts of ${id}`),
    );
    const sides = scoreSides(matrix, threshold);
    linked.forEach((i, k) => {
      const seen = Float64Array.from({ length: models }, (_, m) =>
        theta.isMeasured[m] ? answers[m * count + i]! : NaN,
      );
      const item = linkItem(theta.values, seen, priors(kept.length + k));
      const { scale, spread } = moderation(item, theta.values, theta.isMeasured);
      for (let d = 0; d < dims; d++) a[i * dims + d] = scale * item.a[d]!;
      b[i] = scale * item.b;
      variance += scenario.weights[i]! ** 2 * spread;
      const stream = random.fork(matrix.items[i]!.item_id);
      const once = drawnParameters(item, stream);
      for (let m = 0; m < models; m++) {
        if (!theta.isMeasured[m] || !Number.isNaN(answers[m * count + i]!)) continue;
        const at = theta.values.subarray(m * dims, (m + 1) * dims);
        expected[m * count + i] = sides.expected(chance(at, a.subarray(i * dims, (i + 1) * dims), b[i]));
        drawn[m * count + i] = sides.draw(chance(at, once.a, once.b), stream);
      }
    });
  }
  const items = { isFixed: new Uint8Array(count).fill(1), a, b, prior: standardPrior(dims) };
  return { fixed: { dims, threshold, items }, drawn, expected, linkingError: Math.sqrt(variance) };
}

const LEAST_FIXED = 0.5;

/** Discriminations, N×D row-major, and intercepts of a scenario's items; zeros of those that aren't fixed. */
type FixedParameters = Pick<FixedBank["items"], "isFixed" | "a" | "b">;

/**
 * Looks up the fixed items of a scenario in its base.
 * @throws AnchorEvalError `invalid_data` where fewer than half of its items are fixed
 */
function fixedParameters(
  { id, matrix }: Pick<Scenario, "id" | "matrix">,
  { bundle, items }: BaseBundle,
  fixedIds: ReadonlyMap<string, string>,
  dims: number,
): FixedParameters {
  const count = matrix.items.length;
  const fixed = { isFixed: new Uint8Array(count), a: new Float64Array(count * dims), b: new Float64Array(count) };
  const places = new Map<string, { scenario: BundleScenario; index: number }>();
  let line = 0;
  for (const described of bundle.manifest.scenarios)
    for (let index = 0; index < described.items; index++)
      places.set(items[line++]!.item_id, { scenario: bundle.scenarios.get(described.id)!, index });
  let stay = 0;
  for (let i = 0; i < count; i++) {
    const old = fixedIds.get(matrix.items[i]!.item_id);
    if (old === undefined) continue;
    const { scenario, index } = places.get(old)!;
    stay++;
    fixed.isFixed[i] = 1;
    fixed.b[i] = scenario.bank.b[index]!;
    for (let d = 0; d < dims; d++) fixed.a[i * dims + d] = scenario.bank.a[index * dims + d]!;
  }
  if (stay < LEAST_FIXED * count)
    throw new AnchorEvalError(
      "invalid_data",
      `${id}: ${stay} of its ${count} items are the base's; a scale needs at least half: fit anew, without \`base\``,
    );
  return fixed;
}

/** Scores as they are calibrated: cut to 0 and 1 at the base's threshold, or unchanged; NaN where missing; M×N. */
function calibratedAnswers(matrix: ResponseMatrix, cut: number | null): Float64Array {
  const count = matrix.items.length;
  return Float64Array.from({ length: matrix.subjects.length * count }, (_, at) => {
    const score = scoreAt(matrix, Math.floor(at / count), at % count);
    return cut === null || Number.isNaN(score) ? score : Number(score > cut);
  });
}

/** Abilities from the answers to fixed items; `isMeasured` is 0 for models without any. */
function fixedAbilities(answers: Float64Array, { isFixed, a, b }: FixedParameters, dims: number, models: number) {
  const count = isFixed.length;
  const fixed = Array.from(isFixed.keys()).filter((i) => isFixed[i]);
  const slopes = fixed.flatMap((i) => [...a.subarray(i * dims, (i + 1) * dims)]);
  const bank = itemBank(Float64Array.from(slopes), Float64Array.from(fixed.map((i) => b[i]!)));
  const prior = standardPrior(dims);
  const values = new Float64Array(models * dims);
  const isMeasured = new Uint8Array(models);
  for (let m = 0; m < models; m++) {
    const scores = fixed.map((i) => answers[m * count + i]!);
    const items = scores.flatMap((score, j) => (Number.isNaN(score) ? [] : [j]));
    if (items.length === 0) continue;
    isMeasured[m] = 1;
    values.set(mapAbility(bank, { items, scores: items.map((j) => scores[j]!) }, prior).theta, m * dims);
  }
  return { values, isMeasured };
}

/** One scale's scores of some models in two versions, and the uncertainty of the new ones. */
interface VersionScores {
  /** Fractions; NaN where a model has none. */
  readonly older: Float64Array;
  readonly newer: Float64Array;
  /** Standard deviation common to all new scores, by the uncertain parameters of the linked items. */
  readonly linkingError: number;
}

/**
 * Linear linking from new scores to old ones: the least-squares line of the older scores on the newer, over models that
 * have both; its error combines the residuals' standard deviation and the linking error.
 * @returns null for fewer than five models, or newer scores that are all the same
 * @see Kolen & Brennan (2014), Test Equating, Scaling, and Linking, §2.4 (linear linking of the same group)
 */
export function linkScores({ older, newer, linkingError }: VersionScores): BridgeManifest | null {
  const both = Array.from(older.keys()).filter((m) => !Number.isNaN(older[m]!) && !Number.isNaN(newer[m]!));
  const mean = (valueOf: (m: number) => number): number => both.reduce((sum, m) => sum + valueOf(m), 0) / both.length;
  const [x, y] = [mean((m) => newer[m]!), mean((m) => older[m]!)];
  const spread = mean((m) => (newer[m]! - x) ** 2);
  if (both.length < LEAST_MODELS || !(spread > 0)) return null;
  const slope = mean((m) => (newer[m]! - x) * (older[m]! - y)) / spread;
  const intercept = y - slope * x;
  const residual = mean((m) => (older[m]! - intercept - slope * newer[m]!) ** 2) * (both.length / (both.length - 2));
  return { models: both.length, slope, intercept, error: Math.sqrt(residual + (slope * linkingError) ** 2) };
}

/**
 * Linking of the scores of every scenario that both versions have, and of each version's mean over its own scenarios, over
 * models whose old score is known.
 * @param expected - new scores, expected ones where none was given
 */
export function linkVersionScores(
  older: ResponseMatrix,
  { bundle: { manifest }, items }: BaseBundle,
  expected: ResponseMatrix,
  { weighting }: FitSettings,
  linkingErrors: ReadonlyMap<string, number>,
): BaseManifest["bridge"] {
  const column = new Map(older.items.map(({ item_id: id }, i) => [id, i]));
  const described = items.filter(({ item_id: id }) => column.has(id));
  const columns = described.map(({ item_id: id }) => column.get(id)!);
  const before = submatrix(older, [...older.subjects.keys()], columns);
  const oldSlices = scenarioSlices(described, manifest.weighting);
  const row = new Map(older.subjects.map((subject, m) => [subject, m]));
  const complete = (score: number, observed: number): number => (observed >= TARGET_OBSERVED ? score : NaN);
  const olderScores = new Map(
    manifest.scenarios.map(({ id, items: count }) => {
      const slice = oldSlices.find((old) => old.id === id);
      const full = slice && slice.count >= TARGET_OBSERVED * count ? fullScores(before, slice) : null;
      const scores = Float64Array.from(expected.subjects, (subject) => {
        const m = row.get(subject);
        return full && m !== undefined ? complete(full.score[m]!, full.observed[m]!) : NaN;
      });
      return [id, scores];
    }),
  );
  const newerScores = new Map(
    scenarioSlices(expected.items, weighting).map((slice) => {
      const { score, observed } = fullScores(expected, slice);
      return [slice.id, score.map((value, m) => complete(value, observed[m]!))];
    }),
  );
  const errors = [...newerScores.keys()].map((id) => linkingErrors.get(id) ?? 0);
  const overall = {
    older: overallScores([...olderScores.values()]),
    newer: overallScores([...newerScores.values()]),
    linkingError: Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0)) / errors.length,
  };
  const lines = Array.from(newerScores, ([id, newer]) => {
    const older = olderScores.get(id);
    return older ? [[id, linkScores({ older, newer, linkingError: linkingErrors.get(id)! })] as const] : [];
  });
  return { overall: linkScores(overall), scenarios: Object.fromEntries(lines.flat()) };
}
