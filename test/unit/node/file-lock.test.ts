import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { changeFile, replaceIf } from "anchoreval/internal/node/file-lock";
import { isGone, ownerName, ownerWords } from "anchoreval/internal/node/owner";
import { expect, test } from "vitest";
import { ROOT } from "../../support/source-imports.ts";
import { tempFolder } from "../../support/temp-folder.ts";

const folder = tempFolder();
const place = (): string => mkdtempSync(folder.path("place-"));
const built = (name: string): string => JSON.stringify(pathToFileURL(join(ROOT, "sdk/dist/node", `${name}.js`)).href);
const always = (): boolean => true;

/** A process that takes the lock of a file and then stands still before its renaming, which counts. */
async function holding(
  file: string,
): Promise<{ readonly child: ReturnType<typeof spawn>; readonly output: () => string }> {
  const script = `
    import fsp from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    const rename = fsp.rename;
    fsp.rename = async (from, to) => {
      if (to === ${JSON.stringify(file)}) {
        console.log("inside");
        await new Promise((resolve) => process.stdin.once("data", resolve));
      }
      return rename(from, to);
    };
    syncBuiltinESMExports();
    const { changeFile } = await import(${built("file-lock")});
    await changeFile(${JSON.stringify(file)}, (there) => (there ?? "") + "held\\n");
    console.log("written");
    process.exit();`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: ["pipe", "pipe", "inherit"] });
  let said = "";
  await new Promise<void>((resolve) => {
    child.stdout.on("data", (text: Buffer) => {
      said += String(text);
      if (said.includes("inside")) resolve();
    });
  });
  return { child, output: () => said };
}

const ended = (child: ReturnType<typeof spawn>): Promise<unknown> =>
  new Promise((resolve) => child.once("exit", resolve));

test("a holder that was killed gives way at once; nothing is left", async () => {
  const file = join(place(), "log");
  const { child } = await holding(file);
  child.kill("SIGKILL");
  await ended(child);
  const begun = performance.now();
  await changeFile(file, (there) => `${there?.toString() ?? ""}next\n`);
  expect(performance.now() - begun).toBeLessThan(5000); // half of the time that one who may be alive is waited for
  expect(readFileSync(file, "utf8")).toBe("next\n");
  expect(readdirSync(join(file, ".."))).toEqual(["log"]);
});

test("who stood still and was put out writes nothing over what came after, but after it", async () => {
  const file = join(place(), "log");
  writeFileSync(file, "first\n");
  const { child, output } = await holding(file);
  expect(
    await replaceIf(file, "first\nsecond\n", (there) => there?.toString() === "first\n", { staleAfter: 100 }),
  ).toBe(true);
  child.stdin!.write("go\n"); // its renaming fails; it begins anew, and stands still again
  await expect.poll(output).toBe("inside\ninside\n");
  child.stdin!.write("go\n");
  await ended(child);
  expect(output()).toContain("written");
  expect(readFileSync(file, "utf8")).toBe("first\nsecond\nheld\n");
  expect(readdirSync(join(file, ".."))).toEqual(["log"]);
});

test("waiting ends, and says who has the lock, since when, and what to do", async () => {
  const file = join(place(), "log");
  const lock = join(file, "../.anchoreval-log.lock");
  let owner = ownerName();
  mkdirSync(lock);
  writeFileSync(join(lock, owner), "");
  // One comes after another: nobody stands still.
  const others = setInterval(() => {
    const next = ownerName();
    renameSync(join(lock, owner), join(lock, next));
    owner = next;
  }, 20);
  const refused = replaceIf(file, "mine", always, { staleAfter: 100 });
  await expect(refused).rejects.toThrow(
    new RegExp(
      `^${lock} has been held by others .*process ${process.pid} on .* since 20..-.*: try again; .*delete ${lock}$`,
    ),
  );
  await expect(refused).rejects.toMatchObject({ code: "unavailable" });
  clearInterval(others);
  expect(existsSync(file)).toBe(false);
});

test("a lock that somebody else made is waited for, whatever its date, and then taken", async () => {
  const file = join(place(), "log");
  const lock = join(file, "../.anchoreval-log.lock");
  mkdirSync(lock);
  writeFileSync(join(lock, "another-host.1.0.0.0"), "");
  expect(await replaceIf(file, "mine", always, { staleAfter: 60 })).toBe(true);
  expect(readdirSync(join(file, ".."))).toEqual(["log"]);
});

test("of many that replace one content at once one does; an empty lock is no lock", async () => {
  const file = join(place(), "log");
  mkdirSync(join(file, "../.anchoreval-log.lock"));
  const done = await Promise.all(
    Array.from({ length: 8 }, (_, k) => replaceIf(file, `${k}`, (there) => there === null)),
  );
  expect(done.filter(Boolean)).toHaveLength(1);
  expect(readFileSync(file, "utf8")).toBe(String(done.indexOf(true)));
});

test("a link in the place of a lock leads nowhere", async () => {
  const file = join(place(), "log");
  const others = place();
  writeFileSync(join(others, "thesis.txt"), "years of work");
  symlinkSync(others, join(file, "../.anchoreval-log.lock"));
  await expect(replaceIf(file, "mine", always, { staleAfter: 20 })).rejects.toMatchObject({ code: "unavailable" });
  expect(readdirSync(others)).toEqual(["thesis.txt"]);
});

test("what a change throws is passed on without a trace", async () => {
  const file = join(place(), "log");
  writeFileSync(file, "a");
  await expect(changeFile(file, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(readdirSync(join(file, ".."))).toEqual(["log"]);
});

test("a process is gone where its number is free, another's, or only its entry is left; unknown on other hosts", async () => {
  expect(isGone(ownerName())).toBe(false);
  const [host, , begun, boot, random] = ownerName().split(".");
  expect(ownerWords(ownerName())).toBe(`process ${process.pid} on ${host!}`);
  expect(host).toBe(hostname().replace(/[^A-Za-z0-9]+/g, "-").slice(0, 40)); // prettier-ignore
  const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "ignore" });
  const named = (...parts: (string | number | undefined)[]): string => parts.join(".");
  if (process.platform === "linux") expect(isGone(named(host, child.pid, begun, boot, random))).toBe(true); // it began at another time
  child.kill("SIGKILL");
  await ended(child);
  expect(isGone(named(host, child.pid, 0, boot, random))).toBe(true);
  expect(isGone(named("another", child.pid, 0, boot, random))).toBe(false);
  expect(isGone(named(host, child.pid, 0, "another", random))).toBe(false);
  expect(isGone("a file of somebody")).toBe(false);
});
