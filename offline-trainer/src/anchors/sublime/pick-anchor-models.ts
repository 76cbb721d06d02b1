/** Anchor models where none are named; a quarter of the models where that is less. */
const ANCHOR_MODELS = 8;
/** Fewest of either kind. */
const LEAST_ANCHOR_MODELS = 2;
const LEAST_JUDGES = 4;

/** Models whose answers describe a subset, and models whose ranking it is judged by. Positions, ascending. */
export interface ModelRoles {
  readonly anchors: readonly number[];
  readonly judges: readonly number[];
}

/**
 * The named anchor models; without names, or where fewer than two of those are here, models spread over the range of
 * scores: at the middles of as many equal parts of their ranking. All others judge; all do where fewer than four are left.
 * @param full - the models' full scores
 * @param named - positions
 */
export function pickAnchorModels(full: Float64Array, named: ArrayLike<number> = []): ModelRoles {
  const models = Array.from(full, (_, m) => m);
  const known = [...new Set(Array.from(named))].sort((x, y) => x - y);
  const anchors = known.length >= LEAST_ANCHOR_MODELS ? known : spread(full);
  const taken = new Set(anchors);
  const judges = models.filter((m) => !taken.has(m));
  return { anchors, judges: judges.length >= LEAST_JUDGES ? judges : models };
}

function spread(full: Float64Array): number[] {
  const ranked = Array.from(full, (_, m) => m).sort((x, y) => full[x]! - full[y]! || x - y);
  const wanted = Math.min(ANCHOR_MODELS, Math.max(LEAST_ANCHOR_MODELS, Math.floor(full.length / 4)));
  const count = Math.min(wanted, full.length);
  return Array.from({ length: count }, (_, k) => ranked[Math.floor(((k + 0.5) * full.length) / count)]!).sort(
    (x, y) => x - y,
  );
}
