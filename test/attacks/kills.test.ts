import { spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { loadBundle } from "anchoreval";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { findBrokenLogs } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { folderSource, folderStore } from "anchoreval/node";
import { expect } from "vitest";
import { readItemTable } from "../../offline-trainer/src/matrix/item-table.ts";
import { readResponses } from "../../offline-trainer/src/matrix/read-responses.ts";
import { writeBundleFolder } from "anchoreval/internal/node/bundle-folder";
import { attack } from "../support/attack.ts";
import { filesOf, runProgram } from "../support/run-command.ts";
import { sampleBundle } from "../support/sample-bundle.ts";
import { ROOT } from "../support/source-imports.js";
import { HOOK } from "../support/stopped-process.ts";
import { tempFolder } from "../support/temp-folder.ts";

// Commands that are killed: at each call that changes something on the disk, and at any time. After it whoever reads sees all old
// files or all new ones; old and new are never there together; the next run ends what was begun, and nothing hidden stays.

const folder = tempFolder();
const BIN = join(ROOT, "sdk/bin/anchoreval.js");

/** A command that replaces what it made before. */
interface Victim {
  /** The command, which makes the old result with 0 and the new one with 1. @param out - its folder */
  readonly argv: (made: 0 | 1, out: string) => string[];
  /** Reads the result as another command does. @returns which one it is, null for what is neither */
  readonly read: (out: string) => Promise<0 | 1 | null>;
}

interface Ready extends Victim {
  readonly name: string;
  /** The old and the new files. */
  readonly results: readonly Record<string, Buffer>[];
  /** Calls that change something, and the milliseconds that the whole command takes. */
  readonly calls: number;
  readonly takes: number;
}

/** A board; the first of two has trials, which the second must not have. */
const table = (scenario: string, items: number, trials: readonly number[]): string =>
  [
    "model,item_id,scenario,score,epoch",
    ...Array.from({ length: 12 }, (_, m) =>
      Array.from({ length: items }, (__, i) =>
        trials.map((t) => `m${m},${scenario}${i},${scenario},${(m * 7 + i * 3 + t) % 5 > 1 ? 1 : 0},${t}`),
      ).flat(),
    ).flat(),
  ].join("\n");

const VICTIMS: Readonly<Record<string, Victim>> = {
  import: {
    argv: (made, out) => [
      ...["import", folder.path(`table${made}.csv`), "--from", "table", "--out", out, "--force"],
      ...(made === 0 ? ["--columns", "trial=epoch"] : []),
    ],
    read: async (out) => {
      const { matrix } = await readResponses(join(out, "responses.csv.gz"), { items: join(out, "items.jsonl.gz") });
      const [a, b] = ["a", "b"].map((id) => matrix.items.filter((item) => item.item_id.startsWith(id)).length);
      return a === 20 && b === 0 ? 0 : a === 0 && b === 25 ? 1 : null;
    },
  },
  simulate: {
    argv: (made, out) => [
      ...["simulate", "--models", "12", "--items", "20", "--scenarios", "1"],
      ...["--seed", `${made}`, "--out", out, "--force"],
    ],
    read: async (out) => {
      const { matrix } = await readResponses(join(out, "responses.csv.gz"), { items: join(out, "items.jsonl.gz") });
      return matrix.items.length === 20 ? whichOf("simulate", shown(out)) : null;
    },
  },
  forms: {
    argv: (made, out) => [
      ...["forms", "--items", folder.path("items.csv"), "--size", `${4 + made}`, "--count", `${4 - made}`],
      ...["--out", out, "--force"],
    ],
    read: async (out) => {
      const { rows } = await readItemTable(join(out, "form-1.csv"));
      return rows.length === 4 ? 0 : rows.length === 5 ? 1 : null;
    },
  },
  fit: {
    argv: (made, out) => [
      ...["fit", "--responses", folder.path("board/responses.csv.gz"), "--items", folder.path("board/items.jsonl.gz")],
      ...["--anchors", "4", "--provider", "typescript", "--name", `quiz@1.0.${made}`, "--out", out, "--force"],
    ],
    read: async (out) => {
      const { manifest } = await loadBundle(folderSource(out));
      return manifest.version === "1.0.0" ? 0 : manifest.version === "1.0.1" ? 1 : null;
    },
  },
};

/** Done when it is asked for first. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

const ready = new Map<string, Ready>();

/** Whether files are the same; with fewer of them, those that there are. */
function areOf(files: Record<string, Buffer>, whole: Record<string, Buffer>): boolean {
  return Object.entries(files).every(([name, bytes]) => whole[name]?.equals(bytes) === true);
}

/** Which result some files are: all of one, and none of the other's. */
function whichOf(name: string, files: Record<string, Buffer>): 0 | 1 | null {
  const { results } = ready.get(name)!;
  const which = results.findIndex(
    (whole) => areOf(files, whole) && Object.keys(whole).length === Object.keys(files).length,
  );
  return which === -1 ? null : (which as 0 | 1);
}

/** Files that may lie there as they are: some of one result's. */
function areOfOne(name: string, files: Record<string, Buffer>): boolean {
  return ready.get(name)!.results.some((whole) => areOf(files, whole));
}

const names = (path: string): string[] => readdirSync(path, { recursive: true, encoding: "utf8" });
const hidden = (path: string): string[] => names(path).filter((name) => basename(name).startsWith("."));
const shown = (path: string): Record<string, Buffer> =>
  Object.fromEntries(
    readdirSync(path)
      .filter((name) => !name.startsWith("."))
      .map((name) => [name, readFileSync(join(path, name))]),
  );

interface End {
  readonly signal: string | null;
  readonly code: number | null;
}

/** Runs the program in a process of its own. @param after - milliseconds until it is killed, if it runs then */
function run(argv: readonly string[], env: Record<string, string> = {}, after?: number): Promise<End> {
  const child = spawn(process.execPath, ["--import", HOOK, BIN, ...argv, "--quiet"], {
    stdio: "ignore",
    env: { ...process.env, ...env },
  });
  const timer = after === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), after);
  return new Promise((resolve) => {
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal });
    });
  });
}

