import { loadBundle, readBundleFile } from "anchoreval";
import type { BundleFileName } from "anchoreval/bundle";
import { BUNDLE_FILES } from "anchoreval/internal/core/bundle/names";
import { expect, test } from "vitest";
import { memorySource } from "../../support/memory-source.ts";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { routingBundle } from "../../support/routing-bundle.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { flipped, withFile } from "../../support/tamper.ts";

const files = routingBundle("tf-idf", { report: true });
const { manifest } = await loadBundle(memorySource(files));
const listed = BUNDLE_FILES.filter((name) => name !== "manifest.json");

/** Reads a file from a source that has these. */
const read = (from: ReadonlyMap<BundleFileName, Uint8Array>, name: BundleFileName): Promise<Uint8Array> =>
  readBundleFile(memorySource(from), manifest, name);

test.each(listed)("%s comes whole, as it was written", async (name) => {
  expect(await read(files, name)).toEqual(files.get(name));
});

test.each(listed)("%s is refused with a flipped bit, cut off, longer, or gone", async (name) => {
  const bytes = files.get(name)!;
  for (const changed of [flipped(bytes, bytes.length - 3), bytes.slice(0, -1), Uint8Array.of(...bytes, 10)]) {
    const error = await rejection(read(withFile(files, name, changed), name));
    expectRefusal(error, "bundle_corrupt", `memory: ${name} is damaged`);
    expect(error.issues).toMatchObject([{ path: [name], code: "damaged" }]);
  }
  const gone = await rejection(read(new Map([...files].filter(([other]) => other !== name)), name));
  expectRefusal(gone, "bundle_corrupt", `memory: ${name} is missing`);
  expect(gone.issues).toMatchObject([{ path: [name], code: "missing" }]);
});

test("a file that the manifest doesn't list isn't there, whatever the source has", async () => {
  const { manifest: plain } = await loadBundle(memorySource(sampleBundle()));
  const error = await rejection(readBundleFile(memorySource(files), plain, "report.html"));
  expectRefusal(error, "not_found", "sample@1.0.0 has no report.html");
});
