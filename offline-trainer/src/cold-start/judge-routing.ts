import { forecastQuality, type ForecastQuality } from "./forecast-quality.ts";
import type { Routing } from "./route-questions.ts";
import type { RouteMethod } from "./types.ts";

/** A share of questions answered right, with the standard error over questions. */
export interface Share {
  readonly share: number;
  readonly error: number;
}

/** Picks against what the models really answered. */
export interface RoutingJudgement {
  /** Test questions that every model answered: all figures are of these. */
  readonly questions: number;
  /** By the model that is best on the train questions, for all. */
  readonly single: Share & { readonly model: string };
  /** By the model that is best on these questions, in hindsight. */
  readonly bestSingle: Share & { readonly model: string };
  /** By any model that has it right: no routing gets more. */
  readonly oracle: Share;
  /** By a model drawn at random. */
  readonly random: Share;
  readonly methods: readonly {
    readonly method: RouteMethod;
    readonly right: Share;
    /** Share right less that of `single`, questions paired. */
    readonly gain: Share;
    readonly quality: ForecastQuality;
  }[];
}

/**
 * Compares picks with answers to the test questions: the only place where those are looked at.
 * @param answers - `[i·M + m]`, 1, 0 or NaN for unknown
 * @returns null where no question has every model's answer
 */
export function judgeRouting({ models, methods, single }: Routing, answers: Float64Array): RoutingJudgement | null {
  const width = models.length;
  const known = Array.from({ length: answers.length / width }, (_, i) => i).filter(
    (i) => !answers.subarray(i * width, (i + 1) * width).some(Number.isNaN),
  );
  if (known.length === 0) return null;
  const by = (modelOf: (i: number) => number): number[] => known.map((i) => answers[i * width + modelOf(i)]!);
  const fixed = models.map((model, m) => ({ model, ...share(by(() => m)) }));
  const own = by(() => single);
  const row = (i: number): number[] => Array.from(answers.subarray(i * width, (i + 1) * width));
  const ofKnown = (cells: Float64Array): Float64Array =>
    Float64Array.from(known.flatMap((i) => Array.from(cells.subarray(i * width, (i + 1) * width))));
  return {
    questions: known.length,
    single: fixed[single]!,
    bestSingle: fixed.reduce((one, other) => (other.share > one.share ? other : one)),
    oracle: share(known.map((i) => Math.max(...row(i)))),
    random: share(known.map((i) => row(i).reduce((sum, answer) => sum + answer, 0) / width)),
    methods: methods.map(({ method, picks, probabilities }) => {
      const right = by((i) => picks[i]!);
      return {
        method,
        right: share(right),
        gain: share(right.map((answer, k) => answer - own[k]!)),
        quality: forecastQuality(ofKnown(probabilities), ofKnown(answers))!,
      };
    }),
  };
}

/** Mean and its standard error, √(variance/n). */
function share(values: readonly number[]): Share {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { share: mean, error: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) };
}
