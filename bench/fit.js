// Time and memory of a fit at leaderboard size, on simulated responses.
// usage: node bench/fit.js [--models 400] [--items 28659] [--scenarios 6] [--dims 5] [--provider auto]
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "./options.js";

const { values } = readOptions(import.meta.url, {
  models: "400",
  items: "28659",
  scenarios: "6",
  dims: "5",
  anchors: "10,20,30,50,100",
  provider: "auto",
});
const bin = new URL("../sdk/bin/anchoreval.js", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "anchoreval-fit-"));
try {
  const { models, items, scenarios, dims, anchors, provider } = values;
  const settings = join(folder, "settings.json");
  writeFileSync(settings, JSON.stringify({ dims: Number(dims) }));
  anchoreval(
    "simulate",
    "--models",
    models,
    "--items",
    items,
    "--scenarios",
    scenarios,
    "--settings",
    settings,
    "--seed",
    "1",
    "--out",
    join(folder, "board"),
    "--quiet",
  );
  const fit = [
    "--responses",
    join(folder, "board", "responses.csv.gz"),
    "--items",
    join(folder, "board", "items.jsonl.gz"),
    "--name",
    "bench@1.0.0",
  ];
  const begun = performance.now();
  const document = JSON.parse(
    anchoreval(
      "fit",
      ...fit,
      "--anchors",
      anchors,
      "--set",
      `dims=${dims}`,
      "--provider",
      provider,
      "--out",
      join(folder, "bundle"),
      "--json",
      "--quiet",
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  console.log(`${models} models × ${items} items, ${dims} dimensions, ${scenarios} scenarios; ${document.provider}`);
  for (const [stage, time] of Object.entries(document.milliseconds))
    console.log(`${(time / 1000).toFixed(1).padStart(8)} s  ${stage}`);
  console.log(`${seconds.toFixed(1).padStart(8)} s  in all, start of the process included`);
  console.log(`${(document.peakMemory / 1e6).toFixed(0).padStart(8)} MB at most`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function anchoreval(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
