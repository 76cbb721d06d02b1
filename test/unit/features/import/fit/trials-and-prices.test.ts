import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readResponses } from "../../../../../offline-trainer/src/matrix/read-responses.ts";
import { type InspectRun, writeInspectLog } from "../../../../support/inspect-logs.ts";
import { documentsOf, writeLogs } from "../../../../support/lm-eval-logs.ts";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const [MODELS, ITEMS, EPOCHS] = [8, 20, 3];
/** What a model spends beside the others; the last one's log has none, the one before writes 0. */
const VERBOSE: readonly (number | null)[] = [1, 2, 3, 1, 200, 2, 0, null];

/** Luck that depends on model, item and epoch alone. */
const luck = (m: number, i: number, epoch: number): number => ((m * 31 + i * 17 + epoch * 13) % 23) / 23;

function quiz(m: number, more: Partial<InspectRun> = {}): InspectRun {
  const factor = VERBOSE[m] ?? null;
  return {
    model: `mock/m${m}`,
    task: "quiz",
    epochs: EPOCHS,
    samples: Array.from({ length: ITEMS * EPOCHS }, (_, k) => {
      const [i, epoch] = [Math.floor(k / EPOCHS), (k % EPOCHS) + 1];
      const right = luck(m, i, epoch) < (m + 1) / 10 + (ITEMS - i) / 40;
      // Epochs take a third more and a third less than the item does.
      const tokens = factor === null ? {} : { [`mock/m${m}`]: factor * (100 + 10 * i) * (1 + (epoch - 2) / 3) };
      return { id: i, epoch, scores: { match: right ? "C" : "I" }, tokens, ...(m < 3 && { seconds: 2 + i }) };
    }),
    ...more,
  };
}
const text = (file: string): string => gunzipSync(readFileSync(file)).toString();

