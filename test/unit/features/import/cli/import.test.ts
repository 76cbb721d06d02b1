import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { documentsOf, type LoggedRun, writeLogs } from "../../../../support/lm-eval-logs.ts";
import { type CommandResult, runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();

const run = (...argv: string[]): Promise<CommandResult> => runCommand("import", ...argv);

const items = Array.from({ length: 4 }, (_, i) => ({ item_id: `q${i}` }));

/** Six models on one task; model m has the first m documents right. */
function leaderboard(name: string, more: Partial<LoggedRun> = {}): string {
  const out = folder.path(name);
  for (let m = 0; m < 6; m++)
    writeLogs(out, {
      model: `Org/m${m}`,
      date: `2026-01-01T00-00-0${m}.000001`,
      tasks: { quiz: { documents: documentsOf(items, (i) => (i < m ? 1 : 0)) } },
      ...more,
    });
  return out;
}

describe("anchoreval import", () => {
  it("writes responses, items and what was done, and tells what comes next", async () => {
    const out = folder.path("out");
    const { code, out: text, err } = await run("--from", "lm-eval", leaderboard("logs"), "--out", out);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(readdirSync(out).sort()).toEqual(["import.json", "items.jsonl.gz", "responses.csv.gz"]);
    const csv = gunzipSync(readFileSync(`${out}/responses.csv.gz`)).toString();
    expect(csv.split("\n").slice(0, 3)).toEqual([
      "model,quiz/0,quiz/1,quiz/2,quiz/3",
      "Org/m0,0,0,0,0",
      "Org/m1,1,0,0,0",
    ]);
    const described = gunzipSync(readFileSync(`${out}/items.jsonl.gz`))
      .toString()
      .trim()
      .split("\n");
    expect(JSON.parse(described[2]!)).toMatchObject({ item_id: "quiz/2", scenario: "quiz", task: "quiz", doc_id: 2 });
    const report = JSON.parse(readFileSync(`${out}/import.json`, "utf8")) as unknown;
    expect(report).toMatchObject({ models: 6, items: 4, scores: { compared: 6, equal: 6 }, weighting: "subscenarios" });
    expect(text).toContain("6 models, 4 items, 1 scenario:\n  quiz: 4 items\n");
    expect(text).toContain("6 of 6 scores equal the harness's own to 1e-6");
    expect(text).toContain(
      `anchoreval fit --responses ${out}/responses.csv.gz --items ${out}/items.jsonl.gz --set weighting=subscenarios`,
    );
  });

  it("gives the report as JSON", async () => {
    const { out } = await run("--from", "lm-eval", leaderboard("json"), "--out", folder.path("out-json"), "--json");
    expect(JSON.parse(out)).toEqual(JSON.parse(readFileSync(folder.path("out-json/import.json"), "utf8")));
  });

  it("names a malformed line by file and line, and writes nothing", async () => {
    const logs = leaderboard("malformed");
    const file = `${logs}/Org__m3/samples_quiz_2026-01-01T00-00-03.000001.jsonl`;
    appendFileSync(file, '{"doc_id": 4, "acc": 1');
    const out = folder.path("nothing");
    const { code, out: text, err } = await run("--from", "lm-eval", logs, "--out", out);
    expect({ code, text }).toEqual({ code: 2, text: "" });
    expect(err).toContain(`${file}: line 5: the line is not valid JSON [invalid_data]`);
    expect(existsSync(out)).toBe(false);
  });

  it("compares with the harness's aggregates, and shows both where they differ", async () => {
    const logs = leaderboard("differ");
    const results = readdirSync(`${logs}/Org__m2`).find((name) => name.startsWith("results"))!;
    const file = `${logs}/Org__m2/${results}`;
    folder.write(
      `differ/Org__m2/${results}`,
      readFileSync(file, "utf8").replaceAll('"acc,none": 0.5', '"acc,none": 0.75'),
    );
    const { code, err, out } = await run("--from", "lm-eval", logs, "--out", folder.path("out-differ"));
    expect(code).toBe(0);
    expect(err).toContain("1 score differs from the harness's own: Org/m2, quiz: 0.500000 here, 0.750000 there");
    expect(out).toContain("5 of 6 scores equal");
  });

  it("asks for what it needs", async () => {
    const logs = folder.path("logs");
    for (const [argv, message] of [
      [["--out", "x", logs], "--from is needed"],
      [["--from", "nowhere", "--out", "x", logs], "--from must be one of lm-eval"],
      [["--from", "lm-eval", logs], "--out is needed"],
      [["--from", "lm-eval", "--out", "x"], "name the logs"],
      [
        ["--from", "lm-eval", "--out", "x", "--on-duplicate", "oldest", logs],
        "--on-duplicate must be one of newest, mean, error",
      ],
      [["--from", "lm-eval", "--out", "x", "--errors", "no", logs], "--errors must be one of harness, missing, wrong"],
      [["--from", "lm-eval", "--out", "x", "--score-range", "3", logs], "--score-range must be two numbers"],
    ] as const) {
      const { code, err } = await run(...argv);
      expect({ argv, code }).toEqual({ argv, code: 2 });
      expect(err).toContain(message);
    }
    expect(existsSync("x")).toBe(false);
  });
});
