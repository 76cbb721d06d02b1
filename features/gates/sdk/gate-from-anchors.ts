import { resolveModels } from "../../compare/sdk/common-answers.ts";
import { modelEvidence } from "../../compare/sdk/model-evidence.ts";
import type { ComparedModel } from "../../compare/sdk/types.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { AnchorEvalError, checkCall, invalidOption, type OptionNames } from "../../../sdk/core/errors.ts";
import { normalQuantile, studentTQuantile } from "../../../sdk/core/numeric/distributions.ts";
import { createRandom } from "../../../sdk/core/numeric/random.ts";
import type { Estimate } from "../../../sdk/estimate/types.ts";
import {
  dropRule,
  expectedDifference,
  meanScores,
  namedRuns,
  refuseYanked,
} from "../../compare/sdk/check-from-anchors.ts";
import {
  type BaselineItem,
  baselineItems,
  CHANCES,
  chancePosterior,
  drawChance,
  refuseOneRun,
  shiftedChance,
  shiftForDrop,
  smoothSpread,
} from "./item-chances.ts";
import { type ChanceModel, chanceModel, type ItemEvidence, itemEvidence, nightlyGate } from "./nightly-gate.ts";
import type { CheckOptions, CheckResult, CheckVerdict } from "../../compare/sdk/check-types.ts";

/** The drop whose power is stated, and within how many nights. */
export interface GatePower {
  /** A fraction. */
  readonly drop: number;
  readonly nights: number;
}

/** The rules of a gate over nights. */
export interface GateOptions
  extends
    Pick<
      CheckOptions,
      "form" | "onChangedItem" | "maxDrop" | "level" | "alarmsPerYear" | "runsPerYear" | "allowYanked"
    >,
    Partial<GatePower> {
  /** Replays that the power is measured by; 0 for none. @default 200 */
  readonly replays?: number;
  readonly seed?: number;
}

const GATE_OPTIONS: OptionNames<GateOptions> = {
  form: true,
  onChangedItem: true,
  maxDrop: "number",
  level: "number",
  alarmsPerYear: "number",
  runsPerYear: "number",
  drop: "number",
  nights: "number",
  replays: "number",
  seed: "number",
  allowYanked: true,
};

/** The mean drop over the nights, on all items of the benchmark, fractions. */
interface MeanDrop {
  /** Null where a scenario has none, or its anchors were chosen; `reason` says which. */
  readonly drop: number | null;
  /** With confidence `level` never above the true drop, on whatever night one looks; and `high` never below. */
  readonly low: number | null;
  readonly high: number | null;
  readonly reason: string | null;
  readonly maxDrop: number;
}

/** The result of a gate over nights. */
export interface GateResult
  extends
    Pick<Estimate, "benchmark" | "version" | "form" | "digest" | "warnings">,
    Pick<CheckResult, "alarms" | "level"> {
  /** `regressed` after an alarm; `passed` where a mean drop of more than `maxDrop` is ruled out. */
  readonly verdict: CheckVerdict;
  readonly nights: number;
  readonly baselines: number;
  /** The evidence of a change: the Shiryaev–Roberts statistic of the last night. */
  readonly evidence: number;
  /** It alarms where the evidence reaches this. */
  readonly threshold: number;
  /** The first night with an alarm, from 0, and the one that the change began with most likely; null without an alarm. */
  readonly alarm: { readonly night: number; readonly since: number } | null;
  readonly drop: MeanDrop;
  /** Share of replays in which such a drop, beginning with the first night, is found. Null without replays. */
  readonly power: (GatePower & { readonly share: number }) | null;
  /** Items that a baseline has answered. */
  readonly answered: number;
}

/**
 * Whether a model got worse on some night: all nights' answers against a baseline's runs, to be looked at every night.
 *
 * Three statements. **Alarm**: `nightlyGate` against "nothing changed", whatever the change's size; fewer false
 * ones than are allowed, counted in nights on average. It stays: who finds it false begins a new history. **Mean drop** over
 * all nights: that of expected scores on all items, with a confidence sequence, so that all its intervals hold together:
 * D ± √(V(V + ρ²)/ρ²·(ln((V + ρ²)/V) + 2 ln 1/α)), V the variance of the difference of means, which includes the draw of
 * the items, common to all nights, and the baseline's noise; α = 2(1 − level) for both sides; ρ the drop that the power is
 * stated for, where the sequence is narrowest (a normal mixture: Robbins 1970; asymptotic, by estimated variances).
 * A drop that began lately is the mean's only in part. **Power**: replays of the baseline's model with all logits shifted.
 * @param nights - answers right or wrong, in the order of the nights
 * @param baselines - two runs or more of the unchanged model
 * @throws AnchorEvalError as `checkFromAnchors`; `invalid_option` for fewer than two baselines or no night;
 * `invalid_answers` for graded answers, the item named
 * @see Robbins (1970), Annals of Mathematical Statistics 41, 1397–1409; Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas
 * (2024), Annals of Statistics 52, 2613–2640
 */
