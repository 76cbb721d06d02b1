import { loadBundle, type R2BucketLike, r2Source } from "anchoreval";
import { parseManifest } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, manifestKey } from "anchoreval/internal/core/bundle/names";
import { expect, test } from "vitest";
import { expectRefusal, rejection } from "../../support/refusal.ts";
import { sampleBundle } from "../../support/sample-bundle.ts";

const files = sampleBundle();
const ref = { benchmark: "sample", version: "1.0.0" };

/** A bucket with the bundle published in it; counts its reads. */
function bucket(): R2BucketLike & { reads: string[] } {
  const objects = new Map<string, Uint8Array>();
  for (const [name, bytes] of files)
    objects.set(name === "manifest.json" ? manifestKey("sample", "1.0.0") : blobKey("sample", sha256Hex(bytes)), bytes);
  const reads: string[] = [];
  return {
    reads,
    get(key, { range } = {}) {
      reads.push(key);
      const bytes = objects.get(key);
      if (!bytes) return Promise.resolve(null);
      const part = range ? bytes.slice(range.offset, range.offset + range.length) : bytes.slice();
      return Promise.resolve({ size: bytes.length, arrayBuffer: () => Promise.resolve(part.buffer) });
    },
  };
}

test("reads the manifest of the version, and the other files by their digests", async () => {
  const store = bucket();
  const bundle = await loadBundle(r2Source(store, ref));
  expect([...bundle.scenarios.keys()]).toEqual(["alpha", "beta/γ"]);
  expect(store.reads.filter((key) => key.endsWith("manifest.json"))).toHaveLength(1);
  expect(store.reads.filter((key) => !key.endsWith("yanked.json"))).toHaveLength(3);
});

test("reads ranges", async () => {
  const bundle = await loadBundle(r2Source(bucket(), ref), { scenarios: ["beta/γ"] });
  expect([...bundle.scenarios.keys()]).toEqual(["beta/γ"]);
});

test("another file than the manifest finds its key by reading the manifest once", async () => {
  const store = bucket();
  const source = r2Source(store, ref);
  expect(await source.read("items.jsonl")).toEqual(files.get("items.jsonl"));
  expect(await source.read("anchors.jsonl", { range: { begin: 2, end: 9 } })).toEqual(
    files.get("anchors.jsonl")!.slice(2, 9),
  );
  expect(store.reads.filter((key) => key.endsWith("manifest.json"))).toHaveLength(1);
});

test("no manifest is read where it is given", async () => {
  const store = bucket();
  const manifest = parseManifest(files.get("manifest.json")!);
  expect(await r2Source(store, manifest).read("items.jsonl")).toEqual(files.get("items.jsonl"));
  expect(store.reads).toHaveLength(1);
});

test("who reads doesn't wait for what another reads: that one's request may be gone", async () => {
  const store = bucket();
  const get = store.get.bind(store);
  let first = true;
  store.get = (key, options) => {
    if (!first) return get(key, options);
    first = false;
    return new Promise(() => undefined);
  };
  const source = r2Source(store, ref);
  void source.read("items.jsonl");
  expect(await source.read("items.jsonl")).toEqual(files.get("items.jsonl"));
});

test("a file that the bundle doesn't have is null, and so is a version that isn't there", async () => {
  expect(await r2Source(bucket(), ref).read("report.html")).toBeNull();
  expect(await r2Source(bucket(), { ...ref, version: "2.0.0" }).read("anchors.jsonl")).toBeNull();
  expectRefusal(
    await rejection(loadBundle(r2Source(bucket(), { ...ref, version: "2.0.0" }))),
    "not_found",
    "R2 sample@2.0.0 has no manifest.json",
  );
});

test("a bucket that fails is unavailable, and asked again next time", async () => {
  const store = bucket();
  const get = store.get.bind(store);
  const fault = new Error("10001: internal error");
  let failures = 1;
  store.get = (key, options) => (failures-- > 0 ? Promise.reject(fault) : get(key, options));
  const source = r2Source(store, ref);
  const error = await rejection(source.read("anchors.jsonl"));
  expectRefusal(error, "unavailable", "R2 sample@1.0.0: the bucket could not be read");
  expect(error.cause).toBe(fault);
  expect(await source.read("anchors.jsonl")).toEqual(files.get("anchors.jsonl"));
});