describe("logs of Inspect with epochs and tokens", () => {
  const logs = folder.path("logs");
  const [board, bundle] = [folder.path("board"), folder.path("bundle")];

  test("become trials and prices that fit takes as they are, and estimate says what a run took", async () => {
    mkdirSync(logs);
    for (let m = 0; m < MODELS; m++) writeInspectLog(join(logs, `${m}.json`), quiz(m));
    const imported = await runCommand("import", "--from", "inspect", logs, "--out", board);
    expect(imported.code).toBe(0);
    expect(readdirSync(board).sort()).toEqual(["import.json", "items.jsonl.gz", "responses.csv.gz", "trials.csv.gz"]);
    expect(imported.out).toContain("480 trials, 3 an item and model");
    expect(imported.out).toContain("prices in tokens: of 20 of 20 items, by 6 of 8 models");
    expect(imported.out).toContain("prices in seconds: of 20 of 20 items, by 3 of 8 models");
    expect(imported.out).toContain(`fit --responses ${board}/trials.csv.gz --items ${board}/items.jsonl.gz`);
    expect(imported.out).toContain("add --metric pass@3");
    expect(imported.out).toContain(`add --prices ${board}/items.jsonl.gz --price-column tokens,seconds`);
    // The models in the middle spend twice what the first does; the one that spends 200 times as much moves nothing.
    const items = text(`${board}/items.jsonl.gz`).trim().split("\n").map((line) => JSON.parse(line) as { tokens: number; seconds: number }); // prettier-ignore
    items.forEach(({ tokens, seconds }, i) => {
      expect(tokens / (2 * (100 + 10 * i))).toBeCloseTo(1, 5);
      expect(seconds / (2 + i)).toBeCloseTo(1, 5);
    });
    expect(JSON.parse(readFileSync(`${board}/import.json`, "utf8"))).toMatchObject({
      trials: { scores: 480, cells: 160, fewest: 3, most: 3 },
      prices: [
        { column: "tokens", models: 6, assumed: [] },
        { column: "seconds", models: 3, assumed: [] },
      ],
    });

    const [responses, described] = [`${board}/trials.csv.gz`, `${board}/items.jsonl.gz`];
    const long = await readResponses(responses, { items: described });
    const wide = await readResponses(`${board}/responses.csv.gz`, { items: described });
    expect(long.matrix).toEqual(wide.matrix);
    expect(long.trials!.every(({ scores }) => scores.length === EPOCHS)).toBe(true);

    const common = ["--items", described, "--anchors", "10", "--threads", "1", "--provider", "typescript"];
    const priced = ["--prices", described, "--price-column", "tokens"];
    const fitted = await runCommand("fit", "--responses", responses, ...common, ...priced, "--name", "q@1.0.0", "--out", bundle); // prettier-ignore
    expect(fitted).toMatchObject({ code: 0 });
    expect(fitted.out).toMatch(/price by form +10: .*, all items: 7.800 tokens/);
    expect(fitted.out).toMatch(/trials +quiz: 3 trials an item/);
    const pass = await runCommand("fit", "--responses", responses, ...common, "--metric", "pass@2", "--name", "p@1.0.0", "--out", folder.path("pass")); // prettier-ignore
    expect(pass.code).toBe(0);
    expect(readFileSync(folder.path("pass/manifest.json"), "utf8")).toContain('"trialMetric":"pass@2"');

    // One item's log lacks its tokens.
    const run = quiz(1, { model: "mock/new" });
    const samples = run.samples.map((own) => (own.id === 0 ? { ...own, tokens: {} } : own));
    const log = writeInspectLog(folder.path("new.json"), { ...run, samples });
    const argv = ["estimate", "--bundle", bundle, "--from", "inspect", log] as const;
    const { out } = await runCommand(...argv, "--json");
    const { cost, took } = JSON.parse(out) as Record<string, Record<string, { total: number; items: number }>>;
    expect(cost).toMatchObject({ unit: "tokens", answered: took!["seconds"]!.items });
    for (const metric of [[], ["--metric", "pass@2"]]) {
      const told = await runCommand(...argv, ...metric);
      expect(told.out).toContain("answered cost");
      expect(told.out).toMatch(
        /By its logs the run took [\d\s]+ tokens( \(\d+ of \d+ items say so\))? and [\d.]+ minutes, all trials together\./,
      );
    }
  });

  test("an import without epochs leaves no trials of an earlier one", async () => {
    for (let m = 0; m < MODELS; m++) {
      const run = quiz(m);
      const samples = run.samples.filter(({ epoch }) => epoch === 1);
      writeInspectLog(join(logs, `${m}.json`), { ...run, epochs: 1, samples });
    }
    const { code, out } = await runCommand("import", "--from", "inspect", logs, "--out", board);
    expect(code).toBe(0);
    expect(readdirSync(board).sort()).toEqual(["import.json", "items.jsonl.gz", "responses.csv.gz"]);
    expect(out).toContain(`fit --responses ${board}/responses.csv.gz`);
    expect(out).not.toContain("trials");
  });
});

