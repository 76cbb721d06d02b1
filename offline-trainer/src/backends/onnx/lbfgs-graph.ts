import { MEMORY, MOST_TRIES } from "../../calibrate/lbfgs.ts";
import { type EvaluationInputs, pointLength, type RowBlocks, writeEvaluation } from "./evaluation-nodes.ts";
import { GraphWriter } from "./graph-writer.ts";
import { bytesOf, encodeOnnxModel, type GraphValue } from "./onnx-model.ts";

export interface LbfgsGraphOptions extends RowBlocks {
  readonly type: "float32" | "float64";
  /** K×R×N responses to bake in; without them they are an input, `signs`. */
  readonly signs?: Int8Array;
}

/**
 * A round of `calibrate` as one graph: `minimizeLbfgs` over the penalised objective, step by step the same. One turn of
 * its Loop is one evaluation; what follows from it, a shorter step, a new pair and direction, or that the memory is
 * forgotten, is chosen among by conditions. A pair whose 1/sᵀy is 0 counts for nothing: the memory is empty at first.
 *
 * Inputs: `start` and `scaling` (1×P: θ, then [a, b] item by item), `mean` (D), `precision` (D×D), `itemMean` and
 * `itemVariance` (D+1: of [a, b]), `isFree` (N×1), `counts` (K×R×1: whose answers count), `silence` (1: log 2 for every
 * cell without an answer that counts), `tolerance` and `maxEvaluations` (1). Outputs: `point` (1×P), and one number each:
 * `value`, `gradientNorm`, `spent` evaluations, and `hasConverged`, 0 or 1.
 */
export function lbfgsGraph({ type, signs, ...blocks }: LbfgsGraphOptions): Uint8Array {
  const { items, dims, count, rows } = blocks;
  const length = pointLength(blocks);
  const g = new GraphWriter(type);
  const number = (name: string): GraphValue => ({ name, type, shape: [1] });
  const point = (name: string): GraphValue => ({ name, type, shape: [1, length] });
  const responses = { name: "signs", type: "int8", shape: [count, rows, items] } as const;
  const inputs: GraphValue[] = [
    ...(signs ? [] : [responses]),
    point("start"),
    point("scaling"),
    { name: "mean", type, shape: [dims] },
    { name: "precision", type, shape: [dims, dims] },
    { name: "itemMean", type, shape: [dims + 1] },
    { name: "itemVariance", type, shape: [dims + 1] },
    { name: "isFree", type: "bool", shape: [items, 1] },
    { name: "counts", type: "bool", shape: [count, rows, 1] },
    ...["silence", "tolerance", "maxEvaluations"].map(number),
  ];
  const evaluation = writeEvaluationInputs(g, blocks);
  const states = searchStates(blocks, type);
  const inner = g.inner();
  const { goOn, next } = writeSearch(inner, evaluation, blocks);
  const body = inner.repeated(
    "an evaluation and what follows",
    [{ name: "evaluation", type: "int64", shape: [] }, { name: "goes on", type: "bool", shape: [] }, ...states],
    [{ name: goOn, type: "bool", shape: [] }, ...states.map((state) => ({ ...state, name: next.get(state.name)! }))],
  );
  const starts = new Map([
    ["x", g.op("Identity", ["start"])],
    ["terms", g.filled(Infinity, [items + blocks.subjects])], // the first point is better than none
    ["step", g.number(1)],
    ["factor", g.number(1)],
  ]);
  const begin = states.map(({ name, shape }) => starts.get(name) ?? g.filled(0, shape));
  const ends = g.outputs("Loop", ["", g.truth(), ...begin], states.length, { body });
  const end = (name: string): string => ends[states.findIndex((state) => state.name === name)]!;
  const results = {
    point: end("x"),
    value: g.subtract(g.total(end("terms")), "silence"),
    gradientNorm: g.op("Sqrt", [g.sum(g.times(end("gradient"), end("gradient")), 1)]),
    spent: end("evaluations"),
    hasConverged: end("converged"),
  };
  const outputs = Object.entries(results).map(([name, value]) => {
    g.nodes.push({ op: "Identity", inputs: [value], outputs: [name] });
    return name === "point" ? point(name) : number(name);
  });
  return encodeOnnxModel({
    name: "two-parameter logistic calibration",
    inputs,
    outputs,
    constants: [...(signs ? [{ ...responses, data: bytesOf(signs) }] : []), ...g.constants],
    nodes: g.nodes,
  });
}

