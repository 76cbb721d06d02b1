import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { isGone, thisPlace } from "anchoreval/internal/node/owner";
import { swapFile, tagOf } from "anchoreval/internal/node/folder";
import { expect, test } from "vitest";
import { rejection } from "../../support/refusal.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const [old, fresh] = [Buffer.from("old"), Buffer.from("new")];

/** A file that is there. */
function oldFile(): string {
  const file = join(mkdtempSync(folder.path("place-")), "log");
  writeFileSync(file, old);
  return file;
}

/** A writer of a file, with the content that it hasn't yet put in its place. */
function leave(file: string, owner: { id: string; place: string; pid: number }): void {
  mkdirSync(`${file}.writer`, { recursive: true });
  writeFileSync(join(`${file}.writer`, owner.id), "another's");
  writeFileSync(join(`${file}.writer`, "owner"), JSON.stringify({ host: "build-3", ...owner }));
}

/** The number of a process that has ended. */
const gonePid = (): number => spawnSync(process.execPath, ["-e", ""]).pid;

test("replaces a content that is the expected one, and no other", async () => {
  const file = oldFile();
  expect(await swapFile(file, fresh, tagOf(fresh))).toBe(false);
  expect(await swapFile(`${file}2`, fresh, tagOf(old))).toBe(false);
  expect(await swapFile(file, fresh, tagOf(old))).toBe(true);
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readdirSync(join(file, ".."))).toEqual(["log"]);
});

test("of many that replace one content at once one does", async () => {
  const file = oldFile();
  const done = await Promise.all(Array.from({ length: 8 }, (_, k) => swapFile(file, Buffer.from(`${k}`), tagOf(old))));
  expect(done.filter(Boolean)).toHaveLength(1);
  expect(readFileSync(file, "utf8")).toBe(String(done.indexOf(true)));
});

test("a writer whose process is gone gives way at once", async () => {
  const file = oldFile();
  leave(file, { id: "a", place: thisPlace(), pid: gonePid() });
  expect(await swapFile(file, fresh, tagOf(old), { staleAfter: 1e9 })).toBe(true);
  expect(readdirSync(join(file, ".."))).toEqual(["log"]);
});

test("one of another place, and one that nobody knows, once it has stood still: no clock is asked", async () => {
  const file = oldFile();
  leave(file, { id: "a", place: "elsewhere", pid: gonePid() });
  expect(await swapFile(file, fresh, tagOf(old), { staleAfter: 50 })).toBe(true);
  mkdirSync(`${file}.writer`);
  writeFileSync(`${file}.writer/owner`, "{");
  writeFileSync(`${file}.lock`, "a lock of former versions");
  expect(await swapFile(file, old, tagOf(fresh), { staleAfter: 50 })).toBe(true);
  expect(readdirSync(join(file, ".."))).toEqual(["log", "log.lock"]);
});

test("waiting ends, and says who is writing and what to do", async () => {
  const file = oldFile();
  let id = 0;
  leave(file, { id: "writer", place: thisPlace(), pid: process.pid });
  // One comes after another: nobody stands still.
  const others = setInterval(
    () =>
      writeFileSync(
        `${file}.writer/owner`,
        JSON.stringify({ id: `${id++}`, host: hostname(), place: thisPlace(), pid: process.pid }),
      ),
    10,
  );
  const error = await rejection(swapFile(file, fresh, tagOf(old), { staleAfter: 100 }));
  clearInterval(others);
  expect(error).toMatchObject({ code: "unavailable" });
  expect(error.message).toBe(
    `${file} is being changed by others all the time, now by process ${process.pid} on ${hostname()}: try again, or remove ${file}.writer where that process is gone`,
  );
  expect(readFileSync(file, "utf8")).toBe("old");
});

test("a link in a writer's place leads nowhere", async () => {
  const file = oldFile();
  const others = mkdtempSync(folder.path("others-"));
  writeFileSync(join(others, "thesis.txt"), "years of work");
  symlinkSync(others, `${file}.writer`);
  await expect(swapFile(file, fresh, tagOf(old), { staleAfter: 20 })).rejects.toThrow("ENOTDIR");
  expect(readdirSync(others)).toEqual(["thesis.txt"]);
});

test("a process is gone where its number is free, in its own place", async () => {
  expect(isGone(thisPlace(), process.pid)).toBe(false);
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "ignore" });
  expect(isGone(thisPlace(), child.pid!)).toBe(false);
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("exit", resolve));
  expect(isGone(thisPlace(), child.pid!)).toBe(true);
  expect(isGone("elsewhere", child.pid!)).toBe(false);
});
