import { AnchorEvalError } from "anchoreval";
import type { BundleFileName } from "anchoreval/bundle";
import { sha256Hex } from "anchoreval/internal/core/bundle/digest";
import { blobKey, manifestKey, sweptKey } from "anchoreval/internal/core/bundle/names";
import type { Yank } from "anchoreval/internal/core/bundle/decode-manifest";
import { publishBundle, type PublishOptions } from "anchoreval/internal/features/publishing/sdk/publish-bundle";
import { findBrokenLogs, SWEEP_AGE, sweepBlobs } from "anchoreval/internal/features/publishing/sdk/sweep-blobs";
import { yankVersion } from "anchoreval/internal/features/publishing/sdk/versions";
import { expect, test, vi } from "vitest";
import { missingParts, faultsOf } from "../../../../support/consistent-store.ts";
import { immediateCrypto } from "../../../../support/immediate-crypto.ts";
import { interleavings, type Operation, type Outcome } from "../../../../support/interleavings.ts";
import { perform, scheduledStore, type Objects } from "../../../../support/memory-store.ts";
import { sampleBundle } from "../../../../support/sample-bundle.ts";
import { WHOLE } from "../../../../support/whole.ts";

// Every way in which two operations on one benchmark can interleave, call by call, with a kill after any of them. The
// stores' conformance says that each call is atomic, so one store stands for all of them here. One write of a
// race with few states may be carried out and answered with an error; with LOST_ANSWERS=1 of any race.
const MANY = Number(process.env["LOST_ANSWERS"] ?? 0);
const every = WHOLE || MANY > 0;
type Files = ReadonlyMap<BundleFileName, Uint8Array>;
const NOW = 10 * SWEEP_AGE;
const pause = (): Promise<void> => Promise.resolve();
const now = (): number => NOW;
const sample = sampleBundle();
const late = sampleBundle({ version: "1.1.0", seed: 8 });
const later = sampleBundle({ version: "1.2.0", seed: 9 });
const contested = sampleBundle({ version: "1.1.0", seed: 9 });

immediateCrypto();

/** One of two operations at once. */
interface Actor {
  readonly run: Operation;
  /** The version that must be there once it has ended. */
  readonly publishes?: Files;
}

const publish = (files: Files, options: PublishOptions = {}): Actor => ({
  run: (store) => publishBundle(store, files, { pause, now, ...options }),
  publishes: files,
});
const yank = (how: Yank, version = "1.0.0"): Actor => ({
  run: (store) => yankVersion(store, { benchmark: "sample", version, pause, now }, how),
});
/** @param now - its clock */
const sweep = (now = NOW): Actor => ({ run: (store) => sweepBlobs(store, { now }) });

/** Runs operations one after another. @returns the objects then */
async function inTurn(objects: Objects, now: number, ...operations: Operation[]): Promise<Objects> {
  let own = objects;
  const store = scheduledStore((call) => {
    const { result, after } = perform(own, call, now);
    own = after;
    return Promise.resolve(result);
  });
  for (const operation of operations) await operation(store);
  return own;
}

const leftover = new TextEncoder().encode("left by a publication that broke off");
const LEFT = blobKey("sample", sha256Hex(leftover));
const contentsOf = (files: Files): Uint8Array[] =>
  Array.from(files, ([name, bytes]) => (name === "manifest.json" ? [] : [bytes])).flat();
const withOld =
  (...all: readonly Uint8Array[]): Operation =>
  (store) =>
    Promise.all(all.map((bytes) => store.putIfAbsent(blobKey("sample", sha256Hex(bytes)), bytes)));
/** A sweep that was killed has left a copy of a content that is named by now. */
const brokenOff =
  (bytes: Uint8Array): Operation =>
  async (store) => {
    await store.putIfAbsent(sweptKey("sample", sha256Hex(bytes)), bytes);
    await store.remove(blobKey("sample", sha256Hex(bytes)));
  };
const YANKED: Yank = { yanked: true, reason: "wrong keys" };

const PREPARED: Readonly<Record<string, readonly Operation[]>> = {
  nothing: [],
  published: [publish(sample).run],
  yanked: [publish(sample).run, yank(YANKED).run],
  "a leftover": [publish(sample).run, withOld(leftover)],
  /** Of the later version's publication, which broke off. */
  "old contents": [publish(sample).run, withOld(leftover, ...contentsOf(late))],
  "a sweep broken off": [
    publish(sample).run,
    publish(late).run,
    brokenOff(late.get("anchors.jsonl")!),
    withOld(leftover),
  ],
};

