// Attacks on what mustn't break: schedules of publishers beside sweeps on a store whose steps fail, kills, requests made from
// the OpenAPI document, bodies that never end, hostile parameters. The tests of test/attacks, for as long as they are told:
//
//   node bench/adversary.js [--minutes 10] [--only schedules,kills] [--seed 7] [--tries N]
//
// The minutes are shared among the attacks; --tries makes so many of each instead. Prints tries and broken ones, whose seeds repeat them.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readOptions } from "./options.js";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const { values } = readOptions(import.meta.url, {
  minutes: "10",
  tries: null,
  only: null,
  seed: new Date().toISOString(),
});

const all = readdirSync(join(ROOT, "test/attacks"))
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => file.replace(".test.ts", ""));
const chosen = values.only?.split(",") ?? all;
for (const name of chosen) if (!all.includes(name)) throw new Error(`no attack ${name}: there are ${all.join(", ")}`);
/** Tests in a file, each of which takes its share. */
const attacksIn = (name) =>
  readFileSync(join(ROOT, `test/attacks/${name}.test.ts`), "utf8").match(/^\s*attack\(/gm)?.length ?? 1;

const folder = mkdtempSync(join(tmpdir(), "adversary-"));
const report = join(folder, "report.jsonl");
const seconds = (60 * Number(values.minutes)) / chosen.reduce((sum, name) => sum + attacksIn(name), 0);
const budget = values.tries === undefined ? { ATTACK_SECONDS: String(seconds) } : { ATTACK_TRIES: values.tries };
console.log(`seed ${values.seed}; ${values.tries ? `${values.tries} tries` : `${Math.round(seconds)} s`} an attack`);
let failed = false;
for (const name of chosen) {
  const { status, stdout, stderr } = spawnSync("npx", ["vitest", "run", `test/attacks/${name}.test.ts`], {
    cwd: ROOT,
    env: { ...process.env, ...budget, ATTACK_SEED: values.seed, ATTACK_REPORT: report },
    encoding: "utf8",
  });
  if (status !== 0) failed = true;
  const lines = (() => {
    try {
      return readFileSync(report, "utf8").trim().split("\n").map(JSON.parse);
    } catch {
      return [];
    }
  })();
  rmSync(report, { force: true });
  if (lines.length === 0) console.log(`${name}: broke off\n${stdout}\n${stderr}`);
  for (const { name: attack, tried, seconds: took, broken, ...figures } of lines) {
    const more = Object.entries(figures).map(([key, value]) => `, ${value} ${key}`);
    console.log(`${name}: ${attack}: ${tried} tries in ${took} s${more.join("")}; ${broken.length} broken`);
    for (const what of broken) console.log(`  ${what}`);
  }
}
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
