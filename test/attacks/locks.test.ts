import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { replaceFiles, settleFolder } from "anchoreval/internal/node/out-folder";
import { swapFile, tagOf } from "anchoreval/internal/node/folder";
import { attack } from "../support/attack.ts";
import { sdkModule, startScript, stopScript } from "../support/stopped-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

// Processes that change one file, or the files of one folder, while they are killed and stand still at any time.

const folder = tempFolder();

/** Longest that one line may take in a process that runs. A writer that stands still is taken for dead after STALE. @unit milliseconds */
const LONGEST = 20_000;
const STALE = 60;

/** Adds lines, each with the tag of what was there before, until it is killed, and says which it has added. */
const WRITER = `
  import { readFileSync, writeSync } from "node:fs";
  const { swapFile, tagOf } = await import(${JSON.stringify(sdkModule("node/folder"))});
  const [file, name] = process.argv.slice(1);
  for (let k = 0; ; ) {
    const there = readFileSync(file);
    const tag = tagOf(there);
    const whole = Buffer.concat([there, Buffer.from(tag.slice(0, 16) + " " + name + "." + k + "\\n")]);
    if (await swapFile(file, whole, tag, { staleAfter: ${STALE} })) writeSync(1, name + "." + k++ + "\\n");
  }`;

interface Writer {
  readonly child: ChildProcess;
  /** Lines that it has added, and when it said so last. */
  readonly added: string[];
  last: number;
}

function startWriter(file: string, name: string): Writer {
  const child = spawn(process.execPath, ["--input-type=module", "-e", WRITER, file, name]);
  const writer: Writer = { child, added: [], last: Date.now() };
  let rest = "";
  child.stdout.on("data", (bytes: Buffer) => {
    const lines = (rest + String(bytes)).split("\n");
    rest = lines.pop()!;
    writer.added.push(...lines);
    writer.last = Date.now();
  });
  child.stderr.on("data", (bytes: Buffer) => writer.added.push(`error: ${String(bytes)}`));
  return writer;
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((resolve) => child.once("close", resolve));
}

const figures = { lines: 0, kills: 0, stops: 0 };
let tries = 0;

attack("writers of a file that are killed and stand still", { tries: 1, figures }, async (random) => {
  const place = folder.path(`try${tries++}`);
  mkdirSync(place);
  const file = join(place, "log");
  writeFileSync(file, "");
  let names = 0;
  const all: Writer[] = [];
  const begin = (): Writer => {
    const writer = startWriter(file, `w${names++}`);
    all.push(writer);
    return writer;
  };
  const running = Array.from({ length: 3 + random.below(3) }, begin);
  let waited = 0;
  for (let step = 0; step < 12; step++) {
    await sleep(20 + 150 * random.next());
    const k = random.below(running.length);
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
  await Promise.all(all.map(({ child }) => ended(child)));
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  figures.lines += lines.length;
  let before = "";
  for (const [k, line] of lines.entries()) {
    if (!line.startsWith(tagOf(Buffer.from(before)).slice(0, 16)))
      return `line ${k + 1} doesn't follow on the one before`;
    before += `${line}\n`;
  }
  const there = lines.map((line) => line.split(" ")[1]!);
  for (const { added } of all)
    for (const line of added) if (!there.includes(line)) return `${line} was added, and isn't there`;
  if (waited > LONGEST) return `one waited for ${waited} ms`;
  // A writer that was killed is in nobody's way; what it wrote beside the file a sweep takes later.
  if (!(await swapFile(file, Buffer.from("end"), tagOf(Buffer.from(before))))) return "nobody writes any more";
  const left = readdirSync(place).filter((name) => name !== "log" && !name.endsWith(".tmp"));
  if (left.length > 0) return `left: ${left.join(", ")}`;
  rmSync(place, { recursive: true });
  return lines.length < 3 ? "hardly a line was written" : null;
});

/** Calls that change something while files take their places. */
const MOST_STEPS = 14;
const OUT_FOLDER = JSON.stringify(sdkModule("node/out-folder"));
const SETTLE = `const { settleFolder } = await import(${OUT_FOLDER}); await settleFolder(process.argv[1]);`;
const PUT = `
  import { writeFile } from "node:fs/promises";
  const { replaceFiles } = await import(${OUT_FOLDER});
  const [folder, word, ...names] = process.argv.slice(1);
  await replaceFiles(folder, async (draft) => { for (const name of names) await writeFile(draft + "/" + name, word); }, ["x", "y", "z"]);`;
const put = (path: string, word: string, names: readonly string[]): Promise<void> =>
  replaceFiles(path, (draft) => Promise.all(names.map((name) => writeFile(join(draft, name), word))), ["x", "y", "z"]);

const folders = { stood: 0, killed: 0 };

attack(
  "files of a folder, by who stands still while another is killed",
  { tries: 1, figures: folders },
  async (random) => {
    const place = folder.path(`folder${tries++}`);
    await put(place, "old", ["x", "y"]);
    const wrote = new Map([["old", "x,y"]]);
    const sets = [["x", "y"], ["x"], ["y", "z"], ["x", "y", "z"]];
    const next = (): [word: string, ...names: string[]] => {
      const files = sets[random.below(sets.length)]!;
      const fresh = `new${wrote.size}`;
      wrote.set(fresh, files.join());
      return [fresh, ...files];
    };
    const [word, ...names] = next();
    const putIt = random.next() < 0.5;
    // Where the first one settles, another was killed with its files complete.
    if (!putIt) await killed(PUT, [place, word, ...names], 12 + random.below(MOST_STEPS));
    const first = await stopScript(
      putIt ? PUT : SETTLE,
      putIt ? [place, word, ...names] : [place],
      1 + random.below(putIt ? 24 : MOST_STEPS),
    );
    if (first.stands) folders.stood++;
    if (random.next() < 0.7) {
      const [own, ...files] = next();
      await put(place, own, files);
    }
    if (await killed(PUT, [place, ...next()], 8 + random.below(20))) folders.killed++;
    if (random.next() < 0.5) await killed(SETTLE, [place], 1 + random.below(MOST_STEPS));
    await first.goOn();
    await settleFolder(place);
    const there = readdirSync(place).filter((name) => !name.startsWith("."));
    const contents = there.map((name) => readFileSync(join(place, name), "utf8"));
    if (new Set(contents).size !== 1 || wrote.get(contents[0]!) !== there.join())
      return there.map((name, k) => `${name} ${contents[k]}`).join(", ");
    await put(place, "last", ["x"]);
    if (readdirSync(place).join() !== "x") return `left: ${readdirSync(place).join(", ")}`;
    rmSync(place, { recursive: true });
    return null;
  },
);

/** Runs a script that is killed before its k-th call that changes something. @returns false where it came to its end before */
async function killed(script: string, words: readonly string[], at: number): Promise<boolean> {
  const child = startScript(script, words, { KILL_AT: String(at) });
  await ended(child);
  return child.signalCode !== null;
}
