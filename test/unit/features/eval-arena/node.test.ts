import type { RunLog } from "anchoreval/internal/logs/run-log";
import { harnessNamed } from "anchoreval/internal/node/logs/harnesses";
import { expect, test } from "vitest";
import { runCommand } from "../../../support/run-command.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();

async function found(...paths: string[]): Promise<{ logs: RunLog[]; remarks: string[] }> {
  const remarks: string[] = [];
  const logs = await harnessNamed("eval-arena").find(paths, { onRemark: (words) => remarks.push(words) });
  return { logs, remarks };
}

function write(name: string, models: readonly string[], examples: readonly string[], pass1 = 1): string {
  const rows = models.flatMap((model) =>
    examples.map((example_id) => ({ benchmark_id: "b", model, example_id, pass1 })),
  );
  return folder.write(name, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
}

test("a folder's tables are read, summaries passed over, and what else looks like a log is said", async () => {
  const file = write("data/b.jsonl", ["m", "n"], ["x", "y"]);
  folder.write("data/tmp/summary-b.jsonl", '{"benchmark_id":"b","size":2,"models":2}\n');
  folder.write("data/b/example_table.csv", "example_id,acc\nx,1");
  expect(await found(folder.path("data"))).toMatchObject({
    logs: [
      { file, model: "m", task: "b" },
      { file, model: "n", task: "b" },
    ],
    remarks: [],
  });
  const other = folder.write("data/all_preds.jsonl", '{"instance_id":"x","model_patch":""}\n');
  const empty = folder.write("data/empty.jsonl", "\n");
  expect((await found(folder.path("data"))).remarks).toEqual([
    `2 files that look like logs aren't such of eval-arena, and are passed over: "${other}", "${empty}"`,
  ]);
});

test.each([
  ["summary-b.jsonl", '{"benchmark_id":"b","size":2,"models":2}'],
  ["table.csv", "benchmark_id,model,example_id,pass1\nb,m,x,1"],
  ["preds.jsonl", '{"instance_id":"x"}'],
  ["text.jsonl", "benchmark_id model example_id"],
  ["none.jsonl", ""],
])("%s is refused where it is named", async (name, content) => {
  const file = folder.write(`named/${name}`, content);
  const table = write("named/b.jsonl", ["m"], ["x"]);
  const words = `${file}: its rows are JSON lines (….jsonl) with benchmark_id, model, example_id and pass1`;
  expectRefusal(await rejection(found(table, file)), "invalid_data", words);
});

test("a folder without a table is refused", async () => {
  folder.write("bare/summary-b.jsonl", '{"benchmark_id":"b"}');
  expectRefusal(await rejection(found(folder.path("bare"))), "invalid_data", "there is no table of eval-arena");
});

test("files of one model and benchmark are parts of one run, or runs of which one counts, and which is said", async () => {
  const parts = [write("parts/1.jsonl", ["m"], ["x", "y"]), write("parts/2.jsonl", ["m"], ["z"])];
  const joined = await runCommand("import", "--from", "eval-arena", ...parts, "--out", folder.path("joined"));
  expect(joined).toMatchObject({ code: 0, out: expect.stringContaining("1 model, 3 items") as string });
  const again = write("parts/3.jsonl", ["m"], ["x", "y"], 0);
  const both = await runCommand("import", "--from", "eval-arena", parts[0]!, again, "--out", folder.path("both"));
  expect(both.err).toContain("one run counts, and others under this name gave other answers");
});
