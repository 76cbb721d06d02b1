import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isUnfinished, replaceFiles, settleFolder } from "anchoreval/internal/node/folder-files";
import { ownerName } from "anchoreval/internal/node/owner";
import { placedFolder } from "anchoreval/internal/node/shipped-bundles";
import { textLines } from "anchoreval/internal/node/read-file";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../support/source-imports.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const temporary = tempFolder();
const place = (): string => mkdtempSync(temporary.path("place-"));
const UNFINISHED = ".anchoreval-unfinished";

/** Writes files whose content is one word. */
const put = (
  folder: string,
  word: string,
  files: readonly string[],
  gone: readonly "trials.csv.gz"[] = [],
): Promise<void> =>
  replaceFiles(folder, { files, gone }, async (...paths) => {
    for (const path of paths) await writeFile(path, word);
  });
const contents = (folder: string, isShown: (name: string) => boolean = () => true): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder)
      .filter(isShown)
      .map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );

/** A folder as a command left it that was killed after its files counted. */
function unfinished(files: Record<string, string>, gone: readonly string[], there: Record<string, string>): string {
  const folder = place();
  const owner = ownerName().replace(`.${process.pid}.`, ".4194999."); // no process has such a number
  for (const part of ["new", "gone"]) mkdirSync(join(folder, UNFINISHED, owner, part), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, UNFINISHED, owner, "new", name), text);
  for (const name of gone) writeFileSync(join(folder, UNFINISHED, owner, "gone", name), "");
  for (const [name, text] of Object.entries(there)) writeFileSync(join(folder, name), text);
  return folder;
}

describe("files that change together", () => {
  test("are made with their folder, replaced, and taken away; what else is there stays", async () => {
    const folder = join(place(), "a/b");
    await put(folder, "old", ["x", "trials.csv.gz"]);
    writeFileSync(join(folder, "thesis.txt"), "years of work");
    await put(folder, "new", ["x"], ["trials.csv.gz"]);
    expect(contents(folder)).toEqual({ x: "new", "thesis.txt": "years of work" });
  });

  test("stay as they were where they can't be written; a folder that was made for them goes", async () => {
    const folder = place();
    await put(folder, "old", ["x", "y"]);
    const fail = (path: string): Promise<void> =>
      replaceFiles(path, { files: ["x", "y"] }, async (first) => {
        await writeFile(first, "new");
        throw Object.assign(new Error("ENOSPC: full"), { code: "ENOSPC", errno: -28 });
      });
    for (const path of [folder, join(folder, "deep/er")])
      await expect(fail(path)).rejects.toThrow(`${path} could not be written: no space left on device (ENOSPC)`);
    expect(contents(folder)).toEqual({ x: "old", y: "old" });
    await expect(put(folder, "new", ["x", "missing/y"])).rejects.toMatchObject({ code: "unavailable" });
    mkdirSync(join(folder, "z"));
    await expect(put(folder, "new", ["x", "z"])).rejects.toThrow("z is a folder");
    expect(readFileSync(join(folder, "x"), "utf8")).toBe("old");
  });

  test("of two commands at once are one command's", async () => {
    const folder = place();
    for (let round = 0; round < 10; round++) {
      await Promise.all(["a", "b", "c"].map((word) => put(folder, word, ["x", "y", "z"])));
      expect(new Set(Object.values(contents(folder))).size).toBe(1);
      expect(readdirSync(folder)).toEqual(["x", "y", "z"]);
    }
  });
});

describe("a folder that a killed command left", () => {
  const left = (): string =>
    unfinished({ x: "new", y: "new" }, ["trials.csv.gz"], {
      x: "old",
      y: "old",
      "trials.csv.gz": "old",
      other: "mine",
    });
  const whole = { x: "new", y: "new", other: "mine" };

  test.each<[string, (folder: string) => Promise<unknown>]>([
    ["settling", (folder) => settleFolder(folder)],
    ["reading one of its files", (folder) => textLines(join(folder, "x")).next()],
    ["all at once", (folder) => Promise.all([1, 2, 3, 4].map(() => settleFolder(folder)))],
  ])("is whole after %s", async (_, act) => {
    const folder = left();
    expect(isUnfinished(folder)).toBe(true);
    await act(folder);
    expect(contents(folder)).toEqual(whole);
  });

  test("is whole wherever the next one was killed, too", async () => {
    const module = pathToFileURL(join(ROOT, "sdk/dist/node/folder-files.js")).href;
    const hook = pathToFileURL(join(ROOT, "test/support/kill-at.js")).href;
    const script = `const { settleFolder } = await import(${JSON.stringify(module)}); await settleFolder(process.argv[1]);`;
    let kills = 0;
    for (let at = 1; ; at++) {
      const folder = left();
      const argv = ["--import", hook, "--input-type=module", "-e", script, folder];
      const { signal } = spawnSync(process.execPath, argv, { env: { ...process.env, KILL_AT: String(at) } });
      const { other, ...words } = contents(folder, (name) => !name.startsWith("."));
      expect(other).toBe("mine");
      expect(new Set(Object.values(words)).size).toBeLessThan(2); // old and new are never there together
      await settleFolder(folder);
      await put(folder, "newer", ["w"]); // what is left of the old ones goes with the next draft
      expect(contents(folder)).toEqual({ ...whole, w: "newer" });
      if (signal === null) break;
      kills++;
    }
    expect(kills).toBeGreaterThan(10);
  });

  test("of a process that nobody knows to be gone is waited for, then taken over", async () => {
    const folder = left();
    const [owner] = readdirSync(join(folder, UNFINISHED));
    const [, ...rest] = owner!.split(".");
    // On another host: nobody here knows whether that process is gone.
    const foreign = ["another-host", ...rest].join(".");
    renameSync(join(folder, UNFINISHED, owner!), join(folder, UNFINISHED, foreign));
    await settleFolder(folder, { staleAfter: 60 });
    expect(contents(folder)).toEqual(whole);
  });

  test("from elsewhere takes away no file that isn't a command's, and no folder", async () => {
    const folder = unfinished({}, ["thesis.txt", "src"], { "thesis.txt": "years of work" });
    mkdirSync(join(folder, "src"));
    await settleFolder(folder);
    expect(readdirSync(folder).sort()).toEqual(["src", "thesis.txt"]);
    const other = unfinished({ src: "" }, [], {});
    mkdirSync(join(other, "src"));
    await expect(settleFolder(other)).rejects.toThrow("src is a folder");
    expect(readdirSync(other)).toContain("src");
  });

  test("is a bundle's folder, though its manifest isn't in its place", () => {
    const folder = unfinished({ "manifest.json": "{}" }, [], {});
    renameSync(folder, join(folder, "../quiz"));
    const before = process.cwd();
    process.chdir(join(folder, ".."));
    try {
      expect(placedFolder("quiz")).toBe("quiz");
    } finally {
      process.chdir(before);
    }
  });
});
