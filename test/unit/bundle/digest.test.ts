import { createHash } from "node:crypto";
import { contentHash } from "anchoreval/bundle";
import { formDigest, sha256Hex, sha256Text, textHash } from "anchoreval/internal/core/bundle/digest";
import { createRandom } from "anchoreval/internal/core/numeric/random";
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

const sha256 = (json: string): string => createHash("sha256").update(json, "utf8").digest("hex");

test("is the SHA-256 of canonical JSON: keys sorted, no spaces", () => {
  expect(contentHash({ target: "2", input: "1 + 1 =" })).toBe(sha256('{"input":"1 + 1 =","target":"2"}'));
  expect(contentHash({ input: "1 + 1 =", target: 0, choices: ["2", "3"] })).toBe(
    sha256('{"choices":["2","3"],"input":"1 + 1 =","target":0}'),
  );
  expect(contentHash({ input: "a", target: ["x", 2] })).toBe(sha256('{"input":"a","target":["x",2]}'));
});

test("text in either Unicode form is the same item", () => {
  const composed = contentHash({ input: "caf\u00e9", choices: ["\u00e5"], target: "\u00f1" });
  expect(contentHash({ input: "cafe\u0301", choices: ["a\u030a"], target: "n\u0303" })).toBe(composed);
  expect(composed).toBe(sha256('{"choices":["å"],"input":"café","target":"ñ"}'));
});

test.each([
  ["input", { input: "1 + 2 =", choices: ["2", "3"], target: "2" }],
  ["target", { input: "1 + 1 =", choices: ["2", "3"], target: "3" }],
  ["the target's type", { input: "1 + 1 =", choices: ["2", "3"], target: 2 }],
  ["a choice", { input: "1 + 1 =", choices: ["2", "4"], target: "2" }],
  ["the order of the choices", { input: "1 + 1 =", choices: ["3", "2"], target: "2" }],
  ["the choices' being there", { input: "1 + 1 =", target: "2" }],
  ["empty choices", { input: "1 + 1 =", choices: [], target: "2" }],
])("changes with %s", (_, content) => {
  expect(contentHash(content)).not.toBe(contentHash({ input: "1 + 1 =", choices: ["2", "3"], target: "2" }));
});

test("ignores what else an object carries", () => {
  const loose = { input: "a", target: "b", fewShot: "Q: … A: …", doc_id: 7 };
  expect(contentHash(loose)).toBe(contentHash({ input: "a", target: "b" }));
});

const form = [
  ["alpha", ["a/1", "a/2"]],
  ["beta/γ", ["b/1"]],
] as const;

test("is the SHA-256 of the JSON array of scenarios and item ids", () => {
  const json = '[["alpha",["a/1","a/2"]],["beta/γ",["b/1"]]]';
  expect(formDigest(form)).toBe(createHash("sha256").update(json, "utf8").digest("hex"));
});

test("names the order, and where a scenario ends", () => {
  expect(formDigest([["alpha", ["a/2", "a/1"]], form[1]])).not.toBe(formDigest(form));
  expect(formDigest([form[1], form[0]])).not.toBe(formDigest(form));
  expect(
    formDigest([
      ["alpha", ["a/1"]],
      ["beta/γ", ["a/2", "b/1"]],
    ]),
  ).not.toBe(formDigest(form));
});

test("a text's hash is that of its JSON, whatever its white space and its form of Unicode", () => {
  const plain = createHash("sha256").update('{"input":"Caf\u00e9, \\"2 + 2\\"?"}').digest("hex");
  expect(textHash('Caf\u00e9, "2 + 2"?')).toBe(plain);
  expect(textHash('  Cafe\u0301,\r\n\t"2  + 2"?\n')).toBe(plain);
  expect(textHash('caf\u00e9, "2 + 2"?')).not.toBe(plain);
});
