import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { bankTasks } from "../../../offline-trainer/src/fit/bank-tasks.ts";
import { DEFAULT_CONFIGURATION } from "../../../offline-trainer/src/fit/configuration.ts";
import { sourceSplits } from "../../../offline-trainer/src/splits/source-splits.ts";
import { replicateGroups } from "../../../offline-trainer/src/prepare/replicates.ts";
import { LEAST_FAMILIES } from "../../../offline-trainer/src/splits/families.ts";
import { smallLeaderboard } from "./small-leaderboard.ts";

const matrix = smallLeaderboard({ models: 40 });
const rows = matrix.subjects.map((_, m) => m);
const table = (count: number): Map<string, string> =>
  new Map(matrix.subjects.map((name, m) => [name, `family ${m % count}`]));

/** Families of the targets of every fold, by a table of so many. */
function targetFamilies(count: number): { families: Set<number>; targets: number[] }[] {
  const tasks = bankTasks(matrix, DEFAULT_CONFIGURATION, { families: table(count) });
  const { folds } = sourceSplits(tasks, rows, replicateGroups(matrix), 5, createRandom("source splits"));
  return folds.map(([split]) => ({
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
    const tasks = bankTasks(
      { ...smallLeaderboard({ models: 4 }), subjects: names },
      { ...DEFAULT_CONFIGURATION, joint: true },
      { families: new Map([["org/own", "llama"]]) },
    );
    expect(Array.from(tasks[0]!.families)).toEqual([0, 0, 0, 1]);
  });
});
