// Back-tests of agents' boards by scaffold and by date, which their models' names tell, beside a random quarter.
// usage: node bench/split-by.js FOLDER [--sets terminal-bench-core,swebench-lite] [--anchors 20,50] [--seeds 2]
// FOLDER holds a folder a set, each with responses.csv.gz and items.jsonl.gz.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { readLeaderboard } from "./read-leaderboard.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "terminal-bench-core,swebench-lite" },
    anchors: { type: "string", default: "20,50" },
    seeds: { type: "string", default: "2" },
  },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error("usage: node bench/split-by.js FOLDER [--sets a,b] [--anchors 20,50] [--seeds 2]");
  process.exit(2);
}
const program = new URL("../sdk/bin/anchoreval.js", import.meta.url).pathname;
const scratch = mkdtempSync(join(tmpdir(), "split-by-"));

/** Date and scaffold of `20240402_sweagent_gpt4` and `ob1-09-10-25`; versions of a scaffold are one. */
function described(name) {
  const [, year, month, day, scaffold] = /^(\d{4})(\d\d)(\d\d)_([^_]+)/.exec(name) ?? [];
  if (year !== undefined) return { released: `${year}-${month}-${day}`, scaffold: scaffold.toLowerCase().replace(/-?v?\d.*$/, "") }; // prettier-ignore
  const [, other, m, d, y] = /^(.+)-(\d\d)-(\d\d)-(\d\d)$/.exec(name);
  return { released: `20${y}-${m}-${d}`, scaffold: other };
}

try {
  for (const set of values.sets.split(",")) {
    const { subjects } = await readLeaderboard(folder, set);
    const models = subjects.map((model) => ({ model, ...described(model) }));
    const table = join(scratch, `${set}.csv`);
    writeFileSync(table, ["model,scaffold,released", ...models.map((own) => `${own.model},${own.scaffold},${own.released}`), ""].join("\n")); // prettier-ignore
    console.log(`${set}: ${models.length} models of ${new Set(models.map(({ scaffold }) => scaffold)).size} scaffolds`);
    for (const held of [
      ["--split", "interpolation"],
      ["--families", table, "--split-by", "scaffold"],
      ["--families", table, "--split-by", "released"],
    ]) {
      // prettier-ignore
      const files = ["--responses", join(folder, set, "responses.csv.gz"), "--items", join(folder, set, "items.jsonl.gz")]; // prettier-ignore
      const argv = ["backtest", ...files, "--anchors", values.anchors, "--seeds", values.seeds, ...held, "--json", "--quiet"]; // prettier-ignore
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...argv], { encoding: "utf8", maxBuffer: 1 << 28 }); // prettier-ignore
      if (status !== 0) throw new Error(`${set}, ${held.join(" ")}: ${stderr}`);
      for (const row of JSON.parse(stdout).rows.filter(({ recommended, scenario }) => recommended && scenario !== "overall")) // prettier-ignore
        console.log(`  ${held.at(-1)}, ${row.n} anchors: ${row.targets} models, error ${row.mae.toFixed(2)}, ${row.ratioToRandom?.toFixed(2)} ± ${row.ratioSe?.toFixed(2)} of random, bias ${row.bias.toFixed(2)}, coverage ${row.coverage95?.toFixed(3)}`); // prettier-ignore
    }
  }
} finally {
  rmSync(scratch, { recursive: true });
}
