import { expect, test } from "vitest";
import { typescriptBackend } from "../../../offline-trainer/src/backends/typescript.ts";
import { fit } from "../../../offline-trainer/src/fit/fit.ts";
import { customised } from "../../../offline-trainer/src/methods/index.ts";
import { recommended } from "../../../offline-trainer/src/methods/method.ts";
import { smallLeaderboard, withScores } from "./small-leaderboard.ts";

const matrix = withScores(smallLeaderboard({ models: 24, items: [30, 16] }), (_, item, old) => (item < 3 ? 1 : old));

test.each(["essence", "stratified"] as const)(
  "a bundle of %s says what its filter left out, if it has one",
  async (selection) => {
    const { content } = await fit(matrix, {
      method: await customised(recommended, { selection, dims: 1, folds: 2, draws: 1 }),
      sizes: [4],
      seed: 1,
      benchmark: "demo",
      version: "1.0.0",
      created: "2026-01-01T00:00:00Z",
      backend: typescriptBackend,
    });
    const { filtered } = content.manifest.fit as {
      filtered?: Record<string, { pool: number; dropped: Record<string, number>; needed: number }>;
    };
    if (selection === "stratified") expect(filtered).toBeUndefined();
    else {
      expect(Object.keys(filtered!)).toEqual(content.manifest.scenarios.map(({ id }) => id));
      const [first, second] = Object.values(filtered!);
      expect(first!.dropped.constant).toBe(3);
      for (const [own, items] of [
        [first!, 30],
        [second!, 16],
      ] as const)
        expect(own.pool + Object.values(own.dropped).reduce((sum, count) => sum + count, 0)).toBe(items);
    }
  },
);
