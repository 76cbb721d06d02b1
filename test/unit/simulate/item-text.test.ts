import { expect, test } from "vitest";
import { simulateLeaderboard } from "../../../offline-trainer/src/simulate/simulate-leaderboard.ts";

const SHAPE = { models: 10, items: 1500, scenarios: 3, seed: 5 };

test("every item has a question of its own, and only where text is asked for", () => {
  const { matrix, truth } = simulateLeaderboard({ ...SHAPE, text: true });
  const texts = matrix.items.map(({ text }) => text!);
  expect(new Set(texts).size).toBe(1500);
  texts.forEach((text, i) => {
    const { choices } = truth.scenarios[truth.items.scenario[i]!]!;
    expect(text).toMatch(choices > 0 ? /are there now\? A\) .* D\) -?\d+$/ : /are there now\?$/);
  });
  for (const item of simulateLeaderboard(SHAPE).matrix.items) expect(item).not.toHaveProperty("text");
});

test("near-copies are about the same person and thing", () => {
  const { matrix, truth } = simulateLeaderboard({ ...SHAPE, text: true, dims: 1 });
  const subjects = new Map<number, string>();
  truth.items.cluster.forEach((cluster, i) => {
    if (cluster === 0) return;
    const subject = matrix.items[i]!.text!.replace(/^Question \d+\. (\w+) has \d+ ([\w ]+)\..*$/, "$1 $2");
    expect(subjects.get(cluster) ?? subject).toBe(subject);
    subjects.set(cluster, subject);
  });
  expect(subjects.size).toBeGreaterThan(10);
});

test("text changes nothing else", () => {
  const [plain, told] = [simulateLeaderboard(SHAPE), simulateLeaderboard({ ...SHAPE, text: true })];
  expect(told.matrix.scores).toEqual(plain.matrix.scores);
});
