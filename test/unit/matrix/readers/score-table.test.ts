import { writeFileSync } from "node:fs";
import { parquetWriteBuffer } from "hyparquet-writer";
import { expect, test } from "vitest";
import { readResponses } from "../../../../offline-trainer/src/matrix/read-responses.ts";
import { scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { expectRefusal, rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

const folder = tempFolder();
const MODELS = ["a", "b", "c", "d", "e"];
/** Model a misses a trial of x; d has no answer to y. */
const ROWS = MODELS.flatMap((model, m) =>
  ["x", "y"].flatMap((item) =>
    [0, 1, 2].map((trial) => {
      const missing = (model === "a" && item === "x" && trial === 1) || (model === "d" && item === "y");
      return { model, item_id: item, trial, score: missing ? null : Number((m + trial) % 2 === 0) };
    }),
  ),
);
const csvLine = ({ model, item_id: id, trial, score }: (typeof ROWS)[number]): string =>
  `${trial},${model},${score ?? ""},${id}`;
const CSV = `trial,model,score,item_id\n${ROWS.map(csvLine).join("\n")}\n`;

test("a table with a column of trials is the matrix of their means, in every format", async () => {
  const csv = await readResponses(folder.write("trials.csv", CSV));
  const json = await readResponses(folder.write("trials.jsonl", ROWS.map((row) => JSON.stringify(row)).join("\n")));
  const column = (name: keyof (typeof ROWS)[number], type: "STRING" | "INT32" | "DOUBLE") => ({
    name,
    type,
    data: ROWS.map((row) => row[name]),
  });
  const path = folder.path("trials.parquet");
  const columnData = [column("model", "STRING"), column("item_id", "STRING"), column("trial", "INT32"), column("score", "DOUBLE")]; // prettier-ignore
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData })));
  const parquet = await readResponses(path);
  for (const { matrix, trials, remarks } of [csv, json, parquet]) {
    const scores = MODELS.map((_, m) => matrix.items.map((__, i) => scoreAt(matrix, m, i)));
    // Two trials of x in a: 1 and 1.
    expect(scores[0]).toEqual([1, Math.fround(2 / 3)]);
    expect(scores[1]).toEqual([Math.fround(1 / 3), Math.fround(1 / 3)]);
    expect(scores[3]).toEqual([Math.fround(1 / 3), NaN]);
    expect(trials).toHaveLength(9);
    expect(trials![0]).toEqual({ model: "a", item: "x", scores: [1, 1] });
    expect(trials![2]).toEqual({ model: "b", item: "x", scores: [0, 1, 0] });
    expect(remarks.join()).not.toContain("not read");
    expect(remarks).toContain("1 trial has no score: the item's mean is over the others");
  }
});

test("a table without one has no trials, and still can't have a cell twice", async () => {
  const rows = MODELS.map((model) => `${model},x,1`);
  const { trials } = await readResponses(folder.write("plain.csv", `model,item_id,score\n${rows.join("\n")}\n`));
  expect(trials).toBeUndefined();
  const twice = folder.write("twice.csv", `model,item_id,score\n${[...rows, "a,x,0"].join("\n")}\n`);
  expectRefusal(await rejection(readResponses(twice)), "invalid_data", 'model "a" answers item "x" twice');
});

test.each<[string, string, string]>([
  ["a trial twice", `${CSV}1,a,0,x\n`, 'row 32, column "trial": model "a" has trial "1" of item "x" twice'],
  ["a row without its trial", `${CSV},a,0,x\n`, 'row 32, column "trial": a trial has a number or a name, got none'],
  ["a score that is none", `${CSV}7,a,2,x\n`, 'row 32, column "score": a score must be in [0,1], got 2'],
  ["the column twice", CSV.replace("trial,", "trial,trial,"), 'column "trial" is there twice'],
])("%s is refused with its place", async (_, text, fragment) => {
  expectRefusal(await rejection(readResponses(folder.write("bad.csv", text))), "invalid_data", fragment);
});
