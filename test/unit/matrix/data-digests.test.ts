import { expect, test } from "vitest";
import { dataDigests } from "../../../offline-trainer/src/matrix/data-digests.ts";
import {
  type ItemInfo,
  type ResponseMatrix,
  responseMatrix,
} from "../../../offline-trainer/src/matrix/response-matrix.ts";

const subjects = ["a/1", "größe"];
const items: ItemInfo[] = [
  { item_id: "q1", scenario: "s", task: "t", doc_id: 3 },
  { item_id: "q2", scenario: "s", subscenario: "sub", hash: "0".repeat(64), doc_id: "x", text: "Why?" },
];
const matrix = responseMatrix(subjects, items, Float64Array.of(1, 0, NaN, 1));
const fullScores = new Map([["s", Float64Array.of(0.5, NaN)]]);

test("are SHA-256 of the forms that docs/bundle-format.md gives, as Python's hashlib, json and struct have them", () => {
  expect(dataDigests({ ...matrix, fullScores })).toEqual({
    models: "cfdb9a054be35338ca34bc80e3d3949f6f9dc5215ca6fb3af151a0e51b514bdd",
    items: "9b0eccb31d75ed2464fbd92a7ac8460bf6b9f8bb111cb4bd7ba147892246f15b",
    scores: "09c58f8a3cc15e41d9b912596eacca37441ea3e6a8b8b445ca56ae633b5b0cbf",
    fullScores: "30a9fe1102c3b237adddd2a9e1d69c30f5a0e3ac197f963b3f015e17366c97de",
  });
});

test("don't depend on how the matrix is stored: as bytes, or with a number where a score is missing", () => {
  const stored: ResponseMatrix = { ...matrix, scores: Float32Array.of(1, 0, 0.25, 1) };
  expect(dataDigests(stored)).toEqual(dataDigests(matrix));
});

test.each<[part: string, other: ResponseMatrix]>([
  ["models", { ...matrix, subjects: subjects.toReversed() }],
  ["items", { ...matrix, items: items.map((item) => ({ ...item, scenario: "other" })) }],
  ["scores", responseMatrix(subjects, items, Float64Array.of(1, 0, 0, 1))],
])("another part, another digest of it alone: %s", (part, other) => {
  const [before, after] = [dataDigests(matrix), dataDigests(other)];
  const changed = Object.keys(before).filter((name) => before[name as "models"] !== after[name as "models"]);
  expect(changed).toEqual([part]);
});
