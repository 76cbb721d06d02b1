import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { writeInspectLog } from "../../../../support/inspect-logs.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const MODELS = ["a", "b", "c"];
const TWICE = /count twice/;
let boards = 0;

/** A task's items, and the chance that a model's score there is another than its own on that item. */
interface Task {
  readonly items: readonly number[];
  readonly flips?: number;
  readonly models?: readonly string[];
}

/** Imports the tasks of a board in which a model's score on an item is one, whichever task asks it. @returns its warnings on them */
async function warningsOf(seed: number, tasks: Readonly<Record<string, Task>>): Promise<string[]> {
  const random = createRandom(seed);
  const truth = new Map(MODELS.map((model) => [model, Array.from({ length: 60 }, () => Number(random.next() < 0.5))]));
  const place = folder.path(`board-${++boards}`);
  mkdirSync(place, { recursive: true });
  for (const [task, { items, flips = 0, models = MODELS }] of Object.entries(tasks))
    for (const model of models) {
      const samples = items.map((item, place) => {
        const score = truth.get(model)![item]!;
        const match = random.next() < flips ? 1 - score : score;
        return { id: place + 1, input: `Question ${item}?`, scores: { match } };
      });
      writeInspectLog(join(place, `${task}-${model}.json`), { model, task, samples });
    }
  const { out } = await runCommand("import", "--from", "inspect", place, "--out", `${place}-out`, "--json", "--quiet");
  return (JSON.parse(out) as { warnings: string[] }).warnings.filter((words) => /same items|twice/.test(words));
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, k) => from + k);

describe("items that are in a board twice", () => {
  test.each([1, 2, 3, 4])("as a group and its %i tasks are said, once, by their names", async (parts) => {
    const size = 60 / parts;
    const children = Object.fromEntries(range(0, parts).map((k) => [`part-${k}`, { items: range(k * size, (k + 1) * size) }])); // prettier-ignore
    for (const tasks of [
      { whole: { items: range(0, 60) }, ...children },
      { ...children, whole: { items: range(0, 60) } },
    ]) {
      const said = await warningsOf(parts, tasks);
      expect(said).toHaveLength(1);
      expect(said[0]).toMatch(TWICE);
      expect(said[0]).toContain("whole");
      expect(said[0]).toContain(parts > 3 ? "… (4 tasks)" : `part-${parts - 1}`);
    }
  });

  test("are said of a rerun of which some answers came out otherwise, and where one model alone ran both", async () => {
    const items = range(0, 60);
    expect(await warningsOf(5, { quiz: { items }, again: { items, flips: 0.02 } })).toEqual([
      expect.stringMatching(TWICE),
    ]);
    const some = await warningsOf(6, { quiz: { items }, again: { items, models: ["b"] } });
    expect(some).toEqual([expect.stringMatching(TWICE)]);
  });

  test("aren't, where the tasks ask the same items otherwise, or share few or none", async () => {
    const items = range(0, 60);
    expect(await warningsOf(7, { quiz: { items }, thinking: { items, flips: 0.3 } })).toEqual([]);
    expect(await warningsOf(8, { quiz: { items: range(0, 30) }, sums: { items: range(20, 60) } })).toEqual([]);
    expect(await warningsOf(9, { quiz: { items: range(0, 30) }, sums: { items: range(30, 60) } })).toEqual([]);
  });
});
