import { createRandom, itemBank, itemLogit, logisticAnswers, responseDerivatives } from "anchoreval/core";
import { expect, test } from "vitest";

test.each([1, 7, 2500])("%i answers say what each of them says by itself", (count) => {
  const dims = 3;
  const random = createRandom(`${count} answers`);
  const normals = (length: number): Float64Array => Float64Array.from({ length }, () => random.normal());
  const [rows, intercepts, theta] = [normals(count * dims), normals(count), normals(dims)];
  const scores = Float64Array.from({ length: count }, () => Math.round(random.next() * 4) / 4);
  const [slopes, informations] = [new Float64Array(count), new Float64Array(count)];
  const value = logisticAnswers(theta, rows, intercepts, scores, slopes, informations);

  const bank = itemBank(rows, intercepts);
  const point = { logLikelihood: 0, slope: 0, information: 0 };
  let sum = 0;
  for (let j = 0; j < count; j++) {
    responseDerivatives(itemLogit(theta, bank, j), scores[j]!, bank, j, point);
    sum += point.logLikelihood;
    expect(slopes[j]).toBe(point.slope);
    expect(informations[j]).toBe(point.information);
  }
  expect(Math.abs(value - sum)).toBeLessThanOrEqual(count * 2 ** -50 * (1 + Math.abs(sum)));
});

test("answers far out in the tails are as sure or as impossible as their logits say", () => {
  const out = new Float64Array(2);
  const value = logisticAnswers(
    Float64Array.of(1),
    Float64Array.of(800, 800),
    Float64Array.of(0, 0),
    Float64Array.of(1, 0),
    out,
    new Float64Array(2),
  );
  expect(value).toBe(-800);
  expect(Array.from(out)).toEqual([0, -1]);
});
