import { readFileSync } from "node:fs";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import type { Manifest } from "anchoreval/bundle";
import { folderSource } from "anchoreval/node";
import { describe, expect, test } from "vitest";
import { filesOf, listing, runProgram } from "../../../support/run-command.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const ITEMS = Array.from({ length: 40 }, (_, i) => `q/${i}`);
const MODELS = Array.from({ length: 24 }, (_, m) => `maker${m % 8}/model-${m}`);

/** Right where the model is strong enough for the item, but for a twelfth. */
const right = (m: number, i: number): number => Number(m * 40 > i * 24 !== ((7 * m + 11 * i) % 12 === 0));
const lines = (rows: readonly string[]): string => rows.map((row) => `${row}\n`).join("");
const responses = folder.write(
  "responses.csv",
  lines([["model", ...ITEMS].join(), ...MODELS.map((name, m) => [name, ...ITEMS.map((_, i) => right(m, i))].join())]),
);
const described = (text: (i: number) => string | undefined): string =>
  lines(ITEMS.map((item_id, i) => JSON.stringify({ item_id, scenario: "quiz", text: text(i) })));
const items = folder.write(
  "items.jsonl",
  described((i) => `What is ${i} times ${i % 5}? ${"Think well. ".repeat(i % 4)}`),
);
const bare = folder.write(
  "bare.jsonl",
  described(() => undefined),
);
const judged = folder.write("judged.csv", lines(["item_id,judge", ...ITEMS.map((id, i) => `${id},${i % 3}`)]));
const words = folder.write(
  "words.csv",
  lines(["item_id,judge", ...ITEMS.map((id, i) => `${id},${i === 4 ? "hard" : 1}`)]),
);
const few = folder.write("few.csv", lines(["item_id,judge", "q/0,1"]));
const vectors = folder.write("vectors.csv", lines(["item_id,x,y", ...ITEMS.map((id, i) => `${id},${i},${i % 3}`)]));
const ragged = folder.write(
  "ragged.jsonl",
  lines(ITEMS.map((item_id, i) => JSON.stringify({ item_id, embedding: i === 9 ? [1, 2] : [1, 2, i] }))),
);
const short = folder.write("short.csv", lines(["item_id,x,y", "q/0,1,2"]));

const out = (name: string): string => folder.path(name);
const fit = (name: string, ...more: string[]) =>
  runProgram([
    ...["fit", "--responses", responses, "--name", "quiz@1.0.0", "--anchors", "6", "--out", out(name)],
    ...["--created", "2026-01-01", "--provider", "typescript", "--dims", "1", ...more],
  ]);

describe("fit --recipe sublime", () => {
  test("a bundle that estimates, and says how its subsets were chosen and what that is worth", async () => {
    const described = ["--items", items, "--item-features", judged, "--embeddings", vectors];
    const { code, err } = await fit("all", "--recipe", "sublime", ...described);
    expect({ code, err }).toMatchObject({ code: 0 });
    const manifest = JSON.parse(readFileSync(`${out("all")}/manifest.json`, "utf8")) as Manifest;
    const { rankings } = manifest.fit as { rankings: Record<string, Record<string, Record<string, unknown>>> };
    expect(rankings["quiz"]!["6"]).toMatchObject({ anchorModels: 6, candidates: 200 });
    const { untouched, predicted } = rankings["quiz"]!["6"] as { untouched: Record<string, number>; predicted: number };
    expect(untouched["models"]).toBe(6);
    for (const own of [predicted, untouched["spearman"]!, untouched["kendall"]!])
      expect(Math.abs(own)).toBeLessThanOrEqual(1);
    const bundle = await loadBundle(folderSource(out("all")));
    const asked = readFileSync(`${out("all")}/anchors.jsonl`, "utf8")
      .trim()
      .split("\n");
    const ids = asked.map((line) => (JSON.parse(line) as { item_id: string }).item_id);
    const answers = Object.fromEntries(ids.map((id) => [id, right(12, ITEMS.indexOf(id))]));
    const truth = ITEMS.reduce((sum, _, i) => sum + right(12, i) / 40, 0);
    expect(ids.length).toBe(6);
    expect(Math.abs(estimateFromAnchors(bundle, answers).score! - truth)).toBeLessThan(0.25);
  });

  test("named anchor models describe subsets, no name enters the bundle; the same command has the same bytes", async () => {
    const named = ["--anchor-models", `${MODELS[0]},${MODELS[9]}, ${MODELS[20]}`];
    const recipe = ["--recipe", "sublime", "--items", bare];
    expect((await fit("named", ...recipe, ...named)).code).toBe(0);
    expect((await fit("again", ...recipe, ...named)).code).toBe(0);
    expect(filesOf(out("again"))).toEqual(filesOf(out("named")));
    const manifest = readFileSync(`${out("named")}/manifest.json`, "utf8");
    expect(manifest).toContain('"anchorModels":3');
    expect(manifest).not.toContain("maker");
  });
});

describe("what is refused before any long work, nothing written", () => {
  test.each([
    [["--item-features", words], "invalid_data", 'a feature must be a number, got "hard"'],
    [["--item-features", few], "invalid_data", 'items without a row, 39 of 40: "q/1"'],
    [["--item-features", out("nowhere.csv")], "not_found", "nowhere.csv"],
    [["--embeddings", ragged], "invalid_data", 'item "q/9" has 2 numbers, the first one has 3'],
    [["--embeddings", short], "invalid_data", "39 questions have no embedding"],
    [["--embeddings", out("vectors.bin")], "invalid_option", "embeddings must be a file that ends in .jsonl"],
    [["--anchor-models", "gpt"], "invalid_option", "--anchor-models names two models or more, none twice; got gpt"],
    [["--anchor-models", `${MODELS[0]},${MODELS[0]}`], "invalid_option", "--anchor-models names two models or more"],
    [
      ["--anchor-models", `${MODELS[0]},nobody`],
      "invalid_option",
      "the responses have no model nobody, named as an anchor model",
    ],
  ] as const)("%j", async (more, code, message) => {
    const before = listing(folder.path(""));
    const run = await fit("refused", "--recipe", "sublime", ...more, "--json");
    const { error } = JSON.parse(run.out) as { error: { code: string; message: string } };
    expect({ exit: run.code, code: error.code }).toEqual({ exit: 2, code });
    expect(error.message).toContain(message);
    expect(listing(folder.path(""))).toEqual(before);
  });

  test("such options beside another selection, in fit and backtest", async () => {
    for (const option of ["--anchor-models", "--item-features", "--embeddings"]) {
      const run = await fit("refused", option, "a,b");
      expect(run.code).toBe(2);
      expect(run.err).toContain(`${option} is for --selection sublime (or --recipe sublime); this is screened`);
    }
    const { code, err } = await runProgram(["backtest", "--responses", responses, "--embeddings", vectors]);
    expect({ code, err: err.includes("--embeddings is for --selection sublime") }).toEqual({ code: 2, err: true });
  });
});
