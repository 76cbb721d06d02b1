// Fits the bundles that the project ships, from leaderboards whose licences allow it: see docs/bundles.md. Needs `npm run build`.
//
//     node bundles/build.js ../shared/data [--only NAME] [--out bundles] [--tables out/bundles]
//
// The same data and build give the same bytes. The response matrices, which aren't shipped, are left in --tables, for
// `anchoreval backtest`, whose figures the cards have.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import {
  bundleFiles,
  customised,
  fit,
  readResponses,
  recommended,
  resolveBackend,
  runBacktest,
  writeBundleFolder,
  writeItems,
  writeWideCsv,
} from "anchoreval-trainer";
import { formSizes } from "anchoreval-trainer/internal/features/recipes/fit/recipes";
import { provenanceOf } from "anchoreval-trainer/internal/matrix/data-digests";
import { cardText } from "./card.js";
import { BUNDLES } from "./sources.js";

const HERE = dirname(fileURLToPath(import.meta.url));
/** Of the back-tests on the cards: items a scenario, and by split how often it is drawn. All models are in one draw of families. */
const SIZE = 50;
const SEEDS = { interpolation: 2, extrapolation: 2, newest: 2, family: 1 };

/**
 * Fits one of BUNDLES and measures it.
 * @param tables - folder for its response matrix, and models.csv with the days on which they came out
 * @returns its files, and the card's text where it is asked for
 */
export async function buildBundle(folder, bundle, tables, { card = true } = {}) {
  const place = join(tables, bundle.name);
  await mkdir(place, { recursive: true });
  const [responses, items] = [join(place, "responses.csv.gz"), join(place, "items.jsonl.gz")];
  const read = await bundle.read(folder);
  await writeWideCsv(responses, read);
  await writeItems(items, read.items);
  const { matrix } = await readResponses(responses, { items });
  const method = await customised(recommended, bundle.settings ?? {});
  const { backend, provider } = await resolveBackend("cpu", { threads: 1 });
  const { name: benchmark, version, created, description, protocol, licence, source } = bundle;
  const { content } = await fit(matrix, {
    ...{ benchmark, version, created, description, protocol, licence, source, method, backend },
    ...formSizes(matrix.items),
    seed: 1,
    provenance: provenanceOf(matrix),
    threads: { count: availableParallelism(), provider },
  });
  const { manifest } = content;
  const sources = { ...manifest.sources, note: `newest of ${bundle.newest}` };
  const files = bundleFiles({ content: { ...content, manifest: { ...manifest, sources } } });
  if (!card) return { files };
  const { estimator } = manifest.forms[0];
  const dates = bundle.released && datesOf(matrix.subjects, bundle);
  if (dates) {
    const lines = matrix.subjects.map((model, m) => `${model},${dates[m]}\n`);
    await writeFile(join(place, "models.csv"), ["model,released\n", ...lines]);
  }
  const tests = [];
  for (const [split, seeds] of Object.entries(SEEDS)) {
    if (split === "newest" && !dates) continue;
    const { rows } = await runBacktest(matrix, {
      ...{ split, sizes: [SIZE], seeds, method, provider: "cpu" },
      ...(split === "newest" && { dates }),
    });
    tests.push({ split, seeds, rows: rows.filter((row) => row.estimator === estimator) });
  }
  return { files, card: cardText(bundle, content, tests, SIZE) };
}

/** The day on which each model came out. */
function datesOf(models, { name, released }) {
  const undated = models.filter((model) => !Object.hasOwn(released, model));
  if (undated.length > 0) throw new Error(`sources.js doesn't say when ${undated.join(", ")} of ${name} came out`);
  return models.map((model) => released[model]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      only: { type: "string" },
      out: { type: "string", default: HERE },
      tables: { type: "string", default: join(HERE, "../out/bundles") },
    },
  });
  const asked = BUNDLES.filter(({ name }) => values.only === undefined || name === values.only);
  if (positionals.length !== 1 || asked.length === 0)
    throw new Error(`node bundles/build.js FOLDER [--only ${BUNDLES.map(({ name }) => name).join("|")}]`);
  for (const bundle of asked) {
    const begun = performance.now();
    const { files, card } = await buildBundle(positionals[0], bundle, values.tables);
    const folder = join(values.out, bundle.name, bundle.version);
    await rm(join(folder, "card.md"), { force: true });
    await writeBundleFolder(folder, files, { force: true });
    await writeFile(join(folder, "card.md"), card);
    const size = [...files.values()].reduce((sum, bytes) => sum + bytes.length, 0);
    console.log(`${folder}: ${Math.round(size / 1000)} kB, ${Math.round((performance.now() - begun) / 1000)} s`);
  }
}
