import { keepCommon, resolveModels } from "../compare/common-answers.ts";
import { modelEvidence } from "../compare/model-evidence.ts";
import type { ComparedModel } from "../compare/types.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import { invalidOption } from "../core/errors.ts";
import { logit, sigmoid } from "../core/numeric/functions.ts";
import { createRandom, type RandomSource } from "../core/numeric/random.ts";
import { scenarioShares } from "../estimate/overall-score.ts";
import { checkedDrop, dropRule, meanScores, namedRuns } from "./check-from-anchors.ts";
import type { CheckOptions } from "./types.ts";

/** Chances of a right answer that an item may have: even steps of its logit, from 1 in 1100 to all but that. */
const CHANCES = Float64Array.from({ length: 57 }, (_, k) => sigmoid((k - 28) / 4));
/** Rounds of EM for how chances are spread. */
const ROUNDS = 200;

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
 * of chances that is learned from all items (nonparametric maximum likelihood, by EM on a grid). A worse model has the
 * same chances with one shift of all logits.
 * @param baselines - two runs or more of one model on one form
 * @throws AnchorEvalError as `checkFromAnchors`; `invalid_option` for fewer than two runs
 * @see Kiefer & Wolfowitz (1956), Annals of Mathematical Statistics 27, 887–906; Laird (1978), JASA 73, 805–811
 */
export function replayCheck(
  bundle: Bundle,
  baselines: readonly ComparedModel[],
  options: ReplayOptions,
): { readonly form: string; readonly baselines: number; readonly flips: number; readonly checks: ReplayedCheck[] } {
  if (baselines.length < 2)
    throw invalidOption("what differs between runs of one model takes two runs or more: give --baseline several times");
  const { drops, nights } = options;
  const rule = dropRule(options);
  const { scores, form } = resolveModels(bundle, baselines, namedRuns(baselines, "baseline"), options);
  const before = meanScores(scores);
  const counts = keepCommon([before], ["the baselines"]);
  const items = [...counts.values()].reduce((sum, { answered }) => sum + answered, 0);
  const chances = itemChances([...before], scores);
  const shares = new Map(scenarioShares(bundle.manifest).map(({ id, share }) => [id, share]));
  const evidence = modelEvidence(bundle, form, before);
  const random = createRandom(options.seed).fork("replayed checks");
  const regressed = (runs: number, drop: number, stream: RandomSource): boolean => {
    const drawn = chances.draw(stream);
    const shift = drop === 0 ? 0 : shiftFor(drop, drawn, shares);
    const own = new Map<string, Float64Array>();
    for (const [id, chance] of drawn)
      own.set(
        id,
        chance.map((p) => meanOfRuns(shifted(p, shift), runs, stream)),
      );
    return checkedDrop(bundle.manifest, evidence, modelEvidence(bundle, form, own), rule).verdict === "regressed";
  };
  const share = (runs: number, drop: number, times: number): number => {
    const stream = random.fork(`${runs} runs, a drop of ${drop}`);
    let found = 0;
    for (let night = 0; night < times; night++) if (regressed(runs, drop, stream)) found++;
    return found / times;
  };
  return {
    form,
    baselines: baselines.length,
    flips: chances.flips,
    checks: options.runs.map((runs) => ({
      items,
      runs,
      alarmsAYear: rule.alarms.runsPerYear * share(runs, 0, nights),
      power: drops.map((drop) => share(runs, drop, Math.ceil(nights / 10))),
    })),
  };
}

/** Each answered item's posterior over {@link CHANCES}, and the chance that two runs answer an item unlike. */
function itemChances(
  before: readonly (readonly [string, Float64Array])[],
  runs: readonly ReadonlyMap<string, Float64Array>[],
): { draw: (random: RandomSource) => Map<string, Float64Array>; flips: number } {
  const rows: Float64Array[] = [];
  const places = new Map<string, (Float64Array | null)[]>();
  for (const [id, means] of before)
    places.set(
      id,
      Array.from(means, (mean, j) => {
        if (Number.isNaN(mean)) return null;
        const given = runs.map((run) => run.get(id)![j]!).filter((score) => !Number.isNaN(score));
        const right = given.reduce((sum, score) => sum + score, 0);
        const row = CHANCES.map((p) => right * Math.log(p) + (given.length - right) * Math.log1p(-p)).map(Math.exp);
        rows.push(row);
        return row;
      }),
    );
  let prior = new Float64Array(CHANCES.length).fill(1 / CHANCES.length);
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(CHANCES.length);
    for (const row of rows) posterior(row, prior).forEach((weight, g) => (next[g]! += weight / rows.length));
    prior = next;
  }
  for (const row of rows) row.set(posterior(row, prior));
  const unlike = rows.map((row) =>
    row.reduce((sum, weight, g) => sum + 2 * weight * CHANCES[g]! * (1 - CHANCES[g]!), 0),
  );
  return {
    draw: (random) =>
      new Map(
        Array.from(places, ([id, own]) => [
          id,
          Float64Array.from(own, (row) => (row === null ? NaN : CHANCES[drawFrom(row, random)]!)),
        ]),
      ),
    flips: unlike.reduce((sum, own) => sum + own, 0) / rows.length,
  };
}

function posterior(likelihood: Float64Array, prior: Float64Array): Float64Array {
  const weights = likelihood.map((own, g) => own * prior[g]!);
  const total = weights.reduce((sum, own) => sum + own, 0);
  return weights.map((own) => own / total);
}

function drawFrom(weights: Float64Array, random: RandomSource): number {
  let left = random.next();
  for (const [g, weight] of weights.entries()) if ((left -= weight) < 0) return g;
  return weights.length - 1;
}

function shifted(chance: number, shift: number): number {
  return shift === 0 || Number.isNaN(chance) ? chance : sigmoid(logit(chance) - shift);
}

/** The shift of all logits by which the mean over scenarios of the items' mean chances falls by `drop`, by bisection. */
function shiftFor(
  drop: number,
  chances: ReadonlyMap<string, Float64Array>,
  shares: ReadonlyMap<string, number>,
): number {
  const fall = (shift: number): number => {
    let sum = 0;
    for (const [id, own] of chances) {
      const known = own.filter((p) => !Number.isNaN(p));
      const lost = known.reduce((total, p) => total + p - shifted(p, shift), 0);
      if (known.length > 0) sum += shares.get(id)! * (lost / known.length);
    }
    return sum;
  };
  let [low, high] = [0, 14];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    if (fall(middle) < drop) low = middle;
    else high = middle;
  }
  return high;
}

function meanOfRuns(chance: number, runs: number, random: RandomSource): number {
  if (Number.isNaN(chance)) return NaN;
  let right = 0;
  for (let run = 0; run < runs; run++) if (random.next() < chance) right++;
  return right / runs;
}
