import { createHash } from "node:crypto";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { matrixScenarios } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { LEAST_FAMILIES } from "../../../offline-trainer/src/matrix/families.ts";
import { replicateGroups } from "../../../offline-trainer/src/matrix/alike/replicates.ts";
import {
  eligibleTargets,
  extrapolationSplit,
  folds,
  interpolationSplit,
  newestSplit,
  splitByGroups,
  type SplitInput,
  strength,
} from "../../../offline-trainer/src/matrix/splits.ts";
import { scoreAt } from "../../../offline-trainer/src/matrix/response-matrix.ts";
import { sourceSplits } from "../../../offline-trainer/src/matrix/source-splits.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";
import { smallLeaderboard } from "../fit/small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 40 });
const rows = matrix.subjects.map((_, m) => m);
const table = (count: number): Map<string, string> =>
  new Map(matrix.subjects.map((name, m) => [name, `family ${m % count}`]));

/** Families of the targets of every fold, by a table of so many. */
function targetFamilies(count: number): { families: Set<number>; targets: number[] }[] {
  const scenarios = matrixScenarios(matrix, { ...DEFAULT_SETTINGS, families: table(count) });
  const { folds } = sourceSplits(scenarios, rows, replicateGroups(matrix), 5, createRandom("source splits"));
  return folds.map(({ scenarios: [split] }) => ({
    families: new Set(split!.targets.map((m) => scenarios[0]!.families[m]!)),
    targets: [...split!.targets],
  }));
}

describe("the parts in which source models are held out", () => {
  test("keep the families of a table together, where there are enough of them", () => {
    const found = targetFamilies(LEAST_FAMILIES);
    expect(found).toHaveLength(5);
    expect(found.flatMap(({ targets }) => targets).sort((x, y) => x - y)).toEqual(rows);
    for (const { families, targets } of found) expect(targets).toHaveLength(families.size * (40 / LEAST_FAMILIES));
  });

  test("are random ones where there are fewer", () => {
    const few = LEAST_FAMILIES - 1;
    const split = targetFamilies(few).filter(({ families, targets }) => {
      const members = rows.filter((m) => families.has(m % few)).length;
      return targets.length < members;
    });
    expect(split.length).toBeGreaterThan(0);
  });
});

test("the weak teach of the strong: more than half where models are few, and less than 30 % are strong where they are many", () => {
  for (const [models, sources, targets] of [
    [20, 14, 6],
    [80, 50, 24],
    [120, 60, 30],
    [240, 120, 36],
  ] as const) {
    const board = smallLeaderboard({ models });
    const scenarios = matrixScenarios(board, DEFAULT_SETTINGS);
    const own = board.subjects.map((_, m) => m);
    const { strong } = sourceSplits(scenarios, own, replicateGroups(board), 5, createRandom("source splits"));
    expect([strong.sources.length, strong.targets.length]).toEqual([sources, targets]);
    const scoreOf = (m: number): number => board.items.reduce((sum, _, i) => sum + scoreAt(board, m, i), 0);
    const best = Math.max(...strong.sources.map(scoreOf));
    expect(strong.targets.every((m) => scoreOf(m) >= best)).toBe(true);
  }
});

describe("families of the models of a scenario", () => {
  test("are the table's, by the name where it has none", () => {
    const names = ["org/llama-1", "org/own", "org/llama-2", "org/other"];
    const scenarios = matrixScenarios(
      { ...smallLeaderboard({ models: 4 }), subjects: names },
      { ...DEFAULT_SETTINGS, families: new Map([["org/own", "llama"]]) },
    );
    expect(Array.from(scenarios[0]!.families)).toEqual([0, 0, 0, 1]);
  });
});

/** Forty models: 0–4 are replicates of one another, 10 and 11 too; 20 and 21 can't be targets. */
const groups = Array.from({ length: 40 }, (_, m) => (m < 5 ? 0 : m === 11 ? 10 : m));
const input: SplitInput = { groups, eligible: groups.map((_, m) => m !== 20 && m !== 21) };

const sides = ({ sources, targets }: { sources: readonly number[]; targets: readonly number[] }): number[] =>
  sources.map((m) => groups[m]!).filter((group) => targets.some((target) => groups[target] === group));

