// How long tables of any size take to be read: 10 million rows of model, item_id, score, as Parquet and as CSV, written
// into a folder for temporary files first; time and the largest memory of a process of its own.
// usage: node bench/import.js [--models 1000] [--items 10000] [--formats parquet,csv]
import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { parquetWriteFile } from "hyparquet-writer";

const { values } = parseArgs({
  options: {
    models: { type: "string", default: "1000" },
    items: { type: "string", default: "10000" },
    formats: { type: "string", default: "parquet,csv" },
    read: { type: "string" },
  },
});

if (values.read !== undefined) {
  const { readResponses } = await import("anchoreval-trainer");
  const begun = performance.now();
  const { matrix } = await readResponses(values.read, { oneScenario: true });
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  const memory = (process.resourceUsage().maxRSS / 1e6).toFixed(2);
  console.log(`${matrix.subjects.length} models × ${matrix.items.length} items in ${seconds} s, ${memory} GB at most`);
  process.exit(0);
}

const [models, items] = [Number(values.models), Number(values.items)];
const score = (m, i) => ((m * 7919 + i * 104729) % 1009) / 1009 < 0.6;
const modelOf = (m) => `organisation-${m % 50}/model-${m}`;
const itemOf = (i) => `task-${i % 40}/${i}`;
const folder = await mkdtemp(join(tmpdir(), "anchoreval-bench-"));
try {
  for (const format of values.formats.split(",")) {
    const file = join(folder, `responses.${format}`);
    await (format === "csv" ? writeCsv(file) : writeParquet(file));
    const { size } = await stat(file);
    const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(import.meta.url), "--read", file]);
    console.log(`${models * items} rows, ${format}, ${(size / 1e6).toFixed(0)} MB: ${stdout.trim()}`);
  }
} finally {
  await rm(folder, { recursive: true });
}

/** Row groups of a million rows, as pandas and Arrow write them. */
async function writeParquet(filename) {
  const rows = Array.from({ length: models * items }, (_, k) => k);
  const column = (name, type, value) => ({
    name,
    type,
    data: rows.map((k) => value(Math.floor(k / items), k % items)),
  });
  await parquetWriteFile({
    filename,
    rowGroupSize: 1e6,
    columnData: [
      column("model", "STRING", modelOf),
      column("item_id", "STRING", (_, i) => itemOf(i)),
      column("score", "DOUBLE", (m, i) => Number(score(m, i))),
    ],
  });
}

async function writeCsv(file) {
  const stream = createWriteStream(file);
  stream.write("model,item_id,score\n");
  for (let m = 0; m < models; m++) {
    const lines = Array.from({ length: items }, (_, i) => `${modelOf(m)},${itemOf(i)},${Number(score(m, i))}\n`);
    if (!stream.write(lines.join(""))) await once(stream, "drain");
  }
  stream.end();
  await once(stream, "close");
}
