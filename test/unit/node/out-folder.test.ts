import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFiles, settleFolder } from "anchoreval/internal/node/out-folder";
import { textLines } from "anchoreval/internal/node/read-file";
import { placedFolder } from "anchoreval/internal/node/shipped-bundles";
import { describe, expect, test } from "vitest";
import { sdkModule, startScript } from "../../support/stopped-process.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const temporary = tempFolder();
const place = (): string => mkdtempSync(temporary.path("place-"));
const NEXT = ".anchoreval-next";

/** Writes files whose content is one word. */
const put = (folder: string, word: string, files: readonly string[], gone: readonly string[] = []): Promise<void> =>
  replaceFiles(folder, (draft) => Promise.all(files.map((name) => writeFile(join(draft, name), word))), gone);
const contents = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true }).map((entry) => [
      entry.name,
      entry.isFile() ? readFileSync(join(folder, entry.name), "utf8") : "a folder",
    ]),
  );

/** A folder as a command left it that was killed once its files were complete. */
function unfinished(files: Record<string, string>, gone: readonly string[], there: Record<string, string>): string {
  const folder = place();
  const begun = join(folder, NEXT, "begun");
  for (const part of ["new", "gone", "old"]) mkdirSync(join(begun, part), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(begun, "new", name), text);
  for (const name of gone) writeFileSync(join(begun, "gone", name), "");
  for (const [name, text] of Object.entries(there)) writeFileSync(join(folder, name), text);
  return folder;
}

describe("files that change together", () => {
  test("are made with their folder, replaced, and taken away; what else is there stays", async () => {
    const folder = join(place(), "a/b");
    await put(folder, "old", ["x", "y"]);
    writeFileSync(join(folder, "thesis.txt"), "years of work");
    await put(folder, "new", ["x"], ["x", "y", "z"]);
    expect(contents(folder)).toEqual({ x: "new", "thesis.txt": "years of work" });
  });

  test("stay as they were where they can't be written; a folder that was made for them goes", async () => {
    const folder = place();
    await put(folder, "old", ["x", "y"]);
    const fail = (path: string): Promise<void> =>
      replaceFiles(path, async (draft) => {
        await writeFile(join(draft, "x"), "new");
        throw new Error("no more");
      });
    for (const path of [folder, join(folder, "deep/er")]) await expect(fail(path)).rejects.toThrow("no more");
    mkdirSync(join(folder, "z"));
    await expect(put(folder, "new", ["x", "z"])).rejects.toThrow("z is a folder");
    expect(contents(folder)).toEqual({ x: "old", y: "old", z: "a folder" });
  });

  test("of several commands at once are one command's", async () => {
    const folder = place();
    for (let round = 0; round < 10; round++) {
      await Promise.all(["a", "b", "c", "d"].map((word) => put(folder, word, ["x", "y", "z"])));
      expect(new Set(Object.values(contents(folder))).size).toBe(1);
      expect(readdirSync(folder)).toEqual(["x", "y", "z"]);
    }
  });

  test.concurrent.each([
    ["a file", (path: string) => writeFileSync(path, "")],
    ["a link", (path: string) => symlinkSync("..", path)],
    [
      "a folder with something else",
      (path: string) => writeFileSync(join(mkdirSync(path, { recursive: true })!, "x"), ""),
    ],
  ])("aren't written for ever where %s is in their way", async (_, make) => {
    const folder = place();
    make(join(folder, NEXT));
    await expect(put(folder, "new", ["x"])).rejects.toThrow(".anchoreval-next there is in the way: remove it");
    expect(readdirSync(folder)).toEqual([NEXT]);
  });
});

describe("a folder that a killed command left", () => {
  const left = (): string =>
    unfinished({ x: "new", y: "new" }, ["trials"], { x: "old", y: "old", trials: "old", other: "mine" });
  const whole = { x: "new", y: "new", other: "mine" };

  test.each<[string, (folder: string) => Promise<unknown>]>([
    ["settling", settleFolder],
    ["reading one of its files", (folder) => textLines(join(folder, "x")).next()],
    ["all at once", (folder) => Promise.all([1, 2, 3, 4].map(() => settleFolder(folder)))],
  ])("is whole after %s", async (_, act) => {
    const folder = left();
    await act(folder);
    expect(contents(folder)).toEqual(whole);
  });

  const SETTLE = `const { settleFolder } = await import(${JSON.stringify(sdkModule("node/out-folder"))}); await settleFolder(process.argv[1]);`;

  test("is whole wherever the next one is killed, too, and never has old files beside new ones", async () => {
    let kills = 0;
    for (let at = 1; ; at++) {
      const folder = left();
      const child = startScript(SETTLE, [folder], { KILL_AT: String(at) });
      await new Promise((resolve) => child.once("close", resolve));
      const { other, x, y, trials } = contents(folder);
      expect(other).toBe("mine");
      expect(new Set([x, y, trials].filter((word) => word !== undefined)).size).toBeLessThan(2);
      await settleFolder(folder);
      expect(contents(folder)).toEqual(whole);
      if (child.signalCode === null) break;
      kills++;
    }
    expect(kills).toBeGreaterThan(8);
  });

  test("from elsewhere takes no folder away, and nothing that lies beyond it", async () => {
    const folder = unfinished({ new: "new" }, ["src", "file"], { file: "" });
    mkdirSync(join(folder, "src"));
    await settleFolder(folder);
    expect(contents(folder)).toEqual({ new: "new", src: "a folder" });

    const mine = place();
    mkdirSync(join(mine, "begun/new"), { recursive: true });
    writeFileSync(join(mine, "begun/new/thesis.txt"), "years of work");
    const theirs = place();
    symlinkSync(mine, join(theirs, NEXT));
    const others = place();
    mkdirSync(join(others, NEXT));
    symlinkSync(join(mine, "begun"), join(others, NEXT, "begun"));
    for (const path of [theirs, others]) await settleFolder(path);
    expect(readdirSync(join(mine, "begun/new"))).toEqual(["thesis.txt"]);
    expect([readdirSync(theirs), readdirSync(others)]).toEqual([[NEXT], [NEXT]]);
  });

  test("is a bundle's folder, though its manifest isn't in its place: no bundle of its name is taken instead", () => {
    const folder = unfinished({ "manifest.json": "{}" }, [], {});
    mkdirSync(join(folder, "gsm8k"));
    mkdirSync(join(folder, `gsm8k/${NEXT}`));
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect(placedFolder("gsm8k")).toBe("gsm8k");
    } finally {
      process.chdir(before);
    }
  });
});
