import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, indexKey, yankedKey } from "anchoreval/internal/core/bundle/names";
import { parseIndex, parseYank } from "anchoreval/internal/publish/bundle-index";
import type { SweepableStore } from "anchoreval/internal/publish/bundle-store";
import { publishBundle } from "anchoreval/internal/publish/publish-bundle";
import { SWEEP_AGE, sweepBlobs } from "anchoreval/internal/publish/sweep-blobs";
import { yankVersion } from "anchoreval/internal/publish/versions";
import { folderStore } from "anchoreval/node";
import { expect, test } from "vitest";
import { sampleBundle } from "../../support/sample-bundle.ts";
import { tempFolder } from "../../support/temp-folder.ts";

// Every way in which two operations on one benchmark can interleave: one runs whole between any two calls of the other.
// The stores' conformance says that each call is atomic, so one store stands for all of them here.
const folder = tempFolder();
let stores = 0;
const pause = (): Promise<void> => Promise.resolve();
/** The day after tomorrow: all that is written now is old. */
const later = (): number => Date.now() + 2 * SWEEP_AGE;

/**
 * Runs one operation before the first call of a kind that another makes, then, on a new store, before the second, until
 * the other makes no further one.
 * @param prepare - fills the empty store
 * @param check - looks at the store after both
 * @returns the last store, on which the other ran alone
 */
async function interleave(
  call: keyof SweepableStore,
  prepare: (store: SweepableStore) => Promise<unknown>,
  whole: (store: SweepableStore) => Promise<unknown>,
  interrupted: (store: SweepableStore) => Promise<unknown>,
  check: (store: SweepableStore, when: string) => Promise<void>,
): Promise<SweepableStore> {
  for (let turn = 0; ; turn++) {
    const store = folderStore(folder.path(`store-${stores++}`));
    await prepare(store);
    let calls = 0;
    await interrupted({
      ...store,
      [call]: async (...given: [never, never, never]) => {
        if (calls++ === turn) await whole(store);
        return (store[call] as (...given: unknown[]) => unknown)(...given);
      },
    });
    if (calls <= turn) return store;
    await check(store, `before ${call} ${turn}`);
    expect(turn).toBeLessThan(50);
  }
}

// One yank while another goes on that takes it back; and the other way round.
test.each([
  ["yanked, and taken back meanwhile", { yanked: true, reason: "wrong keys" }, { yanked: false }],
  ["taken back, and yanked meanwhile", { yanked: false }, { yanked: true, reason: "wrong keys" }],
] as const)("the index says what yanked.json says: %s", async (_, first, second) => {
  const which = { benchmark: "sample", version: "1.0.0", pause };
  for (const call of ["get", "putIfAbsent", "putIfMatch", "list"] as const)
    await interleave(
      call,
      (store) => publishBundle(store, sampleBundle(), { pause }),
      (store) => yankVersion(store, which, second),
      (store) => yankVersion(store, which, first),
      async (store, when) => {
        const last = parseYank((await store.get(yankedKey("sample", "1.0.0")))!.bytes);
        const index = parseIndex((await store.get(indexKey("sample")))!.bytes)!;
        expect(index.versions[0], when).toMatchObject(last);
        expect(index.latest, when).toBe(last.yanked ? null : "1.0.0");
      },
    );
});

const late = sampleBundle({ version: "1.1.0", seed: 8 });

/** A published version, and the old contents of a later one whose publication broke off. */
async function withOldContents(store: SweepableStore): Promise<void> {
  await publishBundle(store, sampleBundle(), { pause });
  for (const file of ["parameters.safetensors", "anchors.jsonl", "items.jsonl"] as const)
    await store.putIfAbsent(blobKey("sample", sha256Hex(late.get(file)!)), late.get(file)!);
}

async function expectContents(store: SweepableStore, when: string): Promise<void> {
  const there = new Set(await store.list("bundles/sample/blobs/"));
  for (const [name, bytes] of late)
    if (name !== "manifest.json") expect(there, `${name}, ${when}`).toContain(sha256Hex(bytes));
}

const sweep = (store: SweepableStore): Promise<unknown> => sweepBlobs(store, { now: later() });

test.each(["get", "putIfAbsent", "putIfMatch", "list"] as const)(
  "a publication that reuses old contents has them all, whenever a sweep runs: before each %s",
  async (call) => {
    const publish = async (store: SweepableStore): Promise<void> =>
      expect(await publishBundle(store, late, { pause })).toMatchObject({ status: "published" });
    const undisturbed = await interleave(call, withOldContents, sweep, publish, expectContents);
    await expectContents(undisturbed, "without a sweep");
  },
);

test.each(["get", "remove", "list", "listTimes", "putIfAbsent"] as const)(
  "a sweep takes nothing from a publication that runs before each of its %s",
  async (call) => {
    const publish = (store: SweepableStore): Promise<unknown> => publishBundle(store, late, { pause });
    await interleave(call, withOldContents, publish, sweep, expectContents);
  },
);
