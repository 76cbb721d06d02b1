import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { folderSource, folderStore } from "anchoreval/internal/node/folder";
import { settleFolder } from "anchoreval/internal/node/out-folder";
import { loadBundle, readBundleFile } from "anchoreval";
import type { BundleFileName } from "anchoreval/bundle";
import { parseIndex } from "anchoreval/internal/publish/bundle-index";
import { findBrokenLogs } from "anchoreval/internal/publish/sweep-blobs";
import { beforeAll } from "vitest";
import { attack } from "../support/attack.ts";
import { ROOT } from "../support/source-imports.ts";
import { tempFolder } from "../support/temp-folder.ts";

// Commands that write several files, killed: at one of their calls that change something on the disk, or at any moment. Readers
// then find the old result or the new one, and the next run of the command leaves the new one alone.
const folder = tempFolder();
const PROGRAM = join(ROOT, "sdk/bin/anchoreval.js");
const KILL_AT = pathToFileURL(join(ROOT, "test/support/kill-at.js")).href;

interface Ended {
  readonly code: number | null;
  readonly said: string;
}

/** Runs the program. @param kill - before this call that changes something, or after so many milliseconds */
function run(words: readonly string[], kill?: { readonly at: number } | { readonly after: number }): Promise<Ended> {
  const at = kill && "at" in kill ? { KILL_AT: String(kill.at) } : {};
  const child = spawn(process.execPath, ["--import", KILL_AT, PROGRAM, ...words], {
    env: { ...process.env, XDG_STATE_HOME: folder.path("state"), ...at },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (part: Buffer) => (said += part.toString()));
  if (kill && "after" in kill) setTimeout(() => child.kill("SIGKILL"), kill.after);
  return new Promise((resolve) => child.on("exit", (code) => resolve({ code, said })));
}

/** The files of a folder by digest. */
function contentOf(path: string): string {
  const names = readdirSync(path).sort();
  const digest = (name: string): string =>
    createHash("sha256")
      .update(readFileSync(join(path, name)))
      .digest("hex")
      .slice(0, 12);
  return names.map((name) => `${name} ${statSync(join(path, name)).isFile() ? digest(name) : "a folder"}`).join(", ");
}

interface Job {
  /** The words that make a result in a folder. */
  readonly words: (out: string, isNew: boolean) => string[];
  /** Most calls that change something, about. */
  readonly calls: number;
  /** About as long takes a run. @unit milliseconds */
  readonly takes: number;
}

const JOBS: Readonly<Record<string, Job>> = {
  import: {
    words: (out, isNew) => [
      "import",
      folder.path(isNew ? "b.csv" : "a.csv"),
      "--from",
      "table",
      "--out",
      out,
      "--force",
      "--quiet",
    ],
    calls: 30,
    takes: 700,
  },
  simulate: {
    words: (out, isNew) => [
      "simulate",
      "--models",
      isNew ? "12" : "10",
      "--items",
      "40",
      "--scenarios",
      "2",
      "--out",
      out,
      "--force",
      "--quiet",
    ],
    calls: 30,
    takes: 700,
  },
  fit: {
    words: (out, isNew) => [
      ...["fit", "--responses", folder.path("board/responses.csv.gz"), "--items", folder.path("board/items.jsonl.gz")],
      ...[
        "--anchors",
        "10",
        "--provider",
        "typescript",
        "--threads",
        "1",
        "--name",
        isNew ? "quiz@1.0.1" : "quiz@1.0.0",
      ],
      ...["--out", out, "--force", "--quiet"],
    ],
    calls: 40,
    takes: 2500,
  },
};

/** What every job makes, before and after. */
const results = new Map<string, { readonly before: string; readonly after: string }>();

beforeAll(async () => {
  const table = (prefix: string, items: number): string =>
    ["model,item_id,scenario,score"]
      .concat(
        ...Array.from({ length: 30 }, (_, m) =>
          Array.from({ length: items }, (__, i) => `m${m},${prefix}${i},${prefix},${(m * 7 + i * 3) % 5 > 1 ? 1 : 0}`),
        ),
      )
      .join("\n");
  writeFileSync(folder.path("a.csv"), table("a", 40));
  writeFileSync(folder.path("b.csv"), table("b", 50));
  await ended([
    "simulate",
    "--models",
    "30",
    "--items",
    "60",
    "--scenarios",
    "1",
    "--out",
    folder.path("board"),
    "--quiet",
  ]);
  for (const [name, { words }] of Object.entries(JOBS)) {
    for (const isNew of [false, true]) await ended(words(folder.path(`${name}-${isNew}`), isNew));
    results.set(name, {
      before: contentOf(folder.path(`${name}-false`)),
      after: contentOf(folder.path(`${name}-true`)),
    });
  }
}, 120_000);

async function ended(words: readonly string[]): Promise<void> {
  const { code, said } = await run(words);
  if (code !== 0) throw new Error(`${words.join(" ")}: exit ${code}: ${said}`);
}

function killOf(random: RandomSource, { calls, takes }: Pick<Job, "calls" | "takes">) {
  return random.next() < 0.8 ? { at: 1 + random.below(calls) } : { after: takes * (0.5 + random.next()) };
}

const figures: Record<string, number> = { killed: 0, "rolled forward": 0 };
attack("import, simulate and fit", { tries: 4, figures }, async (random) => {
  const [name, job] = Object.entries(JOBS)[random.below(3)]!;
  const { before, after } = results.get(name)!;
  const work = folder.path("work");
  const out = join(work, "out");
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work);
  const isFirst = random.next() < 0.2;
  if (!isFirst) cpSync(folder.path(`${name}-false`), out, { recursive: true });
  const kill = killOf(random, job);
  const { code } = await run(job.words(out, true), kill);
  if (code === null) figures["killed"]!++;
  const where = `${name} killed at ${JSON.stringify(kill)}`;
  if (existsSync(out)) {
    if (existsSync(join(out, ".anchoreval-next"))) figures["rolled forward"]!++;
    await settleFolder(out);
    const found = contentOf(out)
      .split(", ")
      .filter((entry) => entry !== "" && !entry.startsWith(".anchoreval-draft-"))
      .join(", ");
    if (found !== before && found !== after && !(isFirst && found === "")) return `${where} leaves ${found}`;
  } else if (!isFirst) return `${where}: the old result is gone`;
  const again = await run(job.words(out, true));
  if (again.code !== 0) return `${where}: the next run ends with ${again.code}: ${again.said}`;
  if (contentOf(out) !== after) return `${where}: the next run leaves ${contentOf(out)}`;
  const beside = readdirSync(work).join();
  return beside === "out" ? null : `${where}: beside it lies ${beside}`;
});

