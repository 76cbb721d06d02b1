import { AnchorEvalError } from "anchoreval";
import type { BundleFileName } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import type { Tensor } from "anchoreval/internal/core/bundle/safetensors";
import { blobKey, indexKey, logKey, manifestKey, publisherKey } from "anchoreval/internal/core/bundle/names";
import { parseIndex, type BundleIndex } from "anchoreval/internal/bundles/bundle-index";
import { encodeJson, type BundleStore } from "anchoreval/internal/bundles/bundle-store";
import { headOf, readLog } from "anchoreval/internal/bundles/publication-log";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { yankVersion } from "anchoreval/internal/features/publishing/sdk/versions";
import { describe, expect, test } from "vitest";
import { sampleBundle } from "../support/sample-bundle.ts";
import { resealed, withTensor } from "../support/tamper.ts";

const pause = (): Promise<void> => Promise.resolve();
const readIndex = async (store: BundleStore): Promise<BundleIndex> =>
  parseIndex((await store.get(indexKey("sample")))!.bytes)!;
const refused = async (work: Promise<unknown>): Promise<AnchorEvalError> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof AnchorEvalError)) throw new Error("was not refused", { cause: error });
  return error;
};
/** Counts writes, and calls `before` ahead of each. */
const watched = (
  store: BundleStore,
  before: (key: string) => void | Promise<void> = () => undefined,
): BundleStore & { writes: string[] } => {
  const writes: string[] = [];
  const write = async (key: string): Promise<void> => {
    await before(key);
    writes.push(key);
  };
  return {
    ...store,
    writes,
    putIfAbsent: async (key, bytes) => (await write(key), store.putIfAbsent(key, bytes)),
    putIfMatch: async (key, bytes, etag) => (await write(key), store.putIfMatch(key, bytes, etag)),
  };
};

/** What a suite's tests are called on a store of which some laws are left out. */
export const SOME = " (some laws are skipped, which hold wherever a store conforms)";