export function gateFromAnchors(
  bundle: Bundle,
  nights: readonly ComparedModel[],
  baselines: readonly ComparedModel[],
  options: GateOptions = {},
): GateResult {
  checkCall(bundle, "loadBundle", options, GATE_OPTIONS);
  const { drop = 0.03, nights: within = 30, replays = 200, seed = 1 } = options;
  refuseYanked(bundle, options);
  const rule = dropRule({ ...options, maxDrop: options.maxDrop ?? 0.01 });
  if (!(drop > 0 && drop < 1)) throw invalidOption(`drop must be a drop of scores in (0,1), got ${drop}`);
  if (nights.length === 0) throw invalidOption("a gate needs a night's answers");
  const names = [...namedRuns(baselines, "baseline"), ...nights.map(({ name }, t) => name ?? `night ${t + 1}`)];
  const gate = gateBaseline(bundle, baselines, options, nights, names);
  const { items, scores, model, evidence } = gate;
  const threshold = 1 / rule.alarms.probability;
  const detector = nightlyGate(model, evidence, items.map(({ counts }) => counts)); // prettier-ignore
  const sums = scores
    .slice(baselines.length)
    .map((answers) => detector.add(Float64Array.from(items, ({ scenario, place }) => answers.get(scenario)![place]!)));
  const night = sums.findIndex(({ statistic }) => Math.exp(statistic) >= threshold);
  const alarm = night < 0 ? null : { night, since: sums[night]!.since };
  const mean = meanDrop(bundle, gate, baselines.length, { ...rule, mixture: drop });
  const passed = mean.high !== null && mean.high <= rule.maxDrop;
  const { benchmark, version, form, digest, warnings } = gate;
  return {
    ...{ benchmark, version, form, digest, warnings },
    verdict: alarm !== null ? "regressed" : passed ? "passed" : "undecided",
    nights: nights.length,
    baselines: baselines.length,
    evidence: Math.exp(sums.at(-1)!.statistic),
    threshold,
    alarm,
    drop: mean,
    power: replays === 0 ? null : { drop, nights: within, share: gatePower(gate, { drop, nights: within, threshold, replays, seed }) }, // prettier-ignore
    alarms: rule.alarms,
    level: rule.level,
    answered: items.length,
  };
}

/** A baseline as a gate reads it, with the scores of all runs, the baselines' first. */
export interface GateBaseline extends ReturnType<typeof resolveModels> {
  readonly items: readonly BaselineItem[];
  readonly model: ChanceModel;
  readonly evidence: ItemEvidence;
}

/** @throws AnchorEvalError as {@link gateFromAnchors} */
export function gateBaseline(
  bundle: Bundle,
  baselines: readonly ComparedModel[],
  options: Pick<GateOptions, "form" | "onChangedItem">,
  nights: readonly ComparedModel[] = [],
  names: readonly string[] = namedRuns(baselines, "baseline"),
): GateBaseline {
  refuseOneRun(baselines);
  const resolved = resolveModels(bundle, [...baselines, ...nights], names, options);
  refuseGraded(bundle, resolved, names);
  const items = baselineItems(bundle, resolved.form, resolved.scores.slice(0, baselines.length));
  if (items.length === 0)
    throw new AnchorEvalError("invalid_answers", "the baselines have answered no item of the form");
  const model = chanceModel(items.map(({ counts }) => counts));
  return { ...resolved, items, model, evidence: itemEvidence(model) };
}

function refuseGraded(
  bundle: Bundle,
  { form, scores }: ReturnType<typeof resolveModels>,
  names: readonly string[],
): void {
  scores.forEach((run, k) => {
    for (const [scenario, answers] of run) {
      const place = answers.findIndex((score) => score > 0 && score < 1);
      if (place < 0) continue;
      const id = bundle.scenarios.get(scenario)!.forms.get(form)!.itemIds[place]!;
      throw new AnchorEvalError(
        "invalid_answers",
        `${names[k]!}: a gate over nights counts right and wrong answers, and ${id} scores ${answers[place]}: give each run by itself, or check one night without a history`,
      );
    }
  });
}

