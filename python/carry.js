// What the package for Python carries, src/anchoreval/_node/node_modules: the SDK with its program, the trainer, and the
// trainer's dependencies, each bundled into one file with the licences of what is in it. One wheel is for every machine, so
// native parts stay out: ONNX Runtime is there as WebAssembly, workerd isn't. And its tasks of lm-evaluation-harness.
// `npm run build` runs this after all else.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const modules = join(root, "python/src/anchoreval/_node/node_modules");
const packageJson = (folder) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

/** ONNX Runtime as its package for browsers has it for Node, and the files that it loads. */
const ONNX_RUNTIME = "node_modules/onnxruntime-web/dist";
const ONNX_RUNTIME_FILES = ["ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];
const WITHOUT_WORKERD = `import { AnchorEvalError } from "anchoreval";
export const Miniflare = undefined;
export const Response = undefined;
throw new AnchorEvalError(
  "unsupported",
  "the package for Python comes without workerd, which runs the Worker on this machine; a checkout (npm ci) has it",
);
`;

rmSync(dirname(modules), { recursive: true, force: true });
carryPackage("sdk", /\.d\.ts$/);
carryPackage("offline-trainer", /\.d\.ts$|^dist\/worker\//);
for (const name of Object.keys(packageJson("offline-trainer").dependencies)) {
  if (name === "anchoreval") continue;
  if (name === "miniflare") writeModule(name, WITHOUT_WORKERD);
  else if (name === "onnxruntime-node") await carryDependency(name, `./${ONNX_RUNTIME}/ort.node.min.mjs`);
  else await carryDependency(name);
}
for (const file of ONNX_RUNTIME_FILES) cpSync(join(root, ONNX_RUNTIME, file), join(modules, "onnxruntime-node", file));

writeTasks();

/** The tasks of lm-evaluation-harness, of the bundles that come along and whose ids it can be asked for. */
function writeTasks() {
  const tasks = join(root, "python/src/anchoreval/tasks");
  for (const name of readdirSync(tasks)) if (name.endsWith(".yaml")) rmSync(join(tasks, name));
  const out = mkdtempSync(join(tmpdir(), "anchoreval-"));
  for (const { name } of readdirSync(join(root, "bundles"), { withFileTypes: true }).filter((own) =>
    own.isDirectory(),
  )) {
    const argv = ["export", "--bundle", name, "--to", "lm-eval", "--out", out, "--json"];
    const { stdout } = spawnSync(process.execPath, [join(modules, "anchoreval/bin/anchoreval.js"), ...argv], {
      cwd: out,
      encoding: "utf8",
    });
    const { taskFile, error } = JSON.parse(stdout);
    if (taskFile !== undefined) cpSync(taskFile, join(tasks, taskFile.slice(out.length + 1)));
    else if (error.code !== "unsupported") throw new Error(`${name}: ${error.message}`);
  }
  rmSync(out, { recursive: true });
}

/** A workspace as npm packs it, but for some files. */
function carryPackage(workspace, without) {
  const packed = execFileSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts", "-w", workspace], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    shell: process.platform === "win32",
  });
  const [{ name, files }] = JSON.parse(packed);
  for (const { path } of files)
    if (!without.test(path)) cpSync(join(root, workspace, path), join(modules, name, path), { recursive: true });
}

async function carryDependency(name, from = name) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export * from "${from}";`, resolveDir: from === name ? join(root, "offline-trainer") : root },
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node20",
    minify: true,
    legalComments: "none",
    banner: {
      js: 'import{createRequire as requireOf$carried}from"node:module";const require=requireOf$carried(import.meta.url);',
    },
  });
  writeModule(name, outputFiles[0].text);
  const packages = Object.keys(metafile.inputs).map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const licences = [...new Set(packages)].sort().flatMap((folder) => (folder === undefined ? [] : [licence(folder)]));
  writeFileSync(join(modules, name, "LICENSES"), licences.join("\n\n"));
}

function licence(folder) {
  const { name, version, license, repository } = packageJson(folder);
  const texts = readdirSync(join(root, folder)).filter((file) => /^(licen[cs]e|notice)/i.test(file));
  const said = texts.map((file) => readFileSync(join(root, folder, file), "utf8").trim());
  if (said.length === 0) said.push(String(repository?.url ?? repository));
  return [`${name} ${version} (${license})`, ...said].join("\n\n");
}

function writeModule(name, code) {
  const folder = join(modules, name);
  const installed = ["offline-trainer/node_modules", "node_modules"].map((place) => join(place, name));
  const { version } = packageJson(installed.find((place) => existsSync(join(root, place))));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "index.js"), code);
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name, version, type: "module", exports: { ".": "./index.js" } })}\n`,
  );
}
