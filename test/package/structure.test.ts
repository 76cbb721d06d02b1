import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { ROOT, sourceFiles } from "../support/source-imports.js";

/** Short files that the program uses, that three parts of the trainer share, or that a client loads without its feature. */
const SHORT = [
  "offline-trainer/src/matrix/readers/formats.ts",
  "features/routing/sdk/client-calls.ts",
  "features/subscores/sdk/facts.ts", // `show` has it without estimates
  "features/known-scores/sdk/facts.ts",
  "features/adaptive/core/limits.ts", // every reader of a manifest has it, and few the rest of the feature's core
  "sdk/bundles/parse-manifest.ts", // the core's, with the features' parts, which the core doesn't know
];
const FILES = [
  "sdk",
  "features",
  "cli",
  "offline-trainer/src",
  "offline-trainer/browser",
  "workers/src",
  "workers/page",
]
  .flatMap((folder) => sourceFiles(folder))
  .filter((file) => /(?<!\.d)\.ts$/.test(file));
const text = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const parsed = (file: string): ts.SourceFile => ts.createSourceFile(file, text(file), ts.ScriptTarget.Latest, true);

/**
 * Whether a file is where a package, a method or a thread begins, or lists features, is the one file of a
 * feature's floor, or its parts of commands.
 */
const isIndex = (file: string): boolean =>
  /(?:\/index|-worker)\.ts$|^features\/(?:[^/]+\/)?[^/]+\.ts$|^features\/[^/]+\/cli\/(?:parts|fit-[a-z]+)\.ts$/.test(
    file,
  );
/** Whether a file only declares types, or only names what others export. */
const isList = (file: string): boolean =>
  parsed(file).statements.every(
    (statement) =>
      ts.isImportDeclaration(statement) ||
      ts.isExportDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement),
  );

/** Lists of features, each for one place of the trunk: more than files of one folder may be. */
const LISTS = 29;

test("a folder has at most 20 files", () => {
  const counts = new Map<string, number>();
  for (const file of FILES) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([folder, count]) => count > (folder === "features" ? LISTS : 20))).toEqual([]);
});

test("a file under 25 lines is an index or a list of types", () => {
  const short = FILES.filter((file) => text(file).split("\n").length <= 25 && !isIndex(file) && !isList(file));
  expect(short.filter((file) => !SHORT.includes(file))).toEqual([]);
});

test("no docstring begins with What", () => {
  const found = FILES.flatMap((file) =>
    text(file)
      .split("\n")
      .flatMap((line, k) => (/^\s*(?:\/\*\*|\*|\/\/) What\b/.test(line) ? [`${file}:${k + 1}`] : [])),
  );
  expect(found).toEqual([]);
});
