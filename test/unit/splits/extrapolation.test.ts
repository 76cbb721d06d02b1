import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { extrapolationSplit } from "../../../offline-trainer/src/matrix/splits.ts";

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
