import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadBundle } from "anchoreval";
import { folderSource } from "anchoreval/node";
import { afterEach, beforeEach, expect, test } from "vitest";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

const files = sampleBundle();
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "anchoreval-"));
  for (const [name, bytes] of files) await writeFile(join(folder, name), bytes);
});
afterEach(() => rm(folder, { recursive: true }));

test("loads a bundle from the folder that a fit wrote", async () => {
  const bundle = await loadBundle(folderSource(folder));
  expect([...bundle.scenarios.keys()]).toEqual(["alpha", "beta/γ"]);
  await expect(loadBundle(folderSource(folder), { scenarios: ["beta/γ"] })).resolves.toBeDefined();
});

test("reads whole files and ranges, clipped at the file's end", async () => {
  const source = folderSource(folder);
  const anchors = files.get("anchors.jsonl")!;
  expect(await source.read("anchors.jsonl")).toEqual(anchors);
  expect(await source.read("anchors.jsonl", { range: { begin: 3, end: 10 } })).toEqual(anchors.slice(3, 10));
  expect(await source.read("anchors.jsonl", { range: { begin: anchors.length - 4, end: 9e15 } })).toEqual(
    anchors.slice(-4),
  );
  expect(await source.read("anchors.jsonl", { range: { begin: anchors.length + 4, end: 9e15 } })).toHaveLength(0);
});

test("a file, or a folder, that isn't there is null", async () => {
  expect(await folderSource(folder).read("report.html")).toBeNull();
  expect(await folderSource(join(folder, "none")).read("manifest.json")).toBeNull();
  expect(await folderSource(join(folder, "manifest.json")).read("manifest.json")).toBeNull();
  expectRefusal(await rejection(loadBundle(folderSource(join(folder, "none")))), "not_found", "no manifest.json");
});

test("a file cut short is damage", async () => {
  await truncate(join(folder, "parameters.safetensors"), files.get("parameters.safetensors")!.length - 1);
  expectRefusal(await rejection(loadBundle(folderSource(folder))), "bundle_corrupt", "parameters.safetensors");
});

test("what is there and can't be read is unavailable, with the cause", async () => {
  await mkdir(join(folder, "report.html"));
  expectRefusal(await rejection(folderSource(folder).read("report.html")), "unavailable", "report.html isn't a file");
  await symlink("/dev/zero", join(folder, "routing.safetensors"));
  const endless = await rejection(folderSource(folder).read("routing.safetensors"));
  expectRefusal(endless, "unavailable", "routing.safetensors isn't a file");
});