/** Kills it before one of its calls, or at any time. */
function kill(
  argv: readonly string[],
  { calls, takes }: Pick<Ready, "calls" | "takes">,
  random: RandomSource,
): Promise<End> {
  return random.next() < 0.75
    ? run(argv, { KILL_AT: String(1 + random.below(calls)) })
    : run(argv, {}, takes * random.next());
}

/** Runs it to its end, and counts. */
async function measured(argv: readonly string[]): Promise<Pick<Ready, "calls" | "takes">> {
  const count = folder.path("count");
  const begun = performance.now();
  expect(await run(argv, { KILL_COUNT: count })).toEqual({ code: 0, signal: null });
  return { takes: performance.now() - begun, calls: Number(readFileSync(count, "utf8")) };
}

/** What the commands read. */
const inputs = once(async () => {
  writeFileSync(folder.path("table0.csv"), table("a", 20, [0, 1]));
  writeFileSync(folder.path("table1.csv"), table("b", 25, [0]));
  writeFileSync(folder.path("items.csv"), ["item_id", ...Array.from({ length: 40 }, (_, i) => `i${i}`)].join("\n"));
  const board = ["simulate", "--models", "20", "--items", "30", "--scenarios", "1", "--out", folder.path("board")];
  expect(await run(board)).toEqual({ code: 0, signal: null });
});

/** Makes both results. */
async function prepare(name: string): Promise<Ready> {
  await inputs();
  const victim = VICTIMS[name]!;
  const out = folder.path(`${name}/out`);
  expect(await run(victim.argv(0, out))).toEqual({ code: 0, signal: null });
  cpSync(out, folder.path(`${name}/old`), { recursive: true });
  const measures = await measured(victim.argv(1, out));
  const results = [filesOf(folder.path(`${name}/old`)), filesOf(out)];
  const made = { name, ...victim, results, ...measures };
  ready.set(name, made);
  expect([whichOf(name, results[0]!), whichOf(name, results[1]!), areOfOne(name, filesOf(out))]).toEqual([0, 1, true]);
  return made;
}

let tries = 0;
const figures: Record<string, number> = { killed: 0, old: 0, new: 0 };
const count = (figure: string): void => void (figures[figure] = (figures[figure] ?? 0) + 1);

async function attackVictim(name: string, random: RandomSource): Promise<string | null> {
  const victim = ready.get(name) ?? (await prepare(name));
  const place = folder.path(`try${tries++}`);
  const out = join(place, "out");
  mkdirSync(place);
  const isFirst = random.next() < 0.2;
  if (!isFirst) cpSync(folder.path(`${name}/old`), out, { recursive: true });
  const argv = victim.argv(1, out);
  const times = random.next() < 0.3 ? 2 : 1; // the second one meets what the first left
  for (let k = 0; k < times; k++) {
    const { signal, code } = await kill(argv, victim, random);
    if (signal === "SIGKILL") count("killed");
    else if (code !== 0) return `exit code ${code} of a command that nobody killed`;
    const there = isFirst && !readdirSync(place).includes("out") ? {} : shown(out);
    if (!areOfOne(name, there)) return `mixed: ${Object.keys(there).join(", ")}`;
  }
  if (!isFirst && random.next() < 0.7) {
    const which = await victim.read(out);
    if (which === null) return "a reader saw neither the old result nor the new one";
    if (whichOf(name, shown(out)) !== which) return "a reader was there, and not all files are in their places";
    count(which === 0 ? "old" : "new");
  }
  const again = await run(argv);
  if (again.code !== 0) return `exit code ${again.code} of the next run`;
  if (whichOf(name, shown(out)) !== 1) return `after the next run: ${Object.keys(shown(out)).join(", ")}`;
  if (hidden(place).length > 0) return `left: ${hidden(place).join(", ")}`;
  rmSync(place, { recursive: true });
  return null;
}

