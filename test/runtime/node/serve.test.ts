import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createClient, estimateFromAnchors } from "anchoreval";
import { publishBundle } from "anchoreval/bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { shippedBundles } from "anchoreval/internal/node/shipped-bundles";
import { loadBundle } from "anchoreval/node";
import { startLocalWorker } from "anchoreval-trainer";
import { expect, test } from "vitest";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { ROOT } from "../../support/source-imports.js";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();

/** Runs `serve` in a folder until the work is done. @returns its remarks */
async function serving(cwd: string, work: (url: string) => Promise<void>): Promise<string> {
  const program = join(ROOT, "sdk/bin/anchoreval.js");
  const child = spawn(process.execPath, [program, "serve", "--port", "0", "--json"], { cwd });
  let [out, err] = ["", ""];
  child.stderr.on("data", (chunk: Buffer) => (err += chunk.toString()));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      if (out.trimEnd().endsWith("}")) resolve((JSON.parse(out) as { url: string }).url);
    });
    child.once("exit", () => reject(new Error(err)));
  });
  try {
    await work(url);
  } finally {
    const ended = once(child, "exit");
    child.kill("SIGINT");
    await ended;
  }
  return err;
}

test("serve has the bundles that come along, with the numbers of the SDK", async () => {
  const place = folder.path("fresh");
  mkdirSync(place);
  const said = await serving(place, async (baseUrl) => {
    const client = createClient({ baseUrl });
    const listed = (await client.bundles.list()).map(({ benchmark, latest }) => `${benchmark}@${String(latest)}`);
    expect(listed.sort()).toEqual(shippedBundles().map(({ benchmark, version }) => `${benchmark}@${version}`));
    const bundle = await loadBundle("gsm8k");
    const ids = bundle.scenarios.get("gsm8k")!.forms.get("20")!.itemIds;
    const responses = Object.fromEntries(ids.map((id, k) => [id, k % 3 === 0 ? 0 : 1]));
    const { score } = await client.estimate({ benchmark: "gsm8k", version: "latest" }, { responses, form: "20" });
    expect(score).toBe(estimateFromAnchors(bundle, responses, { form: "20" }).score);
  });
  expect(said).toBe("");
});

test("another bundle of such a version stays what it is", async () => {
  const place = folder.path("used");
  mkdirSync(place);
  const worker = await startLocalWorker({ port: 0, persist: join(place, ".wrangler/state") });
  try {
    await publishBundle(r2Store(await worker.bucket()), sampleBundle({ benchmark: "gsm8k", version: "1.0.0" }));
  } finally {
    await worker.dispose();
  }
  await serving(place, async (baseUrl) => {
    const { scenarios } = (await loadBundle(`${baseUrl}/v1/bundles/gsm8k/1.0.0`)).manifest;
    expect(scenarios.map(({ id }) => id)).not.toContain("gsm8k");
  });
});
