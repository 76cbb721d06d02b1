import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { folds, interpolationSplit, splitByGroups, type SplitInput } from "../../../offline-trainer/src/matrix/splits.ts";

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
