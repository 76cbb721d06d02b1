import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { importsOf, reachable, ROOT, sourceFiles } from "../support/source-imports.js";

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
  "./bundle": "encodeBundle",
  "./irt": "mapAbility",
  "./node": "folderSource",
};

const typesOf = (path: string): string => join(ROOT, "sdk", subpaths[path]!.types);
const program = ts.createProgram(
  Object.keys(MAIN).map((path) => typesOf(path)),
  { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023 },
);
const checker = program.getTypeChecker();
/** Names that a subpath exports, types among them. */
const namesOf = (path: string): string[] =>
  checker
    .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(typesOf(path))!)!)
    .map(({ name }) => name);
const sdkPage = readFileSync(join(ROOT, "docs/sdk.md"), "utf8");

describe.each(Object.entries(MAIN))("%s", (path, main) => {
  test("imports in Node, and has its types beside it", async () => {
    const module = (await import(`anchoreval${path.slice(1)}`)) as Record<string, unknown>;
    expect(module).toHaveProperty(main);
    const { types, default: file } = subpaths[path]!;
    expect(existsSync(typesOf(path))).toBe(true);
    expect(types).toBe(file.replace(/\.js$/, ".d.ts"));
  });

  test("each name has its place in docs/sdk.md", () => {
    expect(namesOf(path)).not.toEqual([]);
    expect(namesOf(path).filter((name) => !new RegExp(`\\b${name}\\b`).test(sdkPage))).toEqual([]);
  });
});

test("these are the public subpaths, with at most 150 names", () => {
  expect(Object.keys(subpaths)).toEqual(Object.keys(MAIN));
  const names = new Set(Object.keys(MAIN).flatMap((path) => namesOf(path)));
  expect(names).toContain("Estimate");
  expect(names.size).toBeLessThanOrEqual(150);
});

test("examples import nothing internal", () => {
  const imports = sourceFiles("examples").flatMap((file) => importsOf(file));
  expect(imports.filter(({ specifier }) => specifier.includes("/internal/"))).toEqual([]);
});

test.each([".", "./bundle", "./irt"])("%s runs in every runtime: no Node is reachable, and no dependency", (path) => {
  const modules = [...reachable(join("sdk", subpaths[path]!.default))];
  expect(modules.length).toBeGreaterThan(5);
  expect(modules.filter((module) => !module.startsWith("sdk/dist/"))).toEqual([]);
  expect(modules.filter((module) => /^sdk\/dist\/(node|program)\//.test(module))).toEqual([]);
});

test("the trainer's ./calibrate runs in every runtime: beside the SDK's maths it reaches its own files alone", async () => {
  const { types, default: main } = exportsOf("offline-trainer")["./calibrate"]!;
  const modules = [...reachable(join("offline-trainer", main))];
  expect(modules.length).toBeGreaterThan(15);
  const foreign = modules.filter((module) => !module.startsWith("offline-trainer/dist/"));
  expect(foreign.filter((module) => !module.startsWith("anchoreval/internal/core/"))).toEqual([]);
  expect(
    modules.filter((module) => module.startsWith("offline-trainer/dist/offline-trainer/src/backends/node/")),
  ).toEqual([]);
  expect(existsSync(join(ROOT, "offline-trainer", types))).toBe(true);
  const [part, whole] = await Promise.all([import("anchoreval-trainer/calibrate"), import("anchoreval-trainer")]);
  expect(part.calibrate).toBe(whole.calibrate);
});

test("./node does reach Node: the check above can fail", () => {
  expect([...reachable(join("sdk", subpaths["./node"]!.default))]).toContain("node:fs/promises");
});

test("the error class is one, whatever path it comes from", async () => {
  const [sdk, internal] = await Promise.all([import("anchoreval"), import("anchoreval/internal/core/errors")]);
  expect(internal.AnchorEvalError).toBe(sdk.AnchorEvalError);
});
