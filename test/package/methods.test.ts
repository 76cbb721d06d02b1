import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { typescriptBackend } from "../../offline-trainer/src/backends/typescript.ts";
import { bankTasks } from "../../offline-trainer/src/fit/bank-tasks.ts";
import { DEFAULT_CONFIGURATION } from "../../offline-trainer/src/fit/configuration.ts";
import { selectionInputs } from "../../offline-trainer/src/fit/draw-forms.ts";
import { ROOT, sourceFiles } from "../support/source-imports.ts";
import { smallBank } from "../unit/fit/small-bank.ts";
import { smallLeaderboard } from "../unit/fit/small-leaderboard.ts";
import { sharpest } from "./example-method.ts";

const NAMES = /tinybenchmarks|metabench|essence|sublime|k-?means|fisher-information/i;

/** The main road: it calls methods without knowing their names. */
const ROAD = [
  ...["offline-trainer/src/fit", "offline-trainer/src/calibrate", "sdk/core/bundle"].flatMap((folder) =>
    sourceFiles(folder),
  ),
  "offline-trainer/src/anchors/anchor-method.ts",
];

// TODO(integrator): becomes `test` once fit/ is given methods as values.
test.fails("no method is named on the main road", () => {
  const named = ROAD.filter((file) => NAMES.test(readFileSync(join(ROOT, file), "utf8")));
  expect(named).toEqual([]);
});

describe("docs/methods.md", () => {
  test("shows the example that is compiled here, in about 40 lines", () => {
    const [, code] = /```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, "docs/methods.md"), "utf8"))!;
    expect(code).toBe(readFileSync(join(ROOT, "test/package/example-method.ts"), "utf8"));
    expect(code!.split("\n").length).toBeLessThanOrEqual(42);
  });

  test("its method chooses anchors of a simulated board", async () => {
    const matrix = smallLeaderboard({ models: 30, items: [50] });
    const [task] = bankTasks(matrix, DEFAULT_CONFIGURATION);
    const random = createRandom(1);
    const trained = await smallBank(task!, 30, { dims: 1, backend: typescriptBackend, random });
    const [{ id, input }] = selectionInputs(task!, trained.rows, trained, { sizes: [5, 10], random }) as [
      ReturnType<typeof selectionInputs>[number],
    ];
    const { draw } = sharpest.prepare({
      ...input,
      families: input.families!,
      scenario: id,
      items: matrix.items,
      models: matrix.subjects,
      final: true,
    });
    const { sets } = await draw(random);
    for (const size of [5, 10]) {
      const { items, mass } = sets.get(size)!;
      expect(new Set(items).size).toBe(size);
      expect(mass.reduce((sum, own) => sum + own, 0)).toBeCloseTo(1, 12);
    }
    const sharpestOf = (items: ArrayLike<number>): number => Math.max(...Array.from(items, (i) => input.bank.a[i]!));
    expect(sharpestOf(sets.get(5)!.items)).toBe(sharpestOf(Array.from(input.weights.keys())));
  });
});
