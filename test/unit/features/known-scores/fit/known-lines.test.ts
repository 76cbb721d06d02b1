import { fit, resolveBackend, responseMatrix, withKnownScores } from "anchoreval-trainer";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import type { Manifest } from "anchoreval/bundle";
import { partOf } from "anchoreval/internal/core/bundle/part";
import { type KnownScoresManifest, knownScoresPart } from "anchoreval/internal/features/known-scores/core";
import { predictScore } from "anchoreval/internal/features/known-scores/sdk/with-known-score";
import { knownLine } from "anchoreval-trainer/internal/features/known-scores/fit/known-lines";
import { describe, expect, it } from "vitest";

/** Scores of models on another benchmark and here: the same logit but for an error, beside a slope and a constant. */
function scoresOf(models: number, { error, slope = 0.7, seed = 3 }: { error: number; slope?: number; seed?: number }) {
  const random = createRandom(seed);
  const logistic = (z: number): number => 1 / (1 + Math.exp(-z));
  const names = Array.from({ length: models }, (_, m) => `m${m}`);
  const logits = names.map(() => 1.2 * random.normal());
  return {
    known: new Map(names.map((name, m) => [name, logistic(logits[m]!)])),
    scores: new Map(names.map((name, m) => [name, logistic(slope * logits[m]! - 0.4 + error * random.normal())])),
  };
}

describe("knownLine", () => {
  it("finds the line, and how far models lie from it", () => {
    const { known, scores } = scoresOf(400, { error: 0.3 });
    const line = knownLine(known, scores)!;
    expect(line.models).toBe(400);
    expect(Math.abs(line.slope - 0.7)).toBeLessThan(0.07);
    expect(Math.abs(line.intercept + 0.4)).toBeLessThan(0.07);
    expect(Math.abs(line.deviation - 0.3)).toBeLessThan(0.05);
  });

  it("says more of what it doesn't know where the stronger models lie on another line", () => {
    const { known, scores } = scoresOf(60, { error: 0.1 });
    const bent = new Map(Array.from(scores, ([name, score]) => [name, known.get(name)! > 0.6 ? score ** 3 : score]));
    expect(knownLine(known, bent)!.deviation).toBeGreaterThan(3 * knownLine(known, scores)!.deviation);
  });

  it("counts models that have both, eight at least, whose known scores vary", () => {
    const { known, scores } = scoresOf(12, { error: 0.1 });
    const gone = new Map(Array.from(known, ([name, score], m) => [name, m < 4 ? NaN : score]));
    expect(knownLine(gone, scores)!.models).toBe(8);
    expect(knownLine(new Map([...gone].slice(0, 11)), scores)).toBeNull();
    expect(knownLine(new Map(Array.from(known.keys(), (name) => [name, 0.5])), scores)).toBeNull();
  });

  it("holds new models as often as its deviation says", () => {
    let held = 0;
    for (let repeat = 0; repeat < 400; repeat++) {
      const { known, scores } = scoresOf(25, { error: 0.25, seed: 100 + repeat });
      const line = knownLine(new Map([...known].slice(1)), scores)!;
      const [[name, x]] = [...known] as [[string, number]];
      const { predicted, deviation } = predictScore(line, x);
      held += Number(Math.abs(predicted - scores.get(name)!) < 2.07 * deviation);
    }
    expect(held / 400).toBeGreaterThan(0.93);
  });
});

it("a fit notes the lines of every benchmark that enough models have a score on, of all and of each scenario", async () => {
  const random = createRandom(5);
  const models = Array.from({ length: 24 }, (_, m) => `m${m}`);
  const items = ["one", "two"].flatMap((scenario) =>
    Array.from({ length: 30 }, (_, i) => ({ item_id: `${scenario}/${i}`, scenario })),
  );
  const strength = models.map(() => random.normal());
  const scores = models.flatMap((_, m) => items.map(() => Number(random.next() < 1 / (1 + Math.exp(-strength[m]!)))));
  const board = responseMatrix(models, items, Float64Array.from(scores));
  const columns = ["elsewhere", "rare"].map((item_id) => ({ item_id, scenario: "known" }));
  const cells = models.flatMap((_, m) => [1 / (1 + Math.exp(-strength[m]!)), m < 7 ? 0.1 * m : NaN]);
  const known = responseMatrix(models, columns, Float64Array.from(cells));
  const { backend } = await resolveBackend("cpu", { threads: 1 });
  const facts = { benchmark: "quiz", version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes: [10], seed: 1, backend };
  const { content } = await fit(board, { ...facts, parts: [withKnownScores(known)] });
  const noted = partOf(content.manifest, knownScoresPart)!;
  expect(Object.keys(noted)).toEqual(["elsewhere"]);
  expect(Object.keys(noted["elsewhere"]!.scenarios)).toEqual(["one", "two"]);
  expect(noted["elsewhere"]!.overall).toMatchObject({ models: 24 });
  const problems = (value: KnownScoresManifest) => knownScoresPart.problems!(value, content.manifest as Manifest);
  expect(problems(noted)).toEqual([]);
  const strange = { elsewhere: { overall: null, scenarios: { three: noted["elsewhere"]!.scenarios["one"]! } } };
  expect(problems(strange)).toEqual(["there is no scenario three"]);
  const { content: plain } = await fit(board, facts);
  expect({ ...content.manifest, parts: undefined }).toEqual({ ...plain.manifest, parts: undefined });
});
