// The code's structure, in counts: what a newcomer has to hold, and the house's rules where there is no test of them yet.
import { execFile, execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { folderCircles } from "../../test/support/layers.js";
import { programWordsIn } from "../../test/support/program-words.js";
import { importsOf } from "../../test/support/source-imports.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PACKAGES = ["sdk", "offline-trainer", "workers", "cli", "features"];
/** Sources that somebody can do without who learns the whole: features, published methods, harnesses' logs, the page, the program. */
const BRANCHES = /^features\/|^offline-trainer\/src\/methods\/|^sdk\/(node\/)?logs\/|^workers\/page\/|^cli\//;
/** Idioms of this code that say nothing: names to be replaced by what the thing is. */
const EMPTY_NAMES = new Set(["own", "known", "found", "told", "given", "placed", "stated", "turn"]);
/** Parameters from which on a function takes an object. */
const MANY = 6;
/** Files whose numeric constants decide figures, so that each says where it is from. */
const DECIDING = /^sdk\/core\/|^features\/compare\/sdk\/check|^offline-trainer\/src\/(calibrate|fit|anchors)\//;

export async function measureHouse() {
  const files = trackedFiles(...PACKAGES, "*.md", "bench").filter((file) => !file.includes("/assets/"));
  const sources = files.filter((file) => /\.ts$/.test(file) && PACKAGES.includes(file.split("/")[0]));
  const texts = new Map(sources.map((file) => [file, read(file)]));
  const figures = [];
  const add = (name, value) => figures.push({ name: `house: ${name}`, value });
  const trunk = sources.filter((file) => !BRANCHES.test(file));
  for (const [name, some] of Object.entries({ source: sources, "the trunk's": trunk })) {
    add(`${name} files`, some.length);
    add(
      `${name} lines`,
      some.reduce((sum, file) => sum + lines(texts.get(file)), 0),
    );
  }
  add("folders in circles", folderCircles(sources.flatMap((file) => importsOf(file, texts.get(file)))).flat().length);
  const counts = { emptyNames: 0, many: 0, unsourced: 0, casts: 0 };
  for (const [file, text] of texts) countIn(file, text, counts);
  add("variables named own, known, found …", counts.emptyNames);
  add(`functions of ${MANY} parameters or more`, counts.many);
  add("constants without a source", counts.unsourced);
  const { commands, options, slots } = await programNames();
  const program = { commands: new Set(commands), options: new Set(options) };
  const named = [...texts].flatMap(([file, text]) => programWordsIn(file, text, program));
  add("options of the program in the library's strings", named.length);
  add("casts", counts.casts);
  add("commands", commands.length);
  add("options, one a command", slots);
  const words = (file) => read(file).split(/\s+/).filter(Boolean).length;
  add(
    "words of documents",
    files.filter((file) => file.endsWith(".md")).reduce((sum, file) => sum + words(file), 0),
  );
  add("scripts in bench", files.filter((file) => /^bench\/.*\.(js|py|ts)$/.test(file)).length);
  return figures;
}

/** @param file - vitest's JSON of the whole of `npm test` */
export async function measureTests(file) {
  const { numPassedTests, startTime, testResults } = JSON.parse(readFileSync(file, "utf8"));
  const seconds = (Math.max(...testResults.map(({ endTime }) => endTime)) - startTime) / 1000;
  const check = await checkSeconds();
  console.log(`        tests: ${seconds.toFixed(0)} s, a type check of them ${check.toFixed(1)} s`);
  return [
    { name: "tests: that passed", value: numPassedTests },
    // The same tests took 177, 351 and 821 s of two cores: what a machine makes slow, it makes slow of the check too. With
    // those of the harnesses in Python it is 43 to 65 times a check, without 33 to 36.
    { name: "tests: seconds over a type check's", value: Number((seconds / check).toFixed(1)), noise: "50%" },
  ];
}

/** Seconds of TypeScript's check of the tests, the mean of three with two side by side: the tests take two cores. */
async function checkSeconds() {
  const [command, ...args] = [process.execPath, "node_modules/typescript/bin/tsc", "-p", "test", "--noEmit"];
  const begun = performance.now();
  for (let round = 0; round < 3; round++)
    await Promise.all([0, 1].map(() => promisify(execFile)(command, args, { cwd: ROOT })));
  return (performance.now() - begun) / 3000;
}

/** The program's commands and options, and how many slots these have: one a command, but for the four that all have. */
async function programNames() {
  const { COMMANDS } = await import("../../cli/dist/cli/src/commands.js");
  const { COMMON_OPTIONS, optionsOf } = await import("../../cli/dist/cli/src/program/command.js");
  const tables = await Promise.all(COMMANDS.map(async ({ load }) => Object.keys(optionsOf(await load()))));
  const slots = tables.flat().filter((name) => !Object.hasOwn(COMMON_OPTIONS, name)).length;
  return { commands: COMMANDS.map(({ name }) => name), options: tables.flat(), slots };
}

function countIn(file, text, counts) {
  const visit = (node) => {
    if (
      (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node)) &&
      ts.isIdentifier(node.name)
    )
      if (EMPTY_NAMES.has(node.name.text)) counts.emptyNames++;
    if (ts.isFunctionLike(node) && node.parameters.length >= MANY) counts.many++;
    if (ts.isAsExpression(node) && node.type.getText() !== "const") counts.casts++;
    if (DECIDING.test(file) && ts.isVariableStatement(node) && ts.isSourceFile(node.parent) && isBareNumber(node, text))
      counts.unsourced++;
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
}

/** Whether a constant is a number whose comment names no paper, bench or page, nor says that it was chosen by hand. */
function isBareNumber(statement, text) {
  const [{ name, initializer }] = statement.declarationList.declarations;
  if (!initializer || !/^[A-Z][A-Z0-9_]+$/.test(name.getText())) return false;
  if (!/^-?[\d_.]+(e-?\d+)?$/.test(initializer.getText())) return false;
  const above = text.slice(statement.getFullStart(), statement.getStart()).replace(/\s*\n[\s*]*/g, " ");
  return !/bench\/|docs\/|\b(19|20)\d\d\b|et al|≈|float64|machine|by definition|chosen, not measured/i.test(above);
}

function read(file) {
  return readFileSync(join(ROOT, file), "utf8");
}

function lines(text) {
  return text.split("\n").length - 1;
}

/** Files that git tracks, as far as they are there. */
export function trackedFiles(...paths) {
  const tracked = execFileSync("git", ["ls-files", ...paths], { cwd: ROOT, encoding: "utf8" })
    .trim()
    .split("\n");
  return tracked.filter((file) => ts.sys.fileExists(join(ROOT, file)));
}
