// What is loaded and shipped: bytes, and the files that an entry loads.
import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { trackedFiles } from "./house.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const GOLDEN = join(ROOT, "test/fixtures/golden-bundle");
const HOOKS = pathToFileURL(join(ROOT, "test/support/loaded-modules.js"));

/** What a browser loads for these names. */
const NAMES = {
  estimateFromAnchors: "anchoreval",
  "estimateFromAnchors, loadBundle": "anchoreval",
  "compareFromAnchors, loadBundle, rankFromAnchors": "anchoreval",
  "calibrate, onnxBackend": "anchoreval-trainer/calibrate",
};
/** Calls of the program whose modules are counted. */
const CALLS = {
  "anchoreval --version": ["--version"],
  "anchoreval show": ["show", join(GOLDEN, "bundle")],
  "anchoreval estimate": [
    ...["estimate", "--bundle", join(GOLDEN, "bundle"), "--form", "12"],
    ...["--responses", join(GOLDEN, "answers.json")],
  ],
};
/** What compresses beside it moves the bytes a little: a sentence of a message is some 30. */
const SOME = 30;

export async function measureBytes() {
  const figures = [];
  const add = (name, value, noise = 0) => figures.push({ name: `bytes: ${name}`, value, noise });
  for (const [names, from] of Object.entries(NAMES)) {
    const { outputFiles, metafile } = await bundle(`export { ${names} } from "${from}";`, "browser");
    add(`${names}, gzip`, gzipSync(outputFiles[0].contents, { level: 9 }).length, SOME);
    add(`${names}, files`, usedFiles(metafile));
  }
  const { metafile } = await bundle('export { fit } from "anchoreval-trainer/internal/fit/fit";', "node");
  add("fit, files", usedFiles(metafile));
  for (const [call, args] of Object.entries(CALLS)) add(`${call}, files`, await loadedFiles(args));
  add("the Worker, gzip", gzipSync(readFileSync(join(ROOT, "offline-trainer/dist/worker/index.js"))).length, SOME);
  for (const { name, size } of await packed()) add(`package ${name}`, size, "0.1%");
  add(
    "bundles that come along",
    trackedFiles("bundles").reduce((sum, file) => sum + statSync(join(ROOT, file)).size, 0),
  );
  return figures;
}

function bundle(code, platform) {
  const stdin = { contents: code, resolveDir: ROOT, loader: "js" };
  const how = { bundle: true, minify: true, write: false, metafile: true, format: "esm", target: "es2023" };
  return build({ ...how, stdin, platform, external: platform === "node" ? ["onnxruntime-*", "miniflare"] : [] });
}

/** Files of this project that have a part in what was bundled. */
function usedFiles({ outputs }) {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.filter(([file, { bytesInOutput }]) => bytesInOutput > 0 && file.includes("dist/")).length;
}

async function loadedFiles(args) {
  const folder = await mkdtemp(join(tmpdir(), "anchoreval-scorecard-"));
  try {
    const file = join(folder, "modules.txt");
    const register = `data:text/javascript,import { register } from "node:module"; register("${HOOKS}");`;
    const env = { ...process.env, LOADED_MODULES: file };
    const bin = join(ROOT, "sdk/bin/anchoreval.js");
    await promisify(execFile)(process.execPath, ["--import", register, bin, ...args], { env });
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((url) => url.startsWith("file:")).length;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function packed() {
  const both = ["--workspace", "sdk", "--workspace", "offline-trainer"];
  const { stdout } = await promisify(execFile)("npm", ["pack", ...both, "--ignore-scripts", "--dry-run", "--json"], {
    cwd: ROOT,
    maxBuffer: 1 << 28,
  });
  return JSON.parse(stdout);
}