/** A rise of the value that no parabola is laid through: next to it every parabola's vertex is 0. */
const MOST_RISE = 1e30;

/** What one evaluation leaves to the next. */
function searchStates(blocks: RowBlocks, type: GraphWriter["type"]): GraphValue[] {
  const length = pointLength(blocks);
  const shapes: Readonly<Record<string, readonly number[]>> = {
    x: [1, length],
    gradient: [1, length],
    terms: [blocks.items + blocks.subjects],
    direction: [1, length],
    slope: [1],
    step: [1],
    tries: [1],
    S: [MEMORY, length],
    Y: [MEMORY, length],
    rho: [MEMORY],
    factor: [1],
    small: [1],
    evaluations: [1],
    converged: [1],
  };
  return Object.entries(shapes).map(([name, shape]) => ({ name, type, shape }));
}

/** What evaluations read, made once: the answers of rows that don't count are gone before anything is computed. */
function writeEvaluationInputs(g: GraphWriter, blocks: RowBlocks): EvaluationInputs {
  const { subjects, items, dims, count, rows } = blocks;
  const counted = (w: GraphWriter, signs: string, counts: string): string => {
    const zero = w.cast(w.number(0), "float32");
    return w.cast(w.choose(counts, w.cast(signs, "float32"), zero), "int8");
  };
  const whole = (): string => counted(g, g.reshape("signs", [rows, items]), g.reshape("counts", [rows, 1]));
  const scanned = (): string => {
    const inner = g.inner();
    const name = counted(inner, "answers of block", "counts of block");
    const body = inner.repeated(
      "answers that count",
      [
        { name: "answers of block", type: "int8", shape: [rows, items] },
        { name: "counts of block", type: "bool", shape: [rows, 1] },
      ],
      [{ name, type: "int8", shape: [rows, items] }],
    );
    return g.outputs("Scan", ["signs", "counts"], 1, { body, num_scan_inputs: 2 })[0]!;
  };
  const padding = count * rows - subjects;
  return {
    signs: count === 1 ? whole() : scanned(),
    mean: "mean",
    precision: "precision",
    itemMean: "itemMean",
    itemVariance: "itemVariance",
    isFree: "isFree",
    ones: g.filled(1, [subjects, 1]),
    padding: padding > 0 ? g.filled(0, [padding, dims + 1]) : null,
    zeroLoss: g.filled(0, [items]),
    zeroItems: g.filled(0, [items, dims + 1]),
  };
}

/**
 * One evaluation and what follows from it.
 * @returns whether another one follows, and the next state by name
 */
