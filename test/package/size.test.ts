import { build } from "esbuild";
import { expect, test } from "vitest";
import { ROOT } from "../support/source-imports.js";

/** What a browser loads for these names, minified, nothing left out. */
async function bundleOf(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: ROOT, loader: "ts" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    target: "es2023",
  });
  return outputFiles[0]!.text;
}

/** Names that a browser may load. How many bytes they are is the scorecard's: bench/scorecard.json. */
const BROWSER = [
  'export { estimateFromAnchors } from "anchoreval";',
  'export { estimateFromAnchors, loadBundle } from "anchoreval";',
  'export { compareFromAnchors, loadBundle, rankFromAnchors } from "anchoreval";',
  'export { estimate } from "anchoreval";',
  'export { mapAbility } from "anchoreval/irt";',
  'export { contentHash } from "anchoreval/bundle";',
  'export { calibrate, onnxBackend } from "anchoreval-trainer/calibrate";',
];

test.each(BROWSER)("%s is pure", async (code) => {
  const text = await bundleOf(code);
  expect(text.length).toBeGreaterThan(500);
  for (const name of ["node:", "onnxruntime-node", "onnxruntime-web", "hono", "zod", "process.", "Buffer.", "require("])
    expect(text).not.toContain(name);
});

test("unused parts fall away: the sigmoid alone is tiny", async () => {
  expect((await bundleOf('export { sigmoid } from "anchoreval/irt";')).length).toBeLessThan(200);
  expect((await bundleOf('import "anchoreval";')).trim()).toBe("");
});

test("the check can fail: Node's part doesn't bundle for a browser", async () => {
  await expect(bundleOf('export { folderSource } from "anchoreval/node";')).rejects.toThrow("node:fs/promises");
});
