import { inclusionProbabilities } from "anchoreval/core";

/**
 * Probabilities of a draw that keeps an earlier version's anchors where it can (positive coordination of samples). Items
 * that couldn't be anchors then are drawn with their own π; anchors stay; the places of those that are gone are filled
 * from the items near them, in the same run of total probability 1. Where too few places are open for the new items,
 * anchors make room with equal chances. Over both draws every item has its π, but that anchors are lost by chance alone
 * is assumed.
 * @param pool - items in the order that samples are spread along
 * @param probabilities - π of the pool's items; their sum is whole
 * @param kept - items that were anchors @param open - whether an item could be none
 * @returns probabilities with the same sum
 * @see Keyfitz (1951), Journal of the American Statistical Association 46, 105–109; Ernst (1999), ISI Bulletin 52
 */
export function keepAnchors(
  pool: readonly number[],
  probabilities: Float64Array,
  kept: ReadonlySet<number>,
  open: (item: number) => boolean,
): Float64Array {
  const size = Math.round(probabilities.reduce((sum, own) => sum + own, 0));
  const positions = Array.from(pool.keys());
  const stays = new Set(positions.filter((k) => kept.has(pool[k]!)));
  const fresh = new Set(positions.filter((k) => !stays.has(k) && open(pool[k]!)));
  const expected = Array.from(fresh).reduce((sum, k) => sum + probabilities[k]!, 0);
  const out = new Float64Array(pool.length);
  const places = size - stays.size;
  if (places <= expected) {
    for (const k of fresh) out[k] = probabilities[k]!;
    for (const k of stays) out[k] = (size - expected) / stays.size;
    return out;
  }
  for (const k of stays) out[k] = 1;
  const gaps = nearLost(probabilities, stays, fresh);
  const sum = gaps.reduce((total, own) => total + own, 0);
  const near = positions.filter((k) => fresh.has(k) || gaps[k]! > 0);
  const rest = near.length >= places ? near : positions.filter((k) => !stays.has(k));
  const weights = Float64Array.from(rest, (k) =>
    gaps[k]! > 0 ? (gaps[k]! / sum) * (places - expected) : Math.max(probabilities[k]!, 1e-12),
  );
  inclusionProbabilities(weights, places).forEach((own, j) => (out[rest[j]!] = own));
  return out;
}

/** Of items that were no anchors but could have been: π times what their run of total probability 1 lacks. */
function nearLost(probabilities: Float64Array, stays: ReadonlySet<number>, fresh: ReadonlySet<number>): Float64Array {
  const mass = new Map<number, { free: number; lacks: number }>();
  let passed = 0;
  const runs = Array.from(probabilities, (own, k) => {
    const run = Math.floor(passed + own / 2);
    passed += own;
    const at = mass.get(run) ?? { free: 0, lacks: 0 };
    mass.set(run, at);
    if (stays.has(k)) at.lacks += own - 1;
    else if (!fresh.has(k)) {
      at.lacks += own;
      at.free += own;
    }
    return run;
  });
  const out = probabilities.map((own, k) => {
    const { free, lacks } = mass.get(runs[k]!)!;
    return stays.has(k) || fresh.has(k) ? 0 : (own / free) * Math.max(0, lacks);
  });
  return out.some((own) => own > 0) ? out : probabilities.map((own, k) => (stays.has(k) || fresh.has(k) ? 0 : own));
}
