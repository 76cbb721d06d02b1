import type { RandomSource } from "anchoreval/core";
import { smoothMap } from "../../smoothing/smooth-map.ts";
import type { SmoothCurve } from "../../smoothing/smooth-curve.ts";
import { attribution } from "./attribution.ts";
import { geneticSearch, type GeneticOptions } from "./genetic-search.ts";
import type { InnerSplit } from "./inner-split.ts";
import { columnsOf, meanScores, type ItemColumns } from "./item-columns.ts";
import { GROUPS, regroup } from "./regroup.ts";
import { subsetError } from "./subset-fitness.ts";

export interface EssenceOptions extends GeneticOptions {
  /** Subsets in a generation of a group's search. */
  readonly groupPopulation: number;
  /** Rounds of a search of the pool and one of each of its groups. */
  readonly rounds: number;
}

/** The items that were found. */
export interface EssenceSubset {
  /** Ascending. */
  readonly items: Uint32Array;
  /** From mean score on them to full score, fitted on the models that the search was not judged by. */
  readonly map: SmoothCurve;
  /** Root mean square of the map's errors on the judging models; too small for any others. */
  readonly error: number;
  /** Generations of all searches. */
  readonly generations: number;
}

/** What a search judges by and draws from. */
export interface EssenceInput {
  /** Scores of the source models. */
  readonly columns: ItemColumns;
  /** Their full scores. */
  readonly full: Float64Array;
  readonly split: InnerSplit;
}

/**
 * EssenceBench: in every round a genetic search of the pool for k items, then one in each of three groups made by what
 * the best subsets' items are worth ({@link attribution}); the group with the best subset is the next round's pool. The
 * best subset of all searches stays.
 *
 * A round's searches judge subsets by one fixed map, from the mean score on the whole pool to the full score. On a subset's
 * own mean it is off, and in another round it is another: which search found the best subset is judged by maps refitted on
 * each.
 * @param pool - items that may be chosen, ascending, at least k
 * @see arXiv 2510.10457
 */
export function essenceSearch(
  { columns, full, split }: EssenceInput,
  pool: Uint32Array,
  k: number,
  options: EssenceOptions,
  random: RandomSource,
): EssenceSubset {
  const part = (models: readonly number[]): Pick<EssenceInput, "columns" | "full"> => ({
    columns: columnsOf(columns, models),
    full: Float64Array.from(models, (m) => full[m]!),
  });
  const [learned, judged] = [part(split.fitted), part(split.judging)];
  const mapFrom = (items: Uint32Array): SmoothCurve => smoothMap(meanScores(learned.columns, items), learned.full);
  let generations = 0;

  const search = (own: Uint32Array, map: SmoothCurve, population: number, stream: RandomSource): Searched => {
    const result = geneticSearch(own, k, { ...judged, map }, { ...options, population }, stream);
    generations += result.generations;
    const elite = result.elite.map(({ items }) => items);
    const refitted = mapFrom(elite[0]!);
    const error = subsetError({ ...judged, map: refitted }, meanScores(judged.columns, elite[0]!), 0, 1);
    return { pool: own, elite, map: refitted, error };
  };

  const found: Searched[] = [];
  for (let round = 0, current = pool; round < options.rounds; round++) {
    const own = random.fork(`round ${round}`);
    const map = mapFrom(current);
    const whole = search(current, map, options.population, own.fork("pool"));
    const groups = regroup(current, attribution(learned.columns, learned.full, whole.elite), k, own.fork("groups"));
    const parts = GROUPS.map((name) => search(groups[name], map, options.groupPopulation, own.fork(name)));
    found.push(whole, ...parts);
    current = leastError(parts).pool;
  }
  const { elite, map, error } = leastError(found);
  return { items: elite[0]!, map, error, generations };
}

/** What a search of a pool found. */
interface Searched {
  readonly pool: Uint32Array;
  /** The best subsets, the best first. */
  readonly elite: readonly Uint32Array[];
  /** Fitted on the first of them, and its error on the judging models. */
  readonly map: SmoothCurve;
  readonly error: number;
}

/** The first of those with the least error. */
function leastError(searched: readonly Searched[]): Searched {
  return searched.reduce((best, own) => (own.error < best.error ? own : best));
}
