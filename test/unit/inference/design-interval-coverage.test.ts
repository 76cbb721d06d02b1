import {
  createRandom,
  designInterval,
  estimateScenario,
  itemBank,
  itemResponses,
  mapAbility,
  scaledPrior,
  wilsonInterval,
} from "anchoreval/core";
import { expect, test } from "vitest";

const RUNS = 500;

interface Population {
  /** Mean ability: where the score lies. */
  readonly level: number;
  /** The bank that the estimator knows differs from the one that answers were drawn from. */
  readonly wrong: boolean;
  readonly n: number;
}

/**
 * Draws models and anchors, and estimates: how often does the interval hold the score that the model got on all items?
 * Simple random anchors in order of difficulty, 400 items, a 2PL that may be wrong: its slopes halved, its intercepts
 * off by a normal draw, one dimension in place of two.
 */
function simulate({ level, wrong, n }: Population): { coverage: number; width: number; wilson: number } {
  const random = createRandom(`coverage ${level} ${wrong} ${n}`);
  const count = 400;
  const truth = itemBank(
    Float64Array.from({ length: 2 * count }, () => 0.5 + 0.5 * Math.abs(random.normal())),
    Float64Array.from({ length: count }, () => 1.3 * random.normal()),
  );
  const known = wrong
    ? itemBank(
        Float64Array.from({ length: count }, (_, i) => (truth.a[2 * i]! + truth.a[2 * i + 1]!) / 2),
        Float64Array.from(truth.b, (b) => b + random.normal()),
      )
    : truth;
  const prior = scaledPrior(
    new Float64Array(known.dims),
    Float64Array.from({ length: known.dims ** 2 }, (_, k) => (k % (known.dims + 1) === 0 ? 1 : 0)),
    2,
  );
  const weights = new Float64Array(count).fill(1 / count);
  const order = Array.from({ length: count }, (_, i) => i);
  let held = 0;
  let width = 0;
  let wilson = 0;
  for (let run = 0; run < RUNS; run++) {
    const theta = Float64Array.of(level + 0.4 * random.normal(), level + 0.4 * random.normal());
    const scores = Float64Array.from(itemResponses(theta, truth), (p) => (random.next() < p ? 1 : 0));
    const score = scores.reduce((sum, value) => sum + value, 0) / count;
    const items = Uint32Array.from(random.shuffle([...order]).slice(0, n)).sort((i, j) => truth.b[i]! - truth.b[j]!);
    const answers = Array.from(items, (item) => scores[item]!);
    const anchors = { items, mass: new Float64Array(n).fill(1), inclusion: new Float64Array(n).fill(n / count) };
    const estimate = estimateScenario(
      { bank: known, weights, scoreMap: null, anchors, lambda: 0.5 },
      answers,
      mapAbility(known, { items, scores: answers }, prior),
    )!;
    const { low, high } = designInterval(estimate.estimators["p-irt-dr"], estimate.sample, estimate.residuals, 0.95)!;
    const rounding = 1e-12;
    if (low <= score + rounding && score <= high + rounding) held++;
    width += high - low;
    const plain = wilsonInterval(estimate.estimators["anchor-mean"], n / (1 - n / count), 1.96);
    wilson += plain.high - plain.low;
  }
  return { coverage: held / RUNS, width: width / RUNS, wilson: wilson / RUNS };
}

// 500 draws know a coverage of .95 to ±.03 (three standard errors). Above .95 costs width, below it is a lie.
test.each<[string, Population]>([
  ["10 anchors", { level: 0.2, wrong: false, n: 10 }],
  ["30 anchors", { level: 0.2, wrong: false, n: 30 }],
  ["100 anchors", { level: 0.2, wrong: false, n: 100 }],
  ["30 anchors, a wrong response model", { level: 0.2, wrong: true, n: 30 }],
  ["100 anchors, a wrong response model", { level: 0.2, wrong: true, n: 100 }],
])("the full score is in about 95 of 100 intervals: %s", (_, population) => {
  expect(simulate(population).coverage).toBeGreaterThan(0.92);
});

// Full scores of .98 and .02, where half of the draws see no wrong (or right) answer: 3000 draws give .915 to .93.
test.each<[string, Population]>([
  ["near 1", { level: 3, wrong: true, n: 30 }],
  ["near 0", { level: -3, wrong: true, n: 30 }],
])("and in nearly as many where scores are extreme and the response model is wrong: %s", (_, population) => {
  expect(simulate(population).coverage).toBeGreaterThan(0.88);
});

test("the response model earns its keep: narrower than Wilson's for the plain mean, at 50 anchors", () => {
  const { width, wilson } = simulate({ level: 0.2, wrong: false, n: 50 });
  expect(width).toBeLessThan(0.97 * wilson);
});
