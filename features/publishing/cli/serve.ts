import { invalidOption } from "anchoreval/internal/core/errors";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { readBundleFolder } from "anchoreval/internal/node/bundle-folder";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { r2Store } from "anchoreval/internal/bundles/r2-store";
import { type Command, option } from "../../../cli/src/program/command.ts";

/** Here no plan limits a request's CPU: jobs of 10 000 models. */
const LEADERBOARDS = { MAX_BATCH_MODELS: 50, MAX_JOB_BYTES: 100_000_000 };

export const serveCommand: Command = {
  options: {
    Data: {
      bundles: option("DIR", "a bundle's folder, or a folder of such; published beside those that come along"),
    },
    Worker: {
      port: option("N", "port (default 8787; 0: any free one)"),
      origin: option(
        "URLS",
        "web origins, comma-separated, that lead here or whose pages may ask, besides this machine's",
      ),
    },
  },
  examples: ["serve --bundles bundles", "serve --port 0 --json"],
  async run({ options, output, signal }) {
    const port = options.number("port", { min: 0, max: 65535, integer: true }, 8787);
    const origins = (options.text("origin") ?? "").split(",").filter(Boolean).map(checkedOrigin);
    const folder = options.text("bundles");
    const bundles = folder === undefined ? [] : await bundleFolders(folder);
    const { startLocalWorker } = await import("anchoreval-trainer/internal/features/serve/fit/local-worker"); // Miniflare: a second
    const worker = await startLocalWorker({ port, shipped: true, origins, vars: LEADERBOARDS });
    try {
      const store = r2Store(await worker.bucket());
      for (const place of bundles) {
        const { benchmark, version } = await publishBundle(store, await readBundleFolder(place));
        output.remark(`${benchmark}@${version} from ${place}`);
      }
      const { url } = worker;
      output.result({ url }, [`${url} (a page; its HTTP interface at ${url}/docs); Ctrl-C stops it`]);
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    } finally {
      await worker.dispose();
    }
  },
};

/** @throws AnchorEvalError `invalid_option` for another than `https://HOST` or `http://HOST:PORT` */
function checkedOrigin(text: string): string {
  const origin = text.trim();
  if (/^https?:\/\//.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin) return origin;
  throw invalidOption(`--origin: ${text} is no origin such as http://localhost:5173`);
}

/** The folder itself where it is a bundle, else its subfolders that are. */
async function bundleFolders(folder: string): Promise<string[]> {
  const holds = (path: string): Promise<boolean> =>
    stat(join(path, "manifest.json")).then(
      (entry) => entry.isFile(),
      () => false,
    );
  if (await holds(folder)) return [folder];
  const folders: string[] = [];
  for (const name of (await readdir(folder)).sort())
    if (await holds(join(folder, name))) folders.push(join(folder, name));
  if (folders.length === 0) await readBundleFolder(folder); // says that there is none
  return folders;
}
