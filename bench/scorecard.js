// What was won, held: speed, truth, structure and bytes beside bench/scorecard.json. See README.md, "scorecard".
//
//     npm run scorecard [-- --only speed,truth,house,bytes,tests] [--tests FILE] [--write] [--accept FIGURE --reason TEXT]
//
// Needs `npm run build`. Exit code 1 where a figure is worse than the file's by more than its noise.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.js";
import { measureBytes } from "./scorecard/bytes.js";
import { measureHouse, measureTests } from "./scorecard/house.js";
import { measureSpeed } from "./scorecard/speed.js";
import { measureTruth } from "./scorecard/truth.js";

const FILE = fileURLToPath(new URL("scorecard.json", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));
/** In the order of the table. Speed first: what it starts runs on a core of its own beside the others. */
const PARTS = {
  speed: ({ node }) => measureSpeed(node),
  truth: measureTruth,
  house: measureHouse,
  bytes: measureBytes,
  tests: ({ tests }) => measureTests(tests),
};

const DEFAULTS = { only: null, tests: null, write: false, accept: [], reason: null };
const { values } = readOptions(import.meta.url, DEFAULTS);
const parts = values.only?.split(",") ?? Object.keys(PARTS).filter((part) => part !== "tests" || values.tests);
const unheard = parts.filter((part) => !Object.hasOwn(PARTS, part));
if (unheard.length > 0) throw new Error(`--only: ${Object.keys(PARTS).join(", ")}, not ${unheard.join(", ")}`);
if (parts.includes("tests") !== Boolean(values.tests)) throw new Error("the part tests goes with --tests FILE");
if (values.accept.length > 0 !== Boolean(values.reason)) throw new Error("--accept FIGURE goes with --reason TEXT");

const card = existsSync(FILE)
  ? JSON.parse(readFileSync(FILE, "utf8"))
  : { node: process.version, figures: {}, reasons: [] };
const begun = performance.now();
const settings = { node: card.node, tests: values.tests };
const measured = (await Promise.all(parts.map((part) => PARTS[part](settings)))).flat();

const worse = [];
const better = [];
let unread = Object.keys(card.figures).filter((name) => parts.includes(name.split(":")[0]));
for (const { name, value, skipped, noise = 0 } of measured) {
  unread = unread.filter((other) => other !== name);
  const before = card.figures[name];
  if (skipped !== undefined) console.log(`skip    ${name}: ${skipped}`);
  else if (before === undefined) {
    better.push({ name, value });
    console.log(`new     ${name}: ${shown(value)}`);
  } else {
    const change = isLowerBetter(name) ? value - before : before - value;
    const allowed = typeof noise === "string" ? (Math.abs(before) * Number.parseFloat(noise)) / 100 : noise;
    const verdict = change > allowed + 1e-12 ? "WORSE" : change < -1e-12 ? "better" : "same";
    if (verdict === "WORSE") worse.push({ name, before, value });
    // Within the noise a figure stays as it is: it would creep by what each landing is allowed.
    if (change < -Math.max(allowed, 1e-12)) better.push({ name, value });
    console.log(`${verdict.padEnd(7)} ${name}: ${shown(before)}${value === before ? "" : ` → ${shown(value)}`}`);
  }
}
for (const name of unread) {
  worse.push({ name, before: card.figures[name], value: null });
  console.log(`WORSE   ${name}: ${shown(card.figures[name])}, not measured any more`);
}
worse.push(...unexplained());

const accepted = worse.filter(({ name }) => values.accept.includes(name));
for (const { name, before, value } of accepted)
  card.reasons.unshift({ figure: name, from: before, to: value, reason: values.reason });
if (values.write || accepted.length > 0) {
  const now = new Map(Object.entries(card.figures));
  for (const { name, value } of [...(values.write ? better : []), ...accepted])
    if (value === null) now.delete(name);
    else now.set(name, value);
  const figures = Object.fromEntries([...now].sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify({ ...card, figures }, null, 2)}\n`);
}
const left = worse.filter((figure) => !accepted.includes(figure));
console.log(
  `${measured.length} figures in ${((performance.now() - begun) / 1000).toFixed(0)} s: ${left.length} worse, ${better.length} better${better.length > 0 && !values.write ? ": write them back by --write, in the commit that won them" : ""}`,
);
for (const { name } of left)
  console.log(
    `  mend it, or name its reason: npm run scorecard -- --accept "${name}" --reason "why it had to", and say so in the commit`,
  );
process.exit(left.length > 0 ? 1 : 0);

function shown(value) {
  return Number.isInteger(value) ? value.toLocaleString("en").replaceAll(",", " ") : String(value);
}

/** Figures that an earlier commit of the file made worse without a reason beside: a rewriting in silence. */
function unexplained() {
  let commits;
  try {
    commits = git("log", "--format=%H", "--", "bench/scorecard.json").trim().split("\n").filter(Boolean);
  } catch {
    return []; // no history: a package, or a copy of the files
  }
  const cards = commits.map((commit) => JSON.parse(git("show", `${commit}:bench/scorecard.json`)));
  return [card, ...cards].slice(0, -1).flatMap((now, k) =>
    Object.entries(cards[k].figures).flatMap(([name, before]) => {
      const value = now.figures[name];
      const fell = value === undefined || (isLowerBetter(name) ? value > before : value < before);
      if (!fell || now.reasons.some(({ figure, to }) => figure === name && to === (value ?? null))) return [];
      console.log(
        `WORSE   ${name}: ${shown(before)} → ${shown(value ?? "gone")}, rewritten in ${k === 0 ? "the file" : commits[k - 1].slice(0, 8)} without a reason`,
      );
      return [{ name, before, value: value ?? null }];
    }),
  );
}

/** Of errors, bytes, lines and instructions fewer are better; of coverage and tests more. */
function isLowerBetter(name) {
  return !/coverage|that passed/.test(name);
}

function git(...args) {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
}