attack("import, simulate, forms and fit", { tries: 1, figures }, async (random) => {
  const all = Object.keys(VICTIMS);
  const name = all[random.below(all.length)]!;
  count(name);
  const what = await attackVictim(name, random);
  return what && `${name}: ${what}`;
});

const publishing = { killed: 0, old: 0, new: 0 };

/** A store with one version, and what it costs to publish another. */
const published = once(async () => {
  await writeBundleFolder(folder.path("older"), sampleBundle({ version: "1.0.0" }));
  await writeBundleFolder(folder.path("newer"), sampleBundle({ version: "1.0.1" }));
  expect(await run(["publish", folder.path("older"), "--to", folder.path("publish/old")])).toMatchObject({ code: 0 });
  cpSync(folder.path("publish/old"), folder.path("publish/out"), { recursive: true });
  return measured(["publish", folder.path("newer"), "--to", folder.path("publish/out")]);
});

attack("publish to a folder", { tries: 2, figures: publishing }, async (random) => {
  const place = folder.path(`publish${tries++}`);
  const publish = await published();
  cpSync(folder.path("publish/old"), place, { recursive: true });
  const argv = ["publish", folder.path("newer"), "--to", place];
  const { signal, code } = await kill(argv, publish, random);
  if (signal === "SIGKILL") publishing.killed++;
  else if (code !== 0) return `exit code ${code} of a command that nobody killed`;
  const index = JSON.parse(readFileSync(join(place, "bundles/sample/index.json"), "utf8")) as {
    latest: string;
    versions: { version: string }[];
  };
  for (const { version } of index.versions)
    if ((await loadBundle(folderSource(join(place, "bundles/sample", version)))).manifest.version !== version)
      return `${version} is listed, and another bundle is there`;
  publishing[index.latest === "1.0.0" ? "old" : "new"]++;
  const broken = await findBrokenLogs(folderStore(place));
  if (broken.length > 0) return broken.join("; ");
  const again = await runProgram([...argv, "--json"]);
  if (again.code !== 0) return `the next publication: ${again.err}`;
  if ((JSON.parse(again.out) as { latest: string }).latest !== "1.0.1") return `the next publication: ${again.out}`;
  await loadBundle(folderSource(join(place, "bundles/sample/1.0.1")));
  // Days later a sweep takes what the killed one left.
  for (const name of names(place)) utimesSync(join(place, name), 0, 0);
  const swept = await runProgram(["publish", "sweep", "--to", place]);
  if (swept.code !== 0) return `the sweep: ${swept.err}`;
  const left = names(place).filter((name) => /\.tmp$|\.writer$|swept\/./.test(name) || basename(name).startsWith("."));
  if (left.length > 0) return `left: ${left.join(", ")}`;
  rmSync(place, { recursive: true });
  return null;
});

const beside = { killed: 0 };

attack("two imports into one folder, and one of them killed", { tries: 1, figures: beside }, async (random) => {
  const victim = ready.get("import") ?? (await prepare("import"));
  const out = join(folder.path(`try${tries++}`), "out");
  cpSync(folder.path("import/old"), out, { recursive: true });
  const [first, second] = random.next() < 0.5 ? ([0, 1] as const) : ([1, 0] as const);
  const [{ signal }, { code }] = await Promise.all([
    random.next() < 0.5 ? kill(victim.argv(first, out), victim, random) : run(victim.argv(first, out)),
    run(victim.argv(second, out)),
  ]);
  if (signal === "SIGKILL") beside.killed++;
  if (code !== 0) return `exit code ${code} of the one that nobody killed`;
  if (!areOfOne("import", shown(out))) return "mixed";
  if ((await victim.read(out)) === null) return "a reader saw neither the one result nor the other";
  if (whichOf("import", shown(out)) === null) return "not all files are in their places";
  return null;
});
