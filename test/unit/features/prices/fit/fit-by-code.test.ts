import {
  bundleFiles,
  byPrices,
  customised,
  fit,
  readResponses,
  recommended,
  resolveBackend,
  withComponents,
  withGateForms,
} from "anchoreval-trainer";
import { type BundleFileName, parseManifest } from "anchoreval/bundle";
import { createRandom } from "anchoreval/internal/core/numeric/random";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { runCommand } from "../../../../support/run-command.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();
const random = createRandom("fit by code");
const ids = Array.from({ length: 40 }, (_, i) => `quiz/${i}`);
const priceOf = (i: number): number => (i % 5 === 0 ? 0.01 : 1);

/** Two trials of every item, by twelve models. */
const rows = Array.from({ length: 12 }, (_, m) =>
  ids.flatMap((id, i) => {
    const chance = 1 / (1 + Math.exp(-(m - 6) / 3 - (i - 20) / 8));
    return [1, 2].map((trial) => `m${m},${id},${trial},${Number(random.next() < chance)}`);
  }),
).flat();

test("a program fits by prices, with gate forms and variance components, as the command line does", async () => {
  const responses = folder.write("trials.csv", `model,item_id,trial,score\n${rows.join("\n")}\n`);
  const table = folder.write("prices.csv", `item_id,price\n${ids.map((id, i) => `${id},${priceOf(i)}`).join("\n")}\n`);
  const { code, err } = await runCommand(
    ...["fit", "--responses", responses, "--name", "quiz@1.0.0", "--created", "2026-01-01", "--anchors", "6,12"],
    ...[
      "--prices",
      table,
      "--price-column",
      "price:usd",
      "--gate-form",
      "10",
      "--provider",
      "typescript",
      "--set",
      "dims=1",
    ],
    ...["--out", folder.path("bundle")],
  );
  expect({ code, err: code === 0 ? "" : err }).toEqual({ code: 0, err: "" });
  const written = (name: BundleFileName): Uint8Array => new Uint8Array(readFileSync(folder.path(`bundle/${name}`)));
  const manifest = parseManifest(written("manifest.json"));

  const { matrix, trials = [] } = await readResponses(responses);
  const { backend } = await resolveBackend("typescript", { threads: 1 });
  const fitted = await fit(matrix, {
    ...{ benchmark: "quiz", version: "1.0.0", created: "2026-01-01T00:00:00Z", sizes: [6, 12], seed: 1, backend },
    method: await customised(recommended, { dims: 1 }),
    provenance: manifest.fit["provenance"] as object, // the program notes its own options there
    parts: [
      withComponents(trials, matrix.items),
      withGateForms(matrix, [10]),
      byPrices({ unit: "usd", items: new Map(ids.map((id, i) => [id, priceOf(i)])) }),
    ],
  });
  const files = bundleFiles(fitted, written("report.html"));
  expect([...files.keys()].sort()).toEqual(["manifest.json", ...manifest.files.map(({ name }) => name)].sort());
  for (const [name, bytes] of files) expect(bytes, name).toEqual(written(name));
  expect(manifest.forms.map(({ selection }) => selection)).toEqual(["priced", "priced", "flips"]);
  expect(Object.keys(fitted.timings)).toEqual(expect.arrayContaining(["trials", "prices"]));
});

test("prices that lack an item, or of a method that chooses anchors otherwise, are refused", async () => {
  const scenario = ids.map((item_id) => ({ item_id, scenario: "quiz" }));
  const some = byPrices({ unit: null, items: new Map([["quiz/0", 1]]) });
  expect(() => some.method!(recommended).anchors.know!(scenario, "quiz")).toThrow("item quiz/1 has no price");
  const wrong = byPrices({ unit: null, items: new Map(ids.map((id) => [id, -1])) });
  expect(() => wrong.method!(recommended).anchors.know!(scenario, "quiz")).toThrow("item quiz/0 has the price -1");
  const byVariance = await customised(recommended, { selection: "greedy-variance" });
  expect(() => some.method!(byVariance)).toThrow("aren't for those chosen by greedy-variance");
});
