import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { blobKey, indexKey, sha256Hex, yankedKey } from "anchoreval/bundle";
import { folderStore } from "anchoreval/node";
import {
  parseIndex,
  parseYank,
  publishBundle,
  SWEEP_AGE,
  sweepBlobs,
  yankVersion,
  type BundleStore,
  type SweepableStore,
} from "anchoreval/publish";
import { afterAll, expect, test } from "vitest";
import { sampleBundle } from "../../support/sample-bundle.ts";

// Every way in which two operations on one benchmark can interleave: one runs whole between any two calls of the other.
// The stores' conformance says that each call is atomic, so one store stands for all of them here.
const folders: string[] = [];
const create = async (): Promise<SweepableStore> => {
  folders.push(await mkdtemp(join(tmpdir(), "anchoreval-")));
  return folderStore(folders.at(-1)!);
};
afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true }))));

const pause = (): Promise<void> => Promise.resolve();
/** The day after tomorrow: all that is written now is old. */
const later = (): number => Date.now() + 2 * SWEEP_AGE;

// Between any two calls of a yank, one that takes it back from beginning to end; and the other way round.
test.each([
  ["yanked, and taken back meanwhile", { yanked: true, reason: "wrong keys" }, { yanked: false }],
  ["taken back, and yanked meanwhile", { yanked: false }, { yanked: true, reason: "wrong keys" }],
] as const)("the index says what yanked.json says: %s", async (_, first, second) => {
  const which = { benchmark: "sample", version: "1.0.0", pause };
  for (const call of ["get", "putIfAbsent", "putIfMatch", "list"] as const)
    for (let turn = 0; ; turn++) {
      const store = await create();
      await publishBundle(store, sampleBundle(), { pause });
      let calls = 0;
      const meanwhile: BundleStore = {
        ...store,
        [call]: async (...given: [never, never, never]) => {
          if (calls++ === turn) await yankVersion(store, which, second);
          return store[call](...given);
        },
      };
      await yankVersion(meanwhile, which, first);
      if (calls <= turn) break;
      const last = parseYank((await store.get(yankedKey("sample", "1.0.0")))!.bytes);
      const index = parseIndex((await store.get(indexKey("sample")))!.bytes)!;
      expect(index.versions[0], `before ${call} ${turn}`).toMatchObject(last);
      expect(index.latest, `before ${call} ${turn}`).toBe(last.yanked ? null : "1.0.0");
    }
});

// Between any two calls that a publication makes, a whole sweep that takes every content for old.
test.each(["get", "putIfAbsent", "putIfMatch", "list"] as const)(
  "a publication that reuses old contents has them all, whenever a sweep runs: before each %s",
  async (call) => {
    const late = sampleBundle({ version: "1.1.0", seed: 8 });
    for (let turn = 0; ; turn++) {
      const store = await create();
      await publishBundle(store, sampleBundle(), { pause });
      for (const file of ["parameters.safetensors", "anchors.jsonl", "items.jsonl"] as const)
        await store.putIfAbsent(blobKey("sample", sha256Hex(late.get(file)!)), late.get(file)!);
      let calls = 0;
      const swept: SweepableStore = {
        ...store,
        [call]: async (...given: [never, never, never]) => {
          if (calls++ === turn) await sweepBlobs(store, { now: later() });
          return store[call](...given);
        },
      };
      expect(await publishBundle(swept, late, { pause })).toMatchObject({ status: "published" });
      const there = new Set(await store.list("bundles/sample/blobs/"));
      for (const [name, bytes] of late)
        if (name !== "manifest.json")
          expect(there, `${name}, sweep before ${call} ${turn}`).toContain(sha256Hex(bytes));
      if (calls <= turn) return;
      expect(turn).toBeLessThan(50);
    }
  },
);

// A whole publication between any two calls that a sweep makes.
test.each(["get", "remove", "list", "listTimes", "putIfAbsent"] as const)(
  "a sweep takes nothing from a publication that runs before each of its %s",
  async (call) => {
    const late = sampleBundle({ version: "1.1.0", seed: 8 });
    for (let turn = 0; ; turn++) {
      const store = await create();
      await publishBundle(store, sampleBundle(), { pause });
      for (const file of ["parameters.safetensors", "anchors.jsonl", "items.jsonl"] as const)
        await store.putIfAbsent(blobKey("sample", sha256Hex(late.get(file)!)), late.get(file)!);
      let calls = 0;
      const joined: SweepableStore = {
        ...store,
        [call]: async (...given: [never, never]) => {
          if (calls++ === turn) await publishBundle(store, late, { pause });
          return store[call](...given);
        },
      };
      await sweepBlobs(joined, { now: later() });
      if (calls <= turn) return;
      const there = new Set(await store.list("bundles/sample/blobs/"));
      for (const [name, bytes] of late)
        if (name !== "manifest.json") expect(there, `${name}, before ${call} ${turn}`).toContain(sha256Hex(bytes));
      expect(turn).toBeLessThan(50);
    }
  },
);
