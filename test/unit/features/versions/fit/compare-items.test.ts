import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bundleChanges, compareItems, type VersionItem } from "../../../../../features/versions/fit/compare-items.ts";

const item = (id: string, hash?: string, scenario = "s"): VersionItem => ({
  item_id: id,
  scenario,
  ...(hash !== undefined && { hash }),
});
const counts = (older: VersionItem[], newer: VersionItem[]): Record<string, number> =>
  Object.fromEntries(
    Object.entries(compareItems(older, newer)).map(([name, items]) => [name, (items as unknown[]).length]),
  );
const none = { unchanged: 0, unchecked: 0, renamed: 0, changed: 0, removed: 0, added: 0 };

describe("items are matched", () => {
  test.each<[string, VersionItem[], VersionItem[], Partial<typeof none>]>([
    ["by id and content", [item("a", "1")], [item("a", "1")], { unchanged: 1 }],
    ["by id where content isn't told", [item("a"), item("b", "2")], [item("a", "1"), item("b")], { unchecked: 2 }],
    ["by content under another id", [item("a", "1")], [item("b", "1")], { renamed: 1 }],
    [
      "by content where ids are swapped",
      [item("a", "1"), item("b", "2")],
      [item("a", "2"), item("b", "1")],
      { renamed: 2 },
    ],
    ["in another scenario", [item("a", "1")], [item("a", "1", "t")], { renamed: 1 }],
    ["by id with other content", [item("a", "1")], [item("a", "9")], { changed: 1 }],
    ["or not: removed, added", [item("a", "1")], [item("b", "2")], { removed: 1, added: 1 }],
    [
      "content that is there twice each once",
      [item("a", "1"), item("b", "1")],
      [item("c", "1")],
      { renamed: 1, removed: 1 },
    ],
    [
      "a changed item whose id was given to another",
      [item("a", "1")],
      [item("a", "2"), item("b", "1")],
      { renamed: 1, added: 1 },
    ],
  ])("%s", (_, older, newer, expected) => {
    expect(counts(older, newer)).toEqual({ ...none, ...expected });
  });

  test("each item of either version is in one place, whatever the versions", () => {
    const versions = fc.uniqueArray(
      fc.record({
        item_id: fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h"),
        scenario: fc.constantFrom("s", "t"),
        hash: fc.constantFrom("1", "2", "3", "4"),
      }),
      { selector: (own) => own.item_id },
    );
    fc.assert(
      fc.property(versions, versions, (older, newer) => {
        const { unchanged, unchecked, renamed, changed, removed, added } = compareItems(older, newer);
        const pairs = [...renamed, ...changed];
        const before = [...unchanged, ...unchecked, ...removed].map((own) => own.item_id);
        const after = [...unchanged, ...unchecked, ...added].map((own) => own.item_id);
        expect([...before, ...pairs.map(({ from }) => from.item_id)].sort()).toEqual(
          older.map((own) => own.item_id).sort(),
        );
        expect([...after, ...pairs.map(({ to }) => to.item_id)].sort()).toEqual(newer.map((own) => own.item_id).sort());
      }),
    );
  });
});

test("the largest shift is what the exchanged items allow, by brute force", () => {
  const bits = (n: number): number[][] =>
    Array.from({ length: 2 ** n }, (_, k) => Array.from({ length: n }, (__, i) => (k >> i) & 1));
  const versions: [VersionItem[], VersionItem[]][] = [
    [
      [item("a", "1"), item("b", "2"), item("c", "3")],
      [item("a", "1"), item("b", "9")],
    ],
    [
      [item("a", "1"), item("b", "2")],
      [item("a", "1"), item("b", "2"), item("d", "4"), item("e", "5")],
    ],
    [
      [item("a", "1"), item("b", "2")],
      [item("x", "7"), item("y", "8")],
    ],
  ];
  for (const [older, newer] of versions) {
    const changes = compareItems(older, newer);
    const { scenarios } = bundleChanges({ forms: [] }, [], older, newer, changes);
    const keys = [...new Set([...older, ...newer].map(({ hash }) => hash!))];
    const mean = (items: VersionItem[], answers: number[]): number =>
      items.reduce((sum, { hash }) => sum + answers[keys.indexOf(hash!)]!, 0) / items.length;
    const largest = Math.max(
      ...bits(keys.length).map((answers) => Math.abs(mean(older, answers) - mean(newer, answers))),
    );
    expect(scenarios["s"]!.largestShift).toBeCloseTo(largest, 12);
  }
});
