import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { parseManifest } from "anchoreval/bundle";
import { encodeManifest } from "anchoreval/internal/core/bundle/digest";
import type { RandomSource } from "anchoreval/internal/core/numeric/random";
import { folderStore } from "anchoreval/internal/node/folder";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { afterAll, beforeAll, describe } from "vitest";
import { attack } from "../support/attack.ts";
import { sampleAnswers } from "../support/sample-answers.ts";
import { sampleBundle } from "../support/sample-bundle.ts";
import { signingKey } from "../support/signing-key.ts";
import { ROOT } from "../support/source-imports.js";
import { tempFolder } from "../support/temp-folder.ts";
import { at, DAY, rootJson, rootOf, sign } from "../support/trust.ts";

/** Most memory of a process, and most of it that a hostile body may cost. @unit MiB */
const [MOST, MOST_MORE] = [200, 110];
/** A longer attack takes what waits for its time-outs, too. */
const PATIENT = process.env["ATTACK_SECONDS"] !== undefined;

const temporary = tempFolder();
const path = (name: string): string => temporary.path(name);
const files = sampleBundle({ report: true });
const env: Record<string, string> = {};
let server: Server;
let origin: string;
let plain: number;

/** Bodies that are longer than anybody reads, by how they are packed. @see writeBody */
const BODIES = ["endless", "lines", "gzip", "gzip forever", "br", "deflate"] as const;
type BodyKind = (typeof BODIES)[number] | "trickle";

const packed = {
  gzip: gzipSync(Buffer.alloc(1 << 26, " "), { level: 9 }), // members of one stream: 64 of them unpack to 4 GiB
  br: brotliCompressSync(Buffer.alloc(1 << 28, " "), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  deflate: deflateSync(Buffer.alloc(1 << 28, " ")),
};

function writeBody(response: ServerResponse, kind: BodyKind): void {
  const repeat = (chunk: Buffer, times = Infinity): void => {
    let sent = 0;
    const more = (): void => {
      while (!response.destroyed && sent++ < times)
        if (!response.write(chunk)) {
          response.once("drain", more);
          return;
        }
      response.end();
    };
    more();
  };
  if (kind === "endless") repeat(Buffer.alloc(1 << 16, " "));
  else if (kind === "lines") repeat(Buffer.alloc(1 << 16, "\n"));
  else if (kind === "gzip") repeat(packed.gzip, 64);
  else if (kind === "gzip forever") repeat(packed.gzip);
  else if (kind !== "trickle") response.end(packed[kind]);
  else {
    const timer = setInterval(() => response.write(" "), 50);
    response.once("close", () => clearInterval(timer));
  }
}

/** `/FILE,STATUS,BODY,TYPE/…`: the published folder, where the answer to FILE (or `all`) is hostile. */
function serve(): Promise<Server> {
  const own = createServer((request, response) => {
    request.resume();
    const [, plan = "", name = ""] = /^\/([^/]*)\/(.*?)(?:\?.*)?$/.exec(request.url!) ?? [];
    const [target, status, kind, type] = plan.split(",").map(decodeURIComponent) as [string, string, BodyKind, string];
    const file = join(path("public"), decodeURIComponent(name));
    const there = existsSync(file) && statSync(file).isFile() ? readFileSync(file) : null;
    if (target !== "all" && !name.endsWith(target)) {
      if (there === null) return void response.writeHead(404).end();
      return void response.writeHead(200).end(there);
    }
    const encoding = kind.split(" ")[0]!;
    response.writeHead(Number(status), {
      "content-type": type,
      ...(encoding in packed && { "content-encoding": encoding }),
      ...(status === "206" && { "content-range": `bytes 0-9/${there?.length ?? 10}` }),
    });
    writeBody(response, kind);
  });
  return new Promise((ready) => own.listen(0, "127.0.0.1", () => ready(own)));
}

/** Notes the peak of a process's memory as it ends: that which the kernel counted. */
const PEAK = `data:text/javascript,import fs from "node:fs";process.on("exit",()=>fs.writeFileSync(process.env.PEAK_FILE,fs.readFileSync("/proc/self/status")))`;

interface Run {
  readonly code: number | null;
  readonly said: string;
  /** @unit MiB; NaN where it was killed */
  readonly peak: number;
}

let runs = 0;
async function run(words: readonly string[], more: Record<string, string> = {}): Promise<Run> {
  const peakFile = path(`peak-${++runs}`);
  const child = spawn(process.execPath, words, {
    cwd: ROOT,
    env: { ...process.env, ...env, ...more, NODE_OPTIONS: `--import ${JSON.stringify(PEAK)}`, PEAK_FILE: peakFile },
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 240_000,
  });
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => (said = `${said}${bytes.toString()}`.slice(-4000)));
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const status = existsSync(peakFile) ? readFileSync(peakFile, "utf8") : "";
  rmSync(peakFile, { force: true });
  return { code, said, peak: Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024 };
}