function meanDrop(
  bundle: Bundle,
  { form, scores }: GateBaseline,
  baselines: number,
  { maxDrop, level, mixture }: { maxDrop: number; level: number; mixture: number },
): MeanDrop {
  const [before, now] = [scores.slice(0, baselines), scores.slice(baselines)].map(meanScores);
  for (const [id, means] of before!)
    means.forEach((score, place) => {
      if (Number.isNaN(score + now!.get(id)![place]!)) means[place] = now!.get(id)![place] = NaN;
    });
  const difference = expectedDifference(bundle, modelEvidence(bundle, form, before!), modelEvidence(bundle, form, now!)); // prettier-ignore
  if ("reason" in difference) return { drop: null, low: null, high: null, reason: difference.reason, maxDrop };
  const { variance, degrees } = difference.sampling;
  // Variances that are estimated by few items: as much wider as Student's t is than the normal.
  const wider = studentTQuantile(level, degrees) / normalQuantile(level);
  const half = mixtureHalfWidth(wider ** 2 * variance, mixture, 2 * (1 - level));
  const drop = -difference.difference;
  return { drop, low: Math.max(-1, drop - half), high: Math.min(1, drop + half), reason: null, maxDrop };
}

/**
 * Half-width of a confidence sequence by a normal mixture, √(V(V + ρ²)/ρ²·(ln((V + ρ²)/V) + 2 ln 1/α)): Gaussian means with
 * variance V tonight, less and less of it, are never farther off with probability 1 − α.
 * @param variance - V
 * @param mixture - ρ, the standard deviation of differences that are expected
 * @param alpha - both sides together, in (0,1)
 * @example mixtureHalfWidth(0.0001, 0.03, 0.1) // ≈ 0.0276
 */
export function mixtureHalfWidth(variance: number, mixture: number, alpha: number): number {
  if (variance === 0) return 0;
  const both = variance + mixture ** 2;
  return Math.sqrt(((variance * both) / mixture ** 2) * (Math.log(both / variance) - 2 * Math.log(alpha)));
}

/** Items of even chances beside the form's in a replay: with so many promises hold on GSM8K's forms (docs/check.md). */
const REPLAYED_EVEN_ITEMS = 3;

/**
 * Share of replays in which a gate alarms within some nights of a drop: nights of the baseline's own model, each item's
 * chance drawn from its posterior given the runs, all logits lower from the first night on.
 *
 * The shift is the one by which the mean score falls on the items that the form was drawn from: their spread of chances is
 * learned by the items' weights. Chances drawn item by item don't know that an item drawn with a small probability, which
 * weighs much, flips seldom; by the weighted mean of such chances a smaller shift makes the drop, and less of it is found.
 * Both spreads are little fitted: by the likeliest, baselines would seem hardly to have been lucky, and more to be found.
 * @returns in [0,1]; for a drop of 0, false alarms
 */
export function gatePower(
  { items, model, evidence }: Pick<GateBaseline, "items" | "model" | "evidence">,
  { drop, nights, threshold, replays, seed }: GatePower & { threshold: number; replays: number; seed: number },
): number {
  const random = createRandom(seed).fork("replayed gates");
  const counts = items.map((item) => item.counts);
  const weights = Float64Array.from(items, ({ weight }) => weight);
  const shift = drop === 0 ? 0 : shiftForDrop(drop, CHANCES, smoothSpread(counts, REPLAYED_EVEN_ITEMS, weights));
  const spread = smoothSpread(counts, REPLAYED_EVEN_ITEMS);
  const posteriors = counts.map((answers) => chancePosterior(spread, answers));
  let alarmed = 0;
  for (let replay = 0; replay < replays; replay++) {
    const chances = Float64Array.from(posteriors, (posterior) => shiftedChance(drawChance(posterior, random), shift));
    const gate = nightlyGate(model, evidence, counts);
    for (let night = 0; night < nights; night++) {
      const { statistic } = gate.add(chances.map((chance) => Number(random.next() < chance)));
      if (statistic < Math.log(threshold)) continue;
      alarmed++;
      break;
    }
  }
  return alarmed / replays;
}
