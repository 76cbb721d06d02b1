import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importsOf, ROOT, sourceFiles, type SourceImport } from "../support/source-imports.ts";

/** Folders of sdk/core, each with those that it may import (docs: numeric ← irt ← ability ← estimators ← the rest). */
const CORE: Readonly<Record<string, readonly string[]>> = {
  numeric: [],
  irt: ["numeric"],
  ability: ["numeric", "irt"],
  estimators: ["numeric", "irt", "ability"],
  "person-fit": ["numeric", "irt", "ability", "estimators"],
  inference: ["numeric", "irt", "ability", "estimators"],
  routing: ["numeric"],
  bundle: ["routing", "numeric", "irt", "ability", "estimators", "person-fit"],
  scoring: ["numeric", "irt", "ability", "estimators", "person-fit", "inference"],
  adaptive: ["numeric", "irt", "ability", "inference", "scoring"],
};

/** Folders of the SDK that run in every JavaScript runtime: no Node there. */
const WITH_NODE = ["node", "bin"];

/** Folders that are bundled whole for browsers: no Node, and dependencies of the build as well. */
const BUNDLED = ["workers/page/", "offline-trainer/browser/"];

/** Threads load a method's functions from where the method says that they lie; a program, one installed elsewhere. */
const COMPUTED = ["offline-trainer/src/methods/method.ts", "cli/src/main.ts"];

const packageJson = (
  workspace: string,
): { exports?: object; dependencies?: Record<string, string>; devDependencies?: Record<string, string> } =>
  JSON.parse(readFileSync(join(ROOT, workspace, "package.json"), "utf8")) as { exports?: object };
const publicSubpaths = Object.keys(packageJson("sdk").exports!).map((path) => path.replace(/^\./, "anchoreval"));

/** What the bins run: the program that is bundled from cli/. */
const PROGRAM = "anchoreval/internal/program/main";

/** Why an import is forbidden, or null. Nobody can import cli: it is private, and relative paths stay in their workspace. */
function violation({ from, specifier, target }: SourceImport): string | null {
  const [workspace, folder, part] = from.split("/") as [string, string, string];
  const internal = /^anchoreval(-trainer)?\/internal\//.test(specifier);
  if (specifier === "(computed)")
    return WITH_NODE.includes(folder) || COMPUTED.includes(from) ? null : "an import that can't be read off";
  if (target !== null && !target.startsWith(`${workspace}/`)) return "leaves its workspace";
  const node = specifier.startsWith("node:");

  if (workspace === "sdk") {
    if (folder === "core") {
      if (target === null) return "core imports nothing outside itself";
      if (!target.startsWith("sdk/core/")) return "core imports nothing outside itself";
      if (target === "sdk/core/errors.ts") return null;
      if (part === "errors.ts") return "errors stand below everything";
      const into = target.split("/")[2]!;
      return into === part || CORE[part]?.includes(into) ? null : `core/${part} may not import core/${into}`;
    }
    if (target === null)
      return node && WITH_NODE.includes(folder) ? null : node ? "Node outside of sdk/node" : "a dependency";
    const into = target.split("/")[1]!;
    return WITH_NODE.includes(into) && !WITH_NODE.includes(folder) ? `the portable part imports sdk/${into}` : null;
  }

  if (target !== null) return null;
  if (workspace === "cli")
    return node || internal || specifier === "commander" || publicSubpaths.includes(specifier)
      ? null
      : `${specifier} is not for the program`;
  const bundled = BUNDLED.some((own) => from.startsWith(own));
  if (bundled && (node || /^anchoreval\/(internal\/)?node\b/.test(specifier))) return "Node in a browser";
  if (specifier === PROGRAM) return from.startsWith("offline-trainer/bin/") ? null : "the program";
  if (internal) return specifier.startsWith("anchoreval/") ? null : "an internal path"; // of one release
  if (specifier === "anchoreval" || specifier.startsWith("anchoreval/"))
    return publicSubpaths.includes(specifier) ? null : "not a public subpath of anchoreval";
  if (/^anchoreval-/.test(specifier)) return "workers and trainer never import each other";
  if (node || specifier.startsWith("cloudflare:")) return node && workspace === "workers" ? "Node in a Worker" : null;
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const { dependencies = {}, devDependencies = {} } = packageJson(workspace);
  return name in dependencies || (bundled && name in devDependencies)
    ? null
    : `${name} is no dependency of ${workspace}`;
}

const files = [
  "sdk",
  "workers/src",
  "workers/page",
  "offline-trainer/src",
  "offline-trainer/browser",
  "offline-trainer/bin",
  "cli/src",
].flatMap((folder) => (existsSync(join(ROOT, folder)) ? sourceFiles(folder) : []));
const imports = files.flatMap((file) => importsOf(file));

