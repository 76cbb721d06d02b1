import { predictedScores } from "anchoreval/core";
import { DISCRIMINATION_SHRINKAGE } from "../calibrate/scales.ts";
import { isBinary, type ResponseMatrix } from "../matrix/response-matrix.ts";
import { dimsFor, SCORE_LINKS, type ScoreLink } from "./configuration.ts";
import { trainBank, type BankTask, type TrainedBank, type TrainOptions } from "./train-bank.ts";

/** Share of the observed cells that is held out. */
const HELD_OUT = 0.1;
/** Dimensions while links are compared. */
const COMPARED_DIMS = 2;
/** Answers that the pooled residual variance counts for in every item's. */
const POOLED_ANSWERS = 5;
/** Least standard deviation of a score: scores are known to no more than a percent. */
const LEAST_DEVIATION = 0.01;

/**
 * The link that scores are calibrated by: the one asked for, or by `auto` the one of highest likelihood on held-out
 * cells. A tenth of the sources' observed cells is held out at random; each candidate is calibrated on the others; a
 * held-out score is N(p̂, v̂_i·V(p̂)), p̂ its prediction, v̂_i the item's residual variance relative to the link's variance
 * function V (p̂(1−p̂) for `bernoulli`, 1 for the others), shrunk toward all items'.
 * @param rows - the source models; no other's answers are read
 */
export async function resolveLink(
  task: BankTask,
  rows: readonly number[],
  link: ScoreLink | "auto",
  options: Omit<TrainOptions, "dims" | "link" | "shrinkage">,
): Promise<ScoreLink> {
  if (link !== "auto") return link;
  if (isBinary(task.matrix)) return "binarize";
  const random = options.random.fork("link");
  const { observed, scores } = task.matrix;
  const held = new Uint8Array(scores.length);
  const kept = new Uint8Array(scores.length);
  for (const m of rows)
    for (let k = m * task.matrix.items.length; k < (m + 1) * task.matrix.items.length; k++) {
      if (observed !== null && observed[k] === 0) continue;
      if (random.next() < HELD_OUT) held[k] = 1;
      else kept[k] = 1;
    }
  const partial = { ...task, matrix: { ...task.matrix, observed: kept } };
  let best: { link: ScoreLink; likelihood: number } = { link: "binarize", likelihood: -Infinity };
  for (const candidate of SCORE_LINKS) {
    const dims = dimsFor(COMPARED_DIMS, rows.length);
    const trained = await trainBank(partial, rows, {
      ...options,
      dims,
      link: candidate,
      shrinkage: DISCRIMINATION_SHRINKAGE,
    });
    const likelihood = heldOutLikelihood(task.matrix, rows, trained, candidate, kept, held);
    if (likelihood > best.likelihood) best = { link: candidate, likelihood };
  }
  return best.link;
}

/** Sum over the held-out cells of log N(y; p̂, v̂·V(p̂)), in nats. */
function heldOutLikelihood(
  matrix: ResponseMatrix,
  rows: readonly number[],
  trained: TrainedBank,
  link: ScoreLink,
  kept: Uint8Array,
  held: Uint8Array,
): number {
  const items = matrix.items.length;
  const spread = (p: number): number => (link === "bernoulli" ? Math.max(p * (1 - p), LEAST_DEVIATION ** 2) : 1);
  const predicted = rows.map((_, k) => predictions(trained, k));
  const squares = new Float64Array(items);
  const counts = new Float64Array(items);
  rows.forEach((m, k) => {
    for (let i = 0; i < items; i++) {
      if (kept[m * items + i] === 0) continue;
      const p = predicted[k]![i]!;
      squares[i] = squares[i]! + (matrix.scores[m * items + i]! - p) ** 2 / spread(p);
      counts[i] = counts[i]! + 1;
    }
  });
  const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0);
  const pooled = sum(squares) / sum(counts);
  let likelihood = 0;
  rows.forEach((m, k) => {
    for (let i = 0; i < items; i++) {
      if (held[m * items + i] === 0) continue;
      const p = predicted[k]![i]!;
      const own = (squares[i]! + POOLED_ANSWERS * pooled) / (counts[i]! + POOLED_ANSWERS);
      const variance = Math.max(own * spread(p), LEAST_DEVIATION ** 2);
      likelihood -= 0.5 * (Math.log(2 * Math.PI * variance) + (matrix.scores[m * items + i]! - p) ** 2 / variance);
    }
  });
  return likelihood;
}

/** Predicted scores of the k-th source on all items of the bank. */
function predictions({ dims, scenarios, calibration }: TrainedBank, k: number): Float64Array {
  const theta = calibration.theta.subarray(k * dims, (k + 1) * dims);
  const all = new Float64Array(calibration.b.length);
  for (const { slice, bank, scoreMap } of scenarios) all.set(predictedScores(theta, bank, scoreMap), slice.begin);
  return all;
}
