import { csvCell } from "../../../offline-trainer/src/matrix/write-tables.ts";
import { mean, total } from "../../../offline-trainer/src/numeric/statistics.ts";
import { forecastQuality } from "./probability-scale.ts";
import type { MethodRouting, Routing } from "./route-questions.ts";

/** A share of questions answered right, with the standard error over questions. */
interface Share {
  readonly share: number;
  readonly error: number;
}

/** Picks compared with the models' actual answers. */
export type RoutingJudgement = NonNullable<ReturnType<typeof judgeRouting>>;

/**
 * Compares picks with answers to the test questions: the only place where these are used.
 * @param answers - `[i·M + m]`, 1, 0 or NaN for unknown
 * @returns null where no question has every model's answer
 */
export function judgeRouting({ models, methods, single }: Routing, answers: Float64Array) {
  const rowOf = (cells: Float64Array, i: number): Float64Array =>
    cells.subarray(i * models.length, (i + 1) * models.length);
  const questions = Array.from({ length: answers.length / models.length }, (_, i) => i);
  const complete = questions.filter((i) => !rowOf(answers, i).some(Number.isNaN));
  if (complete.length === 0) return null;
  const by = (modelOf: (i: number) => number): number[] => complete.map((i) => rowOf(answers, i)[modelOf(i)]!);
  const fixed = models.map((model, m) => ({ model, ...share(by(() => m)) }));
  const singleAnswers = by(() => single);
  const ofComplete = (cells: Float64Array): Float64Array =>
    Float64Array.from(complete.flatMap((i) => Array.from(rowOf(cells, i))));
  return {
    /** Test questions that every model answered: all figures are about these. */
    questions: complete.length,
    /** By the model that is best on the train questions, for all. */
    single: fixed[single]!,
    /** By the model that is best on these questions, in hindsight. */
    bestSingle: fixed.reduce((one, other) => (other.share > one.share ? other : one)),
    /** By any model that has it right: an upper bound of routing. */
    oracle: share(complete.map((i) => Math.max(...rowOf(answers, i)))),
    random: share(complete.map((i) => mean(rowOf(answers, i)))),
    methods: methods.map(({ method, picks, probabilities }) => {
      const right = by((i) => picks[i]!);
      return {
        method,
        right: share(right),
        /** Share right less that of `single`, questions paired. */
        gain: share(right.map((answer, k) => answer - singleAnswers[k]!)),
        quality: forecastQuality(ofComplete(probabilities), ofComplete(answers))!,
      };
    }),
  };
}

/** Mean and its standard error, √(variance/n). */
function share(values: readonly number[]): Share {
  const centre = mean(values);
  const squares = total(values.map((value) => (value - centre) ** 2));
  return { share: centre, error: Math.sqrt(squares / Math.max(1, values.length - 1) / values.length) };
}

/** Standard errors by which a difference must exceed 0 to be called one: 95 %, two-sided. */
const SURE = 1.96;

/**
 * Lines on the worth of routing: the test questions' figures where answers are known, the train questions' (each predicted
 * by the others) in any case, and whether any method beats the best single model.
 */
