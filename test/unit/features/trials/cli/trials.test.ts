import { readFileSync } from "node:fs";
import { loadBundle } from "anchoreval";
import type { Manifest } from "anchoreval/bundle";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { estimateTrials, type TrialEstimate } from "anchoreval/internal/features/trials/sdk/estimate-trials";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, it, test } from "vitest";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const MODELS = 14;
const ITEMS = 40;
const random = createRandom("trials");
/** Chances of a board, and three trials of each. */
const board = Array.from({ length: MODELS }, (_, m) =>
  Array.from({ length: ITEMS }, (__, i) => {
    const logit = (m - 6) / 4 + (i - 20) / 8 + 1.5 * random.normal();
    const chance = 1 / (1 + Math.exp(-logit));
    return Array.from({ length: 3 }, () => Number(random.next() < chance));
  }),
);
const rows = board.flatMap((items, m) =>
  items.flatMap((trials, i) => trials.map((score, t) => `m${m},quiz/${i},${t},${score}`)),
);
const bundle = folder.path("bundle");
/** The first model's trials of the form's anchors. */
let trials: Record<string, number[]>;

beforeAll(async () => {
  const responses = folder.write("trials.csv", `model,item_id,trial,score\n${rows.join("\n")}\n`);
  const { code, err } = await runCommand(
    ...["fit", "--responses", responses, "--name", "quiz@1.0.0", "--anchors", "15", "--out", bundle],
    ...["--provider", "typescript", "--set", "dims=1", "--include-model-names"],
  );
  expect(code, err).toBe(0);
  const { scenarios } = await loadBundle(folderSource(bundle));
  const ids = scenarios.get("quiz")!.forms.get("15")!.itemIds;
  trials = Object.fromEntries(ids.map((id) => [id, board[0]![Number(id.slice(5))]!]));
});

describe("fit on a table with a column of trials", () => {
  it("keeps the variance components, and show says them in a sentence", async () => {
    const manifest = JSON.parse(readFileSync(`${bundle}/manifest.json`, "utf8")) as Manifest;
    const { quiz } = manifest.fit["varianceComponents"] as {
      quiz: { trials: number; trial: number; repeated: number };
    };
    expect(quiz).toMatchObject({ trials: 3, repeated: MODELS * ITEMS });
    expect(quiz.trial).toBeGreaterThan(0.05);
    const { out } = await runCommand("show", bundle);
    expect(out).toMatch(/^trials +quiz: 3 trials an item; a single answer's variance is \d+ % between models/m);
  });
});

describe("estimate of answers with trials", () => {
  const estimate = (file: string, ...more: string[]) =>
    runCommand("estimate", "--bundle", bundle, "--responses", file, ...more);

  it("is the SDK's document, and a table of what its intervals are for", async () => {
    const file = folder.write("lists.json", JSON.stringify(trials));
    const { code, out } = await estimate(file, "--json");
    expect(code).toBe(0);
    const found = estimateTrials(await loadBundle(folderSource(bundle)), trials);
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(found)));
    const { out: text } = await estimate(file);
    expect(text).toMatch(/this run +over runs +run to run\nquiz +\d/);
    expect(text).toContain("45 trials, 3 an item. Over runs: for the model's expected score on these items.");
    expect(text).toContain("known by this model's trials");
    expect(text).not.toContain("other tasks");
    const { out: tasks } = await estimate(file, "--over", "tasks");
    expect(tasks).toMatch(/this run +over runs +over tasks +run to run/);
    expect(tasks).toContain("Over tasks: for that on other tasks like these.");
  });

  it("says the same of counts and of rows", async () => {
    const counts = Object.fromEntries(
      Object.entries(trials).map(([id, own]) => [id, { passed: own.reduce((x, y) => x + y), of: own.length }]),
    );
    const lines = Object.entries(trials).flatMap(([id, own]) => own.map((score, t) => `${id},${t},${score}`));
    const [list, count, table] = await Promise.all(
      [
        folder.write("trials.json", JSON.stringify(trials)),
        folder.write("counts.json", JSON.stringify(counts)),
        folder.write("rows.csv", `item_id,trial,score\n${lines.join("\n")}\n`),
      ].map((file) => estimate(file)),
    );
    expect(count!.out).toBe(list!.out);
    expect(table!.out).toBe(list!.out);
  });

  it("of single answers is over runs where the sources were tried more often, and says so", async () => {
    const single = Object.fromEntries(Object.entries(trials).map(([id, [first]]) => [id, first!]));
    const file = folder.write("single.json", JSON.stringify(single));
    const { out } = await estimate(file);
    expect(out).toContain("known by those of the source models, as no item was tried twice");
    expect(out).toContain("warning: the source models were tried 3 times an item, this model once");
    expect((await estimate(file, "--over", "runs")).out).toBe(out);
    const { trials: known, warnings } = JSON.parse((await estimate(file, "--json")).out) as TrialEstimate;
    expect(known).toMatchObject({ count: 15, perItem: 1, overall: { basis: "components" } });
    expect(warnings.map(({ code }) => code)).toContain("other_trials");
  });
});

