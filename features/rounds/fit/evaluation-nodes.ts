import type { GraphWriter } from "../../../offline-trainer/src/backends/onnx/graph-writer.ts";
import { writeGradient, writeLarger, writeLogits } from "../../../offline-trainer/src/backends/onnx/objective-graph.ts";

/** How a matrix lies on a device: blocks of rows, the last one padded. */
export interface RowBlocks {
  /** Models M and items N of the matrix, dimensions D. */
  readonly subjects: number;
  readonly items: number;
  readonly dims: number;
  /** Blocks K, and models R of each. */
  readonly count: number;
  readonly rows: number;
}

/** How many parameters there are: θ, M×D, and [a, b], N×(D+1). */
export function pointLength({ subjects, items, dims }: RowBlocks): number {
  return subjects * dims + items * (dims + 1);
}

/** Values outside the loop that an evaluation reads. */
export interface EvaluationInputs {
  /** S, int8: R×N, a block each; or K×R×N, which are scanned. */
  readonly signs: readonly string[];
  /** Prior of abilities: μ, D, and Σ⁻¹, D×D. */
  readonly mean: string;
  readonly precision: string;
  /** Means and variances of [a, b], D+1. */
  readonly itemMean: string;
  readonly itemVariance: string;
  /** Whether an item is free, N×1, and whether a model's answers count, M×1. */
  readonly isFree: string;
  readonly counts: string;
  /** 1 for every model, and 0 for every row of padding: M×1 and (KR−M)×(D+1). */
  readonly ones: string;
  readonly padding: string | null;
  /** Where sums over blocks begin: N, and N×(D+1). */
  readonly zeroLoss: string;
  readonly zeroItems: string;
}

/**
 * Writes the penalised negative log-likelihood of the 2PL and its gradient at a point, a 1×P vector of θ and [a, b].
 *
 * With X = [−θ, 1] and A = [a, b]: Z = X·Aᵀ = b − a·θ, V = S∘Z is the logit against what was observed, P = σ(V), and a
 * cell's loss is max(V, 0) − log max(P, 1−P), as in `objectiveGraph`: log 2 for a missing cell, whose S is 0. With G = S∘P
 * the gradients are −G·a in θ and Gᵀ·X in A, to which the priors' are added. A model that doesn't count has zeros in X: its
 * logits are 0 whatever it answered, its losses log 2, and it adds zeros to Gᵀ·X; its row of G·a is replaced by zeros.
 * @returns `terms`, N losses of items with their penalties and M penalties of models: two points are compared by the sum
 * of these terms' differences, which float32 can still tell where the sums themselves are equal; `gradient`, 1×P, 0 for fixed items
 */
export function writeEvaluation(g: GraphWriter, point: string, inputs: EvaluationInputs, blocks: RowBlocks) {
  const { subjects, items, dims } = blocks;
  const width = dims + 1;
  const length = pointLength(blocks);
  const theta = g.reshape(g.slice(point, 0, subjects * dims, 1), [subjects, dims]);
  const A = g.reshape(g.slice(point, subjects * dims, length, 1), [items, width]);
  const zero = g.number(0);
  const X = g.choose(inputs.counts, g.concat([g.op("Neg", [theta]), inputs.ones], 1), zero);
  const { loss, bySubject, byItem } = writeBlocks(g, X, A, inputs, blocks);

  const half = g.number(0.5);
  const gap = g.subtract(theta, inputs.mean);
  const slope = g.op("Gemm", [gap, inputs.precision], { transB: 1 });
  const subjectPenalty = g.times(half, g.sum(g.times(gap, slope), 1));
  const itemGap = g.subtract(A, inputs.itemMean);
  const itemSlope = g.over(itemGap, inputs.itemVariance);
  const itemPenalty = g.times(half, g.sum(g.times(itemGap, itemSlope), 1));

  const bySubjects = g.subtract(slope, g.choose(inputs.counts, bySubject, zero));
  // A sum of zeros may be −0, by the answers that don't count.
  const unsigned = g.choose(g.op("Equal", [byItem, zero]), zero, byItem);
  const byItems = g.choose(inputs.isFree, g.add(unsigned, itemSlope), zero);
  const flat = [g.reshape(bySubjects, [1, subjects * dims]), g.reshape(byItems, [1, items * width])];
  return { terms: g.concat([g.add(loss, itemPenalty), subjectPenalty], 0), gradient: g.concat(flat, 1) };
}

/** @returns losses by item, N, G·a, M×D, and Gᵀ·X, N×(D+1), summed over the blocks */
function writeBlocks(g: GraphWriter, X: string, A: string, inputs: EvaluationInputs, blocks: RowBlocks) {
  const { subjects, items, dims, count, rows } = blocks;
  const width = dims + 1;
  const a = g.slice(A, 0, dims, 1);
  const padded = inputs.padding === null ? X : g.concat([X, inputs.padding], 0);
  if (inputs.signs.length === count) {
    const parts = inputs.signs.map((signs, k) =>
      writeBlock(g, { X: count === 1 ? X : g.slice(padded, k * rows, (k + 1) * rows, 0), A, a, signs }),
    );
    const [loss, byItem] = (["loss", "byItem"] as const).map((name) => parts.map((part) => part[name]).reduce(g.add));
    const stacked =
      count === 1
        ? parts[0]!.bySubject
        : g.concat(
            parts.map((part) => part.bySubject),
            0,
          );
    return { loss: loss!, bySubject: g.slice(stacked, 0, subjects, 0), byItem: byItem! };
  }
  const inner = g.inner();
  const lossSoFar = inner.input("loss so far", [items]);
  const itemsSoFar = inner.input("items so far", [items, width]);
  const blockX = inner.input("X of block", [rows, width]);
  const block = writeBlock(inner, { X: blockX, A, a, signs: inner.input("signs of block", [rows, items], "int8") });
  inner.output(inner.add(lossSoFar, block.loss), [items]);
  inner.output(inner.add(itemsSoFar, block.byItem), [items, width]);
  inner.output(block.bySubject, [rows, dims]);
  const body = inner.repeated("a block of rows");
  const scanned = [inputs.zeroLoss, inputs.zeroItems, g.reshape(padded, [count, rows, width]), inputs.signs[0]!];
  const [loss, byItem, stacked] = g.outputs("Scan", scanned, 3, { body, num_scan_inputs: 2 });
  const bySubject = g.slice(g.reshape(stacked!, [count * rows, dims]), 0, subjects, 0);
  return { loss: loss!, bySubject, byItem: byItem! };
}

function writeBlock(g: GraphWriter, { X, A, a, signs }: Readonly<Record<"X" | "A" | "a" | "signs", string>>) {
  const { S, V, P } = writeLogits(g, X, A, signs);
  const losses = g.subtract(g.op("Relu", [V]), g.op("Log", [writeLarger(g, P)]));
  return { loss: g.sum(losses, 0), ...writeGradient(g, { S, P, X, a }) };
}
