// Whether two checkouts give the same numbers: see README.md, "same". Needs `npm run build` in both; takes about six minutes.
//
//     node bench/same.js BASE [--data ../shared/data] [--quick]
//
// Prints one line a figure with what both gave, and the paths at which JSON differs. Exit code 1 where a number moved.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { readOptions } from "./options.js";

const HERE = dirname(dirname(fileURLToPath(import.meta.url)));
const {
  values,
  positionals: [other],
} = readOptions(import.meta.url, { data: join(HERE, "../shared/data"), quick: false }, 1);
const checkouts = { base: resolve(other), here: HERE };
/** Requests by bundle over HTTP. */
const REQUESTS = 40;
/** Paths of JSON that are shown where it differs. */
const SHOWN = 12;

const work = await mkdtemp(join(tmpdir(), "anchoreval-same-"));
let moved = 0;
try {
  const golden = await both(goldenBundle);
  compareFiles("golden bundle", golden, ({ files }) => files);
  compareJson("golden estimate", golden, ({ estimate }) => estimate);
  const demos = await both(demo);
  compareText("demo's block", demos, ({ block }) => block);
  compareFiles("demo's bundle", demos, ({ files }) => files);
  const served = await both((root, name) => overHttp(root, demos[name].folder));
  for (const path of Object.keys(served.base)) compareJson(`HTTP ${path}`, served, (answers) => answers[path]);
  for (const split of values.quick ? [] : ["interpolation", "extrapolation", "family"])
    compareJson(`back-test of helm-lite, ${split}`, await both((root) => backtest(root, split)), (rows) => rows);
} finally {
  await rm(work, { recursive: true, force: true });
}
console.log(moved === 0 ? "nothing moved" : `${moved} figures moved`);
process.exit(moved === 0 ? 0 : 1);

async function both(run) {
  return { base: await run(checkouts.base, "base"), here: await run(checkouts.here, "here") };
}

/** The program of a checkout, as its own demo calls it. */
async function program(root) {
  const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  return join(root, scripts.demo.split(" ")[1]);
}

function run(root, args, options = {}) {
  const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"], ...options });
  let out = "";
  child.stdout.on("data", (chunk) => (out += chunk));
  return new Promise((done, fail) =>
    child.on("close", (code) => (code === 0 ? done(out) : fail(new Error(`${args.join(" ")}: exit code ${code}`)))),
  );
}

async function goldenBundle(root) {
  const { goldenBundle: make } = await import(pathToFileURL(join(root, "test/fixtures/golden-bundle/generate.js")));
  const { files, estimate } = make();
  return { files, estimate: JSON.parse(JSON.stringify(estimate)) };
}

async function demo(root) {
  const block = await run(root, [await program(root), "demo", "--quiet"]);
  const folder = join(root, "out/demo/bundle");
  const names = (await readdir(folder)).sort();
  const files = new Map(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name))])));
  return { block, files, folder };
}