export function routingSummary(routing: Routing, judgement: RoutingJudgement | null): string[] {
  const { models, methods, single } = routing;
  const lines = [
    "Train questions, each predicted by the others:",
    "  method        right   Brier  log loss  calibration error, before → after scaling",
    ...methods.map(({ method, leftOut: { raw, scaled, right } }) => {
      const error = `${raw.calibrationError.toFixed(3)} → ${scaled.calibrationError.toFixed(3)}`;
      return `  ${method.padEnd(13)} ${points(right)}  ${scaled.brier.toFixed(4)}    ${scaled.logLoss.toFixed(4)}  ${error}`;
    }),
  ];
  if (judgement === null)
    return [...lines, "No answers to the test questions are known, so the worth of routing on them isn't either."];
  const { questions, oracle, random, bestSingle } = judgement;
  lines.push(
    "",
    `${questions} test questions, share answered right, in points (± standard error):`,
    `  oracle (any model)    ${shown(oracle)}`,
    ...judgement.methods.map(({ method, right, gain, quality }) => {
      const worth = `Brier ${quality.brier.toFixed(4)}, log loss ${quality.logLoss.toFixed(4)}, calibration error ${quality.calibrationError.toFixed(3)}`;
      return `  ${method.padEnd(21)} ${shown(right)}   against the single model ${signed(gain)}   ${worth}`;
    }),
    `  best single model     ${shown(judgement.single)}   ${models[single]!}, chosen on the train questions`,
  );
  if (bestSingle.model !== models[single])
    lines.push(`  best in hindsight     ${shown(bestSingle)}   ${bestSingle.model}`);
  lines.push(`  a model at random     ${shown(random)}`, "", ...verdicts(judgement));
  return lines;
}

/** A sentence on the methods that are better, one on those that aren't distinguishable, one on those that are worse. */
function verdicts({ methods }: RoutingJudgement): string[] {
  const methodsWhere = (holds: (gain: Share) => boolean): string =>
    methods.flatMap(({ method, gain }) => (holds(gain) ? [method] : [])).join(", ");
  const better = methodsWhere(({ share, error }) => share > SURE * error);
  const worse = methodsWhere(({ share, error }) => share < -SURE * error);
  const alike = methodsWhere(({ share, error }) => Math.abs(share) <= SURE * error);
  const lines = [
    better === ""
      ? "No method is significantly better than the best single model."
      : `Better than the best single model: ${better}.`,
  ];
  if (alike !== "") lines.push(`Not distinguishable from it: ${alike}.`);
  if (worse !== "") lines.push(`Worse than it: ${worse}.`);
  return lines;
}

function points(share: number): string {
  return (100 * share).toFixed(1).padStart(5);
}

function shown({ share, error }: Share): string {
  return `${points(share)} ± ${(100 * error).toFixed(1)}`;
}

function signed({ share, error }: Share): string {
  return `${share < 0 ? "−" : "+"}${Math.abs(100 * share).toFixed(2)} ± ${(100 * error).toFixed(2)}`;
}

/**
 * Routes as CSV, a row a test question: `item_id`, a column `p:MODEL` with every model's probability of a right answer,
 * `pick`, `pick_logit_error` (empty for methods without a predictive variance), `pick_right` and `best_right` (1 or 0:
 * whether the pick has it right, and whether any model has; empty where that isn't known).
 * @param answers - `[i·M + m]`, 1, 0 or NaN; null where there are none
 */
export function* routeCsv(
  { models, test }: Routing,
  { probabilities, picks, pickErrors }: MethodRouting,
  answers: Float64Array | null,
): Generator<string> {
  const header = ["item_id", ...models.map((model) => `p:${model}`), "pick", "pick_logit_error"];
  yield `${[...header, "pick_right", "best_right"].map(csvCell).join(",")}\n`;
  const width = models.length;
  for (const [i, { item_id: id }] of test.entries()) {
    const rowOf = (cells: Float64Array): number[] => Array.from(cells.subarray(i * width, (i + 1) * width));
    const truth = answers ? rowOf(answers) : [];
    const pick = picks[i]!;
    // Right where any model is; wrong where all are known to be.
    const best = truth.includes(1) ? 1 : truth.length === 0 || truth.some(Number.isNaN) ? NaN : 0;
    const cells = [
      id,
      ...rowOf(probabilities).map(decimals),
      models[pick]!,
      pickErrors ? decimals(pickErrors[i]!) : "",
      answerCell(truth[pick] ?? NaN),
      answerCell(best),
    ];
    yield `${cells.map(csvCell).join(",")}\n`;
  }
}

function answerCell(answer: number): string {
  return Number.isNaN(answer) ? "" : String(answer);
}

function decimals(value: number): string {
  return String(Number(value.toFixed(6)));
}
