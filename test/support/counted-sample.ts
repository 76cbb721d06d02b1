import { countedScores, type ErrorPolicy, isAnswered, meanScore } from "anchoreval/internal/logs/attempts";
import { type Cost, meanCost } from "anchoreval/internal/logs/cost";
import type { LoggedSample } from "anchoreval/internal/logs/run-log";

/** A sample as it counts. */
interface CountedSample extends Omit<LoggedSample, "attempts"> {
  /** `scored` where an attempt was answered and scored, else `failed` where one failed. */
  readonly state: "scored" | "failed" | "missing";
  readonly score: number | null;
  /** Of an item that was asked several times, what each counts; null for what doesn't. */
  readonly trials?: readonly (number | null)[];
  readonly cost?: Cost;
}

/** What a sample's attempts come to. */
export function countedSample(sample: LoggedSample, errors: ErrorPolicy = "harness"): CountedSample {
  const { attempts, ...item } = sample;
  const cost = meanCost(attempts.map((attempt) => attempt.cost));
  const failed = attempts.some(({ failure }) => failure !== undefined);
  return {
    ...item,
    state: isAnswered(sample) ? "scored" : failed ? "failed" : "missing",
    score: meanScore(countedScores(attempts, errors)),
    ...(attempts.length > 1 && { trials: attempts.map((attempt) => countedScores([attempt], errors)[0] ?? null) }),
    ...(cost && { cost }),
  };
}
