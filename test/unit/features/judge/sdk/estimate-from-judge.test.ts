import { estimateFromJudge, type JudgedEstimate } from "anchoreval";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { expectRefusal, refusal } from "../../../../support/refusal.ts";

const random = createRandom(5);
const IDS = Array.from({ length: 600 }, (_, k) => `q-${k}`);
const JUDGE = Object.fromEntries(IDS.map((id) => [id, random.next()]));
const PEOPLE = Object.fromEntries(IDS.map((id) => [id, Number(random.next() < 0.8 * JUDGE[id]!)]));

/** People's labels of the items that `next` names, of none at first. */
function labelled(
  labels: Readonly<Record<string, number>>,
  halfWidth: number,
): [JudgedEstimate, Record<string, number>] {
  const estimate = estimateFromJudge(JUDGE, labels, { halfWidth });
  return [estimate, { ...labels, ...Object.fromEntries(estimate.next!.items.map((id) => [id, PEOPLE[id]!])) }];
}

test("from no label to the half-width that was asked for, by the items to label next", () => {
  const [none, first] = labelled({}, 0.08);
  expect(none).toMatchObject({ score: null, interval: null, labels: null, labelled: 0, worth: null });
  expect(none.next!.items).toHaveLength(none.next!.labels);
  let [, labels] = [none, first];
  for (let round = 0; round < 4; round++) labels = labelled(labels, 0.04)[1];
  const { interval, next, judge, labels: alone, worth } = estimateFromJudge(JUDGE, labels, { halfWidth: 0.04 });
  expect(next!.items.length).toBeLessThan(8);
  expect((interval!.high - interval!.low) / 2).toBeLessThan(0.042);
  expect(Object.keys(labels).length).toBeLessThan(worth!);
  expect(judge.used).toBe(true);
  expect(interval!.high - interval!.low).toBeLessThan(alone!.interval.high - alone!.interval.low);
});

test("the judge's mean stands beside, with how far it is off", () => {
  const { score, interval, judge } = estimateFromJudge(JUDGE, PEOPLE);
  const mean = Object.values(JUDGE).reduce((sum, value) => sum + value, 0) / IDS.length;
  const truth = Object.values(PEOPLE).reduce((sum, value) => sum + value, 0) / IDS.length;
  expect(score).toBeCloseTo(truth, 12);
  expect(interval).toEqual({ low: score, high: score, level: 0.95, method: "exact" });
  expect(judge.score).toBeCloseTo(mean, 12);
  expect(judge.bias!.mean).toBeCloseTo(mean - truth, 12);
  expect(judge.correlation).toBeGreaterThan(0.3);
});

test("a draw takes one item of each stretch of the judge's scores, another by another seed, and the same by the same", () => {
  const drawn = (seed: number): readonly string[] =>
    estimateFromJudge(JUDGE, {}, { halfWidth: 0.08, seed }).next!.items;
  const ranks = new Map(IDS.toSorted((a, b) => JUDGE[a]! - JUDGE[b]!).map((id, rank) => [id, rank]));
  const items = drawn(1);
  const stretches = items.map((id) => Math.floor((ranks.get(id)! * items.length) / IDS.length));
  expect(new Set(stretches).size).toBeGreaterThan(items.length - 3);
  expect(new Set(items).size).toBe(items.length);
  expect(drawn(1)).toEqual(items);
  expect(drawn(2)).not.toEqual(items);
});

test("labels that weren't drawn at random are said: those that the judge likes best", () => {
  const best = IDS.toSorted((a, b) => JUDGE[b]! - JUDGE[a]!).slice(0, 60);
  const picked = estimateFromJudge(JUDGE, Object.fromEntries(best.map((id) => [id, PEOPLE[id]!])));
  expect(picked.warnings.map(({ code }) => code)).toEqual(["labels_unlike"]);
  const even = estimateFromJudge(JUDGE, Object.fromEntries(IDS.filter((_, k) => k % 10 === 0).map((id) => [id, PEOPLE[id]!]))); // prettier-ignore
  expect(even.warnings).toEqual([]);
});

test("of few labels the judge says nothing, and a judge on another scale no bias", () => {
  const few = estimateFromJudge(JUDGE, { "q-1": 1, "q-2": 0, "q-3": 1 });
  expect(few.warnings.map(({ code }) => code)).toContain("few_labels");
  expect(few.judge.used).toBe(false);
  expect(few.score).toBeCloseTo(2 / 3, 12);
  const stars = Object.fromEntries(IDS.map((id) => [id, 1 + 9 * JUDGE[id]!]));
  const [plain, scaled] = [JUDGE, stars].map((judge) =>
    estimateFromJudge(judge, Object.fromEntries(IDS.slice(0, 100).map((id) => [id, PEOPLE[id]!]))),
  );
  expect(scaled!.judge.bias).toBeNull();
  expect(scaled!.score).toBeCloseTo(plain!.score!, 10);
});

