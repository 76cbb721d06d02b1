// Bundles the page that the Worker serves: workers/page as page.js, and the fit in a browser as fit.js, a web worker of
// the trainer's code, which loads parquet.js where it is given such a file. Page and fit know of each other by messages
// alone: neither imports the other; what both take from the SDK is in files that both load.
import { copyFile, mkdir, readdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const RUNTIME_FILES = ["ort-wasm-simd-threaded.wasm", "ort-wasm-simd-threaded.jspi.wasm"];

/**
 * Builds beside the assets, and puts every file there when it is whole, what the others load first: tests and
 * `wrangler dev` may read them, and others may build at the same time.
 * @param root - of the repository @param assets - folder of the Worker's static assets
 * @returns the files that it wrote, under the assets' folder
 */
export async function buildPage(root, assets) {
  const fresh = join(root, `offline-trainer/dist/page.${process.pid}`);
  const common = {
    outdir: fresh,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
  };
  await build({
    ...common,
    entryPoints: {
      page: join(root, "workers/page/main.ts"),
      fit: join(root, "offline-trainer/browser/fit-worker.ts"),
    },
    plugins: [inBrowsers(join(root, "offline-trainer/browser"))],
    splitting: true,
    chunkNames: "shared-[hash]",
  });
  await build({ ...common, entryPoints: { parquet: join(root, "offline-trainer/src/matrix/readers/decoders.ts") } });
  const runtime = dirname(createRequire(join(root, "package.json")).resolve("onnxruntime-web/wasm"));
  await Promise.all([mkdir(join(fresh, "onnx")), mkdir(join(assets, "onnx"), { recursive: true })]);
  await Promise.all(RUNTIME_FILES.map((file) => copyFile(join(runtime, file), join(fresh, "onnx", file))));
  const scripts = (await readdir(fresh)).filter((file) => file.endsWith(".js"));
  const files = [...RUNTIME_FILES.map((file) => join("onnx", file)), ...scripts.sort(sharedFirst)];
  for (const file of files) await rename(join(fresh, file), join(assets, file));
  await rm(fresh, { recursive: true });
  return files;
}

const sharedFirst = (a, b) => Number(b.startsWith("shared")) - Number(a.startsWith("shared"));

/** Modules of Node, and one that reads its files, that are bundled and never called in a browser: checkpoints and threads, which nothing asks for there. */
const ABSENT = /^(node:(crypto|fs\/promises|path|worker_threads)|anchoreval\/internal\/node\/whole-file)$/;

/** Puts something of the browser in the place of what the trainer has from Node. Any other module of Node fails the build. */
function inBrowsers(folder) {
  return {
    name: "in browsers",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: ABSENT }, ({ path }) => ({ path, namespace: "absent" }));
      onResolve({ filter: /^anchoreval\/internal\/node\// }, () => ({ path: join(folder, "instead-of-node.ts") }));
      onResolve({ filter: /\/decoders\.ts$/ }, () => ({ path: "./parquet.js", external: true }));
      onResolve({ filter: /^node:timers\/promises$/ }, () => ({ path: join(folder, "instead-of-node.ts") }));
      onLoad({ filter: /.*/, namespace: "absent" }, () => ({ contents: "module.exports = {};" }));
    },
  };
}
