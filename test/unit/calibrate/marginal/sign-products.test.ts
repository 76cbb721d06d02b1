import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";
import { sumOverItems, sumOverModels } from "../../../../offline-trainer/src/calibrate/marginal/expectation.ts";

test.each([1, 3, 4, 5, 8, 11])("both sums, %d models", (subjects) => {
  const random = createRandom(subjects);
  const items = 9;
  const signs = Int8Array.from({ length: subjects * items }, () => random.below(3) - 1);
  const [v, w] = [items, subjects].map((count) => Float64Array.from({ length: count }, () => random.normal())) as [
    Float64Array,
    Float64Array,
  ];
  const [overItems, overModels] = [new Float64Array(subjects).fill(5), new Float64Array(items).fill(5)];
  sumOverItems({ subjects, items, signs }, v, overItems);
  sumOverModels({ subjects, items, signs }, w, overModels);
  for (let m = 0; m < subjects; m++) {
    let sum = 0;
    for (let i = 0; i < items; i++) sum += signs[m * items + i]! * v[i]!;
    expect(overItems[m]).toBeCloseTo(sum, 13);
  }
  for (let i = 0; i < items; i++) {
    let sum = 0;
    for (let m = 0; m < subjects; m++) sum += signs[m * items + i]! * w[m]!;
    expect(overModels[i]).toBeCloseTo(sum, 13);
  }
});
