import { type EvaluationInputs, pointLength, type RowBlocks } from "./evaluation-nodes.ts";
import { GraphWriter } from "./graph-writer.ts";
import {
  bytesOf,
  type Constant,
  encodeOnnxModel,
  type GraphValue,
} from "../../../offline-trainer/src/backends/onnx/onnx-model.ts";
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
  const responses = { name: "signs", type: "int8", shape: [count, rows, items] } as const;
  const evaluation = writeEvaluationInputs(g, blocks, [count === 1 ? g.reshape("signs", [rows, items]) : "signs"]);
  const states = searchStates(blocks, type);
  const inner = g.inner();
  const { goesOn, next } = writeSearch(inner, evaluation, blocks);
  const body = inner.repeated(
    "an evaluation and what follows",
    [{ name: "evaluation", type: "int64", shape: [] }, { name: "goes on", type: "bool", shape: [] }, ...states],
    [
      { name: inner.reshape(goesOn, []), type: "bool", shape: [] },
      ...states.map((state) => ({ ...state, name: next.get(state.name)! })),
    ],
  );
  const begin = states.map(({ name, shape, start }) =>
    name === "x" ? g.op("Identity", ["start"]) : g.filled(start, shape),
  );
  const ends = g.outputs("Loop", ["", g.truth(), ...begin], states.length, { body });
  const outputs = writeResults(g, blocks, (name) => ends[states.findIndex((state) => state.name === name)]!);
  return encodeOnnxModel({
    name: "two-parameter logistic calibration",
    inputs: [
      ...(signs ? [] : [responses]),
      { name: "start", type, shape: [1, pointLength(blocks)] },
      ...roundInputs(blocks, type),
    ],
    outputs,
    constants: [...(signs ? [{ ...responses, data: bytesOf(signs) }] : []), ...g.constants],
    nodes: g.nodes,
  });
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
  const baked = Array.from({ length: count }, (_, k): Constant => {
    const data = bytesOf(signs.subarray(k * rows * items, (k + 1) * rows * items));
    return { name: `signs ${k}`, type: "int8", shape: [rows, items], data };
  });
  const answers = baked.map(({ name }) => name);
  const states = searchStates(blocks, type);
  const { goesOn, next } = writeSearch(g, writeEvaluationInputs(g, blocks, answers), blocks);
  const left = [
    ...states.map(({ name }) => [`next ${name}`, next.get(name)!] as const),
    ["goesOn", g.cast(goesOn, type)] as const,
  ];
  for (const [name, value] of left) g.nodes.push({ op: "Identity", inputs: [value], outputs: [name] });
  return encodeOnnxModel({
    name: "a step of two-parameter logistic calibration",
    inputs: [...roundInputs(blocks, type), ...states],
    outputs: [
      ...states.map(({ name, shape }) => ({ name: `next ${name}`, type, shape })),
      { name: "goesOn", type, shape: [1] },
    ],
    constants: [...baked, ...g.constants],
    nodes: g.nodes,
  });
}

/** The results of a round, from the last step's state: outputs of {@link lbfgsGraph}, for {@link lbfgsStepGraph}. */
export function lbfgsEndGraph({ type, ...blocks }: RowBlocks & Pick<LbfgsGraphOptions, "type">): Uint8Array {
  const g = new GraphWriter(type);
  const outputs = writeResults(g, blocks, (name) => name);
  const states = searchStates(blocks, type).filter(({ name }) => END_STATES.includes(name));
  return encodeOnnxModel({
    name: "the end of two-parameter logistic calibration",
    inputs: [...states, { name: "silence", type, shape: [1] }],
    outputs,
    constants: g.constants,
    nodes: g.nodes,
  });
}

/** The states that results are made of. */
export const END_STATES: readonly string[] = ["x", "terms", "gradient", "evaluations", "converged"];

/** Inputs of a round, beside where it begins. */
function roundInputs(blocks: RowBlocks, type: GraphWriter["type"]): GraphValue[] {
  const { subjects, items, dims } = blocks;
  return [
    { name: "scaling", type, shape: [1, pointLength(blocks)] },
    { name: "mean", type, shape: [dims] },
    { name: "precision", type, shape: [dims, dims] },
    { name: "itemMean", type, shape: [dims + 1] },
    { name: "itemVariance", type, shape: [dims + 1] },
    { name: "isFree", type: "bool", shape: [items, 1] },
    { name: "counts", type: "bool", shape: [subjects, 1] },
    ...["silence", "tolerance", "maxEvaluations"].map((name) => ({ name, type, shape: [1] })),
  ];
}

/** @param end - the value of a state at the end */
function writeResults(g: GraphWriter, blocks: RowBlocks, end: (state: string) => string): GraphValue[] {
  const results = {
    point: end("x"),
    value: g.subtract(g.total(end("terms")), "silence"),
    gradientNorm: g.op("Sqrt", [g.sum(g.times(end("gradient"), end("gradient")), 1)]),
    spent: end("evaluations"),
    hasConverged: end("converged"),
  };
  return Object.entries(results).map(([name, value]) => {
    g.nodes.push({ op: "Identity", inputs: [value], outputs: [name] });
    return { name, type: g.type, shape: name === "point" ? [1, pointLength(blocks)] : [1] };
  });
}

/** The values that evaluations read, the round's inputs among them. */
function writeEvaluationInputs(g: GraphWriter, blocks: RowBlocks, signs: readonly string[]): EvaluationInputs {
  const { subjects, items, dims, count, rows } = blocks;
  const padding = count * rows - subjects;
  return {
    signs,
    mean: "mean",
    precision: "precision",
    itemMean: "itemMean",
    itemVariance: "itemVariance",
    isFree: "isFree",
    counts: "counts",
    ones: g.filled(1, [subjects, 1]),
    padding: padding > 0 ? g.filled(0, [padding, dims + 1]) : null,
    zeroLoss: g.filled(0, [items]),
    zeroItems: g.filled(0, [items, dims + 1]),
  };
}
