import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";
import { partOf } from "../../../sdk/core/bundle/part.ts";
import { invalidOption } from "../../../sdk/core/errors.ts";
import { clamp } from "../../../sdk/core/estimators/answered-sample.ts";
import { satterthwaite } from "../../../sdk/core/inference/sampling-variance.ts";
import { normalQuantile, studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { logitScore, logitSlope, scoreLogit } from "../../unasked/sdk/predict-scenarios.ts";
import type { Remark } from "../../../sdk/estimate/door.ts";
import type { Estimate, Integer, Interval, PassInterval, ScenarioResult } from "../../../sdk/estimate/types.ts";
import { firstFew } from "../../../sdk/tables/data-issues.ts";
import { type KnownLine, knownScoresPlace } from "../core.ts";

/** A score by a model's answers and by its score on another benchmark together. Scores are fractions in [0,1]. */
export interface KnownScored {
  /** The benchmark whose score is used: of several, the one that leaves the least open. */
  readonly by: string;
  readonly score: number;
  readonly interval: PassInterval;
  /** The score that the known one alone predicts. */
  readonly predicted: number;
  /** Standard deviation of its error. */
  readonly deviation: number;
  /** The part that the known score has in `score`, in [0,1]. */
  readonly share: number;
  /** Source models that tell how both scores go together. */
  readonly models: Integer;
  /** `contradicted`: the answers say something else than the known score, beyond chance. They alone count. */
  readonly status: "combined" | "contradicted";
}

/** Scores with a model's scores on other benchmarks. */
export interface KnownScores {
  /** Null where there is no score by the answers, no interval, or no line. */
  readonly overall: KnownScored | null;
  readonly scenarios: Readonly<Record<string, KnownScored | null>>;
}

/** Chance that answers contradict a known score that is right. Chosen, not measured. */
const CONTRADICTED = 0.01;

/** Least chance of being inside the range seen that a known score's deviation is divided by. Chosen, not measured. */
const LEAST_INSIDE = 0.01;

/**
 * Scores by the answers and by scores on other benchmarks together, where such are given. The known score counts by as much less
 * as the model may lie outside the range of the source models: a line says little of what nobody has seen.
 */
export const knownScoreRemark: Remark<
  {
    /** The model's scores on other benchmarks, fractions in [0,1], by the names that the bundle has them under. */
    readonly knownScores?: Readonly<Record<string, number>>;
  },
  object,
  { readonly withKnownScores: KnownScores }
> = {
  options: { knownScores: true },
  beside: (bundle, _, result, { knownScores }) => {
    if (knownScores === undefined) return null;
    if ("metric" in result) throw invalidOption("known scores are of mean scores: they don't go with `metric`");
    const estimate = result as Estimate;
    const lines = askedLines(bundle, knownScores);
    const of = (
      scored: Pick<ScenarioResult, "score" | "interval">,
      scenarios: readonly ScenarioResult[],
      lineOf: (noted: (typeof lines)[number]["noted"]) => KnownLine | null,
    ): KnownScored | null => {
      const { score, interval } = scored;
      if (score === null || interval === null) return null;
      const candidates = lines.flatMap(({ name, x, noted }) => {
        const line = lineOf(noted);
        return line ? [{ by: name, models: line.models, ...predictScore(line, x) }] : [];
      });
      const [best] = candidates.sort((a, b) => a.deviation - b.deviation);
      const outside = Math.max(...scenarios.map(({ details }) => (details ? details.outside.above + details.outside.below : 0))); // prettier-ignore
      return best
        ? combine(score, interval, { ...best, deviation: best.deviation / Math.max(LEAST_INSIDE, 1 - outside) })
        : null;
    };
    return {
      withKnownScores: {
        overall: of(estimate, Object.values(estimate.scenarios), ({ overall }) => overall),
        scenarios: Object.fromEntries(
          Object.entries(estimate.scenarios).map(([id, scenario]) => [
            id,
            of(scenario, [scenario], ({ scenarios }) => lookUp(scenarios, id) ?? null),
          ]),
        ),
      },
    };
  },
};

function askedLines({ manifest }: Pick<Bundle, "manifest">, knownScores: unknown) {
  const noted = partOf(manifest, knownScoresPlace);
  if (noted === null)
    throw invalidOption(
      "a known score needs a bundle that was fitted with its models' scores on other benchmarks, and this one wasn't",
    );
  if (typeof knownScores !== "object" || knownScores === null || Object.keys(knownScores).length === 0)
    throw invalidOption(`known scores are a score by benchmark: ${firstFew(Object.keys(noted))}`);
  return Object.entries(knownScores as Readonly<Record<string, unknown>>).map(([name, x]) => {
    const lines = lookUp(noted, name);
    if (lines === undefined)
      throw invalidOption(`no score on ${name} is known of the bundle's models: there is ${firstFew(Object.keys(noted))}`); // prettier-ignore
    if (typeof x !== "number" || !(x >= 0 && x <= 1))
      throw invalidOption(`a known score is a fraction in [0,1]; got ${String(x)} for ${name}`);
    return { name, x, noted: lines };
  });
}

/**
 * The full score that a known score x predicts, of φ̂ = α + β·φ(x), and the standard deviation of its error,
 * s·√(1 + 1/M + (φ(x) − mean)²/spread)/φ′(Ŝ): beyond the scores that source models have it grows.
 * @see Seber & Lee (2003), Linear Regression Analysis, §5.3.1
 */
export function predictScore(
  { models, intercept, slope, deviation, mean, spread }: KnownLine,
  x: number,
): Pick<KnownScored, "predicted" | "deviation"> {
  const logit = scoreLogit(x);
  const predicted = logitScore(intercept + slope * logit);
  const width = deviation * Math.sqrt(1 + 1 / models + (logit - mean) ** 2 / spread);
  return { predicted, deviation: width / logitSlope(predicted) };
}

/**
 * The score by the answers and by a known one, each by how little it leaves open: Ŝ = (1−w)·ŝ + w·m, w = V/(V + s²), V the
 * interval's variance, m and s what the known score says. Its variance is V·s²/(V + s²) times max(1, z²), z what both differ by in
 * its standard deviations: two measurements that don't agree are less sure than they say. Where they differ by more than 99 of
 * 100 such would, w = 0.
 * @see Birge (1932), Physical Review 40, 207–227
 * @param interval - of `score`
 */
function combine(
  score: number,
  { low, high, level }: Interval,
  line: Pick<KnownScored, "by" | "models" | "predicted" | "deviation">,
): KnownScored {
  const variance = ((high - low) / 2 / normalQuantile(0.5 + level / 2)) ** 2;
  const { predicted, deviation } = line;
  const degrees = line.models - 2;
  const open = variance + deviation ** 2;
  const apart = Math.abs(score - predicted) / Math.sqrt(open);
  if (apart > studentTQuantile(1 - CONTRADICTED / 2, degrees))
    return { ...line, score, interval: { low, high, level }, share: 0, status: "contradicted" };
  const share = variance / open;
  const both = satterthwaite([
    { share: 1 - share, sampling: { variance, degrees: Infinity } },
    { share, sampling: { variance: deviation ** 2, degrees } },
  ]);
  const centre = (1 - share) * score + share * predicted;
  // The answers' interval isn't about their score where this lies near 0 or 1: it is moved as the score is.
  const middle = (1 - share) * ((low + high) / 2) + share * predicted;
  const deviations = Math.max(1, apart) * studentTQuantile(0.5 + level / 2, both.degrees);
  const half = both.variance === 0 ? 0 : deviations * Math.sqrt(both.variance);
  const bounded = (value: number): number => clamp(value, { low: 0, high: 1 });
  return {
    ...line,
    score: centre,
    interval: { low: bounded(Math.min(centre, middle - half)), high: bounded(Math.max(centre, middle + half)), level },
    share,
    status: "combined",
  };
}
