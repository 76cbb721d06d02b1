import { MEMORY, MOST_TRIES } from "../../../offline-trainer/src/calibrate/lbfgs.ts";
import { type EvaluationInputs, pointLength, type RowBlocks, writeEvaluation } from "./evaluation-nodes.ts";
import type { GraphWriter } from "../../../offline-trainer/src/backends/onnx/graph-writer.ts";

/** A rise of the value that no parabola is laid through: next to it every parabola's vertex is 0. */
const MOST_RISE = 1e30;

/** Where a search begins, 0 aside: the first point is better than none, and its step leads nowhere. */
const STARTS: ReadonlyMap<string, number> = new Map([
  ["terms", Infinity],
  ["step", 1],
  ["factor", 1],
]);

/** A vector or number that one evaluation leaves to the next. */
export interface SearchState {
  readonly name: string;
  readonly shape: readonly number[];
  /** All its elements at first; `x` begins elsewhere. */
  readonly start: number;
}

/** All that one evaluation leaves to the next. */
export function searchStates(blocks: RowBlocks): SearchState[] {
  const length = pointLength(blocks);
  const shapes = {
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
  return Object.entries(shapes).map(([name, shape]) => ({ name, shape, start: STARTS.get(name) ?? 0 }));
}

/**
 * Writes one evaluation and what follows from it: a shorter step, a new pair and direction, or that the memory is
 * forgotten, chosen among by conditions. A pair whose 1/sᵀy is 0 counts for nothing: the memory is empty at first.
 * @returns whether another one follows, bool, and the next state by name
 */
export function writeSearch(g: GraphWriter, evaluation: EvaluationInputs, blocks: RowBlocks) {
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
  return { goesOn: g.either(isShort, g.not(stops)), next: new Map<string, string>(Object.entries(next)) };
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
