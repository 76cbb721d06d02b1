import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { COMMANDS } from "../../cli/src/commands.ts";
import { optionsOf } from "../../cli/src/program/command.ts";
import { programWords } from "../../cli/src/program/output.ts";
import { libraryStrings, programWordsIn } from "../support/program-words.js";
import { ROOT, sourceFiles } from "../support/source-imports.js";

const tables = await Promise.all(COMMANDS.map(async ({ load }) => Object.keys(optionsOf(await load()))));
const program = { options: new Set(tables.flat()), commands: new Set(COMMANDS.map(({ name }) => name)) };
const sources = ["sdk", "offline-trainer", "features"]
  .flatMap((folder) => sourceFiles(folder))
  .map((file) => [file, readFileSync(join(ROOT, file), "utf8")] as const);

test("no message of the library names an option or a command of the program", () => {
  expect(sources.flatMap(([file, text]) => programWordsIn(file, text, program))).toEqual([]);
});

test("what a message names in backticks is an option of the program by another spelling", () => {
  const named = sources.flatMap(([file, text]) =>
    libraryStrings(file, text).flatMap(({ line, words }) =>
      (words.match(/`[^`\n]*`/g) ?? []).flatMap((name) => {
        const [, option] = /^--([a-z-]+)/.exec(programWords(name)) ?? [];
        return option === undefined ? [] : [{ place: `${file}:${line}: ${name}`, option }];
      }),
    ),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ option }) => !program.options.has(option)).map(({ place }) => place)).toEqual([]);
});

test.each([
  ["features/compare/sdk/x.ts", 'fail("give --baseline several times")', ["--baseline"]],
  ["sdk/logs/x.ts", "fail(`--${option} is given twice`)", ["--${…}"]],
  ["sdk/logs/x.ts", "fail(`${file}: give --metric, or ${more} by --filter`)", ["--metric", "--filter"]],
  ["offline-trainer/src/fit/x.ts", 'fail("as `anchoreval fit` wrote it")', ["anchoreval fit"]],
  ["features/gates/sdk/x.ts", 'fail("run npx anchoreval-trainer import")', ["anchoreval-trainer import"]],
  ["features/versions/fit.ts", 'fail("fit anew, without --base")', ["--base"]],
])("the law can be broken: %s: %s", (file, text, words) => {
  expect(programWordsIn(file, text, program)).toEqual(words.map((word) => `${file}:1: ${word}`));
});

test.each([
  ["features/charts/sdk/x.ts", 'draw("var(--gate)", `var(--${colour})`)'],
  ["features/report/fit/x.ts", "style(`--gate: #5b6b1a; --score-map: #00697f;`)"],
  ["sdk/logs/x.ts", 'fail("lm_eval writes them with --log_samples --output_path FOLDER")'],
  ["sdk/x.ts", '// as --out of anchoreval fit\nfail("give `out` - the folder of anchoreval")'],
  ["features/gates/cli/x.ts", 'fail("give --baseline several times")'],
  ["features/forms/cli.ts", 'fail("anchoreval forms --by")'],
])("and this is none of it: %s: %s", (file, text) => {
  expect(programWordsIn(file, text, program)).toEqual([]);
});