const PROGRAM = "sdk/bin/anchoreval.js";
const TRAINER = "offline-trainer/bin/anchoreval-trainer.js";

/** A command of the program, and the files that it reads of an address. */
interface Reader {
  readonly words: (place: string) => readonly string[];
  readonly targets: readonly string[];
  readonly env?: (place: string) => Record<string, string>;
  /** It waits long before it tries again. */
  readonly patient?: boolean;
}

const version = (place: string): string => `${place}/bundles/sample/1.0.0`;
const answers = (): string => path("answers.json");
const sdk = (call: string): Reader => ({
  words: (place) => ["--input-type=module", "-e", SDK, call, place],
  targets: ["all"],
});

const READERS: Readonly<Record<string, Reader>> = {
  show: { words: (place) => [PROGRAM, "show", version(place)], targets: ["all", "manifest.json"] },
  estimate: {
    words: (place) => [PROGRAM, "estimate", "--bundle", version(place), "--responses", answers()],
    targets: ["manifest.json", "parameters.safetensors", "anchors.jsonl"],
  },
  compare: {
    words: (place) => [PROGRAM, "compare", "--a", answers(), "--b", answers(), "--bundle", version(place)],
    targets: ["all", "anchors.jsonl"],
  },
  diff: {
    words: (place) => [PROGRAM, "diff", "--bundle", version(place), "--items", path("items.csv")],
    targets: ["all", "items.jsonl"],
  },
  verify: {
    words: (place) => [PROGRAM, "verify", `${place}/bundles/sample`],
    targets: ["all", "index.json", "log.jsonl", "trust.json"],
  },
  bundles: { words: (place) => [PROGRAM, "show", place], targets: ["all"] },
  "keys trusted": {
    words: (place) => [PROGRAM, "show", version(place)],
    targets: ["manifest.sig", "manifest.json"],
    env: () => ({ ANCHOREVAL_TRUSTED_KEYS: env["TRUSTED_KEY"]! }),
  },
  "root trusted": {
    words: (place) => [PROGRAM, "show", version(place)],
    targets: ["trust.json", "manifest.sig"],
    env: () => ({ ANCHOREVAL_TRUSTED_KEYS: path("root.json") }),
  },
  claims: {
    words: (place) => [PROGRAM, "estimate", "--bundle", `${place}/bundles/claims/1.0.0`, "--responses", answers()],
    targets: ["parameters.safetensors", "anchors.jsonl"],
  },
  "publish to a Worker": {
    words: (place) => [PROGRAM, "publish", path("bundle"), "--to", place],
    targets: ["all"],
    env: () => ({ ANCHOREVAL_TOKEN: "anchoreval_test" }),
  },
  "publish to R2": {
    words: () => [TRAINER, "publish", path("bundle"), "--to", "r2://bundles"],
    targets: ["all"],
    env: (place) => ({ R2_ENDPOINT: place, R2_ACCESS_KEY_ID: "key", R2_SECRET_ACCESS_KEY: "secret" }),
    patient: true,
  },
  "publish to a hub": {
    words: () => [TRAINER, "publish", path("bundle"), "--to", "hf://datasets/org/name"],
    targets: ["all"],
    env: (place) => ({ HF_ENDPOINT: place, HF_TOKEN: "hf_test" }),
    patient: true,
  },
  "bundles of a hub": {
    words: () => [TRAINER, "show", "hf://org"],
    targets: ["all"],
    env: (place) => ({ HF_ENDPOINT: place, HF_TOKEN: "hf_test" }),
    patient: true,
  },
  "the SDK's loadBundle": sdk("load"),
  "the SDK's client": sdk("list"),
  "the SDK's client, an estimate": sdk("estimate"),
  "the SDK's client, lines": sdk("lines"),
};

