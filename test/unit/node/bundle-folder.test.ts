import { mkdirSync, readdirSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadBundle } from "anchoreval";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { folderSource, folderStore } from "anchoreval/node";
import { afterAll, expect, test } from "vitest";
import { whyNotWritable } from "anchoreval/internal/node/bundle-folder";
import { describeBundleStore } from "../../conformance/bundle-store.suite.ts";
import { describePublishing } from "../../conformance/publishing.suite.ts";
import { describeSweeping } from "../../conformance/sweeping.suite.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
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
      expect(await whyNotWritable(path)).toMatch(/^\/proc can't be written to: .+\(E/);
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

test("a folder that can't be written is a named error", async () => {
  const root = await folderOfFolderStore();
  await writeFile(join(root, "bundles"), "a file in the way");
  await expect(folderStore(root).putIfAbsent("bundles/x/index.json", new Uint8Array(1))).rejects.toMatchObject({
    code: "unavailable",
  });
});