describe("trials are what the cells are means of", () => {
  const same = async (board: string): Promise<{ cells: number; scores: number[][] }> => {
    const options = { items: `${board}/items.jsonl.gz`, leastModels: 1 };
    const [long, wide] = [
      await readResponses(`${board}/trials.csv.gz`, options),
      await readResponses(`${board}/responses.csv.gz`, options),
    ];
    expect(long.matrix).toEqual(wide.matrix);
    return { cells: long.trials!.length, scores: long.trials!.map(({ scores }) => [...scores]) };
  };

  test.each<[string, readonly number[][]]>([
    ["harness", [[1, 0], [1], [1, 1]]],
    ["missing", [[1, 0], [1], [1, 1]]],
    [
      "wrong",
      [
        [1, 0],
        [0, 1],
        [0, 0],
        [1, 1],
      ],
    ],
  ])("with --errors %s", async (errors, trials) => {
    const logs = folder.path(`errors-${errors}`);
    mkdirSync(logs);
    const sample = (id: number, epoch: number, value: string | null) =>
      value === null
        ? { id, epoch, error: { message: "the machine is gone" } }
        : { id, epoch, scores: { match: value } };
    const samples = [sample(0, 1, "C"), sample(0, 2, "I"), sample(1, 1, null), sample(1, 2, "C"), sample(2, 1, null), sample(2, 2, null), sample(3, 1, "C"), sample(3, 2, "C")]; // prettier-ignore
    writeInspectLog(join(logs, "a.json"), { model: "m", task: "t", epochs: 2, samples });
    // An item needs a score somewhere.
    const whole = [0, 1, 2, 3].flatMap((id) => [sample(id, 1, "I"), sample(id, 2, "C")]);
    writeInspectLog(join(logs, "b.json"), { model: "n", task: "t", epochs: 2, samples: whole });
    const board = folder.path(`board-${errors}`);
    const policy = errors === "harness" ? [] : ["--errors", errors];
    const { code, err } = await runCommand("import", "--from", "inspect", logs, ...policy, "--out", board);
    expect(code).toBe(0);
    expect(err).toContain('of 16 answers, 3 failed ("the machine is gone" 3 times): they count');
    expect((await same(board)).scores.slice(0, trials.length)).toEqual(trials);
  });

  test("runs of one model that --on-duplicate mean averages are its trials, of any harness", async () => {
    const logs = folder.path("twice");
    const items = Array.from({ length: 4 }, (_, i) => ({ item_id: `q${i}` }));
    for (const [second, shift] of [
      [1, 0],
      [2, 1],
    ] as const)
      // prettier-ignore
      for (const model of ["Org/a", "Org/b"])
        writeLogs(logs, {
          model,
          date: `2026-01-01T00-00-0${second}.000001`,
          tasks: { quiz: { documents: documentsOf(items, (i) => ((i + shift) % 3 === 0 ? 1 : 0)) } },
        });
    const board = folder.path("board-twice");
    const { code, out } = await runCommand(
      "import",
      "--from",
      "lm-eval",
      logs,
      "--on-duplicate",
      "mean",
      "--out",
      board,
    );
    expect({ code, said: out.includes("16 trials, 2 an item and model") }).toEqual({ code: 0, said: true });
    // The newest first.
    expect((await same(board)).scores.slice(0, 4)).toEqual([[0, 1], [0, 0], [1, 0], [0, 1]]); // prettier-ignore
    expect(readFileSync(`${board}/import.json`, "utf8")).not.toContain('"prices"');
    expect(text(`${board}/items.jsonl.gz`)).not.toContain("tokens");
  });

  test("runs of one model on other items each are no second trials", async () => {
    const logs = folder.path("parts");
    mkdirSync(logs);
    const run = (model: string, second: number, ids: readonly number[]): void => {
      const samples = ids.map((id) => ({ id, epoch: 1, scores: { match: "C" } }));
      const created = `2026-01-01T00:00:0${second}+00:00`;
      writeInspectLog(join(logs, `${second}.json`), { model, task: "t", epochs: 1, created, samples });
    };
    run("m", 1, [0, 1]);
    run("m", 2, [2]);
    run("n", 3, [0, 1, 2]);
    const board = folder.path("board-parts");
    const policy = ["--on-duplicate", "mean", "--allow-mixed"];
    const { code, out } = await runCommand("import", "--from", "inspect", logs, ...policy, "--out", board);
    expect({ code, said: out.includes("trials") }).toEqual({ code: 0, said: false });
    expect(readdirSync(board)).not.toContain("trials.csv.gz");
  });
});

const TASKS = fileURLToPath(
  new URL("../../../../../../shared/data/terminal-bench-core/trials.csv.gz", import.meta.url),
);

test.skipIf(!existsSync(TASKS))(
  "real single trials (../shared/data): agents that write 0 tokens have none",
  async () => {
    const board = folder.path("tasks");
    const columns = "tokens=input_tokens+output_tokens,seconds=ended-started";
    const { code } = await runCommand("import", "--from", "table", TASKS, "--columns", columns, "--out", board);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(`${board}/import.json`, "utf8"))).toMatchObject({
      trials: { scores: 4480, cells: 880, fewest: 5, most: 6 },
      prices: [
        { column: "tokens", models: 4, assumed: { length: 4 } },
        { column: "seconds", models: 8, assumed: [] },
      ],
    });
  },
);
