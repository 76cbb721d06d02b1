import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadBundle } from "anchoreval";
import { folderSource, folderStore } from "anchoreval/node";
import { publishBundle } from "anchoreval/publish";
import { afterAll, expect, test } from "vitest";
import { describeBundleStore } from "../../conformance/bundle-store.suite.ts";
import { describePublishing } from "../../conformance/publishing.suite.ts";
import { describeSweeping } from "../../conformance/sweeping.suite.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

const folders: string[] = [];
const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "anchoreval-"));
  folders.push(path);
  return path;
};
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true }))));

describeBundleStore("a folder", async () => folderStore(await folder()));
describePublishing("a folder", async () => folderStore(await folder()));
describeSweeping("a folder", async () => folderStore(await folder()));

test("a static host's folder holds the bundle as it was fitted, and no leftovers", async () => {
  const root = await folder();
  await publishBundle(folderStore(root), sampleBundle(), { plainFiles: true });
  const bundle = await loadBundle(folderSource(join(root, "bundles/sample/1.0.0")));
  expect(bundle.manifest.version).toBe("1.0.0");
  const left = (await readdir(root, { recursive: true })).filter((name) => /\.(tmp|lock)$/.test(name));
  expect(left).toEqual([]);
});

test("a lock that a dead writer left is broken", async () => {
  const root = await folder();
  const store = folderStore(root);
  await store.putIfAbsent("a", new Uint8Array([1]));
  await writeFile(join(root, "a.lock"), "");
  await utimes(join(root, "a.lock"), new Date(0), new Date(0));
  expect(await store.putIfMatch("a", new Uint8Array([2]), (await store.get("a"))!.etag)).toBe(true);
});

test("a folder that can't be written is a named error", async () => {
  const root = await folder();
  await writeFile(join(root, "bundles"), "a file in the way");
  await expect(folderStore(root).putIfAbsent("bundles/x/index.json", new Uint8Array(1))).rejects.toMatchObject({
    code: "unavailable",
  });
});