/** Estimates, comparisons and checks of drawn answers by the Worker, from the demo's bundle and the golden one. */
async function overHttp(root, demoBundle) {
  const bundles = [demoBundle, join(root, "test/fixtures/golden-bundle/bundle")];
  const answers = {};
  for (const folder of bundles) {
    const { benchmark, version, forms } = JSON.parse(await readFile(join(folder, "manifest.json"), "utf8"));
    const anchors = (await readFile(join(folder, "anchors.jsonl"), "utf8")).trim().split("\n").map(JSON.parse);
    const child = spawn(
      process.execPath,
      [await program(root), "serve", "--bundles", folder, "--port", "0", "--json"],
      {
        cwd: await mkdtemp(join(work, "served-")),
        stdio: ["ignore", "pipe", "inherit"],
      },
    );
    const url = await new Promise((done) => {
      let out = "";
      child.stdout.on("data", (chunk) => {
        out += chunk;
        const found = /https?:\/\/127\.0\.0\.1:\d+/.exec(out);
        if (found) done(found[0]);
      });
    });
    const post = async (path, body) => {
      const response = await fetch(`${url}/v1/bundles/${benchmark}/${version}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { ...(await response.json()), digest: undefined }; // the manifest's, which names the report
    };
    for (const { id: form } of forms) {
      const ids = anchors.filter((anchor) => anchor.forms.includes(form)).map(({ item_id: id }) => id);
      const models = Array.from({ length: REQUESTS }, (_, m) => drawnAnswers(ids, m));
      const estimates = [];
      for (const responses of models) estimates.push(await post("estimates", { responses, form }));
      answers[`${benchmark} ${form} estimates`] = estimates;
      const [a, b] = models;
      answers[`${benchmark} ${form} comparison`] = await post("comparisons", {
        a: { responses: a },
        b: { responses: b },
        form,
      });
    }
    child.kill("SIGTERM");
    await new Promise((done) => child.on("close", done));
  }
  return answers;
}

/** Answers of a model that depend on nothing but the item and the model's number: right at its rate, every ninth missing. */
function drawnAnswers(ids, model) {
  const rate = (model + 0.5) / REQUESTS;
  const uniform = (id) => createHash("sha256").update(`${model} ${id}`).digest().readUInt32LE() / 2 ** 32;
  return Object.fromEntries(
    ids.map((id, k) => [id, model % 2 === 1 && k % 9 === 4 ? null : uniform(id) < rate ? 1 : 0]),
  );
}

async function backtest(root, split) {
  const set = join(values.data, "helm-lite");
  if (!existsSync(set)) return null;
  const files = ["--responses", join(set, "responses.csv.gz"), "--items", join(set, "items.jsonl.gz")];
  const plan = ["--split", split, "--anchors", "30,100", "--seeds", "1", "--json", "--quiet"];
  return JSON.parse(await run(root, [await program(root), "backtest", ...files, ...plan]));
}

function report(name, same, figure, details = []) {
  if (!same) moved++;
  console.log(`${same ? "same " : "MOVED"}  ${name}: ${figure}`);
  for (const line of details.slice(0, SHOWN)) console.log(`         ${line}`);
  if (details.length > SHOWN) console.log(`         … and ${details.length - SHOWN} more`);
}

function compareFiles(name, pair, pick) {
  const [base, here] = [pick(pair.base), pick(pair.here)];
  for (const file of new Set([...base.keys(), ...here.keys()])) {
    if (file === "report.html") continue; // words and drawings of the same manifest
    const [one, other] = [base.get(file), here.get(file)].map((bytes) =>
      withoutReport(file, bytes && Buffer.from(bytes)),
    );
    const same = one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;
    const json = !same && file.endsWith(".json") && one && other;
    report(
      `${name}, ${file}`,
      same,
      `${digest(one)} ${digest(other)}`,
      json ? differences(JSON.parse(one), JSON.parse(other)).map(({ line, alone }) => line ?? alone) : [],
    );
  }
}

/** A manifest without the report's length and digest, nor its own checksum, which is of them too. */
function withoutReport(file, bytes) {
  if (file !== "manifest.json" || bytes === undefined) return bytes;
  const manifest = JSON.parse(bytes);
  const files = manifest.files.filter(({ name }) => name !== "report.html");
  return Buffer.from(JSON.stringify({ ...manifest, checksum: undefined, files }));
}

function compareJson(name, pair, pick) {
  const [base, here] = [pick(pair.base), pick(pair.here)];
  if (base === null) return console.log(`skip   ${name}: no data`);
  const all = differences(base, here);
  const moved = all.filter(({ alone }) => !alone);
  const fields = new Set(all.flatMap(({ alone }) => alone ?? []));
  const only = [...fields].map((field) => `${field}: ${all.filter(({ alone }) => alone === field).length} times`);
  report(name, moved.length === 0, `${digest(JSON.stringify(base))} ${digest(JSON.stringify(here))}`, [
    ...moved.map(({ line }) => line),
    ...only,
  ]);
}

/** Figures must be the same; words may be put better, and are shown. */
function compareText(name, pair, pick) {
  const lines = (text) => text.split("\n").filter((line) => !/^\d+ s$/.test(line));
  const numbers = (text) =>
    lines(text)
      .join("\n")
      .match(/-?\d+(\.\d+)?/g) ?? [];
  const [base, here] = [pick(pair.base), pick(pair.here)];
  const same = numbers(base).join() === numbers(here).join();
  const other = lines(here).filter((line) => !lines(base).includes(line));
  report(name, same, `${numbers(base).length} numbers, ${other.length} lines in other words`, other);
}

function digest(bytes) {
  return bytes === undefined ? "absent" : createHash("sha256").update(bytes).digest("hex").slice(0, 12);
}

/** Paths at which two JSON values differ, with both values; and fields that one of them lacks, which is no number moved. */
function differences(one, other, path = "") {
  if (one === undefined || other === undefined)
    return [{ alone: `${one === undefined ? "only here" : "only in base"}, ${path.split("/").at(-1)}` }];
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return Object.is(one, other) ? [] : [{ line: `${path}: ${JSON.stringify(one)} → ${JSON.stringify(other)}` }];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differences(one[key], other[key], `${path}/${key}`));
}
