import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { createRandom } from "anchoreval/core";
import { describe, expect, test } from "vitest";
import { writeNpyEmbeddings } from "../../../offline-trainer/src/embed/write-npy-embeddings.ts";
import { termVectors } from "../../../offline-trainer/src/extensions/routing/encode-texts.ts";
import {
  embeddedRows,
  embeddingCsvLines,
  embeddingJsonLines,
  readEmbeddings,
} from "../../../offline-trainer/src/ingest/embeddings-file.ts";
import { textFeatures } from "../../../offline-trainer/src/spectral/text-features.ts";
import { expectRefusal, refusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { topicBoard } from "../../support/topic-board.ts";

const folder = tempFolder();

function file(name: string, content: string | Uint8Array): string {
  const path = folder.path(name);
  writeFileSync(path, content);
  return path;
}

/** A file as numpy.save writes it (format 1.0). */
function npy(shape: string, type: string, data: Uint8Array, order = "False"): Uint8Array {
  const header = `{'descr': '${type}', 'fortran_order': ${order}, 'shape': ${shape}, }`.padEnd(117) + "\n";
  return Buffer.concat([Buffer.from([0x93]), Buffer.from("NUMPY\x01\x00v\x00", "latin1"), Buffer.from(header), data]);
}

const VALUES = [3, 4, 0, -2];
const doubles = new Uint8Array(Float64Array.from(VALUES).buffer);
const singles = new Uint8Array(Float32Array.from(VALUES).buffer);
const LINES = '{"item_id":"a","embedding":[3,4]}\n{"item_id":"b","embedding":[0,-2]}\n';

describe("embeddings", () => {
  test.each([
    ["JSON lines", () => file("e.jsonl", LINES)],
    ["JSON lines, gzip", () => file("z.jsonl.gz", gzipSync(LINES))],
    ["CSV", () => file("e.csv", "item_id,1,2\na,3,4\nb,0,-2\n")],
    ["float64 .npy", () => (file("e.ids.txt", "a\nb\n"), file("e.npy", npy("(2, 2)", "<f8", doubles)))],
    ["float32 .npy", () => (file("f.ids.txt", "a\nb"), file("f.npy", npy("(2, 2)", "<f4", singles)))],
  ])("are read from %s, and brought to length 1 in the order asked for", async (_, path) => {
    const { width, starts, values } = embeddedRows(await readEmbeddings(path()), ["b", "a"]);
    expect({ width, starts: Array.from(starts) }).toEqual({ width: 2, starts: [0, 2, 4] });
    expect(Array.from(values)).toEqual([0, -1, 0.6, 0.8]);
  });

  test.each([
    ["another length", "r.csv", "item_id,1,2\na,3,4\nb,1\n", 'row 3: item "b" has 1 numbers, the first one has 2'],
    ["NaN", "n.csv", "item_id,1,2\na,3,NaN\n", 'row 2: number 2 of item "a" is no finite number'],
    ["an empty cell", "m.csv", "item_id,1,2\na,,1\n", 'number 1 of item "a" is no finite number'],
    ["null", "n.jsonl", '{"item_id":"a","embedding":[1,null]}\n', 'line 1: number 2 of item "a" is no finite number'],
    ["no array", "o.jsonl", '{"item_id":"a","embedding":3}\n', "an embedding is an array, got a number"],
    ["no id", "p.jsonl", '{"embedding":[3]}\n', "an id is text, got none"],
    ["an id twice", "t.csv", "item_id,1\na,3\na,4\n", 'row 3: item "a" is there twice'],
    ["another header", "h.csv", "id,1\na,3\n", 'the header begins with item_id, got "id"'],
    ["nothing", "x.jsonl", "\n", "the file has no embeddings"],
  ])("with %s are refused", async (_, name, content, message) => {
    expectRefusal(await rejection(readEmbeddings(file(name, content))), "invalid_data", message);
  });

  test.each([
    ["no .npy", Buffer.from("not numpy at all"), "it is no .npy file"],
    ["other numbers", npy("(2, 2)", "<i4", singles), "float32 or float64, little-endian, got <i4"],
    ["another order", npy("(2, 2)", "<f4", singles, "True"), "a row a question, in C order"],
    ["a vector", npy("(4,)", "<f4", singles), "it holds a matrix"],
    ["too few bytes", npy("(2, 2)", "<f8", singles), "2 × 2 numbers are 32 bytes, got 16"],
    ["other rows than ids", npy("(1, 4)", "<f4", singles), "it has 1 rows, and"],
  ])(".npy with %s is refused", async (_, bytes, message) => {
    file("bad.ids.txt", "a\nb\n");
    expectRefusal(await rejection(readEmbeddings(file("bad.npy", bytes))), "invalid_data", message);
  });

  test("without ids beside it, or with another ending, are refused", async () => {
    const alone = await rejection(readEmbeddings(file("alone.npy", npy("(2, 2)", "<f8", doubles))));
    expectRefusal(alone, "not_found", "alone.ids.txt could not be read");
    expectRefusal(await rejection(readEmbeddings("e.txt")), "invalid_option", "ends in .npy, .jsonl, .csv");
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

test.each(["npy", "jsonl", "csv"])("what is written as .%s is read back to the bit", async (ending) => {
  const file = folder.path(`vectors.${ending}`);
  if (ending === "npy") await writeNpyEmbeddings(file, ids, vectors);
  else writeFileSync(file, [...(ending === "csv" ? embeddingCsvLines : embeddingJsonLines)(ids, vectors)].join(""));
  const read = await readEmbeddings(file);
  expect(read.width).toBe(5);
  expect([...read.vectors.keys()]).toEqual(ids);
  expect(Float32Array.from([...read.vectors.values()].flatMap((own) => [...own]))).toEqual(vectors.values);
});

test("a .npy file's numbers begin at a multiple of 64 bytes, as numpy's own do", () => {
  const bytes = readFileSync(folder.path("vectors.npy"));
  const length = bytes.readUInt16LE(8);
  expect((10 + length) % 64).toBe(0);
  expect(bytes.length).toBe(10 + length + 80);
  expect(bytes.subarray(10, 10 + length).toString("latin1")).toMatch(/^\{'descr': '<f4'.*\} *\n$/);
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
