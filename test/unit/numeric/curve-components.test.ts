import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { centredCurves, curveComponents } from "../../../offline-trainer/src/numeric/curve-components.ts";

const POINTS = 7;

/** Curves of two sets of items at the same points. */
const sets = [5, 9].map((items) => {
  const random = createRandom(`${items} items`);
  return Array.from({ length: POINTS }, () => Float64Array.from({ length: items }, () => random.next()));
});

test.each([POINTS, 2])("with %i components at most, products of loadings and what is left are covariances", (most) => {
  const { rank, loadings, left } = curveComponents(
    sets.map((values) => centredCurves(values.map((own) => own.slice()))),
    { leftOut: 0, most },
  );
  expect(rank).toBeLessThanOrEqual(most);
  sets.forEach((values, s) => {
    const items = values[0]!.length;
    const mean = Array.from({ length: items }, (_, i) => values.reduce((sum, own) => sum + own[i]! / POINTS, 0));
    for (let i = 0; i < items; i++)
      for (let j = 0; j <= i; j++) {
        const covariance = values.reduce((sum, own) => sum + ((own[i]! - mean[i]!) * (own[j]! - mean[j]!)) / POINTS, 0);
        let product = i === j ? left[s]![i]! : 0;
        for (let r = 0; r < rank; r++) product += loadings[s]![i * rank + r]! * loadings[s]![j * rank + r]!;
        // An item's own variance is all there; two items' covariance where no component is left out.
        if (i === j || most === POINTS) expect(product).toBeCloseTo(covariance, 12);
      }
  });
});
