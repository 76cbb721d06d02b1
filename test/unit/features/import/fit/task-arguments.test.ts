import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { inspectLog } from "../../../../support/inspect-logs.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();

/** Logs of Inspect by model and task arguments, each on its documents. */
function written(
  place: string,
  runs: readonly (readonly [model: string, task_args: object, ids: readonly number[]])[],
): string {
  mkdirSync(folder.path(place), { recursive: true });
  runs.forEach(([model, task_args, ids], k) => {
    const samples = ids.map((id) => ({ id, scores: { match: id % 2 } }));
    const log = inspectLog({ model, task: "quiz", samples }) as { eval: object };
    const text = JSON.stringify({ ...log, eval: { ...log.eval, task_args } });
    writeFileSync(join(folder.path(place), `${k}.json`), text);
  });
  return folder.path(place);
}

async function imported(
  logs: string,
  ...options: string[]
): Promise<{ code: number; err: string; warnings: string[] }> {
  const call = [
    "import",
    "--from",
    "inspect",
    logs,
    "--out",
    `${logs}-out`,
    "--force",
    "--json",
    "--quiet",
    ...options,
  ];
  const { code, out, err } = await runCommand(...call);
  return { code, err, warnings: code === 0 ? (JSON.parse(out) as { warnings: string[] }).warnings : [] };
}

const [FIRST, LAST] = [[1, 2, 3], [4, 5, 6]] as const; // prettier-ignore

test("runs on the same documents with other task arguments were not made alike", async () => {
  const logs = written("judges", [
    ["a", { judge: "large" }, FIRST],
    ["b", { judge: "large" }, FIRST],
    ["c", { judge: "small" }, FIRST],
  ]);
  const { code, err } = await imported(logs);
  expect(code).toBe(2);
  expect(err).toMatch(/quiz: task arguments\n +{"judge":"large"} a, b\n +{"judge":"small"} +c/);
  const mixed = await imported(logs, "--allow-mixed");
  expect(mixed.warnings.join("\n")).toContain("the runs were not made alike");
});

test("arguments that choose the documents make shards, which is said, also where a model has one of them", async () => {
  const logs = written("levels", [
    ["a", { level: 1 }, FIRST],
    ["a", { level: 2 }, LAST],
    ["b", { level: 1 }, FIRST],
    ["b", { level: 2 }, LAST],
    ["c", { level: 1 }, FIRST],
  ]);
  const { code, warnings } = await imported(logs);
  expect(code).toBe(0);
  expect(warnings).toContain(
    'a, quiz and 1 more: 2 runs on different documents count as one, whose task arguments differ ({"level":1}; {"level":2})',
  );
});
