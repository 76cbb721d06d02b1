import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";
import { reachable, ROOT, type SourceImport, sourceFiles } from "../support/source-imports.js";

/** Short files that the program uses, or that three parts of the trainer share. */
const SHORT = ["import/formats.ts", "numeric/apportion.ts"].map((file) => `offline-trainer/src/${file}`);
const FILES = ["sdk", "cli", "offline-trainer/src", "offline-trainer/browser", "workers/src", "workers/page"]
  .flatMap((folder) => sourceFiles(folder))
  .filter((file) => /(?<!\.d)\.ts$/.test(file));
const text = (file: string): string => readFileSync(join(ROOT, file), "utf8");
const parsed = (file: string): ts.SourceFile => ts.createSourceFile(file, text(file), ts.ScriptTarget.Latest, true);

/** Whether a file is where a package, a method or a thread begins. */
const isIndex = (file: string): boolean => /(?:\/index|-worker)\.ts$/.test(file);
/** Whether a file only declares types, or only names what others export. */
const isList = (file: string): boolean =>
  parsed(file).statements.every(
    (statement) =>
      ts.isImportDeclaration(statement) ||
      ts.isExportDeclaration(statement) ||
      ts.isInterfaceDeclaration(statement) ||
      ts.isTypeAliasDeclaration(statement),
  );

/** The built file behind a name of this project's packages. */
function entryOf(specifier: string): string | null {
  const [, name, path = "."] = /^(anchoreval(?:-trainer)?)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name === undefined) return null;
  const folder = name === "anchoreval" ? "sdk" : "offline-trainer";
  if (path.startsWith("internal/features/")) return `${folder}/dist/${path.slice("internal/".length)}.js`;
  const inside = { sdk: "sdk", "offline-trainer": "offline-trainer/src" }[folder];
  if (path.startsWith("internal/")) return `${folder}/dist/${inside}/${path.slice("internal/".length)}.js`;
  const { exports } = JSON.parse(text(`${folder}/package.json`)) as { exports: Record<string, { default: string }> };
  return join(folder, exports[path === "." ? "." : `./${path}`]!.default);
}

/** This project's files that run when a built one does. */
const loadedBy = (entry: string, follows?: (own: SourceImport) => boolean): string[] =>
  [...reachable(entry, entryOf, follows)].filter((file) => file.includes("/dist/"));

test("a folder has at most 20 files", () => {
  const counts = new Map<string, number>();
  for (const file of FILES) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  expect([...counts].filter(([, count]) => count > 20)).toEqual([]);
});

test("a file under 25 lines is an index or a list of types", () => {
  const short = FILES.filter((file) => text(file).split("\n").length <= 25 && !isIndex(file) && !isList(file));
  expect(short.filter((file) => !SHORT.includes(file))).toEqual([]);
});

describe("what a module loads", () => {
  test.each([
    ["offline-trainer/dist/offline-trainer/src/fit/fit.js", 150],
    ["sdk/dist/sdk/estimate/estimate-from-anchors.js", 45],
  ])("%s: at most %d files", (entry, most) => {
    const loaded = loadedBy(entry);
    expect(loaded.length).toBeGreaterThan(most / 3);
    expect(loaded.length).toBeLessThanOrEqual(most);
  });

  test("the command fit without the options that load extensions: at most 203 files", () => {
    const entry = "cli/dist/cli/src/commands/fit.js";
    const files = loadedBy(entry, ({ from, dynamic }) => !dynamic || from === entry);
    expect(files).toContain("offline-trainer/dist/offline-trainer/src/report/render-report.js");
    expect(files.length).toBeLessThanOrEqual(203); // ten are tables of the extensions' options and words, three the provenance that every bundle notes, two the bounds of files, three how files are replaced, thirteen the look at a board before it is fitted and its replicates
  });
});

test("no docstring begins with What", () => {
  const found = FILES.flatMap((file) =>
    text(file)
      .split("\n")
      .flatMap((line, k) => (/^\s*(?:\/\*\*|\*|\/\/) What\b/.test(line) ? [`${file}:${k + 1}`] : [])),
  );
  expect(found).toEqual([]);
});
