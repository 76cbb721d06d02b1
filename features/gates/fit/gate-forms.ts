import { AnchorEvalError, invalidOption } from "anchoreval/internal/core/errors";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import type { AnchorInput, AnchorMethod } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { tiltedSamples, tiltedWeights } from "../../../offline-trainer/src/anchors/stratified.ts";
import type { FitPart } from "../../../offline-trainer/src/fit/options.ts";
import { evenForm, type FormPlan, type FormWay } from "../../../offline-trainer/src/fit/form-plans.ts";
import { scoreAt, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { logit, sigmoid } from "anchoreval/internal/core/numeric/functions";
import { mean, total } from "../../../offline-trainer/src/numeric/statistics.ts";

/** Several runs of one model: by item, how many there were, and how many of them were right. */
interface RepeatedRuns {
  readonly runs: Float64Array;
  readonly right: Float64Array;
}

/** b: how much of the leaderboard's differences of difficulty this model shares. */
const SLOPES = [0, 0.25, 0.5, 0.75, 1];

/** s: in answers, how much an item's prior counts. */
const STRENGTHS = Array.from({ length: 9 }, (_, k) => 0.1 * 2 ** k);

/** Halvings until the level a is known. */
const BISECTIONS = 40;

/**
 * Probabilities that an item is answered otherwise from one run of a model to the next, 2·E[p(1−p)], from runs of it: p of
 * item i has the prior Beta(s·m_i, s·(1−m_i)) with logit m_i = a + b·logit x_i, x_i the item's mean score among other
 * models; a makes the priors as right as the runs are, b and s have the largest likelihood of the runs (empirical Bayes:
 * where other models tell nothing of this one, b is 0). After k right of r, with A = s·m + k and B = s·(1−m) + r − k,
 * E[p(1−p)] = AB/((A + B)(A + B + 1)).
 * @param accuracy - x in [0,1], NaN where no other model has answered @param models - how many these are
 * @returns by item, in (0,½)
 * @see Griffiths (1973), Biometrics 29, 637–648; Efron & Morris (1975), JASA 70, 311–319
 */
export function flipsFromRuns({ runs, right }: RepeatedRuns, accuracy: Float64Array, models: number): Float64Array {
  const average = mean(accuracy.filter((share) => !Number.isNaN(share)));
  const easiness = accuracy.map((share) =>
    logit(((Number.isNaN(share) ? average : share) * models + 0.5) / (models + 1)),
  );
  const level = (total(right) + 0.5) / (total(runs) + 1);
  let best: Float64Array = easiness;
  let most = -Infinity;
  for (const b of SLOPES) {
    const means = leveled(
      easiness.map((x) => b * x),
      runs,
      level,
    );
    for (const s of STRENGTHS) {
      const likelihood = logLikelihood(means, s, { runs, right });
      if (likelihood <= most) continue;
      most = likelihood;
      best = expectedFlips(means, s, { runs, right });
    }
  }
  return best;
}

/** σ(a + x) with a such that their mean over the runs is `level`. */
function leveled(x: Float64Array, runs: Float64Array, level: number): Float64Array {
  const count = total(runs);
  let [low, high] = [-40, 40];
  for (let step = 0; step < BISECTIONS; step++) {
    const middle = (low + high) / 2;
    if (x.reduce((sum, item, i) => sum + runs[i]! * sigmoid(middle + item), 0) < level * count) low = middle;
    else high = middle;
  }
  return x.map((item) => sigmoid(high + item));
}

/** Beta-binomial, but for a term that depends on the runs alone. */
function logLikelihood(means: Float64Array, s: number, { runs, right }: RepeatedRuns): number {
  let sum = 0;
  means.forEach((m, i) => {
    for (let k = 0; k < right[i]!; k++) sum += Math.log(s * m + k);
    for (let k = 0; k < runs[i]! - right[i]!; k++) sum += Math.log(s * (1 - m) + k);
    for (let k = 0; k < runs[i]!; k++) sum -= Math.log(s + k);
  });
  return sum;
}

function expectedFlips(means: Float64Array, s: number, { runs, right }: RepeatedRuns): Float64Array {
  return means.map((m, i) => {
    const [a, b] = [s * m + right[i]!, s * (1 - m) + runs[i]! - right[i]!];
    return (2 * a * b) / ((a + b) * (a + b + 1));
  });
}

/** Weight of the mean over items, in models: few models say little of how the next one's noise lies. */
const SHRINKAGE = 4;

/**
 * The same from pass rates of other models, answers that are means over runs: the mean of 2p(1−p) over the models, shrunk
 * toward its mean over all items. Models whose accuracy is another flip on other items, so that this is worth far less
 * than runs of the model itself (docs/check.md has the figures).
 * @param rates - of an item, p of every model that answered it
 * @returns by item, in [0,½]; null where no answer lies between right and wrong: such answers are single runs
 */
export function flipsFromRates(rates: (item: number) => readonly number[], count: number): Float64Array | null {
  const items = Array.from({ length: count }, (_, i) => {
    const shares = rates(i);
    return { models: shares.length, flips: shares.reduce((sum, p) => sum + 2 * p * (1 - p), 0) };
  });
  const [flips, answers] = [total(items.map((item) => item.flips)), total(items.map(({ models }) => models))];
  if (flips === 0) return null;
  const average = flips / answers;
  return Float64Array.from(items, (item) => (item.flips + SHRINKAGE * average) / (item.models + SHRINKAGE));
}

/**
 * `flips`: items drawn in proportion to the square root of what they add to the noise of a drop, the variance between two
 * runs of one and the same model, 2p(1−p). Learned in each fold from what is known there: repeated runs of the model that
 * is to be gated, its knowledge ({@link flipsFromRuns}); else the source models' pass rates ({@link flipsFromRates}); and
 * where their answers are single runs, which can't tell noise from difference, the response model's p(1−p) at their
 * abilities. π is known exactly ({@link tiltedSamples}), so what is learned moves how wide intervals are, never where.
 * @see Neyman (1934), Journal of the Royal Statistical Society 97, 558–625, on drawing by standard deviations
 */
export const flips: AnchorMethod = {
  name: "flips",
  source: { module: import.meta.url, name: "flips" },
  drawn: true,
  estimator: "gate",
  prepare: (input) => {
    const { by, flips: chances } = learnedFlips(input);
    return {
      ...tiltedSamples(input, chances.map(Math.sqrt)),
      notes: () => Promise.resolve({ gateForms: { by, ...expected(input.weights, chances) } }),
    };
  },
};

/** The answers that flips were learned from. */
type FlipSource = "repeats" | "pass rates" | "response model";

/** Probabilities to flip, by item. */
function learnedFlips(input: AnchorInput): { readonly by: FlipSource; readonly flips: Float64Array } {
  const { accuracy, bank, abilities, models } = input;
  const repeats = input.knowledge as RepeatedRuns | undefined;
  if (repeats) return { by: "repeats", flips: flipsFromRuns(repeats, accuracy, models.length) };
  const rates = flipsFromRates((item) => {
    const filled = accuracy[item]! > 0 && accuracy[item]! < 1 ? accuracy[item] : NaN; // what a missing one is filled with
    return [...input.column(item)].filter((score) => score !== filled);
  }, accuracy.length);
  if (rates) return { by: "pass rates", flips: rates };
  const sums = new Float64Array(bank.count);
  for (let m = 0; m < models.length; m++)
    itemResponses(abilities.subarray(m * bank.dims, (m + 1) * bank.dims), bank).forEach((p, i) => {
      sums[i]! += (2 * p * (1 - p)) / models.length;
    });
  return { by: "response model", flips: sums };
}

/** The share of answers that flip, and a drop's variance by flips against that of as many items drawn evenly. */
function expected(weights: Float64Array, chances: Float64Array): { readonly flips: number; readonly variance: number } {
  const drawn = tiltedWeights(weights, chances.map(Math.sqrt));
  const [even, tilted] = [weights, drawn].map((by) =>
    chances.reduce((sum, flip, i) => sum + (weights[i]! ** 2 * flip) / by[i]!, 0),
  );
  return { flips: even!, variance: even! > 0 ? tilted! / even! : 1 };
}

/** Runs of the model to be gated, a row each, and the file that messages name. */
interface GateRepeats {
  readonly file: string;
  readonly matrix: ResponseMatrix;
}

/**
 * The part of a fit that adds forms `gate-N`, for checks of one model again and again.
 * @param board - the answers of the fit
 * @param sizes - items a scenario
 * @param repeats - two runs or more of the model to be gated, which flips are learned from; without, by the board's answers
 * @throws AnchorEvalError as `gateForms`
 * @example await fit(matrix, { benchmark: "quiz", version: "1.0.0", created, sizes: [50], seed: 1, backend, parts: [withGateForms(matrix, [100])] });
 */
export function withGateForms(board: ResponseMatrix, sizes: readonly number[], repeats?: GateRepeats): FitPart {
  return { stage: "gate forms", forms: gateForms(board, sizes, repeats ?? null) };
}

/**
 * Forms `gate-N` of N items a scenario, drawn as {@link flips} says.
 * @param board - the answers of the fit
 * @param repeats - runs of the model to be gated, a row each; null without
 * @throws AnchorEvalError `invalid_option` for more items than the largest scenario has; `invalid_data` for repeats that
 *   aren't two single runs or more of these items
 */
export function gateForms(
  { items }: ResponseMatrix,
  sizes: readonly number[],
  repeats: GateRepeats | null,
): FormPlan[] {
  const counts = new Map<string, number>();
  for (const { scenario } of items) counts.set(scenario, (counts.get(scenario) ?? 0) + 1);
  const largest = Math.max(...counts.values());
  for (const size of sizes)
    if (size > largest)
      throw invalidOption(`\`gateForm\` ${size} is more than there are: the largest scenario has ${largest} items`);
  const scenarios = Array.from(counts.keys(), (id) => ({ id }));
  const way: FormWay = {
    name: flips.name,
    source: flips.source,
    ...(repeats && { knowledge: runsByScenario(items, repeats) }),
  };
  return [...new Set(sizes)]
    .sort((x, y) => x - y)
    .map((size) => ({ ...evenForm(size, scenarios), id: `gate-${size}`, way }));
}

/**
 * The runs by scenario, aligned with its items.
 * @throws AnchorEvalError `invalid_data` for fewer than two runs, for items that the fit doesn't have, and for scores
 *   between 0 and 1, which a run of right or wrong doesn't have
 */
function runsByScenario(items: ResponseMatrix["items"], { file, matrix }: GateRepeats): Map<string, RepeatedRuns> {
  const refuse = (why: string): AnchorEvalError => new AnchorEvalError("invalid_data", `${file}: ${why}`);
  if (matrix.subjects.length < 2)
    throw refuse("what differs between runs of one model takes two runs or more, a row each; got 1");
  const ids = new Set(items.map(({ item_id }) => item_id));
  const unknown = matrix.items.filter(({ item_id }) => !ids.has(item_id)).map(({ item_id }) => item_id);
  if (unknown.length > 0) throw refuse(`${firstFew(unknown)}: there is no such item in \`responses\``);
  const columns = new Map(matrix.items.map(({ item_id }, column) => [item_id, column]));
  const byScenario = new Map<string, { runs: number[]; right: number[] }>();
  for (const { item_id, scenario } of items) {
    let counts = byScenario.get(scenario);
    if (!counts) byScenario.set(scenario, (counts = { runs: [], right: [] }));
    const column = columns.get(item_id);
    const scores = column === undefined ? [] : matrix.subjects.map((_, run) => scoreAt(matrix, run, column));
    const graded = scores.findIndex((score) => score > 0 && score < 1);
    if (graded >= 0)
      throw refuse(
        `run ${matrix.subjects[graded]!}, item ${item_id}: \`repeats\` takes single runs, right (1) or wrong (0), got ${scores[graded]!}`,
      );
    counts.runs.push(scores.filter((score) => !Number.isNaN(score)).length);
    counts.right.push(scores.filter((score) => score === 1).length);
  }
  const answered = [...byScenario].filter(([, { runs }]) => runs.some((count) => count > 0));
  return new Map(
    answered.map(([id, { runs, right }]) => [id, { runs: Float64Array.from(runs), right: Float64Array.from(right) }]),
  );
}
