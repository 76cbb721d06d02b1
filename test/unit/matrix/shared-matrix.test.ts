import { describe, expect, test } from "vitest";
import { responseMatrix, sharedMatrix } from "../../../offline-trainer/src/matrix/response-matrix.ts";

const items = ["x", "y"].map((item_id) => ({ item_id, scenario: "s", subscenario: "t", text: "long", hash: "h" }));

describe.each([
  ["bytes", [0, 1, 1, 0]],
  ["bytes with missing ones", [0, 1, NaN, 0]],
  ["fractions with missing ones", [0, 0.3, NaN, 1]],
])("a matrix of %s", (_, scores) => {
  const matrix = responseMatrix(["m", "n"], items, Float64Array.from(scores));

  test("is the same in shared memory, but for its texts", () => {
    const shared = sharedMatrix(matrix);
    expect(shared.scores.buffer).toBeInstanceOf(SharedArrayBuffer);
    if (matrix.observed) expect(shared.observed!.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect({ ...shared, items }).toEqual(matrix);
    for (const item of shared.items) expect(item).not.toHaveProperty("text");
    expect(shared.items.map((item) => ({ ...item, text: "long" }))).toEqual(items);
  });
});