attack("publish to a folder", { tries: 3, figures }, async (random) => {
  const root = folder.path("published");
  rmSync(root, { recursive: true, force: true });
  if (random.next() < 0.7) await ended(["publish", folder.path("fit-false"), "--to", root, "--quiet"]);
  const words = ["publish", folder.path("fit-true"), "--to", root, "--quiet"];
  const kill = killOf(random, { calls: 150, takes: 700 });
  const { code } = await run(words, kill);
  if (code === null) figures["killed"]!++;
  const store = folderStore(root);
  const broken = await unreadable(root);
  if (broken !== null) return `publish killed at ${JSON.stringify(kill)}: ${broken}`;
  const again = await run(words);
  if (again.code !== 0)
    return `publish killed at ${JSON.stringify(kill)}: the next ends with ${again.code}: ${again.said}`;
  const whole = await unreadable(root);
  if (whole !== null) return `publish killed at ${JSON.stringify(kill)}, then published: ${whole}`;
  const index = parseIndex((await store.get("bundles/quiz/index.json"))!.bytes);
  if (index?.latest !== "1.0.1") return `latest is ${index?.latest}`;
  // Days later a sweep takes what the killed one left.
  const all = readdirSync(root, { recursive: true }) as string[];
  for (const name of all) utimesSync(join(root, name), 0, 0);
  await ended(["sweep", "--to", root, "--quiet"]);
  const left = (readdirSync(root, { recursive: true }) as string[]).filter((name) =>
    /\.tmp$|\.writer$|swept\/./.test(name),
  );
  return left.length === 0 ? null : `publish killed at ${JSON.stringify(kill)}: a sweep leaves ${left.join()}`;
});

/** What is wrong for readers of a published folder; null for nothing. */
async function unreadable(root: string): Promise<string | null> {
  const store = folderStore(root);
  const there = await store.get("bundles/quiz/index.json");
  const index = there && parseIndex(there.bytes);
  if (there && !index) return "the index is damaged";
  const [log] = await findBrokenLogs(store);
  if (log !== undefined) return log;
  for (const { version, digest } of index?.versions ?? []) {
    const source = folderSource(join(root, "bundles/quiz", version));
    const { manifest } = await loadBundle(source, { digest });
    for (const { name } of manifest.files) await readBundleFile(source, manifest, name as BundleFileName);
  }
  return null;
}

// Processes that change one file at once, some of which are killed in the middle: none of what was acknowledged is lost.
const CHANGER = `
  const [file, module, id] = process.argv.slice(1);
  const { swapFile, tagOf } = await import(module);
  const fs = await import("node:fs");
  for (let k = 0; k < 20; ) {
    const there = fs.readFileSync(file);
    const lines = Buffer.concat([there, Buffer.from(id + "-" + k + "\\n")]);
    if (await swapFile(file, lines, tagOf(there))) { fs.writeSync(1, id + "-" + k + "\\n"); k++; }
  }`;

attack("processes that change a file", { tries: 2 }, async (random) => {
  const file = folder.path("counted");
  writeFileSync(file, "");
  const module = pathToFileURL(join(ROOT, "sdk/dist/node/swap-file.js")).href;
  const acknowledged: string[] = [];
  await Promise.all(
    Array.from({ length: 6 }, (_, id) => {
      const child = spawn(process.execPath, ["--input-type=module", "-e", CHANGER, file, module, String(id)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      child.stdout.on("data", (part: Buffer) => acknowledged.push(...part.toString().trim().split("\n")));
      if (id < 3) setTimeout(() => child.kill("SIGKILL"), 200 + 400 * random.next());
      return new Promise((resolve) => child.on("close", resolve));
    }),
  );
  const lines = readFileSync(file, "utf8").trim().split("\n");
  const lost = acknowledged.filter((line) => !lines.includes(line));
  const twice = lines.filter((line, k) => lines.indexOf(line) !== k);
  if (lost.length > 0) return `lost: ${lost.join()}`;
  return twice.length > 3 ? `twice: ${twice.join()}` : null; // one whose answer was lost is written again
});
