import { createHash } from "node:crypto";
import { contentHash } from "anchoreval/bundle";
import { expect, test } from "vitest";

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
