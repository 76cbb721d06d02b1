// Calibration beside py-irt (its own command) and girth, on the same models, judged on the same held-out models.
// usage: node bench/calibrate.js [FOLDER] [--sets helm-lite,simulated] [--dims 2,10] [--seeds 5] [--py-irt 0.7.1,0.6.6]
//          [--epochs 2000] [--full-seeds 5] [--girth-sets helm-lite,simulated,simulated-200] [--girth-seeds 1]
//          [--threads 1] [--provider cpu] [--python DIR] [--cache DIR] [--json]
//        node bench/calibrate.js --scale [--cells accuracy,large,growth] [--threads 2] [--provider cpu] [--json]
// FOLDER holds helm-lite/responses.csv.gz and items.jsonl.gz. See bench/README.md.
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareGirth, comparePyIrt, machine } from "./calibrate/compare-cell.js";
import { dataSet } from "./calibrate/data-sets.js";
import { openPython } from "./calibrate/peers.js";
import { qualityTable, timeTable } from "./calibrate/tables.js";
import { scaleMode } from "./calibrate/scale.js";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sets: { type: "string", default: "helm-lite,simulated" },
    dims: { type: "string", default: "2,10" },
    "py-irt": { type: "string", default: "0.7.1,0.6.6" },
    seeds: { type: "string", default: "5" },
    "full-seeds": { type: "string" },
    "girth-sets": { type: "string", default: "helm-lite,simulated,simulated-200" },
    "girth-seeds": { type: "string", default: "1" },
    epochs: { type: "string", default: "2000" },
    threads: { type: "string" },
    provider: { type: "string", default: "cpu" },
    python: { type: "string" },
    cache: { type: "string" },
    scale: { type: "boolean", default: false },
    cells: { type: "string", default: "accuracy,large,growth" },
    json: { type: "boolean", default: false },
  },
});
const report = (line) => console.error(line);
if (values.scale) await scaleMode({ ...values, cells: values.cells.split(","), threads: Number(values.threads ?? 2) });
else await sideBySide();

async function sideBySide() {
  const work = values.cache ?? mkdtempSync(join(tmpdir(), "anchoreval-calibrate-"));
  try {
    const python = openPython(values.python ?? join(work, "python"), report);
    const shared = { threads: Number(values.threads ?? 1), provider: values.provider, python, cache: work };
    const seeds = Array.from({ length: Number(values.seeds) }, (_, k) => k + 1);
    const full = Number(values["full-seeds"] ?? values.seeds);
    const rows = [];
    const add = (row) => {
      const { set, dims, seed, ours, peer } = row;
      rows.push(row);
      report(
        `${set}, D = ${dims}, seed ${seed}: ours ${ours.seconds.toFixed(2)} s, ${peer.name} ${peer.seconds.toFixed(1)} s`,
      );
    };
    const skipped = [];
    const sets = listed(values.sets);
    for (const name of new Set([...sets, ...listed(values["girth-sets"])])) {
      const set = await dataSet(name, positionals[0]);
      if (set.skipped) {
        skipped.push(`${name}: skipped, ${set.skipped}`);
        continue;
      }
      const options = (seed) => ({ set, seed, ...shared });
      for (const seed of sets.includes(name) ? seeds : [])
        for (const dims of listed(values.dims).map(Number))
          for (const version of listed(values["py-irt"]))
            add(
              await comparePyIrt({
                ...options(seed),
                version,
                dims,
                epochs: Number(values.epochs),
                full: seed <= full,
              }),
            );
      for (const seed of listed(values["girth-sets"]).includes(name)
        ? seeds.slice(0, Number(values["girth-seeds"]))
        : [])
        add(await compareGirth(options(seed)));
    }
    const about = { machine: machine(), python: python.versions, threads: shared.threads, load: loadavg()[0] };
    if (values.json) console.log(JSON.stringify({ ...about, skipped, rows }, null, 1));
    else {
      console.log(`${about.machine}; ${about.python}; ${about.threads} thread(s) each; load ${about.load.toFixed(1)}`);
      for (const line of skipped) console.log(line);
      console.log(`\n${timeTable(rows)}\n`);
      console.log(qualityTable(rows));
    }
  } finally {
    if (values.cache === undefined) rmSync(work, { recursive: true, force: true });
  }
}

function listed(names) {
  return names.split(",").filter(Boolean);
}