/** Calls of the SDK; time-outs are short, so that a trickle ends soon. */
const SDK = `
import { createClient, loadBundle, httpSource } from "anchoreval";
const [call, place] = process.argv.slice(1);
const policy = { maxRetries: 0, timeout: 2000 };
const client = createClient({ ...policy, baseUrl: place });
const ref = { benchmark: "sample", version: "1.0.0" };
const calls = {
  load: () => loadBundle(httpSource(place + "/bundles/sample/1.0.0", policy)),
  list: () => client.bundles.list(),
  estimate: () => client.estimate(ref, { responses: {} }),
  lines: async () => { for await (const line of client.estimateLines(ref, [{ model: "m", responses: {} }])) line; },
};
calls[call]().catch((error) => { console.error(error.code + ": " + error.message); process.exit(error.code ? 1 : 70); });
`;

function pick<T>(random: RandomSource, values: readonly T[]): T {
  return values[random.below(values.length)]!;
}

/** What is wrong with a process that met a hostile body; null where nothing is. */
function wrong({ code, said, peak }: Run, name: string): string | null {
  if (!(peak <= MOST && peak <= plain + MOST_MORE))
    return `${Math.round(peak)} MB, ${Math.round(plain)} without a hostile body`;
  if (code === 0 || code === null || /defect/.test(said) || code === 70) return `exit code ${code}: ${said}`;
  return said.includes(name) ? null : `doesn't name ${name}: ${said}`;
}

describe.skipIf(process.platform !== "linux")("bodies (a process's memory is counted on Linux alone)", () => {
  beforeAll(async () => {
    const key = await signingKey();
    const keys = { keys: [key], bundles: [key], index: [key] };
    const root = rootOf(1, keys, { threshold: 1, expires: at(Date.now() + 90 * DAY) });
    writeFileSync(path("root.json"), rootJson(await sign("root", root, [key])));
    env["TRUSTED_KEY"] = key.key;
    env["XDG_STATE_HOME"] = path("state");
    const signatures = await key.file(files.get("manifest.json")!);
    const store = folderStore(path("public"));
    await publishBundle(store, files, { plainFiles: true, signatures });
    mkdirSync(path("bundle"));
    for (const [name, bytes] of files) writeFileSync(join(path("bundle"), name), bytes);
    const hostile = JSON.parse(new TextDecoder().decode(files.get("manifest.json"))) as {
      benchmark: string;
      files: { name: string; bytes: number; segments?: { end: number }[] }[];
    };
    hostile.benchmark = "claims";
    for (const file of hostile.files) {
      file.bytes = 2 ** 32;
      if (file.segments) file.segments.at(-1)!.end = file.bytes;
    }
    mkdirSync(path("public/bundles/claims/1.0.0"), { recursive: true });
    writeFileSync(path("public/bundles/claims/1.0.0/manifest.json"), encodeManifest(hostile));
    writeFileSync(answers(), JSON.stringify(sampleAnswers(parseManifest(files.get("manifest.json")!).defaultForm)));
    writeFileSync(path("items.csv"), "item_id,scenario\na,alpha\n");
    server = await serve();
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const run0 = await run([PROGRAM, "show", version(`${origin}/none`)]);
    if (run0.code !== 0) throw new Error(run0.said);
    plain = run0.peak;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const figures = { "highest peak, MB": 0 };
  attack("bodies that never end, for the program and the SDK", { tries: 4, beside: 2, figures }, async (random) => {
    const [name, reader] = pick(random, Object.entries(READERS));
    const target = pick(random, reader.targets);
    const again = PATIENT || !reader.patient ? ["409", "429", "500", "503"] : []; // tried again
    const status = pick(random, ["200", "206", "400", "401", "404", ...again]);
    const kind = pick(random, [...BODIES, ...(PATIENT || name.startsWith("the SDK") ? (["trickle"] as const) : [])]);
    const type = pick(random, ["application/json", "application/problem+json", "text/html"]);
    const place = `${origin}/${[target, status, kind, type].map(encodeURIComponent).join(",")}`;
    const met = await run(reader.words(place), reader.env?.(place));
    figures["highest peak, MB"] = Math.max(figures["highest peak, MB"], Math.round(met.peak));
    // Nothing is there: it may be asked for in vain.
    if (status === "404" && met.code === 0 && met.peak <= MOST) return null;
    const what = wrong(met, reader.env && reader.patient ? "" : "127.0.0.1");
    return what && `${name}, ${target} ${status} ${kind}: ${what}`;
  });
});
