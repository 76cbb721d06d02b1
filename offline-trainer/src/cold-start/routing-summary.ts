import type { RoutingJudgement, Share } from "./judge-routing.ts";
import type { Routing } from "./route-questions.ts";

/** Standard errors by which a difference must exceed 0 to be called one: 95 %, two-sided. */
const SURE = 1.96;

/**
 * What routing is worth, in lines: the test questions' figures where answers are known, the train questions' (each
 * foretold by the others) in any case, and whether any method beats the best single model.
 */
export function routingSummary(routing: Routing, judgement: RoutingJudgement | null): string[] {
  const { models, methods, single } = routing;
  const lines = [
    "Train questions, each foretold by the others:",
    "  method        right   Brier  log loss  calibration error, before → after scaling",
    ...methods.map(({ method, leftOut: { raw, scaled, right } }) => {
      const error = `${raw.calibrationError.toFixed(3)} → ${scaled.calibrationError.toFixed(3)}`;
      return `  ${method.padEnd(13)} ${points(right)}  ${scaled.brier.toFixed(4)}    ${scaled.logLoss.toFixed(4)}  ${error}`;
    }),
  ];
  if (judgement === null)
    return [...lines, "Of the test questions no answers are known: what routing is worth on them isn't either."];
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

/** One sentence for methods that are better, one for those that aren't told apart, one for those that are worse. */
function verdicts({ methods }: RoutingJudgement): string[] {
  const of = (holds: (gain: Share) => boolean): string =>
    methods.flatMap(({ method, gain }) => (holds(gain) ? [method] : [])).join(", ");
  const better = of(({ share, error }) => share > SURE * error);
  const worse = of(({ share, error }) => share < -SURE * error);
  const alike = of(({ share, error }) => Math.abs(share) <= SURE * error);
  return [
    ...(better === ""
      ? ["No method is surely better than the best single model."]
      : [`Better than the best single model: ${better}.`]),
    ...(alike === "" ? [] : [`Not told apart from it: ${alike}.`]),
    ...(worse === "" ? [] : [`Worse than it: ${worse}.`]),
  ];
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
