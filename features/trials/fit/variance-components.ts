import { withPart } from "anchoreval/internal/core/bundle/part";
import { componentsPart, type VarianceComponents } from "anchoreval/internal/features/trials/core";
import type { FitPart } from "../../../offline-trainer/src/fit/options.ts";
import type { ItemInfo } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import type { CellTrials } from "../../../offline-trainer/src/matrix/readers/score-table.ts";
import { lookUp } from "anchoreval/internal/core/bundle/names";

/**
 * Variance components of scores over models × items × trials, y = μ + m + i + (mi) + ε, by the method of moments, right on the
 * mean for any pattern of missing cells and any numbers of trials. With D the mean of half the squared difference of two
 * cells' means, less their own noise s²/R, over all pairs of cells of one model, of one item, and of neither:
 *
 *   σ²_m = D_neither − D_model,  σ²_i = D_neither − D_item,  σ²_mi = D_model + D_item − D_neither,
 *
 * and σ²_ε = Σ(R−1)s²/Σ(R−1). Of a full table these are the estimates of an analysis of variance. Those below 0 are 0.
 * @param cells - the trials of every model on every item of one scenario, each cell once and none without a score
 * @returns null where no cell was tried twice, or there are no two models that answered two items
 * @see Koch (1967), Technometrics 9, 93–118; Brennan (2001), Generalizability Theory, ch. 7
 */
export function varianceComponents(cells: readonly CellTrials[]): VarianceComponents | null {
  const means = cells.map(({ scores }) => scores.reduce((sum, score) => sum + score, 0) / scores.length);
  const squares = cells.map(({ scores }, k) => scores.reduce((sum, score) => sum + (score - means[k]!) ** 2, 0));
  const degrees = cells.reduce((sum, { scores }) => sum + scores.length - 1, 0);
  if (degrees === 0) return null;
  const trial = squares.reduce((sum, square) => sum + square, 0) / degrees;
  const noises = cells.map(({ scores: { length } }, k) => (length < 2 ? trial : squares[k]! / (length - 1)) / length);
  const pairs = (groupOf: (cell: CellTrials) => string): PairSum => pairsWithin(cells.map(groupOf), means, noises);
  const [all, model, item] = [pairs(() => ""), pairs((cell) => cell.model), pairs((cell) => cell.item)];
  const neither = { sum: all.sum - model.sum - item.sum, count: all.count - model.count - item.count };
  if (Math.min(neither.count, model.count, item.count) === 0) return null;
  const half = ({ sum, count }: PairSum): number => sum / count / 2;
  const [byModel, byItem, byNeither] = [half(model), half(item), half(neither)];
  return {
    model: Math.max(0, byNeither - byModel),
    item: Math.max(0, byNeither - byItem),
    modelItem: Math.max(0, byModel + byItem - byNeither),
    trial,
    trials: cells.length / cells.reduce((sum, { scores }) => sum + 1 / scores.length, 0),
    repeated: cells.filter(({ scores }) => scores.length > 1).length,
  };
}

interface PairSum {
  /** Of (ȳ_a − ȳ_b)² less both noises. */
  readonly sum: number;
  readonly count: number;
}

/** Sums over all pairs within groups: Σ_{a<b}(ȳ_a − ȳ_b)² = nΣȳ² − (Σȳ)². */
function pairsWithin(groups: readonly string[], means: readonly number[], noises: readonly number[]): PairSum {
  const sums = new Map<string, { size: number; sum: number; squares: number; noise: number }>();
  groups.forEach((group, k) => {
    const entry = sums.get(group) ?? { size: 0, sum: 0, squares: 0, noise: 0 };
    entry.size++;
    entry.sum += means[k]!;
    entry.squares += means[k]! ** 2;
    entry.noise += noises[k]!;
    sums.set(group, entry);
  });
  let [sum, count] = [0, 0];
  for (const { size, sum: total, squares, noise } of sums.values()) {
    sum += size * squares - total ** 2 - (size - 1) * noise;
    count += (size * (size - 1)) / 2;
  }
  return { sum, count };
}

/** Figures kept of a component. */
const DIGITS = 6;

/** Variance components as the notes of a fit have them, by scenario; those that have none are left out. */
export function notedComponents(
  trials: readonly CellTrials[],
  items: readonly Pick<ItemInfo, "item_id" | "scenario">[],
): Record<string, Record<string, number>> {
  const scenarioOf = new Map(items.map(({ item_id: id, scenario }) => [id, scenario]));
  const cells = new Map<string, CellTrials[]>();
  for (const cell of trials) {
    const scenario = scenarioOf.get(cell.item)!;
    const list = cells.get(scenario) ?? [];
    list.push(cell);
    cells.set(scenario, list);
  }
  const rounded = (components: VarianceComponents): Record<string, number> =>
    Object.fromEntries(Object.entries(components).map(([name, value]: [string, number]) => [name, Number(value.toPrecision(DIGITS))])); // prettier-ignore
  const entries = [...new Set(scenarioOf.values())].flatMap((id) => {
    const components = varianceComponents(cells.get(id) ?? []);
    return components ? [[id, rounded(components)] as const] : [];
  });
  return Object.fromEntries(entries);
}

/**
 * The part of a fit that notes the scenarios' variance components, by which intervals are for a model's expected score.
 * @param trials - of every cell of the board, as `readResponses` has them where a file has several trials
 * @param items - of the board
 * @example
 * const { matrix, trials = [] } = await readResponses("trials.csv.gz", { items: "items.jsonl.gz" });
 * await fit(matrix, { benchmark: "quiz", version: "1.0.0", created, sizes: [50], seed: 1, backend, parts: [withComponents(trials, matrix.items)] });
 */
export function withComponents(trials: readonly CellTrials[], items: readonly ItemInfo[]): FitPart {
  return {
    stage: "trials",
    add: ({ content }) => {
      const noted = notedComponents(trials, items);
      const entries = content.manifest.scenarios.flatMap(({ id }) => {
        const components = lookUp(noted, id);
        return components ? [[id, components] as const] : [];
      });
      if (entries.length === 0) return content;
      return { ...content, manifest: withPart(content.manifest, componentsPart, Object.fromEntries(entries)) };
    },
  };
}
