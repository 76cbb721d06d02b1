import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { stratified } from "../../../../offline-trainer/src/anchors/stratified.ts";
import { screenItems } from "../../../../offline-trainer/src/methods/coarse-filter.ts";
import {
  ESSENCE_LIMITS,
  ESSENCE_SEARCH,
  essenceAnchors,
  essenceSearch,
  innerSplit,
  attribution,
  GROUPS,
  regroup,
} from "../../../../offline-trainer/src/methods/essence/anchors.ts";
import { itemColumns, meanScores } from "../../../../offline-trainer/src/methods/item-columns.ts";
import { curveAt } from "../../../../offline-trainer/src/methods/score-maps/b-splines.ts";
import { anchorInput, prepareWithKnowledge, selectAnchors } from "../../../support/select-anchors.ts";
import { drawnColumns } from "../drawn-columns.ts";
import { ridgeRegression } from "../../../support/source-answers.ts";

const { columns, full, pool } = drawnColumns("essence", 40, 80);
const split = {
  fitted: Array.from({ length: 20 }, (_, m) => 2 * m),
  judging: Array.from({ length: 20 }, (_, m) => 2 * m + 1),
};
const options = { ...ESSENCE_SEARCH, generations: 15 };

describe("the search of EssenceBench", () => {
  const found = essenceSearch({ columns, full, split }, pool, 10, options, createRandom(1));

  test("its error is that of its map, fitted on the others, on the judging models", () => {
    expect(new Set(found.items).size).toBe(10);
    const means = meanScores(columns, found.items);
    const squares = split.judging.map((m) => (curveAt(found.map, means[m]!) - full[m]!) ** 2);
    expect(found.error).toBeCloseTo(Math.sqrt(squares.reduce((sum, own) => sum + own / 20, 0)), 13);
  });

  test("errs far less on them than random items do", () => {
    const random = createRandom("random items");
    const searched = { ...options, generations: 0, population: 1, groupPopulation: 1, rounds: 1 };
    const errors = Array.from({ length: 20 }, (_, k) =>
      essenceSearch({ columns, full, split }, pool, 10, searched, random.fork(String(k))),
    ).map(({ error }) => error);
    expect(found.error).toBeLessThan(Math.min(...errors));
  });

  test("reads the fitted and the judging models only", () => {
    const fewer = { fitted: split.fitted.slice(1), judging: split.judging.slice(1) };
    const other = { ...columns, scores: columns.scores.slice() };
    for (let i = 0; i < 80; i++) for (const m of [0, 1]) other.scores[i * 40 + m] = NaN;
    const wrong = full.map((score, m) => (m < 2 ? NaN : score));
    const search = (own: typeof columns, scores: Float64Array) =>
      essenceSearch({ columns: own, full: scores, split: fewer }, pool, 10, options, createRandom(1));
    expect(search(other, wrong)).toEqual(search(columns, full));
  });
});

describe("models that judge", () => {
  test("are whole families, about the share", () => {
    const families = Int32Array.from({ length: 60 }, (_, m) => m % 13);
    const { fitted, judging } = innerSplit(families, 0.5, createRandom(1));
    expect([...fitted, ...judging].toSorted((x, y) => x - y)).toEqual(Array.from(families.keys()));
    const held = new Set(judging.map((m) => families[m]));
    expect(fitted.some((m) => held.has(families[m]))).toBe(false);
    expect(Math.abs(judging.length - 30)).toBeLessThanOrEqual(5);
  });

  test("leave some to fit on: one of two families, half of one family; a single model does both", () => {
    for (let seed = 0; seed < 20; seed++) {
      const two = innerSplit([0, 0, 0, 0, 0, 0, 1], 0.5, createRandom(seed));
      expect([two.fitted.length, two.judging.length].toSorted()).toEqual([1, 6]);
      const one = innerSplit([4, 4, 4, 4], 0.5, createRandom(seed));
      expect([one.fitted.length, one.judging.length]).toEqual([2, 2]);
    }
    expect(innerSplit([0], 0.5, createRandom(1))).toEqual({ fitted: [0], judging: [0] });
  });
});

