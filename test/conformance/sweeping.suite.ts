import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, manifestKey, sweptKey } from "anchoreval/internal/core/bundle/names";
import type { SweepableStore } from "anchoreval/internal/bundles/bundle-store";
import { publishBundle } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { SWEEP_AGE, sweepBlobs } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { describe, expect, test } from "vitest";
import { sampleBundle } from "../support/sample-bundle.ts";
import { SOME } from "./publishing.suite.ts";

const pause = (): Promise<void> => Promise.resolve();
/** The day after tomorrow: all that is written now is old. */
const later = (): number => Date.now() + 2 * SWEEP_AGE;
const leftover = new TextEncoder().encode("left by a publication that broke off");
const LEFT = blobKey("sample", sha256Hex(leftover));

/** Sweeping one kind of store. @param create - an empty store @param whole - also laws that don't depend on the store */
export function describeSweeping(name: string, create: () => Promise<SweepableStore>, whole = true): void {
  const also = test.skipIf(!whole);
  const published = async (): Promise<SweepableStore> => {
    const store = await create();
    await publishBundle(store, sampleBundle(), { pause });
    await publishBundle(store, sampleBundle({ version: "1.1.0", seed: 8 }), { pause });
    await store.putIfAbsent(LEFT, leftover);
    return store;
  };
  const contents = async (store: SweepableStore): Promise<string[]> =>
    (await store.list("bundles/sample/blobs/")).sort();

  describe(`sweeping ${name}${whole ? "" : SOME}`, () => {
    test("knows when objects were written", async () => {
      const begun = Date.now();
      const store = await published();
      const times = await store.listTimes("bundles/sample/");
      expect(times.map((own) => own.name).sort()).toEqual(["index.json", "log.jsonl"]);
      for (const { written } of await store.listTimes("bundles/sample/blobs/")) {
        expect(written).toBeGreaterThan(begun - 2000);
        expect(written).toBeLessThan(Date.now() + 2000);
      }
      expect(await store.listTimes("bundles/nowhere/")).toEqual([]);
    });

    test("removes what no manifest names and is old, and nothing else; again there is nothing left to do", async () => {
      const store = await published();
      const before = await contents(store);
      expect(await sweepBlobs(store, { now: later(), dryRun: true })).toMatchObject({ removed: [LEFT], young: 0 });
      expect(await contents(store)).toEqual(before);
      const kept = before.length - 1;
      expect(await sweepBlobs(store, { now: later() })).toEqual({ removed: [LEFT], kept, young: 0, skipped: [] });
      expect(await contents(store)).toEqual(before.filter((own) => !LEFT.endsWith(own)));
      expect(await sweepBlobs(store, { now: later() })).toEqual({ removed: [], kept, young: 0, skipped: [] });
      expect(await publishBundle(store, sampleBundle(), { pause })).toMatchObject({ status: "already" });
    });

    also("leaves what is young: its publication may go on", async () => {
      const store = await published();
      const before = await contents(store);
      expect(await sweepBlobs(store, { now: Date.now() + SWEEP_AGE - 60_000 })).toMatchObject({
        removed: [],
        young: 1,
      });
      expect(await contents(store)).toEqual(before);
    });

    also("leaves a benchmark alone whose manifests can't all be read, and goes on with others", async () => {
      const store = await published();
      await publishBundle(store, sampleBundle({ benchmark: "other" }), { pause });
      const otherLeft = blobKey("other", sha256Hex(leftover));
      await store.putIfAbsent(otherLeft, leftover);
      await store.putIfAbsent(manifestKey("sample", "9.0.0"), new TextEncoder().encode('{"formatVersion":"9.0"}'));
      const result = await sweepBlobs(store, { now: later() });
      expect(result).toMatchObject({ removed: [otherLeft], skipped: [{ benchmark: "sample" }] });
      expect(await store.get(LEFT)).not.toBeNull();
    });

    also("a publication that comes in the middle and names an old content finds it there", async () => {
      const store = await create();
      await publishBundle(store, sampleBundle(), { pause });
      const late = sampleBundle({ version: "1.1.0", seed: 8 });
      const digests = ["parameters.safetensors", "anchors.jsonl"].map((file) => sha256Hex(late.get(file as never)!));
      // A first attempt died a while ago; the second finds its contents there and commits while we sweep.
      const dying = {
        ...store,
        putIfAbsent: (key: string, bytes: Uint8Array) =>
          key === manifestKey("sample", "1.1.0") ? Promise.reject(new Error("dead")) : store.putIfAbsent(key, bytes),
      };
      await expect(publishBundle(dying, late, { pause })).rejects.toThrow("dead");
      let commits: Promise<unknown> | null = null;
      const meanwhile: SweepableStore = {
        ...store,
        remove: async (key) => {
          commits ??= store.putIfAbsent(manifestKey("sample", "1.1.0"), late.get("manifest.json")!);
          await commits;
          await store.remove(key);
        },
      };
      expect(await sweepBlobs(meanwhile, { now: later() })).toMatchObject({ removed: [] });
      expect(commits).not.toBeNull();
      for (const digest of digests) expect(await store.get(blobKey("sample", digest))).not.toBeNull();
    });

    test("of two sweeps one alone removes a content: a version published between them can be read, though one dies", async () => {
      const store = await create();
      await publishBundle(store, sampleBundle(), { pause });
      const late = sampleBundle({ version: "1.1.0", seed: 8 });
      const content = late.get("parameters.safetensors")!;
      const key = blobKey("sample", sha256Hex(content));
      await store.putIfAbsent(key, content);
      // The slow one has looked, copied the content, and is about to remove it.
      let atRemoval!: () => void;
      let goOn!: () => void;
      const stands = new Promise<void>((resolve) => (atRemoval = resolve));
      const going = new Promise<void>((resolve) => (goOn = resolve));
      let dead = false;
      const alive = <T>(action: () => Promise<T>): Promise<T> => (dead ? Promise.reject(new Error("dead")) : action());
      const slow: SweepableStore = {
        ...store,
        list: (prefix) => alive(() => store.list(prefix)),
        putIfAbsent: (own, bytes) => alive(() => store.putIfAbsent(own, bytes)),
        remove: async (own) => {
          atRemoval();
          await going;
          await store.remove(own);
          dead = true;
        },
      };
      const broken = expect(sweepBlobs(slow, { now: later() })).rejects.toThrow("dead");
      await stands;
      expect(await sweepBlobs(store, { now: later() })).toMatchObject({ removed: [] });
      const { latest } = await publishBundle(store, late, { pause });
      goOn();
      await broken;
      expect(latest).toBe("1.1.0");
      expect(await store.get(key)).toBeNull();
      expect((await store.get(sweptKey("sample", sha256Hex(content))))!.bytes).toEqual(content);
      await sweepBlobs(store, { now: later() });
      expect((await store.get(key))!.bytes).toEqual(content);
    });

    also("a store that fails in the middle loses nothing", async () => {
      const store = await published();
      let lists = 0;
      const failing: SweepableStore = {
        ...store,
        list: (prefix) =>
          prefix === "bundles/sample/" && lists++ > 0 ? Promise.reject(new Error("gone")) : store.list(prefix),
      };
      await expect(sweepBlobs(failing, { now: later() })).rejects.toThrow("gone");
      expect((await store.get(LEFT))!.bytes).toEqual(leftover);
    });
  });
}
