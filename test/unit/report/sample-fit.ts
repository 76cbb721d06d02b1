import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { DEFAULT_CONFIGURATION, type FitConfiguration } from "../../../offline-trainer/src/fit/configuration.ts";
import { fitBundle, type FitResult } from "../../../offline-trainer/src/fit/fit-bundle.ts";
import type { BundleDescription } from "../../../offline-trainer/src/fit/fit-options.ts";
import { responseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { createRandom } from "../../../sdk/core/numeric/random.ts";

export interface SampleFit {
  readonly models: number;
  /** Items by scenario. */
  readonly scenarios: Readonly<Record<string, number>>;
  readonly sizes: readonly number[];
  readonly configuration?: Partial<FitConfiguration>;
  readonly description?: Partial<BundleDescription>;
}

/** A fit of answers drawn from a one-dimensional model: item 0 of each scenario is reversed, item 1 has no relation. */
export function sampleFit({ models, scenarios, sizes, configuration, description }: SampleFit): Promise<FitResult> {
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
      scores[m * items.length + i] = random.next() < chance ? 1 : 0;
    });
  const matrix = responseMatrix(
    Array.from({ length: models }, (_, m) => `secret-model-${m}`),
    items.map(({ item_id, scenario }) => ({ item_id, scenario })),
    scores,
  );
  return fitBundle(matrix, {
    benchmark: "sample",
    version: "1.2.3",
    created: "2026-11-01T00:00:00.000Z",
    ...description,
    configuration: { ...DEFAULT_CONFIGURATION, dims: 1, folds: 3, draws: 2, ...configuration },
    sizes,
    seed: 1,
    backend: typescriptBackend,
  });
}
