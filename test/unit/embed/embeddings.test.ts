import { createRandom } from "anchoreval/core";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readEmbeddings } from "../../../offline-trainer/src/cold-start/embeddings-file.ts";
import { textFeatures } from "../../../offline-trainer/src/cold-start/text-features.ts";
import { embeddingCsvLines, embeddingJsonLines } from "../../../offline-trainer/src/embed/embedding-lines.ts";
import { termVectors } from "../../../offline-trainer/src/embed/term-vectors.ts";
import { writeNpyEmbeddings } from "../../../offline-trainer/src/embed/write-npy-embeddings.ts";
import { tempFolder } from "../../support/temp-folder.ts";
import { topicBoard } from "../../support/topic-board.ts";

const folder = tempFolder();
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
