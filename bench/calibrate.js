// Calibration beside py-irt (its own command) and girth, on the same models, judged on the same held-out models.
// usage: node bench/calibrate.js [FOLDER] [--sets helm-lite,simulated] [--dims 2,10] [--py-irt 0.7.1,0.6.6] [--seeds 5] [--full-seeds 5]
//          [--epochs 2000] [--threads 1] [--provider cpu] [--python DIR] [--cache DIR] [--json]
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
    const skipped = [];
    for (const name of values.sets.split(",")) {
      const set = await dataSet(name, positionals[0]);
      if (set.skipped) {
        skipped.push(`${name}: skipped, ${set.skipped}`);
        continue;
      }
      for (const seed of seeds)
        for (const dims of values.dims.split(",").map(Number))
          for (const version of values["py-irt"].split(",").filter(Boolean)) {
            const options = { set, version, dims, seed, epochs: Number(values.epochs), full: seed <= full, ...shared };
            const row = await comparePyIrt(options);
            rows.push(row);
            report(
              `${name}, D = ${dims}, seed ${seed}: ours ${row.ours.seconds.toFixed(2)} s, py-irt ${version} ${row.peer.seconds.toFixed(0)} s`,
            );
          }
      for (const seed of seeds.slice(0, Number(values["girth-seeds"])))
        rows.push(await compareGirth({ set, seed, ...shared }));
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
