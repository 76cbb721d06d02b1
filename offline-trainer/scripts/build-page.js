// Bundles the page that the Worker serves: workers/page as page.js, and the fit in a browser as fit.js, a web worker of
// the trainer's code, which loads parquet.js where it is given such a file. Page and fit know of each other by messages
// alone: neither imports the other.
import { copyFile, mkdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { build } from "esbuild";

const RUNTIME_FILES = ["ort-wasm-simd-threaded.wasm", "ort-wasm-simd-threaded.jspi.wasm"];

/** Files that {@link buildPage} writes, under the assets' folder. */
export const PAGE_FILES = ["page.js", "fit.js", "parquet.js", ...RUNTIME_FILES.map((file) => join("onnx", file))];

/**
 * Builds beside the assets, and puts every file there when it is whole: tests and `wrangler dev` may read them, and others
 * may build at the same time.
 * @param root - of the repository @param assets - folder of the Worker's static assets
 */
export async function buildPage(root, assets) {
  const fresh = join(root, `offline-trainer/dist/page.${process.pid}`);
  const inFit = inBrowsers(join(root, "offline-trainer/browser"));
  const bundles = [
    ["workers/page/main.ts", "page.js", []],
    ["offline-trainer/browser/fit-worker.ts", "fit.js", [inFit]],
    ["offline-trainer/src/matrix/readers/decoders.ts", "parquet.js", []],
  ];
  for (const [entry, outfile, plugins] of bundles)
    await build({
      entryPoints: [join(root, entry)],
      outfile: join(fresh, outfile),
      plugins,
      bundle: true,
      minify: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      legalComments: "none",
    });
  const runtime = dirname(createRequire(join(root, "package.json")).resolve("onnxruntime-web/wasm"));
  await Promise.all([mkdir(join(fresh, "onnx")), mkdir(join(assets, "onnx"), { recursive: true })]);
  await Promise.all(RUNTIME_FILES.map((file) => copyFile(join(runtime, file), join(fresh, "onnx", file))));
  await Promise.all(PAGE_FILES.map((file) => rename(join(fresh, file), join(assets, file))));
  await rm(fresh, { recursive: true });
}

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
