import { keepCommon } from "../../compare/sdk/common-answers.ts";
import { modelEvidence } from "../../compare/sdk/model-evidence.ts";
import type { ComparedModel } from "../../compare/sdk/types.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { createRandom, type RandomSource } from "../../../sdk/core/numeric/random.ts";
import { checkedDrop, dropRule, meanScores, meanWhole } from "../../compare/sdk/check-from-anchors.ts";
import { flipChance } from "./item-chances.ts";
import { drawChances, dropShifts, meanOfRuns, replayedModel } from "./replayed-model.ts";
import type { CheckOptions } from "../../compare/sdk/check-types.ts";
import { gateBaseline, type GateOptions, gatePower } from "./gate-from-anchors.ts";
import { chanceModel, itemEvidence } from "./nightly-gate.ts";

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
 * worse. Each item's chance of a right answer is drawn from what is known of it (`replayedModel`); a worse model has the
 * same chances with one shift of all logits.
 * @param baselines - two runs or more of one model on one form, or on all items
 * @param model - of these baselines, where it is there already
 * @throws AnchorEvalError as `checkFromAnchors`; `invalid_option` for fewer than two runs
 */
export function replayCheck(
  bundle: Bundle,
  baselines: readonly ComparedModel[],
  options: ReplayOptions,
  model = replayedModel(bundle, baselines, options),
): { readonly form: string; readonly baselines: number; readonly flips: number; readonly checks: ReplayedCheck[] } {
  const { drops, nights } = options;
  const rule = dropRule(options);
  const { scores, form, whole, items, spreads } = model;
  const before = meanScores(scores);
  keepCommon([before], ["the baselines"]);
  const wholeBefore = meanWhole(whole);
  const evidence = modelEvidence(bundle, form, before, undefined, wholeBefore);
  /** Places of the form's anchors among the items of a scenario that counts whole. */
  const anchorPlaces = new Map(
    [...wholeBefore].map(([id, { itemIds }]) => {
      const at = new Map(itemIds.map((item, place) => [item, place]));
      return [
        id,
        bundle.scenarios
          .get(id)!
          .forms.get(form)!
          .itemIds.map((item) => at.get(item)!),
      ];
    }),
  );
  const random = createRandom(options.seed).fork("replayed checks");
  const regressed = (runs: number, shifts: readonly number[], stream: RandomSource): boolean => {
    const { after } = drawChances(model, shifts, stream);
    const now = new Map([...before].map(([id, means]) => [id, new Float64Array(means.length).fill(NaN)]));
    const wholeNow = new Map([...wholeBefore].map(([id, { itemIds }]) => [id, { itemIds, scores: new Float64Array(itemIds.length) }])); // prettier-ignore
    items.forEach(({ scenario, place }, i) => {
      (wholeNow.get(scenario)?.scores ?? now.get(scenario)!)[place] = meanOfRuns(after[i]!, runs, stream);
    });
    for (const [id, places] of anchorPlaces) now.set(id, Float64Array.from(places, (place) => wholeNow.get(id)!.scores[place]!)); // prettier-ignore
    return checkedDrop(bundle, evidence, modelEvidence(bundle, form, now, undefined, wholeNow), rule).verdict === "regressed"; // prettier-ignore
  };
  const share = (runs: number, drop: number, times: number): number => {
    const stream = random.fork(`${runs} runs, a drop of ${drop}`);
    const shifts = dropShifts(model, drop);
    let alarms = 0;
    for (let night = 0; night < times; night++) if (regressed(runs, shifts, stream)) alarms++;
    return alarms / times;
  };
  return {
    form,
    baselines: baselines.length,
    flips: spreads.reduce((sum, spread) => sum + flipChance(spread), 0) / spreads.length,
    checks: options.runs.map((runs) => ({
      items: items.length,
      runs,
      alarmsAYear: rule.alarms.runsPerYear * share(runs, 0, nights),
      power: drops.map((drop) => share(runs, drop, Math.ceil(nights / 10))),
    })),
  };
}

/** A gate over nights, replayed. */
export interface ReplayedGate {
  readonly items: number;
  /** Nights within which a drop counts as found. */
  readonly within: number;
  /** False alarms of an unchanged model in its first `within` nights, as many a year. */
  readonly alarmsAYear: number;
  /** Share of the gates that find each drop. */
  readonly power: readonly number[];
}

/** Halves that are drawn at most: which items a single one has decides more than how many, from 2 to 53 % found in one case. */
const DRAWS = 20;

/**
 * A gate over nights before anybody trusts it, by `gatePower`: with all items of the form, and with half of them, the mean of
 * up to {@link DRAWS} random halves, which share the replays.
 * @param options - a tenth of `nights` gates are replayed of an unchanged model, and of each drop
 * @throws AnchorEvalError as `gateFromAnchors`
 */
export function replayGate(
  bundle: Bundle,
  baselines: readonly ComparedModel[],
  {
    drops,
    nights,
    seed,
    within,
    ...options
  }: Omit<ReplayOptions, "runs"> & Pick<GateOptions, "form"> & { readonly within: number },
): ReplayedGate[] {
  const { probability, runsPerYear } = dropRule(options).alarms;
  const whole = gateBaseline(bundle, baselines, options);
  const random = createRandom(seed).fork("items of a replayed gate");
  const half = Math.ceil(whole.items.length / 2);
  const halves = Array.from({ length: Math.min(DRAWS, Math.ceil(nights / 10)) }, () =>
    random.shuffle([...whole.items]).slice(0, half),
  );
  return [halves, [whole.items]].map((draws) => {
    const gates = draws.map((drawn) => {
      const total = drawn.reduce((sum, { weight }) => sum + weight, 0);
      const items = drawn.map((item) => ({ ...item, weight: item.weight / total }));
      const model = chanceModel(items.map(({ counts }) => counts));
      return { items, model, evidence: itemEvidence(model) };
    });
    const replays = Math.ceil(nights / 10 / draws.length);
    const power = (drop: number): number =>
      gates.reduce((sum, gate, k) => {
        const goal = { drop, nights: within, threshold: 1 / probability, replays, seed: seed + k };
        return sum + gatePower(gate, goal) / gates.length;
      }, 0);
    return { items: draws[0]!.length, within, alarmsAYear: (runsPerYear / within) * power(0), power: drops.map(power) };
  });
}