describe("interpolation", () => {
  test("holds out a quarter of the models, whole groups, replicates never on both sides", () => {
    const times = new Float64Array(40);
    for (let seed = 0; seed < 400; seed++) {
      const split = interpolationSplit(input, createRandom(seed));
      expect(sides(split)).toEqual([]);
      const held = 40 - split.sources.length;
      expect(held).toBeGreaterThanOrEqual(10);
      expect(held).toBeLessThan(10 + 5); // a group of five can carry it past by four
      const spared = [20, 21].filter((m) => !split.sources.includes(m)).length;
      expect(split.targets.length).toBe(held - spared);
      for (const m of split.targets) times[m]! += 1;
      for (const list of [split.sources, split.targets]) expect(list).toEqual(list.toSorted((x, y) => x - y));
    }
    // Every eligible model is a target at times, those that can't be never.
    times.forEach((count, m) => {
      if (m === 20 || m === 21) expect(count).toBe(0);
      else expect(count).toBeGreaterThan(60);
    });
  });

  test("depends on the seed", () => {
    const split = interpolationSplit(input, createRandom(1));
    expect(interpolationSplit(input, createRandom(1))).toEqual(split);
    expect(interpolationSplit(input, createRandom(2))).not.toEqual(split);
  });

  test.each([
    [40, 10],
    [10, 3], // 2.5 rounds up
    [5, 1],
    [2, 1],
    [1, 1],
  ])("of %d single models holds out %d", (models, held) => {
    const single = {
      groups: Array.from({ length: models }, (_, m) => m),
      eligible: new Array<boolean>(models).fill(true),
    };
    expect(interpolationSplit(single, createRandom(1)).targets.length).toBe(held);
  });
});

describe("folds", () => {
  test("hold every eligible model out once, replicates in the same fold, the rest sources", () => {
    for (let seed = 0; seed < 50; seed++) {
      const parts = folds(input, 5, createRandom(seed));
      expect(parts).toHaveLength(5);
      expect(parts.flatMap(({ targets }) => targets).toSorted((x, y) => x - y)).toEqual(
        groups.map((_, m) => m).filter((m) => input.eligible[m]),
      );
      const sizes = parts.map(({ sources }) => 40 - sources.length);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(40);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(5);
      for (const part of parts) expect(sides(part)).toEqual([]);
    }
  });

  test("without a target, or without a source, are left out", () => {
    const all = { groups: [0, 1, 2, 3], eligible: [true, false, true, true] };
    expect(
      folds(all, 4, createRandom(1))
        .map(({ targets }) => targets[0])
        .toSorted(),
    ).toEqual([0, 2, 3]);
    expect(folds({ groups: [7, 7, 7], eligible: [true, true, true] }, 3, createRandom(1))).toEqual([]);
  });
});

test("splitByGroups: a held-out model that can't be a target is on neither side", () => {
  expect(splitByGroups({ groups: [0, 1, 1, 2], eligible: [true, true, false, true] }, new Set([1]))).toEqual({
    sources: [0, 3],
    targets: [1],
  });
});

const names = Array.from({ length: 20 }, (_, m) => `org/model-${m}`);
const own = names.map((_, m) => m);
const all = new Array<boolean>(20).fill(true);
const hash = (name: string): string => createHash("sha256").update(name).digest("hex");

test("sources are the weakest half, targets the strongest 30 %, the rest on neither side", () => {
  const scores = own.map((m) => ((m * 7) % 20) / 20);
  const ranked = own.toSorted((x, y) => scores[x]! - scores[y]!);
  const { sources, targets } = extrapolationSplit({ groups: own, eligible: all, scores, names });
  expect(sources).toEqual(ranked.slice(0, 10).toSorted((x, y) => x - y));
  expect(targets).toEqual(ranked.slice(14).toSorted((x, y) => x - y));
});

test("ties are broken by the hashed name, not by order", () => {
  const scores = own.map(() => 0.5);
  const ranked = own.toSorted((x, y) => (hash(names[x]!) < hash(names[y]!) ? -1 : 1));
  const split = extrapolationSplit({ groups: own, eligible: all, scores, names });
  expect(split.sources).toEqual(ranked.slice(0, 10).toSorted((x, y) => x - y));
  expect(split.targets).toEqual(ranked.slice(14).toSorted((x, y) => x - y));
  // In another order of the file the same models are on the same sides.
  const turned = extrapolationSplit({ groups: own, eligible: all, scores, names: names.toReversed() });
  const named = (rows: readonly number[], list: readonly string[]): string[] => rows.map((m) => list[m]!).toSorted();
  expect(named(turned.targets, names.toReversed())).toEqual(named(split.targets, names));
  expect(named(turned.sources, names.toReversed())).toEqual(named(split.sources, names));
});

test("a source that replicates a target is dropped, a strong model that can't be a target too", () => {
  const scores = own.map((m) => m / 20);
  const groups = own.with(2, 17).with(16, 99).with(12, 99); // 2 is 17's replicate; 12 and 16 are one another's
  const eligible = all.with(18, false).with(3, false);
  const { sources, targets } = extrapolationSplit({ groups, eligible, scores, names });
  expect(sources).toEqual([0, 1, 3, 4, 5, 6, 7, 8, 9]);
  expect(targets).toEqual([14, 15, 16, 17, 19]);
});

