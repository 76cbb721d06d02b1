import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
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

/**
 * Ceilings in bytes of gzip. Raise one in the commit that needs it, and say why.
 * 2026-11: 16 kB for the whole path from a URL to an estimate; 2.5 kB of it are the words of its errors, and the
 * checks of a bundle cost as much as its arithmetic. 1.5 kB more for scenarios that are estimated together, 1.4 kB more
 * for answer patterns: five statistics, and the words of their warnings. 0.8 kB more for kernels that take many answers
 * or items at once: abilities take three fifths of the time. 0.9 kB more for score maps: reading, checking and adding up
 * their curves. 0.2 kB more for the checks of a manifest's cold start, 0.1 kB for time-outs that begin anew with each
 * part of an answer, 0.7 kB for signatures. 0.6 kB more for sigmoids of many items at once and what is
 * solved once a form: they make an estimate two and a half times as fast. 0.3 kB more for the checks of exposure limits,
 * 0.1 kB for those of a base, 0.1 kB for differences of means of several runs. Forms' digests are checked by what loads: 0.6 kB that an estimate alone has no more.
 * 0.1 kB for what to do about answers that are refused, and why a connection failed. 0.3 kB for an
 * estimate outside the range that holds there, and what keeps answers from being read jointly. 0.25 kB for a response model
 * that lets go of what the answers contradict. 0.4 kB for full scores on more items than a bundle has: the line to them,
 * its variance, and a reader's check. 1.1 kB for scenarios that weren't asked: their prediction, its interval, the overall
 * interval that counts it, and its words; 0.2 kB for its checks. 0.9 kB for comparisons whose scores are estimated together. 0.9 kB for bundles that know themselves: a manifest's checksum, files' whole lengths, answers that are cut off where they must end, the bundle that an address names, the digest at its end, and the words of their refusals (0.1 kB of it the warning of an estimate with an older bundle). 0.06 kB for where a host has its signed index: the root of trust itself loads with `trustRoot` alone. A bundle's card takes 0.02 kB, the place of scenarios estimated together 0.01 kB, the length of a version 0.005 kB. 0.1 kB for names that every object inherits and for ranges of parameters, 0.7 kB for bodies whose length is bounded, 0.3 kB for keys that are nobody's, copies that sweeps make, and `latest`. 2.9 kB so that nothing comes in unsaid: 1.6 kB for the one door of answers (whole scenarios are exact, answers to other items are counted and named, the form that they mean), 0.6 kB for options that a function doesn't have, 0.3 kB for the check of answers that needs few models, 0.4 kB for what is estimated, versions that were taken back and scores at a bound. Reading whether a version was taken back takes 0.8 kB. 0.02 kB for options that must be numbers or lists, since an empty text was a gate at 0. Verdicts on models take 3.3 kB: trials of both, their variance from run to run and over tasks, and what each is said of.
 */
const CEILINGS = {
  'export { estimateFromAnchors } from "anchoreval";': 20_800,
  'export { estimateFromAnchors, loadBundle } from "anchoreval";': 34_550,
  'export { compareFromAnchors, loadBundle, rankFromAnchors } from "anchoreval";': 41_150,
  'export { mapAbility } from "anchoreval/irt";': 2500,
  'export { contentHash } from "anchoreval/bundle";': 2000,
  'export { calibrate, onnxBackend } from "anchoreval-trainer/calibrate";': 11_500,
} as const;

describe.each(Object.entries(CEILINGS))("%s", (code, ceiling) => {
  test(`is at most ${ceiling} bytes of gzip, and pure`, async () => {
    const text = await bundleOf(code);
    const size = gzipSync(text, { level: 9 }).length;
    expect(size).toBeLessThanOrEqual(ceiling);
    // A ceiling that is far off guards nothing.
    expect(size).toBeGreaterThan(ceiling / 3);
    for (const name of [
      "node:",
      "onnxruntime-node",
      "onnxruntime-web",
      "hono",
      "zod",
      "process.",
      "Buffer.",
      "require(",
    ])
      expect(text).not.toContain(name);
  });
});

test("unused parts fall away: the sigmoid alone is tiny", async () => {
  expect((await bundleOf('export { sigmoid } from "anchoreval/irt";')).length).toBeLessThan(200);
  expect((await bundleOf('import "anchoreval";')).trim()).toBe("");
});

test("the check can fail: Node's part doesn't bundle for a browser", async () => {
  await expect(bundleOf('export { folderSource } from "anchoreval/node";')).rejects.toThrow("node:fs/promises");
});
