import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createFile, replaceFile } from "anchoreval/internal/node/whole-file";
import { describe, expect, test } from "vitest";
import { ROOT } from "../../support/source-imports.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const temporary = tempFolder();
const place = (): string => mkdtempSync(temporary.path("place-"));
const built = (path: string): string => pathToFileURL(join(ROOT, path)).href;

describe("a file", () => {
  test("is replaced by many at once: it is one's, whole, and no draft stays", async () => {
    const file = join(place(), "x");
    const texts = Array.from({ length: 8 }, (_, k) => `${k}`.repeat(1 << 20));
    await Promise.all(texts.map((text) => replaceFile(file, text)));
    expect(texts).toContain(readFileSync(file, "utf8"));
    expect(readdirSync(join(file, ".."))).toEqual(["x"]);
  });

  test("is made once, with its rights; its folder is made for it", async () => {
    const file = join(place(), "a/b/key");
    const made = await Promise.all(["one", "two", "three"].map((text) => createFile(file, text, 0o600)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(file, "utf8")).toBe(["one", "two", "three"][made.indexOf(true)]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, ".."))).toEqual(["key"]);
  });

  test("is the old one where writing fails", async () => {
    const file = join(place(), "x");
    writeFileSync(file, "old");
    const half = (path: string): Promise<void> =>
      writeFile(path, "ne").then(() => Promise.reject(new Error("it broke off")));
    await expect(replaceFile(file, half)).rejects.toThrow(`${file} could not be written: it broke off`);
    expect(readFileSync(file, "utf8")).toBe("old");
    expect(readdirSync(join(file, ".."))).toEqual(["x"]);
  });

  test("is the old or the new one wherever its writer is killed, and the next one leaves nothing else", () => {
    const script = `
      const { replaceFile, createFile } = await import(${JSON.stringify(built("sdk/dist/node/whole-file.js"))});
      await replaceFile(process.argv[1], "new"); await createFile(process.argv[1] + "2", "new");`;
    const argv = ["--import", built("test/support/kill-at.js"), "--input-type=module", "-e", script];
    const run = (file: string, env: object) =>
      spawnSync(process.execPath, [...argv, file], { env: { ...process.env, ...env } });
    for (let at = 1, killed = true; killed; at++) {
      const file = join(place(), "x");
      writeFileSync(file, "old");
      killed = run(file, { KILL_AT: String(at) }).signal === "SIGKILL";
      expect(["old", "new"]).toContain(readFileSync(file, "utf8"));
      if (existsSync(`${file}2`)) expect(readFileSync(`${file}2`, "utf8")).toBe("new");
      if (!killed) expect(at).toBeGreaterThan(10);
      if (at % 4 > 0 && killed) continue; // what is left is the same for many
      expect(run(file, {}).status).toBe(0);
      expect(readdirSync(join(file, ".."))).toEqual(["x", "x2"]);
    }
  });

  test.skipIf(!existsSync("/dev/full"))(
    "is no pipe or device: these are written to as they are, and the reason is said",
    async () => {
      await expect(replaceFile("/dev/full", "x")).rejects.toThrow(
        "/dev/full could not be written: no space left on device (ENOSPC)",
      );
      await replaceFile("/dev/null", "x");
      expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    },
  );

  test("behind a link is written to as it is; a folder is none", async () => {
    const folder = place();
    writeFileSync(join(folder, "real"), "old");
    symlinkSync("real", join(folder, "link"));
    await replaceFile(join(folder, "link"), "new");
    expect(readFileSync(join(folder, "real"), "utf8")).toBe("new");
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
    mkdirSync(join(folder, "folder"));
    const refused = replaceFile(join(folder, "folder"), "x");
    await expect(refused).rejects.toThrow("folder could not be written: it is a folder (EISDIR)");
  });
});
