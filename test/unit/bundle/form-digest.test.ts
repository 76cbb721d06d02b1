import { createHash } from "node:crypto";
import { formDigest } from "anchoreval/bundle";
import { expect, test } from "vitest";

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
