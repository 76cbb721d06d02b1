import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  againstLayers,
  featureOf,
  FLOORS,
  folderCircles,
  foldersOf,
  LAYERS,
  packageOf,
  PACKAGES,
  sourceOf,
} from "../support/layers.js";
import { importsOf, ROOT, sourceFiles, type SourceImport } from "../support/source-imports.js";

/** Files of the SDK that run in Node alone: those of its folders, and a floor of a feature. */
const WITH_NODE = /^(sdk\/(node|bin)|features\/([^/]+\/)?node)[/.]/;

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

/**
 * Why an import is forbidden, or null: by the order of the folders, or by what runs where. Nobody can import cli: it is
 * private, and relative paths stay in their workspace.
 */
function violation(entry: SourceImport): string | null {
  const { from, specifier, target } = entry;
  const workspace = packageOf(from);
  const [, folder, part] = from.split("/") as [string, string, string];
  const internal = /^anchoreval(-trainer)?\/internal\//.test(specifier);
  if (specifier === "(computed)")
    return WITH_NODE.test(from) || COMPUTED.includes(from) ? null : "an import that can't be read off";
  if (target !== null && packageOf(target) !== workspace) return "leaves its workspace";
  const source = sourceOf(entry);
  const feature = source && featureOf(source);
  if (feature && featureOf(from) === null && !from.startsWith("features/"))
    return `the trunk names no feature: ${feature}`;
  const why = againstLayers({ from, target: source });
  if (why !== null) return why;
  const node = specifier.startsWith("node:");

  if (/^features\/[^/]+\/core[/.]/.test(from))
    return source && /^(sdk\/core\/|features\/[^/]+\/core[/.])/.test(source)
      ? null
      : "core imports nothing outside itself";
  if (workspace === "sdk") {
    if (folder === "core") {
      if (target === null) return "core imports nothing outside itself";
      return part === "errors.ts" ? "errors stand below everything" : null;
    }
    if (target !== null) return null;
    return node && WITH_NODE.test(from) ? null : node ? "Node outside of sdk/node" : "a dependency";
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

const files = [...PACKAGES, "offline-trainer/browser", "offline-trainer/bin"].flatMap((folder) => sourceFiles(folder));
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

test("every folder has its place in the order of its package", () => {
  const isFloor = ({ parent }: { readonly parent: string }): boolean => parent.startsWith("features/");
  const folders = foldersOf(files).filter((own) => !isFloor(own));
  const floors = foldersOf(files).filter(isFloor);
  expect(floors.map(({ folder }) => folder).filter((floor) => !(floor in FLOORS))).toEqual([]);
  const listed = Object.entries(LAYERS).flatMap(([parent, order]) =>
    (Array.isArray(order) ? order : Object.keys(order)).map((folder: string) => ({ parent, folder })),
  );
  expect(folders).toEqual(expect.arrayContaining(listed.filter(({ folder }) => folder !== ".")));
  expect(listed).toEqual(expect.arrayContaining(folders));
});

test("no folder imports itself over others", () => {
  expect(folderCircles(imports)).toEqual([]);
});

/** Commands of a program without the trainer, with what they share. */
const LIGHT = ["bridge", "commands", "main", "options/answers", "options/parts", "options/scale"]
  .concat(["command", "completion", "errors", "help", "output", "parse", "parts"].map((name) => `program/${name}`))
  .concat(["bundles/bundle-tables", "bundles/list-bundles", "bundles/open-bundle"])
  .concat(["estimate", "export", "show"].map((name) => `commands/${name}`))
  .map((name) => `cli/src/${name}.ts`)
  .concat(["compare", "check", "check-options", "bridge"].map((name) => `features/compare/cli/${name}.ts`));

test("commands that need no trainer don't import it", () => {
  const light = imports.filter(({ from }) => LIGHT.includes(from));
  expect(light.length).toBeGreaterThan(50);
  expect(light.filter(({ specifier }) => /^anchoreval(-trainer|$|\/(core|node|bundle)$)/.test(specifier))).toEqual([]);
});

test("no file imports itself over others", () => {
  expect(cycles(imports)).toEqual([]);
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
    ["sdk/core/numeric/x.ts", 'import { a } from "../irt/types.ts";', "sdk/core/numeric may not import sdk/core/irt"],
    ["sdk/core/irt/x.ts", 'export * from "../bundle/index.ts";', "sdk/core/irt may not import sdk/core/bundle"],
    [
      "sdk/core/bundle/x.ts",
      'import type { a } from "../scoring/y.ts";',
      "sdk/core/bundle may not import sdk/core/scoring",
    ],
    ["sdk/core/irt/x.ts", 'import fs from "node:fs";', "core imports nothing outside itself"],
    ["sdk/core/irt/x.ts", 'import { a } from "../../digest.ts";', "sdk/core may not import sdk/."],
    ["sdk/core/errors.ts", 'import { a } from "./numeric/normal.ts";', "errors stand below everything"],
    ["sdk/logs/x.ts", 'const fs = await import("node:fs");', "Node outside of sdk/node"],
    ["sdk/logs/x.ts", 'import { folderSource } from "../node/index.ts";', "sdk/logs may not import sdk/node"],
    ["sdk/tables/x.ts", 'import type { a } from "../estimate/y.ts";', "sdk/tables may not import sdk/estimate"],
    ["sdk/estimate/x.ts", 'import { a } from "../index.ts";', "sdk/estimate may not import sdk/."],
    ["sdk/index.ts", 'import { a } from "./node/index.ts";', "sdk may not import sdk/node"],
    [
      "cli/src/options/x.ts",
      'import { a } from "../commands/fit.ts";',
      "cli/src/options may not import cli/src/commands",
    ],
    [
      "workers/page/parts/x.ts",
      'import { a } from "../views/y.ts";',
      "workers/page/parts may not import workers/page/views",
    ],
    ["features/prices/sdk/x.ts", 'import { a } from "../../adaptive/sdk/y.ts";', "may not import"],
    ["sdk/logs/x.ts", 'import { z } from "zod";', "a dependency"],
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
    [
      "cli/src/commands/fit.ts",
      'import { a } from "../../../features/forms/cli.ts";',
      "the trunk names no feature: forms",
    ],
    ["sdk/words/x.ts", 'import { a } from "../../features/forms/sdk.ts";', "the trunk names no feature: forms"],
    [
      "cli/src/x.ts",
      'import { a } from "anchoreval-trainer/internal/features/forms/fit/x";',
      "the trunk names no feature: forms",
    ],
    ["features/forms/core.ts", 'import { a } from "../../sdk/words/x.ts";', "core imports nothing outside itself"],
    ["features/forms/sdk/x.ts", 'import fs from "node:fs";', "Node outside of sdk/node"],
    ["features/forms/cli.ts", 'import { a } from "./fit/x.ts";', "leaves its workspace"],
    ["features/forms/http.ts", 'import { a } from "anchoreval-trainer";', "never import each other"],
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
    ["cli/src/commands/fit.ts", 'import { a } from "../../../features/cli-fit.ts";'],
    ["features/cli.ts", 'const a = await import("./forms/cli.ts");'],
    ["features/forms/cli.ts", 'import { a } from "anchoreval-trainer/internal/features/forms/fit/x";'],
    ["features/forms/fit/x.ts", 'import { a } from "../../../offline-trainer/src/fit/fit.ts";'],
    ["offline-trainer/bin/x.js", 'import { main } from "anchoreval/internal/program/main";'],
    ["offline-trainer/src/x.ts", 'import { sigmoid } from "anchoreval/irt";\nimport os from "node:os";'],
  ])("and passes what is allowed: %s", (file, text) => {
    expect(importsOf(file, text).map(violation)).toEqual(importsOf(file, text).map(() => null));
  });

  test("a circle of folders is found, of types alone too, and at every level", () => {
    const circles = (...sources: (readonly [file: string, text: string])[]): string[][] =>
      folderCircles(sources.flatMap(([file, text]) => importsOf(file, text)));
    const up = ["sdk/words/x.ts", 'import type { X } from "../logs/x.ts";'] as const;
    expect(circles(up)).toEqual([]);
    expect(circles(up, ["sdk/logs/y.ts", 'import { y } from "../words/y.ts";'])).toEqual([["sdk/logs", "sdk/words"]]);
    expect(
      circles(["sdk/words/x.ts", 'import "../index.ts";'], ["sdk/bundle.ts", 'export * from "./words/y.ts";']),
    ).toEqual([["sdk", "sdk/words"]]);
    const down = ["cli/src/run/run.ts", 'import { a } from "./deep/a.ts";'] as const;
    expect(circles(down, ["cli/src/run/deep/b.ts", 'import { b } from "../plan.ts";'])).toEqual([]);
    expect(circles(down, ["cli/src/run/deep/b.ts", 'import { b } from "../run.ts";'])).toEqual([
      ["cli/src/run/deep", "cli/src/run/run.ts"],
    ]);
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
