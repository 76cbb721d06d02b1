import { writeFileSync } from "node:fs";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, test } from "vitest";
import { readResponses } from "../../../../offline-trainer/src/matrix/read-responses.ts";
import { type ResponseMatrix, scoreAt } from "../../../../offline-trainer/src/matrix/response-matrix.ts";
import { rejection } from "../../../support/refusal.ts";
import { tempFolder } from "../../../support/temp-folder.ts";

type Columns = Parameters<typeof parquetWriteBuffer>[0]["columnData"];
type Codec = NonNullable<Parameters<typeof parquetWriteBuffer>[0]["codec"]>;

const folder = tempFolder();
function written(name: string, columnData: Columns, options: { codec?: Codec; rowGroupSize?: number } = {}): string {
  const path = folder.path(name);
  writeFileSync(path, new Uint8Array(parquetWriteBuffer({ columnData, ...options })));
  return path;
}

const MODELS = ["a", "b", "c", "d", "模型"];
const pairs = MODELS.flatMap((model) => ["x/1", "y/é"].map((item) => ({ model, item })));
const model = { name: "model", data: pairs.map((pair) => pair.model), type: "STRING" as const };
const item = { name: "item_id", data: pairs.map((pair) => pair.item), type: "STRING" as const };
const right = pairs.map((_, k) => k % 3 > 0);
const score = { name: "score", data: right.map(Number), type: "DOUBLE" as const };

const scores = (matrix: ResponseMatrix): number[] =>
  matrix.subjects.flatMap((_, m) => matrix.items.map((_, i) => scoreAt(matrix, m, i)));

describe("a long table in Parquet", () => {
  test.each<[string, Columns]>([
    ["doubles", [model, item, score]],
    ["another order of the columns", [score, item, model]],
    ["booleans", [model, item, { name: "score", data: right, type: "BOOLEAN" }]],
    ["whole numbers of 32 bits", [model, item, { ...score, type: "INT32" }]],
    ["whole numbers of 64 bits", [model, item, { ...score, data: right.map(BigInt), type: "INT64" }]],
    ["floats", [model, item, { ...score, type: "FLOAT" }]],
  ])("reads %s", async (name, columns) => {
    const { matrix } = await readResponses(written(`${name}.parquet`, columns));
    expect(matrix.subjects).toEqual(MODELS);
    expect(matrix.items.map(({ item_id: id }) => id)).toEqual(["x/1", "y/é"]);
    expect(scores(matrix)).toEqual(right.map(Number));
    expect(matrix.observed).toBeNull();
  });

  test("is the CSV of the same rows, over several row groups and in every compression", async () => {
    const rows = pairs.map(({ model, item }, k) => `${model},${item},${k === 4 ? "" : k / 10}`);
    const csv = await readResponses(folder.write("same.csv", `model,item_id,score\n${rows.join("\n")}\n`));
    const graded = { ...score, data: pairs.map((_, k) => (k === 4 ? null : k / 10)) };
    for (const codec of ["UNCOMPRESSED", "SNAPPY"] as const) {
      const path = written(`${codec}.parquet`, [model, item, graded], { codec, rowGroupSize: 3 });
      expect(await readResponses(path)).toEqual(csv);
    }
    expect(scoreAt(csv.matrix, 2, 0)).toBeNaN();
  });

  test("booleans aren't numbers of another scale, as in text", async () => {
    const path = written("scaled.parquet", [model, item, { name: "score", data: right, type: "BOOLEAN" }]);
    const error = await rejection(readResponses(path, { scoreRange: [0, 100] }));
    expect(error.issues[0]).toMatchObject({ code: "not_a_number" });
  });

  test("NaN is no score, as null is", async () => {
    const without = (none: number | null): Columns => [
      model,
      item,
      { ...score, data: score.data.map((value, k) => (k === 6 ? none : value)) },
    ];
    const read = await readResponses(written("nan.parquet", without(NaN)));
    expect(read).toEqual(await readResponses(written("null.parquet", without(null))));
    expect(scoreAt(read.matrix, 3, 0)).toBeNaN();
  });

  test("says which columns it doesn't read, nested ones too", async () => {
    const extra = { name: "prompt", data: pairs.map(() => "?"), type: "STRING" as const };
    const { remarks } = await readResponses(written("extra.parquet", [extra, model, item, score]));
    expect(remarks[0]).toBe('columns that are not read: "prompt"');
  });
});

const two = { ...model, data: model.data.map((name, k) => (k === 2 ? "a" : name)) };
test.each<[string, string | Columns, string, string]>([
  ["no Parquet", "model,item_id,score\n", "malformed_parquet", "it can't be read as Parquet"],
  ["nothing", "", "malformed_parquet", "it can't be read as Parquet"],
  ["other columns", [{ ...model, name: "subject" }, item, score], "wrong_header", 'no model, but "subject", "item_id"'],
  [
    "numbers for ids",
    [model, { name: "item_id", data: pairs.map((_, k) => k), type: "INT32" }, score],
    "wrong_type",
    'row 1, column "item_id": "item_id" must be text, got a number',
  ],
  ["text for scores", [model, item, { ...item, name: "score" }], "not_a_number", 'row 1, column "score"'],
  [
    "a score above 1",
    [model, item, { ...score, data: score.data.map((value, k) => (k === 6 ? 7 : value)) }],
    "out_of_range",
    'row 7, column "score": a score must be in [0,1], got 7',
  ],
  [
    "an infinite score",
    [model, item, { ...score, data: score.data.map((value, k) => (k === 6 ? Infinity : value)) }],
    "out_of_range",
    'row 7, column "score"',
  ],
  [
    "a model without a name",
    [{ ...model, data: model.data.map((name, k) => (k === 3 ? null : name)) }, item, score],
    "wrong_type",
    'row 4, column "model"',
  ],
  ["an answer twice", [two, item, score], "duplicate", 'row 3, column "item_id": model "a" answers item "x/1" twice'],
])("refused: %s", async (name, content, rule, words) => {
  const file = `bad ${name}.parquet`;
  const path = typeof content === "string" ? folder.write(file, content) : written(file, content);
  const error = await rejection(readResponses(path));
  expect(error.code).toBe("invalid_data");
  expect(error.message).toContain(`${path}: `);
  expect(error.message).toContain(words);
  expect(error.issues[0]!.code).toBe(rule);
});

test("refused: a file that isn't there, a folder, and one that is cut short", async () => {
  expect((await rejection(readResponses(folder.path("none.parquet")))).code).toBe("not_found");
  const whole = new Uint8Array(parquetWriteBuffer({ columnData: [model, item, score] }));
  const cut = folder.path("cut.parquet");
  writeFileSync(cut, whole.subarray(0, whole.length - 20));
  expect((await rejection(readResponses(cut))).code).toBe("invalid_data");
  const damaged = folder.path("damaged.parquet");
  writeFileSync(
    damaged,
    Uint8Array.from(whole, (byte, k) => (k > 4 && k < 60 ? 255 : byte)),
  );
  expect((await rejection(readResponses(damaged))).code).toBe("invalid_data");
});
