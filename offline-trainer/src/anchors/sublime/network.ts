import type { RandomSource } from "anchoreval/core";
import type { FeatureTable } from "./feature-table.ts";

/** One hidden layer of tanh units, trained by Adam on batches until a fifth of the rows that it doesn't see stop to gain. */
export const NETWORK = {
  hidden: 8,
  /** Adam's step and its two averages' memories. */
  step: 0.01,
  memory: [0.9, 0.999],
  /** Half the penalty on squared weights, biases aside. */
  decay: 0.003,
  batch: 32,
  epochs: 150,
  /** Epochs without a gain after which training ends. */
  patience: 15,
  heldOut: 0.2,
} as const;

const EPSILON = 1e-8;

/** A row's forward pass and gradient: f(x) = w₂·tanh(W₁x + b₁) + b₂. */
export interface Network {
  readonly width: number;
  readonly hidden: number;
  /** W₁ (hidden×width), b₁, w₂, b₂, one after the other. */
  readonly weights: Float64Array;
}

/**
 * Predictions of a network with a seed, fitted on these rows' targets. The weights of the epoch with the least squared
 * error on the held-out rows are kept.
 * @see Kingma & Ba (2015), Adam, ICLR; Glorot & Bengio (2010), AISTATS (starting weights)
 */
export function networkPredictions(table: FeatureTable, targets: Float64Array, random: RandomSource): Float64Array {
  const centre = targets.reduce((sum, target) => sum + target, 0) / targets.length;
  const spread = Math.sqrt(targets.reduce((sum, target) => sum + (target - centre) ** 2, 0) / targets.length);
  if (!(spread > 0)) return targets.slice();
  const wanted = targets.map((target) => (target - centre) / spread);
  const network = trainNetwork(table, wanted, random);
  return wanted.map((_, i) => centre + spread * forward(network, table, i, new Float64Array(network.hidden)));
}

function trainNetwork(table: FeatureTable, targets: Float64Array, random: RandomSource): Network {
  const { hidden, step, memory, decay, batch, epochs, patience, heldOut } = NETWORK;
  const rows = random.fork("held-out rows").shuffle(Array.from({ length: table.count }, (_, i) => i));
  const watched = rows.splice(0, Math.max(1, Math.round(heldOut * rows.length)));
  const network = startingNetwork(table.width, hidden, random.fork("weights"));
  const { weights } = network;
  const gradient = new Float64Array(weights.length);
  const first = new Float64Array(weights.length);
  const second = new Float64Array(weights.length);
  const order = random.fork("batches");
  let best = { loss: squaredError(network, table, targets, watched), weights: weights.slice() };
  let updates = 0;
  for (let epoch = 0, stale = 0; epoch < epochs && stale < patience; epoch++) {
    order.shuffle(rows);
    for (let begin = 0; begin < rows.length; begin += batch) {
      batchGradient(network, table, targets, rows.slice(begin, begin + batch), decay, gradient);
      updates++;
      const [slow, fast] = [1 - memory[0] ** updates, 1 - memory[1] ** updates];
      for (let p = 0; p < weights.length; p++) {
        const own = gradient[p]!;
        first[p] = memory[0] * first[p]! + (1 - memory[0]) * own;
        second[p] = memory[1] * second[p]! + (1 - memory[1]) * own * own;
        weights[p] = weights[p]! - (step * (first[p]! / slow)) / (Math.sqrt(second[p]! / fast) + EPSILON);
      }
    }
    const loss = squaredError(network, table, targets, watched);
    stale = loss < best.loss ? 0 : stale + 1;
    if (stale === 0) best = { loss, weights: weights.slice() };
  }
  return { ...network, weights: best.weights };
}

function startingNetwork(width: number, hidden: number, random: RandomSource): Network {
  const weights = new Float64Array(hidden * (width + 2) + 1);
  const inner = Math.sqrt(2 / (width + hidden));
  const outer = Math.sqrt(2 / (hidden + 1));
  for (let p = 0; p < hidden * width; p++) weights[p] = inner * random.normal();
  for (let h = 0; h < hidden; h++) weights[hidden * (width + 1) + h] = outer * random.normal();
  return { width, hidden, weights };
}

/** @param activations - of the hidden units, filled in */
function forward(
  { width, hidden, weights }: Network,
  { values }: FeatureTable,
  row: number,
  activations: Float64Array,
): number {
  const at = row * width;
  let out = weights[hidden * (width + 2)]!;
  for (let h = 0; h < hidden; h++) {
    let sum = weights[hidden * width + h]!;
    for (let f = 0; f < width; f++) sum += weights[h * width + f]! * values[at + f]!;
    activations[h] = Math.tanh(sum);
    out += weights[hidden * (width + 1) + h]! * activations[h]!;
  }
  return out;
}

/**
 * Gradient of Σ(f(x)−y)²/2n + decay·‖W‖²/2 over some rows.
 * @param gradient - filled in
 * @returns that loss
 */
export function batchGradient(
  network: Network,
  table: FeatureTable,
  targets: Float64Array,
  rows: readonly number[],
  decay: number,
  gradient: Float64Array,
): number {
  const { width, hidden, weights } = network;
  const activations = new Float64Array(hidden);
  const [innerBias, outer, last] = [hidden * width, hidden * (width + 1), hidden * (width + 2)];
  let loss = 0;
  for (let p = 0; p < weights.length; p++) {
    const isBias = p === last || (p >= innerBias && p < outer);
    gradient[p] = isBias ? 0 : decay * weights[p]!;
    if (!isBias) loss += (decay * weights[p]! ** 2) / 2;
  }
  for (const row of rows) {
    const residual = forward(network, table, row, activations) - targets[row]!;
    loss += residual ** 2 / (2 * rows.length);
    const share = residual / rows.length;
    gradient[last]! += share;
    for (let h = 0; h < hidden; h++) {
      gradient[outer + h]! += share * activations[h]!;
      const back = share * weights[outer + h]! * (1 - activations[h]! ** 2);
      gradient[innerBias + h]! += back;
      for (let f = 0; f < width; f++) gradient[h * width + f]! += back * table.values[row * width + f]!;
    }
  }
  return loss;
}

function squaredError(network: Network, table: FeatureTable, targets: Float64Array, rows: readonly number[]): number {
  const activations = new Float64Array(network.hidden);
  return rows.reduce((sum, row) => sum + (forward(network, table, row, activations) - targets[row]!) ** 2, 0);
}
