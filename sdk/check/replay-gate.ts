import type { ComparedModel } from "../compare/types.ts";
import type { Bundle } from "../core/bundle/bundle.ts";
import { createRandom } from "../core/numeric/random.ts";
import { dropRule } from "./check-from-anchors.ts";
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

/**
 * A gate over nights before anybody trusts it, by `gatePower`: with all items of the form, and with half of them, drawn at
 * random.
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
  const order = createRandom(seed)
    .fork("items of a replayed gate")
    .shuffle([...whole.items.keys()]);
  return [Math.ceil(order.length / 2), order.length].map((size) => {
    const drawn = order.slice(0, size).map((i) => whole.items[i]!);
    const total = drawn.reduce((sum, { weight }) => sum + weight, 0);
    const items = drawn.map((item) => ({ ...item, weight: item.weight / total }));
    const model = chanceModel(items.map(({ counts }) => counts));
    const gate = { items, model, evidence: itemEvidence(model) };
    const found = (drop: number): number =>
      gatePower(gate, { drop, nights: within, threshold: 1 / probability, replays: Math.ceil(nights / 10), seed });
    return { items: size, within, alarmsAYear: (runsPerYear / within) * found(0), power: drops.map(found) };
  });
}
