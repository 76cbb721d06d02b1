import { typescriptBackend } from "../../../../../offline-trainer/src/backends/typescript.ts";
import type { FitSettings } from "../../../../../offline-trainer/src/methods/settings.ts";
import { fit, type Fit } from "../../../../../offline-trainer/src/fit/fit.ts";
import type { BundleDescription } from "../../../../../offline-trainer/src/fit/options.ts";
import { responseMatrix } from "../../../../../offline-trainer/src/matrix/response-matrix.ts";
import { recommended } from "../../../../../offline-trainer/src/methods/method.ts";
import { customised } from "../../../../../offline-trainer/src/methods/index.ts";
import { createRandom } from "anchoreval/internal/core/numeric/random";

export interface SampleFit {
  readonly models: number;
  /** Items by scenario. */
  readonly scenarios: Readonly<Record<string, number>>;
  readonly sizes: readonly number[];
  readonly settings?: Partial<FitSettings>;
  readonly description?: Partial<BundleDescription>;
  /**
   * Of each scenario everyone gets item 2, nobody item 3, item 5 is answered like item 4, items 6 and 7 have this text.
   */
  readonly odd?: string;
}

/** A fit of answers drawn from a one-dimensional model: item 0 of each scenario is reversed, item 1 has no relation. */
export async function sampleFit({ models, scenarios, sizes, settings, description, odd }: SampleFit): Promise<Fit> {
  const items = Object.entries(scenarios).flatMap(([scenario, count]) =>
    Array.from({ length: count }, (_, i) => ({ item_id: `${scenario}/${i}`, scenario, place: i })),
  );
  const random = createRandom(7);
  const scores = new Float64Array(models * items.length);
  for (let m = 0; m < models; m++)
    items.forEach(({ place }, i) => {
      const ability = -1.5 + (3 * m) / models;
      const slope = place === 0 ? -2 : place === 1 ? 0 : 1.5;
      const difficulty = place < 2 ? 0 : ((place % 7) - 3) / 2;
      const chance = 1 / (1 + Math.exp(-slope * (ability - difficulty)));
      const score = random.next() < chance ? 1 : 0;
      const at = m * items.length + i;
      const oddly: Partial<Record<number, number>> = { 2: 1, 3: 0, 5: scores[at - 1]! };
      scores[at] = odd === undefined ? score : (oddly[place] ?? score);
    });
  const matrix = responseMatrix(
    Array.from({ length: models }, (_, m) => `secret-model-${m}`),
    items.map(({ item_id, scenario, place }) => ({
      item_id,
      scenario,
      ...(odd !== undefined && (place === 6 || place === 7) && { text: odd }),
    })),
    scores,
  );
  return fit(matrix, {
    benchmark: "sample",
    version: "1.2.3",
    created: "2026-11-01T00:00:00.000Z",
    ...description,
    method: await customised(recommended, { dims: 1, folds: 3, draws: 2, ...settings }),
    sizes,
    seed: 1,
    backend: typescriptBackend,
  });
}
