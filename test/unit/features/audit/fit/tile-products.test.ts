import { readFile } from "node:fs/promises";
import { toBase64Url } from "anchoreval/internal/bundles/bytes";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expect, test } from "vitest";
import wabt from "wabt";
import { TILE_PRODUCTS, tilesOf } from "../../../../../features/audit/fit/tile-products.ts";

test("the module is tile-products.wat, assembled", async () => {
  const source = await readFile(
    new URL("../../../../../features/audit/fit/tile-products.wat", import.meta.url),
    "utf8",
  );
  const module = (await wabt()).parseWat("tile-products.wat", source, { simd: true });
  expect(TILE_PRODUCTS).toBe(toBase64Url(module.toBinary({}).buffer));
});

test.each([1, 7, 4000])("products of rows of %i numbers are JavaScript's to the last bit", (width) => {
  const random = createRandom(`tiles ${width}`);
  const { numbers, products } = tilesOf(12, width);
  const rows = Array.from({ length: 12 }, () => Float64Array.from({ length: width }, () => random.normal()));
  rows.forEach((row, r) => row.forEach((value, k) => (numbers[4 * (width * (r >> 2) + k) + (r & 3)] = value)));
  const product = (r: number, c: number): number => rows[r]!.reduce((sum, value, k) => sum + value * rows[c]![k]!, 0);
  for (const [i, j] of [
    [0, 0],
    [0, 8],
    [4, 8],
  ] as const)
    expect([...products(i, j)]).toEqual(Array.from({ length: 16 }, (_, k) => product(i + (k >> 2), j + (k & 3))));
});
