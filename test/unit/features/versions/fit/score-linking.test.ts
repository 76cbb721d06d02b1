import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import { linkScores } from "../../../../../features/versions/fit/link-bank.ts";

const newer = Float64Array.from({ length: 40 }, (_, m) => 0.2 + 0.015 * m);

test("a line through scores that lie on one", () => {
  const line = linkScores({ older: newer.map((score) => 0.05 + 0.9 * score), newer, linkingError: 0 })!;
  expect(line.models).toBe(40);
  expect(line.slope).toBeCloseTo(0.9, 12);
  expect(line.intercept).toBeCloseTo(0.05, 12);
  expect(line.error).toBeLessThan(1e-12);
});

test("its error is the residuals' and what the placed items leave open", () => {
  const random = createRandom("residuals");
  const older = newer.map((score) => score + 0.01 * random.normal());
  const alone = linkScores({ older, newer, linkingError: 0 })!;
  expect(alone.error).toBeGreaterThan(0.007);
  expect(alone.error).toBeLessThan(0.013);
  const open = linkScores({ older, newer, linkingError: 0.02 })!;
  expect(open.error).toBeCloseTo(Math.hypot(alone.error, alone.slope * 0.02), 12);
});

test("models without one of the scores are left out; too few, or all alike, are no line", () => {
  const some = newer.map((score, m) => (m < 10 ? NaN : score));
  expect(linkScores({ older: some, newer, linkingError: 0 })!.models).toBe(30);
  expect(linkScores({ older: newer.slice(0, 4), newer: newer.slice(0, 4), linkingError: 0 })).toBeNull();
  expect(linkScores({ older: newer, newer: new Float64Array(40).fill(0.5), linkingError: 0 })).toBeNull();
});
