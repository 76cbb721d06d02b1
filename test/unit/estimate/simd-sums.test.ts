import { readFile } from "node:fs/promises";
import { toBase64Url } from "anchoreval/internal/bundles/bytes";
import type { FloatArray, ItemBank } from "anchoreval/internal/core/irt/item-bank";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { expectedScore, takeSumsBy } from "anchoreval/internal/core/scoring/predicted-scores";
import { afterAll, expect, test } from "vitest";
import wabt from "wabt";
import { SIMD_SUMS, useSimd } from "anchoreval/internal/estimate/simd-sums";

const random = createRandom("simd-sums");
const JAVASCRIPTS = (): null => null;
afterAll(() => {
  takeSumsBy(JAVASCRIPTS);
});

function bankOf(count: number, dims: number, scale = 1): ItemBank {
  const draw = (length: number): Float32Array => Float32Array.from({ length }, () => scale * random.normal());
  return { count, dims, a: draw(count * dims), b: draw(count), lower: null, upper: null };
}

function weightsOf(count: number): Float64Array {
  return Float64Array.from({ length: count }, () => random.next() / count);
}

type Sums = ReturnType<typeof expectedScore>;

/** The sums of WebAssembly, and those of JavaScript. */
function both(theta: FloatArray, bank: ItemBank, weights: Float64Array): [Sums, Sums] {
  useSimd();
  const found = expectedScore(theta, bank, weights, null);
  takeSumsBy(JAVASCRIPTS);
  return [found, expectedScore(theta, bank, weights, null)];
}

test("the module is simd-sums.wat, assembled", async () => {
  const source = await readFile(new URL("../../../sdk/estimate/simd-sums.wat", import.meta.url), "utf8");
  const module = (await wabt()).parseWat("simd-sums.wat", source, { simd: true });
  expect(SIMD_SUMS).toBe(toBase64Url(module.toBinary({}).buffer));
});

test("sums are JavaScript's to the last bit, whatever the number of items and dimensions", () => {
  for (let round = 0; round < 300; round++) {
    const [count, dims] = [1 + random.below(round < 290 ? 600 : 20_000), 1 + random.below(9)];
    const bank = bankOf(count, dims, [0.1, 1, 8][round % 3]);
    const theta = Float64Array.from({ length: dims }, () => 2 * random.normal());
    const [found, expected] = both(theta, bank, weightsOf(count));
    expect(found).toEqual(expected);
  }
});

test("banks that come again are the ones that were kept, with other weights or abilities as well", () => {
  useSimd();
  const banks = Array.from({ length: 40 }, () => bankOf(12_345, 8)); // more than there is room for
  const found: [Float64Array, ItemBank, Float64Array, Sums][] = [];
  for (let k = 0; k < 200; k++) {
    const bank = banks[random.below(banks.length)]!;
    const weights = k % 3 === 0 ? weightsOf(bank.count) : (found.at(-1)?.[2] ?? weightsOf(bank.count));
    const theta = Float64Array.from({ length: 8 }, () => random.normal());
    found.push([theta, bank, weights, expectedScore(theta, bank, weights, null)]);
  }
  takeSumsBy(JAVASCRIPTS);
  for (const [theta, bank, weights, sums] of found) expect(sums).toEqual(expectedScore(theta, bank, weights, null));
});

const plain = bankOf(10, 2);
const large = bankOf(60_000, 20);

test.each<[string, ItemBank, number]>([
  ["logits past the exponential's range", { ...plain, b: plain.b.map((_, i) => (i === 9 ? 800 : 0)) }, 1],
  ["infinite logits", { ...plain, b: plain.b.map((_, i) => (i === 2 ? -Infinity : 0)) }, 1],
  ["an ability that is no number", plain, NaN],
  ["asymptotes", { ...plain, lower: new Float32Array(10).fill(0.2) }, 1],
  ["float64 parameters", { ...plain, a: Float64Array.from(plain.a, (own) => own + 1e-10) }, 1],
  ["a bank without room", large, 0.1],
])("of %s they are JavaScript's", (_, bank, ability) => {
  const [found, expected] = both(new Float64Array(bank.dims).fill(ability), bank, weightsOf(bank.count));
  expect(found).toEqual(expected);
});