test("of several labels and of several scores the mean counts, a label that is null is none, true is 1", () => {
  const judged = IDS.slice(0, 20);
  const plain = estimateFromJudge(
    Object.fromEntries(judged.map((id, k) => [id, k / 20])),
    Object.fromEntries(judged.slice(0, 12).map((id, k) => [id, (k % 3) / 2])),
  );
  const twice = new Map(judged.map((id, k) => [id, k % 2 === 0 ? k / 20 : [k / 20 - 0.01, null, k / 20 + 0.01]]));
  const labels = [[0, 0], { passed: 1, of: 2 }, true] as const;
  const said = new Map(judged.map((id, k) => [id, k < 12 ? labels[k % 3]! : k === 12 ? [null] : null]));
  const several = estimateFromJudge(twice, said);
  expect(several.labelled).toBe(12);
  expect(several.score).toBeCloseTo(plain.score!, 12);
  expect(several.interval!.high).toBeCloseTo(plain.interval!.high, 12);
  expect(estimateFromJudge(twice, { "q-0": 1, "q-1": null }).labelled).toBe(1);
});

describe("refused", () => {
  test.each<[string, () => unknown, "invalid_answers" | "invalid_option", string]>([
    ["labels of other items", () => estimateFromJudge(JUDGE, { other: 1 }), "invalid_answers", "other"],
    ["a score that is none", () => estimateFromJudge({ a: NaN }, {}), "invalid_answers", '"a", got NaN'],
    ["a missing score", () => estimateFromJudge({ a: 1, b: null }, {}), "invalid_answers", 'no score of 1 item: "b"'],
    ["a label beyond the scale", () => estimateFromJudge(JUDGE, { "q-1": 4 }), "invalid_answers", '"q-1", got 4'],
    ["a label as text", () => estimateFromJudge(JUDGE, { "q-1": "1" as never }), "invalid_answers", "of type string"],
    ["one of several labels", () => estimateFromJudge(JUDGE, { "q-1": [1, 2] }), "invalid_answers", '"q-1"'],
    ["scores in a list", () => estimateFromJudge([1, 0] as never, {}), "invalid_answers", "`judge` goes by item id"],
    ["no items", () => estimateFromJudge({}, {}), "invalid_answers", "no item"],
    ["a level", () => estimateFromJudge(JUDGE, {}, { level: 95 }), "invalid_option", "level"],
    ["a half-width in points", () => estimateFromJudge(JUDGE, {}, { halfWidth: 3 }), "invalid_option", "halfWidth"],
    ["another option", () => estimateFromJudge(JUDGE, {}, { width: 3 } as never), "invalid_option", "width"],
  ])("%s", (_, act, code, words) => expectRefusal(refusal(act), code, words));
});

const SHARED = fileURLToPath(new URL("../../../../../../shared/data/alpacaeval2/responses.csv.gz", import.meta.url));
const ABSENT = existsSync(SHARED) ? "" : " (skipped: the shared data are not beside this checkout)";

test.skipIf(ABSENT !== "")(
  `a real judge's probabilities, and people who answer by them: intervals hold${ABSENT}`,
  () => {
    const [, ...rows] = gunzipSync(readFileSync(SHARED)).toString().trim().split("\n");
    const people = createRandom(11);
    let [held, width, alone, count] = [0, 0, 0, 0];
    for (const row of rows.filter((_, k) => k % 3 === 0)) {
      const judge = Object.fromEntries(row.split(",").slice(1).flatMap((cell, k) => (cell === "" ? [] : [[`i-${k}`, Number(cell)]]))); // prettier-ignore
      const labels = Object.fromEntries(
        Object.entries(judge).map(([id, chance]) => [id, Number(people.next() < chance)]),
      );
      const truth = Object.values(labels).reduce((sum, label) => sum + label, 0) / Object.keys(labels).length;
      for (let draw = 0; draw < 20; draw++) {
        const drawn = Object.entries(labels).filter(() => people.next() < 0.12);
        const { interval, labels: plain } = estimateFromJudge(judge, Object.fromEntries(drawn));
        held += Number(interval!.low <= truth && truth <= interval!.high);
        width += interval!.high - interval!.low;
        alone += plain!.interval.high - plain!.interval.low;
        count++;
      }
    }
    expect(held / count).toBeGreaterThan(0.93);
    expect(width / alone).toBeLessThan(0.75);
  },
);
