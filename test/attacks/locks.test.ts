import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { changeFile } from "anchoreval/internal/node/file-lock";
import { attack } from "../support/attack.ts";
import { ROOT } from "../support/source-imports.ts";
import { tempFolder } from "../support/temp-folder.ts";

// Processes that add lines to one file, each line with the digest of what was there, while they are killed and stopped at any
// time: a line that was acknowledged is there once, and each follows on the one before. Nobody waits for long.

const folder = tempFolder();
const LOCK = JSON.stringify(pathToFileURL(join(ROOT, "sdk/dist/node/file-lock.js")).href);

/** Longest that one line may take in a process that runs. A holder that stands still gives way after STALE. @unit milliseconds */
const LONGEST = 20_000;
const STALE = 60;

/** Adds lines until it is killed, and says which it has added. */
const WRITER = `
  import { createHash } from "node:crypto";
  import { readFile } from "node:fs/promises";
  const { replaceIf } = await import(${LOCK});
  const [file, name] = process.argv.slice(1);
  const digest = (text) => createHash("sha256").update(text).digest("hex").slice(0, 16);
  for (let k = 0; ; k++) {
    for (;;) {
      const there = await readFile(file, "utf8").catch(() => "");
      const line = digest(there) + " " + name + "." + k + "\\n";
      if (await replaceIf(file, there + line, (now) => (now ?? "").toString() === there, { staleAfter: ${STALE} })) break;
    }
    process.stdout.write(name + "." + k + "\\n");
  }`;

interface Writer {
  readonly child: ChildProcess;
  /** Lines that it has added, and when it said so last. */
  readonly added: string[];
  last: number;
}

function writer(file: string, name: string): Writer {
  const child = spawn(process.execPath, ["--input-type=module", "-e", WRITER, file, name]);
  const own: Writer = { child, added: [], last: Date.now() };
  let rest = "";
  child.stdout.on("data", (bytes: Buffer) => {
    const lines = (rest + String(bytes)).split("\n");
    rest = lines.pop()!;
    own.added.push(...lines);
    own.last = Date.now();
  });
  child.stderr.on("data", (bytes: Buffer) => own.added.push(`error: ${String(bytes)}`));
  return own;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once("close", resolve));
}

const figures = { lines: 0, kills: 0, stops: 0 };
let tries = 0;

attack("writers that are killed and stopped", { tries: 1, figures }, async (random) => {
  const place = folder.path(`try${tries++}`);
  mkdirSync(place);
  const file = join(place, "log");
  const count = 3 + Math.floor(3 * random.next());
  let names = 0;
  const all: Writer[] = [];
  const begin = (): Writer => {
    const own = writer(file, `w${names++}`);
    all.push(own);
    return own;
  };
  const running = Array.from({ length: count }, begin);
  let waited = 0;
  for (let step = 0; step < 12; step++) {
    await sleep(20 + 150 * random.next());
    const k = Math.floor(count * random.next());
    const { child } = running[k]!;
    if (random.next() < 0.4) {
      child.kill("SIGKILL");
      figures.kills++;
      running[k] = begin();
    } else {
      child.kill("SIGSTOP");
      figures.stops++;
      await sleep(random.next() < 0.5 ? 10 : 3 * STALE);
      child.kill("SIGCONT");
    }
    waited = Math.max(waited, ...running.map(({ last }) => Date.now() - last));
  }
  for (const { child } of running) child.kill("SIGKILL");
  await Promise.all(all.map(({ child }) => ended(child))); // prettier-ignore
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  figures.lines += lines.length;
  let before = "";
  for (const [k, line] of lines.entries()) {
    if (!line.startsWith(createHash("sha256").update(before).digest("hex").slice(0, 16))) return `line ${k + 1} doesn't follow on the one before`; // prettier-ignore
    before += `${line}\n`;
  }
  const there = lines.map((line) => line.split(" ")[1]!);
  if (new Set(there).size < there.length) return "a line is there twice";
  for (const { added } of all) for (const line of added) if (!there.includes(line)) return `${line} was added, and isn't there`; // prettier-ignore
  if (waited > LONGEST) return `one waited for ${waited} ms`;
  await changeFile(file, (now) => `${now!.toString()}end\n`);
  const left = readdirSync(place).filter((name) => name !== "log");
  if (left.length > 0) return `left: ${left.join(", ")}`;
  rmSync(place, { recursive: true });
  return lines.length < 3 ? "hardly a line was written" : null;
});
