import { fullScores } from "../prepare/full-scores.ts";
import type { ScenarioSlice } from "../prepare/scenarios.ts";
import type { ResponseMatrix } from "../matrix/response-matrix.ts";

/** How an item goes with the rest of its scenario, among the models that answered it. */
export interface ItemStatistics {
  /** Models that answered it. */
  readonly models: number;
  /** Mean score; NaN where nobody answered. */
  readonly mean: number;
  /** Mean score among the weakest and the strongest quarter of the models; NaN where none of them answered. */
  readonly weakest: number;
  readonly strongest: number;
  /** Correlation of the item's scores with the models' scores on all other items (item-rest correlation); NaN where either is constant. */
  readonly correlation: number;
}

/**
 * Classical statistics of every item of a scenario. They read the answers alone, no response model, so that an item
 * that the model can't follow is seen too.
 * @see Lord & Novick (1968), Statistical Theories of Mental Test Scores, ch. 15
 */
export function itemStatistics(matrix: ResponseMatrix, slice: ScenarioSlice): ItemStatistics[] {
  const { begin, count, weights } = slice;
  const { score } = fullScores(matrix, slice);
  const models = Array.from(score.keys()).filter((m) => !Number.isNaN(score[m]!));
  const ranked = [...models].sort((x, y) => score[x]! - score[y]! || x - y);
  const quarter = Math.max(1, Math.floor(ranked.length / 4));
  const weak = new Set(ranked.slice(0, quarter));
  const strong = new Set(ranked.slice(-quarter));
  const mass = observedMass(matrix, slice);
  return Array.from({ length: count }, (_, i): ItemStatistics => {
    const own = new Moments();
    const weakest = new Moments();
    const strongest = new Moments();
    for (const m of models) {
      const at = m * matrix.items.length + begin + i;
      if (matrix.observed !== null && matrix.observed[at] === 0) continue;
      const y = matrix.scores[at]!;
      const rest = (score[m]! * mass[m]! - weights[i]! * y) / (mass[m]! - weights[i]!);
      own.add(y, rest);
      if (weak.has(m)) weakest.add(y, rest);
      if (strong.has(m)) strongest.add(y, rest);
    }
    return {
      models: own.count,
      mean: own.mean,
      weakest: weakest.mean,
      strongest: strongest.mean,
      correlation: own.correlation,
    };
  });
}

/** Weight of the items that each model answered. */
function observedMass(
  { items, observed, subjects }: ResponseMatrix,
  { begin, count, weights }: ScenarioSlice,
): Float64Array {
  return Float64Array.from(subjects, (_, m) => {
    let sum = 0;
    for (let i = 0; i < count; i++)
      if (observed === null || observed[m * items.length + begin + i] !== 0) sum += weights[i]!;
    return sum;
  });
}

/** Means and products of pairs, updated one by one (Welford). */
class Moments {
  count = 0;
  #x = 0;
  #y = 0;
  #xx = 0;
  #yy = 0;
  #xy = 0;

  add(x: number, y: number): void {
    this.count++;
    const dx = x - this.#x;
    const dy = y - this.#y;
    this.#x += dx / this.count;
    this.#y += dy / this.count;
    this.#xx += dx * (x - this.#x);
    this.#yy += dy * (y - this.#y);
    this.#xy += dx * (y - this.#y);
  }

  get mean(): number {
    return this.count > 0 ? this.#x : NaN;
  }

  get correlation(): number {
    return this.#xx > 1e-12 && this.#yy > 1e-12 ? this.#xy / Math.sqrt(this.#xx * this.#yy) : NaN;
  }
}
