import { GraphWriter } from "../../../offline-trainer/src/backends/onnx/graph-writer.ts";
import { writeResponses } from "../../../offline-trainer/src/backends/onnx/objective-graph.ts";
import { type EvaluationInputs, pointLength, type RowBlocks } from "./evaluation-nodes.ts";
import { searchStates, writeSearch } from "./search-nodes.ts";

export interface LbfgsGraphOptions extends RowBlocks {
  readonly type: "float32" | "float64";
  /** K×R×N responses to bake in; without them they are an input, `signs`. */
  readonly signs?: Int8Array;
}

/**
 * A round of `calibrate` as one graph: `minimizeLbfgs` over the penalised objective, step by step the same. One turn of its
 * Loop is one evaluation and what follows from it.
 *
 * Inputs: `start` and `scaling` (1×P: θ, then [a, b] item by item), `mean` (D), `precision` (D×D), `itemMean` and
 * `itemVariance` (D+1: of [a, b]), `isFree` (N×1), `counts` (M×1: whose answers count), `silence` (1: log 2 for every
 * cell without an answer that counts), `tolerance` and `maxEvaluations` (1). Outputs: `point` (1×P), and one number each:
 * `value`, `gradientNorm`, `spent` evaluations, and `hasConverged`, 0 or 1.
 */
export function lbfgsGraph({ type, signs, ...blocks }: LbfgsGraphOptions): Uint8Array {
  const { items, count, rows } = blocks;
  const g = new GraphWriter(type);
  const responses = writeResponses(g, [count, rows, items], signs);
  const start = g.input("start", [1, pointLength(blocks)]);
  const evaluation = writeInputs(g, blocks, [count === 1 ? g.reshape(responses, [rows, items]) : responses]);
  const states = searchStates(blocks);
  const inner = g.inner();
  inner.input("evaluation", [], "int64");
  inner.input("goes on", [], "bool");
  for (const { name, shape } of states) inner.input(name, shape);
  const { goesOn, next } = writeSearch(inner, evaluation, blocks);
  inner.output(inner.reshape(goesOn, []), [], "bool");
  for (const { name, shape } of states) inner.output(next.get(name)!, shape);
  const begin = states.map((state) =>
    state.name === "x" ? g.op("Identity", [start]) : g.filled(state.start, state.shape),
  );
  const body = inner.repeated("an evaluation and what follows");
  const goes = g.constant("true", [], "bool", Uint8Array.of(1));
  const ends = g.outputs("Loop", ["", goes, ...begin], states.length, { body });
  writeResults(g, blocks, (name) => ends[states.findIndex((state) => state.name === name)]!);
  return g.encode("two-parameter logistic calibration");
}

/**
 * One turn of {@link lbfgsGraph}'s Loop, for devices that have none: what an evaluation leaves to the next are inputs
 * (`searchStates`) and outputs (`next` and the state's name), beside `goesOn`, 0 or 1. Blocks are written one after the other:
 * WebGPU has no Scan either.
 */
export function lbfgsStepGraph({
  type,
  signs,
  ...blocks
}: LbfgsGraphOptions & { readonly signs: Int8Array }): Uint8Array {
  const { items, count, rows } = blocks;
  const g = new GraphWriter(type);
  const cells = rows * items;
  const responses = Array.from({ length: count }, (_, k) =>
    g.constant(`signs ${k}`, [rows, items], "int8", signs.subarray(k * cells, (k + 1) * cells)),
  );
  const states = searchStates(blocks);
  for (const { name, shape } of states) g.input(name, shape);
  const { goesOn, next } = writeSearch(g, writeInputs(g, blocks, responses), blocks);
  const flag = g.cast(goesOn, type);
  for (const { name, shape } of states) g.result(`next ${name}`, next.get(name)!, shape);
  g.result("goesOn", flag, [1]);
  return g.encode("a step of two-parameter logistic calibration");
}

/** The results of a round, from the last step's state: outputs of {@link lbfgsGraph}, for {@link lbfgsStepGraph}. */
export function lbfgsEndGraph({ type, ...blocks }: RowBlocks & Pick<LbfgsGraphOptions, "type">): Uint8Array {
  const g = new GraphWriter(type);
  for (const { name, shape } of searchStates(blocks)) if (END_STATES.includes(name)) g.input(name, shape);
  g.input("silence", [1]);
  writeResults(g, blocks, (name) => name);
  return g.encode("the end of two-parameter logistic calibration");
}

/** The states that results are made of. */
export const END_STATES: readonly string[] = ["x", "terms", "gradient", "evaluations", "converged"];

/** @param end - the value of a state at the end */
function writeResults(g: GraphWriter, blocks: RowBlocks, end: (state: string) => string): void {
  g.result("point", end("x"), [1, pointLength(blocks)]);
  g.result("value", g.subtract(g.total(end("terms")), "silence"), [1]);
  g.result("gradientNorm", g.op("Sqrt", [g.sum(g.times(end("gradient"), end("gradient")), 1)]), [1]);
  g.result("spent", end("evaluations"), [1]);
  g.result("hasConverged", end("converged"), [1]);
}

/** Inputs of a round, beside where it begins. @returns what evaluations read */
function writeInputs(g: GraphWriter, blocks: RowBlocks, signs: readonly string[]): EvaluationInputs {
  const { subjects, items, dims, count, rows } = blocks;
  g.input("scaling", [1, pointLength(blocks)]);
  for (const name of ["silence", "tolerance", "maxEvaluations"]) g.input(name, [1]);
  const padding = count * rows - subjects;
  return {
    signs,
    mean: g.input("mean", [dims]),
    precision: g.input("precision", [dims, dims]),
    itemMean: g.input("itemMean", [dims + 1]),
    itemVariance: g.input("itemVariance", [dims + 1]),
    isFree: g.input("isFree", [items, 1], "bool"),
    counts: g.input("counts", [subjects, 1], "bool"),
    ones: g.filled(1, [subjects, 1]),
    padding: padding > 0 ? g.filled(0, [padding, dims + 1]) : null,
    zeroLoss: g.filled(0, [items]),
    zeroItems: g.filled(0, [items, dims + 1]),
  };
}