function writeSearch(g: GraphWriter, evaluation: EvaluationInputs, blocks: RowBlocks) {
  const [zero, one] = [g.number(0), g.number(1)];
  const dot = (left: string, right: string): string => g.sum(g.times(left, right), 1);
  const trial = g.add("x", g.times("step", "direction"));
  const { terms, gradient } = writeEvaluation(g, trial, evaluation, blocks);
  const rise = g.total(g.subtract(terms, "terms"));
  const evaluations = g.add("evaluations", one);
  const tries = g.add("tries", one);
  const isLeft = g.isLess(evaluations, "maxEvaluations");

  // Armijo's condition; a shorter step by the parabola through both values and the slope.
  const isAccepted = g.op("LessOrEqual", [rise, g.times(g.times(g.number(1e-4), "step"), "slope")]);
  const isShort = g.both(g.both(g.not(isAccepted), isLeft), g.isLess(tries, g.number(MOST_TRIES)));
  const hasFailed = g.both(g.not(isAccepted), g.not(isShort));
  const fall = g.times("slope", "step");
  const vertex = g.over(g.op("Neg", [g.times(fall, "step")]), g.times(g.number(2), g.subtract(rise, fall)));
  const isFinite = g.isLess(g.op("Abs", [rise]), g.number(MOST_RISE));
  const least = g.op("Max", [g.times(g.number(0.1), "step"), g.choose(isFinite, vertex, zero)]);
  const shorter = g.op("Min", [g.times(g.number(0.5), "step"), least]);

  // The pair of an accepted step. Where it's none the oldest makes room all the same, as in `CurvaturePairs`.
  const s = g.subtract(trial, "x");
  const y = g.subtract(gradient, "gradient");
  const sy = dot(s, y);
  const isPair = g.both(isAccepted, g.op("Greater", [sy, g.times(g.number(1e-12), dot(y, y))]));
  const pushed = (memory: string, newest: string): string =>
    g.choose(isPair, g.concat([g.slice(memory, 1, MEMORY, 0), newest], 0), memory);
  const S = pushed("S", s);
  const Y = pushed("Y", y);
  const newest = g.over(one, sy);
  const others = g.slice("rho", 1, MEMORY, 0);
  const roomy = g.choose(isAccepted, g.concat([zero, others], 0), g.choose(hasFailed, zero, "rho"));
  const kept = g.choose(isPair, g.concat([others, newest], 0), roomy);
  const yDy = dot(y, g.over(y, "scaling"));
  const adapted = g.choose(isPair, g.over(one, g.times(newest, yDy)), g.choose(hasFailed, one, "factor"));

  const value = g.subtract(g.total(terms), "silence");
  const isSmall = g.op("LessOrEqual", [g.op("Neg", [rise]), g.times("tolerance", g.op("Abs", [value]))]);
  const small = g.choose(isAccepted, g.choose(isSmall, g.add("small", one), zero), "small");
  const nextGradient = g.choose(isAccepted, gradient, "gradient");

  // The next direction, or the scaled gradient where that isn't downhill.
  const turned = writeDirection(g, { gradient: nextGradient, S, Y, rho: kept, factor: adapted });
  const steepest = g.op("Neg", [g.over(nextGradient, "scaling")]);
  const misleads = g.not(g.isLess(dot(turned, nextGradient), zero));
  const isTop = g.not(g.isLess(dot(steepest, nextGradient), zero));
  const isCleared = g.both(misleads, g.not(isShort));
  const direction = g.choose(isShort, "direction", g.choose(misleads, steepest, turned));

  // How it ends: twice next to no gain, no step although the memory is empty, no gradient, no evaluation left.
  const isDone = g.not(g.isLess(small, g.number(2)));
  const gaveUp = g.both(hasFailed, g.not(g.op("Greater", [g.total("rho"), zero])));
  const isFlat = g.both(g.both(g.both(misleads, isTop), isLeft), g.not(g.either(isShort, gaveUp)));
  const wasClose = g.both(gaveUp, g.op("Greater", [small, zero]));
  const hasConverged = g.either(g.either(isDone, wasClose), isFlat);
  const stops = g.either(g.either(hasConverged, gaveUp), g.not(isLeft));
  const next = {
    x: g.choose(isAccepted, trial, "x"),
    gradient: nextGradient,
    terms: g.choose(isAccepted, terms, "terms"),
    direction,
    slope: dot(direction, nextGradient),
    step: g.choose(isShort, shorter, one),
    tries: g.choose(isShort, tries, zero),
    S,
    Y,
    rho: g.choose(isCleared, zero, kept),
    factor: g.choose(isCleared, one, adapted),
    small,
    evaluations,
    converged: g.choose(hasConverged, one, zero),
  };
  return { goOn: g.reshape(g.either(isShort, g.not(stops)), []), next: new Map<string, string>(Object.entries(next)) };
}

/** The two-loop recursion. @see CurvaturePairs.turn */
function writeDirection(
  g: GraphWriter,
  { gradient, S, Y, rho, factor }: Readonly<Record<"gradient" | "S" | "Y" | "rho" | "factor", string>>,
): string {
  const split = (value: string): string[] => g.outputs("Split", [value], MEMORY, { axis: 0 });
  const [s, y, weights] = [split(S), split(Y), split(rho)];
  const alphas: string[] = [];
  let direction = g.op("Neg", [gradient]);
  for (let p = MEMORY - 1; p >= 0; p--) {
    alphas[p] = g.times(weights[p]!, g.sum(g.times(s[p]!, direction), 1));
    direction = g.subtract(direction, g.times(alphas[p]!, y[p]!));
  }
  direction = g.over(g.times(factor, direction), "scaling");
  for (let p = 0; p < MEMORY; p++) {
    const beta = g.times(weights[p]!, g.sum(g.times(y[p]!, direction), 1));
    direction = g.add(direction, g.times(g.subtract(alphas[p]!, beta), s[p]!));
  }
  return direction;
}