test("the imports of all workspaces were found", () => {
  expect(imports.length).toBeGreaterThan(200);
  expect(imports).toContainEqual({
    from: "sdk/core/ability/map.ts",
    specifier: "../irt/response.ts",
    target: "sdk/core/irt/response.ts",
    dynamic: false,
  });
});

test("no import goes the wrong way", () => {
  const wrong = imports.flatMap((entry) => {
    const why = violation(entry);
    return why === null ? [] : [`${entry.from} imports ${entry.specifier}: ${why}`];
  });
  expect(wrong).toEqual([]);
});

test("every folder of core has its place in the order", () => {
  const folders = new Set(files.filter((file) => /^sdk\/core\/[^/]+\//.test(file)).map((file) => file.split("/")[2]!));
  expect([...folders].sort()).toEqual(Object.keys(CORE).sort());
});

/** Commands of a program without the trainer, with what they share. */
const LIGHT = ["bridge", "commands", "main", "options/answers", "options/scale"]
  .concat(["command", "completion", "errors", "help", "output", "parse"].map((name) => `program/${name}`))
  .concat(["bundles/bundle-tables", "bundles/open-bundle", "logs/anchor-logs"])
  .concat(["estimate", "compare", "check", "plan", "export", "show", "keys"].map((name) => `commands/${name}`));

test("commands that need no trainer don't import it", () => {
  const light = imports.filter(({ from }) => LIGHT.some((name) => from === `cli/src/${name}.ts`));
  expect(light.length).toBeGreaterThan(50);
  expect(light.filter(({ specifier }) => /^anchoreval(-trainer|$|\/(core|node|bundle)$)/.test(specifier))).toEqual([]);
});

test("no file imports itself over others", () => {
  expect(cycles(imports)).toEqual([]);
});

test("no folder of the trainer imports itself over others", () => {
  const folder = (file: string): string => file.split("/").slice(0, 3).join("/");
  const between = imports.flatMap((entry) => {
    if (entry.target === null || !entry.from.startsWith("offline-trainer/src/")) return [];
    const [from, target] = [folder(entry.from), folder(entry.target)];
    return from === target ? [] : [{ ...entry, from, target }];
  });
  expect(between.length).toBeGreaterThan(100);
  expect(cycles(between)).toEqual([]);
});

/** The main road of the trainer, each folder with those above it, which it may not import. */
const ROAD: readonly (readonly [folders: readonly string[], above: readonly string[]])[] = [
  [["numeric"], ["benchmark", "calibrate", "anchors", "methods", "fit", "backtest", "extensions", "cli"]],
  [
    ["matrix", "prepare", "splits"],
    ["benchmark", "calibrate", "anchors", "methods", "fit", "backtest", "extensions"],
  ],
  [
    ["calibrate", "anchors"],
    ["methods", "fit", "backtest", "extensions", "report", "cli"],
  ],
  [["methods"], ["fit", "backtest", "extensions", "report", "cli"]],
  [
    ["fit", "backtest"],
    ["extensions", "report", "cli"],
  ],
];

test("the trainer's main road leads one way: numbers, data, banks and anchors, methods, the fit; then extensions", () => {
  const folder = (file: string): string => file.split("/")[2]!;
  const wrong = imports.flatMap(({ from, target }) => {
    if (target === null || !from.startsWith("offline-trainer/src/")) return [];
    const forbidden = ROAD.some(([own, above]) => own.includes(folder(from)) && above.includes(folder(target)));
    const extension =
      folder(target) === "extensions" && !["extensions", "cli", "report", "index.ts"].includes(folder(from));
    return forbidden || extension ? [`${from} → ${target}`] : [];
  });
  expect(wrong).toEqual([]);
});

/** Cycles of the graph of files, each once, as a path; of types alone too: such files are read, and changed, as one. */
function cycles(edges: readonly SourceImport[]): string[] {
  const next = new Map<string, string[]>();
  for (const { from, target } of edges) if (target !== null) next.set(from, [...(next.get(from) ?? []), target]);
  const done = new Set<string>();
  const path: string[] = [];
  const found: string[] = [];
  const visit = (file: string): void => {
    const at = path.indexOf(file);
    if (at >= 0) return void found.push([...path.slice(at), file].join(" → "));
    if (done.has(file)) return;
    path.push(file);
    for (const target of next.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of next.keys()) visit(file);
  return found;
}

describe("the test itself can fail", () => {
  test.each([
    ["sdk/core/numeric/x.ts", 'import { a } from "../irt/types.ts";', "core/numeric may not import core/irt"],
    ["sdk/core/irt/x.ts", 'export * from "../bundle/index.ts";', "core/irt may not import core/bundle"],
    ["sdk/core/bundle/x.ts", 'import type { a } from "../scoring/y.ts";', "core/bundle may not import core/scoring"],
    ["sdk/core/irt/x.ts", 'import fs from "node:fs";', "core imports nothing outside itself"],
    ["sdk/core/irt/x.ts", 'import { a } from "../../digest.ts";', "core imports nothing outside itself"],
    ["sdk/core/errors.ts", 'import { a } from "./numeric/normal.ts";', "errors stand below everything"],
    ["sdk/client/x.ts", 'const fs = await import("node:fs");', "Node outside of sdk/node"],
    ["sdk/client/x.ts", 'import { folderSource } from "../node/index.ts";', "the portable part imports sdk/node"],
    ["sdk/client/x.ts", 'import { z } from "zod";', "a dependency"],
    ["sdk/logs/x.ts", "const m = await import(name);", "an import that can't be read off"],
    ["workers/src/x.ts", 'import { a } from "../../sdk/core/index.ts";', "leaves its workspace"],
    ["workers/src/x.ts", 'import { a } from "anchoreval/dist/core/index.js";', "not a public subpath"],
    ["workers/src/x.ts", 'import { a } from "anchoreval-trainer";', "never import each other"],
    ["workers/src/x.ts", 'import fs from "node:fs";', "Node in a Worker"],
    ["workers/src/x.ts", 'import lodash from "lodash";', "lodash is no dependency of workers"],
    ["offline-trainer/src/x.ts", 'type A = import("../../workers/src/app.ts").A;', "leaves its workspace"],
    ["workers/page/x.ts", 'import { calibrate } from "anchoreval-trainer/calibrate";', "never import each other"],
    ["workers/page/x.ts", 'import { readAnswers } from "anchoreval/node";', "Node in a browser"],
    ["offline-trainer/browser/x.ts", 'import fs from "node:fs";', "Node in a browser"],
    ["offline-trainer/src/x.ts", 'import ort from "onnxruntime-web/wasm";', "onnxruntime-web is no dependency"],
    ["offline-trainer/src/x.ts", 'const a = require("@scope/name/part");', "@scope/name is no dependency"],
    ["workers/src/x.ts", 'import { a } from "anchoreval-trainer/internal/errors";', "an internal path"],
    ["offline-trainer/src/x.ts", 'import { main } from "anchoreval/internal/program/main";', "the program"],
    ["offline-trainer/browser/x.ts", 'import { a } from "anchoreval/internal/node/json-file";', "Node in a browser"],
    ["offline-trainer/src/x.ts", 'import { a } from "../../cli/src/program/help.ts";', "leaves its workspace"],
    ["workers/src/x.ts", 'import { a } from "anchoreval-trainer/internal/fit/fit";', "an internal path"],
    ["cli/src/x.ts", 'import { a } from "anchoreval-worker";', "not for the program"],
  ])("%s: %s", (file, text, why) => {
    expect(importsOf(file, text).map(violation)).toEqual([expect.stringContaining(why)]);
  });

  test.each([
    ["sdk/core/bundle/x.ts", 'import { cholesky } from "../numeric/cholesky.ts";'],
    ["sdk/core/bundle/x.ts", 'import { AnchorEvalError } from "../errors.ts";'],
    ["sdk/node/x.ts", 'import fs from "node:fs";\nimport { loadBundle } from "../bundles/load-bundle.ts";'],
    ["offline-trainer/browser/x.ts", 'import ort from "onnxruntime-web/wasm";\nimport { x } from "../src/y.ts";'],
    ["workers/src/x.ts", 'import { Hono } from "hono";\nimport { loadBundle } from "anchoreval";'],
    ["cli/src/x.ts", 'import { a } from "anchoreval-trainer/internal/fit/fit";\nimport fs from "node:fs";'],
    ["offline-trainer/bin/x.js", 'import { main } from "anchoreval/internal/program/main";'],
    ["offline-trainer/src/x.ts", 'import { sigmoid } from "anchoreval/irt";\nimport os from "node:os";'],
  ])("and passes what is allowed: %s", (file, text) => {
    expect(importsOf(file, text).map(violation)).toEqual(importsOf(file, text).map(() => null));
  });

  test("a cycle is found and shown", () => {
    const edge = (from: string, target: string): SourceImport => ({ from, specifier: "", dynamic: false, target });
    expect(cycles([edge("a", "b"), edge("b", "c"), edge("c", "b"), edge("c", "d")])).toEqual(["b → c → b"]);
    expect(cycles([edge("a", "a")])).toEqual(["a → a"]);
    expect(cycles([edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d")])).toEqual([]);
    for (const text of [
      'import type { X } from "./y.ts";',
      'export type { X } from "./y.ts";',
      'let x: import("./y.ts").X;',
    ])
      expect(
        cycles([...importsOf("sdk/x.ts", text), ...importsOf("sdk/y.ts", 'import { type Y } from "./x.ts";')]),
      ).toEqual(["sdk/x.ts → sdk/y.ts → sdk/x.ts"]);
  });
});
