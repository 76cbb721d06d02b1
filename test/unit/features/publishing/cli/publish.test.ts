import { readFileSync, writeFileSync } from "node:fs";
import { estimateFromAnchors, loadBundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { beforeAll, expect, test } from "vitest";
import { listing, runProgram } from "../../../../support/run-command.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";
import { resealed } from "../../../../support/tamper.ts";
import { tempFolder } from "../../../../support/temp-folder.ts";

const folder = tempFolder();

function bundle(name: string, ...options: Parameters<typeof sampleBundle>): string {
  for (const [file, bytes] of sampleBundle(...options)) folder.write(`${name}/${file}`, bytes);
  return folder.path(name);
}

let first: string;
beforeAll(() => {
  first = bundle("first");
});

test("a bundle that is published twice is there once", async () => {
  const to = folder.path("host");
  const published = await runProgram(["publish", first, "--to", to, "--json"]);
  const digest = (await loadBundle(folderSource(first))).digest;
  expect(published.code).toBe(0);
  expect(JSON.parse(published.out)).toEqual({
    benchmark: "sample",
    version: "1.0.0",
    digest,
    status: "published",
    latest: "1.0.0",
  });
  const before = listing(to);
  const again = await runProgram(["publish", first, "--to", to, "--json"]);
  expect(JSON.parse(again.out)).toEqual({ ...(JSON.parse(published.out) as object), status: "already" });
  expect(listing(to)).toEqual(before);

  const words = await runProgram(["publish", first, "--to", to]);
  expect(words).toEqual({
    code: 0,
    out: `sample@1.0.0 is there already, with the same content (${digest}); latest: 1.0.0\n`,
    err: "",
  });
  // Its card, made of what it knows of itself, lies beside.
  expect(readFileSync(`${to}/bundles/sample/1.0.0/card.md`, "utf8")).toMatch(/^# sample 1.0.0\n/);
  // As any static host would serve it.
  const served = await loadBundle(folderSource(`${to}/bundles/sample/1.0.0`));
  expect(served.digest).toBe(digest);
  const ids = [...served.scenarios.values()].flatMap((scenario) => scenario.forms.get("8")!.itemIds);
  const answers = Object.fromEntries(ids.map((id, k) => [id, k % 2]));
  expect(estimateFromAnchors(served, answers)).toEqual(
    estimateFromAnchors(await loadBundle(folderSource(first)), answers),
  );
});

test("other content under the same version is a conflict, and changes nothing", async () => {
  const to = folder.path("conflict");
  await runProgram(["publish", first, "--to", to]);
  const before = listing(to);
  const other = bundle("other", { seed: 8 });
  const { code, out, err } = await runProgram(["publish", other, "--to", to]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toBe(
    "anchoreval: sample@1.0.0 is published already with other content: versions never change, give this one another number [version_conflict]\n",
  );
  expect(listing(to)).toEqual(before);
  const json = await runProgram(["publish", other, "--to", to, "--json"]);
  expect(JSON.parse(json.out)).toMatchObject({ error: { code: "version_conflict", issues: [] } });

  // … even where only the manifest differs.
  const relabelled = bundle("relabelled");
  const manifest = readFileSync(`${relabelled}/manifest.json`);
  const change = (text: string): string => text.replace("drawn from a 2PL", "drawn from a 2pl");
  writeFileSync(`${relabelled}/manifest.json`, resealed(manifest, change));
  expect((await runProgram(["publish", relabelled, "--to", to])).code).toBe(1);
  expect(listing(to)).toEqual(before);
});

test("another version stands beside it, and is the latest where it is higher and stable", async () => {
  const to = folder.path("versions");
  for (const [version, latest] of [
    ["1.0.0", "1.0.0"],
    ["1.2.0-rc.1", "1.0.0"],
    ["0.9.0", "1.0.0"],
    ["1.10.0", "1.10.0"],
    ["1.9.0", "1.10.0"],
  ] as const) {
    const { out } = await runProgram(["publish", bundle(version, { version }), "--to", to]);
    expect(out).toMatch(new RegExp(`^sample@${version} is published \\(sha256:[0-9a-f]{64}\\); latest: ${latest}\n$`));
  }
  const index = JSON.parse(readFileSync(`${to}/bundles/sample/index.json`, "utf8")) as {
    versions: { version: string }[];
  };
  expect(index.versions.map(({ version }) => version)).toEqual(["0.9.0", "1.0.0", "1.2.0-rc.1", "1.9.0", "1.10.0"]);
});
