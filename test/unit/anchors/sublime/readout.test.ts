import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import type { ItemColumns } from "../../../../offline-trainer/src/anchors/essence/item-columns.ts";
import { readoutError, readouts } from "../../../../offline-trainer/src/anchors/sublime/readout.ts";
import { drawnColumns } from "../essence/drawn-columns.ts";

const { columns, full } = drawnColumns("readout", 24, 60);
const all = Array.from({ length: 24 }, (_, m) => m);
const parts = [0, 1, 2].map((part) => ({
  sources: all.filter((m) => m % 3 !== part),
  targets: all.filter((m) => m % 3 === part),
}));
const mean = (values: readonly number[]): number => values.reduce((sum, own) => sum + own, 0) / values.length;
const { sources, targets } = parts[0]!;

describe("readouts", () => {
  test("of one item are a ridge regression on it: w = Σxy/(Σx² + λΣx²/n)", () => {
    const answers = (m: number): number => columns.scores[7 * 24 + m]!;
    const [centre, level] = [mean(sources.map(answers)), mean(sources.map((m) => full[m]!))];
    const squares = sources.reduce((sum, m) => sum + (answers(m) - centre) ** 2, 0);
    const product = sources.reduce((sum, m) => sum + (answers(m) - centre) * (full[m]! - level), 0);
    const found = readouts(columns, full, Uint32Array.of(7), sources, targets);
    [0.01, 0.03, 0.1, 0.3, 1, 3].forEach((penalty, p) => {
      const weight = product / (squares * (1 + penalty / sources.length));
      targets.forEach((m, t) => expect(found[p]![t]).toBeCloseTo(level + weight * (answers(m) - centre), 12));
    });
  });

  test("are the same from the shorter and the longer side: items that all answer alike say nothing", () => {
    const scores = new Float64Array(80 * 24).fill(1);
    scores.set(columns.scores);
    const padded: ItemColumns = { models: 24, items: 80, scores };
    const few = Uint32Array.from({ length: 10 }, (_, j) => 5 * j);
    const many = Uint32Array.from([...few, ...Array.from({ length: 20 }, (_, j) => 60 + j)]);
    const [short, long] = [few, many].map((items) => readouts(padded, full, items, sources, targets));
    short!.forEach((own, p) => own.forEach((score, t) => expect(long![p]![t]).toBeCloseTo(score, 12)));
  });

  test("of items that tell nobody apart are the sources' mean", () => {
    const flat = { models: 24, items: 3, scores: new Float64Array(72).fill(1) };
    for (const scores of readouts(flat, full, Uint32Array.of(0, 1, 2), sources, targets))
      for (const score of scores) expect(score).toBeCloseTo(mean(sources.map((m) => full[m]!)), 12);
  });
});

test("readoutError: the mean over models held out, of the best penalty; answers of models held out don't reach it", () => {
  const items = Uint32Array.from({ length: 15 }, (_, j) => 4 * j);
  const { error, penalty } = readoutError(columns, full, items, parts);
  const errors = parts.flatMap(({ sources: own, targets: held }) => {
    const scores = readouts(columns, full, items, own, held)[penalty]!;
    return held.map((m, t) => Math.abs(scores[t]! - full[m]!));
  });
  expect(error).toBeCloseTo(mean(errors), 12);
  const naive = parts.flatMap(({ sources: own, targets: held }) =>
    held.map((m) => Math.abs(mean(own.map((other) => full[other]!)) - full[m]!)),
  );
  expect(error).toBeLessThan(mean(naive));
  const changed = { ...columns, scores: columns.scores.slice() };
  const random = createRandom("others");
  for (let i = 0; i < 60; i++) for (const m of targets) changed.scores[i * 24 + m] = random.next();
  const moved = Float64Array.from(full, (own, m) => (targets.includes(m) ? random.next() : own));
  const one = (own: ItemColumns, scores: Float64Array) => readouts(own, scores, items, sources, [sources[0]!]);
  expect(one(changed, moved)).toEqual(one(columns, full));
});