describe("essence", () => {
  test("every draw has the same anchors, each standing for the same share", async () => {
    const { draw } = prepareWithKnowledge(essenceAnchors, anchorInput());
    const { sets, nested } = await draw(createRandom(1));
    expect((await draw(createRandom(2))).sets).toEqual(sets);
    expect(nested).toBe(false);
    for (const [size, { mass, inclusion }] of sets) {
      expect(inclusion).toBeNull();
      expect(Array.from(mass)).toEqual(new Array(size).fill(1 / size));
    }
  });

  test("looks at answers and accuracies, not at curves", async () => {
    const input = anchorInput();
    const blind = { ...input, bank: { ...input.bank, a: input.bank.a.map(() => NaN) }, abilities: Float64Array.of() };
    expect((await selectAnchors(essenceAnchors, blind)).sets).toEqual(
      (await selectAnchors(essenceAnchors, input)).sets,
    );
  });

  test("says what its filter left out, and chooses none of it while others are left", async () => {
    const input = anchorInput({ sizes: [4] });
    const same = Float64Array.from({ length: 9 }, () => 0.5);
    const column = (item: number): Float64Array => (item < 5 ? same : input.column(item));
    const given = { ...input, column, knowledge: [[10, 11]] };
    const { filtered } = screenItems(given, ESSENCE_LIMITS);
    const { draw, notes } = essenceAnchors.prepare(given);
    expect(filtered.dropped).toMatchObject({ constant: 5, tooEasy: 0 });
    expect(filtered.dropped.sameText).toBeLessThanOrEqual(1);
    const left = new Set(filtered.pool);
    expect(left.has(3)).toBe(false);
    for (const item of (await draw(createRandom(1))).sets.get(4)!.items) expect(left.has(item)).toBe(true);
    expect(await notes!()).toEqual({
      filtered: { pool: left.size, dropped: { ...filtered.dropped, redundant: 0 }, needed: filtered.needed },
    });
    expect(prepareWithKnowledge(stratified, input).notes).toBeUndefined();
  });

  test("gives sizes for which its filter leaves too few what they need", async () => {
    const input = anchorInput({ sizes: [39] });
    const same = Float64Array.from({ length: 9 }, () => 0.5);
    const { notes, draw } = essenceAnchors.prepare({ ...input, column: () => same });
    expect((await notes!())["filtered"]).toMatchObject({ needed: 40, dropped: { constant: 0 } });
    expect((await draw(createRandom(1))).sets.get(39)!.items.length).toBe(39);
  });
});

test("itemColumns: scores to 2⁻²⁰, item by item", () => {
  const { scores, models, items } = itemColumns((item) => Float64Array.of(item / 3, 1), 2);
  expect([models, items]).toEqual([2, 2]);
  expect(Array.from(scores)).toEqual([0, 1, Math.round(2 ** 20 / 3) / 2 ** 20, 1]);
});

const small = drawnColumns("attribution", 14, 30);
const answer = (m: number, item: number): number => small.columns.scores[item * 14 + m]!;

describe("attribution", () => {
  test.each([5, 25])("is |β|·sd of the ridge regression on %i items", (size) => {
    const subset = Uint32Array.from({ length: size }, (_, j) => 29 - j);
    const rows = Array.from({ length: 14 }, (_, m) => Float64Array.from(subset, (item) => answer(m, item)));
    const predict = ridgeRegression(rows, small.full, 10);
    const zero = predict(new Float64Array(size));
    const own = attribution(small.columns, small.full, [subset]);
    subset.forEach((item, j) => {
      const slope = predict(Float64Array.from({ length: size }, (_, k) => (k === j ? 1 : 0))) - zero;
      const mean = rows.reduce((sum, row) => sum + row[j]! / 14, 0);
      const deviation = Math.sqrt(rows.reduce((sum, row) => sum + (row[j]! - mean) ** 2 / 14, 0));
      expect(own[item]).toBeCloseTo(Math.abs(slope) * deviation, 12);
    });
    for (let item = 0; item < 30 - size; item++) expect(own[item]).toBe(0);
  });

  test("averages over the subsets that hold an item", () => {
    const [one, other] = [Uint32Array.of(0, 1, 2), Uint32Array.of(2, 3)];
    const [first, second] = [
      attribution(small.columns, small.full, [one]),
      attribution(small.columns, small.full, [other]),
    ];
    const both = attribution(small.columns, small.full, [one, other]);
    expect(both[0]).toBe(first[0]);
    expect(both[3]).toBe(second[3]);
    expect(both[2]).toBeCloseTo((first[2]! + second[2]!) / 2, 15);
  });
});

describe("regrouping", () => {
  const pool = Uint32Array.from({ length: 20 }, (_, i) => 3 * i);
  const importance = Float64Array.from({ length: 60 }, (_, item) => (item < 30 ? 0 : item));

  test("three quarters each: the highest, the lowest, random ones; ascending, out of the pool", () => {
    const groups = regroup(pool, importance, 4, createRandom(1));
    for (const name of GROUPS) {
      const own = Array.from(groups[name]);
      expect(own.length).toBe(15);
      expect(own).toEqual([...new Set(own)].toSorted((x, y) => x - y));
      expect(own.every((item) => item % 3 === 0)).toBe(true);
    }
    expect(Array.from(groups.high).filter((item) => item >= 30).length).toBe(10);
    expect(Array.from(groups.low).filter((item) => item < 30).length).toBe(10);
    expect(Math.max(...groups.low)).toBe(42);
    const others = regroup(pool, importance, 4, createRandom(2));
    expect(others.random).not.toEqual(groups.random);
    expect(others.high).not.toEqual(groups.high); // of the equally unimportant others are taken
  });

  test("never fewer than k", () => {
    for (const group of Object.values(regroup(pool, importance, 19, createRandom(1)))) expect(group.length).toBe(19);
  });
});
