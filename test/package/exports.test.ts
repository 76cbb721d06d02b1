import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reachable, ROOT } from "../support/source-imports.ts";

const exportsOf = (workspace: string): Record<string, { types: string; default: string }> =>
  (
    JSON.parse(readFileSync(join(ROOT, workspace, "package.json"), "utf8")) as {
      exports: Record<string, { types: string; default: string }>;
    }
  ).exports;
const subpaths = Object.fromEntries(Object.entries(exportsOf("sdk")).filter(([path]) => !path.includes("*")));

/** One name that each subpath is there for. */
const MAIN: Readonly<Record<string, string>> = {
  ".": "estimateFromAnchors",
  "./core": "mapAbility",
  "./bundle": "encodeBundle",
  "./charts": "errorBySizeChart",
  "./logs": "readLmEvalResults",
  "./publish": "publishBundle",
  "./tables": "parseAnswers",
  "./words": "verdictWords",
  "./node": "folderSource",
};

describe.each(Object.entries(subpaths))("%s", (path, { types, default: main }) => {
  test("imports in Node, and has its types beside it", async () => {
    const module = (await import(`anchoreval${path.slice(1)}`)) as Record<string, unknown>;
    expect(Object.keys(module).length).toBeGreaterThan(0);
    if (MAIN[path]) expect(module).toHaveProperty(MAIN[path]);
    expect(existsSync(join(ROOT, "sdk", types))).toBe(true);
    expect(types).toBe(main.replace(/\.js$/, ".d.ts"));
  });
});

test.each(
  [".", "./core", "./bundle", "./charts", "./logs", "./publish", "./tables", "./words"].filter(
    (path) => path in subpaths,
  ),
)("%s runs in every runtime: nothing of Node is reachable, and no dependency", (path) => {
  const modules = [...reachable(join("sdk", subpaths[path]!.default))];
  expect(modules.length).toBeGreaterThan(5);
  expect(modules.filter((module) => !module.startsWith("sdk/dist/"))).toEqual([]);
  expect(modules.filter((module) => /^sdk\/dist\/(node|program)\//.test(module))).toEqual([]);
});

test("the trainer's ./calibrate runs in every runtime: beside anchoreval/core it reaches its own files alone", async () => {
  const { types, default: main } = exportsOf("offline-trainer")["./calibrate"]!;
  const modules = [...reachable(join("offline-trainer", main))];
  expect(modules.length).toBeGreaterThan(15);
  expect(modules.filter((module) => !module.startsWith("offline-trainer/dist/"))).toEqual(["anchoreval/core"]);
  expect(modules.filter((module) => module.startsWith("offline-trainer/dist/backends/node/"))).toEqual([]);
  expect(existsSync(join(ROOT, "offline-trainer", types))).toBe(true);
  const [part, whole] = await Promise.all([import("anchoreval-trainer/calibrate"), import("anchoreval-trainer")]);
  expect(part.calibrate).toBe(whole.calibrate);
});

test("./node does reach Node: the check above can fail", () => {
  expect([...reachable(join("sdk", subpaths["./node"]!.default))]).toContain("node:fs/promises");
});

test("the error class is one, whatever subpath it comes from", async () => {
  const [sdk, core, bundle] = await Promise.all([
    import("anchoreval"),
    import("anchoreval/core"),
    import("anchoreval/bundle"),
  ]);
  expect(core.AnchorEvalError).toBe(sdk.AnchorEvalError);
  expect(bundle.AnchorEvalError).toBe(sdk.AnchorEvalError);
});
