import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Package {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (folder: string): Package => JSON.parse(readFileSync(`${folder}/package.json`, "utf8")) as Package;
const root = read(".");
const notes = (...argv: string[]): string =>
  execFileSync(process.execPath, [".ci/release-notes.js", ...argv], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });

test("the packages share one version, and depend on it", () => {
  for (const folder of ["sdk", "offline-trainer", "workers"]) {
    const own = read(folder);
    expect([folder, own.version]).toEqual([folder, root.version]);
    expect([undefined, root.version]).toContain(own.dependencies?.["anchoreval"]);
  }
});

test("the changelog has the version's section, which is its notes", () => {
  expect(notes()).toMatch(/^### Added\n/);
  expect(notes(root.version)).toBe(notes());
  expect(() => notes("99.0.0")).toThrow("CHANGELOG.md has no section [99.0.0]: it has ");
});
