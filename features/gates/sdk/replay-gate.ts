import type { ComparedModel } from "../../../sdk/compare/types.ts";
import type { Bundle } from "../../../sdk/core/bundle/bundle.ts";
import { createRandom } from "../../../sdk/core/numeric/random.ts";
import { dropRule } from "../../../sdk/check/check-from-anchors.ts";
import { gateBaseline, type GateOptions, gatePower } from "./gate-from-anchors.ts";
import { chanceModel, itemEvidence } from "./nightly-gate.ts";
import type { ReplayOptions } from "./replay-check.ts";

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
