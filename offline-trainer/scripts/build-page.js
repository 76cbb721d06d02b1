// Bundles the page that the Worker serves: workers/page as page.js.
import { join } from "node:path";
import { build } from "esbuild";

/** Files that {@link buildPage} writes, under the assets' folder. */
export const PAGE_FILES = ["page.js"];

/** @param root - of the repository @param assets - folder of the Worker's static assets */
export async function buildPage(root, assets) {
  const shared = {
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    legalComments: "none",
  };
  await build({ ...shared, entryPoints: [join(root, "workers/page/main.ts")], outfile: join(assets, "page.js") });
}
