import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { scenarioGroups } from "../../../offline-trainer/src/matrix/benchmark.ts";
import { DEFAULT_SETTINGS } from "../../../offline-trainer/src/methods/settings.ts";
import { replicateGroups } from "../../../offline-trainer/src/matrix/replicates.ts";
import { LEAST_FAMILIES } from "../../../offline-trainer/src/matrix/families.ts";
import { sourceSplits } from "../../../offline-trainer/src/matrix/splits.ts";
import { smallLeaderboard } from "../fit/small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 40 });
const rows = matrix.subjects.map((_, m) => m);
const table = (count: number): Map<string, string> =>
  new Map(matrix.subjects.map((name, m) => [name, `family ${m % count}`]));

/** Families of the targets of every fold, by a table of so many. */
function targetFamilies(count: number): { families: Set<number>; targets: number[] }[] {
  const tasks = scenarioGroups(matrix, { ...DEFAULT_SETTINGS, families: table(count) });
  const { folds } = sourceSplits(tasks, rows, replicateGroups(matrix), 5, createRandom("source splits"));
  return folds.map(({ groups: [split] }) => ({
    families: new Set(split!.targets.map((m) => tasks[0]!.families[m]!)),
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

describe("families of the models of a bank", () => {
  test("are the table's, by the name where it has none", () => {
    const names = ["org/llama-1", "org/own", "org/llama-2", "org/other"];
    const tasks = scenarioGroups(
      { ...smallLeaderboard({ models: 4 }), subjects: names },
      { ...DEFAULT_SETTINGS, joint: true, families: new Map([["org/own", "llama"]]) },
    );
    expect(Array.from(tasks[0]!.families)).toEqual([0, 0, 0, 1]);
  });
});
