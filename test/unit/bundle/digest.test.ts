import { createHash } from "node:crypto";
import { sha256Hex, sha256Text } from "anchoreval/bundle";
import { createRandom } from "anchoreval/core";
import { expect, test } from "vitest";

const platform = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
const random = createRandom("digest");
const draw = (length: number): Uint8Array => Uint8Array.from({ length }, () => random.below(256));

test("the standard's own vectors (FIPS 180-4)", () => {
  expect(sha256Text("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Text("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(sha256Text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")).toBe(
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
  );
});

test("every length up to three blocks: the padding has no seam at 55, 56, 63, 64, 119, 120 or 128 bytes", () => {
  for (let length = 0; length <= 192; length++) {
    const bytes = draw(length);
    expect(sha256Hex(bytes), `${length} bytes`).toBe(platform(bytes));
  }
});

test.each([1000, 4095, 4096, 65_537, 1_000_003])("%d bytes", (length) => {
  const bytes = draw(length);
  expect(sha256Hex(bytes)).toBe(platform(bytes));
});

test("a part of a larger buffer", () => {
  const bytes = draw(500);
  for (const [begin, end] of [
    [0, 500],
    [1, 65],
    [77, 78],
    [13, 13],
  ] as const)
    expect(sha256Hex(bytes.subarray(begin, end))).toBe(platform(bytes.slice(begin, end)));
});

test("text is hashed as UTF-8", () => {
  for (const text of ["gsm/17", "größe", "数学 🙂", "\u0000"]) {
    expect(sha256Text(text)).toBe(createHash("sha256").update(text, "utf8").digest("hex"));
  }
});

test("the input is left alone", () => {
  const bytes = draw(100);
  const before = bytes.slice();
  sha256Hex(bytes);
  expect(bytes).toEqual(before);
});
