import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { checkCall, invalidOption, requireNumbers } from "../../../sdk/core/errors.ts";
import { confidenceLevel, moreItems } from "../../../sdk/core/inference/score-interval.ts";
import { midPMcNemar, oneSidedConfidence, pairedInterval } from "../../../sdk/core/inference/paired-difference.ts";
import { studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { countAnswers, scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import type { Interval } from "../../../sdk/estimate/types.ts";
import { type ComparedSide, comparedSides, overallMean } from "./model-evidence.ts";
import { pairDifferences, type PairDifference, type PairDifferences, saidDifference } from "./scenario-difference.ts";
import type { ComparedModel, CompareOptions, Comparison, Difference, ModelScore, Verdict } from "./types.ts";
import { lookUp } from "../../../sdk/core/bundle/names.ts";

/**
 * Two models compared on the same anchors: the difference of their full scores with an interval, from the items that
 * both answered, and whether one is better: over runs of theirs where trials tell of them, else over tasks like these, or in these
 * very answers (`over`). Their answers to the same item go together, so the difference is known better than from two separate
 * estimates: where held-out pairs of models have told how, both scores are estimated together, and what is printed
 * subtracts. Synchronous; touches no network.
 *
 * @param bundle - from `loadBundle`
 * @param a - the first model's answers, scores in [0,1] by item id
 * @param b - the second model's; differences are S_B − S_A, fractions in [−1,1]
 * @returns overall and per scenario: difference, interval, one-sided confidence, McNemar test, both scores; and a verdict
 * @throws AnchorEvalError as `estimateFromAnchors`, naming the model; `invalid_answers` for answers to different forms
 * or without a common item, `digest_mismatch` for answers to another major version, `invalid_option` for a margin outside
 * [0,1)
 * @example
 * const bundle = await loadBundle("https://evals.example.com/v1/bundles/helm-lite/1.0.0");
 * const { difference, interval, verdict } = compareFromAnchors(bundle, { responses: before }, { responses: after });
 */
export function compareFromAnchors(
  bundle: Bundle,
  a: ComparedModel,
  b: ComparedModel,
  options: CompareOptions = {},
): Comparison {
  checkCall(bundle, "loadBundle", options, {
    form: true,
    level: "number",
    onChangedItem: true,
    margin: "number",
    over: true,
  });
  const { margin = 0, level: wanted, ...resolve } = options;
  const level = confidenceLevel(wanted);
  if (!(margin >= 0 && margin < 1))
    throw invalidOption(`margin must be a difference of scores in [0,1), got ${margin}`);
  const names = { a: a.name ?? "A", b: b.name ?? "B" };
  const common = comparedSides(bundle, [a, b], [names.a, names.b], { ...resolve, level });
  const { benchmark, version, digest, form, over, answered, warnings } = common;
  const [left, right] = common.sides as [ComparedSide, ComparedSide];
  const pairs = pairDifferences(bundle, left.evidence, right.evidence, form, over);
  const scenarios = Object.fromEntries(
    [...pairs.scenarios].map(([id, pair]) => {
      const scores = { a: scenarioScore(left, id), b: scenarioScore(right, id) };
      return [id, described(pair, scores, level, answered.get(id)!)];
    }),
  );
  const scores = { a: overallOf(bundle, left), b: overallOf(bundle, right) };
  const overall = described(pairs.overall, scores, level, countAnswers(Object.values(scenarios)));
  const outcome = overall.interval === null ? null : verdict(overall.interval, margin);
  return {
    benchmark,
    version,
    form: form.id,
    digest,
    names,
    margin,
    over,
    verdict: outcome,
    ...overall,
    moreItems: outcome === "undecided" ? itemsToDecide(bundle, pairs, left.evidence, margin, level) : null,
    warnings: [
      ...warnings,
      ...[left, right].flatMap(({ estimate }, k) =>
        estimate.warnings
          .filter(({ code }) => code !== "missing_answers" && code !== "no_interval")
          .map((warning) => ({ ...warning, message: `${[names.a, names.b][k]!}: ${warning.message}` })),
      ),
    ],
    scenarios,
  };
}

/** @param alone - both scores as each model's own answers give them */
function described(
  pair: PairDifference,
  alone: Difference["scores"],
  level: number,
  { answered, of }: { answered: number; of: number },
): Difference {
  const { scores, reason, exact, models } = pair;
  const { aHigher, bHigher } = pair.discordance;
  const sampled = saidDifference(pair);
  if (sampled) requireNumbers("the difference", [sampled.difference, sampled.sampling.variance]);
  const reported = reason === null ? sampled : null;
  return {
    difference: sampled?.difference ?? null,
    interval: reported && {
      ...pairedInterval(reported, level),
      level,
      method: exact && !models ? "exact" : "design-based",
    },
    reason,
    oneSidedConfidence: reported && oneSidedConfidence(reported),
    mcnemar: { aHigher, bHigher, pValue: midPMcNemar(aHigher, bHigher) },
    scores: scores === null ? alone : { a: moved(alone.a, scores.a), b: moved(alone.b, scores.b) },
    subtraction: alone.a.score === null || alone.b.score === null ? null : alone.b.score - alone.a.score,
    answered,
    of,
  };
}

/** A score as it is estimated together with another's; its interval is its own, and holds it. */
function moved({ interval, ...result }: ModelScore, score: number): ModelScore {
  const { low, high } = interval ?? { low: score, high: score };
  return {
    ...result,
    score,
    interval: interval && { ...interval, low: Math.min(low, score), high: Math.max(high, score) },
  };
}

function scenarioScore({ estimate, evidence }: ComparedSide, id: string): ModelScore {
  const { score, interval } = lookUp(estimate.scenarios, id)!;
  return { score, interval, stratifiedMean: evidence.get(id)?.stratifiedMean ?? null };
}

function overallOf({ manifest }: Bundle, { estimate: { score, interval }, evidence }: ComparedSide): ModelScore {
  return { score, interval, stratifiedMean: overallMean(manifest, evidence) };
}

/**
 * Items more at which the interval would just reach a decision, were the difference the same; null where all wouldn't, as the
 * models' own variance is too large.
 */
function itemsToDecide(
  bundle: Bundle,
  pairs: PairDifferences,
  evidence: ComparedSide["evidence"],
  margin: number,
  level: number,
): number | null {
  const { difference, sampling } = saidDifference(pairs.overall)!;
  const { unit = 0, step = 0, degrees } = sampling;
  const half = Math.abs(Math.abs(difference) - margin);
  const all = (Math.max(0, half - step) / studentTQuantile(0.5 + level / 2, degrees)) ** 2 - unit * half ** 2;
  const wanted = all - (pairs.overall.models?.variance ?? 0);
  if (wanted < 0 && pairs.overall.models) return null;
  return moreItems(
    scenarioShares(bundle.manifest).map(({ id, share, items }) => ({
      share,
      variance: pairs.scenarios.get(id)!.sampled!.sampling.variance,
      items: evidence.get(id)!.sample.items.length,
      of: items,
    })),
    wanted,
  );
}

/**
 * The verdict of an interval of S_B − S_A against a margin: one model is better by more than the margin where the whole
 * interval lies beyond it, there is no difference that matters where it lies inside ±margin, else one can't tell.
 * @param margin - the largest difference that doesn't matter, at least 0
 */
function verdict({ low, high }: Pick<Interval, "low" | "high">, margin: number): Verdict {
  if (low > margin) return "b-better";
  if (high < -margin) return "a-better";
  if (low >= -margin && high <= margin) return "no-difference";
  return "undecided";
}