test("models without a score are on neither side, and don't count", () => {
  const scores = own.map((m) => (m % 2 === 0 ? NaN : m / 20));
  const { sources, targets } = extrapolationSplit({ groups: own, eligible: all, scores, names });
  expect(sources).toEqual([1, 3, 5, 7, 9]);
  expect(targets).toEqual([15, 17, 19]);
});

test.each([
  [2, 1, 1],
  [3, 1, 1],
  [5, 2, 2],
  [9, 4, 3],
  [83, 41, 25],
])("of %d models %d are sources, %d targets", (models, sources, targets) => {
  const list = Array.from({ length: models }, (_, m) => m);
  const split = extrapolationSplit({
    groups: list,
    eligible: list.map(() => true),
    scores: list,
    names: list.map(String),
  });
  expect([split.sources.length, split.targets.length]).toEqual([sources, targets]);
});

const groupsOfNewest = Array.from({ length: 12 }, (_, m) => m);
const eligible = new Array<boolean>(12).fill(true);

test("without dates the file's last quarter are targets", () => {
  expect(newestSplit({ groups: groupsOfNewest, eligible }, null)).toEqual({
    sources: [0, 1, 2, 3, 4, 5, 6, 7, 8],
    targets: [9, 10, 11],
  });
});

test("with dates the latest quarter, equal dates in the file's order", () => {
  const dates = groupsOfNewest.map((m) => `2024-0${1 + (m % 4)}-01`); // months 1 2 3 4 1 2 3 4 …
  expect(newestSplit({ groups: groupsOfNewest, eligible }, dates).targets).toEqual([3, 7, 11]);
  expect(
    newestSplit(
      { groups: groupsOfNewest, eligible },
      groupsOfNewest.map(() => "2024-01-01"),
    ).targets,
  ).toEqual([9, 10, 11]);
});

test("a source that replicates one of the newest is dropped, and who can't be a target is on neither side", () => {
  const split = newestSplit(
    { groups: groupsOfNewest.with(1, 10).with(4, 11), eligible: eligible.with(11, false) },
    null,
  );
  expect(split).toEqual({ sources: [0, 2, 3, 5, 6, 7, 8], targets: [9, 10] });
});

test("of few models one is held out", () => {
  expect(newestSplit({ groups: [0, 1], eligible: [true, true] }, null)).toEqual({ sources: [0], targets: [1] });
});

/** The share of N equal weights that a model has who answered 98 of 100 of them, summed as full scores are. */
function observedOf(items: number): number {
  let mass = 0;
  for (let i = 0; i < Math.round(0.98 * items); i++) mass += 1 / items;
  return mass;
}

test("a model that has observed exactly 98 % is a target, however the sum of its weights rounds", () => {
  const shares = [50, 300, 400, 800, 1000, 14_050].map(observedOf);
  expect(Math.min(...shares)).toBeLessThan(0.98);
  expect(eligibleTargets([{ observed: Float64Array.from(shares) }])).toEqual(shares.map(() => true));
});

test("a model must have observed enough of every scenario", () => {
  const [one, other] = [{ observed: Float64Array.of(1, 0.99, 0.979) }, { observed: Float64Array.of(1, 0.97, 1) }];
  expect(eligibleTargets([one])).toEqual([true, true, false]);
  expect(eligibleTargets([one, other])).toEqual([true, false, false]);
  expect(eligibleTargets([one, other], 0.979)).toEqual([true, false, true]);
});

const scores = (...values: number[]): { score: Float64Array } => ({ score: Float64Array.from(values) });

test("one scenario: the order of its scores", () => {
  const values = strength([scores(0.2, 0.9, 0.5, 0.1)]);
  expect([...values.keys()].sort((x, y) => values[x]! - values[y]!)).toEqual([3, 0, 2, 1]);
});

test("scenarios count the same, however hard they are and however far their scores lie apart", () => {
  const narrow = scores(0.9, 0.91, 0.92);
  const wide = scores(0.8, 0.4, 0);
  for (const value of strength([narrow, wide])) expect(value).toBeCloseTo(0, 12);
});

test("a model that lacks a scenario has the strength of the others; one without any score has none", () => {
  const [, , third, last] = strength([scores(0, 1, 0.5, NaN), scores(0, 1, NaN, NaN)]);
  expect(third).toBeCloseTo(0, 12);
  expect(last).toBeNaN();
});

test("equal scores are equal strengths, not a division by nothing", () => {
  expect([...strength([scores(0.5, 0.5)])]).toEqual([0, 0]);
});