/** Publishing to one kind of store. @param create - an empty store @param whole - also laws that don't depend on the store */
export function describePublishing(name: string, create: () => Promise<BundleStore>, whole = true): void {
  const also = test.skipIf(!whole);
  describe(`publishing to ${name}${whole ? "" : SOME}`, () => {
    test("puts contents under their digests, the manifest, then the log and the index", async () => {
      const store = watched(await create());
      const files = sampleBundle();
      const result = await publishBundle(store, files);
      expect(result).toEqual({
        benchmark: "sample",
        version: "1.0.0",
        digest: `sha256:${sha256Hex(files.get("manifest.json")!)}`,
        status: "published",
        latest: "1.0.0",
      });
      const hash = result.digest.slice(7);
      expect(store.writes.slice(-4)).toEqual([
        publisherKey("sample", hash),
        manifestKey("sample", "1.0.0"),
        logKey("sample"),
        indexKey("sample"),
      ]);
      const items = files.get("items.jsonl")!;
      expect((await store.get(blobKey("sample", sha256Hex(items))))!.bytes).toEqual(items);
      expect(await readIndex(store)).toEqual({
        benchmark: "sample",
        latest: "1.0.0",
        versions: [{ version: "1.0.0", digest: result.digest, created: "2026-01-01T00:00:00Z", yanked: false }],
        log: headOf(await readLog(store, "sample")),
      });
    });

    also("logs who did what, and when; doing it again logs nothing", async () => {
      const store = await create();
      const [at, ref] = [Date.UTC(2026, 0, 1), { benchmark: "sample", version: "1.0.0" }];
      for (let k = 0; k < 2; k++) {
        await publishBundle(store, sampleBundle(), { publisher: "ci", now: () => at });
        await yankVersion(
          store,
          { ...ref, publisher: "anna", now: () => at + 1000 + k },
          { yanked: true, reason: "no" },
        );
      }
      await yankVersion(store, { ...ref, now: () => at + 5000 }, { yanked: false });
      const { entries } = await readLog(store, "sample");
      expect(entries.map(({ action, publisher, time, reason }) => [action, publisher, time, reason])).toEqual([
        ["publish", "ci", "2026-01-01T00:00:00.000Z", undefined],
        ["yank", "anna", "2026-01-01T00:00:01.000Z", "no"],
        ["unyank", null, "2026-01-01T00:00:05.000Z", undefined],
      ]);
    });

    also("a publisher that dies after the commit is logged by the next one, with its name", async () => {
      const store = await create();
      const dying = watched(store, (key) => {
        if (key === logKey("sample")) throw new Error("dead");
      });
      await expect(publishBundle(dying, sampleBundle(), { pause, publisher: "first" })).rejects.toThrow("dead");
      await publishBundle(store, sampleBundle({ version: "1.1.0" }), { pause, publisher: "second" });
      const { entries } = await readLog(store, "sample");
      expect(entries.map(({ version, publisher }) => [version, publisher])).toEqual([
        ["1.0.0", "first"],
        ["1.1.0", "second"],
      ]);
    });

    also("begins a log with what was published before there were logs", async () => {
      const store = await create();
      const older = {
        ...store,
        putIfAbsent: async (key: string, bytes: Uint8Array) =>
          /log\.jsonl$|publishers/.test(key) || store.putIfAbsent(key, bytes),
      };
      await publishBundle(older, sampleBundle());
      const { bytes, etag } = (await store.get(indexKey("sample")))!;
      const { benchmark, latest, versions } = parseIndex(bytes)!;
      await store.putIfMatch(indexKey("sample"), encodeJson({ benchmark, latest, versions }), etag);
      await publishBundle(store, sampleBundle({ version: "1.1.0" }), { publisher: "ci" });
      const { entries } = await readLog(store, "sample");
      expect(entries.map(({ action, version, publisher }) => [action, version, publisher])).toEqual([
        ["found", "1.0.0", null],
        ["publish", "1.1.0", "ci"],
      ]);
      expect(entries[0]!.time).toBeNull();
    });

    also("publishes no more beside a log that another hand has changed, until it is restored", async () => {
      const store = await create();
      for (const version of ["1.0.0", "1.1.0"]) await publishBundle(store, sampleBundle({ version }));
      const whole = (await store.get(logKey("sample")))!;
      const [first] = new TextDecoder().decode(whole.bytes).split("\n");
      await store.putIfMatch(logKey("sample"), new TextEncoder().encode(`${first!}\n`), whole.etag);
      const next = sampleBundle({ version: "1.2.0" });
      const error = await refused(publishBundle(store, next, { pause }));
      expect([error.code, error.message]).toEqual(["bundle_corrupt", expect.stringMatching(/ends after entry 1, and its index names entry 2: entries were cut off/)]); // prettier-ignore
      const cut = (await store.get(logKey("sample")))!;
      await store.putIfMatch(logKey("sample"), whole.bytes, cut.etag);
      expect((await publishBundle(store, next)).latest).toBe("1.2.0");
      expect((await readLog(store, "sample")).entries).toHaveLength(3);
    });

    also("succeeds again with equal content, and writes nothing", async () => {
      const store = watched(await create());
      await publishBundle(store, sampleBundle());
      store.writes.length = 0;
      expect((await publishBundle(store, sampleBundle())).status).toBe("already");
      expect(store.writes).toEqual([]);
    });

    also("refuses other content under the same version, and writes nothing", async () => {
      const store = watched(await create());
      await publishBundle(store, sampleBundle());
      store.writes.length = 0;
      expect((await refused(publishBundle(store, sampleBundle({ seed: 8 })))).code).toBe("version_conflict");
      expect(store.writes).toEqual([]);
    });

    test("refuses other content that another publisher commits in the meantime", async () => {
      const store = await create();
      const slow = watched(store, async (key) => {
        if (key === manifestKey("sample", "1.0.0")) await publishBundle(store, sampleBundle({ seed: 8 }), { pause });
      });
      expect((await refused(publishBundle(slow, sampleBundle(), { pause }))).code).toBe("version_conflict");
    });

    test("keeps both versions of two publishers at once, and names the highest stable one", async () => {
      const store = await create();
      const versions = ["1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1"];
      await Promise.all(versions.map((version) => publishBundle(store, sampleBundle({ version }), { pause })));
      const index = await readIndex(store);
      expect(index.latest).toBe("1.10.0");
      expect(index.versions.map((entry) => entry.version)).toEqual(["1.0.0", "1.9.0", "1.10.0", "2.0.0-rc.1"]);
    });

    also("a dead publisher is finished by the next one, whichever version that brings", async () => {
      const store = await create();
      const dying = watched(store, (key) => {
        if (key === indexKey("sample")) throw new Error("dead");
      });
      await expect(publishBundle(dying, sampleBundle(), { pause })).rejects.toThrow("dead");
      expect(await store.get(indexKey("sample"))).toBeNull();
      await publishBundle(store, sampleBundle({ version: "1.1.0" }));
      expect((await readIndex(store)).versions.map((entry) => entry.version)).toEqual(["1.0.0", "1.1.0"]);
    });

    also("a publication mends an index that says otherwise than yanked.json", async () => {
      const store = await create();
      await publishBundle(store, sampleBundle(), { pause });
      const which = { benchmark: "sample", version: "1.0.0", pause };
      await yankVersion(store, which, { yanked: true, reason: "wrong keys" });
      const wrong = (await store.get(indexKey("sample")))!;
      await yankVersion(store, which, { yanked: false });
      const right = (await store.get(indexKey("sample")))!;
      await store.putIfMatch(indexKey("sample"), wrong.bytes, right.etag);
      await publishBundle(store, sampleBundle(), { pause });
      expect((await store.get(indexKey("sample")))!.bytes).toEqual(right.bytes);
    });

    also("builds a damaged index again, and keeps a yanked version yanked in a whole one", async () => {
      const store = await create();
      await publishBundle(store, sampleBundle());
      const whole = (await store.get(indexKey("sample")))!;
      await store.putIfMatch(indexKey("sample"), whole.bytes.slice(0, 40), whole.etag);
      expect((await publishBundle(store, sampleBundle())).latest).toBe("1.0.0");
      const { bytes, etag } = (await store.get(indexKey("sample")))!;
      const yanked = new TextDecoder().decode(bytes).replace('"yanked":false', '"yanked":true');
      await store.putIfMatch(indexKey("sample"), new TextEncoder().encode(yanked), etag);
      expect((await publishBundle(store, sampleBundle({ version: "2.0.0-rc.1" }))).latest).toBeNull();
    });

    also("mends a content that was damaged in storage", async () => {
      const store = await create();
      const files = sampleBundle();
      await publishBundle(store, files);
      const key = blobKey("sample", sha256Hex(files.get("parameters.safetensors")!));
      const { bytes, etag } = (await store.get(key))!;
      await store.putIfMatch(key, bytes.slice(0, 100), etag);
      await publishBundle(store, files);
      expect((await store.get(key))!.bytes).toEqual(files.get("parameters.safetensors"));
    });

    also.each<[string, (manifest: Uint8Array) => Uint8Array]>([
      ["damaged", (manifest) => manifest.slice(0, 100)],
      ["replaced by another", () => sampleBundle({ seed: 8 }).get("manifest.json")!],
    ])("mends a manifest that was %s in storage, since the index names it; others are refused", async (_, change) => {
      const store = await create();
      const manifest = sampleBundle().get("manifest.json")!;
      await publishBundle(store, sampleBundle());
      const key = manifestKey("sample", "1.0.0");
      await store.putIfMatch(key, change(manifest), (await store.get(key))!.etag);
      expect((await refused(publishBundle(store, sampleBundle({ seed: 9 })))).code).toBe("version_conflict");
      expect((await publishBundle(store, sampleBundle())).status).toBe("already");
      expect((await store.get(key))!.bytes).toEqual(manifest);
      expect((await readIndex(store)).latest).toBe("1.0.0");
    });

    test("waits and tries again while the index refuses writes, then says how to finish", async () => {
      const store = await create();
      let left = 2;
      const busy = watched(store, (key) => {
        if (key === indexKey("sample") && left-- > 0) throw new AnchorEvalError("unavailable", "one write a second");
      });
      const waits: number[] = [];
      const counted = (milliseconds: number): Promise<void> => (waits.push(milliseconds), Promise.resolve());
      expect((await publishBundle(busy, sampleBundle(), { pause: counted })).latest).toBe("1.0.0");
      expect(waits).toHaveLength(2);
      expect(Math.min(...waits)).toBeGreaterThan(1000);
      left = Infinity;
      const error = await refused(publishBundle(busy, sampleBundle({ version: "1.1.0" }), { pause }));
      expect(error.code).toBe("unavailable");
      expect(error.message).toContain("publish again to finish");
    });

    test("lays files plainly as well where it is asked to", async () => {
      const store = await create();
      const files = sampleBundle({ report: true });
      await publishBundle(store, files, { plainFiles: true });
      for (const [file, bytes] of files)
        expect((await store.get(`bundles/sample/1.0.0/${file}`))!.bytes, file).toEqual(bytes);
    });

    const broken: [string, string, (files: Map<BundleFileName, Uint8Array>) => void][] = [
      ["a flipped byte", "bundle_corrupt", (files) => (files.get("parameters.safetensors")![2000]! ^= 1)],
      [
        "a flipped byte in a file that estimates don't read",
        "bundle_corrupt",
        (files) => (files.get("items.jsonl")![9]! ^= 1),
      ],
      [
        "a truncated file",
        "bundle_corrupt",
        (files) => files.set("anchors.jsonl", files.get("anchors.jsonl")!.slice(0, -9)),
      ],
      ["a missing file", "bundle_corrupt", (files) => files.delete("items.jsonl")],
      ["no manifest", "not_found", (files) => files.delete("manifest.json")],
      [
        "a file that the manifest doesn't name",
        "bundle_invalid",
        (files) => files.set("report.html", new Uint8Array(3)),
      ],
      [
        "parameters that give no score",
        "bundle_invalid",
        (files) => {
          const beyond = (own: Tensor): Tensor => ({ ...own, data: Float32Array.from(own.data).fill(3e38) });
          for (const [name, bytes] of withTensor(files, "scenario.0.a", beyond)) files.set(name, bytes);
        },
      ],
      [
        "a name with a path",
        "bundle_invalid",
        (files) => files.set("manifest.json", edited(files, '"sample"', '"../sample"')),
      ],
      [
        "a version that is none",
        "bundle_invalid",
        (files) => files.set("manifest.json", edited(files, '"1.0.0"', '"1.0/0"')),
      ],
      [
        "a newer format",
        "bundle_format_unsupported",
        (files) => files.set("manifest.json", edited(files, '"formatVersion":"1.', '"formatVersion":"9.')),
      ],
    ];
    also.each(broken)("refuses %s as %s, and writes nothing", async (_, code, damage) => {
      const store = watched(await create());
      const files = sampleBundle();
      damage(files);
      expect((await refused(publishBundle(store, files))).code).toBe(code);
      expect(store.writes).toEqual([]);
    });
  });
}

function edited(files: Map<BundleFileName, Uint8Array>, from: string, to: string): Uint8Array {
  return resealed(files.get("manifest.json")!, (text) => text.replace(from, to));
}
