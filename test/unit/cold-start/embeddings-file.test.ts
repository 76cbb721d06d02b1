import { gzipSync } from "node:zlib";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { embeddedRows, readEmbeddings } from "../../../offline-trainer/src/cold-start/embeddings-file.ts";
import { expectRefusal, refusal, rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

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
