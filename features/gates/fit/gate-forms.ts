import { AnchorEvalError } from "anchoreval/internal/core/errors";
import { itemResponses } from "anchoreval/internal/core/irt/response";
import { firstFew } from "anchoreval/internal/tables/data-issues";
import type { AnchorInput, AnchorMethod } from "../../../offline-trainer/src/anchors/anchor-method.ts";
import { tiltedSamples, tiltedWeights } from "../../../offline-trainer/src/anchors/tilted.ts";
import type { FitPart } from "../../../offline-trainer/src/fit/options.ts";
import { evenForm, type FormPlan, type FormWay } from "../../../offline-trainer/src/fit/form-plans.ts";
import { scoreAt, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { flipsFromRates, flipsFromRuns, type RepeatedRuns } from "./flip-probabilities.ts";

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
      throw new AnchorEvalError(
        "invalid_option",
        `\`gateForm\` ${size} is more than there are: the largest scenario has ${largest} items`,
      );
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
