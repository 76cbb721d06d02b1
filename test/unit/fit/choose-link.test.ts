import { createRandom, sigmoid } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { scenarioGroups } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { resolveLink } from "../../../offline-trainer/src/calibrate/choose-model.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";
import { SCORE_LINKS, type ScoreLink } from "../../../offline-trainer/src/calibrate/bank.ts";
import { responseMatrix, type ResponseMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";

const [models, items] = [60, 80];

/** Scores about a 2PL's curve. @param score - from probability and a stream of random numbers */
function leaderboard(score: (p: number, normal: () => number, next: () => number) => number): ResponseMatrix {
  const random = createRandom("links");
  const theta = Array.from({ length: models }, () => random.normal());
  const b = Array.from({ length: items }, () => random.normal());
  const scores = Float64Array.from({ length: models * items }, (_, k) =>
    score(
      sigmoid(theta[Math.floor(k / items)]! - b[k % items]!),
      () => random.normal(),
      () => random.next(),
    ),
  );
  return responseMatrix(
    theta.map((_, m) => `model-${m}`),
    b.map((_, i) => ({ item_id: `item-${i}`, scenario: "s" })),
    scores,
  );
}

const resolved = (matrix: ResponseMatrix, link: ScoreLink | "auto" = "auto"): Promise<ScoreLink> => {
  const task = scenarioGroups(matrix, DEFAULT_SETTINGS)[0]!;
  const rows = matrix.subjects.map((_, m) => m);
  return resolveLink(task, rows, link, {
    irtModel: "2pl",
    estimation: "penalised",
    backend: typescriptBackend,
    random: createRandom(1),
  });
};
const within = (score: number): number => Math.min(1, Math.max(0, score));

describe("auto", () => {
  test("takes the Bernoulli link where the variance is P(1−P)'s", async () => {
    const matrix = leaderboard((p, normal) => within(p + 0.3 * Math.sqrt(p * (1 - p)) * normal()));
    expect(await resolved(matrix)).toBe("bernoulli");
  });

  test("takes the Gaussian link where the variance is the same everywhere", async () => {
    const matrix = leaderboard((p, normal) => within(0.05 + 0.9 * p + 0.04 * normal()));
    expect(await resolved(matrix)).toBe("gaussian");
  });

  test("binarises where the curve of the scores bends as no logistic does", async () => {
    // Below P = .7 even a right answer scores .15: the mean score jumps there.
    const matrix = leaderboard((p, _, next) => (next() < p ? 1 : 0.2) * (p > 0.7 ? 1 : 0.15));
    expect(await resolved(matrix)).toBe("binarize");
  });

  test("has nothing to choose where scores are 0 or 1", async () => {
    expect(await resolved(leaderboard((p, _, next) => (next() < p ? 1 : 0)))).toBe("binarize");
  });
});

test.each(SCORE_LINKS)("%s is taken as asked", async (link) => {
  expect(
    await resolved(
      leaderboard((p) => p),
      link,
    ),
  ).toBe(link);
});
