import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { loadBundle } from "anchoreval";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { folderSource, folderStore } from "anchoreval/node";
import { afterAll, expect, test } from "vitest";
import { whyNotWritable } from "anchoreval/internal/node/drafts";
import { describeBundleStore } from "../../conformance/bundle-store.suite.ts";
import { describePublishing } from "../../conformance/publishing.suite.ts";
import { describeSweeping } from "../../conformance/sweeping.suite.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { runCommand } from "../../support/run-command.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();

test("a folder that is there, and one that isn't yet, however deep; nothing is left behind", async () => {
  mkdirSync(folder.path("there"));
  for (const path of ["there", "there/a", "there/a/b/c", "new"])
    expect(await whyNotWritable(folder.path(path))).toBeNull();
  expect(readdirSync(folder.path(""))).toEqual(["there"]);
  expect(readdirSync(folder.path("there"))).toEqual([]);
});

test("a file, or what lies below one", async () => {
  const file = folder.write("file", "");
  for (const path of [file, `${file}/a`, `${file}/a/b`]) expect(await whyNotWritable(path)).toBe(`${file} is a file`);
});

test.skipIf(process.platform !== "linux")(
  "a place where nobody can write, whoever it is: /proc has no folders of ours",
  async () => {
    for (const path of ["/proc", "/proc/a/b"])
      expect(await whyNotWritable(path)).toMatch(/^\/proc can't be written to: .*\(E/);
  },
);

const folders: string[] = [];
const folderOfFolderStore = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "anchoreval-"));
  folders.push(path);
  return path;
};
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true }))));

describeBundleStore("a folder", async () => folderStore(await folderOfFolderStore()));
describePublishing("a folder", async () => folderStore(await folderOfFolderStore()));
describeSweeping("a folder", async () => folderStore(await folderOfFolderStore()));

test("a static host's folder holds the bundle as it was fitted, and no leftovers", async () => {
  const root = await folderOfFolderStore();
  await publishBundle(folderStore(root), sampleBundle(), { plainFiles: true });
  const bundle = await loadBundle(folderSource(join(root, "bundles/sample/1.0.0")));
  expect(bundle.manifest.version).toBe("1.0.0");
  const left = (await readdir(root, { recursive: true })).filter((name) => /\.(tmp|lock)$/.test(name));
  expect(left).toEqual([]);
});

test("what killed publications left is no object, is in nobody's way, and is swept when it is a day old", async () => {
  const root = await folderOfFolderStore();
  const store = folderStore(root);
  await publishBundle(store, sampleBundle());
  const before = (await readdir(root, { recursive: true })).sort();
  const objects = await store.list("bundles/sample/");
  const blobs = await store.listTimes("bundles/sample/blobs/");
  const owner = "another-host.7.0.0.0";
  const left = [
    `.anchoreval-${owner}.tmp/x`,
    `bundles/sample/.anchoreval-${owner}.tmp/index.json`,
    `bundles/sample/.anchoreval-index.json.lock/${owner}`,
    `bundles/sample/blobs/.anchoreval-${owner}.tmp/${"0".repeat(64)}`,
    // Those of the version before.
    `bundles/sample/index.json.${randomUUID()}.tmp`,
    "bundles/sample/index.json.lock",
  ];
  const tops = left.map((path) => path.replace(/(\.(?:tmp|lock))\/.*/, "$1"));
  for (const path of left) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), "");
  }
  expect(await store.list("bundles/sample/")).toEqual(objects);
  expect((await store.listTimes("bundles/sample/")).map(({ name }) => name).sort()).toEqual([
    "index.json",
    "log.jsonl",
  ]);
  expect(await store.listTimes("bundles/sample/blobs/")).toEqual(blobs);
  const removed = async (...more: string[]): Promise<string[]> => {
    const { code, out } = await runCommand("sweep", "--to", root, "--json", ...more);
    expect(code).toBe(0);
    return (JSON.parse(out) as { removed: string[] }).removed;
  };
  expect(await removed()).toEqual([]);
  const old = new Date(Date.now() - 2 * 86_400_000);
  for (const path of tops) await utimes(join(root, path), old, old);
  expect(await removed("--dry-run")).toEqual([...tops].sort());
  expect(await removed()).toEqual([...tops].sort());
  expect((await readdir(root, { recursive: true })).sort()).toEqual(before);
});

test("a folder that can't be written is a named error", async () => {
  const root = await folderOfFolderStore();
  await writeFile(join(root, "bundles"), "a file in the way");
  await expect(folderStore(root).putIfAbsent("bundles/x/index.json", new Uint8Array(1))).rejects.toMatchObject({
    code: "unavailable",
  });
});
