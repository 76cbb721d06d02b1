import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import { termVectors } from "../../../../../features/routing/fit/encode-texts.ts";
import { embeddedRows, embeddingLines, readEmbeddings } from "../../../../../features/routing/fit/embeddings-file.ts";
import { textFeatures } from "../../../../../offline-trainer/src/numeric/text-features.ts";
import { expectRefusal, refusal, rejection } from "../../../../support/refusal.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";
import { topicBoard } from "../../../../support/topic-board.ts";

const folder = tempFolder();

function file(name: string, content: string | Uint8Array): string {
  const path = folder.path(name);
  writeFileSync(path, content);
  return path;
}

const LINES = '{"item_id":"a","embedding":[3,4]}\n{"item_id":"b","embedding":[0,-2]}\n';

describe("embeddings", () => {
  test.each([
    ["JSON lines", () => file("e.jsonl", LINES)],
    ["JSON lines, gzip", () => file("z.jsonl.gz", gzipSync(LINES))],
    ["CSV", () => file("e.csv", "item_id,1,2\na,3,4\nb,0,-2\n")],
  ])("are read from %s, and brought to length 1 in the order asked for", async (_, path) => {
    const { width, starts, values } = embeddedRows(await readEmbeddings(path()), ["b", "a"]);
    expect({ width, starts: Array.from(starts) }).toEqual({ width: 2, starts: [0, 2, 4] });
    expect(Array.from(values)).toEqual([0, -1, 0.6, 0.8]);
  });

  test.each([
    ["another length", "r.csv", "item_id,1,2\na,3,4\nb,1\n", 'row 3: item "b" has 1 numbers, the first one has 2'],
    ["NaN", "n.csv", "item_id,1,2\na,3,NaN\n", 'row 2: number 2 of item "a" is not a finite number'],
    ["an empty cell", "m.csv", "item_id,1,2\na,,1\n", 'number 1 of item "a" is not a finite number'],
    [
      "null",
      "n.jsonl",
      '{"item_id":"a","embedding":[1,null]}\n',
      'line 1: number 2 of item "a" is not a finite number',
    ],
    ["no array", "o.jsonl", '{"item_id":"a","embedding":3}\n', "an embedding must be an array, got a number"],
    ["no id", "p.jsonl", '{"embedding":[3]}\n', "an id must be text, got none"],
    ["an id twice", "t.csv", "item_id,1\na,3\na,4\n", 'row 3: item "a" is there twice'],
    ["another header", "h.csv", "id,1\na,3\n", 'the header begins with item_id, got "id"'],
    ["nothing", "x.jsonl", "\n", "the file has no embeddings"],
  ])("with %s are refused", async (_, name, content, message) => {
    expectRefusal(await rejection(readEmbeddings(file(name, content))), "invalid_data", message);
  });

  test.each(["e.txt", "vectors.npy"])("with another ending are refused: %s", async (name) => {
    expectRefusal(await rejection(readEmbeddings(name)), "invalid_option", "ends in .jsonl, .csv");
  });

  test("that a question doesn't have are named", async () => {
    const embeddings = await readEmbeddings(file("q.jsonl", LINES));
    const missing = refusal(() => embeddedRows(embeddings, ["a", "c", "d"]));
    expectRefusal(missing, "invalid_data", '2 questions have no embedding: "c", "d"');
  });
});

const random = createRandom("embeddings");
const ids = ["a", 'b,"c"', "d/é", "e f"];
const vectors = {
  count: 4,
  width: 5,
  values: Float32Array.from({ length: 20 }, () => random.normal() * 10 ** (random.below(9) - 6)),
};

test.each(["jsonl", "csv"] as const)("what is written as .%s is read back to the bit", async (ending) => {
  const file = folder.path(`vectors.${ending}`);
  writeFileSync(file, [...embeddingLines(ids, vectors, ending)].join(""));
  const read = await readEmbeddings(file);
  expect(read.width).toBe(5);
  expect([...read.vectors.keys()]).toEqual(ids);
  expect(Float32Array.from([...read.vectors.values()].flatMap((own) => [...own]))).toEqual(vectors.values);
});

describe("vectors without an encoder", () => {
  const texts = topicBoard(120, 1, 1).items.map(({ text }) => text!);
  const cosine = (rows: Float32Array, width: number, i: number, j: number): number => {
    let sum = 0;
    for (let c = 0; c < width; c++) sum += rows[i * width + c]! * rows[j * width + c]!;
    return sum;
  };

  test("with all axes have the cosines of centred TF-IDF", () => {
    const { values, width } = termVectors(texts, 500, createRandom(1));
    expect(width).toBeLessThan(texts.length);
    const { starts, columns, values: cells, width: terms } = textFeatures(texts, []).train;
    const dense = new Float64Array(texts.length * terms);
    for (let i = 0; i < texts.length; i++)
      for (let k = starts[i]!; k < starts[i + 1]!; k++) dense[i * terms + columns[k]!] = cells[k]!;
    for (let c = 0; c < terms; c++) {
      let mean = 0;
      for (let i = 0; i < texts.length; i++) mean += dense[i * terms + c]! / texts.length;
      for (let i = 0; i < texts.length; i++) dense[i * terms + c] = dense[i * terms + c]! - mean;
    }
    const product = (i: number, j: number): number => {
      let sum = 0;
      for (let c = 0; c < terms; c++) sum += dense[i * terms + c]! * dense[j * terms + c]!;
      return sum;
    };
    for (const [i, j] of [
      [0, 1],
      [3, 77],
      [119, 5],
    ] as const)
      expect(cosine(values, width, i, j)).toBeCloseTo(product(i, j) / Math.sqrt(product(i, i) * product(j, j)), 5);
  });

  test("have length 1, and are the same again", () => {
    const [one, other] = [termVectors(texts, 8, createRandom(3)), termVectors(texts, 8, createRandom(3))];
    expect(one.width).toBe(8);
    for (let i = 0; i < texts.length; i++) expect(cosine(one.values, 8, i, i)).toBeCloseTo(1, 6);
    expect(other).toEqual(one);
  });
});
