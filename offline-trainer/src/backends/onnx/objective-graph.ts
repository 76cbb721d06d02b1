import { GraphWriter } from "./graph-writer.ts";

/** Columns of a block are a multiple of this: probabilities are multiplied by as many before a logarithm is taken. */
export const COLUMN_GROUP = 32;

export interface ObjectiveGraphOptions {
  /** Models of a block. */
  readonly rows: number;
  /** Items of a block, a multiple of {@link COLUMN_GROUP}. */
  readonly columns: number;
  readonly dims: number;
  readonly type: "float32" | "float64";
  /** Responses to bake in; without them they are an input, `signs`. */
  readonly signs?: Int8Array;
  /** The gradient alone, in two thirds of the time. @default false */
  readonly slopes?: boolean;
}

/**
 * The value-and-gradient graph of the 2PL's log-likelihood, for one block of coded responses.
 *
 * The negative log-likelihood is Σ softplus(V) of {@link writeLogits}'s V, written max(V, 0) − log max(P, 1−P). The larger
 * of P and 1−P lies in [½, 1], so that {@link COLUMN_GROUP} of them are multiplied (by halving the columns five times) and
 * one logarithm serves all: logarithms are most of the time otherwise. Outputs: `excess` (N sums of max(V, 0)), `logs`
 * (N/32 sums of −log), `subjects` (M×(D+1)), `items` (N×(D+1)); the value is the sum of the first two, with log 2 too much
 * for every missing cell.
 */
export function objectiveGraph(options: ObjectiveGraphOptions): Uint8Array {
  const { rows, columns, dims, type, signs, slopes = false } = options;
  const width = dims + 1;
  const g = new GraphWriter(type);
  const X = g.input("X", [rows, width]);
  const A = g.input("A", [columns, width]);
  const { S, V, P } = writeLogits(g, X, A, writeResponses(g, [rows, columns], signs));
  if (!slopes) {
    let product = writeLarger(g, P);
    for (let group = 1; group < COLUMN_GROUP; group *= 2)
      product = g.op("Mul", g.outputs("Split", [product], 2, { axis: 1 }));
    const logs = g.op("Neg", [g.sum(g.op("Log", [product]), 0)]);
    g.result("excess", g.sum(g.op("Relu", [V]), 0), [columns]);
    g.result("logs", logs, [columns / COLUMN_GROUP]);
  }
  const { bySubject, byItem } = writeGradient(g, { S, P, X, a: A });
  g.result("subjects", bySubject, [rows, width]);
  g.result("items", byItem, [columns, width]);
  return g.encode("two-parameter-logistic value and gradient");
}

/** An input `signs`, or a part of the model where responses are at hand. */
export function writeResponses(g: GraphWriter, shape: readonly number[], signs: Int8Array | undefined): string {
  return signs ? g.constant("signs", shape, "int8", signs) : g.input("signs", shape, "int8");
}

/**
 * Writes the 2PL of a block. With X = [−θ, 1] (M×(D+1)), A = [a, b] (N×(D+1)) and the responses S ∈ {1 right, −1 wrong, 0
 * missing}: Z = X·Aᵀ, V = S∘Z is the logit against what was observed, and P = σ(V) its probability (½ where nothing was).
 * @param signs - S, int8
 */
export function writeLogits(g: GraphWriter, X: string, A: string, signs: string) {
  const Z = g.op("Gemm", [X, A], { transB: 1 });
  const S = g.cast(signs, g.type);
  const V = g.times(S, Z);
  return { S, V, P: g.op("Sigmoid", [V]) };
}

/**
 * max(P, 1−P), at least ½: the runtime's σ saturates from |V| = 17 on in float32, and the logarithm of the smaller would be
 * infinite there.
 */
export function writeLarger(g: GraphWriter, P: string): string {
  return g.op("Max", [P, g.subtract(g.number(1), P)]);
}

/** With G = S∘P: G·a and Gᵀ·X. The mask costs nothing: S = 0 puts nothing into G. @param values - `a`: A, or its columns */
export function writeGradient(g: GraphWriter, { S, P, X, a }: Readonly<Record<"S" | "P" | "X" | "a", string>>) {
  const G = g.times(S, P);
  return { bySubject: g.op("MatMul", [G, a]), byItem: g.op("Gemm", [G, X], { transA: 1 }) };
}