test.each<[string, string, string, string[]]>([
  ["counts above their total", '{"quiz/1":{"passed":4,"of":3}}', 'item "quiz/1": passed must be from 0 to the 3', []],
  ["negative counts", '{"quiz/1":{"passed":-4,"of":3}}', 'item "quiz/1": passed must be from 0 to the 3', []],
  ["an empty list", '{"quiz/1":[]}', 'item "quiz/1": a list of trials', []],
  ["a trial that is no score", '{"quiz/1":[1,"yes"]}', 'item "quiz/1": trial 2 of 2', []],
  ["intervals over something else", '{"quiz/1":[1]}', "--over", ["--over", "models"]],
])("%s: exit code 2", async (_, text, fragment, more) => {
  const file = folder.write("bad.json", text);
  const { code, out, err } = await runCommand("estimate", "--bundle", bundle, "--responses", file, ...more);
  expect(code).toBe(2);
  expect(out).toBe("");
  expect(err).toContain(fragment);
});

test("trials of items that the bundle doesn't have are named, and don't count", async () => {
  const [[first], ...others] = [Object.entries(trials).slice(0, 1), ...Object.entries(trials).slice(1)];
  const strange = { ...Object.fromEntries(others), "quiz/nope": first![1] };
  const file = folder.write("unknown.json", JSON.stringify(strange));
  const { code, out } = await runCommand("estimate", "--bundle", bundle, "--responses", file, "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({
    answered: others.length,
    trials: { count: others.flatMap(([, own]) => own).length },
    warnings: [{ code: "unknown_items", count: 1 }, { code: "missing_answers" }],
  });
});

describe("plan --trials", () => {
  it("is a table of half-widths by items and trials, and the fewest answers for one", async () => {
    const { code, out } = await runCommand("plan", bundle, "--trials", "5,1,2", "--half-width", "20");
    expect(code).toBe(0);
    expect(out).toMatch(/form +items +1 trial +2 trials +5 trials\n15 +15 of 40/);
    expect(out).toMatch(/half-width 20\.0 +items +trials +answers\n> fewest answers/);
    const json = await runCommand("plan", bundle, "--trials", "1", "--json");
    expect((JSON.parse(json.out) as { forms: unknown[] }).forms).toHaveLength(1);
  });

  it("asks for all items and some again where one trial of each is too little, and weighs the price of further trials", async () => {
    const { out } = await runCommand("plan", bundle, "--trials", "1,2,5", "--half-width", "10");
    expect(out).toMatch(/> fewest answers +40 +1\.\d+ +\d+\n/);
    const cheap = await runCommand("plan", bundle, "--trials", "1,2,5", "--half-width", "20", "--repeat-price", "0.05");
    expect(cheap.out).toMatch(/answers +price\n> lowest price +\d+ +[25] +\d+ +\d+\.\d/);
    const { code, err } = await runCommand("plan", bundle, "--repeat-price", "0.1");
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining("is for --trials") as string });
  });

  it.each<[string, string[], string]>([
    ["no trials", ["--trials", "0"], "--trials must be a whole number"],
    ["with a gap", ["--trials", "1", "--gap", "2"], "--gap doesn't go with --trials"],
    ["with prices", ["--trials", "1", "--prices", "none.json"], "doesn't go with --trials"],
  ])("is refused: %s", async (_, more, fragment) => {
    const { code, err } = await runCommand("plan", bundle, ...more);
    expect(code).toBe(2);
    expect(err).toContain(fragment);
  });
});

describe("estimate --cluster", () => {
  const estimate = (...more: string[]) =>
    runCommand("estimate", "--bundle", bundle, "--responses", folder.path("clustered.json"), ...more);
  const items = (groupOf: (i: number) => string, more = ""): string =>
    folder.write(
      "items.csv",
      `item_id,repo\n${Array.from({ length: ITEMS }, (_, i) => `quiz/${i},${groupOf(i)}`).join("\n")}\n${more}`,
    );
  beforeAll(() => void folder.write("clustered.json", JSON.stringify(trials)));
  const tasksOf = async (...more: string[]): Promise<number> => {
    const { out, err } = await estimate("--over", "tasks", "--json", ...more);
    const { low, high } = (JSON.parse(out || err) as TrialEstimate).trials.overall.tasks!;
    return high - low;
  };

  it("widens intervals over tasks where answers go together, and none where each item is by itself", async () => {
    const alone = await tasksOf();
    expect(await tasksOf("--cluster", "repo", "--items", items(String))).toBe(alone);
    // Easy items stand together, and hard ones.
    const wide = await tasksOf("--cluster", "repo", "--items", items((i) => `r${Math.floor(i / 10)}`));
    expect(wide).toBeGreaterThan(alone);
    const { out } = await estimate("--cluster", "repo", "--items", folder.path("items.csv"));
    expect(out).toContain("over tasks");
    expect(out).toContain("Items of one group are taken to have been drawn together");
  });

  it.each<[string, () => string[], string]>([
    ["two groups of one item", () => ["--cluster", "repo", "--items", items(() => "r", "quiz/3,other\n")], 'row 42, column "repo": item "quiz/3" is of two groups: "other" here, "r" in row 5'],
    ["no such column", () => ["--cluster", "owner", "--items", items(String)], 'there is no column "owner" (--cluster)'],
    ["an answered item without a row", () => ["--cluster", "repo", "--items", folder.write("few.csv", "item_id,repo\nquiz/0,r\n")], "there is no row of the answered"],
    ["no file", () => ["--cluster", "repo"], "--cluster COLUMN is a column of --items FILE"],
    ["over runs", () => ["--cluster", "repo", "--over", "runs", "--items", items(String)], "--cluster widens intervals over tasks"],
  ])("is refused: %s", async (_, more, fragment) => {
    const { code, out, err } = await estimate(...more());
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(fragment);
  });
}); // prettier-ignore
