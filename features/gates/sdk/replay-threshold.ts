import type { ComparedModel } from "../../compare/sdk/types.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { createRandom } from "../../../sdk/core/numeric/random.ts";
import type { ReplayOptions } from "./replay-check.ts";
import { drawChances, dropShifts, meanOfRuns, replayedModel } from "./replayed-model.ts";

/** Questions that a server's own test asks where it doesn't ask all: chosen, not measured. */
const FEW = 200;

/** A threshold on one number, replayed: it fails where a run's score lies farther below another run's, which was recorded. */
export interface ReplayedThreshold {
  readonly items: number;
  /** How far below the recorded score it fails, a fraction. */
  readonly below: number;
  /** False alarms a year: of an unchanged model. */
  readonly alarmsAYear: number;
  /** Share of single nights on which each drop is found. */
  readonly power: readonly number[];
}

/**
 * A threshold on one score before anybody trusts it, on the nights that `replayCheck` replays its check on: with
 * {@link FEW} random items, the same for the recorded run and the night's, and with all. It knows nothing of the noise of
 * either run, so that nothing holds its false alarms.
 * @param thresholds - fractions
 * @param model - of these baselines, where it is there already
 * @throws AnchorEvalError as `replayCheck`
 */
export function replayThreshold(
  bundle: Bundle,
  baselines: readonly ComparedModel[],
  { thresholds, drops, nights, seed, runsPerYear = 365, ...options }: Omit<ReplayOptions, "runs"> & { readonly thresholds: readonly number[] }, // prettier-ignore
  model = replayedModel(bundle, baselines, { ...options, seed }),
): ReplayedThreshold[] {
  const random = createRandom(seed).fork("replayed thresholds");
  const { items } = model;
  const places = items.map((_, i) => i);
  /** How far the score of so many items lies below the recorded one, by replays. */
  const falls = (count: number, drop: number, times: number): number[] => {
    const stream = random.fork(`${count} items, a drop of ${drop}`);
    const shifts = dropShifts(model, drop);
    return Array.from({ length: times }, () => {
      const { before, after } = drawChances(model, shifts, stream);
      const asked = count < items.length ? stream.shuffle([...places]).slice(0, count) : places;
      const total = asked.reduce((sum, i) => sum + items[i]!.weight, 0);
      const fall = asked.reduce((sum, i) => sum + items[i]!.weight * (meanOfRuns(before[i]!, 1, stream) - meanOfRuns(after[i]!, 1, stream)), 0); // prettier-ignore
      return fall / total;
    });
  };
  return [...new Set([Math.min(FEW, items.length), items.length])].flatMap((count) => {
    const unchanged = falls(count, 0, nights);
    const dropped = drops.map((drop) => falls(count, drop, Math.ceil(nights / 10)));
    return thresholds.map((below) => {
      const share = (some: readonly number[]): number =>
        some.filter((fall) => fall > below + 1e-9).length / some.length;
      return { items: count, below, alarmsAYear: runsPerYear * share(unchanged), power: dropped.map(share) };
    });
  });
}
