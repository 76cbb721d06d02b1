import { keepCommon, resolveModels } from "../../../sdk/compare/common-answers.ts";
import { modelEvidence } from "../../../sdk/compare/model-evidence.ts";
import type { ComparedModel } from "../../../sdk/compare/types.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { invalidOption } from "../../../sdk/core/errors.ts";
import { createRandom, type RandomSource } from "../../../sdk/core/numeric/random.ts";
import { scenarioShares } from "../../../sdk/estimate/overall-score.ts";
import { checkedDrop, dropRule, meanScores, namedRuns } from "../../../sdk/check/check-from-anchors.ts";
import {
  type AnswerCounts,
  chancePosterior,
  drawChance,
  flipChance,
  learnChances,
  shiftedChance,
  shiftForDrop,
} from "./item-chances.ts";
import type { CheckOptions } from "../../../sdk/check/types.ts";

/** The check's own rule, and what is replayed. */
export interface ReplayOptions extends Omit<CheckOptions, "baselines" | "minScore"> {
  /** Drops to be found, fractions. */
  readonly drops: readonly number[];
  /** Runs that one check averages. */
  readonly runs: readonly number[];
  /** Checks replayed of an unchanged model; a tenth of them of each drop. */
  readonly nights: number;
  readonly seed: number;
}

/** One check, replayed. */
export interface ReplayedCheck {
  readonly items: number;
  readonly runs: number;
  /** False alarms a year: of an unchanged model. */
  readonly alarmsAYear: number;
  /** Share of the checks that call each drop regressed. */
  readonly power: readonly number[];
}

/**
 * A check before anybody trusts it: its rule on simulated nights of the baseline's own model, unchanged and
 * worse. Each item's chance of a right answer is drawn from its posterior given the baseline's runs, under a distribution
 * of chances that is learned from all items (`learnChances`). A worse model has the same chances with one shift of all
 * logits.
 * @param baselines - two runs or more of one model on one form
 * @throws AnchorEvalError as `checkFromAnchors`; `invalid_option` for fewer than two runs
 */
export function replayCheck(
  bundle: Bundle,
  baselines: readonly ComparedModel[],
  options: ReplayOptions,
): { readonly form: string; readonly baselines: number; readonly flips: number; readonly checks: ReplayedCheck[] } {
  refuseOneRun(baselines);
  const { drops, nights } = options;
  const rule = dropRule(options);
  const { scores, form } = resolveModels(bundle, baselines, namedRuns(baselines, "baseline"), options);
  const before = meanScores(scores);
  keepCommon([before], ["the baselines"]);
  const items = baselineItems(bundle, form, scores);
  const spread = learnChances(items.map(({ counts }) => counts));
  const posteriors = items.map(({ counts }) => chancePosterior(spread, counts));
  const weights = Float64Array.from(items, ({ weight }) => weight);
  const evidence = modelEvidence(bundle, form, before);
  const random = createRandom(options.seed).fork("replayed checks");
  const regressed = (runs: number, drop: number, stream: RandomSource): boolean => {
    const drawn = Float64Array.from(posteriors, (posterior) => drawChance(posterior, stream));
    const shift = drop === 0 ? 0 : shiftForDrop(drop, drawn, weights);
    const now = new Map([...before].map(([id, means]) => [id, new Float64Array(means.length).fill(NaN)]));
    items.forEach(({ scenario, place }, i) => {
      now.get(scenario)![place] = meanOfRuns(shiftedChance(drawn[i]!, shift), runs, stream);
    });
    return checkedDrop(bundle, evidence, modelEvidence(bundle, form, now), rule).verdict === "regressed";
  };
  const share = (runs: number, drop: number, times: number): number => {
    const stream = random.fork(`${runs} runs, a drop of ${drop}`);
    let alarms = 0;
    for (let night = 0; night < times; night++) if (regressed(runs, drop, stream)) alarms++;
    return alarms / times;
  };
  return {
    form,
    baselines: baselines.length,
    flips: posteriors.reduce((sum, posterior) => sum + flipChance(posterior), 0) / posteriors.length,
    checks: options.runs.map((runs) => ({
      items: items.length,
      runs,
      alarmsAYear: rule.alarms.runsPerYear * share(runs, 0, nights),
      power: drops.map((drop) => share(runs, drop, Math.ceil(nights / 10))),
    })),
  };
}

/** @throws AnchorEvalError `invalid_option` for fewer than two runs */
export function refuseOneRun(baselines: readonly unknown[]): void {
  if (baselines.length < 2)
    throw invalidOption("what differs between runs of one model takes two runs or more: give `baselines`");
}

/** An item that baselines answered, and where its answers are. */
export interface BaselineItem {
  readonly id: string;
  readonly scenario: string;
  readonly place: number;
  readonly counts: AnswerCounts;
  /** Of the overall score, summing to 1: the scenario's share by the design's weights of its answered items. */
  readonly weight: number;
}

/** The items that one baseline or more have answered. @param runs - their scores, per scenario aligned with the anchors */
export function baselineItems(
  bundle: Bundle,
  form: string,
  runs: readonly ReadonlyMap<string, Float64Array>[],
): BaselineItem[] {
  const items = scenarioShares(bundle.manifest).flatMap(({ id: scenario, share }) => {
    const { anchors, itemIds } = bundle.scenarios.get(scenario)!.forms.get(form)!;
    const answered = itemIds.flatMap((id, place) => {
      const marks = runs.map((run) => run.get(scenario)![place]!).filter((score) => !Number.isNaN(score));
      const right = marks.reduce((sum, score) => sum + score, 0);
      const counts = { right, wrong: marks.length - right };
      return marks.length === 0 ? [] : [{ id, scenario, place, counts, mass: anchors.mass[place]! }];
    });
    const total = answered.reduce((sum, { mass }) => sum + mass, 0);
    return answered.map(({ mass, ...item }) => ({ ...item, weight: (share * mass) / total }));
  });
  const total = items.reduce((sum, { weight }) => sum + weight, 0);
  return items.map((item) => ({ ...item, weight: item.weight / total }));
}

function meanOfRuns(chance: number, runs: number, random: RandomSource): number {
  let right = 0;
  for (let run = 0; run < runs; run++) if (random.next() < chance) right++;
  return right / runs;
}
