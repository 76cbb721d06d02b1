import { readFile } from "node:fs/promises";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { describe, expect, test } from "vitest";
import wabt from "wabt";
import {
  dot,
  move,
  ROW_LANES,
  rowProducts,
  VECTORS,
  vectorMemory,
} from "../../../offline-trainer/src/numeric/vectors.ts";

const random = createRandom("vectors");

test("the module is vectors.wat, assembled", async () => {
  const source = await readFile(new URL("../../../offline-trainer/src/numeric/vectors.wat", import.meta.url), "utf8");
  const module = (await wabt()).parseWat("vectors.wat", source, { simd: true });
  expect(VECTORS).toBe(Buffer.from(module.toBinary({}).buffer).toString("base64"));
});

describe("WebAssembly's results are JavaScript's to the last bit", () => {
  test("of a move and the product there", () => {
    for (let length = 0; length < 70; length++) {
      const memory = vectorMemory([length, length, length]);
      const [x, along, other] = [0, 0, 0].map(() => memory.float64(length)) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      for (const vector of [x, along, other]) for (let k = 0; k < length; k++) vector[k] = random.normal();
      const [plain, weight] = [x.slice(), random.normal()];
      expect(move(x, weight, along, other)).toBe(move(plain, weight, along.slice(), other.slice()));
      expect(x).toEqual(plain);
      expect(move(x, 0, along, other)).toBe(dot(x, other));
      memory.release();
    }
  });

  test("of rows with a vector, and near the sums that they are", () => {
    for (const [count, width] of [
      [0, 8],
      [1, 8],
      [7, 16],
      [33, 104],
    ] as const) {
      expect(width % ROW_LANES).toBe(0);
      const memory = vectorMemory([count * width, width, count]);
      const [rows, z, out] = [memory.float64(count * width), memory.float64(width), memory.float64(count)];
      for (let k = 0; k < rows.length; k++) rows[k] = random.normal();
      for (let k = 0; k < width; k++) z[k] = random.normal();
      rowProducts(rows, z, out);
      const plain = new Float64Array(count);
      rowProducts(rows.slice(), z.slice(), plain);
      expect(out).toEqual(plain);
      plain.forEach((product, i) => {
        expect(product).toBeCloseTo(dot(rows.subarray(i * width, (i + 1) * width), z), 10);
      });
      memory.release();
    }
  });
});

test("memories are used again, larger where they must be, and those in use are apart", () => {
  const first = vectorMemory([100]);
  const one = first.float64(100).fill(1);
  const second = vectorMemory([100]);
  const two = second.float64(100).fill(2);
  expect([one[99], two[99]]).toEqual([1, 2]);
  first.release();
  second.release();
  const large = vectorMemory([1 << 18, 1 << 18]);
  const [x, y] = [large.float64(1 << 18), large.float64(1 << 18).fill(2)];
  expect(x.every((value) => value === 0)).toBe(true); // whatever lay there before
  expect(move(x, 3, y, y)).toBe(12 * (1 << 18));
  large.release();
});