const RACES: readonly (readonly [prepared: string, names: string, lost: number, one: Actor, other: Actor])[] = [
  ["nothing", "publish 1.0.0 / publish 1.1.0", MANY, publish(sample), publish(late)],
  ["published", "publish 1.1.0 / publish 1.2.0", MANY, publish(late), publish(later)],
  ["published", "publish 1.1.0 / publish 1.1.0 again", MANY, publish(late), publish(late)],
  ["published", "publish 1.1.0 / publish another 1.1.0", 1, publish(late), publish(contested)],
  ["published", "publish 1.1.0 / yank 1.0.0", 1, publish(late), yank(YANKED)],
  ["yanked", "publish 1.1.0 / take 1.0.0 back", 1, publish(late), yank({ yanked: false })],
  ["published", "yank / take back", 1, yank(YANKED), yank({ yanked: false })],
  ["yanked", "yank anew / take back", 1, yank({ ...YANKED, reason: "wrong again" }), yank({ yanked: false })],
  ["old contents", "publish 1.1.0 / sweep", MANY, publish(late), sweep()],
  ["old contents", "publish 1.1.0 / sweep two days ahead", MANY, publish(late), sweep(NOW + 2 * SWEEP_AGE)],
  ["old contents", "publish another 1.1.0 / sweep", MANY, publish(contested), sweep()],
  ["a sweep broken off", "publish 1.1.0 again / sweep", 1, publish(late), sweep()],
  ["a sweep broken off", "sweep / sweep", every ? 1 : 0, sweep(), sweep()],
  ["a leftover", "yank / sweep", 1, yank(YANKED), sweep()],
];

/** Those with most states, of kinds that others have too, take minutes. */
const LARGE = [
  "nothing: publish 1.0.0 / publish 1.1.0",
  "published: publish 1.1.0 / publish 1.2.0",
  "published: publish 1.1.0 / publish 1.1.0 again",
  "published: publish 1.1.0 / yank 1.0.0",
  "yanked: publish 1.1.0 / take 1.0.0 back",
  "yanked: yank anew / take back",
  "old contents: publish 1.1.0 / sweep two days ahead",
  "old contents: publish another 1.1.0 / sweep",
  "a sweep broken off: sweep / sweep",
];
if (every) vi.setConfig({ testTimeout: 600_000 });
const races = RACES.filter(([prepared, names]) => every || !LARGE.includes(`${prepared}: ${names}`));

test.each(races)("%s: %s", async (prepared, _, lost, ...actors) => {
  const objects = await inTurn(new Map(), 0, ...PREPARED[prepared]!);
  const before = [sample, late].filter((files) => objects.has(manifestKey("sample", versionOf(files))));
  const faults: string[] = [];
  const operations = actors.map(({ run }) => run);
  const found = await interleavings({ objects, operations, now: NOW, kills: true, lost }, async (ending) => {
    const published = actors.flatMap(({ publishes }, k) =>
      publishes && isDone(ending.outcomes[k]!) ? [publishes] : [],
    );
    const refusals = ending.outcomes.filter((outcome) => isBroken(outcome) && !isUnavailable(outcome));
    const complete = ending.outcomes.every((outcome) => outcome !== "killed" && !isBroken(outcome));
    const own = faultsOf(ending.objects, "sample", committed([...before, ...published]), complete);
    own.push(
      ...refusals.map((outcome) => JSON.stringify(outcome)),
      ...missingParts(ending.objects, "sample", "listed"),
    );
    await inTurn(ending.objects, NOW, async (store) => own.push(...(await findBrokenLogs(store))));
    if (new Set(published.map(versionOf)).size < new Set(published.map(manifestOf)).size) own.push("both won");
    // Whoever was killed or told to try again does; then all is there, and a sweep leaves nothing behind.
    const again = actors.flatMap(({ run }, k) =>
      isDone(ending.outcomes[k]!) || isRefused(ending.outcomes[k]!) ? [] : [run],
    );
    const done = await inTurn(ending.objects, NOW, ...again.map(tolerant));
    const mended = await inTurn(done, NOW + 2 * SWEEP_AGE, sweep(NOW + 2 * SWEEP_AGE).run);
    own.push(...faultsOf(mended, "sample", committed(before), true).map((fault) => `${fault} in the end`));
    if (mended.has(LEFT)) own.push("the leftover is there in the end");
    if ([...mended.keys()].some((key) => key.includes("/swept/"))) own.push("a copy is there in the end");
    if (own.length > 0) faults.push(`${own.join(", ")}:\n${ending.trace}`);
  });
  expect(faults.slice(0, 1)).toEqual([]);
  expect(found.endings).toBeGreaterThan(1);
});

const isDone = (outcome: Outcome): boolean => outcome !== "killed" && "value" in outcome;
const isRefused = (outcome: Outcome): boolean =>
  outcome !== "killed" && "error" in outcome && (outcome.error as AnchorEvalError).code === "version_conflict";
const isUnavailable = (outcome: Outcome): boolean =>
  outcome === "killed" || ("error" in outcome && (outcome.error as AnchorEvalError).code === "unavailable");
const isBroken = (outcome: Outcome): boolean => !isDone(outcome) && !isRefused(outcome);
const manifestOf = (files: Files): Uint8Array => files.get("manifest.json")!;
const versionOf = (files: Files): string =>
  (JSON.parse(new TextDecoder().decode(manifestOf(files))) as { version: string }).version;
const committed = (all: readonly Files[]): ReadonlyMap<string, Uint8Array> =>
  new Map(all.map((files) => [versionOf(files), manifestOf(files)]));
/** Another may have been quicker with this version. */
const tolerant =
  (operation: Operation): Operation =>
  async (store) => {
    try {
      return await operation(store);
    } catch (error) {
      if (!isRefused({ error })) throw error;
    }
  };
