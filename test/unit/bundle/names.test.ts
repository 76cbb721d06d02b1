import {
  BENCHMARK_NAME,
  blobKey,
  compareVersions,
  FORM_ID,
  idProblem,
  indexKey,
  isStable,
  manifestKey,
  SHA256,
  VERSION,
} from "anchoreval/internal/core/bundle/names";
import { describe, expect, test } from "vitest";

describe("versions", () => {
  /** The order of semver.org, §11, and its neighbours. */
  const ascending = [
    "0.0.0",
    "0.0.1",
    "0.9.10",
    "0.10.0",
    "1.0.0-0",
    "1.0.0-0.alpha",
    "1.0.0-2",
    "1.0.0-11",
    "1.0.0-99999999999999999998",
    "1.0.0-99999999999999999999",
    "1.0.0--",
    "1.0.0-A",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-alpha-1",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "2.0.0",
    "2.1.0",
    "2.1.1",
    "999999999.0.0",
  ];

  test("compare as semver.org says", () => {
    for (let i = 0; i < ascending.length; i++)
      for (let j = 0; j < ascending.length; j++) {
        const sign = Math.sign(compareVersions(ascending[i]!, ascending[j]!));
        expect(sign, `${ascending[i]} against ${ascending[j]}`).toBe(Math.sign(i - j));
      }
  });

  test.each(ascending)("%s is a version", (version) => expect(version).toMatch(VERSION));

  test.each([
    "",
    "1",
    "1.0",
    "1.0.0.0",
    "v1.0.0",
    "01.0.0",
    "1.00.0",
    "1.0.0-",
    "1.0.0-01",
    "1.0.0-alpha..1",
    "1.0.0-alpha.01",
    "1.0.0+build",
    "1.0.0-rc.1+build",
    "1.0.0 ",
    "1.0.0\n",
    "-1.0.0",
    "1.0.x",
    "latest",
    "1.0.0/..",
    "1.0.0-é",
    "1000000000.0.0",
    `1.0.0-${"a".repeat(59)}`,
  ])("%j is none", (version) => expect(version).not.toMatch(VERSION));

  test("only versions without a pre-release tag may be latest", () => {
    expect(isStable("1.0.0")).toBe(true);
    expect(isStable("1.0.0-rc.1")).toBe(false);
  });
});

describe("ids of items and scenarios", () => {
  test.each(["gsm/17", "a", "größe", "数学 🙂", "../etc", "a b", "__proto__", "x".repeat(512), "ü".repeat(256)])(
    "%j is allowed",
    (id) => expect(idProblem(id)).toBeNull(),
  );

  test.each([
    ["", "empty"],
    ["x".repeat(513), "512 bytes"],
    ["ü".repeat(257), "512 bytes"],
    ["cafe\u0301", "NFC"],
    ["a\u0000b", "control"],
    ["a\nb", "control"],
    ["a\u007f", "control"],
    ["a\u0085", "control"],
    ["\ud83d", "Unicode"],
    ["a\ude42b", "Unicode"],
  ])("%j is refused: %s", (id, fragment) => expect(idProblem(id)).toContain(fragment));
});

test.each([
  ["helm-lite", true],
  ["a", true],
  ["0.9_b-c", true],
  ["a".repeat(64), true],
  ["a".repeat(65), false],
  ["", false],
  ["Helm", false],
  [".hidden", false],
  ["-x", false],
  ["a/b", false],
  ["a b", false],
  ["helm\n", false],
])("benchmark name %j: %s", (name, allowed) => expect(BENCHMARK_NAME.test(name)).toBe(allowed));

test.each([
  ["50", true],
  ["50-b", true],
  ["Core.v2", true],
  ["", false],
  ["-b", false],
  ["a/b", false],
  ["x".repeat(33), false],
])("form id %j: %s", (id, allowed) => expect(FORM_ID.test(id)).toBe(allowed));

test("a digest is 64 lowercase hex digits", () => {
  expect("a0".repeat(32)).toMatch(SHA256);
  for (const value of ["A0".repeat(32), "a0".repeat(31), `sha256:${"a0".repeat(32)}`, `${"a0".repeat(32)}\n`])
    expect(value).not.toMatch(SHA256);
});

test("keys in R2 are as docs/bundle-format.md states them", () => {
  expect(indexKey("helm-lite")).toBe("bundles/helm-lite/index.json");
  expect(manifestKey("helm-lite", "1.0.0-rc.1")).toBe("bundles/helm-lite/1.0.0-rc.1/manifest.json");
  expect(blobKey("helm-lite", "a0".repeat(32))).toBe(`bundles/helm-lite/blobs/${"a0".repeat(32)}`);
});
