import { existsSync, readFileSync } from "node:fs";
import { loadBundle } from "anchoreval";
import type { Manifest } from "anchoreval/bundle";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { estimatePassAtK } from "anchoreval/internal/features/trials/sdk/estimate-pass-at-k";
import { folderSource } from "anchoreval/node";
import { beforeAll, describe, expect, it, test } from "vitest";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const random = createRandom("passes");
const board = Array.from({ length: 12 }, (_, m) =>
  Array.from({ length: 30 }, (__, i) => {
    const chance = 1 / (1 + Math.exp(-(m - 6) / 3 - (i - 15) / 6 - random.normal()));
    return Array.from({ length: 3 }, () => Number(random.next() < chance));
  }),
);
const table = board.flatMap((items, m) =>
  items.flatMap((trials, i) => trials.map((score, t) => `m${m},quiz/${i},${t},${score}`)),
);
const [plain, ofMetric] = [folder.path("plain"), folder.path("metric")];
let responses: string;
let trials: Record<string, number[]>;

const fit = (out: string, ...more: string[]) =>
  runCommand(
    ...["fit", "--responses", responses, "--name", "quiz@1.0.0", "--anchors", "12", "--out", out],
    ...["--provider", "typescript", "--set", "dims=1", ...more],
  );
const estimate = (bundle: string, file: string, ...more: string[]) =>
  runCommand("estimate", "--bundle", bundle, "--responses", file, ...more);

/** The first model's trials of a bundle's anchors. */
async function asked(bundle: string): Promise<Record<string, number[]>> {
  const { scenarios } = await loadBundle(folderSource(bundle));
  const ids = scenarios.get("quiz")!.forms.get("12")!.itemIds;
  return Object.fromEntries(ids.map((id) => [id, board[4]![Number(id.slice(5))]!]));
}

beforeAll(async () => {
  responses = folder.write("trials.csv", `model,item_id,trial,score\n${table.join("\n")}\n`);
  for (const { code, err } of [await fit(plain), await fit(ofMetric, "--metric", "pass@2")]) expect(code, err).toBe(0);
  trials = await asked(plain);
});

describe("estimate --metric", () => {
  it("is the SDK's document, and a sentence of what it means", async () => {
    const file = folder.write("lists.json", JSON.stringify(trials));
    const { code, out, err } = await estimate(plain, file, "--metric", "pass@16", "--json");
    expect(code, err).toBe(0);
    const found = estimatePassAtK(await loadBundle(folderSource(plain)), trials, "pass@16");
    expect(JSON.parse(out)).toEqual(JSON.parse(JSON.stringify(found)));
    const { out: text } = await estimate(plain, file, "--metric", "pass@16");
    expect(text).toMatch(/pass@16 +95 % interval +answered\nquiz +\d/);
    expect(text).toContain("the share of items of which one of 16 trials passes at least");
    expect(text).toContain("fewer trials an item than it is of");
    const all = await estimate(plain, file, "--metric", "pass^4");
    expect(all.out).toContain("the share of items of which 4 trials pass one and all");
  });

  it("goes without saying for trials and a bundle that was fitted on it", async () => {
    const manifest = JSON.parse(readFileSync(`${ofMetric}/manifest.json`, "utf8")) as Manifest;
    expect(manifest.fit["trialMetric"]).toBe("pass@2");
    expect(manifest.fit["varianceComponents"]).toBeUndefined();
    const file = folder.write("own.json", JSON.stringify(await asked(ofMetric)));
    const { out } = await estimate(ofMetric, file, "--json");
    expect(JSON.parse(out)).toMatchObject({ metric: "pass@2", basis: "unbiased" });
  });

  test.each([
    ["a metric of logs without them", ["--metric", "acc"], "needs --from"],
    ["two of trials", ["--metric", "pass@2", "--metric", "pass@4"], "one score of trials"],
    ["k = 0", ["--metric", "pass@0"], "pass@K needs a whole number"],
    ["k that isn't whole", ["--metric", "pass^1.5"], "pass^K needs a whole number"],
    ["what intervals are over", ["--metric", "pass@4", "--over", "tasks"], "over is for the mean of the trials"],
    ["a record", ["--metric", "pass@4", "--to", "eee"], "--to"],
  ])("refuses %s", async (_, more, words) => {
    const { code, err, out } = await estimate(plain, folder.write("some.json", JSON.stringify(trials)), ...more);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(words);
  });

  test.each([
    ["counts above their total", { passed: 4, of: 3 }, "pass@4"],
    ["graded trials", [0.5, 1], "pass@4"],
  ])("refuses %s, naming the item", async (_, bad, metric) => {
    const [id] = Object.keys(trials);
    const file = folder.write("bad.json", JSON.stringify({ ...trials, [id!]: bad }));
    const { code, err } = await estimate(plain, file, "--metric", metric);
    expect(code).toBe(2);
    expect(err).toContain(id!);
  });
});

describe("fit --metric", () => {
  it("leaves answers of fewer trials out as missing, and says of which models", async () => {
    const own = responses;
    const few = table.filter((line) => !/^m3,quiz\/[0-4],[12],/.test(line));
    responses = folder.write("few.csv", `model,item_id,trial,score\n${few.join("\n")}\n`);
    const { code, err } = await fit(folder.path("few"), "--metric", "pass@2");
    const cut = few.filter((line) => !/^m5,.*,[12],/.test(line));
    responses = folder.write("cut.csv", `model,item_id,trial,score\n${cut.join("\n")}\n`);
    const refused = await fit(folder.path("cut"), "--metric", "pass@2");
    responses = own;
    expect(code, err).toBe(0);
    expect(err).toContain(
      "fewer than 2 trials, of which pass@2 can't be had: 5 answers left out as missing, of m3 (5 items)",
    );
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("model m5 has no item with 2 trials: leave it out");
  });

  test.each([
    ["more trials than there are", ["--metric", "pass@4"], "model m0 has no item with 4 trials"],
    ["a name that is none", ["--metric", "acc"], "pass@K, pass^K or best-of-K"],
    ["a base", ["--metric", "pass@2", "--base", "elsewhere"], "--base"],
  ])("refuses %s and writes nothing", async (_, more, words) => {
    const out = folder.path("none");
    const { code, err } = await fit(out, ...more);
    expect(code).toBe(2);
    expect(err).toContain(words);
    expect(existsSync(out)).toBe(false);
  });
});
